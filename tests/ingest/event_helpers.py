"""Events of one conversation; applies them and reads the resulting rows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from frontdesk.ingest.apply.batch import ApplyResult, InitialStatus, apply_events
from frontdesk.ingest.events import (
    Author,
    ConversationEvent,
    DomainEvent,
    MessageUpsert,
    Person,
    StatusUpdate,
)
from frontdesk.store.database import Database, Row

ACCOUNT = 1
NOW = 1_780_000_000_000
HOUR = 60 * 60 * 1000
DAY = 24 * HOUR
CHANNEL = "106540352242922"
SHEENA = Person(phone="+16505551234", wa_id="16505551234")
CONTACT = Author("contact")
ANA = Author("user", user="ana@example.com")


def apply(
    database: Database,
    *events: DomainEvent,
    now: int = NOW,
    initial_status: InitialStatus = "auto",
) -> ApplyResult:
    return database.write(
        lambda connection: apply_events(
            connection, ACCOUNT, events, now=now, initial_status=initial_status
        )
    )


def rows(database: Database, sql: str) -> list[dict[str, Any]]:
    found: Sequence[Row] = database.read(lambda connection: connection.rows(sql))
    return [dict(row) for row in found]


def only(database: Database, table: str) -> dict[str, Any]:
    (row,) = rows(database, f"SELECT * FROM {table}")
    return row


def revision(database: Database) -> int:
    return int(only(database, "account")["revision"])


def inbound(at: int, wamid: str | None = None, **members: Any) -> MessageUpsert:
    said = MessageUpsert(
        channel=CHANNEL,
        person=SHEENA,
        wamid=wamid or f"in-{at}",
        at=at,
        outbound=False,
        author=CONTACT,
        type="text",
        source="webhook",
        text=f"said at {at}",
    )
    return replace(said, **members)


def outbound(at: int, wamid: str | None = None, **members: Any) -> MessageUpsert:
    members = {"author": Author("phone"), **members}
    return inbound(at, wamid or f"out-{at}", outbound=True, **members)


def conversation_event(at: int, name: str, **value: Any) -> ConversationEvent:
    return ConversationEvent(CHANNEL, SHEENA, f"{name}-{at}", at, name, value)


def delivery(wamid: str, status: str, at: int, **members: Any) -> StatusUpdate:
    return StatusUpdate(CHANNEL, SHEENA, wamid, at, status, **members)
