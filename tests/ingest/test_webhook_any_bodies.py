"""Webhook bodies in any order, repetition and batches give the same inbox."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest import webhooks
from tests.ingest.test_any_order import AUTHORS, HAPPENINGS, NOW, VIEWS, unnumbered
from tests.ingest.webhooks import SECONDS, body, history, status, text, value
from tests.stores import Engine

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import (
    ConversationEvent,
    DomainEvent,
    LabelUpsert,
    MessageUpsert,
    Person,
    TeamUpsert,
    UserUpsert,
)
from frontdesk.ingest.webhooks.normalise import normalise
from frontdesk.store.database import Connection

ANA, BRUNO, CLEO, DORA = "16505550001", "16505550002", "34600000001", "16505550004"
# Cleo has another number from this second on.
MOVED_AT, CLEO_LATER = 20, "34600000002"
WAMIDS = 8


class Shown(NamedTuple):
    """How a body names a person."""

    number: str | None
    user_id: str | None

    def members(self, number_name: str, user_name: str) -> dict[str, str]:
        payload = {number_name: self.number, user_name: self.user_id}
        return {name: value for name, value in payload.items() if value is not None}


def shown(index: int, second: int, how: str) -> Shown:
    """Message number so-and-so is always with the same person."""
    person = (ANA, BRUNO, CLEO, DORA)[index % 4]
    if person == CLEO:
        return Shown(CLEO if second < MOVED_AT else CLEO_LATER, None)
    if person == DORA or how == "number":
        return Shown(person, None)
    user_id = f"US.{index % 4}"
    return Shown(None, user_id) if how == "user" else Shown(person, user_id)


def channel(index: int) -> str:
    return ("101", "102")[index // 4 % 2]


def outbound(index: int) -> bool:
    return index % 3 == 0


def contacts(person: Shown, name: str) -> list[dict[str, Any]]:
    payload = {"profile": {"name": name, "username": name.lower()}}
    return [payload | person.members("wa_id", "user_id")]


def said(index: int, how: str, **members: Any) -> dict[str, Any]:
    """The change that brings message number so-and-so, which has a time of its own."""
    second = 10 + 3 * index // 2
    person = shown(index, second, how)
    if outbound(index):
        members = {**person.members("to", "to_user_id"), "from": "1", **members}
        echo = text(f"m{index}", second, **members)
        return body(value(channel(index), message_echoes=[echo]), "smb_message_echoes")
    members = {**person.members("from", "from_user_id"), **members}
    payload = text(f"m{index}", second, **members)
    return body(
        value(channel(index), messages=[payload], contacts=contacts(person, f"N{second % 4}"))
    )


def past(index: int, step: str, **members: Any) -> dict[str, Any]:
    """The same message as the history has it."""
    second = 10 + 3 * index // 2
    person = shown(index, second, "number")
    message = text(f"m{index}", second, history_context={"status": step}, **members)
    message["from"] = webhooks.NUMBERS[channel(index)] if outbound(index) else person.number
    return history(channel(index), person.number or "", message)


def about(kind: str, index: int, second: int, **members: Any) -> dict[str, Any]:
    """A message that does something to message number so-and-so."""
    sender = shown(index, second, "number").members("from", "from_user_id")
    if outbound(index):
        sender = shown(index, second, "number").members("to", "to_user_id")
    element = {"id": f"{kind}{index}at{second}", "timestamp": str(SECONDS + second), "type": kind}
    element |= {**sender, **members}
    place = "message_echoes" if outbound(index) else "messages"
    return body(value(channel(index), **{place: [element]}))


def edit(index: int, second: int) -> dict[str, Any]:
    after = {"type": "text", "text": {"body": f"edited at {second}"}}
    payload = {"original_message_id": f"m{index}", "message": after}
    return about("edit", index, second, edit=payload)


def upkeep(second: int, **members: Any) -> dict[str, Any]:
    return body(members, "any", SECONDS + second)


@st.composite
def spoken(draw: st.DrawFn, second: int) -> dict[str, Any]:
    index = draw(st.integers(0, WAMIDS - 1))
    how = draw(st.sampled_from(("number", "user", "both")))
    form = draw(st.sampled_from(("live", "live", "history", "placeholder", "contents")))
    if form == "live":
        return said(index, how)
    if form == "placeholder":
        return past(index, "DELIVERED", type="media_placeholder")
    return past(index, "READ" if form == "history" else "delivered")


@st.composite
def amended(draw: st.DrawFn, second: int) -> dict[str, Any]:
    index = draw(st.integers(0, WAMIDS - 1))
    kind = draw(st.sampled_from(("edit", "edit", "revoke", "reaction", "status", "status")))
    if kind == "edit":
        return edit(index, second)
    if kind == "revoke":
        return about("revoke", index, second, revoke={"original_message_id": f"m{index}"})
    if kind == "reaction":
        emoji = draw(st.sampled_from(("👍", "❤️", "", None)))
        payload = {"message_id": f"m{index}"} | ({} if emoji is None else {"emoji": emoji})
        return about("reaction", index, second, reaction=payload)
    # Statuses of our own messages; some lack the recipient.
    index = draw(st.sampled_from([number for number in range(WAMIDS) if outbound(number)]))
    whom = shown(index, 10 + 3 * index // 2, "number").members("recipient_id", "recipient_user_id")
    members: dict[str, Any] = draw(st.sampled_from((whom, whom, {})))
    step = draw(st.sampled_from(("sent", "delivered", "read", "played", "failed", "paid")))
    if step == "paid":
        payload = status(f"m{index}", second, "failed", type="payment", **whom)
        return body(value(channel(index), statuses=[payload]))
    if step == "failed":
        members |= {"errors": [{"code": 131026, "title": "Undeliverable"}]}
    category = draw(st.sampled_from(("service", "marketing", None)))
    pricing = {"category": category, "billable": draw(st.booleans()), "type": "regular"}
    payload = status(f"m{index}", second, step, pricing=pricing, **members)
    return body(value(channel(index), statuses=[payload]))


@st.composite
def kept_up(draw: st.DrawFn, second: int) -> dict[str, Any]:
    kind = draw(st.sampled_from(("book", "moved", "limit", "name", "status", "quality", "parts")))
    template = {
        "message_template_id": 77,
        "message_template_name": "order",
        "message_template_language": "en",
    }
    if kind == "book":
        phone = draw(st.sampled_from((ANA, DORA)))
        contact = {"full_name": f"Book {second}", "phone_number": phone}
        action = draw(st.sampled_from(("add", "remove")))
        when = {"timestamp": str(SECONDS + second)}
        synced = {"type": "contact", "contact": contact, "action": action, "metadata": when}
        return body(value(state_sync=[synced]), "smb_app_state_sync")
    if kind == "moved":
        system = {"type": "user_changed_number", "wa_id": CLEO_LATER, "body": "moved"}
        payload = text("moved", MOVED_AT, type="system", system=system)
        return body(value(messages=[{**payload, "from": CLEO}]))
    number = {"display_phone_number": "+1 555-078-3882"}
    changes: dict[str, dict[str, Any]] = {
        "limit": {**number, "event": "UPGRADE", "current_limit": f"TIER_{second}"},
        "name": {**number, "decision": "APPROVED", "requested_verified_name": f"V{second}"},
        "status": {**template, "event": "REJECTED", "reason": f"R{second}"},
        "quality": {**template, "new_quality_score": ("GREEN", "RED")[second % 2]},
        "parts": {**template, "message_template_element": f"Body {second}"},
    }
    return upkeep(second, **changes[kind])


@st.composite
def odd(draw: st.DrawFn, second: int) -> dict[str, Any]:
    """A wrong clock, a type from tomorrow, a group, an error, and somebody's own number."""
    kind = draw(st.sampled_from(("clock", "type", "group", "error", "own")))
    if kind == "clock":
        return body(value(messages=[text(f"c{second}", second + 3600, **{"from": DORA})]))
    if kind == "error":
        return body(value(errors=[{"code": 131031}]))
    if kind == "own":
        card = {"origin": "contact_request", "phones": [{"wa_id": BRUNO}]}
        payload = text(f"o{second}", second, type="contacts", contacts=[card], from_user_id="US.1")
        return body(value(messages=[payload]))
    members = {"type": "hologram", "hologram": {"a": 1}} if kind == "type" else {"group_id": "g"}
    return body(value(messages=[text(f"x{second}", second, **{"from": ANA}, **members)]))


@st.composite
def native(draw: st.DrawFn, second: int) -> list[DomainEvent]:
    """What comes through other doors."""
    at = (SECONDS + second) * 1000
    kind = draw(st.sampled_from(("happening", "sent", "user", "label", "team")))
    dora = Person(f"+{DORA}", DORA)
    if kind == "sent":
        index = draw(st.sampled_from((0, 3, 6)))
        moment = 10 + 3 * index // 2
        to = shown(index, moment, "number").number
        return [
            MessageUpsert(
                channel=channel(index),
                person=Person(f"+{to}", to),
                wamid=f"m{index}",
                at=(SECONDS + moment) * 1000,
                outbound=True,
                author=AUTHORS[index // 3],
                type="text",
                source="archive",
                text="sent through the API",
                live=False,
            )
        ]
    if kind == "user":
        return [UserUpsert("ana", f"Ana {second}", at, email=f"{second}@example.com")]
    if kind == "label":
        return [LabelUpsert("VIP", at, f"#00000{second % 10}")]
    if kind == "team":
        return [TeamUpsert("Days", at, channels=("101", "102")[: second % 3], members=("ana",))]
    name, payload = draw(st.sampled_from(HAPPENINGS))
    return [
        ConversationEvent(
            "101", dora, f"e{HAPPENINGS.index((name, payload))}at{second}", at, name, payload
        )
    ]


@st.composite
def facts(draw: st.DrawFn) -> list[list[DomainEvent]]:
    """The events of a few bodies, each of its own second: `test_any_order` has those of one."""
    # Numbered messages are of the seconds that three does not divide.
    thirds = draw(st.lists(st.integers(3, 14), unique=True, min_size=2, max_size=10))
    found: list[list[DomainEvent]] = []
    for second in [3 * third for third in sorted(thirds)]:
        kind = draw(st.sampled_from((spoken, spoken, amended, amended, kept_up, odd, native)))
        drawn = draw(kind(second))
        if isinstance(drawn, list):
            found.append(drawn)
        else:
            received_at = (SECONDS + second) * 1000
            found.append([*normalise(drawn, live=True, received_at=received_at).events])
    return found


MORE_VIEWS = VIEWS | {
    "contacts": """
        SELECT phone, wa_id, wa_user_id, username, name, name_rank, name_key, profile_name,
          facts_json, phone_at, user_at, created_at, search FROM contact
        """,
    "aliases": """
        SELECT alias.phone AS alias, contact.phone, contact.wa_user_id FROM contact_alias alias
        LEFT JOIN contact ON contact.id = alias.contact_id
        """,
    "channels": """
        SELECT phone_number_id, phone, name, name_key, verified_name, name_status, messaging_limit,
          times_json, created_at FROM channel
        """,
    "templates": """
        SELECT id, name, language, status, rejected_reason, quality_score, components_json,
          times_json FROM template
        """,
    "users": "SELECT key, name, name_key, email, times_json, created_at FROM app_user",
    "label titles": "SELECT title, color, times_json, created_at FROM label",
    "teams": """
        SELECT team.name, times_json, phone_number_id FROM team
        LEFT JOIN team_channel linked ON linked.team_id = team.id
        LEFT JOIN (SELECT id, phone_number_id FROM channel) number ON number.id = linked.channel_id
        """,
    "amended messages": """
        SELECT wamid, created_at, direction, author, author_name, type, text, content_json,
          media_json, delivery_status, sent_at, delivered_at, read_at, played_at, failed_at,
          error_json, source, richness, live, category, billable,
          pricing_model, pricing_type, priced_at, edited_at, deleted_at, stamped_at, raw_json
        FROM message
        """,
    "orphans": "SELECT target, kind, created_at FROM orphan",
    "pricing": """
        SELECT grain, bucket, phone_number_id, author, category, type, n, billable
        FROM pricing_rollup JOIN (SELECT id, phone_number_id FROM channel) number
          ON number.id = channel_id
        """,
}


def inbox(
    engine: Engine, batches: list[list[list[DomainEvent]]], views: Mapping[str, str] = MORE_VIEWS
) -> dict[str, list[str]]:
    """What readers find after some batches, without values that depend on the order of arrival."""
    with engine.fresh() as database:
        for batch in batches:
            events = [event for facts in batch for event in facts]
            database.write(
                lambda connection, events=events: apply_events(connection, 1, events, now=NOW)
            )
        return database.read(lambda connection: _contents(connection, views))


def _contents(connection: Connection, views: Mapping[str, str]) -> dict[str, list[str]]:
    assert [*differences(connection, 1)] == []
    return {
        name: sorted(repr(unnumbered(row)) for row in connection.rows(sql))
        for name, sql in views.items()
    }


@settings(max_examples=12, deadline=None)
@given(payload=facts(), data=st.data())
def test_any_order_any_repetition_and_any_batches_of_bodies_make_the_same_inbox(
    engine: Engine, payload: list[list[DomainEvent]], data: st.DataObject
) -> None:
    again = data.draw(st.lists(st.sampled_from(payload), max_size=3))
    shuffled = data.draw(st.permutations(payload + again))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(shuffled)), max_size=5)))
    bounds = [0, *cuts, len(shuffled)]
    batches = [list(shuffled[start:end]) for start, end in pairwise(bounds)]
    assert inbox(engine, batches) == inbox(engine, [payload])
