"""`frontdesk demo`: the viewer on a built-in sample inbox.

A second process makes the sample and puts its first page into the viewer's cache, while this one
is busy with imports. The viewer opens on that page, and connects when all the rest is there.
"""

import gc
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

import frontdesk
from frontdesk.cli.commands import Command
from frontdesk.cli.sample_files import CACHE, DATABASE, ORIGIN
from frontdesk.errors import UnusableFile

if TYPE_CHECKING:
    from frontdesk.client import InboxClient

_MAKER = "import gc; gc.disable(); from frontdesk.cli.sample import main; main()"
_FAILED = "The sample inbox could not be made"


@click.command("demo", cls=Command)
def demo_command() -> None:
    """Open the viewer on a built-in sample inbox: no server, no network, no set-up."""
    gc.disable()
    with ExitStack() as ending:
        directory = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="frontdesk-")))
        maker = ending.enter_context(_start_maker(directory))
        ending.callback(maker.kill)
        from frontdesk.cli.viewer import view

        _wait_for_first_page(maker)
        view(
            lambda: _connect(directory, maker, ending),
            directory / CACHE,
            ORIGIN,
            title="demo",
            leaving=maker.kill,
        )


def _start_maker(directory: Path) -> "subprocess.Popen[bytes]":
    package = str(Path(frontdesk.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-c", _MAKER, str(directory)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([package, *sys.path])},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _wait_for_first_page(maker: "subprocess.Popen[bytes]") -> None:
    """Raises: UnusableFile: there will be none."""
    assert maker.stdout is not None
    if not maker.stdout.readline():
        raise UnusableFile(_FAILED)


def _connect(directory: Path, maker: "subprocess.Popen[bytes]", ending: ExitStack) -> "InboxClient":
    """A client of the whole sample, as one of its agents; waits until it is there."""
    from frontdesk.cli.in_process import as_sample_agent
    from frontdesk.store.sqlite import SQLiteDatabase

    if maker.wait():
        raise UnusableFile(_FAILED)
    database = SQLiteDatabase(directory / DATABASE, durable=False)
    ending.callback(database.close)
    return as_sample_agent(database, ending)
