"""Response bodies are read whole and cleaned, or refused."""

import gzip
import json
from contextlib import nullcontext
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.client.prepared_server import (
    ALL,
    CONVERSATION,
    EMPTY,
    KEY,
    Scope,
    Server,
    answer,
    client_of,
    failing,
)

from frontdesk.client import InboxClient
from frontdesk.client.decode import value_of
from frontdesk.client.response import Response, clean_json, parse_json
from frontdesk.errors import BadResponse, NotOffered
from frontdesk.text.clean import clean
from frontdesk.wire import ConversationFilter, Label, PartialPage
from frontdesk.wire.reports import Report


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"<!DOCTYPE html><title>Log in</title>",
        b'{"data": ',
        b'{"data": {}}',
        b'{"first": [], "second": []}',
        b'{"error": "none"}',
        b'{"data": [{}, 7, null]}',
        b'{"data": [], "extra": "\xff"}',
        b'{"data": [], "extra": ' + b"[" * 100_000 + b"}",
        b'{"data": [{"id": ' + b"9" * 5000 + b"}]}",
        b'{"data": [{"id": NaN}]}',
    ],
)
async def test_a_body_that_is_not_a_page_is_one_clear_error(body: bytes) -> None:
    assert isinstance(await failing(Server(answer(200, body))), BadResponse)


async def test_a_web_page_instead_of_json_asks_whether_the_address_is_right() -> None:
    assert "address" in str(
        await failing(Server(answer(200, b"\n<html>", content_type="text/html")))
    )


async def test_a_row_that_cannot_be_read_costs_that_row_only() -> None:
    body = {"data": [CONVERSATION, {"other": 5}, None], "next_cursor": "c", "has_more": True}
    async with client_of(Server(answer(200, body))) as client:
        page = await client.conversation_page(ALL)
    assert isinstance(page, PartialPage)
    assert ([row.id for row in page.data], page.unreadable) == (["1"], 2)
    assert (page.next_cursor, page.has_more) == ("c", True)


@pytest.mark.parametrize(
    ("told", "answers"), [({"total": 7}, True), ({"total": None}, True), ({}, False)]
)
async def test_beside_a_row_that_cannot_be_read_it_is_known_if_the_query_was_answered(
    told: dict[str, Any], answers: bool
) -> None:
    body = {"data": [CONVERSATION, None], "next_cursor": "c", "has_more": True, **told}
    async with client_of(Server(answer(200, body))) as client:
        with nullcontext() if answers else pytest.raises(NotOffered, match="take a query"):
            page = await client.conversation_page(ConversationFilter(query="refund"))
            assert page.dropped == 1


async def test_members_and_words_that_are_not_known_do_no_harm() -> None:
    row = {**CONVERSATION, "status": "pending", "priority": 3, "labels": ["vip"]}
    body = b"\xef\xbb\xbf" + json.dumps({"data": [row], "total": 9}).encode()
    async with client_of(Server(answer(200, body))) as client:
        page = await client.conversation_page(ALL)
    assert (page.data[0].status, page.data[0].labels) == ("pending", ("vip",))


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e300", "1e999", "9" * 40, "-7"]
)
def test_a_number_that_cannot_be_is_none_in_a_report(number: str) -> None:
    figures = f'{{"incoming_messages_count": 4, "avg_reply_time": {number}}}'
    hours = f'{{"received": [], "avg_first_response_time": [[{number}, 5.0]]}}'
    body = f'{{"metrics": {figures}, "hours": {hours}}}'.encode()
    report = value_of(Response(200, httpx.Headers(), body), Report, lambda remark: None)
    assert report.metrics.incoming_messages_count == 4
    assert report.metrics.avg_reply_time is None
    assert report.hours is None or number not in str(report.hours.avg_first_response_time)


async def test_hostile_characters_do_not_come_in() -> None:
    row = {**CONVERSATION, "contact": {"id": "1", "name": "\u001b[2J\u009b\u202e"}}
    async with client_of(Server(answer(200, {"data": [row]}))) as client:
        page = await client.conversation_page(ALL)
    assert page.data[0].contact.name == "\ufffd[2J\ufffd<RLO>"


ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 429, 500, 503])
async def test_json_is_utf_8_and_nothing_of_another_encoding_is_shown(
    encoding: str, status: int
) -> None:
    row = {**CONVERSATION, "contact": {"id": "1", "name": "\x1b]52;c;aGFjaw==\x07"}}
    members = {"data": [row], "detail": "\x1b]0;owned\x07", "code": "x\x1b[2J"}
    body = json.dumps(members, ensure_ascii=False).encode(encoding)
    error = await failing(Server(answer(status, body)))
    assert clean(str(error)) == str(error)
    assert "owned" not in str(error)
    assert "\x1b" not in getattr(error, "code", "")


@given(
    text=st.text(st.characters(exclude_categories=()), max_size=20),
    encoding=st.sampled_from(("utf-8", "utf-8-sig", *ENCODINGS)),
    escaped=st.booleans(),
)
def test_parsed_bodies_are_clean_in_any_encoding(text: str, encoding: str, escaped: bool) -> None:
    document = json.dumps({"detail": text}, ensure_ascii=escaped)
    try:
        value = parse_json(clean_json(document.encode(encoding, "surrogatepass")))
    except ValueError:
        return
    assert value == {"detail": clean(text)}


async def test_gzip_is_unpacked() -> None:
    packed = gzip.compress(json.dumps({"data": [CONVERSATION]}).encode())
    async with client_of(Server(answer(200, packed, content_encoding="gzip"))) as client:
        assert len((await client.conversation_page(ALL)).data) == 1


@pytest.mark.parametrize(
    ("packed", "packing"),
    [
        (gzip.compress(EMPTY)[:-9], "gzip"),
        (gzip.compress(b" " * 300_000_000), "gzip"),
        (EMPTY, "gzip"),
        (EMPTY, "br"),
        (EMPTY + b" " * 2**23, "identity"),
    ],
    ids=["truncated", "bomb", "not packed", "unasked", "huge"],
)
async def test_a_body_that_cannot_be_trusted_is_refused(packed: bytes, packing: str) -> None:
    given = answer(200, packed, content_encoding=packing, content_length=str(len(packed)))
    assert isinstance(await failing(Server(given)), BadResponse)


async def test_a_body_shorter_than_announced_is_refused() -> None:
    given = answer(200, EMPTY, content_length="1000")
    assert "cut short" in str(await failing(Server(given)))


async def test_an_application_that_fails_is_an_answer() -> None:
    async def failing_application(scope: Scope, receive: object, send: object) -> None:
        raise RuntimeError("a bug of the service")

    async with InboxClient("http://localhost", KEY, app=failing_application) as client:
        with pytest.raises(BadResponse):
            await client.catalogue_page(Label)


@pytest.mark.parametrize(
    ("given_cursor", "cursor"),
    [
        (7, "7"),
        (-3, "-3"),
        (10**30 - 1, str(10**30 - 1)),
        (10**30, None),
        (True, None),
        ("", None),
        ("x" * 4096, "x" * 4096),
        ("x" * 4097, None),
        ("/v1/conversations?cursor=abc", "abc"),
        ("?cursor=abc", "abc"),
        ("https://inbox.example.com/v1/conversations?limit=1&cursor=abc", "abc"),
        ("https://inbox.example.com/v1/conversations", None),
        ("https://[inbox", None),
    ],
)
async def test_the_cursor_of_another_server_is_a_text_a_number_or_an_address(
    given_cursor: object, cursor: str | None
) -> None:
    body = {"rows": [CONVERSATION], "meta": {"nextCursor": given_cursor}}
    async with client_of(Server(answer(200, body))) as client:
        page = await client.conversation_page(ALL)
    assert ([row.id for row in page.data], page.next_cursor) == (["1"], cursor)


@pytest.mark.parametrize(
    ("members", "cursor"),
    [
        ({"nextCursor": "abc"}, "abc"),
        ({"meta": {"nextCursor": "abc"}}, "abc"),
        ({"meta": {"pagination": {"nextCursor": "abc"}}}, "abc"),
        ({"data": {"rows": [CONVERSATION], "meta": {"nextCursor": "abc"}}}, "abc"),
        (
            {"data": {"rows": [CONVERSATION], "meta": {"pagination": {"nextCursor": "abc"}}}},
            None,
        ),
    ],
)
async def test_names_of_envelopes_are_read_in_camel_case_three_levels_deep(
    members: dict[str, object], cursor: str | None
) -> None:
    body = members if "data" in members else {"rows": [CONVERSATION], **members}
    async with client_of(Server(answer(200, body))) as client:
        page = await client.conversation_page(ALL)
    assert ([row.id for row in page.data], page.next_cursor) == (["1"], cursor)
