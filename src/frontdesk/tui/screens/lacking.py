"""What is not to be had of a server, in a sentence that stands where it would be."""

from collections.abc import Mapping
from types import MappingProxyType

from frontdesk.mailbox import Mailbox, Server
from frontdesk.text import one_line

# The parts of a filter, and what their values are told by.
_FILTERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"status": (), "assignee": ("users", "me"), "channel": ("channels",), "label": ("labels",)}
)

_ABSENT: Mapping[str, str] = MappingProxyType(
    {
        "counts": "This server tells no counts",
        "notes": "This server lists no notes",
        "contact_by_phone": "This server finds nobody by phone",
        "report": "This server makes no report",
        "me": "This server does not know “me”",
        "unchanged": "This server never says that nothing changed",
    }
)


def lacking(mailbox: Mailbox, name: str) -> str:
    """Why a feature is not to be had, without a full stop; empty where nothing speaks against."""
    return why_not(mailbox.server, name)


def why_not(server: Server | None, name: str) -> str:
    """The same, of what was learnt of a server."""
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
            return f"This server fails at {feature.words}"
    return ""


def ignored_filters(mailbox: Mailbox) -> frozenset[str]:
    """The parts of a filter that the server takes and does not apply, so that it is done here."""
    server = mailbox.server
    if server is None:
        return frozenset()
    return frozenset(
        name for name in _FILTERS if server.features[f"filter_{name}"].state == "ignored"
    )


def remark_on(mailbox: Mailbox, name: str) -> str:
    """What is to be said beside the values of a filter: what the server does not tell of them."""
    lacks = [lacking(mailbox, feature) for feature in _FILTERS[name]]
    if name in ignored_filters(mailbox):
        lacks.append("This server ignores the filter: it is applied here")
    return " ".join(f"{words}." for words in lacks if words)
