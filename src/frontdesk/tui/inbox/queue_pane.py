"""Conversation list of the inbox: view, local filter, counts, refresh and paging."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from types import MappingProxyType

from frontdesk.errors import Unreachable
from frontdesk.mailbox import Listing, Mailbox
from frontdesk.tui import labels as say
from frontdesk.tui.clock import Clock
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.local_filter import Sieve, Sifting, View, is_within, stored_view
from frontdesk.tui.unsupported import ignored_filters, lacking
from frontdesk.tui.widgets.channel_list import (
    ALL_CHANNELS,
    ChannelList,
    ChannelRow,
    channel_rows,
)
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.virtual_list import MergedRows, Rows
from frontdesk.wire import Conversation, ConversationFilter, Counts, instant
from frontdesk.wire.values import STATUSES

# Every sixth refresh also detects rows further down that no longer match the filter.
REFRESHES_UNTIL_THOROUGH = 6

# Limits of searches for the next unread or longest waiting conversation.
MOST_ROWS_LOOKED_AT = 1000
FIRST_ROWS = 50
MOST_PAGES_LOADED = 20

# Opened conversations that stay in the view although they no longer match.
MOST_OPENED_KEPT = 50

# Rows from which lower bounds of missing counts are computed.
_MOST_PROVING = 500

# The scan for a local filter ends with the list, or after this many rows; "last" extends it.
MOST_ROWS_SIFTED = 5000

_SIFTED_AT_ONCE, _SIFTED_AT_A_TIME = 500, 200

_EVERY_OPEN = ConversationFilter(status="open")

_VIEW, _CONVERSATION = "inbox.view", "inbox.conversation"


class Queue:
    """Shows the conversations of a view from the cache, and refreshes them from the server.

    Async methods raise InboxError; rows fetched before the error are shown.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        clock: Clock,
        conversations: ConversationList,
        channels: ChannelList,
    ) -> None:
        self._mailbox = mailbox
        self._clock = clock
        self._list = conversations
        self._channels = channels
        remembered = stored_view(mailbox.recall(_VIEW))
        self._chosen = remembered is not None
        self._take(remembered or View(filter=first_filter(self.all_counts)))
        self._sifting: Sifting | None = None
        self._showings = self._reloads = 0
        self._sifts_up_to = MOST_ROWS_SIFTED
        self._sift_stopped = self._stays_at_top = False
        self.looking = False
        self._loading_older = False
        self._refreshes = 0
        self.added_above = self._unreadable = self._unreadable_below = 0
        self.news: Sequence[str] = ()
        self._asked_before: ConversationFilter | None = None
        self._before: str | None = None
        self._now: str | None = None
        self._opened: dict[str, Conversation] = {}
        self._departed: dict[str, Conversation] = {}
        self._answered = self._leaving_out = False

    @property
    def filter(self) -> ConversationFilter:
        """Server filter of the view."""
        return self.view.filter

    @property
    def sieve(self) -> Sieve:
        """Local filter of the view, applied to loaded rows."""
        return self.view.sieve

    @property
    def counts(self) -> Counts | None:
        """Cached counts for the filter's channel and label."""
        return self._mailbox.counts(self._counted)

    @property
    def all_counts(self) -> Counts | None:
        """Cached counts without a filter."""
        return self._mailbox.counts(ConversationFilter())

    @property
    def proved_counts(self) -> Counts | None:
        """Lower bounds of the counts from loaded rows; None if the server sends all counts."""
        counts = self.all_counts
        known = counts is None or None not in (counts.unassigned, counts.awaiting_human)
        return None if known else say.proved_by(islice(self.listing, _MOST_PROVING))

    @property
    def names(self) -> say.Names:
        """Names of channels and users for descriptions of a filter."""
        catalogues = self._mailbox.catalogues
        ignored = ignored_filters(self._mailbox)
        return say.Names.of(catalogues.channels(), catalogues.users(), ignored)

    def lacking(self, feature: str) -> str:
        """Message if the server lacks a feature, or empty."""
        return lacking(self._mailbox, feature)

    def show(self, *, at_top: bool = False) -> None:
        """Show the cached rows of the view, with the cursor on the last selected conversation.

        at_top: the cursor goes to the first row, and stays there while the scan finds more.
        """
        last = None if at_top else self._mailbox.recall(_CONVERSATION)
        self._showings += 1
        self._sifts_up_to, self._sift_stopped = MOST_ROWS_SIFTED, False
        self._stays_at_top, self.looking = at_top, False
        self._opened, self._departed = {}, {}
        self._list.dimmed = frozenset()
        self._answered = self._leaving_out = False
        self.added_above = self._unreadable = self._unreadable_below = 0
        self._sifting = None if self.sieve.idle else self._new_sifting()
        if self._sifting is None:
            rows, position = self.listing, self.listing.position(last) if last else None
            self._list.show(rows, cursor=position or 0)
        else:
            self._sifting.step(_SIFTED_AT_ONCE)
            sifted = self._sifting.rows()
            self._list.show(sifted, cursor=sifted.find(f"conversation {last}") or 0)

    def _take(self, view: View) -> None:
        self.view = view
        self.listing: Listing[Conversation] = self._mailbox.conversations(view.filter)

    def choose(self, view: View) -> None:
        """Show another view, and store it for the next start.

        A view with another order starts at its top.
        """
        reordered = view.sieve.order != self.sieve.order
        self._take(view)
        self._chosen = True
        self._mailbox.remember(_VIEW, view.model_dump_json())
        self.show(at_top=reordered)

    def remember(self, conversation: Conversation) -> None:
        """Record that a conversation was opened."""
        self._before, self._now = self._now, conversation.id
        self._opened[conversation.id] = conversation
        if len(self._opened) > MOST_OPENED_KEPT:
            del self._opened[next(iter(self._opened))]
        self._mailbox.mark_looked_at(conversation.id)
        self._mailbox.remember(_CONVERSATION, conversation.id)

    def status_beside(self, step: int) -> str:
        """Status after (1) or before (-1) that of the filter, with wrap-around."""
        at = STATUSES.index(self.filter.status) if self.filter.status in STATUSES else -1
        return STATUSES[(at + step) % len(STATUSES)]

    def channel_beside(self, step: int) -> str | None:
        """Channel after (1) or before (-1) that of the filter, in the order of the channels pane.

        Wraps around; `ALL_CHANNELS` comes first. None if no channels are known.
        """
        ids = [ALL_CHANNELS, *(one.id for one in self._mailbox.catalogues.channels())]
        if len(ids) == 1:
            return None
        at = ids.index(self.filter.channel) if self.filter.channel in ids else 0
        return ids[(at + step) % len(ids)]

    def current(self, conversation_id: str) -> Conversation | None:
        """Cached state of a conversation."""
        return self._mailbox.conversation(conversation_id)

    # Search among rows

    def is_unread(self, conversation: Conversation) -> bool:
        """True if a conversation has unread messages newer than the last visit to it here."""
        return bool(self.unread_among((conversation,)))

    def unread_among(self, conversations: Iterable[Conversation]) -> set[str]:
        """Ids of the unread conversations, see `is_unread`."""
        waiting = {one.id: one for one in conversations if one.unread_count}
        looked_at = self._mailbox.looked_at(waiting)
        return {id for id, one in waiting.items() if _is_active_after(one, looked_at[id])}

    def unread(self) -> list[Conversation]:
        """Unread conversations among the first `FIRST_ROWS` rows."""
        rows = self._list.rows
        if rows is None:
            return []
        first = [rows[at] for at in range(min(FIRST_ROWS, len(rows)))]
        unread = self.unread_among(first)
        return [row for row in first if row.id in unread]

    def unread_beside(self, position: int, step: int) -> int | None:
        """Position of the next (1) or previous (-1) unread conversation among loaded rows."""
        rows = self._list.rows
        end = 0 if rows is None else len(rows) if step > 0 else -1
        for at in islice(range(position + step, end, step), MOST_ROWS_LOOKED_AT):
            assert rows is not None
            if self.is_unread(rows[at]):
                return at
        return None

    async def unread_below(self, position: int) -> int | None:
        """Position of the next unread conversation, loading up to 20 pages to find it."""
        for _ in range(MOST_PAGES_LOADED):
            held = len(self.listing)
            if self.listing.complete or not self.sieve.idle:
                break
            await self.older()
            if len(self.listing) == held:
                break
            found = self.unread_beside(max(position, held - 1), 1)
            if found is not None:
                return found
        return None

    def longest_waiting(self, after: Conversation | None) -> int | None:
        """Position of the longest waiting loaded conversation, or the next one after `after`.

        Resolved conversations do not wait. After the last one, the search starts again.
        """
        rows, best = self._list.rows, None
        since = (after.waiting_since or "") if after else ""
        for at in range(0 if rows is None else min(len(rows), MOST_ROWS_LOOKED_AT)):
            assert rows is not None
            waits = rows[at].waiting_since if rows[at].status != "resolved" else None
            if waits and waits > since and (best is None or waits < best[0]):
                best = (waits, at)
        if best is None and since:
            return self.longest_waiting(None)
        return best[1] if best else None

    def position_before(self, open_now: Conversation | None) -> int | None:
        """Position of the previously opened conversation; None if it is not in the list."""
        if self._before is None or open_now is None or self._before == open_now.id:
            return None
        return self._list.rows.find(f"conversation {self._before}") if self._list.rows else None

    # Requests

    async def refresh(self) -> None:
        """Refresh counts and the first page; `news` has the ids of rows that moved to the top."""
        chosen, self.news = self.filter, ()
        await self._mailbox.refresh_counts(ConversationFilter())
        if not self._chosen and not self.listing:
            self._take(View(filter=first_filter(self.all_counts)))
            chosen = self.filter
            self.show()
        if self._counted != ConversationFilter():
            await self._mailbox.refresh_counts(self._counted)
        try:
            thorough = self._must_be_thorough()
            refreshed = await self._mailbox.refresh_conversations(chosen, thorough=thorough)
            self._unreadable = refreshed.unreadable
            if thorough:
                self._unreadable_below = 0
            self._count_added(chosen, refreshed.added)
        finally:
            await self._reload(chosen)
        self._answered = self._answered or chosen == self.filter

    def leave_out_stale(self) -> None:
        """Drop rows that no longer match the view with the next refresh."""
        self._leaving_out = True

    async def refresh_names(self) -> None:
        """Refresh channels, users, labels and custom fields."""
        await self._mailbox.refresh_catalogues()

    async def older(self) -> None:
        """Load the next page; do nothing if one is being loaded or the list is complete."""
        chosen, listing = self.filter, self.listing
        if self._loading_older or listing.complete or not listing:
            return
        self._loading_older, held = True, listing.extent
        try:
            older = await self._mailbox.older_conversations(chosen)
            self._unreadable_below += older.unreadable
        finally:
            self._loading_older = False
            # Reloading an unchanged end would trigger the next request at once, in a loop.
            if self._mailbox.conversations(chosen).extent != held:
                await self._reload(chosen)

    async def sift_held(self) -> None:
        """Apply the local filter to all cached rows, without requests."""
        if self._sifting is not None:
            await self._look_through(self._sifting)

    async def sift(self, progress: Callable[[], None]) -> None:
        """Load the list up to its end or `MOST_ROWS_SIFTED`, and apply the local filter.

        `progress` is called before each page. After an error the rows found so far stay, and the
        next call continues from there.
        """
        showing, chosen = self._showings, self.filter
        if self._sifting is None:
            return
        self.looking, stopped = True, True
        try:
            while self._sifts_on():
                progress()
                extent = self.listing.extent
                await self._mailbox.older_conversations(chosen)
                if showing != self._showings:
                    break
                self.listing.reload()
                await self._look_through(self._sifting)
                if self.listing.extent == extent:
                    break
        except Unreachable:
            stopped = False
            raise
        finally:
            if showing == self._showings:
                self.looking, self._sift_stopped = False, stopped
                self._stays_at_top = self._stays_at_top and not stopped

    @property
    def sift_is_due(self) -> bool:
        """True if the scan is incomplete, and was neither cancelled nor stopped by an error."""
        return not self.looking and not self._sift_stopped and self._sifts_on()

    def sift_further(self) -> bool:
        """Raise the limit of the scan by `MOST_ROWS_SIFTED`; False if it is running or complete."""
        if self._sifting is None or self.looking or self.listing.complete:
            return False
        self._sifts_up_to = self._sifting.looked_at + MOST_ROWS_SIFTED
        self._sift_stopped = False
        return True

    def _sifts_on(self) -> bool:
        sifting = self._sifting
        if sifting is None or self.listing.complete:
            return False
        return sifting.looked_at < self._sifts_up_to

    async def reload(self) -> None:
        """Show the current rows of the cache."""
        await self._reload(self.filter)

    def loaded_words(self, keys: KeyNames) -> str:
        """Summary of the loaded rows: marked, unreadable, new above, 50 of 412 loaded."""
        if self._list.at_start:
            self.added_above = 0
        marked = len(self._list.marked)
        new = f"{marked} marked · " if marked else ""
        unreadable = self._unreadable + self._unreadable_below
        new += f"{unreadable} unreadable · " if unreadable else ""
        new += f"{self.added_above} new ▲ {keys['list.first']} · " if self.added_above else ""
        return new + (
            self._held_words() if self._sifting is None else self._sifted_words(keys["list.last"])
        )

    def say_when_empty(self, words: str) -> None:
        """Set the text of the empty list."""
        self._list.say_when_empty(words)

    def show_labels(self) -> None:
        """Update the colours of labels, and what the rows of this view have in common."""
        colours = {label.title: label.color for label in self._mailbox.catalogues.labels()}
        same_owner = self.filter.assignee not in (None, "assigned")
        self._list.set_context(colours, same_owner=same_owner)

    def show_channels(self) -> list[ChannelRow]:
        """Update the channels pane; returns its rows.

        The server counts only the open conversations of a channel, so other views have no counts.
        """
        channels = self._mailbox.catalogues.channels()
        every_open = self.filter.model_copy(update={"channel": None}) == _EVERY_OPEN
        counts = self.all_counts if every_open and not self.sieve.filters else None
        rows = channel_rows(channels, counts, self.filter.channel)
        self._channels.show_channels(rows)
        return rows

    def _held_words(self) -> str:
        total = say.count_for(self.counts, self.filter)
        held = len(self.listing)
        if self.listing.fetched_at is None:
            return "nothing loaded"
        if self.listing.complete:
            return f"{held} loaded"
        return f"{held} of {total} loaded" if total is not None else f"{held} loaded, more below"

    def _sifted_words(self, on: str) -> str:
        """Progress of the local filter: sorting 350 of 521…; ~ marks incomplete results."""
        assert self._sifting is not None
        found, looked_at = self._sifting.matches, self._sifting.looked_at
        total = say.count_for(self.counts, self.filter)
        if self.listing.complete:
            return f"{found} of {looked_at} looked at"
        if not self.sieve.filters:
            of = f"{looked_at} of {total}" if total is not None else f"{looked_at}"
            return f"sorting {of}…" if self.looking else f"~sorted {of}, {on} goes on"
        of = f" (of {total})" if total is not None else ""
        words = f"~{found} of {looked_at} looked at{of}"
        return f"{words}, loading…" if self.looking else f"{words}, {on} goes on"

    @property
    def looked_through(self) -> str:
        """Progress of an incomplete scan, such as 1,100 of 20,000; empty if complete."""
        if self._sifting is None or self.listing.complete:
            return ""
        total = say.count_for(self.counts, self.filter)
        of = f" of {total:,}" if total is not None else ""
        return f"{self._sifting.looked_at:,}{of}"

    @property
    def _counted(self) -> ConversationFilter:
        """Filter of the counts request, whose response has all statuses and assignees."""
        return ConversationFilter(channel=self.filter.channel, label=self.filter.label)

    def _must_be_thorough(self) -> bool:
        """True if this refresh has to detect rows further down that left the filter."""
        self._refreshes += 1
        total = say.count_for(self.counts, self.filter)
        disagree = self.listing.complete and total is not None and total != len(self.listing)
        return disagree or self._refreshes % REFRESHES_UNTIL_THOROUGH == 0

    def _count_added(self, chosen: ConversationFilter, added: Sequence[str]) -> None:
        """Count rows added above the window until its top is visible again, and set `news`.

        `news` stays empty after the first refresh of a filter: the cached rows may be old.
        """
        if chosen == self.filter and not self._list.at_start:
            self.added_above += len(added)
        self.news = added if chosen == self._asked_before else ()
        self._asked_before = chosen

    async def _reload(self, chosen: ConversationFilter) -> None:
        """Show the current rows of the cache, unless another filter was selected meanwhile."""
        if chosen != self.filter:
            return
        stay = self._staying()
        if self._leaving_out:
            self._opened, self._departed, self._leaving_out = {}, {}, False
        self.listing.reload()
        if self._sifting is None:
            self._list.rows = self._with_departed(stay)
            self._list.rows_changed()
        else:
            await self._sift_again(self._new_sifting(stay))

    async def _sift_again(self, sifting: Sifting) -> None:
        """Scan all cached rows again, and show the result when it is complete.

        A newer call supersedes one that is still running.
        """
        self._reloads += 1
        this = self._showings, self._reloads
        await self._look_through(sifting)
        if this == (self._showings, self._reloads):
            self._sifting = sifting
            self._show_sifted(sifting)

    def _staying(self) -> dict[str, Conversation]:
        """Rows that must not vanish while the user works with the list, by id, as last shown.

        These are the selected row, opened rows, and visible rows; with a local filter all shown
        rows. Before the first response to a view, cached rows may be old: visible rows are not kept
        then, unless the user has opened more than one.
        """
        rows: Rows[Conversation] | None = self._list.rows
        shown: Iterable[int] = ()
        if rows is None or self._leaving_out:
            return {}
        if self._answered or len(self._opened) > 1:
            shown = range(len(rows)) if self._sifting is not None else self._list.in_view()
        stay = {**self._opened, **self._departed, **{rows[at].id: rows[at] for at in shown}}
        if self._list.row is not None:
            stay.setdefault(self._list.row.id, self._list.row)
        return stay

    def _with_departed(self, stay: Mapping[str, Conversation]) -> Rows[Conversation]:
        """The list, merged with the rows of `stay` that have left it."""
        left = [row for id, row in stay.items() if self.listing.position(id) is None]
        left.sort(key=lambda row: row.last_activity_at, reverse=True)
        others = [
            (self.listing.rank(row), f"conversation {row.id}", state)
            for row in left
            if (state := self.current(row.id)) is not None
        ]
        others.sort(key=lambda other: other[0])
        self._departed = {row.id: stay[row.id] for _, _, row in others}
        # A row that sorts after the last loaded row may still be in the list, on a later page.
        held = len(self.listing) + self.listing.complete
        self._list.dimmed = {row.id for rank, _, row in others if rank < held}
        return MergedRows(self.listing, others) if others else self.listing

    def _new_sifting(self, stay: Mapping[str, Conversation] = MappingProxyType({})) -> Sifting:
        known: Sequence[Conversation] = ()
        if self.sieve.contact:
            seen = self._mailbox.conversations_of(self.sieve.contact)
            known = [one for one in seen if is_within(one, self.filter)]
        return Sifting(
            self.listing,
            self.sieve,
            self.is_unread,
            self._clock.server_now(),
            stay=stay,
            current=self.current,
            known=known,
        )

    async def _look_through(self, sifting: Sifting) -> None:
        """Scan the cached rows in steps, so that keys are handled in between; show the result."""
        more = True
        while more:
            more = sifting.step(_SIFTED_AT_A_TIME)
            await asyncio.sleep(0)
        if sifting is self._sifting:
            self._show_sifted(sifting)

    def _show_sifted(self, sifting: Sifting) -> None:
        """Show the scan's rows; keep the cursor at the top unless the user has moved it."""
        if not self._list.is_attached:
            return
        reader_is_there = self._list.screen.focused is self._list and self._list.cursor == 0
        self._stays_at_top = self._stays_at_top and reader_is_there
        self._list.rows = sifting.rows()
        self._list.dimmed = frozenset(sifting.stale)
        self._list.rows_changed()
        if self._stays_at_top:
            self._list.go_to(0)


def first_filter(counts: Counts | None) -> ConversationFilter:
    """Default filter: the first status that has conversations."""
    for status in STATUSES:
        if say.count_for(counts, ConversationFilter(status=status)):
            return ConversationFilter(status=status)
    return ConversationFilter(status=STATUSES[0])


def _is_active_after(conversation: Conversation, looked_at: datetime | None) -> bool:
    active = instant(conversation.last_activity_at)
    return looked_at is None or active is None or active > looked_at
