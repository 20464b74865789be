"""What a server lacks, in words, and which filters it answers."""

from collections.abc import Mapping

import pytest

from frontdesk.cache import Cache
from frontdesk.client.server_info import FEATURES, Feature, Server
from frontdesk.mailbox.capabilities import ServerCapabilities, why_not
from frontdesk.query.plan import STANDARD
from frontdesk.tui.unsupported import remark_on
from frontdesk.wire.queries import EXTENSIONS


def server(*, no_extensions: frozenset[str] = frozenset(), **states: str) -> Server:
    features = {name: Feature(words, scope, states.get(name, "present"))
                for name, (words, scope) in FEATURES.items()}  # fmt: skip
    return Server("https://inbox.example", features, no_extensions=no_extensions)


def test_filters_that_a_server_lacks_are_known_at_the_next_start(cache: Cache) -> None:
    states: list[Server | None] = [None]
    known = ServerCapabilities(lambda: states[-1], cache)
    known.store_lacks()
    assert known.offered == STANDARD | EXTENSIONS
    states.append(server(no_extensions=frozenset({"unread", "contact"})))
    assert known.offered == STANDARD | EXTENSIONS - {"unread", "contact"}
    states.append(None)
    assert known.offered == STANDARD | EXTENSIONS
    states.pop()
    known.store_lacks()
    states.append(None)
    assert known.offered == STANDARD | EXTENSIONS - {"unread", "contact"}
    states.append(server(no_extensions=frozenset({"sort"})))
    known.store_lacks()
    assert known.offered == STANDARD | EXTENSIONS - {"unread", "contact", "sort"}
    assert cache.settings_with("contact sort unread")


LACKS: Mapping[str, str] = {
    "counts": "This server sends no counts",
    "notes": "This server lists no notes",
    "conversation": "This server does not return a conversation by its id",
    "contact_by_phone": "This server does not find customers by number",
    "report": "This server has no reports",
    "conversation_reports": "This server does not report by conversation",
    "search_messages": "This server does not search messages",
    "unchanged": "This server never answers 304 Not Modified",
    "teams": "This server does not list teams",
}


def test_what_a_server_lacks_is_said_by_its_name() -> None:
    for name, words in LACKS.items():
        assert why_not(server(**{name: "absent"}), name) == words
        assert why_not(server(), name) == ""
    assert why_not(None, "notes") == ""
    assert why_not(server(notes="unknown"), "notes") == ""
    assert why_not(server(notes="failing"), "notes") == "This server fails for notes"
    assert why_not(server(notes="forbidden"), "notes") == (
        "This key may not read notes: it lacks the scope notes:read"
    )
    assert why_not(server(me="forbidden"), "me") == "This key may not read “me” as assignee"


@pytest.mark.parametrize(
    ("states", "name", "remark"),
    [
        ({}, "assignee", ""),
        ({"filter_status": "ignored"}, "status",
         "This server ignores the filter: it is applied here."),
        ({"filter_status": "ignored"}, "label", ""),
        ({"labels": "absent"}, "label", "This server does not list labels."),
        ({"channels": "failing", "filter_channel": "ignored"}, "channel",
         "This server fails for channels. This server ignores the filter: it is applied here."),
        ({"users": "absent"}, "status", ""),
    ],
)  # fmt: skip
def test_a_picker_remarks_what_the_server_lacks_for_its_filter(
    cache: Cache, states: dict[str, str], name: str, remark: str
) -> None:
    capabilities = ServerCapabilities(lambda: server(**states), cache)
    assert remark_on(capabilities, name) == remark


def test_filters_that_are_ignored_are_applied_here(cache: Cache) -> None:
    ignores = server(filter_status="ignored", filter_label="ignored")
    assert ServerCapabilities(lambda: ignores, cache).ignored == {"status", "label"}
    assert ServerCapabilities(lambda: None, cache).ignored == frozenset()
