"""Filters and orders of conversations beyond the specification, against a plain scan of all."""

from collections.abc import Sequence
from itertools import count, product
from typing import Any
from urllib.parse import parse_qsl

import pytest
from small_inbox import CHANNELS, HOUR, START, USERS, catalogue, conversations, person

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, DomainEvent, MessageUpsert
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import create_app
from frontdesk.store.database import Database
from frontdesk.wire import timestamp

PATH = "/v1/conversations"
DAY = 24 * HOUR
# The reply windows of half of the conversations are closed then.
AT = START + 7 * HOUR + DAY

Row = dict[str, Any]


@pytest.fixture
async def clock() -> list[int]:
    """The time of the service, which a test may set."""
    return [AT]


@pytest.fixture
async def ana(clients, database, clock):
    apply(database, [*catalogue(), *conversations(45)], AT - DAY)
    # Some were answered, and of those some wrote again.
    apply(database, [message(n, AT - HOUR + n, outbound=True) for n in range(0, 45, 4)], AT - HOUR)
    apply(database, [message(n, AT - n, outbound=False) for n in range(0, 45, 8)], AT)
    key, ephemeral = new_ephemeral_key(1, 1)
    app = create_app(database, ephemeral_keys=[ephemeral], clock=lambda: clock[0])
    return await clients.client_of(app, key)


def message(number: int, at: int, *, outbound: bool) -> MessageUpsert:
    author = Author("user", user=USERS[0]) if outbound else Author("contact")
    channel, wamid = CHANNELS[number % 3], f"wamid.{number}.{at}"
    return MessageUpsert(
        channel, person(number // 2), wamid, at, outbound, author, "text", "webhook", text="…"
    )


def apply(database: Database, events: Sequence[DomainEvent], now: int) -> None:
    database.write(lambda connection: apply_events(connection, 1, events, now=now))


def fits(row: Row, wanted: dict[str, str]) -> bool:
    """What the filters mean, said of one conversation."""
    count = row["unread_count"]
    unread = bool(row["last_inbound_at"] if count is None else count)
    flags = {"awaiting_human": row["awaiting_human"], "unread": unread}
    return (
        all(flags[name] == (wanted[name] == "true") for name in flags.keys() & wanted.keys())
        and wanted.get("contact") in (None, row["contact"]["id"])
        and wanted.get("status") in (None, row["status"])
        and wanted.get("channel") in (None, row["channel"]["id"])
        and ("label" not in wanted or wanted["label"] in row["labels"])
        and (
            "assignee" not in wanted
            or wanted["assignee"] == "assigned" == (row["assignee"] and "assigned")
            or (wanted["assignee"] == "me" and row["assignee"] == {"id": "1", "name": "Ana Souza"})
        )
    )


def ordered(rows: Sequence[Row], sort: str, now: str) -> list[str]:
    """The ids in an order, as `sort` says it: first by a key, then the others by activity."""

    def key_of(row: Row) -> str | None:
        expires = row["service_window_expires_at"]
        open_until = expires if expires is not None and expires > now else None
        return {"activity": None, "waiting": row["waiting_since"], "window": open_until}[sort]

    first = sorted((key_of(row), int(row["id"])) for row in rows if key_of(row) is not None)
    rest = sorted((row["last_activity_at"], int(row["id"])) for row in rows if key_of(row) is None)
    return [str(number) for _, number in (*first, *reversed(rest))]


SORTS = ("activity", "waiting", "window")
FLAGS = (None, "true", "false")
# Every combination of the filters beyond the specification, each with one of the others.
OTHERS = (
    {},
    {"status": "open"},
    {"channel": CHANNELS[1]},
    {"label": "vip"},
    {"assignee": "me"},
    {"assignee": "assigned", "status": "open", "label": "billing"},
    {"assignee": "me", "channel": CHANNELS[0]},
)


@pytest.mark.both_engines
@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("contact", [None, "3"])
async def test_a_walk_finds_what_a_scan_finds_in_every_order(ana, rows, sort, contact):
    scan = await rows(ana, PATH, limit=100)
    for n, (awaiting, unread, others) in enumerate(product(FLAGS, FLAGS, OTHERS)):
        named = {"contact": contact, "awaiting_human": awaiting, "unread": unread}
        wanted = {name: value for name, value in named.items() if value} | others
        walked = await rows(ana, PATH, limit=1 + n % 4, sort=sort, **wanted)
        expected = [row for row in scan if fits(row, wanted)]
        found = [row["id"] for row in walked]
        assert found == ordered(expected, sort, timestamp(AT)), wanted


@pytest.mark.both_engines
@pytest.mark.parametrize("others", OTHERS)
async def test_counts_agree_with_the_lists(ana, rows, others):
    others = {name: value for name, value in others.items() if name != "assignee"}
    for contact, awaiting, unread in product((None, "3"), FLAGS, FLAGS):
        named = {"contact": contact, "awaiting_human": awaiting, "unread": unread}
        wanted = {name: value for name, value in named.items() if value} | others
        counts = (await ana.get(f"{PATH}/counts", params=wanted)).json()
        for status in ("open", "snoozed", "resolved"):
            listed = await rows(ana, PATH, limit=100, **(wanted | {"status": status}))
            assert counts["by_status"][status]["all"] == len(listed), (wanted, status)


@pytest.mark.both_engines
@pytest.mark.parametrize("sort", ["waiting", "window"])
async def test_a_walk_while_the_inbox_moves_on_repeats_nothing_and_misses_nothing_that_stayed(
    ana, rows, clock, database, sort
):
    before = await rows(ana, PATH, limit=100, sort=sort)
    walked: list[str] = []
    cursor: str | None = ""
    for step in count():
        query = {"sort": sort, "limit": 4} | ({"cursor": cursor} if cursor else {})
        page = (await ana.get(PATH, params=query)).json()
        walked += [row["id"] for row in page["data"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
        clock[0] += 10_000
        one, other = step % 45, (7 * step + 1) % 45
        moves = [message(one, clock[0], outbound=True), message(other, clock[0], outbound=False)]
        if step % 3 == 0:
            moves.append(message(one, clock[0] + 1, outbound=False))
        apply(database, moves, clock[0] + 1)
    after = {row["id"]: row for row in await rows(ana, PATH, limit=100)}
    stayed = [row["id"] for row in before if after[row["id"]] == row]
    assert len(stayed) > 10
    assert len(walked) == len(set(walked))
    assert [row_id for row_id in walked if row_id in set(stayed)] == stayed


async def test_a_page_by_reply_windows_is_another_when_one_closes(ana, rows, clock):
    first = await ana.get(PATH, params={"sort": "window", "limit": 1})
    tag = {"If-None-Match": first.headers["ETag"]}
    assert (await ana.get(first.url, headers=tag)).status_code == 304
    clock[0] += DAY
    assert (await ana.get(first.url, headers=tag)).status_code == 200


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("contact=999", "unknown_value"),
        ("contact=x", "unknown_value"),
        ("contact=", "empty"),
        ("awaiting_human=yes", "not_allowed"),
        ("unread=1", "not_allowed"),
        ("sort=name", "not_allowed"),
    ],
)
async def test_a_value_that_cannot_be_is_an_error(ana, is_problem, query, reason):
    document = is_problem(await ana.get(f"{PATH}?{query}"), 400, "invalid_filter")
    (error,) = document["errors"]
    assert (error["parameter"], error["reason"]) == (query.partition("=")[0], reason)


async def test_a_cursor_fits_one_order(ana, is_problem):
    cursor = (await ana.get(PATH, params={"sort": "waiting", "limit": 1})).json()["next_cursor"]
    for sort in ("activity", "window"):
        response = await ana.get(PATH, params={"sort": sort, "cursor": cursor})
        is_problem(response, 400, "cursor_mismatch")


@pytest.mark.parametrize(
    ("path", "query"),
    [
        (PATH, "limit=7&sort=waiting&unread=true"),
        (PATH, "label=billing&limit=1"),
        ("/v1/contacts", "q=P%C3%A9rs%20&limit=3"),
        ("/v1/labels", "limit=1"),
    ],
)
async def test_the_links_to_the_next_page_lead_through_a_list(ana, rows, path, query):
    expected = await rows(ana, path, **dict(parse_qsl(query)) | {"limit": 100})
    listed: list[Row] = []
    url: str | None = f"{path}?{query}"
    while url:
        response = await ana.get(url)
        listed += response.json()["data"]
        assert ("Link" in response.headers) == response.json()["has_more"]
        url = response.links.get("next", {}).get("url")
    assert listed == expected
    assert len(listed) > 1
