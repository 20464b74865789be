"""Feature discovery of a server."""

import pytest
from tests.client.full_read import client_of
from tests.client.other_server import OtherServer, Variant, problem
from tests.client.test_missing_features import Unfiltered, answering

from frontdesk.client import FEATURES, InboxClient, discover
from frontdesk.errors import Unauthorised, Unreachable


async def test_the_service_has_every_feature_and_no_difference(client: InboxClient) -> None:
    asked: list[str] = []
    server = await discover(client, asked.append)
    assert {name: feature.state for name, feature in server.features.items()} == dict.fromkeys(
        FEATURES, "present"
    )
    assert (server.differences, server.missing) == ((), ())
    assert "notes" in asked
    assert server.requests < 30


async def test_missing_features_and_ignored_filters_are_recorded() -> None:
    server = Unfiltered(
        (
            answering("notes", problem(404, "route_not_found")),
            answering("templates", problem(403, "insufficient_scope")),
            answering("teams", (500, {}, b"")),
        )
    )
    async with client_of(server) as client:
        found = await discover(client, lambda words: None)
    states = {name: feature.state for name, feature in found.features.items()}
    assert {name: state for name, state in states.items() if state != "present"} == {
        "notes": "absent",
        "templates": "forbidden",
        "teams": "failing",
        "conversation": "absent",
        "changes": "absent",
        "conversation_reports": "absent",
        "me": "absent",
        "filter_status": "ignored",
        "filter_assignee": "ignored",
        "filter_label": "ignored",
        "search_contacts": "ignored",
        "search_messages": "absent",
        "media": "absent",
        "unchanged": "absent",
    }


async def test_an_empty_inbox_is_discovered_too() -> None:
    async with client_of(OtherServer((Variant(rows=lambda name, rows: []),))) as client:
        found = await discover(client, lambda words: None)
    assert found.features["labels"].state == "present"
    assert found.features["messages"].state == "unknown"


@pytest.mark.parametrize(
    ("status", "error"), [(401, Unauthorised), (503, Unreachable), (429, Unreachable)]
)
async def test_without_an_answer_there_is_nothing_to_discover(
    status: int, error: type[Exception]
) -> None:
    server = OtherServer((Variant(before=lambda server, question: problem(status, "x")),))
    async with client_of(server) as client:
        with pytest.raises(error):
            await discover(client, lambda words: None)
    assert len(server.asked) <= 3
