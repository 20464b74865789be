"""Normalises messages of other servers: several attachments, private messages, authors."""

from collections.abc import Mapping
from typing import Any

from frontdesk.client.members import spelt
from frontdesk.client.tolerance import TEXTS
from frontdesk.wire.words import MEDIA_TYPES

# Further attachments of a message are dropped.
MOST_PARTS = 30
LONGEST_TEXT = 65_536

NOTE = "note"


def parts_of(members: dict[str, Any]) -> list[dict[str, Any]]:
    """Split a message with several attachments into one each; the text goes to the first."""
    files = members.get("attachments")
    if not isinstance(files, list) or len(files) < 2:
        return [members]
    first = {**members, "attachments": files[:1]}
    bare = {name: value for name, value in members.items() if name not in _WORDS}
    id = members.get("id", "")
    rest = [
        {**bare, "id": f"{id}+{place}", "attachments": [file]}
        for place, file in enumerate(files[1:MOST_PARTS], start=2)
    ]
    return [first, *rest]


def settle_message(members: Mapping[str, Any], row: dict[str, Any]) -> None:
    """Normalise members of a message that depend on each other."""
    _settle_media(members, row)
    settle_preview(members, row)
    content = row.get("content")
    if isinstance(content, dict) and not set(content) - {"type", *TEXTS}:
        # The object only wraps the text, which has been read.
        del row["content"]
    if members.get("private") is True:
        row["type"] = NOTE
    if not _is_person(row.get("author_ref")):
        row.pop("author_ref", None)


def settle_preview(members: Mapping[str, Any], row: dict[str, Any]) -> None:
    """Derive a missing direction or author from the other one."""
    if isinstance(members.get("from_me"), bool):
        row.setdefault("direction", "outbound" if members["from_me"] else "inbound")
    author = row.get("author")
    if "direction" not in row:
        row["direction"] = "inbound" if author in (None, "contact") else "outbound"
    if author is None:
        row["author"] = "contact" if row["direction"] == "inbound" else "unknown"


def _settle_media(members: Mapping[str, Any], row: dict[str, Any]) -> None:
    """Read an attachment from the member named for its type, and derive a missing type."""
    for name in MEDIA_TYPES:
        file = members.get(name)
        if isinstance(file, dict) and not row.get("media"):
            row["media"] = {**_known(spelt(file)), "url": file.get("link")}
            row["type"] = name
            row["text"] = row.get("text") or file.get("caption")
    media = row.get("media")
    if isinstance(media, dict) and row.get("type", "text") == "text":
        general = str(media.get("mime_type") or "").partition("/")[0]
        row["type"] = general if general in MEDIA_TYPES else "document"


def _known(file: Mapping[str, Any]) -> dict[str, Any]:
    return {name: file[name] for name in ("id", "mime_type", "filename", "sha256") if name in file}


def _is_person(value: Any) -> bool:
    return isinstance(value, dict) and bool(value.get("id") or value.get("name"))


_WORDS = ("text", "content", "body", "caption", "message", "wamid", "id", "reactions", "reply_to")
