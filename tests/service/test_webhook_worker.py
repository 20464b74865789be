"""What the service does unasked: it applies what came, and what time brings."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.patience import HANG_SECONDS
from tests.stores import bytes_of, without_secure_delete

from frontdesk.errors import Unreachable
from frontdesk.ingest.admission import Admission
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import Author, ConversationEvent, MessageUpsert, Person
from frontdesk.ingest.idle_conversations import IdleLimit
from frontdesk.ingest.webhooks.retention import DAY
from frontdesk.service.webhooks import worker as worker_module
from frontdesk.service.webhooks.worker import BackgroundWorker, WorkerSettings
from frontdesk.store import media, raw_events
from frontdesk.store.accounts import add_account
from frontdesk.store.database import Connection, Database
from frontdesk.store.expiry import keep_messages
from frontdesk.store.media import MediaRequest
from frontdesk.store.raw_events import ReceivedBody
from frontdesk.store.rows import RESOLVED
from frontdesk.store.sqlite import SQLiteDatabase

NOW = 1_773_480_600_000
HOUR = 60 * 60 * 1000


def body(*wamids: str) -> bytes:
    metadata = {"display_phone_number": "15550001111", "phone_number_id": "101"}
    messages = [
        {
            "from": "16505551234",
            "id": wamid,
            "timestamp": str(NOW // 1000 - 100),
            "type": "text",
            "text": {"body": "hello"},
        }
        for wamid in wamids
    ]
    value = {"metadata": metadata, "messages": messages}
    changes = [{"field": "messages", "value": value}]
    entry = [{"id": "1", "changes": changes}]
    return json.dumps({"object": "whatsapp_business_account", "entry": entry}).encode()


def arrive(database: Database, *bodies: bytes, account_id: int = 1, at: int = NOW) -> None:
    def keep(connection: Connection) -> None:
        for one in bodies:
            raw_events.keep(connection, ReceivedBody(account_id, one, at))

    database.write(keep)


def states(database: Database, account_id: int = 1) -> dict[str, int]:
    rows = database.read(lambda connection: raw_events.tallies(connection, account_id))
    return {row["state"]: row["n"] for row in rows}


class Watched:
    """A database that signals the end of each transaction, and can refuse writes.

    between: called after each of them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.between: Callable[[], None] = lambda: None
        self._ended = threading.Condition()
        self.shut = False
        self.refusals = 0

    def read(self, work):
        return self._database.read(work)

    read_latest = read

    def write(self, work):
        with self._ended:
            if self.shut:
                self.refusals += 1
                self._ended.notify_all()
                raise Unreachable("The database takes no writes now")
        result = self._database.write(work)
        self.between()
        with self._ended:
            self._ended.notify_all()
        return result

    def truncate_log(self, *, patience_seconds: float = 0.0) -> bool:
        return self._database.truncate_log(patience_seconds=patience_seconds)

    def close(self) -> None:
        pass

    def wait_for(self, holds: Callable[[], bool]) -> None:
        with self._ended:
            assert self._ended.wait_for(holds, HANG_SECONDS), "It did not come true in time"


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def watched(database: Database) -> Watched:
    return Watched(database)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def worker(watched: Watched, clock: Clock) -> Iterator[BackgroundWorker]:
    worker = BackgroundWorker(watched, clock, WorkerSettings())
    yield worker
    worker.close()


def test_pending_webhooks_are_applied_at_start_and_new_ones_on_notify(
    worker: BackgroundWorker, watched: Watched, database: Database, monkeypatch: pytest.MonkeyPatch
):
    # It does not look by itself meanwhile.
    monkeypatch.setattr(worker_module, "TICK_SECONDS", 3_600.0)
    arrive(database, body("w1"))
    worker.start()
    watched.wait_for(lambda: states(database) == {"applied": 1})
    arrive(database, body("w2"))
    worker.notify()
    watched.wait_for(lambda: states(database) == {"applied": 2})


def test_webhooks_stored_by_another_process_are_applied_without_a_notification(
    worker: BackgroundWorker, watched: Watched, database: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(worker_module, "TICK_SECONDS", 0.01)
    worker.start()
    arrive(database, body("w1"))
    watched.wait_for(lambda: states(database) == {"applied": 1})


def test_every_account_has_its_turn(worker: BackgroundWorker, database: Database):
    shop = database.write(lambda connection: add_account(connection, "shop", "Shop", NOW))
    arrive(database, body("w1"))
    arrive(database, body("w1"), account_id=shop)
    worker.run_once()
    assert states(database, 1) == states(database, shop) == {"applied": 1}


def snoozed_until(database: Database) -> list[int | None]:
    rows = database.read(lambda connection: connection.rows("SELECT * FROM conversation"))
    return [row["snoozed_until"] for row in rows]


def test_a_snooze_that_is_over_is_written_down(
    worker: BackgroundWorker, clock: Clock, database: Database
):
    arrive(database, body("w1"))
    worker.run_once()
    until = NOW + 60_000
    snooze = ConversationEvent("101", Person("+16505551234"), "s", NOW, "snoozed", {"until": until})
    database.write(lambda connection: apply_events(connection, 1, [snooze], now=NOW))
    clock.now = until - 1
    worker.run_once()
    assert snoozed_until(database) == [until]
    clock.now = until + 10_000
    worker.run_once()
    assert snoozed_until(database) == [None]


def statuses(database: Database) -> dict[str, int]:
    rows = database.read(
        lambda connection: connection.rows(
            """
            SELECT contact.phone, conversation.status FROM conversation JOIN contact
              ON contact.account_id = conversation.account_id AND contact.id = contact_id
            """
        )
    )
    return {row["phone"]: row["status"] for row in rows}


def said(wamid: str, phone: str, at: int, author: str, *, live: bool = True) -> MessageUpsert:
    outbound = author != "contact"
    source = "webhook"
    return MessageUpsert(
        "101", Person(phone), wamid, at, outbound, Author(author), "text", source, live=live
    )


@pytest.mark.parametrize(
    ("except_waiting", "resolved"), [(False, {"+15550001", "+15550002"}), (True, {"+15550002"})]
)
def test_idle_conversations_are_resolved_when_configured(
    watched: Watched, clock: Clock, database: Database, except_waiting: bool, resolved: set[str]
):
    events = [
        said("w1", "+15550001", NOW - DAY - 1, "contact"),
        said("w2", "+15550002", NOW - DAY - 2, "contact"),
        said("w3", "+15550002", NOW - DAY - 1, "user"),
        said("w4", "+15550003", NOW - DAY, "user"),
        said("w5", "+15550004", NOW - 2 * DAY, "user", live=False),
    ]
    database.write(lambda connection: apply_events(connection, 1, events, now=NOW))
    settings = WorkerSettings(idle_limit=IdleLimit(DAY, except_waiting=except_waiting))
    worker = BackgroundWorker(watched, clock, settings)
    worker.run_once()
    assert {phone for phone, status in statuses(database).items() if status == RESOLVED} == resolved
    assert database.read(lambda connection: list(differences(connection, 1))) == []
    watched.shut = True
    BackgroundWorker(watched, lambda: NOW, settings).run_once()
    assert watched.refusals == 0


def test_old_webhooks_are_deleted_at_the_retention_interval(
    worker: BackgroundWorker, clock: Clock, database: Database
):
    arrive(database, body("w1"), at=NOW)
    worker.run_once()
    clock.now = NOW + 30 * DAY
    worker.run_once()
    assert states(database) == {"applied": 1}
    for _ in range(24):
        clock.now += HOUR
        worker.run_once()
        assert states(database) == {"applied": 1}
    clock.now += HOUR
    worker.run_once()
    assert states(database) == {}
    arrive(database, body("w2"), at=NOW)
    clock.now += DAY
    worker.run_once()
    assert states(database) == {}


def test_contents_of_messages_that_an_account_does_not_keep_are_removed(
    worker: BackgroundWorker, clock: Clock, database: Database
):
    old = said("old", "+16505551234", NOW - 40 * DAY, "contact")
    database.write(lambda connection: apply_events(connection, 1, [old], now=NOW))
    database.write(lambda connection: keep_messages(connection, 1, 30))

    def text() -> Any:
        (row,) = database.read(lambda connection: connection.rows("SELECT text FROM message"))
        return row["text"]

    before = text()
    worker.run_once()
    assert text() == before
    clock.now += DAY
    worker.run_once()
    assert text() is None


def test_a_clock_that_jumps_forward_deletes_nothing_and_may_be_put_right(
    worker: BackgroundWorker, clock: Clock, database: Database
):
    for day in range(3):
        # Its age is such that the clock is looked at every day.
        arrive(database, body(f"old{day}"), at=NOW - 60 * DAY)
        clock.now = NOW + day * DAY
        worker.run_once()
    assert states(database) == {}
    arrive(database, body("w1"), at=NOW)
    clock.now = NOW + 100 * DAY
    worker.run_once()
    clock.now += 23 * HOUR
    worker.run_once()
    assert states(database) == {"applied": 1}
    clock.now = NOW + 3 * DAY
    worker.run_once()
    clock.now += 2 * DAY
    worker.run_once()
    assert states(database) == {"applied": 1}


def test_what_is_due_is_done_after_a_clock_went_back_too(
    worker: BackgroundWorker, clock: Clock, database: Database
):
    clock.now = NOW + 100 * DAY
    worker.run_once()
    clock.now = NOW
    snooze = ConversationEvent(
        "101", Person("+16505551234"), "s", NOW - 9, "snoozed", {"until": NOW - 5}
    )
    database.write(lambda connection: apply_events(connection, 1, [snooze], now=NOW))
    worker.run_once()
    assert snoozed_until(database) == [None]


def test_where_nothing_is_due_nothing_is_written(
    worker: BackgroundWorker, clock: Clock, watched: Watched, database: Database
):
    arrive(database, body("w1"))
    worker.run_once()
    watched.shut = True
    clock.now += DAY
    worker.run_once()
    assert watched.refusals == 0


def test_it_waits_where_no_writes_are_taken_and_goes_on_where_they_are(
    worker: BackgroundWorker, watched: Watched, database: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(worker_module, "TICK_SECONDS", 0.01)
    arrive(database, body("w1"))
    watched.shut = True
    worker.start()
    watched.wait_for(lambda: watched.refusals > 2)
    assert states(database) == {"stored": 1}
    watched.shut = False
    watched.wait_for(lambda: states(database) == {"applied": 1})


def test_readers_are_answered_between_the_steps_of_a_burst(
    clock: Clock, watched: Watched, database: Database
):
    arrive(database, body(*(f"w{number}" for number in range(1000))))
    seen: list[int] = []

    def look(connection: Connection) -> int:
        row = connection.row("SELECT COUNT(*) AS n FROM message")
        assert row is not None
        return int(row["n"])

    def read() -> None:
        """Read in a thread of its own, and wait until it is answered."""
        reader = threading.Thread(target=lambda: seen.append(database.read(look)))
        reader.start()
        reader.join()

    watched.between = read
    BackgroundWorker(watched, clock, WorkerSettings()).run_once()
    assert states(database) == {"applied": 1}
    assert any(0 < count < 1000 for count in seen)
    assert seen == sorted(seen)


def test_a_revoked_text_is_in_no_file_of_the_database_once_nobody_reads_it(tmp_path: Path):
    path = tmp_path / "inbox.db"
    with without_secure_delete():
        database, reader = SQLiteDatabase(path, create=True), SQLiteDatabase(path)
    worker = BackgroundWorker(database, Clock(), WorkerSettings())
    arrive(database, body("w1").replace(b"hello", b"take me back"), body("w2"))
    worker.run_once()
    assert b"take me back" in bytes_of(path)

    def revoke_meanwhile(connection: Connection) -> None:
        connection.row("SELECT 1 AS one FROM message")
        webhook = json.loads(body("w3"))
        (message,) = webhook["entry"][0]["changes"][0]["value"]["messages"]
        message |= {"type": "revoke", "revoke": {"original_message_id": "w1"}}
        arrive(database, json.dumps(webhook).encode(), at=NOW + 1)
        worker.run_once()

    reader.read(revoke_meanwhile)
    assert b"take me back" in bytes_of(path)
    worker.run_once()
    assert b"take me back" not in bytes_of(path)
    assert b"hello" in bytes_of(path)
    for one in (database, reader):
        one.close()


def snooze_until(database: Database, until: int, key: str) -> None:
    event = ConversationEvent("101", Person("+16505551234"), key, NOW, "snoozed", {"until": until})
    database.write(lambda connection: apply_events(connection, 1, [event], now=NOW))


def test_ends_of_snoozes_are_looked_for_every_ten_seconds(
    worker: BackgroundWorker, clock: Clock, database: Database
):
    worker.run_once()
    snooze_until(database, NOW + 1, "s")
    clock.now = NOW + 9_999
    worker.run_once()
    assert snoozed_until(database) == [NOW + 1]
    clock.now = NOW + 10_000
    worker.run_once()
    assert snoozed_until(database) == [None]


def test_idle_conversations_are_looked_for_every_minute(
    watched: Watched, clock: Clock, database: Database
):
    worker = BackgroundWorker(watched, clock, WorkerSettings(idle_limit=IdleLimit(DAY)))
    worker.run_once()
    event = said("w1", "+15550001", NOW - 2 * DAY, "contact")
    database.write(lambda connection: apply_events(connection, 1, [event], now=NOW))
    clock.now = NOW + 59_999
    worker.run_once()
    assert statuses(database) != {"+15550001": RESOLVED}
    clock.now = NOW + 60_000
    worker.run_once()
    assert statuses(database) == {"+15550001": RESOLVED}


def test_files_are_looked_for_every_ten_minutes(watched: Watched, clock: Clock, database: Database):
    worker = BackgroundWorker(watched, clock, WorkerSettings())
    worker.run_once()
    old = MediaRequest("k", 1, 1, "image", media.WHATSAPP, "1", NOW - 8 * DAY)
    database.write(lambda connection: media.add(connection, 1, [old]))

    def state() -> str:
        (row,) = database.read(lambda connection: connection.rows("SELECT state FROM media"))
        return str(row["state"])

    clock.now = NOW + 599_999
    worker.run_once()
    assert state() == "pending"
    clock.now = NOW + 600_000
    worker.run_once()
    assert state() == "expired"


def test_files_may_be_requested_after_webhooks_were_applied(
    watched: Watched, clock: Clock, database: Database
):
    requests: list[int] = []
    worker = BackgroundWorker(
        watched, clock, WorkerSettings(), requested=lambda: requests.append(len(states(database)))
    )
    worker.run_once()
    assert requests == []
    arrive(database, body("w1"))
    worker.run_once()
    assert requests == [1]


def test_what_is_kept_and_not_shown_is_said_once(
    watched: Watched, clock: Clock, database: Database, caplog: pytest.LogCaptureFixture
):
    settings = WorkerSettings(admission=Admission(create_channels=False))
    worker = BackgroundWorker(watched, clock, settings)
    for number in range(2):
        arrive(database, body(f"w{number}"))
        worker.run_once()
    (line,) = caplog.messages
    assert line.endswith(": what comes for it is kept and not shown")
