"""The process that makes the demo's files beside the viewer, as the viewer's process sees it."""

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
# The name of the sample in the cache.
ORIGIN = "sample"

_MAKER = "import gc; gc.disable(); from frontdesk.cli.demo_maker import main; main()"


class Rehearsal:
    """Files that are being made in a directory, and the process that makes them."""

    def __init__(self, directory: Path, maker: "subprocess.Popen[bytes]") -> None:
        self.database, self.cache = directory / DATABASE, directory / CACHE
        self._maker = maker

    def wait_for_first_page(self) -> None:
        """Wait until the cache has what the viewer opens with.

        Raises: UnusableFile: it never will.
        """
        assert self._maker.stdout is not None
        if not self._maker.stdout.readline():
            raise _failed()

    def wait_for_all(self) -> None:
        """Wait until the database has the whole sample.

        Raises: UnusableFile: it never will.
        """
        if self._maker.wait():
            raise _failed()

    def stop(self) -> None:
        """Make no more. Whoever waits is told that there will be nothing."""
        self._maker.kill()


def rehearse(ending: ExitStack) -> Rehearsal:
    """Begin to make the sample. Process and files go with `ending`."""
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
