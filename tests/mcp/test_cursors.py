"""Names of places, sentences of failures, and facts of a customer."""

from typing import Any

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from frontdesk.errors import ME_UNAVAILABLE, InboxError, NotFound, NotOffered, Refused, Unreachable
from frontdesk.mcp.failures import reported, sentence
from frontdesk.mcp.inbox import MOST, Cursors, contact_facts
from frontdesk.wire import Contact


def test_a_place_is_found_by_its_name_and_selection() -> None:
    cursors = Cursors[str]()
    names = [cursors.name(place, "is:open") for place in ("a", "b")]
    assert names == ["c1", "c2"]
    assert [cursors.place(name, "is:open") for name in names] == ["a", "b"]
    with pytest.raises(ToolError, match="The cursor c2 is of another call"):
        cursors.place("c2", "is:resolved")
    with pytest.raises(ToolError, match="There is no cursor 'xxxxxxxxxxxxxxxxxxxx' any more"):
        cursors.place("x" * 21, "is:open")


def test_the_places_that_were_used_last_are_kept() -> None:
    cursors = Cursors[int](most=2)
    for place in (1, 2):
        cursors.name(place, "")
    assert cursors.place("c1", "") == 1
    assert cursors.name(3, "") == "c3"
    assert (cursors.place("c1", ""), cursors.place("c3", "")) == (1, 3)
    with pytest.raises(ToolError, match="no cursor 'c2'"):
        cursors.place("c2", "")
    assert MOST == 1_000


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
