"""Web server of `frontdesk web`: textual-serve, with a check of every request before it."""

import asyncio
import logging
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from aiohttp import web
from textual_serve.server import Server

from frontdesk.cli.web.auth import HEADERS, AccessRules
from frontdesk.system.subprocess_environment import with_secrets

# The template of the page, with what it loads: only this server's files.
_PAGE = Path(__file__).with_name("page")
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class BrowserServer(Server):
    """Runs `program`, the viewer, for each authenticated page, until SIGINT or SIGTERM.

    announce is called once it listens.
    """

    def __init__(
        self, program: Sequence[str], access: AccessRules, port: int, announce: Callable[[], None]
    ) -> None:
        super().__init__(
            _command(program),
            host=access.host,
            port=port,
            title="frontdesk",
            templates_path=_PAGE,
        )
        self._access = access
        self._cookie = f"frontdesk-{port}"
        self._announce = announce

    def serve(self, debug: bool = False) -> None:
        # Viewers take the environment of this process.
        environment = with_secrets()
        os.environ.clear()
        os.environ.update(environment)
        super().serve(debug)

    def initialize_logging(self) -> None:
        """Log as this process does, but not that a viewer ended after the event loop."""
        logging.getLogger("asyncio").setLevel(logging.ERROR)

    async def on_startup(self, app: web.Application) -> None:
        app.middlewares.append(self._guard)
        app.on_response_prepare.append(_secure)
        app.router.add_static("/page", _PAGE)
        self._threads = {*threading.enumerate()}
        app.on_cleanup.append(self._viewers_ended)
        self._listening = asyncio.create_task(self._announce_listening())

    async def _announce_listening(self) -> None:
        """Call `announce` once a connection is accepted: textual-serve does not tell."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        while True:
            try:
                _, writer = await asyncio.open_connection(host, self.port)
            except OSError:
                await asyncio.sleep(0.01)
                continue
            writer.close()
            self._announce()
            return

    async def _viewers_ended(self, app: web.Application) -> None:
        """Wait until the event loop has been told that each viewer ended.

        textual-serve waits for the end of what a viewer writes. A loop that is closed before it is
        told complains on standard error.
        """
        while True:
            watching = {*threading.enumerate()} - self._threads
            if not (_has_children() or any(thread.daemon for thread in watching)):
                return
            await asyncio.sleep(0.01)

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


def _has_children() -> bool:
    """True while a child process is running or is not reaped, as far as the system says."""
    if not hasattr(os, "waitid"):
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _command(program: Sequence[str]) -> str:
    """Return a command of the shell, which is replaced by the viewer."""
    if sys.platform == "win32":
        return subprocess.list2cmdline(program)
    return f"exec {shlex.join(program)}"


async def _secure(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
