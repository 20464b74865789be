"""Contents of messages that are kept for some days: what goes, and what stays as it was."""

import json
from typing import Any

import pytest
from tests.ingest.event_helpers import (
    ANA,
    CHANNEL,
    DAY,
    NOW,
    SHEENA,
    apply,
    conversation_event,
    inbound,
    outbound,
    revision,
    rows,
)
from tests.ingest.inbox_state import state
from tests.ingest.test_export import exported, put_in
from tests.stores import Engine

from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import MessageEdit, NoteUpsert
from frontdesk.ingest.message_retention import expire_messages, expired_accounts
from frontdesk.store import media, message_search
from frontdesk.store.conversations import ConversationSelection, states_of
from frontdesk.store.database import Database
from frontdesk.store.expiry import keep_messages
from frontdesk.text.calls import call_content
from frontdesk.text.search import Terms

pytestmark = pytest.mark.both_engines

OLD, YOUNG = NOW - 40 * DAY, NOW - DAY
FIGURES = ("rollup", "conversation_rollup", "user_rollup", "label_rollup", "metric_event", "cell")


def keep(database: Database, days: int | None) -> None:
    database.write(lambda connection: keep_messages(connection, 1, days))


def expire(database: Database, now: int = NOW) -> None:
    for account_id, before in expired_accounts(database, now).items():
        expire_messages(database, account_id, before, now)


@pytest.fixture
def kept(database: Database) -> Database:
    """An inbox that keeps messages for 30 days, with some that are older."""
    apply(
        database,
        inbound(OLD, "old", text="an ancient secret", media={"filename": "secret.pdf"}),
        outbound(OLD + 1, "answer", author=ANA, text="a secret answer"),
        conversation_event(OLD + 2, "labelled", title="vip"),
        NoteUpsert(CHANNEL, SHEENA, "n", OLD + 3, "a secret note", ANA),
        conversation_event(OLD + 4, "resolved"),
        inbound(YOUNG, "young", text="a young secret"),
    )
    keep(database, 30)
    return database


def texts(database: Database) -> dict[str, Any]:
    return {row["wamid"]: row["text"] for row in rows(database, "SELECT * FROM message")}


def found(database: Database, word: str) -> int | None:
    everything = ConversationSelection(states_of(range(3)))
    terms = Terms.of(word)
    return database.read(
        lambda c: message_search.match_page(c, 1, everything, terms, None, 9).total
    )


def test_contents_of_old_messages_go_and_those_of_others_stay(kept: Database) -> None:
    before = revision(kept)
    expire(kept)
    assert texts(kept) == {"old": None, "answer": None, "young": "a young secret"}
    (old,) = rows(kept, "SELECT * FROM message WHERE wamid = 'old'")
    assert (old["media_json"], old["expired_at"], old["deleted_at"]) == (None, NOW, NOW)
    assert rows(kept, "SELECT * FROM note") == []
    assert (found(kept, "ancient"), found(kept, "young")) == (0, 1)
    assert revision(kept) > before


def test_files_of_old_messages_go_with_their_contents(kept: Database) -> None:
    (old,) = rows(kept, "SELECT id, channel_id FROM message WHERE wamid = 'old'")
    file = media.MediaRequest(
        "key", old["id"], old["channel_id"], "document", media.WHATSAPP, "r", OLD, name="secret.pdf"
    )
    kept.write(lambda connection: media.add(connection, 1, [file]))
    expire(kept)
    (row,) = rows(kept, "SELECT state, name, remote FROM media")
    assert tuple(row.values()) == ("removed", None, None)


def test_reports_and_states_stay_as_they_were(kept: Database) -> None:
    states = "SELECT status, waiting_since, first_reply_at, unread_count FROM conversation"
    before = [rows(kept, f"SELECT * FROM {table}") for table in FIGURES], rows(kept, states)
    expire(kept)
    assert (
        [rows(kept, f"SELECT * FROM {table}") for table in FIGURES],
        rows(kept, states),
    ) == before
    assert kept.read(lambda connection: [*differences(connection, 1)]) == []


def test_it_is_done_once(kept: Database) -> None:
    expire(kept)
    before = revision(kept)
    assert expired_accounts(kept, NOW) == {}
    expire(kept)
    assert revision(kept) == before


def test_a_preview_of_an_old_message_goes_too(database: Database) -> None:
    apply(database, inbound(OLD, "old", text="a secret"))
    keep(database, 30)
    expire(database)
    (conversation,) = rows(database, "SELECT * FROM conversation")
    preview = json.loads(conversation["last_message_json"])
    assert preview["text"] is None
    assert preview["deleted_at"]


def test_an_account_that_keeps_messages_for_ever_loses_none(kept: Database) -> None:
    keep(kept, None)
    expire(kept, NOW + 1000 * DAY)
    assert texts(kept)["old"] == "an ancient secret"


def test_what_comes_late_or_again_is_removed_as_well(kept: Database) -> None:
    expire(kept)
    apply(
        kept, inbound(OLD, "old", text="an ancient secret"), inbound(OLD - 5, "late", text="late")
    )
    apply(kept, MessageEdit(CHANNEL, "old", OLD + 9, "text", "an edited secret"))
    assert texts(kept)["old"] is None
    expire(kept)
    assert texts(kept)["late"] is None
    assert kept.read(lambda connection: [*differences(connection, 1)]) == []


def test_an_old_call_keeps_how_it_ended(database: Database) -> None:
    content = call_content("answered", 9)
    apply(database, inbound(OLD, "call", type="call", text="Voice call, 9 s", content=content))
    keep(database, 30)
    expire(database)
    assert texts(database) == {"call": "Voice call, 9 s"}


def test_many_messages_of_one_moment_are_done_in_several_transactions(database: Database) -> None:
    apply(database, *(inbound(OLD, f"m{number}") for number in range(1100)))
    keep(database, 30)
    expire(database)
    assert set(texts(database).values()) == {None}


def test_an_export_has_for_how_long_messages_are_kept(kept: Database, engine: Engine) -> None:
    expire(kept)
    lines = exported(kept)
    before = state(kept)
    with engine.fresh() as there:
        put_in(there, lines)
        assert state(there) == before
        (account,) = rows(there, "SELECT * FROM account")
        assert account["messages_keep_days"] == 30
