"""Masked customers: no answer of a tool tells who they are, and stand-ins are taken back."""

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager

import pytest
from mcp_types import TextContent, TextResourceContents

from frontdesk.client import InboxClient
from frontdesk.client.masked import MaskedInboxClient
from frontdesk.mcp.inbox import InboxReader
from frontdesk.mcp.server import build
from frontdesk.service.api_keys import EphemeralKey, new_ephemeral_key
from frontdesk.service.app import create_app
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.text.clean import folded
from frontdesk.text.phones import format_phone
from frontdesk.wire import Contact, Conversation
from mcp import Client
from tests.conftest import NOW, NOW_MILLISECONDS
from tests.mcp.sessions import UTC, answer, refusal

DOORS = ("the service masks", "the client masks")
STAND_IN = re.compile(r"customer [0-9a-f]{4}\b")


class Sample:
    """The sample by its whole names: what must not be told."""

    def __init__(self, contacts: Sequence[Contact], rows: Sequence[Conversation]) -> None:
        self.contacts, self.rows = contacts, rows
        self.by_id = {contact.id: contact for contact in contacts}

    def told_of(self, text: str) -> list[str]:
        """What an answer tells of any customer: whole names, numbers however written, addresses."""
        plain = " ".join(folded(text).split())
        digits = re.sub(r"[^0-9+\n]", "", text)
        told = []
        for contact in self.contacts:
            names = [name for name in (contact.name, contact.profile_name) if name]
            told += [name for name in names if " " in name and folded(name) in plain]
            numbers = [contact.phone, format_phone(contact.phone)] if contact.phone else []
            told += [number for number in numbers if number in text]
            told += [number for number in numbers[:1] if number[1:] in digits]
            ids = (contact.email, contact.username, contact.wa_user_id)
            told += [id for id in ids if id and folded(id) in plain]
        return told

    def told_in_thread(self, text: str, contact: Contact) -> list[str]:
        """What an answer on one customer tells: parts of names, and values of fields, too."""
        words = re.findall(r"\w+", folded(text))
        names = re.findall(r"\w+", folded(f"{contact.name} {contact.profile_name}"))
        values = [str(value) for value in contact.custom_fields.values()]
        return [
            *(name for name in names if len(name) > 2 and name in words),
            *(value for value in values if len(value) > 5 and value in text),
        ]


@pytest.fixture
async def inbox(
    sample_database: SQLiteDatabase, agent: tuple[str, EphemeralKey]
) -> AsyncIterator[InboxClient]:
    """The sample as it is."""
    app = create_app(sample_database, ephemeral_keys=[agent[1]], clock=lambda: NOW_MILLISECONDS)
    async with InboxClient("http://localhost", agent[0], app=app) as client:
        yield client
    app.close()


@pytest.fixture
async def sample(inbox: InboxClient) -> Sample:
    contacts = [contact async for contact in inbox.contacts()]
    return Sample(contacts, [row async for row in inbox.conversations()])


@pytest.fixture(params=DOORS)
def masked(
    request: pytest.FixtureRequest,
    sample_database: SQLiteDatabase,
    agent: tuple[str, EphemeralKey],
) -> Iterator[InboxClient]:
    """A client that is given masked customers, or masks them."""
    with ExitStack() as stack:
        yield masked_client(sample_database, agent, str(request.param), stack)


def masked_client(
    database: SQLiteDatabase, agent: tuple[str, EphemeralKey], door: str, stack: ExitStack
) -> InboxClient:
    by_service = door == DOORS[0]
    user_id = agent[1].grant.user_id
    key, own = new_ephemeral_key(1, user_id, masked=True) if by_service else agent
    app = create_app(database, ephemeral_keys=[own], clock=lambda: NOW_MILLISECONDS)
    stack.callback(app.close)
    return (InboxClient if by_service else MaskedInboxClient)("http://localhost", key, app=app)


@asynccontextmanager
async def session_with(client: InboxClient) -> AsyncIterator[Client]:
    reader = InboxReader(client, UTC, lambda: NOW, masked=True)
    async with client, Client(build(lambda: reader)) as session:
        yield session


async def said(session: Client, tool: str, **arguments: object) -> str:
    """The text of an answer or an error."""
    result = await session.call_tool(tool, arguments)
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


async def listed(session: Client) -> list[str]:
    """All answers of a walk through the list."""
    texts, cursor = [], None
    while True:
        page = await said(session, "list_conversations", query="", limit=50, cursor=cursor)
        texts.append(page)
        found = re.search(r"More: cursor=(\S+)", page)
        if found is None:
            return texts
        cursor = found[1]


@pytest.mark.parametrize("step", [50, pytest.param(1, marks=pytest.mark.slow)])
async def test_no_answer_tells_a_number_a_name_or_an_address(
    masked: InboxClient, sample: Sample, step: int
) -> None:
    rows = sample.rows[::step]
    # Names of others in messages are known to a client from what it has read.
    async with session_with(masked) as session:
        texts = [await said(session, "overview"), *await listed(session)]
        for row in rows:
            thread = await said(session, "read_threads", conversations=[row.id], last=500)
            texts.append(thread)
            quoted = "\n".join(line for line in thread.splitlines() if line.startswith(("|", ":")))
            assert sample.told_in_thread(quoted, sample.by_id[row.contact.id]) == []
        for words in ("refund", "thank", "order", "gracias", "@"):
            texts.append(await said(session, "search_messages", words=words, limit=50))
        for by in ("all", "user", "channel", "label"):
            texts.append(await said(session, "report", by=by))
        for row in rows[:20]:
            resource = await session.read_resource(f"frontdesk://conversation/{row.id}")
            texts += [
                part.text for part in resource.contents if isinstance(part, TextResourceContents)
            ]
    assert sample.told_of("\n".join(texts)) == []
    assert len(STAND_IN.findall("\n".join(texts))) > len(sample.rows)


async def test_what_must_not_be_told_is_found_in_answers_that_are_not_masked(
    inbox: InboxClient, sample: Sample
) -> None:
    async with session_with(inbox) as session:
        page = await said(session, "list_conversations", query="", limit=50)
    assert len(sample.told_of(page)) >= 100


async def test_a_stand_in_is_taken_where_a_number_is(masked: InboxClient, sample: Sample) -> None:
    row = next(row for row in sample.rows if row.contact.name)
    async with session_with(masked) as session:
        thread = await answer(session, "read_threads", conversations=[row.id], last=1)
        (stand_in, *_) = STAND_IN.findall(thread)
        story = await answer(session, "read_threads", conversations=[stand_in], last=1)
        both = await answer(
            session, "read_threads", conversations=[f"{row.id}, {stand_in}"], last=1
        )
        found = await answer(session, "list_conversations", query=f'from:"{stand_in}"')
        nobody = await refusal(session, "read_threads", conversations=["customer 0000"])
        assert "query from:" not in nobody
    assert f"#{row.id} · {stand_in} · " in story
    assert f"#{row.id} · {stand_in} · " in both
    theirs = [one.id for one in sample.rows if one.contact.id == row.contact.id]
    assert [line for line in found.splitlines() if line.startswith("#")] == [
        line
        for id in theirs
        for line in found.splitlines()
        if line.startswith(f"#{id} · {stand_in} · ")
    ]
    assert "customer 0000" in nobody


async def test_a_number_or_name_that_is_asked_for_is_refused_alike(
    masked: InboxClient, sample: Sample
) -> None:
    there = next(contact for contact in sample.contacts if contact.phone and contact.name)
    async with session_with(masked) as session:
        numbers = [
            await refusal(session, "read_threads", conversations=[number])
            for number in (there.phone, "+4930901820")
        ]
        names = [
            await refusal(session, "list_conversations", query=f'from:"{name}"')
            for name in (there.name, "Nobody Atall")
        ]
        words = await refusal(session, "list_conversations", query="invoice")
    assert len(set(numbers)) == len(set(names)) == 1
    assert "masked" in numbers[0]
    assert "masked" in names[0]
    assert words == (
        "Customers are masked: words such as invoice are looked for in messages only,"
        " by a search for messages."
    )


async def test_a_search_for_a_name_finds_what_shows_it_alone(
    masked: InboxClient, sample: Sample
) -> None:
    async with session_with(masked) as session:
        for contact in [contact for contact in sample.contacts if contact.name][:40]:
            first = str(contact.name).split()[0]
            found = await answer(session, "search_messages", words=first, limit=50)
            hits = [line for line in found.splitlines() if line.startswith(("|", ":"))]
            assert [hit for hit in hits if folded(first) not in folded(hit)] == []
            assert " of " not in found.splitlines()[0]


async def test_stand_ins_stay_from_process_to_process(
    sample_database: SQLiteDatabase, agent: tuple[str, EphemeralKey]
) -> None:
    for door in DOORS:
        pages = []
        for _ in range(2):
            with ExitStack() as stack:
                client = masked_client(sample_database, agent, door, stack)
                async with session_with(client) as session:
                    pages.append(await answer(session, "list_conversations", limit=10))
        assert STAND_IN.findall(pages[0]) == STAND_IN.findall(pages[1]) != []


async def test_files_are_left_out_and_said_to_be(masked: InboxClient) -> None:
    async with session_with(masked) as session:
        thread = await answer(session, "list_conversations", query="has:image", limit=3, last=30)
        file = await refusal(session, "read_file", file="abc")
    assert "customers are masked, files left out" in thread.splitlines()[0]
    assert "file=" not in thread
    assert "[photo" in thread
    assert "media:read" in file or "left out" in file
