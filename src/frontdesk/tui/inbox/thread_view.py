"""Contents of the thread pane: entries of the selected conversation, title and footer."""

import os
from bisect import bisect_left, bisect_right
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import date
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from textual import work
from textual.message import Message as WidgetMessage
from textual.reactive import var

from frontdesk.inbox.connection import moment_words
from frontdesk.inbox.marks import ReadMarks
from frontdesk.inbox.rows import FixedRows, Place, Rows
from frontdesk.inbox.sentences import LOADING
from frontdesk.mailbox import Listing, Mailbox
from frontdesk.text.entries import NewSinceVisit, by_people, part_words
from frontdesk.text.messages import Entry
from frontdesk.text.phones import name_or_phone
from frontdesk.tui import bar_texts, sentences
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import ConnectionMonitor
from frontdesk.tui.dialogs.base import MenuEntry
from frontdesk.tui.inbox.panes import Pane
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.preferences import Preferences
from frontdesk.tui.widgets.glyphs import symbols_for
from frontdesk.tui.widgets.message_list import Thread, ThreadContents, has_file
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.wire import Conversation, Note

if TYPE_CHECKING:
    from frontdesk.mailbox.story import Story
    from frontdesk.own_commands.results import Results
    from frontdesk.tui.picture_display import PictureDisplay

T = TypeVar("T")

# Entries of a conversation, or of all of its customer.
ThreadRows: TypeAlias = "Listing[Entry] | Story"

ALL = "all"

# Rows that a thread filter searches before the first paint, and for each further step at the top.
DEPTH = 500

_MATCHES: Mapping[str, Callable[[Entry], bool]] = {
    "people": by_people,
    "notes": lambda entry: isinstance(entry, Note),
    "no system lines": lambda entry: isinstance(entry, Note) or entry.type != "system",
}

FILTER_MENU = (
    MenuEntry("a", ALL, "all"),
    MenuEntry("p", "people", "people only"),
    MenuEntry("n", "notes", "notes only"),
    MenuEntry("s", "no system lines", "without system lines"),
)


# Worker group of searches and loads that escape cancels.
SEARCH = "search"


async def whole_thread(
    mailbox: Mailbox,
    clock: Clock,
    conversation_id: str,
    progress: Callable[[str], None],
    *,
    renew: bool = True,
    story: "Story | None" = None,
) -> list[Entry]:
    """Load a whole thread and return its entries, oldest first. `progress` gets a description.

    renew: refresh the newest page too, instead of only adding older ones. story: what is loaded
    instead of the thread.

    Raises: InboxError; pages loaded before the error stay in the cache.
    """
    listing: ThreadRows = story or mailbox.thread(conversation_id)
    if story is None and (renew or not len(listing)):
        await mailbox.refresh_thread(conversation_id)
        await mailbox.refresh_notes(conversation_id)
        listing.reload()
    while len(listing) and not listing.complete:
        oldest = clock.local(listing[0].created_at)
        progress(f"{len(listing)} messages" + (f", back to {oldest:%Y-%m-%d}" if oldest else ""))
        if not await load_older(mailbox, conversation_id, listing):
            break
    return [listing[at] for at in range(len(listing))]


async def load_older(mailbox: Mailbox, conversation_id: str, listing: ThreadRows) -> bool:
    """Load a page of older entries; False if that gave none. Raises: InboxError."""
    held = listing.extent
    if isinstance(listing, Listing):
        await mailbox.older_messages(conversation_id)
    else:
        await listing.load_older()
    listing.reload()
    return listing.extent != held


def filtered(rows: Rows[Entry], filter: str, depth: int) -> Rows[Entry]:
    """Rows that match a thread filter among the newest `depth` rows."""
    if filter == ALL:
        return rows
    positions = range(max(0, len(rows) - depth), len(rows))
    return FixedRows([(rows.key(at), rows[at]) for at in positions if _MATCHES[filter](rows[at])])


def nearest(rows: Rows[Entry], row: Entry) -> int:
    """Position of the last entry that is not newer than `row`; 0 if there is none."""
    later = bisect_right(range(len(rows)), row.created_at, key=lambda at: rows[at].created_at)
    return max(0, later - 1)


class OfShown(NamedTuple):
    """What is known of the shown conversation until another one is shown.

    unreadable: entries that the last answer dropped. unfiltered: the place before a thread filter,
    None at the end; filtered_at: the row that the filter went to. new: what was new before it was
    shown first. seen_to: the last entry that was in view, or there from the beginning. story_left:
    where the cursor was set as the story was left, and the place in it before; None at its end.
    """

    unreadable: int = 0
    unfiltered: Place | None = None
    filtered_at: str | None = None
    new: NewSinceVisit | None = None
    seen_to: str | None = None
    story_left: tuple[str | None, Place | None] = (None, None)


def file_beside(rows: Rows[Entry], position: int, step: int) -> int | None:
    """Position of the next message with a file after (1) or before (-1) a position, if any."""
    positions = range(position + step, len(rows) if step > 0 else -1, step)
    return next((at for at in positions if has_file(rows[at])), None)


def _rests_at_end(messages: Thread) -> bool:
    """True if the cursor is on the last entry, and that is in view."""
    return messages.at_end and messages.cursor == len(messages.rows) - 1


class ThreadView(Pane):
    """Shows one conversation from the cache, or its customer's story around it.

    filter: the thread filter, which stays for other conversations. story: all conversations of the
    customer, while they are shown; `listing` is the same then. progress: text in the footer while a
    search or a load runs that escape cancels.
    """

    progress: var[str] = var("", init=False)

    class Loaded(WidgetMessage):
        """Messages or notes of the shown conversation were loaded."""

    def __init__(
        self,
        mailbox: Mailbox,
        clock: Clock,
        connection: ConnectionMonitor,
        keys: KeyNames,
        preferences: Preferences,
    ) -> None:
        symbols = symbols_for(os.environ, no_color=self.app.no_color)
        self.messages = Thread(
            clock,
            open_key=keys["inbox.open_link"],
            save_key=keys["inbox.save_file"],
            unfold_key=keys["thread.unfold"],
            symbols=symbols,
            picture_lines=lambda: self.picture_display.lines,
        )
        super().__init__("thread", self.messages)
        self._mailbox, self._marks = mailbox, ReadMarks(mailbox, clock.now)
        self._clock = clock
        self._connection = connection
        self._keys = keys
        self._preferences = preferences
        self.conversation: Conversation | None = None
        self.listing: ThreadRows | None = None
        self.story: Story | None = None
        # The story of which what is new is being requested.
        self._refreshed_story: Story | None = None
        self.filter = ALL
        self._me = ""
        self._depth = DEPTH
        # The thread whose older entries are being loaded.
        self._loading_older: ThreadRows | None = None
        self._places: dict[str, Place] = {}
        self._of_shown = OfShown()
        self._shown_at_end, self._new_below = True, 0

    @cached_property
    def picture_display(self) -> "PictureDisplay":
        """How this terminal shows pictures."""
        from frontdesk.tui.picture_display import picture_display

        sixteen = not float(self.app.theme_variables["fd-contrast"])
        app = self.app
        is_direct = app.console.color_system == "truecolor" and not (app.no_color or app.is_web)
        return picture_display(
            self._preferences.viewer,
            os.environ,
            keeps_files=self._preferences.media_directory is not None,
            sixteen_colours=sixteen,
            is_direct=is_direct,
        )

    def set_me(self, me: str) -> None:
        """Set the id of the own user, or ""."""
        self._me = me
        self.messages.set_me(me)

    # Contents

    def select(self, conversation: Conversation | None, *, open_cached: bool = False) -> None:
        """Show the data of a conversation's row at once; `open` shows its thread.

        open_cached: show the thread at once too if it is cached.
        """
        if (conversation and conversation.id) != (self.conversation and self.conversation.id):
            self._remember_place()
            self.conversation, self.listing, self._of_shown = conversation, None, OfShown()
            self.story = None
            thread = self._mailbox.thread(conversation.id) if conversation and open_cached else None
            if conversation is None or thread is None or thread.fetched_at is None:
                self.messages.clear(LOADING if conversation else "")
                self.refresh_bars()
            else:
                self._open(conversation, thread)

    def open(self) -> Conversation | None:
        """Show the thread of the selected conversation; None if it is shown already."""
        conversation = self.conversation
        if conversation is None or self.listing is not None:
            return None
        self._open(conversation, self._mailbox.thread(conversation.id))
        return conversation

    def _open(self, conversation: Conversation, listing: ThreadRows) -> None:
        self.listing = listing
        self._depth = DEPTH
        self._show_thread(conversation, listing)
        self.refresh_bars()

    def show_story(self, story: "Story") -> None:
        """Show the whole story of the customer, at the same place.

        A reader who has not moved since the story was left returns to the place in it.
        """
        place = None if _rests_at_end(self.messages) else self.messages.place
        left_to, left = self._of_shown.story_left
        if left is not None and self.messages.selected_key == left_to:
            place = left
        self._remember_place()
        self.story = self.listing = story
        self._show_around(place)

    def leave_story(self, conversation: Conversation) -> None:
        """Show the conversation alone, at the entry under the cursor, or at the one before it."""
        row = None if _rests_at_end(self.messages) else self.messages.row
        left = self.messages.place if row is not None else None
        self.story, self.listing = None, self._mailbox.thread(conversation.id)
        key, rows = self.messages.selected_key, self._rows()
        if row is not None and len(rows) and rows.find(key or "") is None:
            key = rows.key(nearest(rows, row))
        self._show_around(None if row is None or key is None else Place(key, 0, key))
        story_left = self.messages.selected_key, left
        self._of_shown = self._of_shown._replace(story_left=story_left)

    def _show_around(self, place: Place | None) -> None:
        """Show other rows of the same customer at a place, or at their end."""
        assert self.conversation is not None
        assert self.listing is not None
        # What of them was seen is not known.
        self._of_shown = self._of_shown._replace(seen_to=None, unfiltered=None)
        contents = self._contents(self.conversation, self.listing, self._depth, None)
        self.messages.open(contents, place=place)
        self.refresh_bars()
        self.post_message(self.Loaded())

    @property
    def is_entered(self) -> bool:
        """True if keys go to the thread once no dialog is open."""
        return self.screen.focused is self.messages

    @property
    def shown_beside(self) -> Collection[str]:
        """Ids of the other conversations of the customer, while their story is shown."""
        return [row.id for row in self.story.conversations] if self.story is not None else ()

    @property
    def shows_end(self) -> bool:
        """True if the last entry of the conversation that passes the filter is displayed."""
        if not self.display or self.messages.row is None:
            return False
        if self.story is None or self.conversation is None:
            return self.messages.at_end
        own = self._mailbox.thread(self.conversation.id)
        last = self.messages.rows.find(own.key(len(own) - 1)) if len(own) else None
        return last is not None and last in self.messages.in_view()

    def draw_ahead(self, conversation: Conversation) -> None:
        """Draw the end of the cached thread of a conversation that may be selected next."""
        listing = self._mailbox.thread(conversation.id)
        if listing.fetched_at is not None:
            new = self._marks.new_messages(conversation)
            self.messages.draw_ahead(self._contents(conversation, listing, DEPTH, new))

    def renew(self) -> None:
        """Show the cached state of the conversation."""
        if self.conversation is not None:
            known = self._mailbox.conversation(self.conversation.id)
            self.conversation = known or self.conversation
        self.refresh_bars()

    def show_problem(self, problem: str) -> None:
        """Explain in the empty pane why the thread of a conversation could not be loaded."""
        if problem and self.conversation is not None:
            words = sentences.NO_THREAD.format(problem=problem.rstrip("."))
            self.messages.say_when_empty(words)

    def go_to(self, key: str) -> bool:
        """Move the cursor to the entry with a key; False if it is not shown."""
        position = self.messages.rows.find(key)
        if position is not None:
            self.messages.go_to(position)
        return position is not None

    def _show_end(self) -> None:
        """Update the bars if the end of the thread, or what is new below, has come into view."""
        if self.messages.at_end != self._shown_at_end or self._new_below:
            self.refresh_bars()

    def _count_new_below(self) -> int:
        """Number of entries that came below while the thread was open, and were not in view yet."""
        rows, in_view = self.messages.rows, self.messages.in_view()
        seen = rows.find(self._of_shown.seen_to or "") if len(rows) else None
        if seen is None:
            seen = len(rows) - 1
        seen = max(seen, in_view[-1] if in_view else seen)
        if len(rows):
            self._of_shown = self._of_shown._replace(seen_to=rows.key(seen))
        return len(rows) - 1 - seen

    # Title and footer

    def watch_progress(self) -> None:
        self.refresh_bars()

    def refresh_bars(self) -> None:
        """Update the title and the footer."""
        assert self.foot is not None
        conversation = self.conversation
        if conversation is None:
            self.title.show([("dim", sentences.NO_CONVERSATION)])
            self.foot.show([])
            return
        head = partial(bar_texts.thread_head, conversation, self._clock, me=self._me)
        self.title.show_fitted(head)
        words = bar_texts.thread_foot(
            conversation,
            self._clock,
            no_notes=self._mailbox.capabilities.lacking("notes"),
        )
        if self.progress:
            words = [("accent", f" loading: {self.progress}   {self._keys['inbox.back']} stops")]
        unreadable = self._of_shown.unreadable
        said = [*self._age(), ("warning", f"{unreadable} unreadable " if unreadable else "")]
        self._shown_at_end, self._new_below = self.messages.at_end, self._count_new_below()
        self.foot.show_fitted(partial(bar_texts.thread_foot_fitted, words, said, self._hints()))

    def _hints(self) -> list[tuple[str, str]]:
        """What is shown of the thread, and how to see the rest: whole, and as little as will do."""
        hints = []
        if self.filter != ALL:
            all = f"{self._keys['inbox.filter']} {FILTER_MENU[0].letter} all"
            hints.append((f"showing: {self.filter}  {all}", all))
        if self.story is not None:
            shown, lacks = len(self.story.conversations), len(self.story.lacks)
            alone = f"{self._keys['inbox.story']} only this one"
            hints.append((f"{bar_texts.story_words(shown - lacks, lacks)}  {alone}", alone))
        if self.listing and not self._shown_at_end:
            last, new = self._keys["list.last"], self._new_below
            more = (f"{new} new ↓ {last}",) * 2 if new else (f"▼ more below  {last}", f"▼ {last}")
            hints.append((more[0], more[1]))
        return hints

    def _age(self) -> list[Piece]:
        """Time of the last refresh, if the latest refresh failed."""
        seen = self._clock.here(self.listing.fetched_at) if self.listing else None
        conversation = self.conversation
        if (
            seen is None
            or conversation is None
            or not self._mailbox.has_failed_thread(conversation.id)
        ):
            return []
        return [("warning", f"as of {moment_words(seen, self._clock.now())} ")]

    # Rows

    def _rows(self) -> Rows[Entry]:
        assert self.listing is not None
        return filtered(self.listing, self.filter, self._depth)

    def _show_rows(self) -> None:
        """Apply the thread filter; the cursor keeps its row if that matches."""
        if self.listing is not None:
            self.messages.say_when_empty(self._empty_words())
            self.messages.say_at_top(self._top_words(self.listing, self._depth))
            self.messages.replace_rows(self._rows())

    def _show_thread(self, conversation: Conversation, listing: ThreadRows) -> None:
        new = self._of_shown.new or self._marks.new_messages(conversation)
        self._of_shown = self._of_shown._replace(new=new)
        contents = self._contents(conversation, listing, self._depth, new)
        self.messages.open(contents, place=self._places.get(conversation.id))
        loading = listing.fetched_at is None
        self.messages.say_when_empty(LOADING if loading else self._empty_words())

    def _contents(
        self,
        conversation: Conversation,
        listing: ThreadRows,
        depth: int,
        new: NewSinceVisit | None,
    ) -> ThreadContents:
        story = self.story if listing is self.story else None
        of_story = story.conversations if story is not None else ()
        return ThreadContents(
            filtered(listing, self.filter, depth),
            contact=name_or_phone(conversation.contact) or "Customer",
            new=new,
            top_words=self._top_words(listing, depth),
            results=self._results(conversation.id),
            parts={row.id: part_words(row, self._clock.now()) for row in of_story},
        )

    def _results(self, conversation_id: str) -> "Results":
        """What programs wrote about a conversation."""
        stored = self._mailbox.get_setting(f"under/{conversation_id}")
        if not stored:
            return {}
        from frontdesk.own_commands.results import results

        return results(stored)

    def show_results(self) -> None:
        """Show what programs wrote about the conversation."""
        if self.conversation is not None:
            self.messages.show_results(self._results(self.conversation.id))

    def _reload(self, conversation: Conversation, *, first_sight: bool) -> None:
        assert self.listing is not None
        self.listing.reload()
        if first_sight:
            self._show_thread(conversation, self.listing)
        else:
            self._show_rows()
        self.refresh_bars()
        self.post_message(self.Loaded())

    def _empty_words(self) -> str:
        words = sentences.NO_MESSAGES[self.filter]
        if self.story is not None:
            words = words.replace("this conversation", "these conversations")
        whole = self.listing is not None and self.listing.complete
        return words if whole else sentences.AMONG_LOADED.format(words=words)

    def _top_words(self, listing: ThreadRows, depth: int) -> str:
        whole = listing.complete and (self.filter == ALL or depth >= len(listing))
        first = "the first conversation" if self.story is not None else "the conversation"
        return f"start of {first}" if whole else "older messages above"

    def _remember_place(self) -> None:
        """Store the scroll position of the open thread, unless it is at the end."""
        if self.conversation is None or self.listing is None or self.story is not None:
            return
        place = self.messages.place
        if place is None or self.messages.at_end:
            self._places.pop(self.conversation.id, None)
        else:
            self._places[self.conversation.id] = place

    # Files

    def step_file(self, step: int, *, from_end: bool = False) -> bool:
        """Go to the next (1) or previous (-1) message with a file; False if none is loaded.

        from_end: look from below the last message.
        """
        rows = self.messages.rows
        position = file_beside(rows, len(rows) if from_end else self.messages.cursor, step)
        if position is not None:
            self.messages.go_to(position)
        return position is not None

    # Long requests

    async def fetch_all(self) -> list[Entry]:
        """Load and return the whole open thread, oldest first."""
        conversation, listing = self.conversation, self.listing
        if conversation is None or listing is None:
            return []
        try:
            return await whole_thread(
                self._mailbox,
                self._clock,
                conversation.id,
                self.show_progress,
                renew=False,
                story=self.story,
            )
        finally:
            if listing is self.listing:
                self._reload(conversation, first_sight=self.messages.row is None)

    @work(group=SEARCH, exclusive=True)
    async def load_then(self, load: Callable[[], Awaitable[T]], use: Callable[[T], object]) -> None:
        """Run a long request, whose progress the footer shows, and use the result.

        Escape cancels it.
        """
        try:
            answer = await self._connection.ask(load, beside=True)
        finally:
            self.progress = ""
        if answer is not None:
            use(answer.value)

    def show_progress(self, words: str) -> None:
        """Show the progress of `load_then`."""
        self.progress = words

    # Days

    def _step_day(self, step: int) -> bool:
        """Go to the first entry of the next (1) or previous (-1) day; False if there is none."""
        rows = self.messages.rows
        if not len(rows):
            return False
        today = self._day_of(rows, self.messages.cursor)
        first = bisect_left(range(len(rows)), today, key=lambda at: self._day_of(rows, at))
        if step < 0:
            return first > 0 and self._go_to_first_of(self._day_of(rows, first - 1))
        later = bisect_left(range(len(rows)), True, key=lambda at: self._day_of(rows, at) > today)
        if later < len(rows):
            self.messages.go_to(later)
        return later < len(rows)

    def _go_to_first_of(self, day: date) -> bool:
        rows = self.messages.rows
        if not len(rows):
            return False
        first = bisect_left(range(len(rows)), day, key=lambda at: self._day_of(rows, at))
        self.messages.go_to(min(first, len(rows) - 1))
        return first < len(rows)

    def _day_of(self, rows: Rows[Entry], position: int) -> date:
        moment = self._clock.local(rows[position].created_at)
        return moment.date() if moment else date.min
