"""Generates the demo's database and cache in a subprocess."""

import asyncio
import sys
from contextlib import ExitStack
from pathlib import Path

from frontdesk.cache import Cache
from frontdesk.cli.commands.demo import CACHE, DATABASE, MEDIA, ORIGIN
from frontdesk.cli.target import as_sample_agent
from frontdesk.mailbox import Mailbox
from frontdesk.pictures import PictureDecoder
from frontdesk.sample.demo import add_demo, set_demo_hours
from frontdesk.sample.demo_files import add_demo_files
from frontdesk.store.database import Database
from frontdesk.store.media_directory import MediaDirectory
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.wire import ConversationFilter
from frontdesk.wire.values import epoch_milliseconds


def main() -> None:
    """Generate the demo's files in the directory given on the command line.

    Prints a line when the first page is cached, and one when all messages are there; exits when
    their files are too.
    """
    _make(Path(sys.argv[1]), now=epoch_milliseconds())


def _make(directory: Path, *, now: int) -> None:
    database = SQLiteDatabase(directory / DATABASE, create=True, durable=False)
    try:
        set_demo_hours(database)
        slices = add_demo(database, now=now)
        next(slices)
        asyncio.run(_look(database, directory / CACHE))
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        for _ in slices:
            pass
        sys.stdout.write("complete\n")
        sys.stdout.flush()
        # The viewer reads already; files come while it does.
        with PictureDecoder() as decoder:
            files = MediaDirectory(directory / MEDIA, least_free_bytes=0)
            add_demo_files(database, files, decoder, now)
    finally:
        database.close()


async def _look(database: Database, cache_file: Path) -> None:
    """Cache the conversations of the viewer's first screen, and who "me" is.

    Counts are left out: those of a partial sample would be wrong.
    """
    with ExitStack() as resources:
        cache = Cache(cache_file, ORIGIN)
        resources.callback(cache.close)
        mailbox = Mailbox(lambda: as_sample_agent(database, resources), cache)
        await mailbox.connect()
        await mailbox.refresh_conversations(ConversationFilter(status="open"))
        await mailbox.find_me()
        await mailbox.close()
