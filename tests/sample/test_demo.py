"""The built-in sample inbox: contents, times and reproducibility."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import pytest

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import (
    CannedResponseUpsert,
    ChannelUpsert,
    ContactUpsert,
    ConversationEvent,
    CustomFieldUpsert,
    DomainEvent,
    LabelUpsert,
    MessageUpsert,
    NoteUpsert,
    Person,
    ReactionSet,
    StatusUpdate,
    TeamUpsert,
    TemplateUpsert,
    UserUpsert,
)
from frontdesk.sample.catalogue import LONDON, MADRID
from frontdesk.sample.demo import ME, SEED, create_demo, demo_parts, set_demo_hours
from frontdesk.sample.script import address
from frontdesk.store.business_hours import hours_of
from frontdesk.store.counters import counters, misplaced_entries, recount
from frontdesk.store.database import Database, Row
from frontdesk.store.sqlite import SQLiteDatabase
from tests.stores import Engine

NOW = 1_794_000_000_123
HOUR, DAY = 3_600_000, 86_400_000
ACCOUNT = 1
CATALOGUE = (
    CannedResponseUpsert
    | ChannelUpsert
    | CustomFieldUpsert
    | LabelUpsert
    | TeamUpsert
    | TemplateUpsert
    | UserUpsert
)
TYPES = {
    "text", "image", "video", "audio", "document", "sticker", "location", "contacts",
    "interactive", "template", "order", "reaction", "system", "unsupported",
}  # fmt: skip
AUTHORS = {
    "contact", "user", "ai_agent", "phone", "campaign", "api", "automation", "system",
}  # fmt: skip

Kind = TypeVar("Kind")


def demo_events(seed: int, now: int) -> list[DomainEvent]:
    return [event for part in demo_parts(seed, now) for event in part]


@pytest.fixture(scope="module")
def events() -> list[DomainEvent]:
    return demo_events(SEED, NOW)


def of(kind: type[Kind], events: list[DomainEvent]) -> list[Kind]:
    return [event for event in events if isinstance(event, kind)]


def threads(events: list[DomainEvent]) -> dict[tuple[str, Person], list[MessageUpsert]]:
    """The messages of each conversation, in their order in the sample."""
    found: dict[tuple[str, Person], list[MessageUpsert]] = {}
    for message in of(MessageUpsert, events):
        found.setdefault((message.channel, message.person), []).append(message)
    return found


def conversation_of(event: DomainEvent) -> tuple[str, Person] | None:
    if isinstance(event, MessageUpsert | NoteUpsert | ConversationEvent):
        return event.channel, event.person
    return None


def moments(event: DomainEvent) -> Iterator[int]:
    yield event.at
    if isinstance(event, ConversationEvent) and event.name == "read_marker":
        yield event.value["until"]


def test_the_same_seed_and_now_give_equal_events(events: list[DomainEvent]) -> None:
    assert demo_events(SEED, NOW) == events


def test_the_sample_is_that_of_the_pictures_and_the_documentation(
    events: list[DomainEvent],
) -> None:
    """Whoever changes it on purpose renews them, and the number here."""
    assert hashlib.sha256(repr(events).encode()).hexdigest()[:16] == "891fbc7e4e247bbd"


def test_another_seed_gives_another_inbox(events: list[DomainEvent]) -> None:
    assert demo_events(SEED + 1, NOW) != events


def test_a_later_now_moves_everything_and_changes_nothing_else(events: list[DomainEvent]) -> None:
    later = demo_events(SEED, NOW + 3 * DAY)
    assert [event.at + 3 * DAY for event in events] == [event.at for event in later]
    texts = [message.text for message in of(MessageUpsert, events)]
    assert texts == [message.text for message in of(MessageUpsert, later)]


@pytest.mark.parametrize("seed", range(5))
def test_nothing_happens_after_now(seed: int) -> None:
    assert max(at for event in demo_events(seed, NOW) for at in moments(event)) <= NOW


def test_the_newest_message_is_a_minute_or_two_old(events: list[DomainEvent]) -> None:
    newest = max(message.at for message in of(MessageUpsert, events))
    assert 60_000 <= NOW - newest <= 150_000


def test_a_couple_of_dozen_conversations_are_of_the_last_day(events: list[DomainEvent]) -> None:
    ends = [thread[-1].at for thread in threads(events).values()]
    assert 24 <= sum(NOW - end < DAY for end in ends) <= 40


def test_wamids_and_external_ids_are_unique(events: list[DomainEvent]) -> None:
    wamids = [message.wamid for message in of(MessageUpsert, events)]
    names = [note.external_id for note in of(NoteUpsert, events)]
    names += [event.external_id for event in of(ConversationEvent, events)]
    assert len(wamids) == len(set(wamids))
    assert len(names) == len(set(names))


def test_there_are_five_hundred_conversations_on_five_channels(events: list[DomainEvent]) -> None:
    found = threads(events)
    channels = {channel.phone_number_id for channel in of(ChannelUpsert, events)}
    assert len(found) == 500
    assert {channel for channel, _ in found} == channels
    assert len(channels) == 5


def test_many_contacts_write_on_a_second_channel(events: list[DomainEvent]) -> None:
    channels = Counter(person for _, person in threads(events))
    assert sum(count == 2 for count in channels.values()) > 60
    assert max(channels.values()) == 2


def test_one_thread_has_three_thousand_messages_and_most_are_short(
    events: list[DomainEvent],
) -> None:
    lengths = sorted(len(thread) for thread in threads(events).values())
    assert lengths[-1] == 3_000
    assert 8 <= sum(60 <= length <= 200 for length in lengths) <= 20
    assert sum(2 <= length <= 20 for length in lengths) > 440
    assert 7_000 <= sum(lengths) <= 9_000


def test_the_long_thread_goes_back_a_year(events: list[DomainEvent]) -> None:
    longest = max(threads(events).values(), key=len)
    assert 300 * DAY < longest[-1].at - longest[0].at < 430 * DAY


def test_every_message_type_is_there(events: list[DomainEvent]) -> None:
    assert {message.type for message in of(MessageUpsert, events)} == TYPES


def test_every_author_is_there_and_one_that_nobody_knows(events: list[DomainEvent]) -> None:
    kinds = {message.author.kind for message in of(MessageUpsert, events)}
    assert kinds == AUTHORS | {"kiosk"}


def test_audio_is_sometimes_a_voice_note(events: list[DomainEvent]) -> None:
    sounds = [message.media for message in of(MessageUpsert, events) if message.type == "audio"]
    assert {sound["voice"] for sound in sounds if sound} == {True, False}


def test_media_comes_with_the_media_types_only(events: list[DomainEvent]) -> None:
    carriers = {message.type for message in of(MessageUpsert, events) if message.media}
    assert carriers == {"image", "video", "audio", "document", "sticker"}


def test_interactive_messages_are_of_many_kinds(events: list[DomainEvent]) -> None:
    contents = [m.content for m in of(MessageUpsert, events) if m.type == "interactive"]
    kinds = {content["kind"] for content in contents if content}
    assert {"button_reply", "list_reply", "quick_reply", "flow_reply"} < kinds
    assert {"buttons", "list", "cta_url", "flow", "product_list", "carousel"} < kinds


def test_the_lines_of_an_order_add_up_to_what_the_shop_asks_for(events: list[DomainEvent]) -> None:
    asked = 0
    for thread in threads(events).values():
        for order, answer in pairwise(thread):
            if order.type != "order" or not answer.outbound:
                continue
            items = (order.content or {})["items"]
            total = sum(item["quantity"] * item["item_price"] for item in items)
            assert re.sub(r"\D", "", answer.text or "") == str(round(total * 100))
            asked += 1
    assert asked > 5


def test_the_answer_about_calls_says_that_they_are_allowed(events: list[DomainEvent]) -> None:
    contents = [message.content or {} for message in of(MessageUpsert, events)]
    answers = [content for content in contents if content.get("kind") == "call_permission_reply"]
    assert answers
    assert all(answer["response"] == {"response": "accept"} for answer in answers)


def test_replies_quote_an_earlier_message_of_the_thread(events: list[DomainEvent]) -> None:
    quoting = 0
    for thread in threads(events).values():
        said: set[str | None] = set()
        for message in thread:
            if message.reply_wamid:
                quoting += 1
                assert message.reply_wamid in said
            said.add(message.wamid)
    assert quoting > 100


def test_some_are_forwarded_and_some_come_from_an_ad(events: list[DomainEvent]) -> None:
    messages = of(MessageUpsert, events)
    assert any(message.forwarded for message in messages)
    assert any(message.referral for message in messages)


def test_reactions_are_to_messages_that_exist(events: list[DomainEvent]) -> None:
    wamids = {message.wamid for message in of(MessageUpsert, events)}
    reactions = of(ReactionSet, events)
    assert len(reactions) > 100
    assert {reaction.target_wamid for reaction in reactions} <= wamids


def test_nobody_reacts_to_their_own_message(events: list[DomainEvent]) -> None:
    outbound = {message.wamid: message.outbound for message in of(MessageUpsert, events)}
    reactions = of(ReactionSet, events)
    assert all(outbound[one.target_wamid] != one.outbound for one in reactions)


def test_a_customer_without_a_name_is_addressed_without_one(events: list[DomainEvent]) -> None:
    named = {contact.person for contact in of(ContactUpsert, events) if contact.name}
    sent = [one for one in of(MessageUpsert, events) if one.outbound and one.person not in named]
    texts = [one.text for one in sent if one.text]
    assert len(texts) > 20
    assert not [text for text in texts if re.search(r"👋| [,.!:]|^[,.!: ]|^[a-zà-ÿ]", text)]


@pytest.mark.parametrize(
    ("text", "first", "words"),
    [
        ("Updated, {first}.", "Ana", "Updated, Ana."),
        ("Updated, {first}.", "", "Updated."),
        ("Of course {first}!", "", "Of course!"),
        ("{first}, the label is here", "", "The label is here"),
        ("Thank you", "", "Thank you"),
    ],
)
def test_a_text_without_a_name_is_still_a_sentence(text: str, first: str, words: str) -> None:
    assert address(text, first) == words


def test_failed_deliveries_say_why(events: list[DomainEvent]) -> None:
    failed = [step for step in of(StatusUpdate, events) if step.status == "failed"]
    assert len(failed) > 5
    assert all(step.error and step.error.keys() == {"code", "title", "details"} for step in failed)
    assert len({step.error["code"] for step in failed if step.error}) >= 3


def test_messages_of_ours_were_sent_delivered_and_read(events: list[DomainEvent]) -> None:
    steps = {step.status for step in of(StatusUpdate, events)}
    assert {"sent", "delivered", "read", "failed"} == steps
    assert all(m.status is None for m in of(MessageUpsert, events) if not m.outbound)


def test_there_are_about_a_hundred_and_twenty_notes(events: list[DomainEvent]) -> None:
    assert 90 <= len(of(NoteUpsert, events)) <= 160


def test_labels_have_twenty_colours_and_only_they_are_used(events: list[DomainEvent]) -> None:
    labels = of(LabelUpsert, events)
    assert len({label.title for label in labels}) == len({label.color for label in labels}) == 20
    labelled = [event for event in of(ConversationEvent, events) if event.name == "labelled"]
    assert {event.value["title"] for event in labelled} <= {label.title for label in labels}


def test_users_differ_in_role_and_availability(events: list[DomainEvent]) -> None:
    users = of(UserUpsert, events)
    assert len(users) == 12
    assert {user.role for user in users} == {"agent", "administrator"}
    assert {user.availability for user in users} == {"online", "busy", "offline", None}
    assert sum(not user.active for user in users) == 1
    assert ME in {user.key for user in users}


def test_authors_and_assignees_are_users(events: list[DomainEvent]) -> None:
    keys = {user.key for user in of(UserUpsert, events)}
    written = {m.author.user for m in of(MessageUpsert, events) if m.author.kind == "user"}
    assigned = [event for event in of(ConversationEvent, events) if event.name == "assigned"]
    assert written | {event.value["user"] for event in assigned} <= keys


def test_teams_share_the_channels(events: list[DomainEvent]) -> None:
    teams = of(TeamUpsert, events)
    channels = {channel.phone_number_id for channel in of(ChannelUpsert, events)}
    assert len(teams) == 4
    assert {channel for team in teams for channel in team.channels} == channels
    assert all(team.members for team in teams)


def test_contacts_have_values_of_every_type_of_field(events: list[DomainEvent]) -> None:
    fields = of(CustomFieldUpsert, events)
    used = Counter(key for contact in of(ContactUpsert, events) for key in contact.custom_fields)
    assert {field.type for field in fields} == {
        "text", "number", "currency", "percent", "link", "date", "list", "checkbox",
    }  # fmt: skip
    assert used.keys() == {field.key for field in fields}
    assert min(used.values()) > 20


def test_some_contacts_hide_their_number_and_some_have_no_name(events: list[DomainEvent]) -> None:
    contacts = of(ContactUpsert, events)
    assert any(contact.person.phone is None and contact.username for contact in contacts)
    assert any(contact.name is None for contact in contacts)


def test_templates_sent_are_in_the_catalogue(events: list[DomainEvent]) -> None:
    known = {(one.name, one.language) for one in of(TemplateUpsert, events)}
    contents = [m.content for m in of(MessageUpsert, events) if m.type == "template"]
    assert len(known) == 12
    assert {(content["name"], content["language"]) for content in contents if content} <= known


def test_no_slot_is_left_unfilled(events: list[DomainEvent]) -> None:
    for event in events:
        if isinstance(event, MessageUpsert | NoteUpsert) and event.text:
            assert not set("{}[]") & set(event.text), event.text


def test_the_catalogue_comes_first(events: list[DomainEvent]) -> None:
    kinds = [isinstance(event, CATALOGUE) for event in events]
    assert kinds == sorted(kinds, reverse=True)


def test_conversations_follow_one_another_the_latest_first(events: list[DomainEvent]) -> None:
    order = [place for place in map(conversation_of, events) if place is not None]
    changes = sum(before != after for before, after in pairwise(order))
    ends = [thread[-1].at for thread in threads(events).values()]
    assert changes == len(set(order)) - 1
    assert ends == sorted(ends, reverse=True)


def test_the_events_of_each_conversation_are_in_order_of_time(events: list[DomainEvent]) -> None:
    for thread in threads(events).values():
        times = [message.at for message in thread]
        assert times == sorted(times)


class Inbox:
    """The sample applied to a store in slices."""

    def __init__(self, database: Database, events: list[DomainEvent], slice_length: int) -> None:
        self.database = database
        for start in range(0, len(events), slice_length):
            part = events[start : start + slice_length]
            self.database.write(lambda c, part=part: apply_events(c, ACCOUNT, part, now=NOW))

    def conversations(self) -> list[Row]:
        return self.database.read(lambda c: c.rows("SELECT * FROM conversation ORDER BY id"))


@pytest.fixture(scope="module")
def inbox(events: list[DomainEvent], engine: Engine) -> Iterator[Inbox]:
    with engine.fresh() as database:
        yield Inbox(database, events, 900)


def test_applied_in_slices_the_counts_equal_a_recount(inbox: Inbox) -> None:
    cells = inbox.database.read(lambda c: counters(c, ACCOUNT))
    assert cells == inbox.database.read(lambda c: recount(c, ACCOUNT))
    assert inbox.database.read(lambda c: misplaced_entries(c, ACCOUNT)) == []
    assert len(inbox.conversations()) == 500


def test_the_demo_has_business_hours_and_madrid_some_of_its_own(inbox: Inbox) -> None:
    set_demo_hours(inbox.database)
    hours = inbox.database.read(lambda c: hours_of(c, ACCOUNT))
    assert hours.calendar is not None
    assert hours.of(LONDON.id) == hours.calendar
    own = hours.of(MADRID.id)
    assert own is not None
    assert (own.zone.key, len(own.week[0])) == ("Europe/Madrid", 2)


def test_the_demo_has_the_same_counts_in_other_slices(inbox: Inbox, tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    create_demo(path, now=NOW)
    laid = SQLiteDatabase(path)
    cells = laid.read(lambda c: counters(c, ACCOUNT))
    assert cells == laid.read(lambda c: recount(c, ACCOUNT))
    assert cells == inbox.database.read(lambda c: counters(c, ACCOUNT))
    laid.close()


def test_the_first_slice_is_a_small_inbox_of_the_newest(events: list[DomainEvent]) -> None:
    first, rest = demo_parts(SEED, NOW)
    assert [*first, *rest] == events
    assert of(ChannelUpsert, first) == of(ChannelUpsert, events)
    assert 20 <= len(threads(first)) <= 40
    assert len(first) < 1_000


def test_applied_again_it_changes_nothing(inbox: Inbox, events: list[DomainEvent]) -> None:
    again = inbox.database.write(lambda c: apply_events(c, ACCOUNT, events, now=NOW))
    assert not again.messages.new
    assert not again.conversations.changed
    assert not again.events.new


def test_sixty_are_open_fifteen_snoozed_and_the_rest_resolved(inbox: Inbox) -> None:
    statuses = Counter(row["status"] for row in inbox.conversations())
    assert statuses == {0: 60, 1: 15, 2: 425}


def test_open_conversations_are_in_every_state(inbox: Inbox) -> None:
    rows = [row for row in inbox.conversations() if row["status"] == 0]
    window = [row for row in rows if (row["last_inbound_at"] or 0) > NOW - DAY]
    assert 5 <= sum(row["awaiting_human"] for row in rows) <= 20
    assert any(row["unread_count"] for row in rows)
    assert any(row["unread_count"] == 0 for row in rows)
    assert any(row["unread_count"] is None for row in rows)
    assert 10 < sum(row["waiting_since"] is not None for row in rows) < 50
    assert 5 < sum(row["assignee_id"] == 0 for row in rows) < 40
    assert 10 < len(window) < 50


def test_the_newest_conversation_shows_what_triage_is_about(inbox: Inbox) -> None:
    """Handed over by the AI, unread, with a note, waiting long, its reply window closing."""
    newest = max(inbox.conversations(), key=lambda row: row["last_activity_at"])
    assert (newest["awaiting_human"], newest["assignee_id"], newest["unread_count"]) == (1, 0, 3)
    assert NOW - newest["waiting_since"] > 8 * HOUR
    assert 0 < newest["last_inbound_at"] + DAY - NOW < HOUR
    authors = inbox.database.read(
        lambda c: c.rows(
            "SELECT author FROM message WHERE conversation_id=:id UNION ALL "
            "SELECT 'note' FROM note WHERE conversation_id=:id",
            {"id": newest["id"]},
        )
    )
    assert {row["author"] for row in authors} == {"contact", "ai_agent", "campaign", "note"}


def test_a_customer_waits_unless_answered_or_the_ai_handed_over(inbox: Inbox) -> None:
    answers = inbox.database.read(
        lambda c: c.rows(
            "SELECT conversation_id, direction FROM message WHERE type NOT IN "
            "('reaction', 'system') AND author NOT IN ('campaign', 'automation', 'kiosk') "
            "ORDER BY created_at, id"
        )
    )
    last = {row["conversation_id"]: row["direction"] for row in answers}
    for row in inbox.conversations():
        if row["status"] == 0:
            waits = row["awaiting_human"] == 1 or last[row["id"]] == 0
            assert (row["waiting_since"] is not None) == waits


def test_some_snoozes_end_and_some_wait_for_the_customer(inbox: Inbox) -> None:
    ends = [row["snoozed_until"] for row in inbox.conversations() if row["status"] == 1]
    assert any(end is None for end in ends)
    assert all(end > NOW for end in ends if end is not None)
    assert any(end is not None for end in ends)


def test_the_agent_of_the_demo_has_open_conversations(inbox: Inbox) -> None:
    mine = inbox.database.read(
        lambda c: c.row(
            "SELECT count(*) AS n FROM conversation, app_user WHERE app_user.key=:key "
            "AND assignee_id=app_user.id AND status=0",
            {"key": ME},
        )
    )
    assert mine is not None
    assert mine["n"] >= 5
