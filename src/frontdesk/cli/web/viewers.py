"""Viewer subprocess that is displayed on a page, and the browser that opens the page.

The secret link is passed to the browser in a private file instead of on a command line.
"""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from html import escape
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from frontdesk.system import private_files
from frontdesk.system.subprocess_environment import with_secrets
from frontdesk.tui.clipboard import open_outside

# First output of the viewer's web driver.
_GREETING = b"__GANGLION__\n"


class BrowserViewer(AppService):
    """Viewer of one page. `program` is run with this process's environment, without a shell.

    Its standard error is that of this process.
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
        assert self.process is not None
        assert self.process.stdin is not None
        return self.process.stdin

    async def start(self, width: int, height: int) -> None:
        """Start the viewer for a page of this size in cells."""
        # Own session: Ctrl-C in the terminal reaches only the server, which stops its viewers.
        self.process = await asyncio.create_subprocess_exec(
            *self._program,
            stdin=PIPE,
            stdout=PIPE,
            env=_environment(width, height),
            start_new_session=True,
        )
        self._reading = asyncio.create_task(self.run())

    async def stop(self) -> None:
        """Ask the viewer to quit, then kill it after `patience_seconds`."""
        process = self.process
        if process is None:
            return
        # A closed page and a stopping server may both call this at once.
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
        """Forward the viewer's output until it ends, then close the connection."""
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
            # The page is closed. Drain the output, so that the viewer can exit.
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
    """Return the environment for Textual's web driver, as documented there."""
    return {
        **with_secrets(),
        "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver",
        "TEXTUAL_FPS": "60",
        "TEXTUAL_COLOR_SYSTEM": "truecolor",
        "TERM_PROGRAM": "textual",
        "TERM_PROGRAM_VERSION": version("textual-serve"),
        "COLUMNS": str(width),
        "ROWS": str(height),
    }


def _kill(process: Process) -> None:
    """Kill a viewer and its child processes, such as a key command."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>frontdesk</title>
<a href="{link}">frontdesk</a>
"""


@contextmanager
def opener() -> Iterator[Callable[[str], bool]]:
    """Yield a function that opens a link in the default browser, False if it cannot.

    Its file is deleted at the end. Raises: UnusableFile: the file cannot be written.
    """
    with TemporaryDirectory(prefix="frontdesk-", ignore_cleanup_errors=True) as directory:

        def open_link(link: str) -> bool:
            page = Path(directory) / "open.html"
            private_files.save_text(page, _PAGE.format(link=escape(link)))
            return open_outside(page.as_uri())

        yield open_link
