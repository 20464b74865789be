"""Actions of the inbox on conversations and messages: going there, finding, copying, saving."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from textual import work
from textual.screen import Screen

from frontdesk.cache import Hit
from frontdesk.inbox import finding, navigating, selecting
from frontdesk.query import Query
from frontdesk.text.clean import counted
from frontdesk.text.dates import HOW_TO, day_of
from frontdesk.text.later import OWN_WORDS, coming_in_full, moment_of, usual_moments
from frontdesk.tui import sentences
from frontdesk.tui.clipboard import copy
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.base import MenuEntry
from frontdesk.tui.dialogs.save_prompt import ask_for_name, ending
from frontdesk.tui.inbox.inbox_base import Undo
from frontdesk.tui.inbox.thread_view import SEARCH
from frontdesk.tui.inbox.view_actions import ViewActions
from frontdesk.tui.widgets.virtual_list import RowSearch
from frontdesk.wire import Conversation


def ask_until(screen: Screen[Any], clock: Clock, use: Callable[[datetime], object]) -> None:
    """Ask for a moment to come by a letter, or in own words, and call `use` with it."""
    now = clock.now()
    usual = usual_moments(now, clock.zone)
    moments = {one.letter: moment_of(one.text, now, clock.zone) for one in usual}
    width = max(len(one.words) for one in usual)
    entries = [
        MenuEntry(one.letter, one.letter, f"{one.words:{width}}  {coming_in_full(here)}")
        for one in usual
        if (here := clock.here(moments[one.letter])) is not None
    ]
    entries.append(MenuEntry(OWN_WORDS, OWN_WORDS, sentences.FOLLOW_UP_IN_WORDS))

    def use_entry(letter: str) -> None:
        if letter == OWN_WORDS:
            _ask_in_words(screen, clock, use)
        else:
            use(moments[letter])

    dialogs.ask(screen.app, dialogs.menu(sentences.FOLLOW_UP_TITLE, entries), use_entry)


def _ask_in_words(screen: Screen[Any], clock: Clock, use: Callable[[datetime], object]) -> None:
    def check(text: str) -> str | None:
        try:
            moment_of(text, clock.now(), clock.zone)
        except ValueError as error:
            return str(error)
        return None

    def preview(text: str) -> str:
        if not text or check(text) is not None:
            return sentences.FOLLOW_UP_EXAMPLES
        moment = clock.here(moment_of(text, clock.now(), clock.zone))
        assert moment is not None
        return sentences.FOLLOW_UP_AT.format(time=coming_in_full(moment))

    def use_text(text: str) -> None:
        use(moment_of(text, clock.now(), clock.zone))

    prompt = dialogs.prompt("follow up ", placeholder="in 1h", check=check, preview=preview)
    dialogs.ask(screen.app, prompt, use_text)


if TYPE_CHECKING:
    from frontdesk.tui.inbox.own_commands import OwnCommands

# Rows searched synchronously on a find, then per step of the worker.
_ROWS_AT_ONCE, _ROWS_PER_STEP = 1_000, 200


class RowActions(ViewActions):
    """Keys that lead to a row, or take something from it."""

    def action_toggle_read(self) -> None:
        """Mark the selected conversation as read on this computer, or a read one as unread."""
        toggled = self._do(selecting.toggle_read, self.inbox)
        if toggled is not None:
            read, marks = toggled
            done = sentences.READ_MARKS_RESTORED if read else sentences.READ_AGAIN
            words = sentences.MARKED_READ if read else sentences.MARKED_UNREAD
            self._say_undoable(words, self._undo_of_marks(marks, done))

    def action_mark_above_read(self) -> None:
        """Mark the selected conversation and those above it as read on this computer."""
        marks = self._do(selecting.mark_above_read, self.inbox)
        if marks:
            count = counted(len(marks), "conversation")
            words = sentences.MARKED_ABOVE_READ.format(conversations=count)
            undo = self._undo_of_marks(marks, sentences.READ_MARKS_RESTORED)
            self._say_undoable(words, undo)

    def _undo_of_marks(self, marks: Mapping[str, str], done: str) -> Undo:
        count = counted(len(marks), "conversation")
        restore = partial(self._do, self.inbox.restore_read_marks, marks)
        return Undo(restore, done.format(conversations=count))

    def action_follow_up(self) -> None:
        """Ask until when to hide the selected conversation, or the marked ones, here."""
        row = self.inbox.selected
        if row is None:
            self._notify(sentences.NO_CONVERSATION)
            return
        rows = (self.queue.marked if self.panes.at == "list" else []) or [row]
        # Deferred: a start does not need it.

        ask_until(self, self._clock, partial(self._hide, rows))

    def _hide(self, rows: Sequence[Conversation], until: datetime) -> None:
        from frontdesk.inbox import follow_ups
        from frontdesk.text.later import coming

        before = self._do(follow_ups.hide, self.inbox, rows, until)
        self.queue.list.mark_only(())
        count = counted(len(rows), "conversation")
        undo = Undo(
            partial(self._do, follow_ups.restore, self.inbox, before),
            sentences.SHOWN_AGAIN.format(conversations=count),
        )
        at = coming(self._clock.here(until) or until, self._clock.now())
        self._say_undoable(sentences.HIDDEN_UNTIL.format(conversations=count, time=at), undo)

    def action_conversation(self, step: int) -> None:
        """Open the next or previous conversation; the focus stays in its pane."""
        self.queue.list.action_move(step)
        self._open_selected()

    def action_unread(self, step: int) -> None:
        """Go to the next or previous unread conversation; downwards further pages are loaded."""
        self._do(finding.next_unread, self.inbox, step)

    def action_waiting(self) -> None:
        """Go to the longest waiting conversation; repeated, to the next longest."""
        self._do(finding.longest_wait, self.inbox)

    def action_swap(self) -> None:
        """Go back to the previously opened conversation; repeated, forth again."""
        self._do(navigating.go_to_last_opened, self.inbox)

    def action_switch(self) -> None:
        """Open the quick switcher."""
        from frontdesk.tui.dialogs.switcher import Switcher

        switcher = Switcher(self._mailbox, self.inbox.planning.names, self._views.all())
        self.app.push_screen(switcher, self._go_to)

    def action_search(self) -> None:
        """Open the full-text search."""
        from frontdesk.tui.dialogs.search import SearchScreen

        names, offered = (
            self.inbox.all_names,
            self._mailbox.capabilities.offered,
        )
        search = SearchScreen(self._mailbox, self._clock, names, offered)
        self.app.push_screen(search, self._show_hit)

    def _show_hit(self, hit: Hit | Query | str | None) -> None:
        if isinstance(hit, str):
            self._mailbox.choose_keep(hit)
            self._notify(sentences.KEEPING_NOTHING if hit == "off" else sentences.KEEPING_OPEN)
            if hit != "off":
                self._display.background.start_mirror()
        elif hit is None or isinstance(hit, Query):
            self._go_to(hit)
        elif hit.conversation_id is not None:
            self.show_conversation(hit.conversation_id, f"{hit.kind} {hit.id}")
        elif contact := self._mailbox.known_contact(hit.id):
            self._show_contact(contact)

    def action_find(self) -> None:
        """Ask for text, and go to the next matching row of the focused pane."""
        words = sentences.FIND_IN_PANE
        prompt = dialogs.prompt("/ ", value=self._find_text, placeholder=words)
        dialogs.ask(self.app, prompt, self._find_first)

    def _find_first(self, text: str) -> None:
        self._find_text = text
        self._find(1)

    def action_find_next(self, step: int) -> None:
        """Go to the next or previous match of the last search text."""
        if self._find_text:
            self._find(step)
        else:
            key, find = self._keys["inbox.find"], sentences.FIND_IN_PANE
            self._notify(sentences.NOTHING_TO_FIND_AGAIN.format(key=key, find=find))

    def _find(self, step: int) -> None:
        """Search for the text, and say which of the matches was found."""
        search = self.panes.search(self._find_text, step)
        if search.run(_ROWS_AT_ONCE):
            key = self._keys["inbox.back"]
            self._notify(sentences.SEARCHING.format(text=self._find_text, key=key))
            self._continue_search(search)
        else:
            self._say_result(search)

    @work(group=SEARCH, exclusive=True)
    async def _continue_search(self, search: RowSearch) -> None:
        """Search a long list in steps, so that keys are handled in between."""
        more = True
        while more:
            await asyncio.sleep(0)
            more = search.run(_ROWS_PER_STEP)
        self._say_result(search)

    def _say_result(self, search: RowSearch) -> None:
        """Say which match was found, and of how many unless the list is long."""
        if not search.found:
            self._notify(sentences.NO_MATCH_IN_PANE.format(text=search.text))
        elif search.count(_ROWS_AT_ONCE):
            self._say_found(sentences.FOUND_OF, number=search.number, total=search.total)
        else:
            self._say_found(sentences.FOUND)

    def _say_found(self, words: str, **numbers: int) -> None:
        after, before = self._keys["inbox.next_match"], self._keys["inbox.previous_match"]
        self._notify(words.format(text=self._find_text, next=after, previous=before, **numbers))

    def action_scroll_thread(self, lines: int) -> None:
        """Scroll the thread from any pane; the focus stays where it is."""
        if self.thread.display:
            self.thread.messages.scroll_lines(lines)
        else:
            key = self._keys["pane.thread"]
            self._notify(sentences.THREAD_NOT_SHOWN.format(key=key))

    def action_date(self) -> None:
        """Ask for a date and go there; older messages are loaded as needed."""
        if self.queue.list.selected_id is None:
            self._notify(sentences.NO_CONVERSATION)
            return
        today = self._clock.now().date()
        prompt = dialogs.prompt(
            "day ",
            placeholder=HOW_TO.removeprefix("write "),
            check=lambda text: None if day_of(text, today) else HOW_TO,
        )
        dialogs.ask(self.app, prompt, self._go_to_day)

    def _go_to_day(self, text: str) -> None:
        day = day_of(text, self._clock.now().date())
        if day is None:
            return

        def notify(found: date | None) -> None:
            if found is None:
                self._notify(sentences.NO_MESSAGES_SINCE.format(day=day))
            elif found != day:
                self._notify(sentences.NO_MESSAGES_ON.format(day=day, next=found))

        self.panes.enter("thread")
        self.thread.load_then(partial(self.thread.fetch_day, day), notify)

    def action_file(self, step: int) -> None:
        """Go to the next or previous file of the thread, from another pane to its newest."""
        entered = self.panes.at == "thread"
        self.panes.enter("thread")
        self.thread.go_to_file(step, from_end=not entered)

    def action_story(self) -> None:
        """Show all conversations of the customer as one thread, or the selected one alone."""
        self._open_selected()
        self.panes.enter("thread")
        self.thread.toggle_story()

    def action_copy(self) -> None:
        """Copy the text of the row under the cursor."""
        copy(self, self.panes.copied())

    def action_copy_menu(self) -> None:
        self.thread.exports.copy_from_menu()

    def action_open_link(self) -> None:
        """Open the file or link of the message, or the conversation, by a command for it."""
        has_commands = bool(self._preferences.commands)
        if has_commands and self.own_commands.open():
            return
        if self.panes.at == "thread" and self.thread.exports.open_file():
            return
        if self.queue.list.selected_id is None:
            self._notify(sentences.NO_CONVERSATION)
        elif self.thread.exports.links:
            self.thread.exports.open_link()
        else:
            self._notify(sentences.NO_LINK)

    def action_raw_row(self) -> None:
        """Show the row under the cursor as JSON, as it was received."""
        from frontdesk.tui.dialogs.raw_row import RawRow

        body = self.thread.messages if self.panes.at == "thread" else self.queue.list
        if body.row is not None:
            title = f"{type(body.row).__name__} {body.row.id}, as received"
            self.app.push_screen(RawRow(title, body.row))
        else:
            self._notify(sentences.NO_ROW)

    @cached_property
    def own_commands(self) -> "OwnCommands":
        """Programs of the user."""
        # Deferred: the first paint does not need them.
        from frontdesk.tui.inbox.own_commands import OwnCommands

        return OwnCommands(self, self._mailbox, self._clock, self._preferences)

    def command_menu(self) -> "OwnCommands":
        return self.own_commands

    def action_pipe(self) -> None:
        """Ask for a program, and give it the thread, or the marked threads."""
        self.own_commands.ask_for_line()

    def action_own_commands(self) -> None:
        """Choose one of the user's commands."""
        self.own_commands.choose()

    def action_export(self, pane: str = "") -> None:
        """Save the thread; in the list the selected conversations, or else all loaded ones."""
        from frontdesk.exports.conversations import MARKED_ENDINGS

        in_thread = (pane or self.panes.at) in ("thread", "contact")
        if in_thread and self.thread.conversation is not None:
            self.thread.action_export()
        elif self.queue.list.marked:
            ask_for_name(self, "selected", self._clock, MARKED_ENDINGS, self._save_marked)
        else:
            self.queue.export()

    def _save_marked(self, name: str) -> None:
        """Save rows as they are cached (CSV, JSON), or load the threads (Markdown, text)."""
        from frontdesk.exports.conversations import QUEUE_ENDINGS

        if ending(name) in QUEUE_ENDINGS:
            self.queue.save_marked(name)
        else:
            self.thread.exports.save_threads(name, self.queue.marked)
