"""Columns of lists, and the formats that rows are written in: CSV, Markdown, JSON, JSON lines.

JSON has the server's data. CSV has ISO 8601 times and a column per member; cells that a spreadsheet
would take for formulas are prefixed with an apostrophe. Tables on a terminal: `cli/output.py`.
"""

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta, tzinfo
from types import MappingProxyType
from typing import Any, Generic, TextIO, TypeAlias, TypeVar

from frontdesk.query.plan import waiting_since
from frontdesk.text.clean import clean, compact_json, escape_formula, first_non_blank, one_line
from frontdesk.text.messages import plain_preview
from frontdesk.text.phones import format_phone, number_or_username, username
from frontdesk.text.times import in_zone, long_duration
from frontdesk.wire import (
    CannedResponse,
    Channel,
    Contact,
    Conversation,
    CustomField,
    Label,
    MessagePreview,
    Team,
    Template,
    User,
    Wire,
    instant,
)
from frontdesk.wire.values import utc_now

Cell: TypeAlias = str | int | float | bool | None

# Begins CSV files: without it, Excel takes UTF-8 for the code page of the computer.
BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"

_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~])")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """Output column. `heading`: title in tables; columns without one appear only in CSV.

    moment, phone: tables show the local time, and a number with its digits grouped. words: what
    tables show in place of the value. flexible: long values are truncated to the terminal. whole:
    left out of a terminal that is too narrow, never truncated. styles: Rich styles of values on a
    terminal.
    """

    name: str
    read: Callable[[T], Cell]
    heading: str = ""
    moment: bool = False
    phone: bool = False
    flexible: bool = False
    whole: bool = False
    words: Callable[[T], str] | None = None
    styles: Mapping[Cell, str] = field(default_factory=dict)

    def readable(self, row: T) -> str:
        """Format the cell of a row for people; "-" if it is empty."""
        if self.words is not None:
            return self.words(row) or "-"
        cell = self.read(row)
        if self.moment and isinstance(cell, str):
            return local_time(cell)
        if self.phone and isinstance(cell, str):
            return format_phone(cell) or "-"
        return cell_text(cell)


def local_time(text: str | None, zone: tzinfo | None = None) -> str:
    """Format a timestamp to the minute; unreadable ones are unchanged, "-" for none."""
    if not text:
        return "-"
    moment = instant(text)
    return f"{in_zone(moment, zone):%Y-%m-%d %H:%M}" if moment else text


def cell_text(cell: Cell) -> str:
    """Format a cell for tables; "-" if empty."""
    if cell is None or cell == "":
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return str(cell)


class Writer(Generic[T]):
    """Writes rows in a format; one that needs all rows first writes them in `end`.

    member_row: what JSON has of a row.
    """

    def __init__(
        self,
        out: TextIO,
        columns: Sequence[Column[T]] = (),
        member_row: Callable[[T], object] = lambda row: row,
    ) -> None:
        self.out = out
        self.columns = columns
        self.headed = [column for column in columns if column.heading]
        self.member_row = member_row
        self.begin()

    def begin(self) -> None:
        """Write what comes before the rows."""

    def add(self, row: T) -> None:
        raise NotImplementedError

    def end(self) -> None:
        self.out.flush()


class JsonLines(Writer[T]):
    """A line of JSON per row."""

    def add(self, row: T) -> None:
        self.out.write(json_line(self.member_row(row)) + "\n")


class JsonArray(Writer[T]):
    """An array with a line per row."""

    def begin(self) -> None:
        self._before = "[\n"

    def add(self, row: T) -> None:
        self.out.write(self._before + json_line(self.member_row(row)))
        self._before = ",\n"

    def end(self) -> None:
        self.out.write("[]\n" if self._before == "[\n" else "\n]\n")
        super().end()


class Csv(Writer[T]):
    """All columns, below their names."""

    def __init__(
        self,
        out: TextIO,
        columns: Sequence[Column[T]] = (),
        member_row: Callable[[T], object] = lambda row: row,
        line_end: str = "\r\n",
    ) -> None:
        # Deferred: the first paint does not need it.
        import csv

        self._csv = csv.writer(out, lineterminator=line_end)
        super().__init__(out, columns, member_row)

    def begin(self) -> None:
        self._csv.writerow([column.name for column in self.columns])

    def add(self, row: T) -> None:
        self._csv.writerow([_csv_cell(column.read(row)) for column in self.columns])


class Markdown(Writer[T]):
    """A table of the columns with headings."""

    def begin(self) -> None:
        headings = [column.heading.capitalize() for column in self.headed]
        for cells in (headings, ["---"] * len(headings)):
            self.out.write(_markdown_row(cells) + "\n")

    def add(self, row: T) -> None:
        cells = (markdown_cell(column.readable(row)) for column in self.headed)
        self.out.write(_markdown_row(cells) + "\n")


def csv_text(rows: Iterable[T], columns: Sequence[Column[T]], line_end: str = "\r\n") -> str:
    """Return the contents of a CSV file, which begins with a byte order mark."""
    out = io.StringIO()
    out.write(BYTE_ORDER_MARK)
    writer = Csv(out, columns, line_end=line_end)
    for row in rows:
        writer.add(row)
    return out.getvalue()


def json_line(row: object) -> str:
    """Encode a row on one line; of a wire value the members that the server sent."""
    return row.model_dump_json(exclude_unset=True) if isinstance(row, Wire) else compact_json(row)


def json_text(value: Wire | Sequence[Wire]) -> str:
    """Return the contents of a JSON file: indented, with what the server sent."""
    # Deferred: the first paint does not need it.
    import json

    body: Any
    if isinstance(value, Wire):
        body = value.model_dump(mode="json", exclude_unset=True)
    else:
        body = [row.model_dump(mode="json", exclude_unset=True) for row in value]
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"


def nested_json(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Encode nested members in one cell, "" if empty."""
    return compact_json(value) if value else ""


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts; all columns but the first are aligned to the right."""
    marks = ("---", *("---:" for _ in headings[1:]))
    cells = [map(markdown_cell, row) for row in (headings, *rows)]
    return "\n".join(map(_markdown_row, (cells[0], marks, *cells[1:])))


def markdown_cell(text: str) -> str:
    """Text of a table's cell with Markdown syntax escaped, on one line."""
    return escape_markdown(one_line(clean(text)))


def escape_markdown(text: str) -> str:
    """Escape Markdown syntax in a text that stands inside of a line."""
    return _MARKDOWN.sub(r"\\\1", text)


def _csv_cell(cell: Cell) -> Cell:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return escape_formula(cell) if isinstance(cell, str) else cell


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


# Texts that tables may truncate; what decides is never cut.
_FLEXIBLE = frozenset(
    (
        *("contact", "name", "email", "channel_name", "assignee_name", "labels", "last_message"),
        *("title", "description", "options", "members", "channels", "text", "body", "code"),
    )
)
_STATUS_STYLES: Mapping[Cell, str] = MappingProxyType(
    {
        **dict.fromkeys(("open", "APPROVED", "CONNECTED"), "green"),
        **dict.fromkeys(("snoozed", "PENDING"), "yellow"),
        **dict.fromkeys(("REJECTED", "PAUSED", "DISABLED", "DISCONNECTED"), "red"),
        "resolved": "dim",
    }
)


def _member(name: str, heading: str = "") -> Column[Any]:
    """Column of a wire member; lists are joined with commas."""

    def read(row: Wire) -> Cell:
        value = getattr(row, name)
        return ",".join(map(str, value)) if isinstance(value, tuple) else value

    return _column(name, read, heading)


def _column(
    name: str,
    read: Callable[[Any], Cell],
    heading: str = "",
    words: Callable[[Any], str] | None = None,
) -> Column[Any]:
    return Column(
        name,
        read,
        heading,
        moment=name.endswith(("_at", "_since", "_until")),
        phone=name in ("phone", "contact", "contact_phone"),
        flexible=name in _FLEXIBLE,
        whole=name == "contact_phone",
        words=words,
        styles=_STATUS_STYLES if name == "status" else {},
    )


def _members(*names: str) -> tuple[Column[Any], ...]:
    return tuple(_member(name) for name in names)


def _in_tables(*names: str) -> tuple[Column[Any], ...]:
    """Columns that tables show too; CSV has all columns."""
    return tuple(_member(name, _heading(name)) for name in names)


# Headings that are not the column's name.
_HEADINGS = {
    "unread_count": "UNREAD",
    "last_activity_at": "ACTIVITY",
    "color": "COLOUR",
    "quality_rating": "QUALITY",
    "quality_score": "QUALITY",
    "messaging_limit": "LIMIT",
    "short_code": "CODE",
}


def _heading(name: str) -> str:
    return _HEADINGS.get(name) or name.replace("_", " ").upper()


def customer_name(row: Conversation) -> str:
    contact = row.contact
    names = (contact.name, contact.phone, username(contact))
    return first_non_blank(*names, f"contact {contact.id}")


def wait_words(row: Conversation) -> str:
    """How long a customer has waited until now: 3d 4h; empty for one who does not."""
    since = waiting_since(row)
    return long_duration(max(utc_now() - since, timedelta())) if since is not None else ""


def _last_message(row: Conversation) -> str | None:
    return plain_preview(row.last_message) if row.last_message else None


def with_excerpt(row: Conversation, excerpt: str) -> Conversation:
    """A row that shows a message in which words of a query were found in place of its last one."""
    found = MessagePreview(id="", type="text", text=f"» {excerpt}", created_at=row.last_activity_at)
    return row.model_copy(update={"last_message": found})


CONVERSATIONS: tuple[Column[Conversation], ...] = (
    *_in_tables("id", "status"),
    _column("contact", customer_name, "CONTACT"),
    _column("contact_id", lambda row: row.contact.id),
    _column("contact_name", lambda row: row.contact.name),
    _column("channel", lambda row: row.channel.id),
    _column("channel_name", lambda row: row.channel.name or row.channel.id, "CHANNEL"),
    _column("assignee", lambda row: row.assignee.id if row.assignee else None),
    _column("assignee_name", lambda row: row.assignee.name if row.assignee else None, "ASSIGNEE"),
    *_in_tables("labels"),
    *_members("awaiting_human"),
    _column("waiting_since", lambda row: row.waiting_since, "WAITING", wait_words),
    *_in_tables("unread_count", "last_activity_at"),
    _column(
        "contact_phone",
        lambda row: row.contact.phone,
        "NUMBER",
        lambda row: number_or_username(row.contact),
    ),
    *_members("snoozed_until", "first_reply_at", "last_inbound_at"),
    *_members("service_window_expires_at", "created_at", "updated_at"),
    _column("last_author", lambda row: row.last_message.author if row.last_message else None),
    _column("last_message", _last_message, "LAST MESSAGE"),
)

_STAMPS = _members("created_at", "updated_at")


def _all_members(
    model: type[Wire], first: Sequence[Column[Any]], last: Sequence[Column[Any]] = _STAMPS
) -> tuple[Column[Any], ...]:
    """Columns of a resource; between the first and the last are members without their own place."""
    placed = {column.name for column in (*first, *last)}
    return (*first, *_members(*(name for name in model.model_fields if name not in placed)), *last)


CONTACTS: tuple[Column[Contact], ...] = _all_members(
    Contact,
    (
        *_in_tables("id", "name"),
        _column("phone", lambda row: row.phone, "PHONE", number_or_username),
        *_in_tables("email"),
        *_members("profile_name", "username"),
    ),
    (
        *_in_tables("last_activity_at"),
        *_STAMPS,
        _column("custom_fields", lambda row: nested_json(row.custom_fields)),
    ),
)

LABELS: tuple[Column[Label], ...] = _all_members(
    Label, _in_tables("id", "title", "color", "description")
)

CUSTOM_FIELDS: tuple[Column[CustomField], ...] = _all_members(
    CustomField, _in_tables("id", "key", "name", "type", "options", "description")
)

USERS: tuple[Column[User], ...] = _all_members(
    User, _in_tables("id", "name", "email", "role", "availability", "active")
)

TEAMS: tuple[Column[Team], ...] = _all_members(
    Team,
    (
        *_in_tables("id", "name", "description"),
        _column("members", lambda row: ", ".join(user.name for user in row.members), "MEMBERS"),
        *_in_tables("channels"),
        _column("member_ids", lambda row: ",".join(user.id for user in row.members)),
    ),
)

CHANNELS: tuple[Column[Channel], ...] = _all_members(
    Channel,
    _in_tables("id", "name", "phone", "status", "quality_rating", "messaging_limit"),
    (
        _column("business_hours", lambda row: _hours_json(row)),
        *_members("synced_at"),
        *_STAMPS,
    ),
)

CANNED_RESPONSES: tuple[Column[CannedResponse], ...] = _all_members(
    CannedResponse, _in_tables("id", "short_code", "text")
)

TEMPLATES: tuple[Column[Template], ...] = _all_members(
    Template,
    (
        *_in_tables("id", "name", "language", "category", "status", "quality_score"),
        _column("body", lambda row: _body(row), "BODY"),
    ),
    (
        *_members("channels", "updated_at"),
        _column("components", lambda row: nested_json(row.components)),
    ),
)


def _hours_json(row: Channel) -> str | None:
    """Return the business hours of a channel in one cell."""
    hours = row.business_hours
    return None if hours is None else nested_json(hours.model_dump(mode="json"))


def _body(row: Template) -> str | None:
    """Return the text of a template's body component."""
    texts = [part.get("text") for part in row.components if part.get("type") == "BODY"]
    return next((text for text in texts if isinstance(text, str)), None)
