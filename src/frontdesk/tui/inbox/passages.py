"""Thread actions of the inbox: find, go to date, thread filters, copy, open links."""

import asyncio
from collections.abc import Callable
from datetime import date

from textual import work

from frontdesk.export import thread_text
from frontdesk.reports.periods import HOW_TO, day_of
from frontdesk.tui.clipboard import copy, links_in, open_outside
from frontdesk.tui.dialogs import open as dialogs
from frontdesk.tui.dialogs.choices import Choice, MenuEntry
from frontdesk.tui.inbox.panes import Finding
from frontdesk.tui.inbox.save import Exports
from frontdesk.tui.inbox.thread_pane import PART_LETTERS
from frontdesk.wire import Message, Note

PART_MENU = tuple(
    MenuEntry(letter, part, words)
    for (part, letter), words in zip(
        PART_LETTERS.items(),
        ("all", "people only", "notes only", "without system lines"),
        strict=True,
    )
)

# Rows searched synchronously on a find, then per step of the worker.
_ROWS_AT_ONCE, _ROWS_AT_A_TIME = 1_000, 200

COPY_MENU = (
    MenuEntry("m", "message", "the message under the cursor"),
    MenuEntry("p", "phone", "the customer's number"),
    MenuEntry("n", "name", "the customer's name"),
    MenuEntry("l", "link", "a link in the message"),
    MenuEntry("t", "thread", "the whole thread as text"),
    MenuEntry("i", "id", "the conversation's id"),
)


class Passages(Exports):
    """Find, filter, copy and link actions of the inbox screen."""

    _sought = ""

    def action_find(self) -> None:
        """Ask for text, and go to the next matching row of the focused pane."""
        words = "find in what is loaded here"
        prompt = dialogs.prompt("/ ", value=self._sought, placeholder=words)
        self.app.push_screen(prompt, self._find_first)

    def action_find_next(self, step: int) -> None:
        """Go to the next or previous match of the last search text."""
        if not self._sought:
            return
        finding = self._panes.finding(self._sought, step)
        if finding.look(_ROWS_AT_ONCE):
            self._say(f"Looking further for “{self._sought}”, {self._keys['inbox.back']} stops")
            self._find_further(finding)
        else:
            self._tell_found(finding)

    def action_part(self) -> None:
        """Open the menu of thread filters."""
        menu = dialogs.menu("Show", PART_MENU, current=self._reading.part)
        self.app.push_screen(menu, self._show_part)

    def action_date(self) -> None:
        """Ask for a date and go there; older messages are loaded as needed."""
        today = self._clock.now().date()
        prompt = dialogs.prompt(
            "day ",
            placeholder=HOW_TO.removeprefix("write "),
            check=lambda text: None if day_of(text, today) else HOW_TO,
        )
        self.app.push_screen(prompt, self._go_to_day)

    def action_day(self, step: int) -> None:
        """Go to the next or previous day of the thread."""
        if not self._reading.step_day(step):
            earlier = f"No earlier day is loaded; {self._keys['inbox.date']} goes there"
            self._say("No later day here" if step > 0 else earlier)

    def action_copy(self) -> None:
        """Copy the text of the row under the cursor."""
        self._copy(self._panes.copied())

    def action_copy_menu(self) -> None:
        self.app.push_screen(dialogs.menu("Copy", COPY_MENU), self._copy_part)

    def action_open_link(self) -> None:
        """Open the link or the media of the message under the cursor."""
        self._with_link(self._open_link)

    def action_received(self) -> None:
        """Show the row under the cursor as JSON, as it was received."""
        row = self._thread.row if self._panes.at == "thread" else self._list.row
        if row is not None:
            self.app.push_screen(dialogs.received(f"As received: {row.id}", row))

    def _copy_thread(self, entries: list[Message | Note]) -> None:
        self._copy(thread_text(entries, "txt", self._clock.now().tzinfo))

    @work(group="looking", exclusive=True)
    async def _find_further(self, finding: Finding) -> None:
        """Search a long list in steps, so that keys are handled in between."""
        goes_on = True
        while goes_on:
            await asyncio.sleep(0)
            goes_on = finding.look(_ROWS_AT_A_TIME)
        self._tell_found(finding)

    def _tell_found(self, finding: Finding) -> None:
        if not finding.found:
            self._say(f"“{finding.sought}” is not in what is loaded here")

    def _find_first(self, sought: str | None) -> None:
        if sought is not None:
            self._sought = sought
            self.action_find_next(1)

    def _show_part(self, part: str | None) -> None:
        if part is not None:
            self._reading.show_part(part)
            self._describe()

    def _go_to_day(self, text: str | None) -> None:
        day = day_of(text, self._clock.now().date()) if text else None
        if day is not None:
            self._panes.enter("thread")
            self._load_day(day)

    @work(group="looking", exclusive=True)
    async def _load_day(self, day: date) -> None:
        found: list[bool] = []

        async def look() -> None:
            found.append(await self._reading.go_to_day(day, self._tell_progress))

        if await self._look(look) and not any(found):
            self._say(f"Nothing was said on {day:%Y-%m-%d} or after it")

    def _copy(self, text: str) -> None:
        copy(self, text)

    def _copy_part(self, part: str | None) -> None:
        conversation = self._reading.conversation
        if part is None or conversation is None:
            return
        if part in ("link", "thread"):
            if part == "link":
                self._with_link(self._copy)
            else:
                self._with_thread(self._copy_thread)
            return
        parts = {
            "message": self._thread.copied(),
            "phone": conversation.contact.phone or "",
            "name": conversation.contact.name or "",
            "id": conversation.id,
        }
        self._copy(parts[part])

    def _with_link(self, use: Callable[[str], None]) -> None:
        """Call `use` with the link of the message under the cursor; ask if it has several."""
        row = self._thread.row
        links = links_in(row) if row is not None else []
        if not links:
            self._say("No link in this message")
        elif len(links) == 1:
            use(links[0])
        else:
            choices = [Choice(link, link) for link in links]
            picker = dialogs.picker("Which link", choices, current=None)
            self.app.push_screen(picker, lambda link: use(link) if link else None)

    def _open_link(self, link: str) -> None:
        if self.app.is_web:
            self.app.open_url(link)
        else:
            self._open_in_browser(link)

    @work(thread=True, group="opening")
    def _open_in_browser(self, link: str) -> None:
        if not open_outside(link):
            self.app.call_from_thread(self._copy, link)
