"""What the server says changed is in all cached lists, whatever is asked for meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.mailbox.inbox import ALL, NOW, OPEN, Inbox, ids, shown

from frontdesk.cache import Cache
from frontdesk.client import ReceivedChanges
from frontdesk.errors import NotOffered, ServerFailed, Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.mailbox.news import SavedChanges, follow, list_test
from frontdesk.query.names import TeamNames
from frontdesk.tui.inbox.background import followed_page
from frontdesk.wire import Changes, Conversation, ConversationFilter, Page

RESOLVED = ConversationFilter(status="resolved")
UNREAD = ConversationFilter(status="open", unread=True)
HUMAN = ConversationFilter(awaiting_human=True)
OF_ONE = ConversationFilter(contact="4")
LISTS = (ALL, OPEN, RESOLVED, UNREAD, HUMAN, OF_ONE)
PAGE = 7


class Feed(Inbox):
    """A server that says what changed. meanwhile: runs between a page and its arrival.

    A position is the number of changes before it, after the mark of the database.
    """

    def __init__(self, size: int = 0, *, page: int = 100) -> None:
        super().__init__()
        self.mark, self.page = "a", page
        self.changed: list[str] = []
        self.meanwhile: Callable[[], Awaitable[object]] | None = None
        self.before_changes: Callable[[], None] = lambda: None
        for number in range(1, size + 1):
            self.bump(str(number))

    def bump(self, id: str, **changes: Any) -> None:
        super().bump(id, **{"awaiting_human": False, "unread_count": 0, **changes})
        self.changed.append(id)

    def edit(self, id: str, **changes: Any) -> None:
        """A conversation becomes otherwise without activity."""
        self.conversations[id] = self.conversations[id].model_copy(update=changes)
        self.changed.append(id)

    def erase(self, id: str) -> None:
        self.conversations.pop(id, None)
        self.changed.append(id)

    def rename(self) -> None:
        self.changed.append("")

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = PAGE, cursor: str | None = None
    ) -> Page[Conversation]:
        page = await super().conversation_page(filter, limit=limit, cursor=cursor)
        if self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()
        return page

    async def changes(self, after: str | None, *, wait_seconds: int = 0) -> ReceivedChanges:
        self.before_changes()
        if "changes" in self.failures:
            raise self.failures["changes"]
        mark, _, number = (after or "").partition("-")
        newest = f"{self.mark}-{len(self.changed)}"
        if after is None or mark != self.mark:
            told = Changes(data=(), reset=after is not None, next=newest)
            return ReceivedChanges(told, wait_seconds > 0)
        every = list(dict.fromkeys(reversed(self.changed[int(number) :])))[::-1]
        some, more = every[: self.page], len(every) > self.page
        end = int(number) + self.page if more else len(self.changed)
        told = Changes(
            data=tuple(self.conversations[id] for id in some if id in self.conversations),
            gone=tuple(id for id in some if id and id not in self.conversations),
            names="" in some,
            next=f"{self.mark}-{end}",
            has_more=more,
        )
        return ReceivedChanges(told, wait_seconds > 0)


def check(mailbox: Mailbox, server: Feed) -> int:
    """Compare the lists that are followed with the server's; returns how many there are."""
    followed = [one for one in LISTS if mailbox.followed.follows(mailbox.list_name(one))]
    for filter in followed:
        listing, rows = mailbox.conversations(filter), server.listed(filter)
        assert [*listing] == rows[: len(listing)], filter
        assert not listing.complete or len(listing) == len(rows), filter
    return len(followed)


def saved_by(mailbox: Mailbox, server: Feed) -> SavedChanges:
    async def sleep(seconds: float) -> None: ...

    return SavedChanges(server, mailbox.followed, mailbox.names, sleep=sleep)  # type: ignore[arg-type]


async def begun(mailbox: Mailbox, server: Feed) -> SavedChanges:
    """Changes that are followed, with all lists gone through."""
    news = saved_by(mailbox, server)
    await news.next()
    for filter in LISTS:
        await mailbox.refresh_conversations(filter)
    assert check(mailbox, server) == len(LISTS)
    return news


@pytest.fixture
def inbox() -> Feed:
    return Feed(30)


async def test_a_change_is_in_each_list_that_has_it_now_and_in_no_other(
    mailbox: Mailbox, inbox: Feed
) -> None:
    news = await begun(mailbox, inbox)
    inbox.edit("28", status="resolved")
    inbox.bump("3", awaiting_human=True, unread_count=2)
    requests = len(inbox.requests)
    await news.next()
    assert check(mailbox, inbox) == len(LISTS)
    assert shown(mailbox, OPEN)[0] == shown(mailbox, UNREAD)[0] == shown(mailbox, HUMAN)[0] == "3"
    assert shown(mailbox, RESOLVED) == ["28"]
    assert len(inbox.requests) == requests


async def test_a_later_start_asks_what_changed_since(mailbox: Mailbox, inbox: Feed) -> None:
    await begun(mailbox, inbox)
    inbox.bump("9")
    later = await saved_by(mailbox, inbox).next()
    assert ids(later.data) == ["9"]
    assert not later.reset
    assert shown(mailbox)[0] == "9"
    assert check(mailbox, inbox) == len(LISTS)


@pytest.mark.parametrize("cause", ["another database", "names", "many changes", "not offered"])
async def test_lists_are_followed_no_more_when_anything_may_have_changed(
    mailbox: Mailbox, inbox: Feed, cause: str
) -> None:
    news = await begun(mailbox, inbox)
    match cause:
        case "another database":
            inbox.mark = "b"
        case "names":
            inbox.rename()
        case "many changes":
            inbox.page = 5
            for number in range(1, 31):
                inbox.bump(str(number))
            await news.next()
            await news.next()
        case "not offered":
            inbox.failures["changes"] = NotOffered("No such path")
            with pytest.raises(NotOffered):
                await news.next()
    if cause != "not offered":
        assert (await news.next()).reset
    assert check(mailbox, inbox) == 0
    await mailbox.refresh_conversations(OPEN, thorough=True)
    assert check(mailbox, inbox) == (cause != "not offered")


async def test_a_page_that_was_read_before_a_change_and_comes_after_it_undoes_nothing(
    mailbox: Mailbox, inbox: Feed
) -> None:
    news = await begun(mailbox, inbox)

    async def meanwhile() -> None:
        inbox.edit("29", status="resolved")
        inbox.bump("2")
        await news.next()

    inbox.meanwhile = meanwhile
    await mailbox.refresh_conversations(OPEN)
    assert check(mailbox, inbox) == len(LISTS)
    assert shown(mailbox, OPEN)[0] == "2"


async def test_a_page_that_is_older_than_all_changes_that_are_kept_is_asked_for_again(
    mailbox: Mailbox, inbox: Feed
) -> None:
    news = await begun(mailbox, inbox)

    async def meanwhile() -> None:
        inbox.edit("29", status="resolved")
        for _ in range(20):
            for number in range(1, 28):
                inbox.bump(str(number))
            await news.next()

    inbox.meanwhile = meanwhile
    await mailbox.refresh_conversations(OPEN)
    assert check(mailbox, inbox) == 0
    for filter in LISTS:
        await mailbox.refresh_conversations(filter, thorough=True)
    assert check(mailbox, inbox) == len(LISTS)


async def test_the_next_page_goes_on_below_a_row_that_has_left(
    mailbox: Mailbox, inbox: Feed
) -> None:
    """What comes between the last row and where the next page begins is in the list."""
    news = await begun(mailbox, inbox)
    last, before = shown(mailbox, OPEN)[-1], shown(mailbox, OPEN)[-2]
    inbox.edit(before, status="resolved")
    inbox.edit(last, status="resolved")
    await news.next()
    inbox.edit(last, status="open")
    await news.next()
    await mailbox.older_conversations(OPEN)
    assert check(mailbox, inbox) == len(LISTS)


async def test_a_list_of_before_the_feed_is_followed_once_it_was_gone_over(
    mailbox: Mailbox, inbox: Feed
) -> None:
    await mailbox.refresh_conversations(OPEN)
    await mailbox.older_conversations(OPEN)
    inbox.edit(shown(mailbox, OPEN)[-2], status="resolved")
    await saved_by(mailbox, inbox).next()
    await mailbox.refresh_conversations(OPEN)
    assert check(mailbox, inbox) == 0
    await mailbox.refresh_conversations(OPEN, thorough=True)
    assert check(mailbox, inbox) == 1


async def test_pages_of_a_followed_list_come_from_the_cache(mailbox: Mailbox, inbox: Feed) -> None:
    async def rows() -> list[str]:
        page = await followed_page(mailbox, OPEN, None)
        found = ids(page.data)
        while page.next_cursor is not None:
            page = await followed_page(mailbox, OPEN, page.next_cursor)
            found += ids(page.data)
        return found

    inbox.edit("12", status="resolved")
    assert await rows() == ids(inbox.listed(OPEN))
    asked = inbox.requests.count("conversations")
    assert await rows() == ids(inbox.listed(OPEN))
    assert inbox.requests.count("conversations") == asked + 1
    news = saved_by(mailbox, inbox)
    await news.next()
    assert await rows() == ids(inbox.listed(OPEN))
    inbox.requests.clear()
    inbox.bump("12", status="open")
    await news.next()
    assert (await rows())[0] == "12"
    assert inbox.requests == []


async def test_who_waits_for_a_change_goes_on_with_the_next(mailbox: Mailbox, inbox: Feed) -> None:
    news, followed = await begun(mailbox, inbox), mailbox.followed
    told = followed.told
    waits = asyncio.create_task(followed.changed(told))
    await news.next()
    assert not waits.done()
    inbox.bump("3")
    await news.next()
    await waits
    await followed.changed(told)
    await followed.changed(followed.told, 0.0)


async def test_what_follows_alone_goes_on_after_failures_and_ends_without_a_feed(
    mailbox: Mailbox, inbox: Feed
) -> None:
    failures = iter([Unreachable("Away"), ServerFailed("500"), None, NotOffered("No such path")])
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    def fails_next() -> None:
        inbox.failures.pop("changes", None)
        if (failure := next(failures)) is not None:
            inbox.failures["changes"] = failure

    inbox.before_changes = fails_next
    changes = SavedChanges(mailbox.source, mailbox.followed, mailbox.names, sleep=sleep)
    with pytest.raises(NotOffered):
        await follow(changes.next, sleep=sleep)
    assert pauses == [30.0, 30.0]
    assert mailbox.followed.told == 2


async def test_two_processes_follow_with_one_file(
    mailbox: Mailbox, inbox: Feed, cache: Cache
) -> None:
    first = await begun(mailbox, inbox)
    second = saved_by(mailbox, inbox)
    inbox.bump("5")
    await second.next()
    inbox.mark = "b"
    await second.next()
    inbox.mark = "a"
    inbox.bump("6")
    await first.next()
    feed = mailbox.followed.feed()
    assert feed is not None
    assert feed.position.startswith("b-")
    row = mailbox.conversation("6")
    assert row == inbox.conversations["6"]


@pytest.mark.parametrize(
    ("name", "follows"),
    [
        ("conversations?", True),
        ("conversations?status=open&assignee=unassigned&sort=waiting", True),
        ("conversations?query=is%3Aopen%2Csnoozed+%23vip%2Crefund+-%23spam", True),
        ("conversations?query=team%3Aid%3A2", True),
        ("conversations?query=team%3Aid%3A2%2Cid%3A3", False),
        ("conversations?query=unread", False),
        ("conversations?query=created%3A2026-03-01T00%3A00Z..", True),
        ("conversations?query=waiting%3A%3E1h", False),
        ("conversations?query=refund", False),
        ("conversations?assignee=me", False),
        ("conversations?query=by%3Aid%3A7", False),
        ("conversations?query=-%40me", False),
        ("conversations?of_another_version=x", False),
    ],
)
def test_a_list_is_followed_if_its_rows_show_that_they_are_in_it(name: str, follows: bool) -> None:
    teams = (("2", TeamNames("Night", frozenset({"101"}), frozenset({"7"}))),)
    assert (list_test(name, "", teams) is not None) is follows
    assert list_test("conversations?assignee=me", "7") is not None


EDITS: dict[str, dict[str, Any]] = {
    "resolve": {"status": "resolved"},
    "open": {"status": "open"},
    "read": {"unread_count": 0},
    "human": {"awaiting_human": True},
    "answer": {"awaiting_human": False},
}
HAPPENS = ["message", "erase", "rename", "restore", "news", "restart", "head", "thorough", "older"]
STEPS = st.sampled_from([*EDITS, *HAPPENS, "slow head", "slow older"])


class Story:
    """A mailbox, its server, and what happens to both."""

    def __init__(self, mailbox: Mailbox, server: Feed) -> None:
        self._mailbox, self._server = mailbox, server
        self._news = saved_by(mailbox, server)

    async def do(self, step: str, number: int) -> None:
        if step.startswith("slow"):
            self._server.meanwhile = lambda: self._edited_and_told(number)
        match step.split()[-1]:
            case "news":
                await self._news.next()
            case "restart":
                self._news = saved_by(self._mailbox, self._server)
            case "head" | "thorough":
                thorough, filter = step == "thorough", LISTS[number % len(LISTS)]
                await self._mailbox.refresh_conversations(filter, thorough=thorough)
            case "older":
                await self._mailbox.older_conversations(LISTS[number % len(LISTS)])
            case _:
                self._change(step, str(number))
        self._server.meanwhile = None

    async def _edited_and_told(self, number: int) -> None:
        # One that the page has, as a rule.
        self._change("resolve" if number % 2 else "open", str(30 - number % PAGE))
        await self._news.next()

    def _change(self, step: str, id: str) -> None:
        if step == "restore":
            self._server.mark += "x"
        elif step == "rename":
            self._server.rename()
        elif step == "erase":
            self._server.erase(id)
        elif step == "message" or id not in self._server.conversations:
            self._server.bump(id, unread_count=int(id) % 3)
        else:
            self._server.edit(id, **EDITS[step])

    async def end(self) -> None:
        told = await self._news.next()
        while told.has_more or told.data or told.reset:
            told = await self._news.next()
        check(self._mailbox, self._server)


async def tell(path: Path, steps: list[tuple[str, int]]) -> None:
    server, cache = Feed(30), Cache(path, "https://inbox.example 1")
    mailbox = Mailbox(lambda: server, cache, clock=lambda: NOW)  # type: ignore[arg-type, return-value]
    await mailbox.connect()
    story = Story(mailbox, server)
    try:
        await begun(mailbox, server)
        for step, number in steps:
            await story.do(step, number)
        await story.end()
    finally:
        await mailbox.close()
        cache.close()


@settings(max_examples=150, deadline=None)
@given(steps=st.lists(st.tuples(STEPS, st.integers(1, 30)), max_size=25))
def test_lists_that_are_followed_are_the_servers_whatever_happens(
    steps: list[tuple[str, int]],
) -> None:
    with TemporaryDirectory() as directory:
        asyncio.run(tell(Path(directory) / "pages.db", steps))
