"""Search for messages: at once in the cache, then on a server that searches messages.

Hits of both are merged. What was looked through is part of the result.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import date, datetime, tzinfo

from frontdesk.cache import MESSAGE, Hit
from frontdesk.cache.rows import NOTE, sort_text
from frontdesk.cache.search import led, snippet_of
from frontdesk.errors import InboxError, NotOffered
from frontdesk.mailbox.mailbox import Mailbox
from frontdesk.query import Matcher, MessageSearch, QueryNames, QueryPlan, Term, plan
from frontdesk.query.names import with_customers
from frontdesk.query.terms import SENT
from frontdesk.text.clean import AtLeast, counted
from frontdesk.text.messages import read_in_file
from frontdesk.text.search import Terms
from frontdesk.text.times import in_zone
from frontdesk.wire import ConversationFilter, MessageMatch, instant

# Hits read from the cache at once, at most.
_STEP = 200
# Pages of the server's finds that are looked through at most.
MOST_PAGES = 20
# Place after those of all hits.
_NEWEST = (chr(0x10FFFF), "", "")

EVERYWHERE = "all messages"
WITH_NOTES = f"{EVERYWHERE} and the notes loaded here"


class SearchRun:
    """One search, newest hits first, at most `limit`.

    zone: that of the days in the search. asked: the server has answered. everywhere: it looked
    through all messages, down to the last hit. A server tells the newest find of each conversation
    alone: of those with a find after the days of the search it looked through nothing else.
    beyond: conversations that a list has for the same line without such a find: by their customer,
    by a label, or by words of several messages; 0 if that is not known.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        search: MessageSearch,
        names: QueryNames,
        now: datetime,
        *,
        limit: int,
        kinds: tuple[str, ...] = (),
        conversation_id: str | None = None,
        zone: tzinfo | None = None,
    ) -> None:
        self._mailbox, self._search, self._names = mailbox, search, names
        self._limit, self._kinds, self._conversation_id = limit, kinds, conversation_id
        self._zone, self._now = zone, in_zone(now, zone)
        self._after, self._before = search.days(self._now)
        self._here = self._row_test(search.query.terms, names)
        self._hits: dict[tuple[str, str], Hit] = {}
        self._last: Hit | None = None
        self._unread = False
        # Finds of the server, those after the days of the search, and whether it has more.
        self._found = self._later = self.beyond = 0
        self._cut = False
        self.asked = self.everywhere = False

    @property
    def hits(self) -> list[Hit]:
        return sorted(self._hits.values(), key=_place, reverse=True)[: self._limit]

    @property
    def more(self) -> bool:
        """True if there are, or may be, older hits than `hits`."""
        return self._unread or len(self._hits) > self._limit

    def step(self) -> bool:
        """Search the next rows of the cache, synchronously; False at the end."""
        # One more than are shown tells that there are more.
        most = min(_STEP, self._limit + 1)
        page = self._mailbox.search(
            self._search.words,
            limit=most,
            before=self._last,
            kinds=self._kinds,
            conversation_id=self._conversation_id,
        )
        self._hits |= {(hit.kind, hit.id): hit for hit in page if self._fits(hit, self._here)}
        self._last = page[-1] if page else None
        self._unread = len(page) == most
        return self._unread and len(self._hits) < self._limit

    async def ask(self, offered: Collection[str]) -> None:
        """Search on the server for the words; what it cannot filter is filtered here.

        offered: see `plan`. Raises: InboxError: it did not answer.
        """
        query = self._search.query
        if not self._search.has_words or self._conversation_id is not None:
            return
        names = await with_customers(self._names, query, self._mailbox.search_contacts)
        asked = plan(query, names, offered, self._now)
        try:
            number = await self._ask(asked)
        except NotOffered:
            plainer = plan(query, names, {*offered} - {"query"}, self._now)
            if plainer.filter == asked.filter:
                raise
            # It may lack queries, and then does not search with them.
            await self._ask(plainer)
            return
        listed = plan(self._search.line, names, offered, self._now)
        if number is not None and listed.filter.query is not None and not listed.rest:
            await self._count_beyond(listed.filter, number)

    async def _count_beyond(self, filter: ConversationFilter, number: int) -> None:
        """Count the conversations of a list beyond a number of them."""
        with suppress(InboxError):
            await self._mailbox.refresh_counts(filter)
        total = self._mailbox.total(filter)
        if total is not None and not isinstance(total, AtLeast):
            self.beyond = max(0, total - number)

    async def _ask(self, asked: QueryPlan) -> int | None:
        """Search on the server in the conversations of a plan.

        Returns the number of those with a find; None if it is not known.
        """
        rest = self._row_test(asked.rest, self._names)
        filter = asked.filter.model_copy(update={"sort": None})
        cursor, oldest, number = None, _NEWEST, None
        for _ in range(MOST_PAGES):
            page = await self._mailbox.search_messages(self._search.words, filter, cursor=cursor)
            hits = [self._hit(match) for match in page.matches or ()]
            self._found += len(hits)
            if cursor is None and not page.total_capped and not asked.rest:
                number = page.total
            self._later += sum(self._is_after_end(hit) for hit in hits)
            self._hits |= {(hit.kind, hit.id): hit for hit in hits if self._fits(hit, rest)}
            self.asked, cursor = True, page.next_cursor
            if cursor is None or (hits and self._is_before_start(hits[-1])):
                self.everywhere = not self._later
                return number
            last, shown = _place(hits[-1]) if hits else oldest, self.hits
            if len(shown) == self._limit and last <= _place(shown[-1]):
                self._unread, self.everywhere = True, not self._later
                return number
            if hits and last >= oldest:
                break
            oldest = last
        self._unread = self._cut = True
        return number

    async def extent(self) -> str:
        """Description of what was looked through, after "in"."""
        if not self.asked:
            return await extent_here(self._mailbox)
        words = WITH_NOTES if not self._kinds or NOTE in self._kinds else EVERYWHERE
        if self._cut:
            part = f"{counted(self._found, 'find')} of" if self._found else "part of"
            words = f"the newest {part} {EVERYWHERE}"
        if self._later:
            later = counted(self._later, "conversation")
            words += f"; of {later} with later finds only what was opened here"
        return words

    def _hit(self, match: MessageMatch) -> Hit:
        snippet, spans = snippet_of((match.excerpt,), Terms.of(self._search.words))
        if match.in_file:
            snippet, spans = led(read_in_file(match.in_file), snippet, spans)
        place = (sort_text(match.created_at), 0)
        position = (match.conversation_id, MESSAGE, match.message_id, match.created_at)
        return Hit(*position, snippet, spans, place)

    def _row_test(self, terms: Sequence[Term], names: QueryNames) -> Callable[[str], bool] | None:
        """Test of the conversation with an id; None if there is nothing to test."""
        shown = [term for term in terms if term.kind != SENT]
        matches = Matcher(shown, names, self._now)

        known: dict[str, bool] = {}

        def test(id: str) -> bool:
            # The server's answer may bring a row that is not there yet.
            if id not in known and (row := self._mailbox.conversation(id)) is not None:
                known[id] = matches(row)
            return known.get(id, False)

        return test if shown else None

    def _fits(self, hit: Hit, test: Callable[[str], bool] | None) -> bool:
        day = self._day(hit)
        if day is None:
            in_days = self._after is None and self._before is None
        else:
            in_days = not (self._after and day < self._after)
            in_days = in_days and not (self._before and day >= self._before)
        if not in_days:
            return False
        return test is None or test(hit.conversation_id or "")

    def _day(self, hit: Hit) -> date | None:
        created = instant(hit.created_at)
        return in_zone(created, self._zone).date() if created else None

    def _is_before_start(self, hit: Hit) -> bool:
        day = self._day(hit)
        return self._after is not None and day is not None and day < self._after

    def _is_after_end(self, hit: Hit) -> bool:
        day = self._day(hit)
        return self._before is not None and day is not None and day >= self._before


def _place(hit: Hit) -> tuple[str, str, str]:
    return sort_text(hit.created_at), hit.kind, hit.id


async def extent_here(mailbox: Mailbox) -> str:
    """Description of what a search without the server looks through, after "in"."""
    coverage = await mailbox.coverage()
    if coverage is None or not coverage.known:
        seen = await mailbox.indexed_counts()
        return f"the {counted(seen.messages, 'message')} opened on this computer"
    everything = coverage.whole and coverage.keep == "all"
    return coverage.words if everything else f"{coverage.words} and what was opened here"


async def ask_quietly(run: SearchRun, offered: Collection[str]) -> InboxError | None:
    """Search on the server; returns why it did not answer, None also where it has no search."""
    try:
        await run.ask(offered)
    except NotOffered:
        return None
    except InboxError as error:
        return error
    return None
