"""What changed since a position, as the client reads it, and requests that a server may hold."""

import asyncio

import pytest
from tests.client.faulty import client_at
from tests.client.prepared_server import ALL, Pauses, Server, answer, client_of, problem
from tests.client.sockets import Scripted, raw, serving

from frontdesk.errors import Forbidden, NotOffered, ServerFailed, Unreachable
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, MessageUpsert, Person
from frontdesk.wire import Label

NOTHING = {"data": [], "next": "9f3c12ab-7", "has_more": False}


def hello(number: int) -> MessageUpsert:
    return MessageUpsert(
        "106540352240001", Person("+34600000777"), f"c{number}", 1_774_200_000_000, False,
        Author("contact"), "text", "webhook", text="Hello",
    )  # fmt: skip


async def test_changes_are_those_after_a_position(client, sample_database):
    before = (await client.changes()).changes
    assert (before.data, before.has_more) == ((), False)
    sample_database.write(lambda c: apply_events(c, 1, [hello(1)], now=1_774_200_000_500))
    received = await client.changes(before.next)
    assert [row.contact.phone for row in received.changes.data] == ["+34600000777"]
    assert not received.held
    assert client.server.features["changes"].state == "present"


async def test_the_service_holds_a_request_until_something_changes(client, sample_database):
    after = (await client.changes()).changes.next
    request = asyncio.create_task(client.changes(after, wait_seconds=50))
    sample_database.write(lambda c: apply_events(c, 1, [hello(2)], now=1_774_200_000_500))
    received = await request
    assert received.held
    assert [row.contact.phone for row in received.changes.data] == ["+34600000777"]


async def test_a_request_that_may_be_held_says_so_and_is_never_answered_from_memory():
    server = Server(answer(body=NOTHING, etag='W/"a"', preference_applied="wait=20"))
    async with client_of(server) as client:
        await client.changes("9f3c12ab-7")
        for _ in range(2):
            received = await client.changes("9f3c12ab-7", wait_seconds=20)
            assert (received.changes.next, received.held) == ("9f3c12ab-7", True)
    assert [headers.get("prefer") for headers in server.headers] == [None, "wait=20", "wait=20"]
    assert not [headers for headers in server.headers if "if-none-match" in headers]
    assert server.asked[1:] == ["/v1/changes?limit=100&after=9f3c12ab-7"] * 2


async def test_the_time_for_which_a_request_was_held_is_no_latency():
    server = Server(answer(body=NOTHING))
    async with client_of(server) as client:
        await client.changes("9f3c12ab-7", wait_seconds=20)
        assert client.server.latency is None
        await client.changes("9f3c12ab-7")
        assert client.server.latency is not None


async def test_a_held_request_that_fails_is_not_sent_again():
    for status, error in ((500, ServerFailed), (503, Unreachable), (504, Unreachable)):
        server, pauses = Server(answer(status)), Pauses()
        async with client_of(server, pauses) as client:
            with pytest.raises(error):
                await client.changes("9f3c12ab-7", wait_seconds=20)
        assert (len(server.asked), pauses.seconds) == (1, [])


async def test_a_server_that_fails_may_have_what_it_was_asked_for():
    async with client_of(Server(*[answer(500)] * 4, answer(body=NOTHING))) as client:
        with pytest.raises(ServerFailed):
            await client.search_page("crane", ALL)
        with pytest.raises(ServerFailed):
            await client.changes("9f3c12ab-7", wait_seconds=20)
        assert client.server.has("search_messages")
        assert client.server.has("changes")
        assert (await client.changes("9f3c12ab-7")).changes.next == "9f3c12ab-7"


@pytest.mark.parametrize("begun", [b"", raw(b'{"data": []}')[:-4]], ids=["no answer", "half"])
async def test_a_held_request_that_is_cut_off_is_a_lost_connection(begun):
    server = Scripted((begun, Scripted.HANG_UP))
    async with serving(server) as url, client_at(url) as client:
        with pytest.raises(Unreachable):
            await client.changes("9f3c12ab-7", wait_seconds=20)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        (problem(403, "insufficient_scope"), Forbidden),
        (answer(404), NotOffered),
        (answer(body=b"[]"), NotOffered),
    ],
    ids=["scope", "path", "another form"],
)
async def test_a_held_request_that_is_refused_says_why(refusal, error):
    async with client_of(Server(refusal)) as client:
        with pytest.raises(error) as raised:
            await client.changes("9f3c12ab-7", wait_seconds=20)
        assert type(raised.value) is error


async def test_a_held_request_takes_no_place_of_others():
    asked, done = asyncio.Semaphore(0), asyncio.Event()

    async def talk(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        asked.release()
        await done.wait()
        writer.write(raw(b'{"data": [], "next": "a-1", "next_cursor": null, "has_more": false}'))
        await writer.drain()

    async with serving(talk) as url, client_at(url) as client:
        held = [asyncio.create_task(client.changes("a-1", wait_seconds=20)) for _ in range(2)]
        others = [asyncio.create_task(client.catalogue_page(Label)) for _ in range(6)]
        for _ in range(8):
            await asked.acquire()
        done.set()
        await asyncio.gather(*held, *others)
