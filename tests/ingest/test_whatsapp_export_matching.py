"""Webhooks, history and archives after an exported chat add no duplicates."""

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.ingest import webhooks
from tests.stores import Engine, sqlite_store

from frontdesk.ingest.apply.batch import ApplyResult, apply_events
from frontdesk.ingest.archive.export import lines
from frontdesk.ingest.archive.native_lines import convert
from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import DomainEvent, Person
from frontdesk.ingest.webhooks.normalise import normalise
from frontdesk.ingest.whatsapp_export import parser
from frontdesk.ingest.whatsapp_export.files import ExportFiles
from frontdesk.ingest.whatsapp_export.importer import ChatImportResult, ChatPlace, import_chat
from frontdesk.ingest.whatsapp_export.parser import ChatOptions
from frontdesk.store.database import Connection, Database

ANA = Person("+16505551234", "16505551234")
PLACE = ChatPlace(1, "101", ANA, "Shop")
NOW = (webhooks.SECONDS + 86_400) * 1000
FIRST = datetime.fromtimestamp(webhooks.SECONDS // 60 * 60, UTC)
# Seconds after FIRST at which the seconds of webhooks begin.
OFFSET = webhooks.SECONDS % 60


@dataclass(frozen=True)
class Written:
    """A message: when, counted from FIRST; from which side; what an export and a webhook say."""

    second: int
    outbound: bool
    exported: str
    sent: dict[str, Any]


def words(second: int, text: str, *, outbound: bool = False) -> Written:
    return Written(second, outbound, text, {"type": "text", "text": {"body": text}})


def photo(second: int, exported: str, *, outbound: bool = False, **members: Any) -> Written:
    image = {"id": f"media-{second}", "mime_type": "image/jpeg", **members}
    return Written(second, outbound, exported, {"type": "image", "image": image})


CHAT = [
    words(5, "Hello, is it there?"),
    words(61, "Yes", outbound=True),
    words(65, "ok"),
    words(66, "ok"),
    photo(130, "<Media omitted>"),
    photo(131, "IMG-1.jpg (file attached)\nlook", caption="look"),
    photo(190, "\u200eimage omitted", outbound=True, caption="The red one"),
    words(200, "See you\n\nat nine", outbound=True),
]


@pytest.fixture
def inbox(engine: Engine) -> Iterator[Database]:
    with engine.fresh() as database:
        yield database


def wamid(number: int) -> str:
    return f"wamid.{number}"


def put(database: Database, written: Sequence[Written]) -> ChatImportResult:
    """Import an export of some messages."""
    rows = []
    for one in sorted(written, key=lambda one: one.second):
        moment = datetime.fromtimestamp(FIRST.timestamp() + one.second, UTC)
        rows.append(
            f"{moment:%d/%m/%Y, %H:%M} - {'Shop' if one.outbound else 'Ana'}: {one.exported}"
        )
    reading = ChatOptions("Shop", UTC, "dmy", date(2026, 12, 31))
    export = parser.read(ExportFiles("\n".join(rows)), reading)
    outcome = import_chat(database, export, PLACE, lambda: NOW, lambda more: None)
    check(database)
    return outcome


def message(number: int, one: Written) -> dict[str, Any]:
    stamp = str(int(FIRST.timestamp()) + one.second)
    return {"id": wamid(number), "timestamp": stamp, **one.sent}


def bodies(written: Sequence[Written]) -> list[dict[str, Any]]:
    """A webhook of each message: received, or an echo of what the phone sent."""
    found = []
    for number, one in enumerate(written):
        if one.outbound:
            echo = {"from": "15550783881", "to": ANA.wa_id, **message(number, one)}
            change = webhooks.value(message_echoes=[echo])
            found.append(webhooks.body(change, "smb_message_echoes"))
        else:
            received = {"from": ANA.wa_id, **message(number, one)}
            found.append(webhooks.body(webhooks.value(messages=[received])))
    return found


def history(written: Sequence[Written]) -> list[dict[str, Any]]:
    """The same as a chunk of the history of the Business app."""
    members = [
        {
            "from": "15550783881" if one.outbound else ANA.wa_id,
            **message(number, one),
            "history_context": {"status": "READ"},
        }
        for number, one in enumerate(written)
    ]
    return [webhooks.history("101", str(ANA.wa_id), *members)]


def archive(written: Sequence[Written]) -> list[DomainEvent]:
    """The same as native lines of an inbox that had them from webhooks."""
    with sqlite_store() as other:
        store_events(other, webhook_events(bodies(written)))
        exported = other.read(lambda c: list(lines(c, None, lambda n: None)))
    found = [json.loads(json.dumps(line)) for line in exported]
    return [
        event
        for line in found
        if line["kind"] in ("channel", "contact", "message", "conversation")
        for event in convert(line, NOW)
    ]


def exported_archive(written: Sequence[Written]) -> list[DomainEvent]:
    """Native lines, without ids, of an inbox that had the messages from an export."""
    with sqlite_store() as other:
        put(other, written)
        exported = other.read(lambda c: list(lines(c, None, lambda n: None)))
    return [
        event
        for line in exported
        if line["kind"] == "message"
        for event in convert(json.loads(json.dumps(line)), NOW)
    ]


def webhook_events(received: Sequence[dict[str, Any]], *, live: bool = False) -> list[DomainEvent]:
    return [
        event
        for each in received
        for event in normalise(each, live=live, received_at=NOW if live else None).events
    ]


def store_events(database: Database, events: Sequence[DomainEvent]) -> ApplyResult:
    applied = database.write(lambda connection: apply_events(connection, 1, events, now=NOW))
    check(database)
    return applied


def check(database: Database) -> None:
    """What is counted is what a recount gives."""
    assert not database.read(lambda connection: list(differences(connection, 1)))


def stored(database: Database) -> list[dict[str, Any]]:
    def work(connection: Connection) -> list[dict[str, Any]]:
        found = connection.rows("SELECT * FROM message ORDER BY created_at, id")
        return [dict(row) for row in found]

    return database.read(work)


def conversation(database: Database) -> dict[str, Any]:
    row = database.read(lambda connection: connection.row("SELECT * FROM conversation"))
    assert row is not None
    return dict(row)


LATER = {
    "webhooks": lambda written: webhook_events(bodies(written)),
    "live webhooks": lambda written: webhook_events(bodies(written), live=True),
    "history": lambda written: webhook_events(history(written)),
    "archive": archive,
}


@pytest.mark.parametrize("later", LATER)
def test_messages_first_seen_in_an_export_are_completed_and_keep_their_ids(
    inbox: Database, later: str
) -> None:
    assert put(inbox, CHAT).messages == {"received": 5, "sent": 3}
    before = stored(inbox)
    applied = store_events(inbox, LATER[later](CHAT))
    assert (applied.messages.new, applied.messages.changed) == (0, len(CHAT))
    after = stored(inbox)
    assert [row["id"] for row in after] == [row["id"] for row in before]
    assert [row["wamid"] for row in after] == [wamid(number) for number in range(len(CHAT))]
    start = int(FIRST.timestamp())
    assert [row["created_at"] // 1000 - start for row in after] == [one.second for one in CHAT]
    assert [row["text"] for row in after][-4:] == [
        None,
        "look",
        "The red one",
        "See you\n\nat nine",
    ]
    assert [row["media_json"] is not None for row in after[4:7]] == [True] * 3


@pytest.mark.parametrize("later", LATER)
def test_importing_the_export_or_the_rest_again_after_that_adds_nothing(
    inbox: Database, later: str
) -> None:
    put(inbox, CHAT)
    events = LATER[later](CHAT)
    store_events(inbox, events)
    before, conversation_before = stored(inbox), conversation(inbox)
    assert put(inbox, CHAT).skipped == len(CHAT)
    store_events(inbox, events)
    assert stored(inbox) == before
    assert conversation(inbox) == conversation_before


@pytest.mark.parametrize("later", LATER)
def test_a_conversation_stands_the_same_in_either_order(engine: Engine, later: str) -> None:
    standings = []
    for export_first in (True, False):
        with engine.fresh() as database:
            if export_first:
                put(database, CHAT)
            store_events(database, LATER[later](CHAT))
            if not export_first:
                put(database, CHAT)
            row = conversation(database)
            preview = json.loads(row["last_message_json"])
            of_interest = ("status", "unread_count", "last_inbound_at", "last_activity_at")
            standings.append(({name: row[name] for name in of_interest}, preview["text"]))
    assert standings[0] == standings[1]


def test_delivery_replies_edits_and_revocations_reach_what_an_export_reported(
    inbox: Database,
) -> None:
    put(inbox, CHAT)
    store_events(inbox, webhook_events(bodies(CHAT)))
    answer = {"from": ANA.wa_id, "context": {"id": wamid(1)}, **message(90, words(240, "Thanks"))}
    read = {"recipient_id": ANA.wa_id, **webhooks.status(wamid(1), 100, "read")}
    revoke = {
        "from": ANA.wa_id,
        **message(91, Written(250, False, "", {"type": "revoke"})),
        "revoke": {"original_message_id": wamid(0)},
    }
    changes = [{"messages": [answer]}, {"statuses": [read]}, {"messages": [revoke]}]
    store_events(inbox, webhook_events([webhooks.body(webhooks.value(**each)) for each in changes]))
    after = {row["wamid"]: row for row in stored(inbox)}
    assert len(after) == len(CHAT) + 1
    assert after[wamid(1)]["delivery_status"] == "read"
    assert after[wamid(90)]["reply_wamid"] == wamid(1)
    assert (after[wamid(0)]["text"], after[wamid(0)]["deleted_at"] is None) == (None, False)
    assert put(inbox, CHAT).skipped == len(CHAT)


@pytest.mark.parametrize("later", LATER)
def test_lines_of_an_export_in_an_archive_double_nothing_that_has_come(
    inbox: Database, later: str
) -> None:
    store_events(inbox, LATER[later](CHAT))
    before = {row["id"]: {**row, "stamped_at": None} for row in stored(inbox)}
    lines_of_export = exported_archive(CHAT)
    for _ in range(2):
        assert store_events(inbox, lines_of_export).messages.new == 0
        after = {row["id"]: {**row, "stamped_at": None} for row in stored(inbox)}
        assert after == before
    for one in lines_of_export:
        assert store_events(inbox, [one]).messages.new == 0
    assert put(inbox, CHAT).skipped == len(CHAT)


@pytest.mark.parametrize("at_once", [True, False])
def test_equal_texts_of_an_archive_are_as_many_messages_as_there_are(
    inbox: Database, at_once: bool
) -> None:
    store_events(inbox, webhook_events(bodies([words(66, "ok")])))
    lines_of_export = exported_archive([words(65, "ok"), words(67, "ok")])
    for events in [lines_of_export] if at_once else [[one] for one in lines_of_export]:
        store_events(inbox, events)
    assert sorted(row["wamid"] or "" for row in stored(inbox)) == ["", wamid(0)]


def test_two_equal_texts_need_two_messages(inbox: Database) -> None:
    put(inbox, [words(65, "ok"), words(66, "ok")])
    store_events(inbox, webhook_events(bodies([words(65, "ok"), words(66, "ok"), words(67, "ok")])))
    assert [row["wamid"] for row in stored(inbox)] == [wamid(0), wamid(1), wamid(2)]


@pytest.mark.parametrize(
    "other",
    [words(65, "ok", outbound=True), words(65, "OK!"), words(300, "ok"), photo(65, "")],
    ids=["other-side", "other-words", "other-time", "other-kind"],
)
def test_messages_that_differ_are_not_matched(inbox: Database, other: Written) -> None:
    put(inbox, [words(65, "ok")])
    store_events(inbox, webhook_events(bodies([other])))
    assert len(stored(inbox)) == 2


def test_another_number_has_messages_of_its_own(inbox: Database) -> None:
    put(inbox, [words(65, "ok")])
    received = {"from": ANA.wa_id, **message(0, words(65, "ok"))}
    store_events(inbox, webhook_events([webhooks.body(webhooks.value("102", messages=[received]))]))
    assert [row["wamid"] for row in stored(inbox)] == [None, wamid(0)]


DELETED = replace(words(5, "oops"), exported="This message was deleted")
EDITED = replace(words(65, "befor"), exported="before <This message was edited>")


def test_messages_deleted_or_edited_on_the_phone_stay_so(inbox: Database) -> None:
    put(inbox, [DELETED, EDITED])
    store_events(inbox, webhook_events(bodies([DELETED, EDITED])))
    assert [(row["wamid"], row["text"]) for row in stored(inbox)] == [
        (wamid(0), None),
        (wamid(1), "before"),
    ]
    assert put(inbox, [DELETED, EDITED]).skipped == 2


def sent_step(number: int, second: int) -> dict[str, Any]:
    step = webhooks.status(wamid(number), second - OFFSET, "sent")
    return webhooks.body(webhooks.value(statuses=[{"recipient_id": ANA.wa_id, **step}]))


def test_a_delivery_step_alone_is_of_the_message_that_the_export_has(inbox: Database) -> None:
    put(inbox, [words(61, "Yes", outbound=True)])
    store_events(inbox, webhook_events([sent_step(0, 61)]))
    (row,) = stored(inbox)
    assert (row["wamid"], row["text"], row["delivery_status"]) == (wamid(0), "Yes", "sent")


@pytest.mark.parametrize("exported", [["B"], ["B", "A"]])
def test_a_delivery_step_that_was_taken_for_anothers_takes_no_words_away(
    inbox: Database, exported: list[str]
) -> None:
    put(inbox, [words(61, text, outbound=True) for text in exported])
    store_events(inbox, webhook_events([sent_step(0, 62)]))
    store_events(inbox, webhook_events(bodies([words(62, "A", outbound=True)])))
    assert Counter((row["text"], row["wamid"]) for row in stored(inbox)) == {
        ("A", wamid(0)): 1,
        ("B", None): 1,
    }
    store_events(
        inbox,
        webhook_events(bodies([words(62, "A", outbound=True), words(61, "B", outbound=True)])),
    )
    assert {row["text"]: row["wamid"] for row in stored(inbox)} == {"A": wamid(0), "B": wamid(1)}
    put(inbox, [words(61, text, outbound=True) for text in exported])
    assert len(stored(inbox)) == 2


def test_a_button_and_a_contact_card_are_what_the_export_calls_them(inbox: Database) -> None:
    button = {"type": "button", "button": {"text": "Yes, please", "payload": "1"}}
    card = {"type": "contacts", "contacts": [{"name": {"formatted_name": "Bo"}, "phones": []}]}
    written = [
        Written(5, False, "Yes, please", button),
        Written(65, False, "Bo.vcf (file attached)", card),
    ]
    put(inbox, written)
    store_events(inbox, webhook_events(bodies(written)))
    assert [row["type"] for row in stored(inbox)] == ["interactive", "contacts"]
    assert put(inbox, written).skipped == 2


TEXTS = st.sampled_from(["ok", "yes", "see you", "¿qué?"])
CHATS = st.lists(
    st.builds(words, st.integers(0, 400), TEXTS, outbound=st.booleans()), min_size=1, max_size=12
).map(lambda chats: sorted(chats, key=lambda one: one.second))


@given(CHATS, st.randoms(use_true_random=False), st.integers(1, 5))
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
def test_webhooks_in_any_batches_double_no_message_of_an_export(
    written: list[Written], chance: random.Random, size: int
) -> None:
    with sqlite_store() as database:
        put(database, written)
        received = bodies(written)
        for start in range(0, len(received), size):
            batch = received[start : start + size]
            chance.shuffle(batch)
            store_events(database, webhook_events(batch))
        found = stored(database)
        said = Counter((one.outbound, one.sent["text"]["body"]) for one in written)
        assert Counter((bool(row["direction"]), row["text"]) for row in found) == said
        assert {row["wamid"] for row in found} == {wamid(n) for n in range(len(written))}
        assert put(database, written).skipped == len(written)
        assert stored(database) == found
