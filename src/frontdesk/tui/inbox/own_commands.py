"""Own commands of the inbox, and the pipe: what they are run on, what they read, what stays."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from frontdesk.mailbox import Mailbox
from frontdesk.own_commands import results
from frontdesk.own_commands.command import (
    CONVERSATION,
    FILE,
    LINK,
    MESSAGE,
    OwnCommand,
    values_of,
)
from frontdesk.text.messages import Entry
from frontdesk.text.phones import contact_name
from frontdesk.tui import bar_texts, sentences
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.command_menu import CommandMenu, CommandTarget, Load, give
from frontdesk.tui.dialogs.pipe import ask_for_program
from frontdesk.tui.dialogs.running_programs import programs_of
from frontdesk.tui.preferences import Preferences
from frontdesk.wire import Conversation, Message

if TYPE_CHECKING:
    from frontdesk.tui.inbox.panes import Panes
    from frontdesk.tui.inbox.queue_pane import QueuePane
    from frontdesk.tui.inbox.thread_pane import ThreadPane

# The nearest first: a command for files and messages is run on a file.
_NEAREST = (FILE, LINK, MESSAGE, CONVERSATION)
_OPEN = "inbox.open_link"


class OwnCommands(CommandMenu):
    """Commands on what an inbox shows: the selected conversation, message, file, or rows.

    Values are those of the moment in which a command is chosen.
    """

    def __init__(
        self,
        screen: Screen[Any],
        queue: "QueuePane",
        thread: "ThreadPane",
        panes: "Panes",
        mailbox: Mailbox,
        clock: Clock,
        preferences: Preferences,
    ) -> None:
        super().__init__(screen, clock, preferences, self._target_in_inbox)
        self._queue, self._thread, self._panes, self._mailbox = queue, thread, panes, mailbox
        self._open_keys = preferences.keys.get(_OPEN, "o").split(",")

    # The pipe

    def ask_for_line(self) -> None:
        """Ask for a command line for `sh`, which reads the thread or the marked threads."""
        conversation, marked = self._thread.conversation, self._marked
        if conversation is None:
            say(self._screen, sentences.NO_CONVERSATION)
            return
        thread = self._thread
        load = partial(thread.exports.use_texts, marked) if marked else thread.exports.use_text
        target = CommandTarget(values_of(conversation), load=load)
        ask_for_program(
            self._screen,
            self._mailbox,
            lambda command: self.run(command, target),
            input="the selected threads" if marked else "the thread",
        )

    # Commands of the configuration

    def open(self) -> bool:
        """Open what is under the cursor by a command with the key of opening; False without one.

        Again, end its program.
        """
        thread = self._thread
        place = CONVERSATION
        if self._entry is not None:
            place = FILE if thread.messages.has_file else LINK if thread.exports.links else MESSAGE
        for nearest in (MESSAGE, CONVERSATION) if place == MESSAGE else (place,):
            for command in self._preferences.commands:
                target = self._target_at(command, nearest)
                if command.key in self._open_keys and target is not None:
                    programs = programs_of(self._screen.app, self._clock)
                    if not programs.cancel(command.name, target.id):
                        self.start(command)
                    return True
        return False

    @property
    def _marked(self) -> list[Conversation]:
        return self._queue.marked if self._panes.at == "list" else []

    @property
    def _entry(self) -> Entry | None:
        return self._thread.messages.row if self._panes.at == "thread" else None

    def start(self, command: OwnCommand) -> None:
        marked, conversation = self._marked, self._thread.conversation
        if marked and command.stdin != "rows" and conversation is not None:
            name, count = contact_name(conversation.contact), bar_texts.selection_words(len(marked))
            words = sentences.RUNS_ON_ONE.format(command=command.name, name=name, selection=count)
            say(self._screen, words)
        super().start(command)

    def _target_in_inbox(self, command: OwnCommand) -> CommandTarget | str:
        targets = (self._target_at(command, place) for place in _NEAREST)
        target = next((one for one in targets if one is not None), None)
        return target or self._why_not(command)

    def _why_not(self, command: OwnCommand) -> str:
        """Why a command cannot be run here."""
        if CONVERSATION in command.places:
            return sentences.NO_CONVERSATION
        if any(place.partition(":")[0] in _NEAREST for place in command.places):
            thing = command.places[0].partition(":")[0]
            return sentences.NEEDS_MESSAGE.format(name=command.name, thing=thing)
        return sentences.COMMAND_NOT_HERE.format(name=command.name)

    def _target_at(self, command: OwnCommand, place: str) -> CommandTarget | None:
        """What a command is run on in a place; None if it is not for it, or nothing is there."""
        thread, entry = self._thread, self._entry
        row = thread.conversation
        if row is None or (place != CONVERSATION and entry is None):
            return None
        if place == CONVERSATION or entry is None:
            return self._of_row(command, row) if CONVERSATION in command.places else None
        if place == FILE:
            is_for = {FILE, f"{FILE}:{entry.type}"} if isinstance(entry, Message) else set()
            if not is_for & {*command.places} or not thread.messages.has_file:
                return None
            files = thread.exports.files
            assert isinstance(entry, Message)
            if files is None:
                return None
            return self._of_entry(command, row, entry, ("FILE", partial(files.hand_over, entry)))
        if place not in command.places or (place == LINK and not thread.exports.links):
            return None
        find = ("LINK", thread.exports.with_link) if place == LINK else None
        return self._of_entry(command, row, entry, find)

    def _of_row(self, command: OwnCommand, row: Conversation) -> CommandTarget:
        thread, query = self._thread, str(self._queue.inbox.view.query)
        if command.stdin == "rows" and (marked := self._marked):
            name = bar_texts.selection_words(len(marked))
            values = {"QUERY": query}
            return CommandTarget(
                values, "marked", name, partial(thread.exports.use_selection, marked)
            )
        values = values_of(row, None, query, self._mailbox.contact(row))
        read, keep = self._load(command, row, None), partial(self._keep, command.name, row.id, "")
        return CommandTarget(values, row.id, contact_name(row.contact), read, keep=keep)

    def _of_entry(
        self,
        command: OwnCommand,
        row: Conversation,
        entry: Entry,
        find: tuple[str, Load] | None,
    ) -> CommandTarget:
        query = str(self._queue.inbox.view.query)
        values = values_of(row, entry, query, self._mailbox.contact(row))
        load = self._load(command, row, entry)
        under = self._thread.messages.selected_key or ""
        keep = partial(self._keep, command.name, row.id, under)
        return CommandTarget(values, row.id, contact_name(row.contact), load, find, keep)

    def _load(self, command: OwnCommand, row: Conversation, entry: Entry | None) -> Load:
        """What gives what a command reads."""
        thread = self._thread
        if command.stdin == "rows":
            return partial(thread.exports.use_selection, [row])
        if command.stdin == "thread":
            return thread.exports.use_text
        is_of_message = command.stdin == "message" and entry is not None
        return partial(give, (entry.text or "") if is_of_message and entry else "")

    # Results that stay under what they are of

    def _keep(self, command: str, id: str, entry: str, text: str) -> None:
        name = results.setting(id)
        kept = results.with_result(self._mailbox.get_setting(name), entry, command, text)
        self._mailbox.set_setting(name, kept)
        self._thread.show_results()

    def others(self) -> list[tuple[str, Callable[[], object]]]:
        """Results here that can be removed, then the programs that run."""
        thread = self._thread
        if thread.conversation is None:
            return super().others()
        id, under = thread.conversation.id, thread.messages.selected_key or ""
        kept = results.results(self._mailbox.get_setting(results.setting(id)))
        entries = ("", under) if self._entry is not None else ("",)
        removals: list[tuple[str, Callable[[], object]]] = [
            (f"remove the result of {name}", partial(self._keep, name, id, key, ""))
            for key in entries
            for name, _ in kept.get(key, ())
        ]
        return [*removals, *super().others()]
