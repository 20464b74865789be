"""Calls and preferences of webhooks: what a thread and a contact have of them."""

import json
from itertools import permutations
from typing import Any

import pytest
from tests.ingest.test_webhook_any_bodies import MORE_VIEWS, inbox
from tests.ingest.webhooks import SECONDS, body, text, value
from tests.stores import Engine, sqlite_store

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import ContactUpsert, DomainEvent, MessageUpsert
from frontdesk.ingest.webhooks.normalise import normalise
from frontdesk.store.database import Database
from frontdesk.text.calls import call_length, call_text

ANA = "16505551234"
NAMED = [{"profile": {"name": "Ana Lima"}, "wa_id": ANA}]
VIEWS = MORE_VIEWS | {
    "calls": "SELECT wamid, created_at, direction, text, content_json FROM message",
}


def call(event: str, second: int, *, outbound: bool = False, **members: Any) -> dict[str, Any]:
    element = {"id": "wacid.1", "event": event, "timestamp": str(SECONDS + second)}
    element |= {"from": "1", "to": ANA} if outbound else {"from": ANA, "to": "1"}
    element["direction"] = "BUSINESS_INITIATED" if outbound else "USER_INITIATED"
    return body(value(calls=[element | members], contacts=NAMED), "calls")


def ended(second: int, seconds: int | None, **members: Any) -> dict[str, Any]:
    """The end of a call; seconds: None without an answer."""
    status = {"status": "FAILED"} if seconds is None else {"status": "COMPLETED"}
    length = {} if seconds is None else {"duration": seconds, "start_time": SECONDS + second}
    return call("terminate", second + (seconds or 0), **status, **length, **members)


def declined(second: int) -> dict[str, Any]:
    status = {"id": "wacid.1", "type": "call", "status": "REJECTED", "recipient_id": ANA}
    return body(value(statuses=[{**status, "timestamp": str(SECONDS + second)}]), "calls")


def events(*bodies: dict[str, Any]) -> list[DomainEvent]:
    return [event for one in bodies for event in normalise(one, live=True).events]


def stored(*bodies: dict[str, Any]) -> dict[str, Any]:
    """The only conversation with its contact."""
    with sqlite_store() as database:
        write(database, bodies)
        (row,) = database.read(
            lambda c: c.rows("SELECT * FROM conversation JOIN contact ON contact.id = contact_id")
        )
        return dict(row)


def write(database: Database, bodies: tuple[dict[str, Any], ...]) -> None:
    now = (SECONDS + 60) * 1000
    database.write(lambda c: apply_events(c, 1, events(*bodies), now=now, live=True))


@pytest.mark.parametrize(
    ("bodies", "words"),
    [
        ([call("connect", 1)], "Voice call, ringing"),
        ([call("connect", 1), ended(9, None)], "Missed voice call"),
        ([ended(9, 0)], "Missed voice call"),
        ([call("connect", 1), ended(3, 125)], "Voice call, 2 min 5 s"),
        ([ended(9, None, outbound=True)], "Unanswered voice call"),
        ([ended(9, None, outbound=True), declined(8)], "Declined voice call"),
        ([ended(3, 7, outbound=True)], "Voice call, 7 s"),
    ],
)
def test_a_call_is_one_line_that_says_what_became_of_it(
    bodies: list[dict[str, Any]], words: str
) -> None:
    preview = json.loads(stored(*bodies)["last_message_json"])
    assert (preview["type"], preview["text"]) == ("call", words)


@pytest.mark.parametrize(
    "bodies",
    [
        (call("connect", 1), ended(9, None), body(value(messages=[text("m", 4, **{"from": ANA})]))),
        (call("connect", 1), ended(3, 9), body(value(messages=[text("m", 2, **{"from": ANA})]))),
        (call("connect", 1, outbound=True), ended(9, None, outbound=True), declined(8)),
    ],
)
def test_what_is_said_of_a_call_makes_the_same_inbox_in_any_order(
    engine: Engine, bodies: tuple[dict[str, Any], ...]
) -> None:
    expected = inbox(engine, [[events(*bodies)]], VIEWS)
    for order in permutations(bodies):
        assert inbox(engine, [[events(one)] for one in order], VIEWS) == expected


def test_a_caller_without_messages_is_a_conversation_that_waits() -> None:
    conversation = stored(call("connect", 1), ended(9, None))
    assert conversation["name"] == "Ana Lima"
    assert conversation["status"] == 0
    assert conversation["waiting_since"] == (SECONDS + 9) * 1000


def test_a_call_counts_as_no_message_in_reports() -> None:
    with sqlite_store() as database:
        write(database, (ended(9, None),))
        assert database.read(lambda c: c.rows("SELECT n FROM rollup")) == []


@pytest.mark.parametrize(
    "members",
    [{"duration": "x"}, {"duration": -1}, {"start_time": "soon"}, {"status": 5}, {"direction": 1}],
)
def test_a_malformed_member_of_a_call_is_as_one_that_is_missing(members: dict[str, Any]) -> None:
    (message,) = (
        event
        for event in events(call("terminate", 9, **{"status": "FAILED", **members}))
        if isinstance(event, MessageUpsert)
    )
    assert message.text == "Missed voice call"


def test_events_of_a_call_that_are_not_known_are_counted() -> None:
    assert normalise(call("held", 1), live=True).ignored == {"call event held": 1}


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3661, "1 h 1 min")]
)
def test_the_length_of_a_call_has_its_two_largest_units(seconds: int, words: str) -> None:
    assert call_length(seconds) == words
    content = {"status": "answered", "duration_seconds": seconds, "video": True}
    assert call_text(content) == f"Video call, {words}"


def preference(second: int, wish: str, **members: Any) -> dict[str, Any]:
    element = {"wa_id": ANA, "category": "marketing_messages", "value": wish}
    element |= {"timestamp": str(SECONDS + second), **members}
    return body(value(user_preferences=[element], contacts=NAMED), "user_preferences")


@pytest.mark.parametrize("turned", [False, True])
def test_a_customer_who_stops_marketing_messages_has_done_so_since_the_last_time(
    turned: bool,
) -> None:
    bodies = [preference(1, "stop"), preference(2, "resume"), preference(3, "stop")]
    contact = stored(
        body(value(messages=[text("m", 0, **{"from": ANA})])),
        *(bodies[::-1] if turned else bodies),
    )
    assert contact["marketing_opt_out_at"] == (SECONDS + 3) * 1000


def test_a_customer_who_resumes_them_has_not() -> None:
    contact = stored(
        body(value(messages=[text("m", 0, **{"from": ANA})])),
        preference(2, "resume"),
        preference(1, "stop"),
    )
    assert contact["marketing_opt_out_at"] is None


def test_a_preference_alone_makes_a_contact_without_a_conversation() -> None:
    (named, told) = (
        event for event in events(preference(1, "stop")) if isinstance(event, ContactUpsert)
    )
    assert (named.profile_name, told.marketing_opt_out) == ("Ana Lima", True)


@pytest.mark.parametrize(("wish", "members"), [("maybe", {}), ("stop", {"category": "calls"})])
def test_other_preferences_are_counted(wish: str, members: dict[str, Any]) -> None:
    assert normalise(preference(1, wish, **members), live=True).ignored.total() == 1
