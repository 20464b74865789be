"""In-memory server for tests of the mailbox."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from frontdesk.errors import CursorRefused, NotFound, NotOffered
from frontdesk.mailbox import Mailbox
from frontdesk.wire import (
    CATALOGUES,
    Channel,
    Contact,
    Conversation,
    ConversationFilter,
    Counts,
    CustomField,
    Label,
    Message,
    Note,
    Page,
    PhoneRef,
    ReportQuery,
    Team,
    User,
    Wire,
    timestamp,
)
from frontdesk.wire.reports import Metrics, Report, ZonedPeriod

NOW = datetime(2026, 3, 14, 9, 40, tzinfo=UTC)
START = 1_773_480_413_000
ALL = ConversationFilter()
OPEN = ConversationFilter(status="open")


def at(second: int) -> str:
    return timestamp(START + second * 1000)


class Inbox:
    """A server in memory with keyset cursors; `between` runs before each page is read."""

    server = None

    def __init__(self) -> None:
        self.conversations: dict[str, Conversation] = {}
        self.messages: dict[str, list[Message]] = {}
        self.notes: dict[str, list[Note]] = {}
        self.contacts: dict[str, Contact] = {}
        self.labels: tuple[Label, ...] = (Label(id="1", title="billing"),)
        self.between: Callable[[], None] = lambda: None
        self.failures: dict[str, Exception] = {}
        self.requests: list[str] = []
        self.clock = 0
        self.closed = False
        self.held: asyncio.Event | None = None
        self.expired: set[str] = set()
        # Id of the user of the key; None: the filter by assignee is ignored.
        self.me: str | None = None

    def bump(self, id: str, **changes: Any) -> None:
        """A conversation is new, or got a message."""
        self.clock += 1
        number = PhoneRef(id=id, name="Sheena Nelson", phone=f"+1650555{int(id):04}")
        members = {"status": "open", "channel": number, "contact": number, **changes}
        self.conversations[id] = Conversation(id=id, last_activity_at=at(self.clock), **members)

    def write(self, conversation_id: str, count: int) -> None:
        """Messages arrive in a conversation."""
        thread = self.messages.setdefault(conversation_id, [])
        for _ in range(count):
            self.clock += 1
            thread.append(
                Message(
                    id=str(self.clock),
                    direction="inbound",
                    author="contact",
                    text="Hi",
                    created_at=at(self.clock),
                )
            )

    def annotate(self, conversation_id: str) -> None:
        """A note is written."""
        self.clock += 1
        note = Note(id=str(self.clock), text="Ring back", created_at=at(self.clock))
        self.notes.setdefault(conversation_id, []).append(note)

    def listed(self, filter: ConversationFilter) -> list[Conversation]:
        """What the server enumerates for a filter now."""
        status = filter.status
        rows = [
            row
            for row in self.conversations.values()
            if status in (None, row.status)
            and (self.me is None or filter.assignee != "me" or _assignee(row) == self.me)
            and filter.contact in (None, row.contact.id)
            and (filter.awaiting_human is None or filter.awaiting_human == row.awaiting_human)
            and (filter.unread is None or filter.unread == bool(row.unread_count))
        ]
        rows.sort(key=lambda row: (row.last_activity_at, len(row.id), row.id), reverse=True)
        early = {row.id: moment for row in rows if (moment := _early(row, filter.sort))}
        first = [row for row in rows if row.id in early]
        first.sort(key=lambda row: (early[row.id], int(row.id)))
        return [*first, *(row for row in rows if row.id not in early)]

    async def close(self) -> None:
        self.closed = True

    async def conversation(self, conversation_id: str, *, listed: bool = True) -> Conversation:
        raise NotOffered("This server has no conversation by its id")

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        self.ask("conversations", cursor)
        if filter.sort is not None:
            return self._sorted_page(self.listed(filter), limit, cursor)
        rows = [((row.last_activity_at, int(row.id)), row) for row in self.listed(filter)]
        return Page[Conversation](**page(rows, limit, cursor))

    @staticmethod
    def _sorted_page(
        rows: list[Conversation], limit: int, cursor: str | None
    ) -> Page[Conversation]:
        """A page; the cursor is the id of the row it follows, which may have moved."""
        every = [row.id for row in rows]
        first = 1 + every.index(cursor) if cursor in every else 0
        data, more = tuple(rows[first : first + limit]), first + limit < len(rows)
        return Page(data=data, next_cursor=data[-1].id if more else None, has_more=more)

    async def changes(self, after: str | None = None, **options: Any) -> Any:
        raise NotOffered("This server does not say what changed")

    async def counts(
        self, filter: ConversationFilter | None = None, *, by: Collection[str] = ()
    ) -> Counts:
        self.ask("counts", None)
        return Counts(all=len(self.conversations))

    async def message_page(
        self, conversation_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Message]:
        self.ask("messages", cursor)
        thread = self.messages.get(conversation_id, [])[::-1]
        rows = [((row.created_at, int(row.id)), row) for row in thread]
        return Page[Message](**page(rows, limit, cursor))

    async def note_page(
        self, conversation_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Note]:
        self.ask("notes", cursor)
        notes = self.notes.get(conversation_id, [])[::-1]
        rows = [((row.created_at, int(row.id)), row) for row in notes]
        return Page[Note](**page(rows, limit, cursor))

    async def contact_by_phone(self, phone: str) -> Contact:
        self.ask("contact", None)
        if phone not in self.contacts:
            raise NotFound("Nobody has this number")
        return self.contacts[phone]

    async def contact_page(
        self, q: str | None = None, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Contact]:
        self.ask("contacts", q)
        if self.held is not None:
            await self.held.wait()
        every = self.contacts.values()
        found = [one for one in every if (q or "").casefold() in (one.name or "").casefold()]
        return Page[Contact](data=tuple(found), has_more=False)

    async def catalogue_page(
        self, row: type[Any], *, limit: int = 100, cursor: str | None = None
    ) -> Page[Any]:
        self.ask(next(name for name, kind in CATALOGUES.items() if kind is row), cursor)
        rows: dict[type[Wire], tuple[Any, ...]] = {
            Label: self.labels,
            User: (User(id="1", name="Ana"),),
            Channel: (Channel(id="106540352242922", name="Support"),),
            CustomField: (CustomField(id="1", key="plan", name="Plan"),),
            Team: (Team(id="1", name="Returns"),),
        }
        start = int(cursor or 0)
        found = rows.get(row, ())[start:]
        following = str(start + 1) if found[1:] else None
        model: type[Page[Any]] = Page[row]  # type: ignore[valid-type]
        return model(data=found[:1], next_cursor=following, has_more=following is not None)

    async def report(self, query: ReportQuery | None = None) -> Report:
        self.ask("report", None)
        period = ZonedPeriod(from_=at(0), to=at(1))
        return Report(period=period, metrics=Metrics(incoming_messages_count=self.clock))

    def ask(self, what: str, cursor: str | None) -> None:
        self.between()
        self.requests.append(f"{what} {cursor or ''}".strip())
        if what in self.failures:
            raise self.failures[what]
        if cursor in self.expired:
            raise CursorRefused("The cursor has expired", code="invalid_cursor")
        if cursor is not None and f"{what} cursor" in self.failures:
            raise self.failures[f"{what} cursor"]


def _assignee(row: Conversation) -> str | None:
    return row.assignee.id if row.assignee else None


def _early(row: Conversation, sort: str | None) -> str:
    """The time by which a row comes before those that have none."""
    ends = row.service_window_expires_at or ""
    if sort == "window":
        return ends if ends > timestamp(int(NOW.timestamp() * 1000)) else ""
    return (row.waiting_since or "") if sort == "waiting" else ""


def page(
    rows: Sequence[tuple[tuple[str, int], object]], limit: int, cursor: str | None
) -> dict[str, Any]:
    """One page of rows that are newest first; the cursor is the key of the row it follows."""
    if cursor is not None:
        moment, id = cursor.split("|")
        rows = [row for row in rows if row[0] < (moment, int(id))]
    more = len(rows) > limit
    last = rows[limit - 1][0] if more else None
    return {
        "data": tuple(value for _, value in rows[:limit]),
        "next_cursor": f"{last[0]}|{last[1]}" if last else None,
        "has_more": more,
    }


def shown(mailbox: Mailbox, filter: ConversationFilter = ALL) -> list[str]:
    return [conversation.id for conversation in mailbox.conversations(filter)]


def ids(rows: Sequence[Conversation]) -> list[str]:
    return [row.id for row in rows]
