"""Round-robin assignment, and snoozes that end."""

from dataclasses import replace
from typing import Any

import pytest
from tests.ingest.event_helpers import CHANNEL, NOW, apply, conversation_event, inbound, only, rows

from frontdesk.ingest.apply.batch import apply_events, wake
from frontdesk.ingest.events import (
    ChannelUpsert,
    DomainEvent,
    MessageUpsert,
    Person,
    TeamUpsert,
    UserUpsert,
)
from frontdesk.store.database import Database

USERS = ("ana", "ben", "cai")


def staff(**of_ben: Any) -> list[DomainEvent]:
    users = [UserUpsert(key, key.title(), 1, **(of_ben if key == "ben" else {})) for key in USERS]
    team = TeamUpsert("Days", 1, channels=(CHANNEL,), members=USERS)
    return [ChannelUpsert(CHANNEL, 1), *users, team]


def arrive(database: Database, *events: DomainEvent, live: bool = True) -> None:
    database.write(lambda connection: apply_events(connection, 1, events, now=NOW, live=live))


def written(number: int, at: int = NOW - 9000, **members: Any) -> MessageUpsert:
    """A message of customer number so-and-so."""
    person = Person(f"+3460000000{number}", f"3460000000{number}")
    return replace(inbound(at, f"in-{number}-{at}"), person=person, **members)


def assignees(database: Database) -> list[str | None]:
    found = rows(
        database,
        """
        SELECT u.key FROM conversation c LEFT JOIN app_user u ON u.id = c.assignee_id
        ORDER BY c.id
        """,
    )
    return [row["key"] for row in found]


def test_new_conversations_go_to_the_members_in_turn(database: Database) -> None:
    apply(database, *staff())
    arrive(database, written(1), written(2))
    arrive(database, written(3))
    arrive(database, written(4))
    assert assignees(database) == ["ana", "ben", "cai", "ana"]


@pytest.mark.parametrize(
    "of_ben", [{"active": False}, {"availability": "offline"}, {"availability": "busy"}]
)
def test_who_cannot_answer_is_passed_over(database: Database, of_ben: dict[str, Any]) -> None:
    apply(database, *staff(**of_ben))
    arrive(database, written(1))
    arrive(database, written(2))
    assert assignees(database) == ["ana", "cai"]


def test_the_first_team_with_anybody_takes_it(database: Database) -> None:
    nobody = TeamUpsert("Nobody", 1, channels=(CHANNEL,))
    off = TeamUpsert("Off", 1, channels=(CHANNEL,), members=("cai",), distribution="off")
    elsewhere = TeamUpsert("Elsewhere", 1, channels=("2",), members=("cai",))
    apply(database, nobody, off, elsewhere, *staff())
    arrive(database, written(1))
    assert assignees(database) == ["ana"]


@pytest.mark.parametrize(
    "event",
    [
        written(1, live=False),
        replace(written(1), outbound=True),
        written(1, type="system"),
        written(1, type="reaction"),
    ],
    ids=["back-fill", "outbound", "a system row", "a reaction"],
)
def test_only_what_a_customer_writes_now_is_given_out(
    database: Database, event: MessageUpsert
) -> None:
    apply(database, *staff())
    arrive(database, event)
    assert assignees(database) == [None]


def test_without_live_nothing_is_given_out(database: Database) -> None:
    apply(database, *staff())
    arrive(database, written(1), live=False)
    assert assignees(database) == [None]


def test_a_further_message_in_an_open_conversation_changes_nothing(database: Database) -> None:
    apply(database, written(1))
    apply(database, *staff())
    arrive(database, written(1, NOW - 8000))
    assert assignees(database) == [None]


def test_a_reopened_conversation_is_given_out_unless_somebody_has_it(database: Database) -> None:
    apply(database, *staff(), inbound(NOW - 9000), conversation_event(NOW - 8000, "resolved"))
    arrive(database, inbound(NOW - 7000))
    assert assignees(database) == ["ana"]
    apply(
        database,
        conversation_event(NOW - 6000, "assigned", user="cai"),
        conversation_event(NOW - 5000, "resolved"),
    )
    arrive(database, inbound(NOW - 4000))
    assert assignees(database) == ["cai"]


def test_who_got_it_is_an_event_that_makes_the_same_elsewhere(database: Database) -> None:
    apply(database, *staff())
    arrive(database, written(1))
    event = only(database, "conversation_event")
    assert (event["name"], event["value_json"]) == ("assigned", '{"user":"ana"}')
    message = only(database, "message")
    assert event["created_at"] == message["created_at"]
    arrive(database, written(1))
    apply(database, written(1, NOW - 9500, live=False))
    assert assignees(database) == ["ana"]
    assert len(rows(database, "SELECT id FROM conversation_event")) == 1


def test_a_snooze_ends_at_its_moment_once(database: Database) -> None:
    apply(database, inbound(NOW - 9000), conversation_event(NOW - 8000, "snoozed", until=NOW - 500))
    assert database.write(lambda connection: wake(connection, 1, NOW - 501)) == 0
    assert database.write(lambda connection: wake(connection, 1, NOW)) == 1
    assert database.write(lambda connection: wake(connection, 1, NOW)) == 0
    conversation = only(database, "conversation")
    assert (conversation["status"], conversation["folded_at"]) == (0, NOW - 500)


def test_a_turn_that_is_on_record_is_not_taken_again(database: Database) -> None:
    apply(database, *staff(), inbound(NOW - 9000), conversation_event(NOW - 8000, "resolved"))
    record = conversation_event(NOW - 8500, "assigned", user=None)
    apply(database, replace(record, external_id=f"round-robin:in-{NOW - 7000}"))
    arrive(database, inbound(NOW - 7000))
    assert assignees(database) == [None]
