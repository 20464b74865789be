"""Stored webhook bodies become messages: in bounded steps, once, whatever fails."""

import json
from collections import Counter
from operator import itemgetter
from typing import Any

import pytest
from tests.journeys import recorded_modules
from tests.stores import sqlite_store

from frontdesk.errors import Unreachable
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import ChannelUpsert, TeamUpsert, UserUpsert
from frontdesk.ingest.webhooks import processor as intake_module
from frontdesk.ingest.webhooks.processor import EVENTS_AT_ONCE, StepResult, WebhookProcessor
from frontdesk.ingest.webhooks.retention import DAY, delete_old_webhooks
from frontdesk.store import raw_events
from frontdesk.store.conversations import thread_page
from frontdesk.store.database import Connection, Database
from frontdesk.store.raw_events import ReceivedBody

ACCOUNT, NOW = 1, 1_773_480_600_000
CHANNEL = "106540352242922"
Element = dict[str, Any]


def test_results_of_steps_are_added_up() -> None:
    one = StepResult(1, Counter(done=1), Counter(message=2))
    other = StepResult(2, Counter(failed=1), Counter(message=1), revoked=True)
    assert one + other == StepResult(3, Counter(done=1, failed=1), Counter(message=3), revoked=True)
    assert one + StepResult() == one
    assert not (one + one).revoked


def text(wamid: str, words: str = "hello", sender: str = "16505551234", at: int = 0) -> Element:
    return {
        "from": sender,
        "id": wamid,
        "timestamp": str(NOW // 1000 - 1000 + at),
        "type": "text",
        "text": {"body": words},
    }


def revoke(wamid: str, target: str, at: int = 10) -> Element:
    element = text(wamid, at=at)
    del element["text"]
    return {**element, "type": "revoke", "revoke": {"original_message_id": target}}


def body(*messages: Element, **members: Any) -> bytes:
    value = {
        "metadata": {"display_phone_number": "15550001111", "phone_number_id": CHANNEL},
        "messages": list(messages),
        **members,
    }
    changes = [{"field": "messages", "value": value}]
    entry = [{"id": "1", "changes": changes}]
    return json.dumps({"object": "whatsapp_business_account", "entry": entry}).encode()


def arrive(database: Database, *bodies: bytes, at: int = NOW) -> None:
    def keep(connection: Connection) -> None:
        for number, one in enumerate(bodies):
            raw_events.keep(connection, ReceivedBody(ACCOUNT, one, at + number))

    database.write(keep)


def intake(database: Database, **options: Any) -> WebhookProcessor:
    return WebhookProcessor(database, lambda: NOW, **options)


def drain(one: WebhookProcessor) -> tuple[int, Counter[str]]:
    """Step until nothing moves; the number of steps, and what was settled how."""
    steps, settled = 0, Counter[str]()
    while (step := one.step(ACCOUNT)).moved:
        steps += 1
        settled += step.settled
    return steps, settled


def words(database: Database) -> dict[str, str]:
    rows = database.read(lambda connection: connection.rows("SELECT wamid, text FROM message"))
    return {row["wamid"]: row["text"] for row in rows}


def bodies(database: Database) -> bytes:
    rows = database.read(
        lambda connection: connection.rows("SELECT body FROM raw_event ORDER BY received_at")
    )
    return b"\n".join(bytes(row["body"]) for row in rows)


def test_received_webhooks_are_applied_and_the_counters_stay_correct(database: Database):
    arrive(database, body(text("w1")), body(text("w2"), text("w3", sender="16505555678")))
    assert drain(intake(database)) == (1, Counter(applied=2))
    assert words(database).keys() == {"w1", "w2", "w3"}
    assert database.read(lambda connection: list(differences(connection, ACCOUNT))) == []


def test_messages_of_one_second_are_shown_as_they_stand_in_a_body_and_as_bodies_came(
    database: Database,
):
    arrive(database, body(text("z", "one"), text("m", "two"), text("a", "three")))
    arrive(database, body(text("k", "four")))
    drain(intake(database))
    arrive(database, body(text("b", "five")))
    drain(intake(database))
    thread = database.read(lambda c: thread_page(c, ACCOUNT, "message", 1, None, 9))
    assert [row["text"] for row in thread] == ["five", "four", "three", "two", "one"]
    after = itemgetter("created_at", "direction", "id")(thread[1])
    rest = database.read(lambda c: thread_page(c, ACCOUNT, "message", 1, after, 9))
    assert rest == thread[2:]


def test_a_new_conversation_goes_to_the_next_member_of_the_channels_team(database: Database):
    staff = [
        ChannelUpsert(CHANNEL, 1),
        UserUpsert("ana", "Ana", 1),
        TeamUpsert("Days", 1, channels=(CHANNEL,), members=("ana",)),
    ]
    database.write(lambda connection: apply_events(connection, ACCOUNT, staff, now=NOW))
    arrive(database, body(text("w1")))
    drain(intake(database))
    assigned = """
        SELECT app_user.key FROM conversation JOIN app_user ON app_user.id = assignee_id
    """
    rows = database.read(lambda connection: connection.rows(assigned))
    assert [row["key"] for row in rows] == ["ana"]


STATUS = {
    "id": "wamid.2",
    "status": "read",
    "timestamp": str(NOW // 1000),
    "recipient_id": "16505551234",
}


@pytest.mark.parametrize("one", [body(text("wamid.1")), body(statuses=[STATUS])])
def test_a_body_goes_through_38_modules_at_most_on_its_way_to_its_rows(
    one: bytes,
):
    with sqlite_store() as database:
        arrive(database, one)
        with recorded_modules() as modules:
            intake(database).step(ACCOUNT)

    assert 20 < len(modules) <= 38


def test_a_thousand_messages_in_one_body_are_many_transactions(database: Database):
    one = intake(database)
    arrive(database, body(*(text(f"w{number}", at=number % 900) for number in range(1000))))
    assert one.step(ACCOUNT).settled == Counter()
    assert 0 < len(words(database)) <= EVENTS_AT_ONCE
    steps, settled = drain(one)
    assert settled == Counter(applied=1)
    assert steps >= 1000 // EVENTS_AT_ONCE - 1
    assert len(words(database)) == 1000
    assert database.read(lambda connection: list(differences(connection, ACCOUNT))) == []


def test_a_transaction_has_200_events_or_50_bodies_or_a_mebibyte_at_most(database: Database):
    one = intake(database)
    arrive(database, body(*(text(f"w{number}") for number in range(201))))
    one.step(ACCOUNT)
    # The first event is the channel.
    assert len(words(database)) == 199
    assert one.step(ACCOUNT).settled == Counter(applied=1)
    arrive(database, *(body(text(f"v{number}")) for number in range(51)), at=NOW + 1)
    assert [one.step(ACCOUNT).moved for _ in range(3)] == [50, 1, 0]
    large = [body(text(f"u{number}", "x" * 2**19)) for number in range(2)]
    arrive(database, *large, at=NOW + 2)
    assert [one.step(ACCOUNT).moved for _ in range(3)] == [1, 1, 0]


def test_a_reason_is_kept_up_to_300_characters(database: Database):
    arrive(database, json.dumps({"object": "x" * 400, "entry": []}).encode())
    arrive(database, body(text("w1"), {**text("w2"), "timestamp": "soon", "from": "1" * 500}))
    drain(intake(database))
    failures = database.read(lambda connection: raw_events.failures(connection, ACCOUNT, 5))
    (long,) = [row["reason"] for row in failures if row["reason"].startswith("it is about")]
    assert long == ("it is about a " + "x" * 400)[:300]


def test_a_second_intake_finishes_a_partly_applied_webhook(database: Database):
    arrive(database, body(*(text(f"w{number}") for number in range(500))))
    assert intake(database).step(ACCOUNT).moved == 1
    assert drain(intake(database))[1] == Counter(applied=1)
    assert len(words(database)) == 500


def test_two_at_work_apply_each_body_once_between_them(database: Database):
    arrive(database, *(body(text(f"w{number}")) for number in range(120)))
    one, other = intake(database), intake(database)
    settled = Counter[str]()
    while (step := one.step(ACCOUNT) + other.step(ACCOUNT)).moved:
        settled += step.settled
    assert settled == Counter(applied=120)
    assert len(words(database)) == 120


def test_unreadable_webhooks_fail_with_a_reason_and_the_rest_are_applied(database: Database):
    arrive(database, b'{"a": 1}', body(text("w1")), b'{"t": "\\ud800"}')
    assert drain(intake(database))[1] == Counter(applied=1, failed=2)
    assert words(database).keys() == {"w1"}
    failures = database.read(lambda connection: raw_events.failures(connection, ACCOUNT, 5))
    assert {row["reason"] for row in failures} == {"it is not a WhatsApp webhook body"}


def test_of_a_body_that_is_partly_unreadable_the_rest_goes_in(database: Database):
    arrive(database, body(text("w1"), {**text("w2"), "timestamp": "soon"}))
    assert drain(intake(database))[1] == Counter(failed=1)
    assert words(database).keys() == {"w1"}
    (failure,) = database.read(lambda connection: raw_events.failures(connection, ACCOUNT, 5))
    assert "timestamp" in failure["reason"]


def test_a_time_in_the_future_counts_as_that_of_receipt(database: Database):
    arrive(database, body(text("w1", at=100_000)))
    drain(intake(database))
    rows = database.read(lambda connection: connection.rows("SELECT created_at FROM message"))
    assert [row["created_at"] for row in rows] == [NOW]


def test_a_body_that_breaks_the_program_fails_alone_and_without_its_words(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    genuine = intake_module.apply_events

    def breaking(connection: Connection, account: int, events: Any, **options: Any) -> object:
        if any(getattr(event, "text", None) == "secret words" for event in events):
            raise ValueError("secret words")
        return genuine(connection, account, events, **options)

    monkeypatch.setattr(intake_module, "apply_events", breaking)
    arrive(database, body(text("w1")), body(text("w2", "secret words")), body(text("w3")))
    assert drain(intake(database))[1] == Counter(applied=2, failed=1)
    assert words(database).keys() == {"w1", "w3"}
    (failure,) = database.read(lambda connection: raw_events.failures(connection, ACCOUNT, 5))
    assert "ValueError" in failure["reason"]
    assert "secret" not in failure["reason"] + caplog.text
    assert "A webhook body cannot be applied: " in caplog.text
    monkeypatch.undo()
    digests = [failure["digest"]]
    database.write(lambda connection: raw_events.wait_again(connection, ACCOUNT, digests))
    assert drain(intake(database))[1] == Counter(applied=1)
    assert words(database).keys() == {"w1", "w2", "w3"}


def test_a_failure_of_the_engine_is_no_fault_of_a_body(database: Database):
    def rename(old: str, new: str) -> None:
        database.write(lambda connection: connection.run(f"ALTER TABLE {old} RENAME TO {new}"))

    arrive(database, body(text("w1")), body(text("w2")))
    rename("message", "elsewhere")
    with pytest.raises(Unreachable, match="The database failed"):
        intake(database).step(ACCOUNT)
    rename("elsewhere", "message")
    assert drain(intake(database))[1] == Counter(applied=2)
    assert words(database).keys() == {"w1", "w2"}


def test_messages_of_groups_are_kept_and_counted_but_not_shown(database: Database):
    group = {**text("w1"), "group_id": "g"}
    arrive(database, body(group, {**group, "id": "w2"}), body(text("w3"), group))
    assert drain(intake(database))[1] == Counter(applied=1, ignored=1)
    assert words(database).keys() == {"w3"}
    rows = database.read(lambda connection: raw_events.ignored(connection, ACCOUNT))
    assert sorted(row["ignored_json"] for row in rows) == [
        '{"group message": 1}',
        '{"group message": 2}',
    ]
    assert b'"w2"' in bodies(database)


def test_applying_everything_again_changes_nothing(database: Database):
    arrive(database, body(text("w1")), body(text("w2", at=5)))
    drain(intake(database))

    def stored(connection: Connection) -> list[Any]:
        tables = ("message", "conversation", "contact", "account", "rollup", "cell")
        return [
            [tuple(row.values()) for row in map(dict, connection.rows(f"SELECT * FROM {one}"))]
            for one in tables
        ]

    before = database.read(stored)

    def again(connection: Connection) -> None:
        places = raw_events.positions_after(connection, ACCOUNT, None, 10)
        raw_events.wait_again(connection, ACCOUNT, [place.digest for place in places])

    database.write(again)
    assert drain(intake(database))[1] == Counter(applied=2)
    assert database.read(stored) == before


REVOKED = "wamid.a/b+c=="


@pytest.mark.parametrize("revoked_first", [False, True])
@pytest.mark.parametrize("together", [False, True])
def test_revoked_messages_are_blanked_in_stored_webhooks(
    database: Database, revoked_first: bool, together: bool
):
    said, kept = text(REVOKED, "take me back"), text("w2", "leave me")
    order = [revoke("w3", REVOKED), said] if revoked_first else [said, revoke("w3", REVOKED)]
    if together:
        arrive(database, body(*order, kept))
        drain(intake(database))
    else:
        for position, element in enumerate(order):
            # PHP writes slashes with a backslash before them.
            arrive(database, body(element, kept).replace(b"/", b"\\/"), at=NOW + position)
            drain(intake(database))
    assert b"take me back" not in bodies(database)
    assert b"leave me" in bodies(database)


def test_a_message_may_be_taken_back_after_sixty_hours(database: Database):
    hours = 60 * 60 * 60
    said = text(REVOKED, "take me back", at=-hours)
    arrive(database, body(said), at=NOW - hours * 1_000)
    drain(intake(database))
    arrive(database, body(revoke("w3", REVOKED)))
    drain(intake(database))
    assert b"take me back" not in bodies(database)


def test_words_of_a_type_that_is_not_known_are_taken_back_too(database: Database):
    said = {**text(REVOKED), "type": "poll", "poll": {"question": "take me back"}}
    del said["text"]
    arrive(database, body(said))
    drain(intake(database))
    assert words(database) == {REVOKED: "take me back"}
    arrive(database, body(revoke("w3", REVOKED)), at=NOW + 1)
    drain(intake(database))
    rows = database.read(lambda connection: connection.rows("SELECT * FROM message"))
    assert "take me back" not in repr([dict(row) for row in rows])
    assert b"take me back" not in bodies(database)


def test_revoked_messages_are_retained_in_stored_webhooks_when_configured(database: Database):
    arrive(database, body(text(REVOKED, "take me back"), revoke("w3", REVOKED)))
    drain(intake(database, retain_revoked=True))
    assert b"take me back" in bodies(database)


def test_only_old_applied_webhooks_are_deleted(database: Database):
    arrive(database, body(text("w1")), at=NOW - 31 * DAY)
    drain(intake(database))
    arrive(database, body(text("w2")), at=NOW - 31 * DAY)
    arrive(database, body(text("w3")), at=NOW - 29 * DAY)
    assert delete_old_webhooks(database, ACCOUNT, NOW, 30) == 1
    assert (b'"w1"' in bodies(database), b'"w2"' in bodies(database)) == (False, True)
    drain(intake(database))
    assert delete_old_webhooks(database, ACCOUNT, NOW, 30) == 1
    assert words(database).keys() == {"w1", "w2", "w3"}
