"""`frontdesk demo`: opens the viewer on a built-in sample inbox.

A second process generates the sample and puts its first page into the viewer's cache, while this
one imports. The viewer opens on that page, and connects when the sample is complete.
"""

import gc
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import frontdesk
from frontdesk.cli.base import command
from frontdesk.errors import UnusableFile
from frontdesk.system import subprocess_environment

if TYPE_CHECKING:
    from frontdesk.client import InboxClient
    from frontdesk.tui.preferences import Switch


DATABASE = "inbox.db"
CACHE = "pages.db"
MEDIA = "media"
# Cache origin of the sample.
ORIGIN = "sample"

_MAKER = "import gc; gc.disable(); from frontdesk.cli.demo_data import main; main()"


class DemoProcess:
    """Demo files under construction, and the process that generates them."""

    def __init__(self, directory: Path, maker: "subprocess.Popen[bytes]") -> None:
        self.database, self.cache = directory / DATABASE, directory / CACHE
        self.media = directory / MEDIA
        self._maker = maker
        self._is_complete = False

    def wait_for_first_page(self) -> None:
        """Wait until the viewer's first page is cached.

        Raises: UnusableFile: generation failed.
        """
        assert self._maker.stdout is not None
        if not self._maker.stdout.readline():
            raise _failed()

    def wait_for_all(self) -> None:
        """Wait until the database has the whole sample; its files may come later.

        Raises: UnusableFile: generation failed.
        """
        assert self._maker.stdout is not None
        self._is_complete = self._is_complete or bool(self._maker.stdout.readline())
        if not self._is_complete:
            raise _failed()

    def stop(self) -> None:
        """Kill the process; pending waits raise UnusableFile."""
        self._maker.kill()


def start_demo(resources: ExitStack) -> DemoProcess:
    """Start generating the sample; `resources` kills the process and deletes the files."""
    directory = resources.enter_context(tempfile.TemporaryDirectory(prefix="frontdesk-"))
    package = os.path.dirname(os.path.dirname(frontdesk.__file__))
    maker = subprocess.Popen(
        [sys.executable, "-c", _MAKER, directory],
        env={
            **subprocess_environment.allowed(),
            "PYTHONPATH": os.pathsep.join([package, *sys.path]),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    resources.enter_context(maker)
    resources.callback(maker.kill)
    return DemoProcess(Path(directory), maker)


def _failed() -> UnusableFile:
    return UnusableFile("The sample inbox could not be made")


@command("demo", "frontdesk demo", "NO_COLOR=1 frontdesk demo")
def demo_command() -> None:
    """Open the viewer on a built-in sample inbox.

    It needs no server, network or configuration.
    """
    open_demo()


def open_demo() -> None:
    """Open the viewer on the sample, then on profiles that the user switches to."""
    gc.disable()
    with ExitStack() as resources:
        switch = _open(start_demo(resources), resources)
    if switch is not None:
        from frontdesk.cli.first_frame_display import FirstFrameDisplay
        from frontdesk.cli.target import Target
        from frontdesk.cli.viewer import open_viewer

        open_viewer(Target(profile=switch.profile), FirstFrameDisplay())


def _open(demo: DemoProcess, resources: ExitStack) -> "Switch | None":
    from frontdesk.cli.config import configuration
    from frontdesk.cli.viewer import OpenedInbox, preferences_of, report_mistakes, view

    demo.wait_for_first_page()
    configured = configuration()
    preferences = preferences_of(configured, None, report_mistakes(configured))
    return view(
        OpenedInbox(lambda: _connect(demo, resources), ORIGIN, "demo"),
        demo.cache,
        preferences._replace(is_demo=True),
        leaving=demo.stop,
    )


def _connect(demo: DemoProcess, resources: ExitStack) -> "InboxClient":
    """Return a client of the complete sample, as one of its agents."""
    from frontdesk.cli.target import as_sample_agent
    from frontdesk.store.media_directory import MediaDirectory
    from frontdesk.store.sqlite import SQLiteDatabase

    demo.wait_for_all()
    database = SQLiteDatabase(demo.database, durable=False)
    resources.callback(database.close)
    files = MediaDirectory(demo.media, least_free_bytes=0)
    return as_sample_agent(database, resources, files)
