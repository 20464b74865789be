"""Sentences on things that the server lacks or that the key may not use."""

from collections.abc import Mapping
from types import MappingProxyType

from frontdesk.errors import Forbidden, NotFound
from frontdesk.mailbox.capabilities import ServerCapabilities
from frontdesk.text.clean import one_line
from frontdesk.tui import sentences

# Members of the server filter, with the features that provide their values.
_FILTERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"status": (), "assignee": ("users", "me"), "channel": ("channels",), "label": ("labels",)}
)


def refusal_words(things: str, error: Forbidden | NotFound) -> str:
    """Sentences on things that the key may not read, with the scope, or that the server lacks."""
    if isinstance(error, NotFound):
        return sentences.NOT_OFFERED.format(things=things)
    words, scope = sentences.NOT_ALLOWED.format(things=things), one_line(error.scope or "")
    return sentences.NEEDS_SCOPE.format(words=words, scope=scope) if scope else words


def remark_on(capabilities: ServerCapabilities, name: str) -> str:
    """Sentences on what the server lacks for a filter and its values; empty if nothing."""
    lacks = [capabilities.lacking(feature) for feature in _FILTERS[name]]
    if name in capabilities.ignored:
        lacks.append("This server ignores the filter: it is applied here")
    return " ".join(f"{words}." for words in lacks if words)
