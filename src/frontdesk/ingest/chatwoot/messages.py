"""Converts Chatwoot messages, private notes and activities to native lines (pure)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from frontdesk.ingest.chatwoot.catalogue import Line, milliseconds, user_key
from frontdesk.ingest.chatwoot.contents import attributes_of, contents_of, note_text, text_of
from frontdesk.ingest.json_reader import JsonObject, Malformed
from frontdesk.wire import timestamp

_TYPES = _INBOUND, _OUTBOUND, _ACTIVITY, _TEMPLATE = 0, 1, 2, 3
_STATUSES: Mapping[str, str] = {
    "progress": "pending",
    **{status: status for status in ("sent", "delivered", "read", "failed")},
}
_BOTS = frozenset(("agent_bot", "captain_assistant", "captain::assistant", "agentbot"))


@dataclass(frozen=True, slots=True)
class ChatContext:
    """Channel and contact of messages. account: Chatwoot's, used in generated ids."""

    account: str
    channel: str
    phone: str
    keep_urls: bool = False

    def members(self) -> Line:
        return {"channel": self.channel, "contact": {"phone": self.phone}}


def message_lines(
    row: JsonObject, place: ChatContext, users: Mapping[str, str], wamids: Mapping[str, str]
) -> Iterator[Line]:
    """Convert a message to one line, plus one per further attachment; a private one to a note.

    users: user keys, wamids: those of the conversation's messages, both by Chatwoot id. Raises:
    Malformed.
    """
    at = milliseconds(row.members.get("created_at"))
    if at is None:
        raise Malformed("created_at is missing")
    kind = row.number("message_type")
    if kind not in _TYPES:
        raise Malformed(f"its message_type {kind} is none of 0 to 3")
    if row.flag("private"):
        yield _note(row, place, users, at)
        return
    wamid = row.optional_id("source_id")
    # Without a wamid a message is identified by its time. Chatwoot has whole seconds; the
    # milliseconds are derived from the id.
    moment = timestamp(at if wamid else at + row.number("id") % 1000)
    base = {
        "kind": "message",
        "v": 1,
        **place.members(),
        "created_at": moment,
        "source": "chatwoot",
        **_author_members(row, users),
    }
    if kind == _ACTIVITY:
        yield base | {"type": "system", "text": text_of(row), "content": {"event": "activity"}}
        return
    context = _context(row, moment, wamids)
    if attributes_of(row).get("is_reaction") and context["reply_to"]:
        yield _reaction(row, base, context["reply_to"]["wamid"])
        return
    yield from _parts(row, place, base | {"wamid": wamid} | _delivery(row, moment) | context)


def with_own_moments(lines: Iterable[Line]) -> Iterator[Line]:
    """Make times of messages without a wamid unique within a conversation.

    Later messages of the same time, direction, type and text are moved by milliseconds.
    """
    places: set[tuple[object, ...]] = set()
    for line in lines:
        if line["kind"] != "message" or line.get("wamid"):
            yield line
            continue
        at = milliseconds(line["created_at"]) or 0
        while (key := (at, line["direction"], line["type"], line.get("text"))) in places:
            at += 1
        places.add(key)
        yield line | {"created_at": timestamp(at)}


def _note(row: JsonObject, place: ChatContext, users: Mapping[str, str], at: int) -> Line:
    text = note_text(row, keep_urls=place.keep_urls)
    if text is None:
        raise Malformed("it is a private note with neither a text nor a file")
    return {
        "kind": "note",
        "v": 1,
        **place.members(),
        "external_id": f"chatwoot {place.account} message {row.text('id')}",
        "text": text,
        "created_at": timestamp(at),
        **_author_members(row, users),
    }


def _reaction(row: JsonObject, base: Line, wamid: str) -> Line:
    """Convert a reaction, which some Chatwoot versions store as a reply."""
    names = ("v", "channel", "contact", "created_at", "direction", "author")
    identity = {name: base[name] for name in names}
    return {"kind": "reaction", **identity, "wamid": wamid, "emoji": text_of(row)}


def _parts(row: JsonObject, place: ChatContext, base: Line) -> Iterator[Line]:
    """Yield the message with its first attachment, and a message for each other one."""
    first, *others = contents_of(row, keep_urls=place.keep_urls)
    yield base | first
    for position, other in enumerate(others, start=1):
        at = (milliseconds(base["created_at"]) or 0) + position
        yield base | {"wamid": None, "created_at": timestamp(at)} | other


def _author_members(row: JsonObject, users: Mapping[str, str]) -> Line:
    """Return the direction and author members."""
    kind = row.number("message_type")
    sender = row.part_or_empty("sender")
    type_ = (sender.optional_text("type") or "").lower()
    name = sender.optional_text("name") or None
    attributes = attributes_of(row)
    if kind == _ACTIVITY:
        return {"direction": "inbound", "author": "system"}
    if kind == _INBOUND and not row.flag("private"):
        return {"direction": "inbound", "author": "contact"}
    if attributes.get("external_echo"):
        return {"direction": "outbound", "author": "phone"}
    if kind == _TEMPLATE or attributes.get("automation_rule_id"):
        return {"direction": "outbound", "author": "automation"}
    if type_ in _BOTS:
        return {"direction": "outbound", "author": "ai_agent", "author_ref": {"name": name}}
    if type_ == "user":
        key = users.get(sender.text("id")) or user_key(sender)
        reference = {"external_id": key, "name": name}
        return {"direction": "outbound", "author": "user", "author_ref": reference}
    return {"direction": "outbound", "author": "automation"}


def _delivery(row: JsonObject, moment: str) -> Line:
    if row.number("message_type") not in (_OUTBOUND, _TEMPLATE):
        return {}
    status = _STATUSES.get(row.optional_text("status") or "")
    error = attributes_of(row).get("external_error")
    if status != "failed" or not isinstance(error, str) or not error:
        return {"delivery_status": status}
    failure = {"code": 0, "title": error, "details": None}
    return {"delivery_status": status, "delivery": {"failed_at": moment}, "error": failure}


def _context(row: JsonObject, moment: str, wamids: Mapping[str, str]) -> Line:
    attributes = attributes_of(row)
    quoted = attributes.get("in_reply_to_external_id") or wamids.get(
        str(attributes.get("in_reply_to"))
    )
    deleted = attributes.get("deleted") is True
    return {
        "reply_to": {"wamid": quoted} if isinstance(quoted, str) else None,
        "deleted_at": moment if deleted else None,
    }
