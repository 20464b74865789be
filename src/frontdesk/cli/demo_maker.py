"""Makes what the demo shows, in a process of its own beside the viewer."""

import asyncio
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from frontdesk.cache import Cache
from frontdesk.cli.in_process import as_sample_agent
from frontdesk.cli.rehearsal import CACHE, DATABASE, ORIGIN
from frontdesk.mailbox import Mailbox
from frontdesk.sample.database import add_demo
from frontdesk.store.database import Database
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.wire import ConversationFilter


def main() -> None:
    """Make the files of the demo in the directory that the command line names.

    Prints a line as soon as the viewer has something to show, and ends when all is there.
    """
    _make(Path(sys.argv[1]), now=time.time_ns() // 1_000_000)


def _make(directory: Path, *, now: int) -> None:
    database = SQLiteDatabase(directory / DATABASE, create=True, durable=False)
    try:
        slices = add_demo(database, now=now)
        next(slices)
        asyncio.run(_look(database, directory / CACHE))
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        for _ in slices:
            pass
    finally:
        database.close()


async def _look(database: Database, cache_file: Path) -> None:
    """Ask for what the viewer opens with, so that its first paint shows it.

    Counts are not asked for: they would be those of a part of the sample.
    """
    with ExitStack() as ending:
        cache = Cache(cache_file, ORIGIN)
        ending.callback(cache.close)
        mailbox = Mailbox(lambda: as_sample_agent(database, ending), cache)
        await mailbox.connect()
        await mailbox.refresh_conversations(ConversationFilter(status="open"))
        await mailbox.close()
