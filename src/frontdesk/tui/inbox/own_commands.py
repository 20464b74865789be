"""Own commands of the inbox, and the pipe: what they are run on, and what they read."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from frontdesk.mailbox import Mailbox
from frontdesk.own_commands.command import OwnCommand, facts, values_of
from frontdesk.query import parse
from frontdesk.text.messages import Entry
from frontdesk.text.phones import contact_name
from frontdesk.tui import bar_texts, sentences
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.command_menu import CommandMenu, CommandTarget, Load, give
from frontdesk.tui.dialogs.pipe import ask_for_program
from frontdesk.tui.preferences import Preferences
from frontdesk.wire import Conversation, Message

if TYPE_CHECKING:
    from frontdesk.tui.inbox.inbox_base import InboxBase


class OwnCommands(CommandMenu):
    """Commands on what an inbox shows: the selected conversation, message, or marked rows.

    Values are those of the moment in which a command is chosen.
    """

    def __init__(
        self, screen: "InboxBase", mailbox: Mailbox, clock: Clock, preferences: Preferences
    ) -> None:
        super().__init__(
            screen, clock, preferences.commands, preferences.profile, self._target_in_inbox
        )
        self._inbox_screen, self._mailbox = screen, mailbox
        self._web_inbox = preferences.conversation_link

    # The pipe

    def ask_for_line(self) -> None:
        """Ask for a command line for `sh`, which reads the thread or the marked threads."""
        conversation = self._inbox_screen.thread.conversation
        if conversation is None:
            say(self._screen, sentences.NO_CONVERSATION)
            return
        named = facts(values_of(conversation), self._profile)
        input = "the selected threads" if self._marked else "the thread"
        ask_for_program(
            self._screen, self._mailbox, self._clock, named, self._with_threads, input=input
        )

    def _with_threads(self, use: Callable[[str], object]) -> None:
        marked = self._marked
        if marked:
            self._inbox_screen.thread.use_texts(marked, use)
        else:
            self._inbox_screen.thread.use_text("md", use)

    # Commands of the configuration

    @property
    def _marked(self) -> list[Conversation]:
        screen = self._inbox_screen
        return screen.queue.marked if screen.panes.at == "list" else []

    def start(self, command: OwnCommand) -> None:
        marked, conversation = self._marked, self._inbox_screen.thread.conversation
        if marked and "marked" not in command.places and conversation is not None:
            name, count = contact_name(conversation.contact), bar_texts.selection_words(len(marked))
            words = sentences.RUNS_ON_ONE.format(command=command.name, name=name, selection=count)
            say(self._screen, words)
        super().start(command)

    def _target_in_inbox(self, command: OwnCommand) -> CommandTarget | str:
        screen, places, marked = self._inbox_screen, command.places, self._marked
        conversation = screen.thread.conversation
        entry = screen.thread.messages.row if screen.panes.at == "thread" else None
        if "marked" in places and marked:
            return self._if_matching(command, marked) or self._of_marked(command, marked)
        if "message" in places and entry is not None and conversation is not None:
            return self._if_matching(command, [conversation]) or self._of_entry(
                command, conversation, entry
            )
        if {"conversation", "contact"} & {*places} and conversation is not None:
            return self._if_matching(command, [conversation]) or self._of_row(command, conversation)
        if "everywhere" in places:
            return CommandTarget({})
        return self._why_not(command)

    def _why_not(self, command: OwnCommand) -> str:
        """Why a command cannot be run here."""
        places = command.places
        if {"conversation", "contact"} & {*places}:
            return sentences.NO_CONVERSATION
        if "message" in places:
            return sentences.NEEDS_MESSAGE.format(name=command.name)
        if "marked" in places:
            key = self._inbox_screen.key_of_action("queue.mark")
            return sentences.NEEDS_MARKED.format(name=command.name, key=key)
        return sentences.COMMAND_NOT_HERE.format(name=command.name)

    def _if_matching(self, command: OwnCommand, rows: Iterable[Conversation]) -> str:
        """Why a command is not for some conversations, or ""."""
        if not command.condition:
            return ""
        matches = self._inbox_screen.inbox.planning.test(parse(command.condition).terms)
        if all(map(matches, rows)):
            return ""
        return sentences.NOT_FOR_THIS.format(name=command.name, query=command.condition)

    def _of_marked(self, command: OwnCommand, rows: list[Conversation]) -> CommandTarget:
        thread = self._inbox_screen.thread
        load = thread.use_selection if command.stdin == "selection" else thread.use_texts
        values = {"query": str(self._inbox_screen.inbox.view.query)}
        name = bar_texts.selection_words(len(rows))
        return CommandTarget(values, "marked", name, load=partial(load, rows))

    def _of_row(self, command: OwnCommand, row: Conversation) -> CommandTarget:
        values = self._values(row, None)
        texts = partial(self._newest_texts, row.id)
        name, load = contact_name(row.contact), self._loader(command, row)
        return CommandTarget(values, row.id, name, texts, load)

    def _newest_texts(self, id: str) -> Iterator[str]:
        """Texts of a thread as it is cached, the newest first."""
        thread = self._mailbox.thread(id)
        return (thread[at].text or "" for at in reversed(range(len(thread))))

    def _of_entry(self, command: OwnCommand, row: Conversation, entry: Entry) -> CommandTarget:
        thread = self._inbox_screen.thread
        load, load_file = self._loader(command, row), None
        if command.stdin == "message":
            load = partial(give, entry.text or "")
        elif command.stdin == "message-json":
            load = partial(give, entry.model_dump_json(exclude_unset=True))
        if isinstance(entry, Message) and thread.messages.has_file and thread.files is not None:
            load_file = partial(thread.files.hand_over, entry)
        values, name = self._values(row, entry), contact_name(row.contact)
        texts = [entry.text or ""]
        return CommandTarget(values, row.id, name, lambda: texts, load, load_file)

    def _values(self, row: Conversation, entry: Entry | None) -> dict[str, str]:
        query = str(self._inbox_screen.inbox.view.query)
        return values_of(row, entry, query, self._mailbox.contact(row), self._web_inbox)

    def _loader(self, command: OwnCommand, row: Conversation) -> Load:
        """What gives the thread as the command reads it."""
        thread = self._inbox_screen.thread
        if command.stdin == "selection":
            return partial(thread.use_selection, [row])
        ending = "json" if command.stdin == "thread-json" else "md"
        return lambda use: thread.use_text(ending, use, command.last)
