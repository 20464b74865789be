"""View of catalogues: a section for each resource, a searchable list, and the entry's details.

What a resource shows is a table, see `Resource`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from rich.cells import cell_len
from rich.style import Style
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widgets import Input, Static

from frontdesk.errors import Forbidden, InboxError, NotFound
from frontdesk.inbox.rows import FixedRows
from frontdesk.inbox.sentences import LOADING
from frontdesk.inbox.server_counts import counted_filter
from frontdesk.mailbox import Mailbox
from frontdesk.text.clean import folded, one_line
from frontdesk.text.phones import is_e164, phone_pattern
from frontdesk.tui import sentences
from frontdesk.tui.action_groups import FIND, MOVE
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.base import TextField
from frontdesk.tui.dialogs.view_table import Opening
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.theme import STYLES
from frontdesk.tui.unsupported import refusal_words
from frontdesk.tui.views.base import ViewScreen
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.text_layout import Piece, fit, spread, width_of, wrap
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import ConversationFilter, Counts, PhoneRef, Wire, instant

# A function that draws lines of exactly the given width.
Block = Callable[[int], list[list[Piece]]]

_HEX = re.compile(r"#[0-9a-fA-F]{6}", re.ASCII)
_LABEL_WIDTH = 18
# Cells without which a part of the text beside a name is left out.
_LEAST_BESIDE = 8
# Columns under which only the tab of the shown section has room.
LEAST_FOR_TABS = 60
SWATCH = "██"


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """List row. `aside` follows the name; `count` and `hint` are right-aligned.

    words: further text for searching. swatch: a colour from `colour_of`. copied: text for the copy
    action. filter: for its conversations, if `/v1` has one.
    """

    id: str
    name: str
    aside: str = ""
    count: str = ""
    hint: str = ""
    hint_part: str = "dim"
    swatch: str | None = None
    words: str = ""
    copied: str = ""
    filter: ConversationFilter | None = None


def _phone(entry: CatalogueEntry) -> str | None:
    return entry.copied if is_e164(entry.copied) else None


def colour_of(text: str) -> str | None:
    """The text if it is a colour #rrggbb, otherwise None."""
    return text if _HEX.fullmatch(text) else None


R = TypeVar("R")


class ColouredList(VirtualList[R]):
    """List whose parts may also be colours, as #rrggbb."""

    def part(self, name: str, ground: str = "ground") -> Style:
        if name.startswith("#"):
            return Style(color=name, bgcolor=super().part("text", ground).bgcolor)
        return super().part(name, ground)


class CatalogueList(ColouredList[CatalogueEntry]):
    """List with one line per entry."""

    _longest = 0

    def put(self, entries: Sequence[CatalogueEntry], *, new_search: bool = False) -> None:
        """Show these entries; the cursor stays on its entry by id, and in view.

        If that entry is gone, the cursor stays at its position. After a `new_search` it goes to the
        first row then, and also if the user had not moved it.
        """
        rows = FixedRows([(entry.id, entry) for entry in entries])
        longest = max((cell_len(entry.name) for entry in entries), default=0)
        if longest != self._longest:
            self._longest = longest
            self.forget_drawn()
        is_chosen = self.selected_by_input and rows.find(self.selected_key or "") is not None
        if new_search and not is_chosen:
            self.show(rows)
            return
        self.rows = rows
        self.rows_changed()
        if self.cursor not in self.in_view():
            self.go_to(self.cursor, by_input=self.selected_by_input)

    def words_at(self, position: int) -> str:
        entry = self.rows[position]
        return f"{entry.name} {entry.aside} {entry.words}"

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        entry = self.rows[position]
        name = fit(entry.name, min(self._longest, width // 2)) if entry.aside else entry.name
        left: list[Piece] = [("text", name)]
        if entry.swatch is not None:
            left.insert(0, (entry.swatch, f"{SWATCH} "))
        right: list[Piece] = [("dim", f" {entry.count}")] if entry.count else []
        if entry.hint:
            right.append((entry.hint_part, f" {entry.hint}"))
        beside = min(cell_len(entry.aside), _LEAST_BESIDE) + 2
        if entry.aside and width_of([*left, *right]) + beside <= width:
            left.append(("dim", f"  {entry.aside}"))
        return [spread(left, right, width)]


class Details(ColouredList[Block]):
    """Scrollable blocks of lines."""

    HALF_PAGE_AT_EDGE = False

    def put(self, blocks: Sequence[Block], *, keep_place: bool) -> None:
        """Show these blocks; `keep_place` if they describe the same entry as before."""
        self.rows = FixedRows([(f"{at}", block) for at, block in enumerate(blocks)])
        if keep_place:
            self.rows_changed()
        else:
            self.show(self.rows)

    def words_at(self, position: int) -> str:
        lines = self.rows[position](max(1, self.size.width - 2))
        return " ".join(text for line in lines for _, text in line)

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        return self.rows[position](width)


def title(text: str, *after: Piece) -> Block:
    """A name in bold, with further pieces on the same line."""
    return lambda width: [spread([("strong", text), *after], (), width)]


def heading(text: str) -> Block:
    """A heading below a blank line."""
    return lambda width: [[("text", fit("", width))], [("dim", fit(text, width))]]


def fact(label: str, value: str, part: str = "text", *, swatch: str | None = None) -> Block:
    """A named value, wrapped beside its name; a dash if it is empty."""

    def draw(width: int) -> list[list[Piece]]:
        beside = min(_LABEL_WIDTH, width // 2)
        room = max(1, width - beside)
        lines: list[list[Piece]] = []
        for at, line in enumerate(wrap(value or "–", room - (3 if swatch else 0))):
            pieces: list[Piece] = [("dim", fit("" if at else label, beside))]
            if swatch:
                pieces.append((swatch, f"{SWATCH} " if not at else "   "))
            pieces.append((part, fit(line, room - (3 if swatch else 0))))
            lines.append(pieces)
        return lines

    return draw


def paragraph(text: str, part: str = "text") -> Block:
    return lambda width: [[(part, fit(line, width))] for line in wrap(text, width)]


def entry_line(left: Sequence[Piece], right: Sequence[Piece] = ()) -> Block:
    """Pieces on one line."""
    return lambda width: [spread(left, right, width)]


class Known(NamedTuple):
    """What a table may show besides the row: the cache, the time, names of keys, the customer."""

    mailbox: Mailbox
    clock: Clock
    keys: KeyNames
    contact: PhoneRef | None = None

    @property
    def counts(self) -> Counts | None:
        """The server's counts of all conversations."""
        return self.mailbox.counts(ConversationFilter())

    @property
    def counts_assignees(self) -> bool:
        """True if the server has counted the conversations of each user."""
        return self.counts is not None and self.counts.by_assignee is not None


W = TypeVar("W", bound=Wire)
# A member by its name, or a format.
Value = str | Callable[[W, Known], str]
Part = str | Callable[[W], str]


def value_of(value: Value[W], row: W, known: Known) -> str:
    """The text of a value; a member as one line, "" if it is absent."""
    if callable(value):
        return value(row, known)
    return one_line(str(getattr(row, value) or "")) if value else ""


def _part_of(part: Part[W], row: W) -> str:
    return part(row) if callable(part) else part


class Detail(NamedTuple, Generic[W]):
    """Line of the details. optional: it is left out if it is empty. swatch: beside a colour."""

    label: str
    value: Value[W]
    part: Part[W] = "text"
    optional: bool = False
    swatch: bool = False


@dataclass(frozen=True)
class Resource(Generic[W]):
    """A catalogue: `name` at the mailbox, tab `title`; `thing` names a row, `things` several.

    label, aside, count, hint, words, copied, filter: see `CatalogueEntry`. details: below the
    label, in this order. open: what enter does with a row without a filter. view: name in VIEWS.
    """

    name: str
    title: str
    thing: str
    things: str
    view: str = "directory"
    label: Value[W] = "name"
    aside: Value[W] = ""
    count: Value[W] = ""
    hint: Value[W] = ""
    hint_part: Part[W] = "dim"
    swatch: Callable[[W], str | None] = lambda row: None
    words: tuple[Value[W], ...] = ()
    copied: Value[W] = "name"
    filter: Callable[[W], ConversationFilter | None] = lambda row: None
    details: tuple[Detail[W] | Callable[[W, Known], list[Block]], ...] = ()
    open: "Callable[[CatalogueScreen, W], object] | None" = None

    def noun(self, count: int) -> str:
        """What a number of rows are."""
        return self.thing if count == 1 else self.things

    def entry(self, row: Any, known: Known) -> CatalogueEntry:
        """List row of a row."""
        return CatalogueEntry(
            row.id,
            value_of(self.label, row, known),
            value_of(self.aside, row, known),
            value_of(self.count, row, known),
            value_of(self.hint, row, known),
            _part_of(self.hint_part, row),
            self.swatch(row),
            " ".join(value_of(value, row, known) for value in self.words),
            value_of(self.copied, row, known),
            self.filter(row),
        )

    def blocks(self, row: Any, known: Known) -> list[Block]:
        """Details of a row."""
        blocks = [title(value_of(self.label, row, known))]
        for detail in self.details:
            if not isinstance(detail, Detail):
                blocks += detail(row, known)
                continue
            value = value_of(detail.value, row, known)
            if value or not detail.optional:
                swatch = colour_of(value) if detail.swatch else None
                blocks.append(fact(detail.label, value, _part_of(detail.part, row), swatch=swatch))
        return blocks


class CatalogueView(NamedTuple):
    """A view: its title, a section for each resource, its keys.

    reads: names of the catalogues at the server. counted: so are the counts of all conversations.
    """

    title: str
    resources: Sequence[Resource[Any]]
    keys: Sequence[str]
    reads: tuple[str, ...]
    counted: bool = False


def only_open(filter: ConversationFilter) -> ConversationFilter:
    """The open conversations of a filter."""
    return filter.model_copy(update={"status": "open"})


_READ_AT = "read "
REST_SECONDS = 0.2


class CatalogueScreen(ViewScreen):
    """Shows a catalogue; what is behind an entry is counted by the server."""

    CSS_PATH = [STYLES / "catalogue.tcss"]
    FIND_ACTION = "catalogue.search"
    SEARCHES_AT_ONCE: ClassVar[bool] = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left_square_bracket,comma",
            "section(-1)",
            "Previous section",
            id="catalogue.before",
            group=MOVE,
        ),
        Binding(
            "right_square_bracket,full_stop",
            "section(1)",
            "Next section",
            id="catalogue.after",
            group=MOVE,
        ),
        *(
            Binding(f"{n}", f"section_at({n - 1})", f"Section {n}", id=f"catalogue.{n}", group=MOVE)
            for n in range(1, 6)
        ),
        Binding(
            "tab,shift+tab",
            "other_pane",
            "Switch between list and details",
            id="catalogue.pane",
            group=MOVE,
        ),
        Binding("l,right", "pane('details')", "Go to details", id="catalogue.details", group=MOVE),
        Binding("h,left", "pane('list')", "Go to list", id="catalogue.list", group=MOVE),
        Binding("slash", "find", "Find in this list…", id="catalogue.search", group=FIND("search")),
    ]

    def __init__(
        self, opening: Opening, catalogue: CatalogueView, section: str | None = None
    ) -> None:
        super().__init__(opening)
        self.catalogue = catalogue
        self.sections = catalogue.resources
        self.known = Known(self.mailbox, self.clock, self.key_names, opening.contact)
        names = [section.name for section in self.sections]
        self._at = names.index(section) if section in names else 0
        self._rows: Mapping[str, Any] = {}
        self._resting: Timer | None = None
        self._entries: Sequence[CatalogueEntry] = ()
        self._refused: Mapping[str, InboxError] = {}
        self._of: str | None = None
        self.list = CatalogueList(id="entries")
        self.details = Details(id="details")

    # Interface of subclasses

    @property
    def view_name(self) -> str:
        return self.section.view

    @property
    def keys(self) -> Sequence[str]:
        return self.catalogue.keys

    def entries(self, section: str) -> list[CatalogueEntry]:
        """List rows of a section, from the cache."""
        resource = next(one for one in self.sections if one.name == section)
        self._rows = {row.id: row for row in getattr(self.mailbox.catalogues, section)()}
        return [resource.entry(row, self.known) for row in self._rows.values()]

    def blocks(self, section: str, entry: CatalogueEntry) -> list[Block]:
        """Details of an entry of the section whose entries were read last."""
        resource = next(one for one in self.sections if one.name == section)
        return resource.blocks(self._rows[entry.id], self.known)

    def open_entry(self, section: str, entry: CatalogueEntry) -> None:
        """Handle enter on an entry without a conversation filter."""
        if self.section.open is None:
            self.action_pane("details")
        else:
            self.section.open(self, self._rows[entry.id])

    def matching(
        self, entries: Sequence[CatalogueEntry], typed: Sequence[str]
    ) -> Sequence[CatalogueEntry]:
        """Entries whose number is typed, else those that contain every typed (folded) word."""
        number = phone_pattern(" ".join(typed))
        if number and (matches := number.select(entries, _phone)):
            return matches
        matches = []
        for entry in entries:
            words = folded(f"{entry.name} {entry.aside} {entry.hint} {entry.words}")
            if all(word in words for word in typed):
                matches.append(entry)
        return matches

    def search_changed(self) -> None:
        """Handle a change of the search text."""
        self._narrow(new_search=True)

    # Layout

    @property
    def section(self) -> Resource[Any]:
        return self.sections[self._at]

    def body(self) -> ComposeResult:
        yield Bar(id="catalogue-tabs")
        with Horizontal(id="catalogue", classes="-at-list"):
            with Vertical(id="list-side"):
                with Horizontal(id="catalogue-search", classes="-shown" * self.SEARCHES_AT_ONCE):
                    yield Static("/", id="catalogue-search-mark", markup=False)
                    yield TextField(placeholder="type to narrow the list", id="catalogue-input")
                yield self.list
            with Vertical(id="details-side"):
                yield self.details

    def on_mount(self) -> None:
        # Focus now rather than after the first paint, for keys typed ahead.
        if self.composed:
            self.set_focus(self.query_one(Input) if self.SEARCHES_AT_ONCE else self.list)
            self.watch(self.list, "selected_key", self._show_details, init=False)

    def on_descendant_focus(self) -> None:
        """Update the keys that are named: in the search field they are text."""
        self.describe()

    def heading(self) -> tuple[Sequence[Piece], Sequence[Piece]]:
        name = one_line(self.inbox_title)
        return [("accent", f" {self.catalogue.title} "), ("strong", name)], [
            ("dim", f"  {self.heading_count()} ")
        ]

    def heading_count(self) -> str:
        """Number of entries, for the header."""
        shown, count = len(self.list.rows), len(self._entries)
        of = f" of {count}" if shown != count else ""
        return f"{shown}{of} {self.section.noun(count)}"

    def describe(self) -> None:
        super().describe()
        if not self.composed:
            return
        pieces: list[Piece] = []
        for at, section in enumerate(self.sections):
            words = f" {at + 1} {section.title} " if self.size.width >= 72 else f" {section.title} "
            pieces += [("text", " "), ("chip" if at == self._at else "dim", words)]
        if self.size.width < LEAST_FOR_TABS:
            pieces = [("chip", f" {self.section.title} ")]
            if not isinstance(self.focused, Input):
                pieces.append(("dim", self.named("  {catalogue.before} {catalogue.after} others")))
        self.query_one("#catalogue-tabs", Bar).show(pieces)
        self.list.say_when_empty(self.empty_words())

    def empty_words(self) -> str:
        """Text of the empty list: the reason, and the key that helps."""
        if self._entries:
            return sentences.NO_MATCH_SHOW_ALL.format(key=self.key_names["view.back"])
        things = self.section.things
        refused = self._refused.get(self.section.name)
        if isinstance(refused, (Forbidden, NotFound)):
            return refusal_words(things, refused)
        if refused is not None:
            problem, key = str(refused).rstrip("."), self.key_names["view.refresh"]
            return sentences.FAILED.format(problem=problem, key=key)
        if self.seen_at() is not None:
            return sentences.NONE.format(things=things)
        if self.connection.problem:
            return sentences.NOT_LOADED.format(problem=self.connection.problem.rstrip("."))
        return LOADING

    # Contents

    def show_saved(self, *, new_search: bool = False) -> None:
        """Show the values of the cache; for `new_search`, see `CatalogueList.put`."""
        self._entries = self.entries(self.section.name)
        self._narrow(new_search=new_search)

    def _narrow(self, *, new_search: bool = False) -> None:
        """Show the entries that match the search text."""
        matches = self.matching(self._entries, folded(self.typed()).split())
        self.list.put(matches, new_search=new_search)
        self._show_details()
        self.describe()

    def typed(self) -> str:
        fields = self.query("#catalogue-input").results(Input) if self.composed else ()
        return next((typed.value for typed in fields), "")

    def _show_details(self) -> None:
        entry = self.list.row
        blocks = self.blocks(self.section.name, entry) if entry is not None else []
        id = f"{self.section.name} {entry.id}" if entry else None
        self.details.put(blocks, keep_place=id == self._of)
        if entry is not None and id != self._of:
            self._count_when_resting(entry)
        self._of = id

    # Requests

    def seen_at(self) -> datetime | None:
        return instant(self.mailbox.get_setting(f"{_READ_AT}{self.section.name}"))

    async def read(self) -> None:
        async def count() -> None:
            if await self.mailbox.refresh_counts(ConversationFilter()):
                self.show_saved()

        await self.ask(self._read_catalogues)
        if self.catalogue.counted:
            await self.ask(count)
        if self.list.row is not None:
            self._count_when_resting(self.list.row)

    async def _read_catalogues(self) -> None:
        names = self.catalogue.reads
        self._refused = await self.mailbox.refresh_catalogues(names)
        for name in names:
            if name not in self._refused:
                self.note_read(name)
        self.show_saved()

    def _count_when_resting(self, entry: CatalogueEntry) -> None:
        """Request the counts of the entry after the cursor has been on it for `REST_SECONDS`."""
        if self._resting is not None:
            self._resting.stop()
        if entry.filter is not None:
            self._resting = self.set_timer(REST_SECONDS, self.count_behind)

    @work(group="behind", exclusive=True)
    async def count_behind(self) -> None:
        """Request the conversation counts of the entry under the cursor."""
        entry = self.list.row
        if entry is None or entry.filter is None:
            return
        filter = entry.filter

        async def count() -> None:
            if filter.assignee is None or self.known.counts_assignees:
                await self.mailbox.refresh_counts(counted_filter(filter))
            else:
                # Without counts by assignee: the length of the first page.
                await self.mailbox.refresh_conversations(only_open(filter))

        await self.ask(count)
        entry = self.list.row
        if entry is not None and self.composed:
            self.details.put(self.blocks(self.section.name, entry), keep_place=True)

    def note_read(self, section: str) -> None:
        """Store the time of the last refresh of a section."""
        self.mailbox.set_setting(f"{_READ_AT}{section}", self.clock.now().isoformat())

    # Keys

    def action_section(self, step: int) -> None:
        self._go_to_section((self._at + step) % len(self.sections))

    def action_section_at(self, at: int) -> None:
        if at < len(self.sections):
            self._go_to_section(at)

    def _go_to_section(self, at: int) -> None:
        self._at = at
        self._entries = self.entries(self.section.name)
        self.query_one("#catalogue-input", Input).value = ""
        self._show_search(False)
        # Do not carry the cursor over to another section.
        self.list.show(FixedRows())
        self._narrow()
        self.action_pane("list")

    def action_pane(self, name: str) -> None:
        """Focus the list or the details, and bring it to the front if only one fits."""
        self.query_one("#catalogue").set_classes(f"-at-{name}")
        pane = self.list if name == "list" else self.details
        self.call_after_refresh(pane.focus)

    def action_other_pane(self) -> None:
        """From list to details; from there, and from the search field, to the list."""
        self.action_pane("details" if self.focused is self.list else "list")

    def action_find(self) -> None:
        """Show and focus the search field."""
        self.action_pane("list")
        self._show_search(True)
        self.call_after_refresh(self.query_one("#catalogue-input", Input).focus)

    def _show_search(self, shown: bool) -> None:
        self.query_one("#catalogue-search").set_class(shown or self.SEARCHES_AT_ONCE, "-shown")

    @on(Input.Changed)
    def _narrow_to(self, event: Input.Changed) -> None:
        event.stop()
        self.search_changed()

    @on(Input.Submitted)
    def _end_search(self, event: Input.Submitted) -> None:
        """Enter moves the focus to the list, which stays filtered."""
        event.stop()
        self._find_text = event.value
        self.query_one("#catalogue-search").set_class(
            bool(event.value) or self.SEARCHES_AT_ONCE, "-shown"
        )
        self.list.focus()

    def on_key(self, event: events.Key) -> None:
        """In the search field, the arrow keys move the list's cursor."""
        if isinstance(self.focused, Input) and event.key in ("up", "down"):
            event.stop()
            self.list.action_move(1 if event.key == "down" else -1)

    def leave(self) -> None:
        """From details to list; clear the search; then close the view."""
        search = self.query_one("#catalogue-input", Input)
        if self.focused is self.details:
            self.action_pane("list")
        elif search.value or self.focused is search:
            search.value = ""
            self._show_search(False)
            self.list.focus()
        else:
            super().leave()

    def copied(self) -> str:
        return self.list.row.copied if self.list.row else ""

    @on(Bar.Pressed, "#catalogue-tabs")
    def _press_tab(self, event: Bar.Pressed) -> None:
        """Show the section whose tab was clicked; where only one has room, the next."""
        if self.size.width < LEAST_FOR_TABS:
            self.action_section(1)
        elif event.piece % 2:
            self._go_to_section(event.piece // 2)

    # Messages of the list

    @on(CatalogueList.Opened)
    def _open(self, event: CatalogueList.Opened) -> None:
        event.stop()
        entry: Any = event.row
        if event.widget is not self.list:
            return
        if entry.filter is not None:
            self.choose(entry.filter)
        else:
            self.open_entry(self.section.name, entry)
