"""Names of places, sentences of failures, and facts of a customer."""

from datetime import UTC, datetime
from typing import Any

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from frontdesk.errors import ME_UNAVAILABLE, InboxError, NotFound, NotOffered, Refused, Unreachable
from frontdesk.mcp.cursors import cursor_at, place_of
from frontdesk.mcp.failures import reported, sentence
from frontdesk.mcp.inbox import contact_facts
from frontdesk.selection.threads import ThreadPlace
from frontdesk.wire import Contact

CALL = "read_threads 7 None None all"


@pytest.mark.parametrize(
    "place",
    [
        ThreadPlace("v1.WzEsImEiXQ.x-_y", 0),
        ThreadPlace(None, 41),
        ThreadPlace("at 3.5", 2, datetime(2026, 3, 14, 9, 23, 0, 120_000, tzinfo=UTC)),
        ThreadPlace(before=datetime(1970, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_cursor_holds_its_place(place: ThreadPlace) -> None:
    assert place_of(cursor_at(CALL, place.cursor, place.skip, place.before), CALL) == place


@pytest.mark.parametrize("of", ["read_threads 8 None None all", "list_conversations 7", ""])
def test_a_cursor_of_another_call_is_refused(of: str) -> None:
    with pytest.raises(ToolError, match="The cursor is of another call: repeat that"):
        place_of(cursor_at(CALL, "v1.x"), of)


@pytest.mark.parametrize(
    "text", ["", "c1", "...", "0123abcd.x..", "0123abcd.1.2", "0123abcd.9999999999..", "x" * 600]
)
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(ToolError, match="is no cursor: begin again without one"):
        place_of(text, CALL)


@pytest.mark.parametrize(
    ("error", "begin"),
    [
        (NotFound("There is no conversation 7."), "There is no conversation 7. "),
        (NotFound("There is no\nconversation 7"), "There is no conversation 7. "),
        (Refused("x" * 700, code="other"), f"{'x' * 600} […100 more characters]. "),
        (Refused("nobody", code=ME_UNAVAILABLE), "Nobody is “me” here"),
        (Unreachable("No answer"), "No answer. "),
    ],
)
def test_a_failure_is_a_line_with_what_to_do(error: InboxError, begin: str) -> None:
    words = sentence(error)
    assert words.startswith(begin) or words == begin.strip()
    assert "\n" not in words
    with pytest.raises(ToolError) as refused, reported():
        raise error
    assert str(refused.value) == words


def test_what_a_server_lacks_is_said_with_what_to_do_instead() -> None:
    with (
        pytest.raises(ToolError, match=r"^It has no search\. Use a list\.$"),
        reported("Use a list."),
    ):
        raise NotOffered("It has no search.")


@pytest.mark.parametrize(
    ("members", "facts"),
    [
        ({}, ""),
        ({"email": "ana@example.com"}, 'email "ana@example.com"'),
        ({"custom_fields": {"plan": "gold", "seats": 3}}, 'plan "gold", seats 3'),
        ({"email": "a@b.c", "custom_fields": {"plan": "x\ny"}}, 'email "a@b.c", plan "x y"'),
        ({"custom_fields": {"plan": 'x" · open'}}, 'plan "x\' - open"'),
        ({"email": "x" * 61}, f'email "{"x" * 60} […1 more characters]"'),
    ],
)
def test_facts_of_a_customer_are_their_address_and_fields(
    members: dict[str, Any], facts: str
) -> None:
    assert contact_facts(Contact(id="8", name="Ana", **members)) == facts
