"""Search results of the cache and of the server are merged."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.ingest.event_helpers import apply, inbound

from frontdesk.cache import MESSAGE, Cache, Hit
from frontdesk.cache.rows import searched_text_in
from frontdesk.cli.target import in_process
from frontdesk.client import InboxClient
from frontdesk.ingest.events import Person
from frontdesk.mailbox import Mailbox
from frontdesk.mailbox.search import SearchRun
from frontdesk.query import Matcher, MessageSearch, Query, QueryNames, Term, analyse
from frontdesk.query.plan import STANDARD
from frontdesk.query.terms import CONTACT
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.text.clean import folded
from frontdesk.wire import ConversationFilter, ConversationPage
from frontdesk.wire.queries import EXTENSIONS

PEOPLE, MESSAGES = 70, 4
MINUTE = timedelta(minutes=1)
START = datetime(2026, 3, 1, tzinfo=UTC)
# From a word of nearly every message to one that no message has.
WORDS = {"plum": 0.8, "pear": 0.2, "quince": 0.02, "medlar": 0.0}
OFFERED = STANDARD | EXTENSIONS

# Conversation, time and text of each message.
Messages = list[tuple[int, datetime, str]]


def messages_of_a_month() -> Messages:
    random = Random(7)
    order = [number for number in range(PEOPLE) for _ in range(MESSAGES)]
    random.shuffle(order)
    return [
        (
            person,
            START + number * 150 * MINUTE,
            " ".join(["hello", *(word for word, part in WORDS.items() if random.random() < part)]),
        )
        for number, person in enumerate(order)
    ]


@pytest.fixture(scope="module")
def messages() -> Messages:
    return messages_of_a_month()


@pytest.fixture(scope="module")
def inbox(messages: Messages, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SQLiteDatabase]:
    """A database whose messages are indexed; the second half of April has none."""
    database = SQLiteDatabase(tmp_path_factory.mktemp("inbox") / "inbox.db", create=True)
    for person, at, text in messages:
        number = f"4915100000{person:02}"
        who = Person(phone=f"+{number}", wa_id=number)
        wrote = int(at.timestamp() * 1000)
        apply(database, inbound(wrote, f"wamid.{wrote}", person=who, text=text))
    yield database
    database.close()


async def opened_some(client: InboxClient, cache: Cache, opened: set[int]) -> Mailbox:
    """A mailbox where some conversations were opened."""
    mailbox = Mailbox(lambda: client, cache)
    await mailbox.connect()
    for position, row in enumerate([row async for row in client.conversations()]):
        if position in opened:
            await mailbox.refresh_thread(row.id)
    return mailbox


class Repeating:
    """The real client; each page of a search claims to be followed by another one."""

    def __init__(self, client: InboxClient) -> None:
        self._client = client
        self.pages = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def search_page(
        self, q: str, filter: ConversationFilter, *, cursor: str | None = None
    ) -> ConversationPage:
        self.pages += 1
        page = await self._client.search_page(q, filter)
        return page.model_copy(update={"next_cursor": f"more-{self.pages}"})


async def test_a_server_that_repeats_itself_is_not_asked_for_ever(
    inbox: SQLiteDatabase, cache: Cache
) -> None:
    with ExitStack() as resources:
        client = Repeating(in_process(inbox, None, resources))
        mailbox = Mailbox(lambda: client, cache)
        await mailbox.connect()
        run = SearchRun(mailbox, MessageSearch.of("plum"), QueryNames(), START, limit=500)
        await run.ask(OFFERED)
        await mailbox.close()
    assert client.pages == 2
    assert run.more


@pytest.mark.parametrize(
    ("line", "beyond"),
    [("plum", 0), ("491510000069", 1), ("hello 4915100000", PEOPLE), ("hello is:open", 0)],
)
async def test_a_search_tells_how_many_more_the_list_has_by_customer(
    inbox: SQLiteDatabase, cache: Cache, line: str, beyond: int
) -> None:
    with ExitStack() as resources:
        mailbox = Mailbox(lambda: client, cache)
        client = in_process(inbox, None, resources)
        await mailbox.connect()
        run = SearchRun(mailbox, MessageSearch.of(line), QueryNames(), START, limit=100)
        await run.ask(OFFERED)
        await mailbox.close()
    assert run.beyond == beyond


async def test_a_search_reads_one_hit_more_than_it_shows(
    inbox: SQLiteDatabase, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    search = Mailbox.search

    def counted(mailbox: Mailbox, text: str, **options: Any) -> list[Hit]:
        page = search(mailbox, text, **options)
        read.append(len(page))
        return page

    monkeypatch.setattr(Mailbox, "search", counted)
    with ExitStack() as resources:
        mailbox = await opened_some(in_process(inbox, None, resources), cache, {*range(PEOPLE)})
        run = SearchRun(mailbox, MessageSearch.of("plum"), QueryNames(), START, limit=5)
        assert not run.step()
        await mailbox.close()
    assert read == [6]
    assert len(run.hits) == 5
    assert run.more


searches = st.tuples(
    st.sampled_from(sorted(WORDS)),
    st.integers(1, 120),
    st.sets(st.integers(0, PEOPLE - 1), max_size=20),
    st.none() | st.integers(0, 31),
    st.none() | st.integers(1, 31),
)


@settings(max_examples=25, deadline=None)
@given(searches)
def test_each_message_is_shown_once_the_newest_first_and_none_is_left_out_between(
    inbox: SQLiteDatabase,
    messages: Messages,
    drawn: tuple[str, int, set[int], int | None, int | None],
) -> None:
    word, limit, opened, first, end_day = drawn
    since = START + timedelta(days=first or 0)
    until = START + timedelta(days=99 if end_day is None else end_day)
    assume(since < until)
    typed = word if first is None else f"{word} after:{since:%Y-%m-%d}"
    typed = typed if end_day is None else f"{typed} before:{until:%Y-%m-%d}"

    async def searched(folder: Path) -> SearchRun:
        with ExitStack() as resources:
            client = in_process(inbox, None, resources)
            cache = Cache(folder / "pages.db", "test")
            resources.callback(cache.close)
            mailbox = await opened_some(client, cache, opened)
            search, kinds = MessageSearch.of(typed), ("message",)
            run = SearchRun(
                mailbox, search, QueryNames(), START, limit=limit, kinds=kinds, zone=UTC
            )
            while run.step():
                pass
            await run.ask(OFFERED)
            await mailbox.close()
            return run

    with TemporaryDirectory() as folder:
        run = asyncio.run(searched(Path(folder)))

    shown = [hit.created_at for hit in run.hits]
    assert shown == sorted(set(shown), reverse=True)
    matching = [
        (person, at) for person, at, text in messages if word in text.split() and at >= since
    ]
    # The server leaves out who wrote nothing in the days.
    wrote = {person for person, at, _ in messages if since <= at < until}
    later = {person for person, at in matching if at >= until} & wrote
    matching = [(person, at) for person, at in matching if at < until]
    assert run.asked
    assert run.everywhere <= (not later)
    assert run.everywhere or later
    assert {datetime.fromisoformat(at) for at in shown} <= {at for _, at in matching}
    # The newest match of each conversation is there, down to where the list ends; the server does
    # not tell of those that matched later too.
    newest = {person: at for person, at in matching if person not in later}
    end = datetime.fromisoformat(shown[-1]) if run.more else START
    assert {at for at in newest.values() if at >= end} <= set(map(datetime.fromisoformat, shown))
    assert run.more or len(shown) >= len(newest)
    assert len(shown) <= limit


async def test_the_index_of_the_service_has_the_words_that_the_viewer_finds(
    sample_database: SQLiteDatabase, client: InboxClient
) -> None:
    rows = sample_database.read(
        lambda connection: connection.rows("SELECT message_id, text FROM message_text")
    )
    indexed = {str(row["message_id"]): row["text"] for row in rows}
    words: dict[str, str] = {}
    async for conversation in client.conversations():
        async for message in client.messages(conversation.id):
            said = searched_text_in(MESSAGE, message.model_dump())
            words[message.id] = "" if said is None else said.text
    assert {id: text for id, text in words.items() if text} == indexed


@pytest.mark.parametrize(("seed", "lines"), [(1, 40), pytest.param(2, 460, marks=pytest.mark.slow)])
async def test_words_and_customers_are_found_here_as_the_server_finds_them(
    client: InboxClient, cache: Cache, seed: int, lines: int
) -> None:
    rows = [row async for row in client.conversations()]
    mailbox = await opened_some(client, cache, set())
    texts: list[str] = []
    for row in rows:
        await mailbox.load_thread(row.id)
        texts += [message.text or "" async for message in client.messages(row.id)]
    # By what a row does not have of its customer.
    unseen = {one.id: f"{one.profile_name} {one.email}" async for one in client.contacts()}
    words = [word for text in texts for word in text.split() if word[0].isalpha()]
    people = [part for row in rows for part in (row.contact.name or "").split()]
    people += [row.contact.phone[-n:] for row in rows for n in (4, 9) if row.contact.phone]
    random, found_any = Random(seed), 0
    for _ in range(lines):
        pairs = random.sample(words, 1), random.sample(people, 1)
        parts = [word[random.choice((0, 0, 1)) :] for word in random.choice(pairs)]
        phrase = " ".join(random.choice(texts).split()[1:3])
        terms = [Term("words", part) for part in (*parts, phrase) if part and random.random() < 0.6]
        if random.random() < 0.3:
            terms.append(Term(CONTACT, random.choice(people)))
        query = Query.of(*terms)
        if not terms or analyse(str(query))[1]:
            continue
        matches = Matcher(terms, QueryNames(), START, saying=mailbox.conversations_saying)
        here = {row.id for row in rows if matches(row)}
        listed = [row async for row in client.conversations(query=str(query))]
        other = {
            row.id
            for row in listed
            if any(folded(word) in folded(unseen[row.contact.id]) for word in str(query).split())
        }
        assert {row.id for row in listed} - other <= here <= {row.id for row in listed}, str(query)
        found_any += 0 < len(here) < len(rows)
    await mailbox.close()
    assert found_any > lines / 4


async def test_the_server_searches_the_messages_of_a_customer_by_a_part_of_the_name(
    sample_database: SQLiteDatabase, client: InboxClient, cache: Cache
) -> None:
    contacts = [one async for one in client.contacts()]
    mailbox = Mailbox(lambda: client, cache)
    await mailbox.connect()

    async def found(typed: str) -> dict[str, str]:
        """The customers of the conversations that were found, by conversation."""
        search = MessageSearch.of(typed)
        run = SearchRun(mailbox, search, QueryNames(), datetime.now(UTC), limit=1_000)
        await run.ask(OFFERED)
        assert run.everywhere, typed
        rows = (mailbox.conversation(hit.conversation_id or "") for hit in run.hits)
        return {row.id: row.contact.id for row in rows if row is not None}

    everyone, kinds = await found("the"), set()
    values = sorted({part for contact in contacts for part in (contact.name or "").split()})
    for value in values[::9]:
        ids = {one.id for one in contacts if folded(value) in folded(one.name or "")}
        kinds.add(len(ids) == 1)
        of_them = {id: contact for id, contact in everyone.items() if contact in ids}
        assert await found(f'the from:"{value}"') == of_them
    assert kinds == {True, False}
