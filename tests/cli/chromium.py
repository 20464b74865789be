"""A headless Chromium, steered over its DevTools protocol, that shows one page with a terminal."""

import asyncio
import base64
import itertools
import os
import re
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pyte
from tests.patience import HANG_SECONDS

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
    "--window-size=1200,800",
)
# Questions that a pseudo-terminal may ask, which the emulator does not know.
_UNKNOWN = re.compile(r"\x1b\[\??[0-9;]*\$p|\x1b\[[<>=][0-9;]*[a-z]")


class Page:
    """The page of a tab: its requests, and the data for its terminal."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.asked: list[str] = []
        self.faults: list[str] = []
        self.sockets_closed = 0
        self.downloads: list[str] = []
        self.changed = asyncio.Event()
        self._socket = socket
        self._session: str | None = None
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)

    @property
    def words(self) -> str:
        """What the terminal shows, a line for each of its own."""
        return "\n".join(self._screen.display)

    async def until(self, wanted: Callable[[], bool]) -> None:
        """Wait for what is wanted; the screen is in the failure."""
        try:
            async with asyncio.timeout(HANG_SECONDS):
                while not wanted():
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            raise AssertionError(f"{self.faults}\n{self.words}") from None

    async def command(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What Chromium answers to a command of its protocol."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json(message)
        async with asyncio.timeout(HANG_SECONDS):
            return await self._answers[number]

    async def attach(self) -> None:
        """Make the tab, and hear of all that it does."""
        target = await self.command("Target.createTarget", url="about:blank")
        attached = await self.command(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True
        )
        self._session = attached["sessionId"]
        for domain in ("Network", "Page", "Runtime", "Log"):
            await self.command(f"{domain}.enable")

    async def press(self, key: str) -> None:
        """A key, as a keyboard has it: a letter, or Enter."""
        text, code = ("\r", 13) if key == "Enter" else (key, ord(key.upper()))
        described = {"key": key, "text": text, "windowsVirtualKeyCode": code}
        await self.command("Input.dispatchKeyEvent", type="keyDown", **described)
        await self.command("Input.dispatchKeyEvent", type="keyUp", **described)

    async def picture(self) -> bytes:
        """The page as a PNG."""
        return base64.b64decode((await self.command("Page.captureScreenshot"))["data"])

    async def value(self, expression: str) -> Any:
        """What a script gives in the page; it may be a promise."""
        answer = await self.command(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        return answer["result"].get("value")

    async def listen(self) -> None:
        """Take in what Chromium says, until it is gone."""
        async for message in self._socket:
            said = message.json()
            if "id" in said:
                answer = self._answers.pop(said["id"])
                if "error" in said:
                    answer.set_exception(AssertionError(said["error"]))
                else:
                    answer.set_result(said["result"])
            else:
                self._hear(said["method"], said["params"])
            self.changed.set()

    def _hear(self, method: str, log: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.asked.append(log["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.asked.append(log["url"])
            size = parse_qs(urlsplit(log["url"]).query)
            self._screen.resize(int(size["height"][0]), int(size["width"][0]))
        elif method == "Network.webSocketFrameReceived" and log["response"]["opcode"] == 2:
            drawn = base64.b64decode(log["response"]["payloadData"]).decode()
            self._stream.feed(_UNKNOWN.sub("", drawn).encode())
        elif method == "Network.webSocketClosed":
            self.sockets_closed += 1
        elif method == "Page.downloadProgress" and log["state"] != "inProgress":
            self.downloads.append(log["state"])
        elif method == "Log.entryAdded" and log["entry"]["level"] == "error":
            self.faults.append(f"{log['entry']['text']} {log['entry'].get('url', '')}")
        elif method == "Runtime.exceptionThrown":
            self.faults.append(str(log["exceptionDetails"]))


@asynccontextmanager
async def chromium(directory: Path) -> AsyncIterator[Page]:
    """A tab of a new Chromium, whose files are in a directory; it ends with it."""
    assert PROGRAM
    process = await asyncio.create_subprocess_exec(
        PROGRAM,
        *_OPTIONS,
        f"--user-data-dir={directory}",
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=PIPE,
        env={**os.environ, "HOME": str(directory)},
    )
    try:
        async with aiohttp.ClientSession() as session:
            address = await _address(process)
            async with session.ws_connect(address, max_msg_size=0) as socket:
                page = Page(socket)
                listening = asyncio.create_task(page.listen())
                await page.attach()
                yield page
                await socket.close()
                await listening
    finally:
        process.terminate()
        await process.communicate()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    said = b""
    async with asyncio.timeout(HANG_SECONDS):
        while line := await process.stderr.readline():
            said += line
            if found := re.match(rb"DevTools listening on (ws://\S+)", line):
                return found[1].decode()
    raise AssertionError(f"Chromium did not start: {said.decode(errors='replace')}")


def as_text(picture: bytes) -> str:
    """A picture as an address of its data has it."""
    return base64.b64encode(picture).decode()
