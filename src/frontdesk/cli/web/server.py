"""Web server of `frontdesk web`: page, assets, and a WebSocket per viewer."""

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from aiohttp import WSMsgType, web
from textual_serve.server import Server, to_int

from frontdesk.cli.web.auth import HEADERS, AccessRules
from frontdesk.cli.web.messages import (
    MOST_BYTES,
    Focused,
    Pinged,
    Resized,
    Typed,
    bounded,
    decode,
)
from frontdesk.cli.web.viewers import BrowserViewer

MOST_VIEWERS = 16
_PAGE = Path(__file__).with_name("page")
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class BrowserServer(Server):
    """Runs `program`, the viewer, for each authenticated page."""

    def __init__(
        self, program: Sequence[str], access: AccessRules, listening: socket.socket
    ) -> None:
        host, port = listening.getsockname()[:2]
        super().__init__("", host=host, port=port, title="frontdesk")
        self._program = program
        self._access = access
        self._listening = listening
        self._cookie = f"frontdesk-{port}"
        self._viewers: set[BrowserViewer] = set()

    async def run(self, announce: Callable[[], None]) -> None:
        """Serve until SIGINT, SIGTERM or SIGHUP, then stop all viewers."""
        stopped = asyncio.Event()
        on_termination(stopped.set)
        runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=10)
        await runner.setup()
        try:
            await web.SockSite(runner, self._listening).start()
            announce()
            await stopped.wait()
        finally:
            await runner.cleanup()

    def _application(self) -> web.Application:
        application = web.Application(middlewares=[self._guard])
        application.on_response_prepare.append(_secure)
        application.on_shutdown.append(self.on_shutdown)
        application.router.add_get("/", self.handle_index)
        application.router.add_get("/ws", self.handle_websocket)
        application.router.add_get("/download/{key}", self.handle_download)
        application.router.add_static("/static", self.statics_path)
        application.router.add_static("/page", _PAGE)
        return application

    async def on_shutdown(self, app: web.Application) -> None:
        await asyncio.gather(*(viewer.stop() for viewer in self._viewers))

    @web.middleware
    async def _guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        websocket = request.path == "/ws"
        refusal = self._access.refusal(request.headers, websocket=websocket)
        if refusal is not None:
            raise web.HTTPForbidden(text=refusal)
        if request.path == "/" and self._access.accepts_token(request.query.get("token")):
            # Redirect, so that the token does not remain in the address bar and history.
            answer = web.HTTPSeeOther("/")
            answer.set_cookie(self._cookie, self._access.token, httponly=True, samesite="Lax")
            raise answer
        if not self._access.accepts_token(request.cookies.get(self._cookie)):
            raise web.HTTPForbidden(text="Open the link that frontdesk web printed")
        return await handler(request)

    async def handle_index(self, request: web.Request) -> web.StreamResponse:
        """Serve the page, which loads only assets of this server."""
        return web.FileResponse(_PAGE / "index.html")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Run a viewer for as long as the connection is open."""
        if len(self._viewers) >= MOST_VIEWERS:
            raise web.HTTPServiceUnavailable(text="As many viewers are open as there may be")
        websocket = web.WebSocketResponse(heartbeat=15, max_msg_size=MOST_BYTES)
        viewer = BrowserViewer(
            self._program,
            write_bytes=websocket.send_bytes,
            write_str=websocket.send_str,
            close=websocket.close,
            download_manager=self.download_manager,
        )
        self._viewers.add(viewer)
        try:
            await websocket.prepare(request)
            await viewer.start(_cells(request, "width", 80), _cells(request, "height", 24))
            await _read_page(websocket, viewer)
        finally:
            await viewer.stop()
            self._viewers.discard(viewer)
        return websocket

    async def handle_download(self, request: web.Request) -> web.StreamResponse:
        """Serve a file that a viewer saves, as a download and never as a page of this origin."""
        key = request.match_info["key"]
        try:
            download = await self.download_manager.get_download_metadata(key)
        except KeyError:
            raise web.HTTPNotFound(text="This file was saved before, or its page is gone") from None
        response = web.StreamResponse()
        response.content_type = "application/octet-stream"
        response.headers["Content-Disposition"] = (
            f"attachment; filename*=UTF-8''{quote(download.file_name, safe='')}"
        )
        await response.prepare(request)
        async for piece in self.download_manager.download(key):
            await response.write(piece)
        await response.write_eof()
        return response


async def _read_page(websocket: web.WebSocketResponse, viewer: BrowserViewer) -> None:
    """Forward messages of a page until it is closed; invalid ones are ignored."""
    async for frame in websocket:
        if frame.type != WSMsgType.TEXT:
            continue
        match decode(frame.data):
            case Typed(keys):
                await viewer.send_bytes(keys)
            case Resized(columns, lines):
                await viewer.set_terminal_size(columns, lines)
            case Pinged(text):
                await websocket.send_json(["pong", text])
            case Focused(focused):
                await (viewer.focus() if focused else viewer.blur())


async def _secure(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)


def on_termination(stop: Callable[[], object]) -> None:
    """Call `stop` on termination signals; not every event loop supports signal handlers."""
    loop = asyncio.get_running_loop()

    def end(number: int, frame: object) -> None:
        # A second Ctrl-C may arrive after the loop is closed, during cleanup.
        if not loop.is_closed():
            loop.call_soon_threadsafe(stop)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            signal.signal(number, end)


def _cells(request: web.Request, name: str, usual: int) -> int:
    return bounded(to_int(request.query.get(name, ""), usual))
