"""Filters by several values, spans of time, authors, custom fields and ads, against a scan."""

from collections.abc import Sequence
from random import Random
from typing import Any

import httpx
import pytest
from tests.service.filter_inbox import AT, FILTERS, Row, facts, fill
from tests.service.small_inbox import CHANNELS, HOUR

from frontdesk.query import analyse
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import create_app

PATH = "/v1/conversations"


@pytest.fixture
async def inbox(clients, database) -> tuple[httpx.AsyncClient, dict[str, int]]:
    """A client of the inbox with a key of the first user, and the numbers of conversations."""
    numbers = fill(database)
    key, ephemeral = new_ephemeral_key(1, 1)
    app = create_app(database, ephemeral_keys=[ephemeral], clock=lambda: AT)
    return await clients.client_of(app, key), numbers


def ordered(rows: Sequence[Row], sort: str) -> list[str]:
    """The ids in an order."""

    def newest(row: Row) -> tuple[str, int]:
        return row["created_at" if sort == "created" else "last_activity_at"], int(row["id"])

    waiting = [row for row in rows if sort == "waiting" and row["waiting_since"]]
    waiting.sort(key=lambda row: (row["waiting_since"], int(row["id"])))
    others = [row for row in rows if row not in waiting]
    return [row["id"] for row in (*waiting, *sorted(others, key=newest, reverse=True))]


@pytest.mark.both_engines
@pytest.mark.parametrize("sort", ["activity", "waiting", "created"])
async def test_each_filter_means_what_it_says_in_every_order(inbox, rows, sort):
    client, numbers = inbox
    scan = await rows(client, PATH, limit=100)
    nothing = []
    for place, (parameters, test) in enumerate(FILTERS):
        found = await rows(client, PATH, limit=3 + place % 9, sort=sort, **parameters)
        wanted = [row for row in scan if test(row, facts(numbers[row["id"]]))]
        assert [row["id"] for row in found] == ordered(wanted, sort), parameters
        nothing += [] if found else [parameters]
    assert len(nothing) == 2


@pytest.mark.both_engines
@pytest.mark.parametrize("seed", range(3))
async def test_filters_combine_with_each_other_and_with_those_of_one_value(inbox, rows, seed):
    client, numbers = inbox
    scan = await rows(client, PATH, limit=100)
    random, found_any = Random(seed), 0
    singles = [
        ({}, lambda row: True),
        ({"unread": "true"}, lambda row: bool(row["unread_count"] or row["unread_count"] is None)),
        ({"label": "billing"}, lambda row: "billing" in row["labels"]),
        ({"status": "open"}, lambda row: row["status"] == "open"),
    ]
    for _ in range(40):
        parameters: dict[str, str] = {"sort": random.choice(["activity", "waiting", "created"])}
        single, is_single = random.choice(singles)
        tests: list[Any] = [lambda row, told, test=is_single: test(row)]
        for filters, test in random.sample(FILTERS, 3):
            line = f"{parameters.get('query', '')} {filters['query']}"
            # Some have one status, assignee and channel.
            if not analyse(line)[1]:
                parameters["query"] = line
                tests.append(test)
        found = await rows(client, PATH, limit=7, **parameters, **single)
        wanted = [
            row for row in scan if all(test(row, facts(numbers[row["id"]])) for test in tests)
        ]
        assert [row["id"] for row in found] == ordered(wanted, parameters["sort"]), parameters
        found_any += bool(found)
    assert found_any > 10


@pytest.mark.parametrize(
    ("query", "code", "reason"),
    [
        ("query=is:open,closed", "invalid_filter", "malformed"),
        ("query=is:open,", "invalid_filter", "malformed"),
        (f"query=in:{','.join(map(str, range(21)))}", "invalid_filter", "malformed"),
        ("statuses=open", "invalid_parameter", "unknown"),
        ("status=closed", "invalid_filter", "not_allowed"),
        ("sort=newest", "invalid_filter", "not_allowed"),
    ],
)
async def test_a_value_that_cannot_be_is_an_error(inbox, is_problem, query, code, reason):
    response = await inbox[0].get(f"{PATH}?{query}")
    (error, *_) = is_problem(response, 400, code)["errors"]
    assert error["reason"] == reason
    assert error["parameter"] in query


@pytest.mark.both_engines
async def test_more_ranges_than_a_page_merges_are_found_too(inbox, rows, add_events):
    client, _ = inbox
    users = ",".join(f"id:{number}" for number in range(1, 20))
    scan = await rows(client, PATH, limit=100)
    for line in (f"@unassigned,{users} in:id:{CHANNELS[0]},id:{CHANNELS[1]}", f"-@{users}"):
        found = await rows(client, PATH, limit=7, query=line)
        assert found == [
            row
            for row in scan
            if row["assignee"] is None or (row["channel"]["id"] in CHANNELS[:2] and line[0] == "@")
            if row["channel"]["id"] in CHANNELS[:2] or line[0] == "-"
        ]
        assert len(found) > 5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("query=@me,id:2%20%20is:open,snoozed", "query=is:open,snoozed+@me,id:2"),
        ("query=%23vip+is:open", "query=is:open+%23vip"),
    ],
)
async def test_a_cursor_fits_the_same_filter_in_another_order(inbox, is_problem, one, other):
    client, _ = inbox
    cursor = (await client.get(f"{PATH}?{one}&limit=1")).json()["next_cursor"]
    assert (await client.get(f"{PATH}?{other}&limit=1&cursor={cursor}")).status_code == 200
    narrower = await client.get(f"{PATH}?{one}&status=open&limit=1&cursor={cursor}")
    is_problem(narrower, 400, "cursor_mismatch")


async def test_me_among_several_needs_a_key_with_a_user(inbox, clients, is_problem):
    client = await clients.client()
    for name in ("query=@me,id:2", "query=by:me"):
        is_problem(await client.get(f"{PATH}?{name}"), 400, "assignee_me_unavailable")


async def test_messages_are_searched_in_any_of_several(inbox, rows):
    client, _ = inbox
    every = await client.get(PATH, params={"q": "hello", "limit": 100})
    query = {"q": "hello", "query": "#vip,billing is:open,snoozed", "limit": 100}
    found = [row["id"] for row in (await client.get(PATH, params=query)).json()["data"]]
    wanted = [
        row["id"]
        for row in every.json()["data"]
        if {"vip", "billing"} & {*row["labels"]} and row["status"] != "resolved"
    ]
    assert found == wanted
    assert len(found) > 3


async def test_a_snooze_that_has_ended_counts_as_open_in_several_too(
    inbox, rows, clients, database
):
    key, ephemeral = new_ephemeral_key(1, 1)
    later = create_app(database, ephemeral_keys=[ephemeral], clock=lambda: AT + 24 * HOUR)
    client = await clients.client_of(later, key)
    scan = await rows(client, PATH, limit=100)
    for parameters in (
        {"query": "is:open #vip,billing"},
        {"query": "is:open,resolved"},
    ):
        found = await rows(client, PATH, limit=4, **parameters)
        wanted = [
            row["id"]
            for row in scan
            if row["status"] in parameters["query"]
            and ("#" not in parameters["query"] or {"vip", "billing"} & {*row["labels"]})
        ]
        assert [row["id"] for row in found] == wanted
