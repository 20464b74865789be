"""Extracts human-readable text from JSON of an unknown schema (pure)."""

from collections.abc import Iterator, Mapping
from typing import Any

# Members that frame a message, or are not meant for people.
_TECHNICAL = frozenset(
    (
        *("id", "type", "kind", "timestamp", "from", "to", "status", "code", "errors", "context"),
        *("history_context", "referral", "identity", "origin", "recipient_type", "sha256", "hash"),
        *("url", "link", "href", "vcard", "payload", "currency", "token", "key", "version"),
        *("latitude", "longitude", "messaging_product", "catalog_id"),
    )
)
_TECHNICAL_ENDS = (
    "_id",
    "_ids",
    "_type",
    "_token",
    "_key",
    "_hash",
    "_url",
    "_uri",
    "_code",
    "_at",
)


def readable_text(members: Mapping[str, Any], limit: int) -> str | None:
    """Return the distinct texts inside an object, a line each; None if there are none.

    limit: maximum length in characters.
    """
    found: dict[str, None] = {}
    length = 0
    for text in _texts(members):
        if text not in found:
            found[text] = None
            length += len(text) + 1
        if length > limit:
            break
    return "\n".join(found)[:limit] or None


def _texts(members: Mapping[str, Any]) -> Iterator[str]:
    """Yield texts in document order, at any depth."""
    waiting: list[Any] = [members]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str) and value.strip():
            yield value.strip()
        elif isinstance(value, Mapping):
            waiting += reversed([member for name, member in value.items() if not _technical(name)])
        elif isinstance(value, list):
            waiting += reversed(value)


def _technical(name: str) -> bool:
    return name.lower() in _TECHNICAL or name.lower().endswith(_TECHNICAL_ENDS)
