"""`frontdesk demo`: the viewer on a built-in sample inbox.

A second process makes the sample and puts its first page into the viewer's cache, while this one
is busy with imports. The viewer opens on that page, and connects when all the rest is there.
"""

import gc
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from frontdesk.cli.commands import Command
from frontdesk.cli.rehearsal import ORIGIN, Rehearsal, rehearse

if TYPE_CHECKING:
    from frontdesk.client import InboxClient


@click.command("demo", cls=Command)
@click.pass_obj
def demo_command(rehearsal: Rehearsal | None) -> None:
    """Open the viewer on a built-in sample inbox: no server, no network, no set-up."""
    gc.disable()
    with ExitStack() as ending:
        _open(rehearsal or rehearse(ending), ending)


def _open(rehearsal: Rehearsal, ending: ExitStack) -> None:
    from frontdesk.cli.viewer import view

    rehearsal.wait_for_first_page()
    view(
        lambda: _connect(rehearsal, ending),
        rehearsal.cache,
        ORIGIN,
        title="demo",
        leaving=rehearsal.stop,
    )


def _connect(rehearsal: Rehearsal, ending: ExitStack) -> "InboxClient":
    """A client of the whole sample, as one of its agents."""
    from frontdesk.cli.in_process import as_sample_agent
    from frontdesk.store.sqlite import SQLiteDatabase

    rehearsal.wait_for_all()
    database = SQLiteDatabase(rehearsal.database, durable=False)
    ending.callback(database.close)
    return as_sample_agent(database, ending)
