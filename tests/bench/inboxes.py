"""Databases with a sample inbox, and servers of them."""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from unittest.mock import patch

from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.errors import BadSettings
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Person
from frontdesk.sample.bulk import DAY, Size
from frontdesk.sample.bulk_rows import fill
from frontdesk.service.api_keys import SCOPES
from frontdesk.store.database import Connection, Database, Row, first_number
from frontdesk.system.subprocess_environment import APP_SECRET_VARIABLE, VERIFY_TOKEN_VARIABLE
from frontdesk.wire.values import epoch_milliseconds
from tests.bench.measure import of_medians, seconds_in_turn
from tests.cli.servers import serving
from tests.ingest.event_helpers import inbound
from tests.service.webhook_receivers import SECRET, TOKEN
from tests.stores import postgres_server


def make_inbox(target: str, conversations: int) -> str:
    """Fill a new file or an empty database, ten messages a conversation; gives a key to it."""
    now = epoch_milliseconds()
    size = Size(conversations, 10 * conversations, 1, now - now % DAY)
    # There is one already.
    with suppress(BadSettings):
        fill(target, size, lambda more: None, lambda stage: None)
    return str(make_key(target, KeyOrder("default", "bench", None, SCOPES, None), now=0)["key"])


@contextmanager
def targets_of(database: str) -> Iterator[tuple[Path, list[str]]]:
    """A directory, and a database, or new ones of both engines."""
    with ExitStack() as ending:
        home = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="frontdesk-bench-")))
        targets = [database]
        if not database:
            server = ending.enter_context(postgres_server())
            targets = [str(home / "inbox.db"), ending.enter_context(server.database())]
        yield home, targets


def last_activity(connection: Connection) -> int:
    """When anything happened last."""
    return first_number(connection, "SELECT MAX(last_activity_at) FROM entry WHERE account_id = 1")


_THREAD = """
    SELECT channel.phone_number_id, contact.phone, contact.wa_id, contact.wa_user_id
    FROM conversation AS c
    JOIN channel ON channel.account_id = 1 AND channel.id = c.channel_id
    JOIN contact ON contact.account_id = 1 AND contact.id = c.contact_id
    WHERE c.account_id = 1 AND c.id = :id"""


class _Undone(Exception):
    """Ends a write so that nothing of it stays."""


def message_writes(
    database: Database, texts: Sequence[str], without: AbstractContextManager[object], *, keep: bool
) -> float:
    """Messages applied one at a time, as always and `without` something. keep: committed."""
    threads = database.read(partial(some, sql=_THREAD, random=Random(1), count=len(texts)))
    moments = count(database.read(last_activity) + 1)

    def write(number: int, around: AbstractContextManager[object]) -> None:
        thread, moment = threads[number % len(threads)], next(moments)
        person = Person(thread["phone"], thread["wa_id"], thread["wa_user_id"])
        members = {"channel": thread["phone_number_id"], "person": person, "text": texts[number]}
        event = inbound(moment, f"bench-{moment}", **members)

        def work(connection: Connection) -> None:
            apply_events(connection, 1, [event], now=moment)
            if not keep:
                raise _Undone

        with around, suppress(_Undone):
            database.write(work)

    works = {
        "with": partial(write, around=nullcontext()),
        "without": partial(write, around=without),
    }
    taken = seconds_in_turn(len(texts), works)
    return of_medians(taken["with"], taken["without"])


def some(connection: Connection, sql: str, random: Random, count: int) -> list[Row]:
    """What is selected of conversations with an `:id`, each by chance."""
    newest = first_number(connection, "SELECT MAX(id) FROM conversation WHERE account_id = 1")
    ids = [random.randint(1, newest) for _ in range(count)]
    return [row for id in ids if (row := connection.row(sql, {"id": id}))]


@contextmanager
def served(target: str, workers: int) -> "Iterator[tuple[subprocess.Popen[str], int]]":
    """`frontdesk serve` and its port; it is terminated at the end."""
    # All clients come from one address, as through a proxy: its share is not what is measured.
    options = ("--workers", str(workers), "--rate-limit", "0", "--proxy", "127.0.0.1")
    secrets = {APP_SECRET_VARIABLE: SECRET, VERIFY_TOKEN_VARIABLE: TOKEN}
    with patch.dict(os.environ, secrets), serving() as serve:
        process, address = serve("--database", target, *options)
        yield process, int(address.rpartition(":")[2])
