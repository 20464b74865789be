"""Selected conversations: walks that may end behind any row, in every order."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import pytest

from frontdesk.client import InboxClient
from frontdesk.errors import BadSettings, CursorRefused, Forbidden
from frontdesk.query import Matcher, parse, sort_key
from frontdesk.selection.conversations import (
    START,
    ConversationSelector,
    ConversationWalk,
    ListPlace,
    select,
    settled,
)
from frontdesk.service.api_keys import EphemeralKey
from frontdesk.service.app import Application, create_app
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.wire import Conversation
from frontdesk.wire.queries import LATER_ORDERS
from tests.client.full_read import client_of
from tests.client.other_server import OtherServer, Variant, problem
from tests.conftest import NOW, NOW_MILLISECONDS

# The server's list, its orders, terms that are tested here, orders that are made here.
QUERIES = (
    "",
    "is:open",
    "is:open sort:waiting",
    "-#vip",
    "waiting:>1h",
    "waiting:>1h sort:waiting",
    "is:open sort:oldest",
    "-needs:human sort:window",
    "is:open,snoozed",
    "#vip,complaint -is:resolved",
    "is:open,resolved #vip,complaint sort:waiting",
    "@me,unassigned is:open waiting:>1h",
    "is:open,snoozed sort:oldest",
    "-#vip,complaint",
    "-#vip -#complaint is:open",
    "created:2026-03..",
    "created:..2026-03-10 created:2026-03-03.. #vip,complaint",
    "active:2026-03-13.. sort:waiting",
    "waiting:2026-03-14",
    "-created:2026-03-10",
    "team:atlantic is:open",
    "-team:trade",
    "sort:created is:open,snoozed",
    "@ana -@me sort:created",
)
# Those of authors, fields and ads, which no row shows.
HIDDEN_QUERIES = ("by:me", "-by:ai", "by:me,phone is:open", "field:tier=gold", "ad:summer")


class OlderService:
    """The service as it was before it had queries and later orders."""

    def __init__(self, service: Application) -> None:
        self.service, self.refused = service, 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        query = dict(parse_qsl(scope["query_string"].decode()))
        if "query" not in query and query.get("sort") not in LATER_ORDERS:
            await self.service(scope, receive, send)
            return
        self.refused += 1
        code = "invalid_parameter" if "query" in query else "invalid_filter"
        status, headers, body = problem(400, code)
        pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": pairs})
        await send({"type": "http.response.body", "body": body})


@pytest.fixture
async def older(
    service: Application, agent: tuple[str, EphemeralKey]
) -> AsyncIterator[InboxClient]:
    """A client of a service that lacks what came later."""
    app: Any = OlderService(service)
    async with InboxClient("http://localhost", agent[0], app=app) as client:
        yield client


@pytest.fixture(params=["present", "older"])
def any_client(request: pytest.FixtureRequest) -> InboxClient:
    """A client of the service as it is, and as it was."""
    name = "client" if request.param == "present" else "older"
    client: InboxClient = request.getfixturevalue(name)
    return client


async def selector_of(client: InboxClient, text: str) -> ConversationSelector:
    return await select(client, parse(text), now=NOW)


async def expected(client: InboxClient, text: str, selector: ConversationSelector) -> list[str]:
    """Ids that a scan of the whole list finds, in the order of the query."""
    keep = Matcher(parse(text).filters, selector.names, NOW)
    rows = [row async for row in client.conversations() if keep(row)]
    if parse(text).order != "active":
        rows.sort(key=sort_key(parse(text).order, NOW))
    return [row.id for row in rows]


STEPS = ((1, QUERIES[:8]), (7, QUERIES), (100, QUERIES[:4]))


@pytest.mark.parametrize(
    ("text", "step"), [(text, step) for step, texts in STEPS for text in texts]
)
async def test_a_walk_in_steps_finds_each_row_of_a_scan_once(
    any_client: InboxClient, text: str, step: int
) -> None:
    client = any_client
    selector = await selector_of(client, text)
    found: list[Conversation] = []
    place: ListPlace | None = START
    while place is not None:
        before, here = len(found), place
        place = None
        async for row, behind in ConversationWalk(client, selector, here, now=NOW, page_size=10):
            found.append(row)
            if len(found) - before == step and behind is not None:
                written = (await settled(client, selector, behind)).text(selector.mark)
                place = ListPlace.parse(written, selector.mark)
                break
    assert [row.id for row in found] == await expected(client, text, selector)


@pytest.mark.parametrize("text", QUERIES)
async def test_the_service_answers_every_query(client: InboxClient, text: str) -> None:
    selector = await selector_of(client, text)
    assert selector.plan.exact


async def test_a_walk_that_is_given_up_goes_on_where_it_ended(older: InboxClient) -> None:
    client = older
    selector = await selector_of(client, "is:open,resolved")
    found: list[str] = []
    place: ListPlace | None = START
    while place is not None:
        walk = ConversationWalk(client, selector, place, now=NOW, page_size=10, most=40)
        found += [row.id async for row, _ in walk]
        place = walk.rest
    assert found == await expected(client, "is:open,resolved", selector)


@pytest.mark.parametrize("text", HIDDEN_QUERIES)
async def test_what_rows_do_not_show_is_refused_where_the_server_does_not_filter_by_it(
    older: InboxClient, text: str
) -> None:
    term = str(parse(text).terms[-1])
    with pytest.raises(BadSettings) as caught:
        await selector_of(older, text)
    assert str(caught.value) == f"This server cannot filter by {term}."


@pytest.fixture
async def narrow(
    sample_database: SQLiteDatabase, agent: tuple[str, EphemeralKey]
) -> AsyncIterator[InboxClient]:
    """A client whose key may list conversations and customers only."""
    grant = replace(agent[1].grant, scopes=frozenset({"conversations:read", "contacts:read"}))
    app = create_app(
        sample_database,
        ephemeral_keys=[replace(agent[1], grant=grant)],
        clock=lambda: NOW_MILLISECONDS,
    )
    async with InboxClient("http://localhost", agent[0], app=app) as client:
        yield client


async def walked(client: InboxClient, text: str) -> ConversationWalk:
    """A walk through all that a query finds."""
    walk = ConversationWalk(client, await selector_of(client, text), now=NOW)
    assert [row async for row, _ in walk]
    return walk


@pytest.mark.parametrize(
    ("text", "scope"), [("by:priya", "users:read"), ("team:atlantic is:open", "teams:read")]
)
async def test_a_scope_that_a_name_needs_is_said(
    narrow: InboxClient, text: str, scope: str
) -> None:
    with pytest.raises(Forbidden) as caught:
        await walked(narrow, text)
    assert caught.value.scope == scope


async def test_a_walk_has_what_the_server_remarks_on_it(narrow: InboxClient) -> None:
    walk = await walked(narrow, "refund")
    assert walk.remark.endswith("the key lacks the scope messages:read.")
    assert (await walked(narrow, "waiting:>1m")).remark == ""


async def test_a_server_that_ignores_what_it_does_not_know_is_found_out() -> None:
    async with client_of(OtherServer()) as client:
        with pytest.raises(BadSettings, match="cannot filter by by:phone"):
            await selector_of(client, "by:phone")


@pytest.fixture
async def recorded(
    service: Application, agent: tuple[str, EphemeralKey]
) -> AsyncIterator[tuple[InboxClient, list[str]]]:
    """A client, and the paths that it asks for."""
    paths = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            paths.append(scope["path"])
        await service(scope, receive, send)

    recording: Any = app
    async with InboxClient("http://localhost", agent[0], app=recording) as client:
        yield client, paths


@pytest.mark.parametrize("limit", [7, None])
@pytest.mark.parametrize(
    "text", ["is:open waiting:>1h sort:waiting", "refund has:image", "is:open"]
)
async def test_a_first_page_is_one_request(
    recorded: tuple[InboxClient, list[str]], text: str, limit: int | None
) -> None:
    client, paths = recorded
    selector = await select(client, parse(text), now=NOW, limit=limit)
    page = await selector.rows(client, selector.page_size(limit)).page()
    assert paths == ["/v1/conversations"]
    assert page.data == (await client.conversation_page(selector.filter, limit=100)).data[:limit]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("is:open,snoozed @unassigned sort:waiting", []),
        ("refund", ["/v1/conversations"]),
        ("is:open waiting:>1h", ["/v1/conversations"]),
    ],
)
async def test_a_page_is_asked_for_to_count_only_what_counters_do_not_tell(
    recorded: tuple[InboxClient, list[str]], text: str, asked: list[str]
) -> None:
    client, paths = recorded
    selector = await select(client, parse(text), now=NOW, counted=True)
    assert paths == asked
    assert [row async for row, _ in ConversationWalk(client, selector, now=NOW)]
    assert paths == ["/v1/conversations"]


async def test_both_of_two_authors_are_asked_for(client: InboxClient) -> None:
    selector = await selector_of(client, "by:me by:ai")
    found = [row.id async for row, _ in ConversationWalk(client, selector, now=NOW)]
    each = [
        {row.id async for row in client.conversations(query=text)} for text in ("by:me", "by:ai")
    ]
    assert found
    assert {*found} == each[0] & each[1]


async def test_a_place_in_the_servers_list_is_a_cursor_of_the_server(client: InboxClient) -> None:
    selector = await selector_of(client, "-#vip")
    walk = ConversationWalk(client, selector, now=NOW)
    places = [place async for _, place in walk]
    assert places[2] is not None
    place = await settled(client, selector, places[2])
    page = await client.conversation_page(selector.filter, limit=1, cursor=place.cursor)
    assert (place.skip, len(page.data)) == (0, 1)


async def test_a_place_of_another_query_is_refused(client: InboxClient) -> None:
    one, other = await selector_of(client, "sort:oldest"), await selector_of(client, "#vip")
    text = ListPlace(None, 3).text(one.mark)
    assert ListPlace.parse(text, one.mark) == ListPlace(None, 3)
    for damaged in (ListPlace(None, 3).text(other.mark), text.replace("3", "x")):
        with pytest.raises(CursorRefused, match="of another query"):
            ListPlace.parse(damaged, one.mark)


async def test_a_walk_ends_where_no_row_can_match_any_more(older: InboxClient) -> None:
    selector = await selector_of(older, "waiting:>9999w sort:waiting")
    walk = ConversationWalk(older, selector, now=NOW, page_size=10)
    assert [row async for row, _ in walk] == []
    assert walk.examined == 10


async def test_a_walk_that_may_read_so_many_rows_says_where_it_was_given_up(
    client: InboxClient,
) -> None:
    selector = await selector_of(client, "-#vip")
    walk = ConversationWalk(client, selector, now=NOW, page_size=10, most=30)
    first = [row.id async for row, _ in walk]
    assert (walk.examined, walk.rest is not None) == (30, True)
    assert walk.rest is not None
    rest = ConversationWalk(client, selector, walk.rest, now=NOW)
    others = [row.id async for row, _ in rest]
    assert first + others == await expected(client, "-#vip", selector)


async def test_an_unknown_name_is_said_with_like_ones(client: InboxClient) -> None:
    with pytest.raises(BadSettings, match=r"No label fits vop\. There is vip"):
        await selector_of(client, "#vop")


async def test_rows_are_sorted_here_where_the_server_has_no_order() -> None:
    def refuse(server: OtherServer, question: object) -> object:
        refused = "sort" in question.query  # type: ignore[attr-defined]
        return problem(400, "invalid_parameter") if refused else None

    async with client_of(OtherServer((Variant(before=refuse),))) as client:  # type: ignore[arg-type]
        selector = await selector_of(client, "sort:waiting")
        rows = [row async for row, _ in ConversationWalk(client, selector, now=NOW)]
    waits = [row.waiting_since for row in rows if row.status != "resolved"]
    assert len(waits) > 2
    assert waits == sorted(waits)


async def test_a_row_is_skipped_where_a_server_cuts_pages_by_itself() -> None:
    """Its pages have three rows whatever is asked for, so that a shorter one cannot be had."""
    async with client_of(OtherServer()) as client:
        selector = await selector_of(client, "")
        found, place = [], START
        async for row, behind in ConversationWalk(client, selector, now=NOW):
            found.append(row.id)
            if len(found) == 2:
                assert behind is not None
                place = behind
                break
        walk = ConversationWalk(client, selector, place, now=NOW)
        found += [row.id async for row, _ in walk]
        assert found == [row.id async for row in client.conversations()]


@pytest.mark.parametrize(
    ("text", "limit", "size"),
    [
        ("is:open", 7, 7),
        ("is:open", 100, 100),
        ("is:open", 101, 100),
        ("is:open", None, 100),
        ("refund", 7, 7),
        ("waiting:>1h sort:oldest", 7, 7),
    ],
)
async def test_a_request_has_no_more_rows_than_are_needed(
    client: InboxClient, text: str, limit: int | None, size: int
) -> None:
    assert (await selector_of(client, text)).page_size(limit) == size
