"""Copies, files and links of the shown thread."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import tzinfo
from functools import cached_property, partial
from typing import TYPE_CHECKING

from frontdesk.errors import Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.text.clean import first_non_blank
from frontdesk.text.messages import Entry
from frontdesk.tui import bar_texts, sentences
from frontdesk.tui.clipboard import copy, links_in, open_outside, say
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.base import Choice, MenuEntry
from frontdesk.tui.dialogs.save_prompt import ask_for_name, ending, save_text
from frontdesk.tui.inbox.thread_view import ThreadView, whole_thread
from frontdesk.tui.preferences import Preferences
from frontdesk.wire import Conversation, Message

if TYPE_CHECKING:
    from frontdesk.tui.inbox.thread_files import ThreadFiles

COPY_MENU = (
    MenuEntry("m", "message", "the selected message"),
    MenuEntry("p", "phone", "the customer's number"),
    MenuEntry("n", "name", "the customer's name"),
    MenuEntry("l", "link", "a link in the message"),
    MenuEntry("t", "thread", "the whole thread as text"),
    MenuEntry("i", "id", "the conversation's id"),
)


class ThreadExports:
    """Takes something from the thread that a pane shows."""

    def __init__(
        self, pane: ThreadView, mailbox: Mailbox, clock: Clock, preferences: Preferences
    ) -> None:
        self._pane, self._mailbox, self._clock = pane, mailbox, clock
        self._preferences = preferences

    def copy_from_menu(self) -> None:
        """Open the menu of the parts of a conversation that can be copied."""
        if self._pane.conversation is None:
            self._copy("")
            return
        entries = [entry for entry in COPY_MENU if entry.value != "link" or self.links]
        dialogs.ask(self._pane.app, dialogs.menu("Copy", entries), self._copy_part)

    @property
    def links(self) -> list[str]:
        """Links of the message under the cursor."""
        row = self._pane.messages.row
        return links_in(row) if row is not None else []

    def open_link(self) -> None:
        """Open the link or the media of the message under the cursor."""
        self.with_link(self.open_address)

    @cached_property
    def files(self) -> "ThreadFiles | None":
        """What can be done with files; None if none are kept on this computer."""
        directory = self._preferences.media_directory
        if directory is None:
            return None
        from frontdesk.cache.kept_files import KeptFiles
        from frontdesk.tui.inbox.thread_files import ThreadFiles
        from frontdesk.tui.pictures import terminal_of_pictures

        return ThreadFiles(
            self._pane,
            self._pane.messages,
            self._mailbox,
            self._clock,
            KeptFiles(directory, most_bytes=self._preferences.viewer.media_mb * 1_000_000),
            self._preferences.downloads,
            terminal_of_pictures(self._pane.picture_display, self._pane.app),
            self._pane.load_then,
            self._pane.show_progress,
        )

    def close(self) -> None:
        """End what decodes pictures, and delete what was handed to other programs."""
        if "files" in self.__dict__ and self.files is not None:
            self.files.close()

    def open_file(self) -> bool:
        """Open the file of the message under the cursor; False if it has none."""
        return self._with_file(lambda files, message: files.open(message))

    def save_file(self) -> bool:
        """Save the file of the message under the cursor; False if it has none."""
        return self._with_file(lambda files, message: files.save(message))

    def show_file(self) -> bool:
        """Show the file of the message under the cursor large; False if it has none."""
        large = self._pane.picture_display.large
        return self._with_file(lambda files, message: files.show(message, pictures=large))

    def _with_file(self, use: "Callable[[ThreadFiles, Message], object]") -> bool:
        row, files = self._pane.messages.row, self.files if self._pane.messages.has_file else None
        if files is None or not isinstance(row, Message):
            return False
        use(files, row)
        return True

    def export(self) -> None:
        """Ask for a file name, and save the whole thread."""
        from frontdesk.exports.conversations import THREAD_ENDINGS

        if self._pane.conversation is None:
            say(self._pane.screen, sentences.NOTHING_TO_EXPORT)
            return
        contact = self._pane.conversation.contact
        name = first_non_blank(contact.name, contact.phone, contact.username, contact.id)
        ask_for_name(self._pane.screen, name, self._clock, THREAD_ENDINGS, self._save)

    def _save(self, name: str) -> None:
        if self._pane.conversation is not None:
            use = partial(self._save_entries, name, self._pane.conversation)
            self._pane.load_then(self._pane.fetch_all, use)

    def _save_entries(self, name: str, conversation: Conversation, entries: list[Entry]) -> None:
        from frontdesk.exports.conversations import thread_text

        text = thread_text(conversation, entries, ending(name), self._zone, self._story)
        words = bar_texts.entry_words(entries)
        save_text(self._pane.screen, name, text, sentences.THREAD_EXPORTED, entries=words)

    def save_threads(self, name: str, conversations: Sequence[Conversation]) -> None:
        """Load the threads of conversations from their start, and save them."""
        from frontdesk.exports.conversations import threads_text

        count = bar_texts.selection_words(len(conversations))

        def write(threads: list[tuple[Conversation, list[Entry]]]) -> None:
            text = threads_text(threads, ending(name), self._clock.zone)
            words = bar_texts.entry_words([entry for _, entries in threads for entry in entries])
            sentence = sentences.THREADS_EXPORTED
            save_text(self._pane.screen, name, text, sentence, selection=count, entries=words)

        self._pane.load_then(partial(self._fetch_threads, conversations), write)

    async def _fetch_threads(
        self, conversations: Sequence[Conversation], *, or_cached: bool = False
    ) -> list[tuple[Conversation, list[Entry]]]:
        threads = []
        for number, one in enumerate(conversations, 1):
            which = f"{number} of {len(conversations)}"
            self._pane.show_progress(which)

            def show(words: str, which: str = which) -> None:
                self._pane.show_progress(f"{which}: {words}")

            load = partial(whole_thread, self._mailbox, self._clock, one.id, show)
            threads.append((one, await (self._or_cached(one, load) if or_cached else load())))
        return threads

    def use_text(self, use: Callable[[str], object]) -> None:
        """Load the whole thread, and call `use` with it as Markdown."""
        from frontdesk.exports.conversations import thread_text

        conversation = self._pane.conversation
        if conversation is None:
            return

        def use_entries(entries: list[Entry]) -> None:
            use(thread_text(conversation, entries, "md", self._zone, self._story))

        self._pane.load_then(
            partial(self._or_cached, conversation, self._pane.fetch_all), use_entries
        )

    def use_texts(
        self, conversations: Sequence[Conversation], use: Callable[[str], object]
    ) -> None:
        """Load the threads of conversations, and call `use` with them as Markdown."""
        from frontdesk.exports.conversations import threads_text

        self._use_threads(
            conversations, lambda threads: use(threads_text(threads, "md", self._zone))
        )

    def use_selection(
        self, conversations: Sequence[Conversation], use: Callable[[str], object]
    ) -> None:
        """Load the threads of conversations, and call `use` with them as lines of JSON."""
        from frontdesk.exports.conversations import selection_lines

        self._use_threads(conversations, lambda threads: use(selection_lines(threads)))

    @property
    def _story(self) -> Sequence[Conversation]:
        """All conversations of the customer, while they are shown as one thread."""
        return self._pane.story.conversations if self._pane.story is not None else ()

    @property
    def _zone(self) -> tzinfo | None:
        return self._clock.zone

    def _use_threads(
        self,
        conversations: Sequence[Conversation],
        use: Callable[[list[tuple[Conversation, list[Entry]]]], object],
    ) -> None:
        self._pane.load_then(partial(self._fetch_threads, conversations, or_cached=True), use)

    async def _or_cached(
        self, conversation: Conversation, load: Callable[[], Awaitable[list[Entry]]]
    ) -> list[Entry]:
        """A whole thread; what is cached of it, if the server cannot be reached."""
        try:
            return await load()
        except Unreachable:
            cached = [*self._mailbox.thread(conversation.id)]
            if not cached:
                raise
            say(
                self._pane.screen,
                sentences.ONLY_CACHED.format(entries=bar_texts.entry_words(cached)),
            )
            return cached

    def _copy(self, text: str) -> None:
        copy(self._pane.screen, text)

    def _copy_part(self, part: str) -> None:
        conversation = self._pane.conversation
        if conversation is None:
            return
        match part:
            case "message":
                self._copy(self._pane.messages.copied())
            case "phone":
                self._copy(conversation.contact.phone or "")
            case "name":
                self._copy(conversation.contact.name or "")
            case "link":
                self.with_link(self._copy)
            case "thread":
                self._pane.load_then(
                    self._pane.fetch_all, partial(self._copy_entries, conversation)
                )
            case "id":
                self._copy(conversation.id)

    def _copy_entries(self, conversation: Conversation, entries: list[Entry]) -> None:
        from frontdesk.exports.conversations import thread_text

        self._copy(thread_text(conversation, entries, "txt", self._zone, self._story))

    def with_link(self, use: Callable[[str], object]) -> None:
        """Call `use` with the link of the message under the cursor; ask if it has several."""
        links = self.links
        if len(links) == 1:
            use(links[0])
        else:
            choices = [Choice(link, link) for link in links]
            dialogs.ask(self._pane.app, dialogs.picker("Which link", choices, current=None), use)

    def open_address(self, link: str) -> None:
        """Open a web address in the browser; without one, copy it and show it."""
        if self._pane.app.is_web:
            self._pane.app.open_url(link)
        else:
            open_it = partial(self._open_in_browser, link)
            self._pane.run_worker(open_it, thread=True, group="opening")

    def _open_in_browser(self, link: str) -> None:
        if not open_outside(link):
            self._pane.app.call_from_thread(self._show_link, link)

    def _show_link(self, link: str) -> None:
        self._copy(link)
        self._pane.app.push_screen(dialogs.prompt(sentences.NO_BROWSER, value=link))
