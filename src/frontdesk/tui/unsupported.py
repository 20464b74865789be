"""Messages for features that the server lacks or that the key may not use."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from frontdesk.errors import NOBODY_IS_ME, Forbidden, NotFound
from frontdesk.mailbox import Mailbox
from frontdesk.text.clean import one_line
from frontdesk.tui import sentences

if TYPE_CHECKING:
    from frontdesk.client import Server

# Members of the server filter, with the features that provide their values.
_FILTERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"status": (), "assignee": ("users", "me"), "channel": ("channels",), "label": ("labels",)}
)

_ABSENT: Mapping[str, str] = MappingProxyType(
    {
        "counts": "This server sends no counts",
        "notes": "This server lists no notes",
        "conversation": "This server does not return a conversation by its id",
        "contact_by_phone": "This server does not find customers by number",
        "report": "This server has no reports",
        "conversation_reports": "This server does not report by conversation",
        "me": NOBODY_IS_ME,
        "search_messages": "This server does not search messages",
        "unchanged": "This server never answers 304 Not Modified",
    }
)


def lacking(mailbox: Mailbox, name: str) -> str:
    """Reason why a feature is unavailable, without a full stop; empty if available or untested."""
    return why_not(mailbox.server, name)


def why_not(server: Server | None, name: str) -> str:
    """`lacking` for the state of a server; None means not connected."""
    if server is None:
        return ""
    feature = server.features[name]
    match feature.state:
        case "absent":
            return _ABSENT.get(name, f"This server does not list {feature.words}")
        case "forbidden":
            scope = f": it lacks the scope {one_line(feature.scope)}" if feature.scope else ""
            return f"This key may not read {feature.words}{scope}"
        case "failing":
            return f"This server fails for {feature.words}"
    return ""


def refusal_words(things: str, error: Forbidden | NotFound) -> str:
    """Sentences on things that the key may not read, with the scope, or that the server lacks."""
    if isinstance(error, NotFound):
        return sentences.NOT_OFFERED.format(things=things)
    words, scope = sentences.NOT_ALLOWED.format(things=things), one_line(error.scope or "")
    return sentences.NEEDS_SCOPE.format(words=words, scope=scope) if scope else words


def ignored_filters(mailbox: Mailbox) -> frozenset[str]:
    """Members of the filter that the server accepts but ignores; they are applied locally."""
    server = mailbox.server
    if server is None:
        return frozenset()
    return frozenset(
        name for name in _FILTERS if server.features[f"filter_{name}"].state == "ignored"
    )


def remark_on(mailbox: Mailbox, name: str) -> str:
    """Sentences on what the server lacks for a filter and its values; empty if nothing."""
    lacks = [lacking(mailbox, feature) for feature in _FILTERS[name]]
    if name in ignored_filters(mailbox):
        lacks.append("This server ignores the filter: it is applied here")
    return " ".join(f"{words}." for words in lacks if words)
