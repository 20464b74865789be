"""Chatwoot's messages, private notes and activities as native lines; pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote, urlsplit

from frontdesk.ingest.chatwoot.catalogue import Line, user_key
from frontdesk.ingest.chatwoot.moments import milliseconds
from frontdesk.ingest.shapes import Malformed, Part
from frontdesk.wire import timestamp

_INBOUND, _OUTBOUND, _ACTIVITY, _TEMPLATE = 0, 1, 2, 3
_FILES: Mapping[str, str] = MappingProxyType(
    {"image": "image", "audio": "audio", "video": "video", "file": "document", "sticker": "sticker"}
)
_STATUSES: Mapping[str, str] = MappingProxyType(
    {"progress": "pending", "sent": "sent", "delivered": "delivered", "read": "read"}
    | {"failed": "failed"}
)
_BOTS = frozenset(("agent_bot", "captain_assistant", "captain::assistant", "agentbot"))


@dataclass(frozen=True, slots=True)
class Place:
    """Between whom messages are. account: of Chatwoot, part of the ids of what has none."""

    account: str
    channel: str
    phone: str
    keep_urls: bool = False

    def members(self) -> Line:
        return {"channel": self.channel, "contact": {"phone": self.phone}}


def message_lines(row: Part, place: Place, users: Mapping[str, str]) -> Iterator[Line]:
    """A message as a line, or several where it has several files; a private one as a note.

    users: what users are found by, by their ids in Chatwoot. Raises: Malformed.
    """
    at = milliseconds(row.members.get("created_at"))
    if at is None:
        raise Malformed("created_at is missing")
    number = row.number("id")
    if row.flag("private"):
        yield from _note(row, place, users, at)
        return
    wamid = row.optional_id("source_id")
    # What has no id of its own is told apart by its time, so no two may have the same.
    moment = timestamp(at if wamid else at + number % 1000)
    base = {
        "kind": "message",
        "v": 1,
        **place.members(),
        "created_at": moment,
        "source": "chatwoot",
        **_said_by(row, users),
    }
    if row.number("message_type") == _ACTIVITY:
        yield base | {"type": "system", "text": _text(row), "content": {"event": "activity"}}
        return
    yield from _contents(
        row, place, base | {"wamid": wamid} | _delivery(row) | _context(row, moment)
    )


def _note(row: Part, place: Place, users: Mapping[str, str], at: int) -> Iterator[Line]:
    text = _text(row)
    if text:
        yield {
            "kind": "note",
            "v": 1,
            **place.members(),
            "external_id": f"chatwoot {place.account} message {row.text('id')}",
            "text": text,
            "created_at": timestamp(at),
            **_said_by(row, users),
        }


def _contents(row: Part, place: Place, base: Line) -> Iterator[Line]:
    """The message with its first file, and each other file as a message of its own."""
    files = row.parts("attachments")
    first, *others = [_file(file, place) for file in files] or [{"type": "text"}]
    text = _text(row)
    if first["type"] != "text" or text is not None or row.members.get("content_attributes"):
        yield base | {"text": text} | first
    for position, other in enumerate(others, start=1):
        at = (milliseconds(base["created_at"]) or 0) + position
        yield base | {"wamid": None, "created_at": timestamp(at)} | other


def _file(file: Part, place: Place) -> Line:
    kind = file.optional_text("file_type") or "file"
    if kind == "location":
        content = {
            "latitude": file.members.get("coordinates_lat"),
            "longitude": file.members.get("coordinates_long"),
            "name": file.optional_text("fallback_title") or None,
        }
        return {"type": "location", "content": content}
    if kind == "contact":
        phone = file.optional_text("fallback_title")
        card = {"name": phone, "phones": [{"phone": phone}]}
        return {"type": "contacts", "content": {"contacts": [card]}}
    url = file.optional_text("data_url") or ""
    name = unquote(urlsplit(url).path.rpartition("/")[2]) or None
    media = {
        **dict.fromkeys(("id", "mime_type", "sha256", "voice", "animated", "url_expires_at")),
        "filename": name,
        "size_bytes": file.number("file_size") or None,
        "url": url if place.keep_urls and url else None,
    }
    return {"type": _FILES.get(kind, "document"), "media": media}


def _said_by(row: Part, users: Mapping[str, str]) -> Line:
    """The direction and the author of a message."""
    kind = row.number("message_type")
    sender = row.optional_part("sender") or Part({})
    type_ = (sender.optional_text("type") or "").lower()
    name = sender.optional_text("name") or None
    attributes = _attributes(row)
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


def _delivery(row: Part) -> Line:
    if row.number("message_type") not in (_OUTBOUND, _TEMPLATE):
        return {}
    status = _STATUSES.get(row.optional_text("status") or "")
    error = _attributes(row).get("external_error")
    told = {"code": 0, "title": error, "details": None} if isinstance(error, str) else None
    return {"delivery_status": status, "error": told}


def _context(row: Part, moment: str) -> Line:
    attributes = _attributes(row)
    quoted = attributes.get("in_reply_to_external_id")
    deleted = attributes.get("deleted") is True
    return {
        "reply_to": {"wamid": quoted} if isinstance(quoted, str) and quoted else None,
        "deleted_at": moment if deleted else None,
    }


def _attributes(row: Part) -> Mapping[str, Any]:
    attributes = row.members.get("content_attributes")
    return attributes if isinstance(attributes, dict) else {}


def _text(row: Part) -> str | None:
    return row.optional_text("content") or None
