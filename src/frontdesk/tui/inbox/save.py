"""Export action: saves the thread, the conversation list or the marked conversations to a file."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from textual import work

from frontdesk.export import (
    MARKED_ENDINGS,
    QUEUE_ENDINGS,
    THREAD_ENDINGS,
    file_name,
    queue_text,
    thread_text,
    threads_text,
)
from frontdesk.text import first_said
from frontdesk.tui.dialogs.save_prompt import save, save_prompt
from frontdesk.tui.inbox.frame import InboxFrame
from frontdesk.tui.inbox.thread_pane import whole_thread
from frontdesk.wire import Conversation, Message, Note

Entries = list[Message | Note]


class Exports(InboxFrame):
    """Export actions of the inbox screen."""

    def action_export(self) -> None:
        """Save the thread; in the list the marked conversations, or else all loaded ones."""
        conversation, today = self._reading.conversation, self._clock.now().date()
        if self._panes.at in ("thread", "contact") and conversation is not None:
            contact = conversation.contact
            name = first_said(contact.name, contact.phone, contact.id)
            suggested = file_name(name, today, THREAD_ENDINGS[0])
            self.app.push_screen(
                save_prompt(self.app, suggested, THREAD_ENDINGS), self._save_thread
            )
        elif self._list.marked:
            suggested = file_name("marked", today, MARKED_ENDINGS[0])
            self.app.push_screen(
                save_prompt(self.app, suggested, MARKED_ENDINGS), self._save_marked
            )
        elif self._list.row is None:
            self._say("There is nothing to save here")
        else:
            suggested = file_name("conversations", today, QUEUE_ENDINGS[0])
            self.app.push_screen(save_prompt(self.app, suggested, QUEUE_ENDINGS), self._save_queue)

    def _save_thread(self, name: str | None) -> None:
        if name is not None:
            self._with_thread(partial(self._write_thread, name))

    def _write_thread(self, name: str, entries: Entries) -> None:
        text = thread_text(entries, _ending(name), self._clock.now().tzinfo)
        if saved := save(self.app, name, text, self._tell):
            self._say(f"{len(entries)} messages and notes {saved}")

    def _save_queue(self, name: str | None) -> None:
        rows = self._list.rows
        if name is None or rows is None:
            return
        every = [rows[at] for at in range(len(rows))]
        matching = [row for row in every if row.id not in self._list.dimmed]
        if saved := save(self.app, name, queue_text(matching, _ending(name)), self._tell):
            self._say(f"{len(matching)} conversations {saved}: those that are loaded")

    def _save_marked(self, name: str | None) -> None:
        """Export rows as they are cached (CSV, JSON), or load the threads (Markdown, text)."""
        if name is None:
            return
        known = [self._queue.current(id) for id in self._list.marked]
        marked = [conversation for conversation in known if conversation is not None]
        if _ending(name) in QUEUE_ENDINGS:
            text = queue_text(marked, _ending(name))
            if saved := save(self.app, name, text, self._tell):
                self._say(f"{_conversations(marked)} {saved}")
        else:
            self._save_threads(name, marked)

    @work(group="looking", exclusive=True)
    async def _save_threads(self, name: str, conversations: list[Conversation]) -> None:
        """Load each thread from its start, then save all to one file; escape cancels."""
        threads: list[tuple[Conversation, Entries]] = []

        async def look() -> None:
            for number, one in enumerate(conversations, 1):
                mark = f"{number} of {len(conversations)}"
                self._tell_progress(mark)
                progress = partial(self._tell_part, mark)
                threads.append(
                    (one, await whole_thread(self._mailbox, self._clock, one.id, progress))
                )

        if await self._look(look):
            text = threads_text(threads, _ending(name), self._clock.now().tzinfo)
            if saved := save(self.app, name, text, self._tell):
                count = sum(len(entries) for _, entries in threads)
                self._say(f"{_conversations(conversations)}, {count} messages {saved}")

    @work(group="looking", exclusive=True)
    async def _with_thread(self, use: Callable[[Entries], None]) -> None:
        """Load the open thread from its start, then call `use`; escape cancels."""
        entries: Entries = []

        async def look() -> None:
            entries.extend(await self._reading.load_all(self._tell_progress))

        if await self._look(look):
            use(entries)

    def _tell_part(self, mark: str, words: str) -> None:
        self._tell_progress(f"{mark}: {words}")

    def _tell_progress(self, words: str) -> None:
        self._reading.progress = words
        self._reading.describe(self._panes)

    async def _look(self, look: Callable[[], Awaitable[None]]) -> bool:
        """Run requests while the thread footer shows progress; True on success."""
        try:
            return await self._ask(look, beside=True)
        finally:
            self._reading.progress = ""
            self._reading.describe(self._panes)


def _ending(name: str) -> str:
    return Path(name).suffix.lstrip(".")


def _conversations(conversations: list[Conversation]) -> str:
    count = len(conversations)
    return "1 marked conversation" if count == 1 else f"{count} marked conversations"
