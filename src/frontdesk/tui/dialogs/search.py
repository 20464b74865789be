"""Full-text search dialog: messages, notes and names on this computer, and on the server.

Works offline.
"""

import asyncio
from collections.abc import Collection, Sequence
from itertools import groupby
from typing import ClassVar, TypeAlias

from textual import work
from textual.binding import Binding, BindingType

from frontdesk.cache import Hit
from frontdesk.inbox.link import problem_words
from frontdesk.mailbox import Mailbox
from frontdesk.mailbox.search import WITH_NOTES, SearchRun, ask_quietly, extent_here
from frontdesk.query import MessageSearch, Query, QueryNames
from frontdesk.query.names import check, unknown_name
from frontdesk.text.clean import first_non_blank
from frontdesk.text.phones import contact_name
from frontdesk.text.times import ago
from frontdesk.tui import sentences
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.base import Choice
from frontdesk.tui.dialogs.picker import Picker
from frontdesk.tui.dialogs.switcher import PAUSE_SECONDS, number_choices

MOST_HITS = 100
_OFFER = (("off", sentences.KEEP_NOTHING), ("open", sentences.KEEP_OPEN))

# A hit, the query of a number that was typed, or what to keep on this computer.
Chosen: TypeAlias = Hit | Query | str


class SearchScreen(Picker[Chosen]):
    """Hits by conversation, the newest first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "show_list", "Conversations", id="picker.show_list")
    ]
    PLACEHOLDER = sentences.SEARCH_HINT
    KEYS = "{enter} go there   {picker.show_list} conversations   {picker.leave} back"
    MOST_SHOWN = None
    # The title has two lines.
    AROUND = Picker.AROUND + 1

    def __init__(
        self, mailbox: Mailbox, clock: Clock, names: QueryNames, offered: Collection[str]
    ) -> None:
        """offered: filters that the server answers."""
        super().__init__(sentences.SEARCH, [], current=None)
        self.list.say_when_empty("")
        self._mailbox = mailbox
        self._clock = clock
        self._names = names
        self._offered = offered
        self._searching = self._entered = self._offering = False
        self._typed = ""

    def on_mount(self) -> None:
        self._describe_extent()

    @work(group="search", exclusive=True)
    async def _describe_extent(self) -> None:
        """Show what is searched; counting takes longer than a search."""
        has_search = self._mailbox.state_of("search_messages") == "present"
        extent = WITH_NOTES if has_search else await extent_here(self._mailbox)
        self.show_title(sentences.SEARCH_IN.format(extent=extent))

    def narrow(self, typed: str) -> None:
        """Search the cache synchronously on each key, and the rest once typing pauses."""
        search, self._typed = MessageSearch.of(typed), typed
        self._entered = self._offering = False
        self._searching = bool(search.words)
        run = self._run(search)
        more = bool(search.words) and run.step()
        self.list.say_when_empty(sentences.SEARCHING_MESSAGES if search.words else "")
        self._show(run, typed)
        self.workers.cancel_group(self, "search")
        if search.words:
            self._go_on(run, search, typed, more=more)
        elif problems := self._problems(search):
            self.show_title(problems)
        else:
            self._describe_extent()

    def _problems(self, search: MessageSearch) -> str:
        unknown = (unknown_name(term, self._names) for term in search.query.terms)
        messages = (problem.message for problem in search.problems)
        return " ".join(filter(None, (*messages, *unknown)))

    def _run(self, search: MessageSearch) -> SearchRun:
        now = self._clock.server_now()
        return SearchRun(
            self._mailbox, search, self._names, now, limit=MOST_HITS, zone=self._clock.zone
        )

    @work(group="search", exclusive=True)
    async def _go_on(
        self, run: SearchRun, search: MessageSearch, typed: str, *, more: bool
    ) -> None:
        """Search the rest of the cache and the server, and show what was looked through."""
        while more:
            await asyncio.sleep(0)
            more = run.step()
        await asyncio.sleep(PAUSE_SECONDS)
        error = None
        if self._mailbox.connected:
            error = await ask_quietly(run, self._offered)
        extent = await run.extent()
        self._searching = False
        failed = problem_words(error) if error else ""
        title = [_summary(run, extent), _beyond(run), self._problems(search), failed]
        self.show_title(" · ".join(filter(None, title)))
        can_load = error is None and self._mailbox.answers > 0 and self._mailbox.offers_keeping
        self._offering = not run.hits and not run.asked and can_load
        self.list.say_when_empty("")
        self._show(run, typed)
        if self._entered:
            if not self._offering:
                self.take_row()
            self._entered = False
            self.end_wait()

    def is_ready(self) -> bool:
        """False while nothing is found yet, and for an offer unless the user moved to it."""
        row = self.list.row
        self._entered = self._searching and row is None
        is_offer = row is not None and isinstance(row.value, str)
        return not self._entered and (not is_offer or self.list.selected_by_input)

    @property
    def enter_waits(self) -> bool:
        return self._entered

    def action_show_list(self) -> None:
        """Show the conversations of the same line, unless it has mistakes."""
        query, problems = check(self._typed, self._names)
        if query.terms and not problems:
            self.dismiss(query)

    def action_leave(self) -> None:
        """Close; an offer that was not taken does not come again."""
        self.dismiss("off" if self._offering else None)

    def _show(self, run: SearchRun, typed: str) -> None:
        """Show the hits; the cursor stays on the hit where the user has moved it."""
        row = self.list.row if self.list.cursor else None
        choices = self._choices_of(run.hits) + number_choices(typed)
        if self._offering:
            heading = sentences.OFFER_KEEPING
            choices += [
                Choice(keep, words, heading="" if at else heading)
                for at, (keep, words) in enumerate(_OFFER)
            ]
        self.offer(choices)
        values = [choice.value for choice in choices]
        if row is not None and row.value in values:
            self.list.go_to(values.index(row.value))
        self.make_room(sum(map(self.list.height_of, range(len(choices)))))

    def _choices_of(self, hits: Sequence[Hit]) -> list[Choice[Chosen]]:
        """Hits grouped by conversation, each group at the place of its newest hit."""
        first = {hit.conversation_id or hit.id: at for at, hit in reversed([*enumerate(hits)])}
        grouped = sorted(hits, key=lambda hit: first[hit.conversation_id or hit.id])
        choices: list[Choice[Chosen]] = []
        for id, group in groupby(grouped, lambda hit: hit.conversation_id or hit.id):
            heading = self._heading(id)
            for hit in group:
                choices.append(
                    Choice(hit, hit.snippet, self._hint(hit), hit.spans, heading=heading)
                )
                heading = ""
        return choices

    def _heading(self, conversation_id: str) -> str:
        row = self._mailbox.conversation(conversation_id)
        if row is None:
            return sentences.CUSTOMER
        channel = first_non_blank(row.channel.name, row.channel.phone)
        return f"{contact_name(row.contact)} · {channel}" if channel else contact_name(row.contact)

    def _hint(self, hit: Hit) -> str:
        moment = self._clock.local(hit.created_at)
        age = ago(moment, self._clock.shown_now()) if moment else ""
        return f"note · {age}" if hit.kind == "note" else age


def _summary(run: SearchRun, extent: str) -> str:
    hits = run.hits
    if not hits:
        return sentences.NO_MATCH_IN.format(extent=extent)
    more = "+" if run.more else ""
    return sentences.FOUND_IN.format(count=f"{len(hits)}{more}", extent=extent)


def _beyond(run: SearchRun) -> str:
    """Words on how many more conversations the list has for the same line."""
    return sentences.MORE_IN_LIST.format(count=f"{run.beyond:,}") if run.beyond else ""
