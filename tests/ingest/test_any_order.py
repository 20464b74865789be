"""Events in any order, repetition and batches give the same inbox."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.stores import Engine

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import (
    PROFILE_NAME,
    Author,
    ChannelUpsert,
    ContactUpsert,
    ConversationEvent,
    DomainEvent,
    MessageUpsert,
    NoteUpsert,
    Person,
    ReactionSet,
    StatusUpdate,
)
from frontdesk.store.conversations import previewed_id
from frontdesk.store.counters import counters, misplaced_entries, recount
from frontdesk.store.database import Connection, Row
from frontdesk.store.rollups import rollup_differences

pytestmark = pytest.mark.both_engines

START = 1_780_000_000_000
NOW = START + 60 * 24 * 60 * 60 * 1000
CHANNELS = ("101", "102")
PEOPLE = (
    Person(phone="+16505551234", wa_id="16505551234"),
    Person(wa_user_id="US.1"),
)
AUTHORS = (Author("user", user="ana"), Author("phone"), Author("ai_agent"), Author("campaign"))
WAMIDS = ("a", "b", "c", "d")
HAPPENINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("opened", {}),
    ("resolved", {}),
    ("snoozed", {"until": NOW}),
    ("assigned", {"user": "ana"}),
    ("assigned", {"user": None}),
    ("labelled", {"title": "vip", "on": True}),
    ("labelled", {"title": "VIP", "on": False}),
    ("labelled", {"title": "billing", "on": True}),
    ("bot_handoff", {}),
    ("read_marker", {"until": START + 20_000}),
)


@st.composite
def messages(draw: st.DrawFn, at: int, live: bool | None) -> MessageUpsert:
    outbound = draw(st.booleans())
    return MessageUpsert(
        channel=draw(st.sampled_from(CHANNELS)),
        person=draw(st.sampled_from(PEOPLE)),
        wamid=f"m{at}",
        at=at,
        outbound=outbound,
        author=draw(st.sampled_from(AUTHORS)) if outbound else Author("contact"),
        type=draw(st.sampled_from(("text", "text", "text", "system"))),
        source="webhook",
        text=f"said at {at}",
        live=draw(st.booleans()) if live is None else live,
    )


@st.composite
def deliveries(draw: st.DrawFn, at: int) -> StatusUpdate:
    """A status of a message that no other event has, so that it has a placeholder."""
    wamid = draw(st.sampled_from(WAMIDS))
    return StatusUpdate(
        channel=CHANNELS[0],
        person=PEOPLE[0],
        wamid=wamid,
        at=at,
        status=draw(st.sampled_from(("sent", "delivered", "read", "played", "failed"))),
    )


@st.composite
def sent_letters(draw: st.DrawFn, at: int) -> MessageUpsert:
    """The contents, or a poorer copy, of a message whose statuses may come first."""
    wamid = draw(st.sampled_from(WAMIDS))
    number = WAMIDS.index(wamid)
    return MessageUpsert(
        channel=CHANNELS[0],
        person=PEOPLE[0],
        wamid=wamid,
        at=START + number,
        outbound=True,
        author=AUTHORS[number],
        type="text",
        source="archive",
        text=wamid,
        status="sent",
    )


@st.composite
def asides(draw: st.DrawFn, at: int) -> DomainEvent:
    channel = draw(st.sampled_from(CHANNELS))
    person = draw(st.sampled_from(PEOPLE))
    kind = draw(st.sampled_from(("happening", "note", "reaction", "name", "channel")))
    if kind == "note":
        return NoteUpsert(channel, person, f"n{at}", at, "A note", Author("user", user="ana"))
    if kind == "reaction":
        target = draw(st.sampled_from(WAMIDS))
        emoji = draw(st.sampled_from(("👍", None)))
        return ReactionSet(CHANNELS[0], target, "me", emoji, at, False, "contact")
    if kind == "name":
        return ContactUpsert(
            person, at, name=f"N{at}", name_rank=PROFILE_NAME, profile_name=f"N{at}"
        )
    if kind == "channel":
        return ChannelUpsert(channel, at, phone=f"+1555078388{channel[-1]}")
    name, value = draw(st.sampled_from(HAPPENINGS))
    return ConversationEvent(channel, person, f"e{at}", at, name, value)


@st.composite
def facts(draw: st.DrawFn) -> list[DomainEvent]:
    """A few facts, no two at one moment: what comes first at one moment is a matter of arrival."""
    times = draw(st.lists(st.integers(10, 40), unique=True, min_size=1, max_size=14))
    kinds = (lambda at: messages(at, None), deliveries, sent_letters, asides)
    return [draw(draw(st.sampled_from(kinds))(START + 1000 * time)) for time in sorted(times)]


@st.composite
def facts_of_few_seconds(draw: st.DrawFn) -> list[DomainEvent]:
    """Messages of two seconds, answers and calls among them, with what happened meanwhile."""
    people = st.sampled_from([("contact", "text"), ("contact", "call"), ("user", "text")])
    others = st.sampled_from([("phone", "text"), ("ai_agent", "text"), ("api", "text")])
    said = draw(st.lists(st.tuples(st.integers(1, 2), people | others), min_size=2, max_size=9))
    events: list[DomainEvent] = [
        MessageUpsert(
            channel=CHANNELS[0],
            person=PEOPLE[0],
            wamid=f"{draw(st.integers(0, 99)):02}-{number}",
            at=START + 1000 * second,
            outbound=author != "contact",
            author=Author(author, user=f"u{number}" if author == "user" else None),
            type=type,
            source="webhook",
            text=f"{number}",
            content={"status": "answered"} if type == "call" else None,
            live=draw(st.booleans()),
        )
        for number, (second, (author, type)) in enumerate(said)
    ]
    happened = draw(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(HAPPENINGS)), max_size=3))
    events += [
        ConversationEvent(CHANNELS[0], PEOPLE[0], f"e{number}", START + 1000 * second, name, value)
        for number, (second, (name, value)) in enumerate(happened)
    ]
    return events


def inbox(engine: Engine, *batches: list[DomainEvent]) -> dict[str, Any]:
    """What readers find after some batches, without values that depend on the order of arrival."""
    with engine.fresh() as database:
        for batch in batches:
            database.write(
                lambda connection, batch=batch: apply_events(connection, 1, batch, now=NOW)
            )
        aside = max(
            (event.at for batch in batches for event in batch if not said(event)), default=0
        )
        return database.read(lambda connection: _contents(connection, aside))


def said(event: DomainEvent) -> bool:
    """Whether it alone decides a conversation's last activity, once the inbox knows it."""
    return isinstance(event, MessageUpsert) and event.type != "system"


def _contents(connection: Connection, aside: int) -> dict[str, Any]:
    assert counters(connection, 1) == recount(connection, 1)
    assert not misplaced_entries(connection, 1)
    assert not list(rollup_differences(connection, 1))
    stale = connection.rows(
        """
        SELECT c.id FROM conversation c JOIN message m ON m.conversation_id = c.id
        WHERE m.type <> 'system' AND m.created_at > c.last_activity_at
        """
    )
    assert not stale
    for row in connection.rows("SELECT id, last_message_json FROM conversation"):
        newest = connection.row(LAST_OF_THREAD, {"id": row["id"]})
        assert previewed_id(row["last_message_json"]) == (newest and newest["id"])
    found = {
        name: sorted(repr(unnumbered(row)) for row in connection.rows(sql))
        for name, sql in VIEWS.items()
    }
    active = connection.rows(LAST_ACTIVITY)
    return {**found, "last activity": sorted(repr(held_up(row, aside)) for row in active)}


def unnumbered(row: Row) -> dict[str, Any]:
    """A row without the id in its preview."""
    preview = row["last_message_json"] if "last_message_json" in row.keys() else None  # noqa: SIM118
    if preview is None:
        return dict(row)
    return {**row, "last_message_json": {**json.loads(preview), "id": None}}


def held_up(row: Row, aside: int) -> dict[str, Any]:
    """A last activity never falls: what comes before the first message may hold it up."""
    return {**row, "last_activity_at": max(row["last_activity_at"], aside)}


WHO = """
  JOIN channel ch ON ch.id = c.channel_id JOIN contact p ON p.id = c.contact_id
  LEFT JOIN app_user u ON u.id = c.assignee_id
"""
LAST_OF_THREAD = """
    SELECT id FROM message WHERE conversation_id = :id AND type NOT IN ('reaction', 'system')
    ORDER BY created_at DESC, direction DESC, id DESC LIMIT 1
"""
LAST_ACTIVITY = (
    f"SELECT phone_number_id, p.phone, wa_user_id, c.last_activity_at FROM conversation c {WHO}"
)
VIEWS = {
    "contacts": """
        SELECT phone, wa_id, wa_user_id, name, name_rank, name_key, profile_name, created_at
        FROM contact
        """,
    "channels": "SELECT phone_number_id, phone, name, name_key FROM channel",
    "conversations": f"""
        SELECT phone_number_id, p.phone, wa_user_id, c.status, u.key, awaiting_human, snoozed_until,
          unread_count, read_marker, waiting_since, first_reply_at, last_inbound_at, folded_at,
          status_known, unanswered_since, episode_at, handed_over_at, bot_spoke_at,
          phone_spoke_at, c.created_at,
          last_message_json
        FROM conversation c {WHO}
        """,
    "messages": f"""
        SELECT phone_number_id, p.phone, wa_user_id, m.created_at, direction, author, author_name,
          type, text, content_json, wamid, delivery_status, sent_at, delivered_at, read_at,
          played_at, failed_at, source, richness, live
        FROM message m JOIN conversation c ON c.id = m.conversation_id {WHO}
        """,
    "labels": f"""
        SELECT phone_number_id, p.phone, title_key FROM entry e
        JOIN conversation c ON c.id = e.conversation_id {WHO} JOIN label l ON l.id = e.label_id
        """,
    "reactions": "SELECT target_wamid, person, emoji, created_at FROM reaction",
    "notes": "SELECT external_id, text, author_name, created_at, updated_at FROM note",
    "measures": f"""
        SELECT phone_number_id, p.phone, wa_user_id, m.name, started_at, ended_at, writer.key
        FROM metric_event m JOIN conversation c ON c.id = m.conversation_id {WHO}
        LEFT JOIN app_user writer ON writer.id = m.user_id
        """,
    "rollups": """
        SELECT grain, bucket, phone_number_id, rollup.name, author, n, samples, total
        FROM rollup JOIN channel ON channel.id = channel_id
        """,
    "events": "SELECT external_id, name, value_json, created_at FROM conversation_event",
}


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_any_order_and_any_repetition_make_the_same_inbox(
    engine: Engine, data: st.DataObject
) -> None:
    incoming = data.draw(facts())
    shuffled = data.draw(st.permutations(incoming + data.draw(st.lists(st.sampled_from(incoming)))))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(shuffled)), max_size=4)))
    bounds = [0, *cuts, len(shuffled)]
    batches = [shuffled[start:end] for start, end in pairwise(bounds)]
    assert inbox(engine, *batches) == inbox(engine, incoming)


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_messages_of_one_second_make_the_same_inbox_in_any_order_but_for_the_last_one_stored(
    engine: Engine, data: st.DataObject
) -> None:
    incoming = data.draw(facts_of_few_seconds())
    shuffled = data.draw(st.permutations(incoming))
    cut = data.draw(st.integers(0, len(shuffled)))
    inboxes = [
        inbox(engine, *batches)
        for batches in ([incoming], [shuffled[:cut], shuffled[cut:]], [[each] for each in shuffled])
    ]
    for each in inboxes:
        each["conversations"] = [_TIED.sub("", row) for row in each["conversations"]]
    assert inboxes[0] == inboxes[1] == inboxes[2]


# What the preview says of one of several messages of one second and side.
_TIED = re.compile("'(author|type|text|delivery_status)': [^,}]+")


@settings(max_examples=8, deadline=None)
@given(incoming=facts(), data=st.data())
def test_applying_known_events_again_changes_nothing(
    engine: Engine, incoming: list[DomainEvent], data: st.DataObject
) -> None:
    again = data.draw(st.permutations(incoming))
    with engine.fresh() as database:
        database.write(lambda connection: apply_events(connection, 1, incoming, now=NOW))
        for event in again:
            database.write(
                lambda connection, event=event: apply_events(connection, 1, [event], now=NOW + 1)
            )
        revision = database.read(lambda connection: connection.row("SELECT * FROM account"))
        changed = database.read(
            lambda connection: connection.rows(
                "SELECT id FROM conversation WHERE updated_at > :now", {"now": NOW}
            )
        )
    assert revision is not None
    assert revision["revision"] == 1
    assert not changed
