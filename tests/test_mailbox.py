"""The mailbox over a list that moves while it is read, and over servers that misbehave."""

import random
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.cache import Cache
from frontdesk.errors import BadResponse, CursorRefused, Forbidden, NotFound, Unreachable
from frontdesk.mailbox import Mailbox, Refreshed
from frontdesk.wire import (
    Channel,
    Contact,
    Conversation,
    ConversationFilter,
    Counts,
    CustomField,
    Label,
    Message,
    Note,
    Page,
    PartialPage,
    PhoneRef,
    User,
    timestamp,
)

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
START = 1_773_480_413_000
ALL = ConversationFilter()
OPEN = ConversationFilter(status="open")


def at(second: int) -> str:
    return timestamp(START + second * 1000)


class Inbox:
    """A server in memory with keyset cursors; `between` runs before each page is read."""

    def __init__(self) -> None:
        self.conversations: dict[str, Conversation] = {}
        self.messages: dict[str, list[Message]] = {}
        self.notes: dict[str, list[Note]] = {}
        self.contacts: dict[str, Contact] = {}
        self.labels: tuple[Label, ...] = (Label(id="1", title="billing"),)
        self.between: Callable[[], None] = lambda: None
        self.failures: dict[str, Exception] = {}
        self.requests: list[str] = []
        self.clock = 0
        self.closed = False

    def bump(self, id: str, **changes: Any) -> None:
        """A conversation is new, or got a message."""
        self.clock += 1
        number = PhoneRef(id=id, name="Sheena Nelson", phone=f"+1650555{int(id):04}")
        members = {"status": "open", **changes}
        self.conversations[id] = Conversation(
            id=id, channel=number, contact=number, last_activity_at=at(self.clock), **members
        )

    def write(self, conversation_id: str, count: int) -> None:
        """Messages arrive in a conversation."""
        thread = self.messages.setdefault(conversation_id, [])
        for _ in range(count):
            self.clock += 1
            thread.append(
                Message(
                    id=str(self.clock),
                    direction="inbound",
                    author="contact",
                    text="Hi",
                    created_at=at(self.clock),
                )
            )

    def annotate(self, conversation_id: str) -> None:
        """A note is written."""
        self.clock += 1
        note = Note(id=str(self.clock), text="Ring back", created_at=at(self.clock))
        self.notes.setdefault(conversation_id, []).append(note)

    def listed(self, filter: ConversationFilter) -> list[Conversation]:
        """What the server enumerates for a filter now."""
        status = filter.status
        rows = [row for row in self.conversations.values() if status in (None, row.status)]
        return sorted(rows, key=lambda row: (row.last_activity_at, len(row.id), row.id))[::-1]

    async def close(self) -> None:
        self.closed = True

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        self.ask("conversations", cursor)
        rows = [((row.last_activity_at, int(row.id)), row) for row in self.listed(filter)]
        return Page[Conversation](**page(rows, limit, cursor))

    async def counts(self, filter: ConversationFilter | None = None) -> Counts:
        self.ask("counts", None)
        return Counts(all=len(self.conversations))

    async def message_page(
        self, conversation_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Message]:
        self.ask("messages", cursor)
        thread = self.messages.get(conversation_id, [])[::-1]
        rows = [((row.created_at, int(row.id)), row) for row in thread]
        return Page[Message](**page(rows, limit, cursor))

    async def note_page(
        self, conversation_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Note]:
        self.ask("notes", cursor)
        notes = self.notes.get(conversation_id, [])[::-1]
        rows = [((row.created_at, int(row.id)), row) for row in notes]
        return Page[Note](**page(rows, limit, cursor))

    async def contact_by_phone(self, phone: str) -> Contact:
        self.ask("contact", None)
        if phone not in self.contacts:
            raise NotFound("Nobody has this number")
        return self.contacts[phone]

    async def label_page(self, *, limit: int = 100, cursor: str | None = None) -> Page[Label]:
        self.ask("labels", cursor)
        start = int(cursor or 0)
        more = start + 1 < len(self.labels)
        following = str(start + 1) if more else None
        return Page[Label](
            data=self.labels[start : start + 1], next_cursor=following, has_more=more
        )

    async def user_page(self, *, limit: int = 100, cursor: str | None = None) -> Page[User]:
        self.ask("users", cursor)
        return Page[User](data=(User(id="1", name="Ana"),), has_more=False)

    async def channel_page(self, *, limit: int = 100, cursor: str | None = None) -> Page[Channel]:
        self.ask("channels", cursor)
        return Page[Channel](data=(Channel(id="106540352242922", name="Support"),))

    async def custom_field_page(
        self, *, limit: int = 100, cursor: str | None = None
    ) -> Page[CustomField]:
        self.ask("custom-fields", cursor)
        return Page[CustomField](data=(CustomField(id="1", key="plan", name="Plan"),))

    def ask(self, what: str, cursor: str | None) -> None:
        self.between()
        self.requests.append(f"{what} {cursor or ''}".strip())
        if what in self.failures:
            raise self.failures[what]
        if cursor is not None and f"{what} cursor" in self.failures:
            raise self.failures[f"{what} cursor"]


def page(
    rows: Sequence[tuple[tuple[str, int], object]], limit: int, cursor: str | None
) -> dict[str, Any]:
    """One page of rows that are newest first; the cursor is the key of the row it follows."""
    if cursor is not None:
        moment, id = cursor.split("|")
        rows = [row for row in rows if row[0] < (moment, int(id))]
    more = len(rows) > limit
    last = rows[limit - 1][0] if more else None
    return {
        "data": tuple(value for _, value in rows[:limit]),
        "next_cursor": f"{last[0]}|{last[1]}" if last else None,
        "has_more": more,
    }


@pytest.fixture
def inbox() -> Inbox:
    inbox = Inbox()
    for number in range(1, 401):
        inbox.bump(str(number))
    return inbox


@pytest.fixture
async def mailbox(inbox: Inbox, cache: Cache) -> AsyncIterator[Mailbox]:
    mailbox = Mailbox(lambda: inbox, cache, clock=lambda: NOW)
    await mailbox.connect()
    yield mailbox
    await mailbox.close()


def shown(mailbox: Mailbox, filter: ConversationFilter = ALL) -> list[str]:
    return [conversation.id for conversation in mailbox.conversations(filter)]


def ids(rows: Sequence[Conversation]) -> list[str]:
    return [row.id for row in rows]


def test_opening_the_mailbox_imports_no_network_stack() -> None:
    program = "import sys, frontdesk.mailbox; sys.exit('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


async def test_before_it_is_connected_the_cache_answers_and_the_server_is_unreachable(
    inbox: Inbox, cache: Cache
) -> None:
    mailbox = Mailbox(lambda: inbox, cache)
    assert not mailbox.connected
    assert len(mailbox.conversations(ALL)) == 0
    with pytest.raises(Unreachable):
        await mailbox.refresh_conversations(ALL)


async def test_closing_gives_up_the_connections(inbox: Inbox, cache: Cache) -> None:
    mailbox = Mailbox(lambda: inbox, cache)
    await mailbox.connect()
    assert mailbox.connected
    await mailbox.close()
    assert inbox.closed
    assert not mailbox.connected


async def test_the_first_refresh_reads_one_page(inbox: Inbox, mailbox: Mailbox) -> None:
    assert await mailbox.refresh_conversations(ALL) == Refreshed(True)
    assert shown(mailbox) == ids(inbox.listed(ALL))[:50]
    assert inbox.requests == ["conversations"]
    assert mailbox.conversations(ALL).fetched_at == NOW


async def test_older_pages_go_to_the_end_and_no_further(inbox: Inbox, mailbox: Mailbox) -> None:
    await mailbox.refresh_conversations(ALL)
    while not mailbox.conversations(ALL).complete:
        assert (await mailbox.older_conversations(ALL)).changed
    assert shown(mailbox) == ids(inbox.listed(ALL))
    asked = len(inbox.requests)
    assert await mailbox.older_conversations(ALL) == Refreshed(False)
    assert len(inbox.requests) == asked == 8


async def test_a_refresh_without_news_reads_one_page_and_changes_nothing(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    await mailbox.refresh_conversations(ALL)
    assert await mailbox.refresh_conversations(ALL) == Refreshed(False)
    assert len(inbox.requests) == 2


async def test_a_refresh_keeps_older_rows_and_tells_what_is_new(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    await mailbox.refresh_conversations(ALL)
    await mailbox.older_conversations(ALL)
    inbox.bump("900")
    inbox.bump("360")
    refreshed = await mailbox.refresh_conversations(ALL)
    assert refreshed == Refreshed(True, added=("360", "900"))
    assert shown(mailbox) == ids(inbox.listed(ALL))[:101]


async def test_a_refresh_reads_on_until_it_meets_what_is_held(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    await mailbox.refresh_conversations(ALL)
    for number in range(1000, 1120):
        inbox.bump(str(number))
    refreshed = await mailbox.refresh_conversations(ALL)
    assert (len(refreshed.added), refreshed.restarted) == (120, False)
    assert len(inbox.requests) == 1 + 3
    assert shown(mailbox) == ids(inbox.listed(ALL))[:170]


async def test_after_a_long_absence_the_list_starts_again(inbox: Inbox, mailbox: Mailbox) -> None:
    await mailbox.refresh_conversations(ALL)
    for number in range(1000, 1400):
        inbox.bump(str(number))
    assert (await mailbox.refresh_conversations(ALL)).restarted
    assert shown(mailbox) == ids(inbox.listed(ALL))[:250]
    await mailbox.older_conversations(ALL)
    assert shown(mailbox) == ids(inbox.listed(ALL))[:300]


async def test_an_interrupted_refresh_leaves_no_gap(inbox: Inbox, mailbox: Mailbox) -> None:
    await mailbox.refresh_conversations(ALL)
    before = shown(mailbox)
    for number in range(1000, 1120):
        inbox.bump(str(number))
    inbox.failures["conversations cursor"] = Unreachable("The connection was lost")
    with pytest.raises(Unreachable):
        await mailbox.refresh_conversations(ALL)
    assert shown(mailbox) == before


async def test_a_conversation_that_left_the_filter_goes_from_its_list_only(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    for filter in (OPEN, ALL):
        await mailbox.refresh_conversations(filter)
    gone = inbox.conversations["390"].model_copy(update={"status": "resolved"})
    inbox.conversations["390"] = gone
    for filter in (OPEN, ALL):
        await mailbox.refresh_conversations(filter)
    assert "390" not in shown(mailbox, OPEN)
    assert "390" in shown(mailbox, ALL)
    assert mailbox.conversation("390") == gone


async def test_a_thorough_refresh_finds_what_left_further_down(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    await mailbox.refresh_conversations(ALL)
    await mailbox.older_conversations(ALL)
    del inbox.conversations["310"]
    await mailbox.refresh_conversations(ALL)
    assert "310" in shown(mailbox)
    await mailbox.refresh_conversations(ALL, thorough=True)
    assert shown(mailbox) == ids(inbox.listed(ALL))[: len(shown(mailbox))]


async def test_a_refused_cursor_starts_the_list_again_and_keeps_the_conversations(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    await mailbox.refresh_conversations(ALL)
    await mailbox.older_conversations(ALL)
    inbox.failures["conversations cursor"] = CursorRefused("Start again", code="invalid_cursor")
    assert (await mailbox.older_conversations(ALL)).restarted
    assert shown(mailbox) == ids(inbox.listed(ALL))[:50]
    assert mailbox.conversation("310") is not None


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), pace=st.integers(0, 25))
async def test_a_walk_over_a_moving_list_and_one_refresh_miss_nothing(
    tmp_path_factory: pytest.TempPathFactory, seed: int, pace: int
) -> None:
    inbox, chance = Inbox(), random.Random(seed)
    for number in range(1, 201):
        inbox.bump(str(number))
    cache = Cache(tmp_path_factory.mktemp("cache") / "pages-1.db", "test")
    mailbox = Mailbox(lambda: inbox, cache)
    await mailbox.connect()

    def move() -> None:
        for _ in range(chance.randint(0, pace)):
            inbox.bump(str(chance.randint(1, 220)))

    inbox.between = move
    await mailbox.refresh_conversations(ALL)
    for _ in range(100):
        if mailbox.conversations(ALL).complete:
            break
        await mailbox.older_conversations(ALL)
    inbox.between = lambda: None
    await mailbox.refresh_conversations(ALL)
    while not mailbox.conversations(ALL).complete:
        await mailbox.older_conversations(ALL)
    assert list(mailbox.conversations(ALL)) == inbox.listed(ALL)
    cache.close()


async def test_a_thread_opens_at_its_end_and_grows_upwards(inbox: Inbox, mailbox: Mailbox) -> None:
    inbox.write("7", 120)
    await mailbox.refresh_thread("7")
    thread = mailbox.thread("7")
    assert [row.id for row in thread] == [row.id for row in inbox.messages["7"]][-50:]
    await mailbox.older_messages("7")
    await mailbox.older_messages("7")
    thread.reload()
    assert [row.id for row in thread] == [row.id for row in inbox.messages["7"]]
    assert thread.complete


async def test_new_messages_are_told_and_appended(inbox: Inbox, mailbox: Mailbox) -> None:
    inbox.write("7", 5)
    await mailbox.refresh_thread("7")
    inbox.write("7", 2)
    newest = [row.id for row in inbox.messages["7"]][-2:]
    assert (await mailbox.refresh_thread("7")).added == tuple(reversed(newest))


async def test_notes_older_than_the_loaded_messages_wait_for_them(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    for _ in range(70):
        inbox.annotate("7")
    inbox.write("7", 60)
    inbox.annotate("7")
    await mailbox.refresh_thread("7")
    await mailbox.refresh_notes("7")
    assert [type(row) for row in mailbox.thread("7")].count(Note) == 1
    assert len(mailbox.notes("7")) == 50
    await mailbox.older_messages("7")
    assert [type(row) for row in mailbox.thread("7")].count(Note) == 71
    moments = [row.created_at for row in mailbox.thread("7")]
    assert moments == sorted(moments)


async def test_a_server_without_notes_has_none(inbox: Inbox, mailbox: Mailbox) -> None:
    inbox.failures["notes"] = NotFound("No such path")
    assert await mailbox.refresh_notes("7") == Refreshed(False)
    assert mailbox.notes("7") == []


async def test_a_conversation_that_is_gone_leaves_the_lists(inbox: Inbox, mailbox: Mailbox) -> None:
    await mailbox.refresh_conversations(ALL)
    inbox.failures["messages"] = NotFound("No such conversation")
    with pytest.raises(NotFound):
        await mailbox.refresh_thread("390")
    assert "390" not in shown(mailbox)


async def test_catalogues_are_read_to_their_end(inbox: Inbox, mailbox: Mailbox) -> None:
    inbox.labels = tuple(Label(id=str(number), title=f"label {number}") for number in range(5))
    assert await mailbox.refresh_catalogues() == {}
    assert mailbox.catalogues.labels() == list(inbox.labels)
    assert [user.name for user in mailbox.catalogues.users()] == ["Ana"]
    assert [channel.name for channel in mailbox.catalogues.channels()] == ["Support"]
    assert [field.key for field in mailbox.catalogues.custom_fields()] == ["plan"]


async def test_a_catalogue_that_the_key_may_not_read_does_not_stop_the_others(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    inbox.failures["labels"] = Forbidden("Not with this key", scope="labels:read")
    inbox.failures["custom-fields"] = NotFound("No such path")
    assert sorted(await mailbox.refresh_catalogues()) == ["custom_fields", "labels"]
    assert mailbox.catalogues.labels() == []
    assert len(mailbox.catalogues.users()) == 1


async def test_counts_are_those_last_seen(inbox: Inbox, mailbox: Mailbox) -> None:
    assert mailbox.counts(OPEN) is None
    await mailbox.refresh_counts(OPEN)
    assert mailbox.counts(OPEN) == Counts(all=400)
    assert mailbox.counts(ALL) is None
    assert mailbox.counts(ConversationFilter(status="open", assignee="me")) == Counts(all=400)


async def test_a_contact_is_read_by_its_phone(inbox: Inbox, mailbox: Mailbox) -> None:
    conversation = inbox.conversations["7"]
    assert mailbox.contact(conversation) is None
    inbox.contacts["+16505550007"] = Contact(id="7", name="Sheena Nelson")
    assert await mailbox.refresh_contact(conversation)
    assert mailbox.contact(conversation) == inbox.contacts["+16505550007"]
    assert not await mailbox.refresh_contact(conversation)


async def test_a_contact_without_a_phone_is_not_asked_for(inbox: Inbox, mailbox: Mailbox) -> None:
    hidden = inbox.conversations["7"].model_copy(update={"contact": PhoneRef(id="7")})
    assert not await mailbox.refresh_contact(hidden)
    assert inbox.requests == []


async def test_a_contact_that_is_gone_is_kept_no_longer(inbox: Inbox, mailbox: Mailbox) -> None:
    conversation = inbox.conversations["7"]
    inbox.contacts["+16505550007"] = Contact(id="7", name="Sheena Nelson")
    await mailbox.refresh_contact(conversation)
    inbox.contacts.clear()
    assert await mailbox.refresh_contact(conversation)
    assert mailbox.contact(conversation) is None


def scripted(inbox: Inbox, pages: Sequence[Page[Conversation]]) -> None:
    """Let the server give these pages, the last one for ever."""
    left = list(pages)

    async def conversation_page(
        filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        inbox.ask("conversations", cursor)
        return left.pop(0) if len(left) > 1 else left[0]

    inbox.conversation_page = conversation_page  # type: ignore[method-assign]


def rows(inbox: Inbox, *numbers: int) -> tuple[Conversation, ...]:
    return tuple(inbox.conversations[str(number)] for number in numbers)


async def test_a_server_that_repeats_its_cursor_is_asked_no_more(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    first = Page[Conversation](data=rows(inbox, 9, 8), next_cursor="a", has_more=True)
    again = Page[Conversation](data=rows(inbox, 7, 6), next_cursor="a", has_more=True)
    scripted(inbox, [first, again])
    await mailbox.refresh_conversations(ALL)
    with pytest.raises(BadResponse):
        await mailbox.older_conversations(ALL)
    assert shown(mailbox) == ["9", "8", "7", "6"]
    asked = len(inbox.requests)
    assert await mailbox.older_conversations(ALL) == Refreshed(False)
    assert len(inbox.requests) == asked


async def test_cursors_in_a_circle_end_the_walk(inbox: Inbox, mailbox: Mailbox) -> None:
    pages = [
        Page[Conversation](data=rows(inbox, 9, 8), next_cursor=cursor, has_more=True)
        for cursor in "abababababab"
    ]
    scripted(inbox, pages)
    await mailbox.refresh_conversations(ALL)
    with pytest.raises(BadResponse):
        await mailbox.older_conversations(ALL)
    assert len(inbox.requests) <= 6


async def test_an_empty_page_with_a_cursor_is_not_the_end(inbox: Inbox, mailbox: Mailbox) -> None:
    scripted(
        inbox,
        [
            Page[Conversation](data=(), next_cursor="a", has_more=True),
            Page[Conversation](data=rows(inbox, 9), next_cursor="b", has_more=True),
            Page[Conversation](data=(), next_cursor="c", has_more=True),
            Page[Conversation](data=rows(inbox, 8), next_cursor=None, has_more=False),
        ],
    )
    await mailbox.refresh_conversations(ALL)
    await mailbox.older_conversations(ALL)
    assert shown(mailbox) == ["9", "8"]
    assert mailbox.conversations(ALL).complete


async def test_a_server_that_says_more_but_gives_no_cursor_is_believed_to_have_more(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    scripted(inbox, [Page[Conversation](data=rows(inbox, 9), next_cursor=None, has_more=True)])
    await mailbox.refresh_conversations(ALL)
    assert not mailbox.conversations(ALL).complete
    assert await mailbox.older_conversations(ALL) == Refreshed(False)


async def test_a_cursor_without_a_word_on_more_means_more(inbox: Inbox, mailbox: Mailbox) -> None:
    scripted(inbox, [Page[Conversation](data=rows(inbox, 9), next_cursor="a")])
    await mailbox.refresh_conversations(ALL)
    assert mailbox.conversations(ALL).cursor == "a"


async def test_a_row_on_two_pages_is_shown_once(inbox: Inbox, mailbox: Mailbox) -> None:
    scripted(
        inbox,
        [
            Page[Conversation](data=rows(inbox, 9, 8), next_cursor="a", has_more=True),
            Page[Conversation](data=rows(inbox, 8, 7), next_cursor=None, has_more=False),
        ],
    )
    await mailbox.refresh_conversations(ALL)
    await mailbox.older_conversations(ALL)
    assert shown(mailbox) == ["9", "8", "7"]


async def test_a_row_that_cannot_be_read_is_counted_and_its_old_state_stays(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    whole = Page[Conversation](data=rows(inbox, 9, 8, 7), next_cursor=None, has_more=False)
    part = PartialPage[Conversation](data=rows(inbox, 9, 7), has_more=False, unreadable=1)
    scripted(inbox, [whole, part])
    await mailbox.refresh_conversations(ALL)
    assert (await mailbox.refresh_conversations(ALL)).unreadable == 1
    assert shown(mailbox) == ["9", "8", "7"]


async def test_what_was_seen_is_there_on_the_next_start_without_a_server(
    inbox: Inbox, tmp_path: Path
) -> None:
    first = Cache(tmp_path / "kept" / "pages-1.db", "one")
    mailbox = Mailbox(lambda: inbox, first)
    await mailbox.connect()
    await mailbox.refresh_conversations(ALL)
    mailbox.remember("last conversation", "390")
    first.close()
    second = Cache(tmp_path / "kept" / "pages-1.db", "one")
    offline = Mailbox(lambda: inbox, second)
    assert shown(offline) == ids(inbox.listed(ALL))[:50]
    assert offline.recall("last conversation") == "390"
    second.close()
