"""Controls the subprocess that generates the demo's files."""

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import frontdesk
from frontdesk import outside
from frontdesk.errors import UnusableFile

DATABASE = "inbox.db"
CACHE = "pages.db"
# Cache origin of the sample.
ORIGIN = "sample"

_MAKER = "import gc; gc.disable(); from frontdesk.cli.demo_maker import main; main()"


class Rehearsal:
    """Demo files under construction, and the process that generates them."""

    def __init__(self, directory: Path, maker: "subprocess.Popen[bytes]") -> None:
        self.database, self.cache = directory / DATABASE, directory / CACHE
        self._maker = maker

    def wait_for_first_page(self) -> None:
        """Wait until the viewer's first page is cached.

        Raises: UnusableFile: generation failed.
        """
        assert self._maker.stdout is not None
        if not self._maker.stdout.readline():
            raise _failed()

    def wait_for_all(self) -> None:
        """Wait until the database has the whole sample.

        Raises: UnusableFile: generation failed.
        """
        if self._maker.wait():
            raise _failed()

    def stop(self) -> None:
        """Kill the process; pending waits raise UnusableFile."""
        self._maker.kill()


def rehearse(ending: ExitStack) -> Rehearsal:
    """Start generating the sample; `ending` kills the process and deletes the files."""
    directory = ending.enter_context(tempfile.TemporaryDirectory(prefix="frontdesk-"))
    package = os.path.dirname(os.path.dirname(frontdesk.__file__))
    maker = subprocess.Popen(
        [sys.executable, "-c", _MAKER, directory],
        env={**outside.environment(), "PYTHONPATH": os.pathsep.join([package, *sys.path])},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    ending.enter_context(maker)
    ending.callback(maker.kill)
    return Rehearsal(Path(directory), maker)


def _failed() -> UnusableFile:
    return UnusableFile("The sample inbox could not be made")
