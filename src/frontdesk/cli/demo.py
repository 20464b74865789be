"""`frontdesk demo`: opens the viewer on a built-in sample inbox.

A second process generates the sample and puts its first page into the viewer's cache, while this
one imports. The viewer opens on that page, and connects when the sample is complete.
"""

import gc
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from frontdesk.cli.commands import Command
from frontdesk.cli.rehearsal import ORIGIN, Rehearsal, rehearse

if TYPE_CHECKING:
    from frontdesk.client import InboxClient
    from frontdesk.tui.preferences import Switch


@click.command("demo", cls=Command)
def demo_command() -> None:
    """Open the viewer on a built-in sample inbox: no server, no network, no set-up."""
    open_demo()


def open_demo() -> None:
    """Open the viewer on the sample, then on profiles that the user switches to."""
    gc.disable()
    with ExitStack() as ending:
        switch = _open(rehearse(ending), ending)
    if switch is not None:
        from frontdesk.cli.beginning import Beginning
        from frontdesk.cli.places import Place
        from frontdesk.cli.viewer import open_viewer

        open_viewer(Place(profile=switch.profile), Beginning())


def _open(rehearsal: Rehearsal, ending: ExitStack) -> "Switch | None":
    from frontdesk.cli.config import configuration
    from frontdesk.cli.viewer import Inbox, preferences_of, told_mistakes, view

    rehearsal.wait_for_first_page()
    configured = configuration()
    return view(
        Inbox(lambda: _connect(rehearsal, ending), ORIGIN, "demo"),
        rehearsal.cache,
        configured.look,
        preferences_of(configured, None, told_mistakes(configured)),
        leaving=rehearsal.stop,
    )


def _connect(rehearsal: Rehearsal, ending: ExitStack) -> "InboxClient":
    """Return a client of the complete sample, as one of its agents."""
    from frontdesk.cli.in_process import as_sample_agent
    from frontdesk.store.sqlite import SQLiteDatabase

    rehearsal.wait_for_all()
    database = SQLiteDatabase(rehearsal.database, durable=False)
    ending.callback(database.close)
    return as_sample_agent(database, ending)
