"""News of an inbox: what changed, from one held request after the other.

A server that does not say what changed is asked for the head of its list every 30 seconds.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from frontdesk.cache.followed import Feed, FollowedLists
from frontdesk.client.lists import row_test
from frontdesk.errors import NotOffered, ServerFailed, Unreachable
from frontdesk.query import Matcher, QueryNames, dates, parse
from frontdesk.query.language import DATED, ID, ME
from frontdesk.query.names import TeamNames
from frontdesk.query.terms import ASSIGNEE, CHANNEL, LABEL, NEEDS, STATUS, TEAM
from frontdesk.wire import Changes, Conversation, ConversationFilter
from frontdesk.wire.queries import MAX_LIMIT
from frontdesk.wire.values import utc_now

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, ReceivedChanges

# The longest wait that a server grants, and one that fits between proxies which cut off earlier.
WAIT_SECONDS, SHORT_WAIT_SECONDS = 50, 25
# Between an answer and the next request: what changes meanwhile comes together.
SPACING_SECONDS = 0.75
# Between two requests to a server that holds none.
POLL_SECONDS = 30.0
# Long waits that fail before only short ones are asked for.
_CUTS = 2
# A clock that jumps by more, within the time between two looks at it, is of a computer that was
# asleep: the connection may be lost, and the clock that limits the wait stood still meanwhile.
_JUMP = timedelta(seconds=60)
# Pages of changes, one after the other, after which it is quicker to ask for lists again.
_MOST_PAGES = 3
_TICK_SECONDS = 5.0

Sleep = Callable[[float], Awaitable[None]]


class ChangeFeed:
    """Changes after a position, which the server holds back until there are some.

    position: after what was returned last; None before the first answer. has_more: there are more
    changes already. wait_seconds: after which an answer may say that there are none.
    """

    def __init__(
        self,
        client: "InboxClient",
        position: str | None = None,
        *,
        wait_seconds: int = WAIT_SECONDS,
        spacing_seconds: float = SPACING_SECONDS,
        sleep: Sleep = asyncio.sleep,
        tick: Sleep = asyncio.sleep,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """tick: waits between two looks at the clock, which is `now`."""
        self.position = position
        self.has_more = False
        self._client, self._sleep, self._tick, self._now = client, sleep, tick, now
        self._longest_seconds, self._spacing_seconds = wait_seconds, spacing_seconds
        self._wait_seconds = wait_seconds
        self._pause = 0.0
        self._cuts = 0

    async def next(self, *, waits: bool = True) -> Changes:
        """Return the next changes: none if none came for a while, or for the first position.

        waits: for changes, if there are none yet. After a failure the position is what it was.

        Raises: NotOffered: the server does not say what changed. InboxError.
        """
        pause, self._pause = self._pause, 0.0
        if pause:
            await self._sleep(pause)
        waits = waits and self.position is not None and not self.has_more
        received = await (self._awaited() if waits else self._client.changes(self.position))
        changes = received.changes
        if waits and not changes.has_more:
            self._pause = self._spacing_seconds if received.held else POLL_SECONDS
        self.position, self.has_more = changes.next, changes.has_more
        return changes

    async def _awaited(self) -> "ReceivedChanges":
        """Send a request that may be held, and again after the computer was asleep."""
        try:
            while (received := await self._unless_asleep()) is None:
                continue
        except Unreachable as error:
            if error.retry_after is None and self._wait_seconds > SHORT_WAIT_SECONDS:
                self._cuts += 1
                self._wait_seconds = SHORT_WAIT_SECONDS
            raise
        if self._wait_seconds == self._longest_seconds and received.changes.next == self.position:
            self._cuts = 0
        if self._cuts < _CUTS:
            self._wait_seconds = self._longest_seconds
        return received

    async def _unless_asleep(self) -> "ReceivedChanges | None":
        """Send the request; None if the clock has jumped before the answer."""
        asked = asyncio.ensure_future(
            self._client.changes(self.position, wait_seconds=self._wait_seconds)
        )
        jump = asyncio.ensure_future(self._clock_jump())
        try:
            await asyncio.wait((asked, jump), return_when=asyncio.FIRST_COMPLETED)
            return asked.result() if asked.done() else None
        finally:
            asked.cancel()
            jump.cancel()

    async def _clock_jump(self) -> None:
        before = self._now()
        while True:
            await self._tick(_TICK_SECONDS)
            now = self._now()
            if abs(now - before) > _JUMP:
                return
            before = now


class SavedChanges:
    """Changes that are saved in the cache before they are told; a later start goes on after them.

    names: those of the own user and of teams, as far as they are known by then.
    """

    def __init__(
        self,
        client: "InboxClient",
        followed: FollowedLists,
        names: Callable[[], QueryNames],
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._client, self._followed, self._names, self._sleep = client, followed, names, sleep
        self._feed: ChangeFeed | None = None
        self._began = ""
        self._pages = 0

    async def next(self) -> Changes:
        """Save and return the next changes; none for a first position, or after a while.

        After an answer with `reset` anything may be otherwise: after that of another database, with
        other names, or with more changes than are worth to be read.

        Raises: NotOffered: the server does not say what changed. InboxError.
        """
        try:
            return await self._next()
        except NotOffered:
            await self._followed.end()
            raise

    async def _next(self) -> Changes:
        stored, is_first = self._followed.feed(), self._feed is None
        if self._feed is None:
            self._feed = ChangeFeed(self._client, stored and stored.position, sleep=self._sleep)
            self._began = stored.began if stored is not None else ""
        changes = await self._feed.next(waits=not is_first)
        self._pages = self._pages + 1 if changes.has_more else 0
        feed = Feed(self._began, changes.next)
        saves = {**{row.id: row for row in changes.data}, **dict.fromkeys(changes.gone)}
        if saves or (stored is not None and stored.position != changes.next):
            names = self._names()
            me, teams = names.me, tuple(names.teams.items())
            await self._followed.save(saves, lambda name: list_test(name, me, teams), feed)
        renewed = changes.reset or changes.names or self._pages >= _MOST_PAGES
        if renewed or stored is None:
            await self._begin(self._feed, changes.next if not changes.has_more else None)
        return changes.model_copy(update={"reset": renewed})

    async def _begin(self, feed: ChangeFeed, position: str | None) -> None:
        """Begin anew, at the present position by default."""
        if position is None:
            position = (await self._client.changes(None)).changes.next
        feed.position, feed.has_more = position, False
        self._began, self._pages = position, 0
        await self._followed.begin(position)


async def follow(
    next_changes: Callable[[], Awaitable[Changes]], *, sleep: Sleep = asyncio.sleep
) -> None:
    """Save what changes, for whoever waits for `FollowedLists.changed`, until cancelled.

    next_changes: `SavedChanges.next`. An unreachable server is asked again after half a minute.

    Raises: InboxError: what asking again does not mend, as of a server that says no changes.
    """
    while True:
        try:
            await next_changes()
        except (Unreachable, ServerFailed):
            await sleep(POLL_SECONDS)


@lru_cache(maxsize=1_000)
def list_test(
    name: str, me: str, teams: tuple[tuple[str, TeamNames], ...] = ()
) -> Callable[[Conversation], bool] | None:
    """Test of the rows of a list of the cache; None if a row does not show whether it is there."""
    tests = []
    for member, value in parse_qsl(name.partition("?")[2], keep_blank_values=True):
        if member == "sort":
            continue
        if member == "assignee" and value == ME:
            if not me:
                return None
            value = me
        if member not in ConversationFilter.model_fields:
            return None
        names = QueryNames(me=me, teams=dict(teams))
        test = query_test(value, names) if member == "query" else row_test(member, value)
        if test is None:
            return None
        tests.append(test)
    return lambda row: all(test(row) for test in tests)


def query_test(text: str, names: QueryNames) -> Callable[[Conversation], bool] | None:
    """Test of rows by a query; None if they do not show it, or not at any time."""
    terms = parse(text).terms
    for term in terms:
        is_span = term.kind in DATED and dates.instants(term.value) is not None
        if not is_span and term.kind not in (STATUS, ASSIGNEE, TEAM, CHANNEL, LABEL, NEEDS):
            return None
        if term.kind == TEAM and not {id.removeprefix(ID) for id in term.values} <= {*names.teams}:
            return None
    if not names.me and any(ME in term.values for term in terms):
        return None
    return Matcher(terms, names, datetime.max.replace(tzinfo=UTC))


class News:
    """Changes of an inbox for whoever shows it, from a server of any kind.

    An answer with `reset` says that anything may have changed; the first one is for the position
    alone: ask for it before anything is read. poll_seconds: between two requests to a server that
    does not say what changed.
    """

    def __init__(
        self,
        client: "InboxClient",
        feed: ChangeFeed | None = None,
        *,
        poll_seconds: float = POLL_SECONDS,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """feed: the changes of a server that says them; by default from now on."""
        self._client, self._sleep, self._poll_seconds = client, sleep, poll_seconds
        self._feed: ChangeFeed | None = feed or ChangeFeed(client, sleep=sleep)
        self._head: dict[str, Conversation] | None = None

    @property
    def position(self) -> str | None:
        """Where another run may go on; None if the server has no positions."""
        return self._feed.position if self._feed is not None else None

    async def next(self) -> Changes:
        """Return what changed since the last answer; nothing after a while without changes.

        After a failure, what changed meanwhile comes with the next answer.

        Raises: InboxError.
        """
        if self._feed is not None:
            try:
                return await self._feed.next()
            except NotOffered:
                self._feed = None
        return await self._changes_of_head()

    async def _changes_of_head(self) -> Changes:
        """Compare the first page of the list with that of the last time."""
        if self._head is not None:
            await self._sleep(self._poll_seconds)
        page = await self._client.conversation_page(ConversationFilter(), limit=MAX_LIMIT)
        before, self._head = self._head, {row.id: row for row in page.data}
        if before is None:
            return Changes(data=(), reset=True, next="")
        rows = tuple(row for row in reversed(page.data) if before.get(row.id) != row)
        # Where every row is another one, more may be so below.
        return Changes(data=rows, reset=len(rows) == len(page.data) and not page.ended, next="")
