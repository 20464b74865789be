"""A viewer in a process of its own, which draws on a page and reads its keys."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from typing import Any

from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

# What the viewer's driver says before its first packet.
_GREETING = b"__GANGLION__\n"


class BrowserViewer(AppService):
    """One page's viewer; `program` is what is started, with this process's environment.

    No shell is involved. What the viewer says on standard error appears on this one's.
    """

    def __init__(
        self,
        program: Sequence[str],
        *,
        download_manager: DownloadManager,
        patience_seconds: float = 5.0,
        **connection: Any,
    ) -> None:
        super().__init__("", download_manager=download_manager, **connection)
        self._program = program
        self._downloads = download_manager
        self._patience_seconds = patience_seconds
        self._stopping = asyncio.Lock()
        self.process: Process | None = None
        self._reading: asyncio.Task[None] | None = None

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """Where the viewer reads packets."""
        assert self.process is not None
        assert self.process.stdin is not None
        return self.process.stdin

    async def start(self, width: int, height: int) -> None:
        """Start the viewer for a page of this size in cells."""
        # A session of its own: Ctrl-C in the terminal is for the server, which ends its viewers.
        self.process = await asyncio.create_subprocess_exec(
            *self._program,
            stdin=PIPE,
            stdout=PIPE,
            env=_environment(width, height),
            start_new_session=True,
        )
        self._reading = asyncio.create_task(self.run())

    async def stop(self) -> None:
        """End the viewer: it is asked, then killed."""
        process = self.process
        if process is None:
            return
        # A page that is left and a server that ends may both want that at once.
        async with self._stopping:
            try:
                with suppress(TimeoutError, ConnectionError):
                    async with asyncio.timeout(self._patience_seconds):
                        await self._ask_to_quit()
                        await process.wait()
            finally:
                if process.returncode is None:
                    _kill(process)
            await process.wait()

    async def _ask_to_quit(self) -> None:
        reading, self._reading = self._reading, None
        if reading is not None:
            await self._downloads.cancel_app_downloads(app_service_id=self.app_service_id)
            await self.send_meta({"type": "quit"})
            await reading

    async def run(self) -> None:
        """Hand on what the viewer draws until it ends, then close the page's connection."""
        assert self.process is not None
        stdout = self.process.stdout
        assert stdout is not None
        try:
            while (line := await stdout.readline()) and line != _GREETING:
                pass
            while True:
                await self._hand_on(stdout)
        except asyncio.IncompleteReadError:
            with suppress(ConnectionError):
                await self.remote_close()
        except ConnectionError:
            # The page is gone. What the viewer still draws is read, so that it can end.
            while await stdout.read(65536):
                pass

    async def _hand_on(self, stdout: asyncio.StreamReader) -> None:
        kind = await stdout.readexactly(1)
        size = int.from_bytes(await stdout.readexactly(4), "big")
        payload = await stdout.readexactly(size)
        if kind == b"D":
            await self.on_data(payload)
        elif kind == b"M":
            await self.on_meta(payload)
        elif kind == b"P":
            await self.on_packed(payload)


def _environment(width: int, height: int) -> dict[str, str]:
    """The environment in which Textual draws on a page, as its web driver documents it."""
    return {
        **os.environ,
        "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver",
        "TEXTUAL_FPS": "60",
        "TEXTUAL_COLOR_SYSTEM": "truecolor",
        "TERM_PROGRAM": "textual",
        "TERM_PROGRAM_VERSION": version("textual-serve"),
        "COLUMNS": str(width),
        "ROWS": str(height),
    }


def _kill(process: Process) -> None:
    """Kill a viewer and what it runs, such as a command that writes its key."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
