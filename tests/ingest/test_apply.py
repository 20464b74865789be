"""Applying events to the store."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.ingest import webhooks
from tests.ingest.event_helpers import (
    ACCOUNT,
    ANA,
    CHANNEL,
    DAY,
    NOW,
    SHEENA,
    apply,
    conversation_event,
    delivery,
    inbound,
    only,
    outbound,
    revision,
    rows,
)

from frontdesk.ingest.apply.batch import InitialStatus, Tally, apply_events
from frontdesk.ingest.events import (
    PROFILE_NAME,
    ChannelUpsert,
    ContactUpsert,
    DomainEvent,
    NoteUpsert,
    Person,
    ReactionSet,
    UserUpsert,
)
from frontdesk.ingest.webhooks.normalise import normalise
from frontdesk.store.counters import counters, misplaced_entries, recount
from frontdesk.store.database import Connection, Database, Row


def test_the_first_message_makes_channel_contact_and_conversation(database: Database) -> None:
    applied = apply(database, inbound(NOW - 5))
    assert applied.messages == applied.contacts == applied.conversations == Tally(new=1)
    conversation = only(database, "conversation")
    assert only(database, "channel")["phone_number_id"] == CHANNEL
    assert only(database, "contact")["phone"] == "+16505551234"
    assert conversation["created_at"] == conversation["last_activity_at"] == NOW - 5
    assert conversation["waiting_since"] == NOW - 5
    assert revision(database) == 1


class CountingRows:
    """Connection that counts the rows it returns."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.dialect = connection.dialect
        self.run, self.run_many = connection.run, connection.run_many
        self.count = 0

    def rows(self, sql: str, parameters: Mapping[str, object] = {}) -> list[Row]:
        rows = self._connection.rows(sql, parameters)
        self.count += len(rows)
        return rows

    def row(self, sql: str, parameters: Mapping[str, object] = {}) -> Row | None:
        return next(iter(self.rows(sql, parameters)), None)


@pytest.mark.parametrize("stamped_at", [None, NOW + 10**9])
def test_more_messages_of_one_second_do_not_read_those_before_again(
    database: Database, stamped_at: int | None
) -> None:
    def rows_read(batch: int) -> int:
        events = [
            inbound(NOW - 5, f"{batch}-{number}", stamped_at=stamped_at) for number in range(40)
        ]

        def write(connection: Connection) -> int:
            counting = CountingRows(connection)
            apply_events(counting, ACCOUNT, events, now=NOW)
            return counting.count

        return database.write(write)

    first, *later = [rows_read(batch) for batch in range(5)]
    assert set(later) == {later[0]}
    assert later[0] < first + 20
    conversation = only(database, "conversation")
    assert conversation["waiting_since"] == conversation["last_inbound_at"] == NOW - 5
    assert json.loads(conversation["last_message_json"])["id"] == "200"


def test_the_last_message_is_ready_in_the_words_of_the_wire(database: Database) -> None:
    apply(database, inbound(NOW - 5000, text="a" * 300), outbound(NOW - 1000, text="Done 👍🏽"))
    assert json.loads(only(database, "conversation")["last_message_json"]) == {
        "id": "2",
        "direction": "outbound",
        "author": "phone",
        "type": "text",
        "text": "Done 👍🏽",
        "delivery_status": None,
        "created_at": "2026-05-28T20:26:39.000Z",
    }


def test_the_preview_follows_the_delivery_of_its_message(database: Database) -> None:
    apply(database, inbound(NOW - 5000), outbound(NOW - 1000, "out"))
    apply(database, delivery("out", "read", NOW))
    preview = json.loads(only(database, "conversation")["last_message_json"])
    assert preview["delivery_status"] == "read"


def test_a_failed_payment_leaves_the_delivery_of_its_message_as_it_is(database: Database) -> None:
    sent = webhooks.status("out", 1, "sent", recipient_id="16505551234")
    failed = webhooks.status("out", 2, "failed", type="payment", recipient_id="16505551234")
    for statuses in ([sent], [failed], [failed, sent]):
        payload = webhooks.body(webhooks.value(statuses=statuses))
        apply(database, *normalise(payload, live=True).events)
    out, paid = rows(database, "SELECT * FROM message ORDER BY created_at")
    assert (out["delivery_status"], out["failed_at"], out["error_json"]) == ("sent", None, None)
    assert (paid["type"], paid["text"]) == ("system", "Payment failed")
    assert (paid["reply_wamid"], paid["conversation_id"]) == ("out", out["conversation_id"])


def test_a_second_time_nothing_changes(database: Database) -> None:
    events = (
        ChannelUpsert(CHANNEL, NOW, phone="+15550783881"),
        ContactUpsert(SHEENA, NOW, name="Sheena", name_rank=PROFILE_NAME, profile_name="Sheena"),
        inbound(NOW - 50),
        outbound(NOW - 40, "out", author=ANA),
        delivery("out", "delivered", NOW - 30),
        ReactionSet(CHANNEL, "out", "sheena", "👍", NOW - 20, False, "contact"),
        NoteUpsert(CHANNEL, SHEENA, "note-1", NOW - 10, "Promised a call", ANA),
        conversation_event(NOW - 9, "labelled", title="vip", on=True),
        conversation_event(NOW - 8, "assigned", user="ana@example.com"),
        conversation_event(NOW - 7, "resolved"),
        replace(inbound(NOW - 6), wamid=None),
    )
    first = apply(database, *events)
    before = {table: rows(database, f"SELECT * FROM {table}") for table in TABLES}
    again = apply(database, *events, now=NOW + DAY)
    assert {table: rows(database, f"SELECT * FROM {table}") for table in TABLES} == before
    assert again.messages == Tally(known=first.messages.new)
    assert again.statuses == again.reactions == again.notes == Tally(known=1)
    assert again.events == Tally(known=3)
    assert revision(database) == 1


TABLES = (
    "account",
    "cell",
    "channel",
    "contact",
    "conversation",
    "conversation_event",
    "entry",
    "last_id",
    "message",
    "note",
    "reaction",
)


@pytest.mark.parametrize("steps", [("sent", "read", "delivered"), ("read", "sent", "delivered")])
def test_a_delivery_status_never_goes_down(database: Database, steps: tuple[str, ...]) -> None:
    apply(database, outbound(NOW - 100, "out"))
    times = {"sent": NOW - 90, "delivered": NOW - 80, "read": NOW - 70}
    for step in steps:
        apply(database, delivery("out", step, times[step]))
    message = only(database, "message")
    assert message["delivery_status"] == "read"
    assert {step: message[f"{step}_at"] for step in times} == times


def test_a_failure_after_delivery_keeps_the_status_and_its_reason(database: Database) -> None:
    error = {"code": 131026, "title": "Undeliverable", "details": None}
    apply(database, outbound(NOW - 100, "out"), delivery("out", "delivered", NOW - 90))
    apply(database, delivery("out", "failed", NOW - 80, error=error))
    message = only(database, "message")
    assert (message["delivery_status"], message["failed_at"]) == ("delivered", NOW - 80)
    assert json.loads(message["error_json"]) == error


def test_a_status_of_an_unknown_message_makes_a_placeholder(database: Database) -> None:
    apply(database, inbound(NOW - 500), delivery("out", "delivered", NOW - 80))
    apply(database, delivery("out", "sent", NOW - 90))
    placeholder = rows(database, "SELECT * FROM message WHERE wamid = 'out'")[0]
    assert (placeholder["author"], placeholder["type"]) == ("api", "unsupported")
    assert json.loads(placeholder["content_json"])["reason"] == "content_not_received"
    assert placeholder["created_at"] == NOW - 90
    assert only(database, "conversation")["waiting_since"] is None


def test_contents_replace_a_placeholder_and_never_the_reverse(database: Database) -> None:
    apply(database, delivery("out", "delivered", NOW - 80))
    apply(database, outbound(NOW - 100, "out", text="Hello"))
    apply(database, replace(outbound(NOW - 50, "out"), richness=0, type="unsupported", text=None))
    message = only(database, "message")
    assert (message["author"], message["text"], message["created_at"]) == (
        "phone",
        "Hello",
        NOW - 100,
    )
    assert message["delivered_at"] == NOW - 80


def test_a_status_of_nobodys_message_is_counted_as_ignored(database: Database) -> None:
    applied = apply(database, replace(delivery("out", "sent", NOW), person=None))
    assert applied.ignored == 1
    assert not rows(database, "SELECT * FROM message")


def test_a_late_message_is_folded_in_its_place(database: Database) -> None:
    apply(database, inbound(NOW - 100), conversation_event(NOW - 50, "resolved"))
    apply(database, inbound(NOW - 70), outbound(NOW - 60, author=ANA))
    conversation = only(database, "conversation")
    assert conversation["status"] == 2
    assert conversation["first_reply_at"] == NOW - 60
    assert (conversation["read_marker"], conversation["unread_count"]) == (NOW - 60, 0)


def test_activity_never_goes_back(database: Database) -> None:
    apply(database, inbound(NOW - 100))
    apply(database, inbound(NOW - 900))
    conversation = only(database, "conversation")
    assert (conversation["last_activity_at"], conversation["created_at"]) == (NOW - 100, NOW - 900)
    assert json.loads(conversation["last_message_json"])["text"] == f"said at {NOW - 100}"


def test_notes_and_events_are_no_activity(database: Database) -> None:
    apply(database, inbound(NOW - 100))
    apply(
        database,
        NoteUpsert(CHANNEL, SHEENA, "n", NOW - 10, "A note", ANA),
        conversation_event(NOW - 9, "labelled", title="vip", on=True),
    )
    assert only(database, "conversation")["last_activity_at"] == NOW - 100


def test_labels_and_assignees_are_in_the_filter_table(database: Database) -> None:
    apply(
        database,
        UserUpsert("ana@example.com", "Ana", NOW - DAY),
        inbound(NOW - 100),
        conversation_event(NOW - 90, "labelled", title="VIP", on=True),
        conversation_event(NOW - 80, "labelled", title="billing", on=True),
        conversation_event(NOW - 70, "assigned", user="ana@example.com"),
    )
    apply(database, conversation_event(NOW - 60, "labelled", title="vip", on=False))
    entries = rows(
        database,
        "SELECT title, state, entry.assignee_id FROM entry LEFT JOIN label ON label.id = label_id",
    )
    assert {tuple(entry.values()) for entry in entries} == {(None, 1, 1), ("billing", 1, 1)}


def test_the_counters_equal_a_recount_through_every_change(database: Database) -> None:
    steps: list[DomainEvent] = [
        inbound(NOW - 100),
        conversation_event(NOW - 90, "labelled", title="vip", on=True),
        conversation_event(NOW - 80, "bot_handoff"),
        conversation_event(NOW - 70, "assigned", user="ana@example.com"),
        outbound(NOW - 60, author=ANA),
        inbound(NOW - 50),
        conversation_event(NOW - 40, "snoozed", until=NOW + DAY),
        conversation_event(NOW - 30, "resolved"),
        conversation_event(NOW - 20, "labelled", title="vip", on=False),
        conversation_event(NOW - 10, "assigned", user=None),
        inbound(NOW),
    ]
    for step in steps:
        apply(database, step)
        stored, counted, wrong = database.read(
            lambda connection: (
                counters(connection, ACCOUNT),
                recount(connection, ACCOUNT),
                misplaced_entries(connection, ACCOUNT),
            )
        )
        assert stored == counted
        assert not wrong
    assert sum(stored.values()) == 1


@pytest.mark.parametrize(
    ("choice", "status"), [("auto", 2), ("open", 0), ("resolved", 2)], ids=lambda value: str(value)
)
def test_silent_back_fill_starts_as_asked(
    database: Database, choice: InitialStatus, status: int
) -> None:
    apply(database, inbound(NOW - 30 * DAY, live=False), initial_status=choice)
    conversation = only(database, "conversation")
    assert conversation["status"] == status
    assert (conversation["waiting_since"] is None) == (status == 2)


@pytest.mark.parametrize("newest_first", [False, True])
def test_back_fill_in_several_batches_starts_by_its_newest_message(
    database: Database, newest_first: bool
) -> None:
    batches = [inbound(NOW - 30 * DAY, live=False), inbound(NOW - DAY, live=False)]
    for said in reversed(batches) if newest_first else batches:
        apply(database, said)
    conversation = only(database, "conversation")
    assert conversation["status"] == 0
    assert conversation["waiting_since"] == NOW - 30 * DAY


def test_a_live_message_reopens_what_back_fill_left_resolved(database: Database) -> None:
    apply(database, inbound(NOW - 30 * DAY, live=False))
    apply(database, inbound(NOW))
    assert only(database, "conversation")["status"] == 0


def test_the_live_copy_of_a_back_filled_message_counts(database: Database) -> None:
    apply(database, inbound(NOW - 30 * DAY, live=False))
    apply(database, inbound(NOW - 30 * DAY))
    assert only(database, "conversation")["status"] == 0


def test_a_reaction_is_the_latest_of_its_person(database: Database) -> None:
    def reaction(emoji: str | None, at: int) -> ReactionSet:
        return ReactionSet(CHANNEL, "in", "sheena", emoji, at, False, "contact")

    events = inbound(NOW - 90, "in"), reaction("❤️", NOW - 50), reaction("👍", NOW - 80)
    assert apply(database, *events).reactions == Tally(new=1, known=1)
    assert only(database, "reaction")["emoji"] == "❤️"
    assert apply(database, reaction(None, NOW - 40), now=NOW + 5).reactions == Tally(changed=1)
    assert only(database, "reaction")["emoji"] == ""
    assert only(database, "conversation")["updated_at"] == NOW + 5


def test_a_later_wording_replaces_a_note(database: Database) -> None:
    note = NoteUpsert(CHANNEL, SHEENA, "n", NOW - 10, "Call on Monday", ANA)
    later = replace(note, at=NOW - 5, text="Call on Tuesday")
    assert apply(database, note, later).notes == Tally(new=1, changed=1)
    stale = replace(note, at=NOW - 7, text="Call on Sunday")
    assert apply(database, stale, replace(later, at=NOW)).notes == Tally(known=2)
    row = only(database, "note")
    assert (row["text"], row["created_at"], row["updated_at"]) == (
        "Call on Tuesday",
        NOW - 10,
        NOW - 5,
    )


def test_accounts_do_not_meet(database: Database) -> None:
    for account_id in (1, 2):
        database.write(
            lambda connection, account_id=account_id: apply_events(
                connection, account_id, [inbound(NOW)], now=NOW
            )
        )
    found = rows(database, "SELECT account_id, id FROM conversation ORDER BY account_id")
    assert [tuple(row.values()) for row in found] == [(1, 1), (2, 1)]


def test_many_at_once_are_what_one_after_the_other_is(database: Database) -> None:
    said = [
        inbound(NOW - 10_000 + step, person=Person(phone=f"+1650555{step % 700:04d}"))
        for step in range(1_500)
    ]
    applied = apply(database, *said)
    assert applied.messages == Tally(new=1_500)
    assert applied.conversations == Tally(new=700)
    again = apply(database, *said)
    assert again.messages == Tally(known=1_500)


def test_the_sending_of_a_message_of_a_chat_export_is_that_message(database: Database) -> None:
    apply(database, replace(outbound(NOW - DAY, source="chat_export"), wamid=None))
    sent = apply(database, delivery("wamid.9", "sent", NOW - DAY + 1_000))
    message = only(database, "message")
    assert (message["wamid"], message["delivery_status"]) == ("wamid.9", "sent")
    preview = json.loads(only(database, "conversation")["last_message_json"])
    assert preview["delivery_status"] == "sent"
    assert sent.statuses == Tally(changed=1)


@pytest.mark.parametrize(
    ("emojis", "kept"), [(("👍", "❤️"), "👍"), (("👍", None), ""), ((None, "❤️"), "")]
)
def test_of_two_reactions_at_once_the_same_holds_in_both_orders(
    database: Database, emojis: tuple[str | None, str | None], kept: str
) -> None:
    for channel, order in (("1", emojis), ("2", emojis[::-1])):
        for emoji in order:
            apply(database, ReactionSet(channel, "in", "sheena", emoji, NOW, False, "contact"))
    assert {row["emoji"] for row in rows(database, "SELECT emoji FROM reaction")} == {kept}


def test_reactions_of_several_persons_and_sides_stand_beside_each_other(
    database: Database,
) -> None:
    for person, outbound_ in (("sheena", False), ("business", True)):
        author = "phone" if outbound_ else "contact"
        apply(database, ReactionSet(CHANNEL, "in", person, "👍", NOW, outbound_, author))
    found = rows(database, "SELECT person, direction, author FROM reaction ORDER BY person")
    assert [tuple(row.values()) for row in found] == [
        ("business", 1, "phone"),
        ("sheena", 0, "contact"),
    ]


def test_a_note_is_changed_by_a_later_text_alone(database: Database) -> None:
    note = NoteUpsert(CHANNEL, SHEENA, "n", NOW - 10, "Call", ANA)
    assert apply(database, note).notes == Tally(new=1)
    for at, text, tally in (
        (NOW - 10, "Other", Tally(known=1)),
        (NOW - 11, "Other", Tally(known=1)),
        (NOW - 9, "Call", Tally(known=1)),
        (NOW - 8, "Later", Tally(changed=1)),
        (NOW - 9, "Call", Tally(known=1)),
    ):
        assert apply(database, replace(note, at=at, text=text)).notes == tally
    row = only(database, "note")
    assert (row["text"], row["created_at"], row["updated_at"]) == ("Later", NOW - 10, NOW - 8)


def test_an_event_is_told_once_by_its_id(database: Database) -> None:
    event = conversation_event(NOW - 10, "resolved")
    assert apply(database, event, event).events == Tally(new=1, known=1)
    assert apply(database, replace(event, name="opened")).events == Tally(known=1)
    assert only(database, "conversation")["status"] == 2


def test_a_label_is_put_on_unless_it_is_taken_off(database: Database) -> None:
    apply(database, conversation_event(NOW - 10, "labelled", title="vip"))
    assert len(rows(database, "SELECT * FROM entry WHERE label_id > 0")) == 1
    apply(database, conversation_event(NOW - 9, "labelled", title="VIP", on=False))
    assert rows(database, "SELECT * FROM entry WHERE label_id > 0") == []
