"""A primary and a standby: reads and writes survive the failure of either."""

import threading
from collections.abc import Iterator

import httpx
import psycopg
import pytest
from tests.patience import HANG_SECONDS
from tests.postgres_pair import Pair, running_pair
from tests.postgres_servers import Servers, server_directory

from frontdesk.errors import Unreachable
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import (
    Author,
    ConversationEvent,
    DomainEvent,
    MessageUpsert,
    Person,
)
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import create_app
from frontdesk.store.counters import counters, misplaced_entries, recount
from frontdesk.store.database import Connection
from frontdesk.store.postgres import PostgresDatabase

pytestmark = [pytest.mark.postgres, pytest.mark.slow]

NOW = 1_773_480_600_000


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with server_directory() as servers:
        yield servers


@pytest.fixture
def pair(servers: Servers) -> Iterator[Pair]:
    with running_pair(servers) as pair:
        yield pair


@pytest.fixture
def database(pair: Pair) -> Iterator[PostgresDatabase]:
    database = PostgresDatabase(pair.address)
    yield database
    database.close()


def message(number: int) -> MessageUpsert:
    person = Person(phone=f"+1650555{number % 7:04}")
    author = Author("contact")
    return MessageUpsert("101", person, f"w{number}", number, False, author, "text", "webhook")


def store_events(database: PostgresDatabase, *events: DomainEvent) -> None:
    database.write(lambda connection: apply_events(connection, 1, events, now=NOW))


def wamids(connection: Connection) -> set[str]:
    return {row["wamid"] for row in connection.rows("SELECT wamid FROM message")}


def follows(connection: Connection) -> bool:
    row = connection.row("SELECT pg_is_in_recovery() AS follows")
    return bool(row is not None and row["follows"])


def test_reads_go_to_the_standby_and_writes_to_the_primary(database: PostgresDatabase) -> None:
    assert database.read(follows)
    assert not database.write(follows)
    store_events(database, message(1))
    assert database.read(wamids) == {"w1"}


def test_a_standby_that_dies_fails_no_read(pair: Pair, database: PostgresDatabase) -> None:
    store_events(database, *map(message, range(50)))
    warm = threading.Barrier(4, timeout=HANG_SECONDS)
    counted: list[int] = []
    followed: list[bool] = []

    def read_on() -> None:
        followed.append(database.read(follows))
        for number in range(400):
            if number == 20:
                warm.wait()
            counted.append(len(database.read(wamids)))

    readers = [threading.Thread(target=read_on) for _ in range(3)]
    for reader in readers:
        reader.start()
    warm.wait()
    pair.standby.kill()
    for reader in readers:
        reader.join()
    assert followed == [True] * 3
    assert counted == [50] * 1200
    assert not database.read(follows)


def test_nothing_acknowledged_is_lost_with_the_primary(
    pair: Pair, database: PostgresDatabase
) -> None:
    acknowledged: list[str] = []
    begun = threading.Event()

    def write_on(start: int) -> None:
        for number in range(start, 100_000, 3):
            try:
                store_events(database, message(number))
            except Unreachable:
                return
            acknowledged.append(f"w{number}")
            if len(acknowledged) > 30:
                begun.set()

    writers = [threading.Thread(target=write_on, args=(start,)) for start in range(3)]
    for writer in writers:
        writer.start()
    begun.wait()
    pair.primary.kill()
    for writer in writers:
        writer.join()
    assert database.read(wamids) >= set(acknowledged)
    # However long nothing can be written, the next write after that is not refused.
    for _ in range(3):
        with pytest.raises(Unreachable):
            store_events(database, message(200_000))
    with psycopg.connect(pair.standby.address(), autocommit=True) as session:
        session.execute("ALTER SYSTEM RESET synchronous_standby_names")
    pair.standby.promote()
    assert database.read(wamids) >= set(acknowledged)
    store_events(database, message(200_000))
    assert database.read(lambda c: counters(c, 1) == recount(c, 1))
    assert not database.read(lambda c: misplaced_entries(c, 1))


async def test_a_standby_alone_answers_and_is_not_written_to(
    pair: Pair, database: PostgresDatabase
) -> None:
    who = message(1).person
    snooze = ConversationEvent("101", who, "s", NOW - 2000, "snoozed", {"until": NOW - 1000})
    store_events(database, message(1), snooze)
    alone = PostgresDatabase(pair.standby.address())
    key, guest = new_ephemeral_key(1)
    app = create_app(alone, ephemeral_keys=[guest], clock=lambda: NOW)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url="http://inbox",
        headers={"Authorization": f"Bearer {key}"},
    ) as client:
        counts = (await client.get("/v1/conversations/counts")).json()
        page = (await client.get("/v1/conversations?status=open")).json()
    app.close()
    assert (counts["open"], counts["snoozed"]) == (1, 0)
    assert [row["snoozed_until"] for row in page["data"]] == [None]
    stored = alone.read(lambda c: c.row("SELECT status FROM conversation"))
    alone.close()
    assert stored is not None
    assert stored["status"] == 1


def test_an_address_of_a_standby_alone_takes_no_writes(
    pair: Pair, database: PostgresDatabase
) -> None:
    alone = PostgresDatabase(pair.standby.address())
    with pytest.raises(Unreachable, match="takes no writes now"):
        store_events(alone, message(1))
    alone.close()
