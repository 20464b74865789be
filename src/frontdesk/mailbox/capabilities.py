"""Features that the server lacks or does not allow this key, in words, and filters that it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from frontdesk.cache import Cache
from frontdesk.errors import NOBODY_IS_ME
from frontdesk.query.plan import STANDARD
from frontdesk.text.clean import one_line
from frontdesk.wire.queries import EXTENSIONS

if TYPE_CHECKING:
    from frontdesk.client import Server

# Members of the server's filter that it may ignore.
_FILTERS = ("status", "assignee", "channel", "label")
# Name of the setting with the filters that the server lacks.
_LACKS = "inbox.lacks"

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


class ServerCapabilities:
    """What is known of the server from this start and earlier ones.

    server: its observed state; None while not connected.
    """

    def __init__(self, server: Callable[[], Server | None], cache: Cache) -> None:
        self._server, self._cache = server, cache

    def lacking(self, name: str) -> str:
        """Why a feature is unavailable, without a full stop; "" if it is available or untested."""
        return why_not(self._server(), name)

    @property
    def ignored(self) -> frozenset[str]:
        """Members of the filter that the server accepts but ignores; they are applied locally."""
        server = self._server()
        if server is None:
            return frozenset()
        return frozenset(
            name for name in _FILTERS if server.features[f"filter_{name}"].state == "ignored"
        )

    @property
    def offered(self) -> frozenset[str]:
        """Filters that the server answers."""
        server, stored = self._server(), self._stored_lacks()
        lacks = stored if server is None else stored | server.no_extensions
        return STANDARD | (EXTENSIONS - lacks)

    def store_lacks(self) -> None:
        """Store the filters that the server lacks, for the next start."""
        server, stored = self._server(), self._stored_lacks()
        if server is not None and not server.no_extensions <= stored:
            self._cache.set_setting(_LACKS, " ".join(sorted(stored | server.no_extensions)))

    def _stored_lacks(self) -> frozenset[str]:
        return frozenset((self._cache.get_setting(_LACKS) or "").split())


def why_not(server: Server | None, name: str) -> str:
    """`ServerCapabilities.lacking` for the state of a server; None means not connected."""
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
