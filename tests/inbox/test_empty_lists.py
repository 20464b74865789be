"""What is said in place of an empty list: why it is empty, and which key helps."""

from datetime import UTC, datetime
from typing import Any

import pytest

from frontdesk.errors import NOBODY_IS_ME
from frontdesk.inbox.words import empty_words
from frontdesk.query import QueryNames, parse
from frontdesk.wire import Channel

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
NAMES = QueryNames.of([Channel(id="1", name="London")])
KEYS = {
    "inbox.back": "esc",
    "inbox.filter_line": "f",
    "inbox.remove_filter": "x",
    "inbox.search": "s",
    "list.last": "G",
}


def said(query: str, **options: Any) -> str:
    return empty_words(parse(query), NAMES, KEYS, NOW, **{"loaded": True, "problem": "", **options})


@pytest.mark.parametrize(
    ("query", "options", "words"),
    [
        ("", {}, "There are no conversations yet."),
        ("", {"problem": "Offline"}, "There are no conversations yet."),
        ("is:open", {}, "No conversation matches is:open.  x: remove filter"),
        (
            "is:open",
            {"within": "this computer"},
            "No conversation matches is:open in this computer.  x: remove filter",
        ),
        (
            "is:open hello",
            {},
            "No conversation matches is:open hello by name, number or label, or in a message that"
            " was opened here.  s: search messages · x: remove filter",
        ),
        (
            "hello",
            {"searched": True, "remark": "Words are looked for in names only."},
            "No conversation matches hello. Words are looked for in names only.  x: remove filter",
        ),
        ("-hello", {}, "No conversation matches -hello.  x: remove filter"),
        (
            "is:open hello",
            {"looked_through": "50 of 260"},
            "No match in the first 50 of 260.  G: load more · x: remove filter",
        ),
        (
            "is:open hello",
            {"looked_through": "50", "loading": True, "paused": True},
            "No match in the first 50.  x: remove filter",
        ),
        (
            "is:open hello",
            {"looked_through": "50", "paused": True},
            "No match in the first 50.  x: remove filter",
        ),
        (
            "is:open",
            {"cannot": "This server cannot filter by author:api."},
            "This server cannot filter by author:api. f: change the filter",
        ),
        ("in:paris", {}, "No channel fits paris. There is London. f: change the filter"),
        ("is:open", {"loaded": False}, "Loading…"),
        ("is:open", {"loaded": False, "seconds": 2}, "Loading… 2 s"),
        ("is:open", {"loaded": False, "looked_through": "50"}, "Loading…"),
        (
            "is:open",
            {"loaded": False, "problem": "Offline."},
            "Offline. This view has not been loaded yet.",
        ),
        ("@me", {"loaded": False, "problem": NOBODY_IS_ME}, f"{NOBODY_IS_ME}."),
    ],
)
def test_an_empty_list_says_why_it_is_and_what_helps(
    query: str, options: dict[str, Any], words: str
) -> None:
    assert said(query, **options) == words
