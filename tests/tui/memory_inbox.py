"""In-memory inbox with distinct names, on a virtual clock.

Every name on the screen shows whose row, header, message or contact that is.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from concurrent.futures import Future, wait
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from textual.app import App
from textual.geometry import Region
from textual.widget import Widget

from frontdesk.cache import Cache
from frontdesk.client.server_info import Server, ServerState
from frontdesk.errors import NotFound, NotOffered, Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.query import Matcher, QueryNames, parse
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.preferences import PLAIN, Preferences
from frontdesk.wire import (
    Channel,
    Contact,
    Conversation,
    ConversationFilter,
    ConversationPage,
    Counts,
    Label,
    Message,
    Note,
    Page,
    User,
    Wire,
)
from frontdesk.wire.queries import EXTENSIONS
from frontdesk.wire.values import timestamp
from tests.soak.virtual_loop import START, VirtualLoop, virtual_loop
from tests.tui.screen_text import parts_in_view, strips

PAGE = 20
CHANNELS = ("London", "Madrid")
LABELS = ("billing", "refund")
STATUSES = ("open", "snoozed", "resolved")
_NAME = re.compile(r"Customer \d{3,5}")
_START = int(START.timestamp() * 1000)
_WINDOW = 24 * 3_600_000


def name(number: int) -> str:
    return f"Customer {number:03d}"


class MemoryInbox:
    """A server whose conversations change. `seconds` gives how long an answer takes, or a failure.

    Statuses go round: of each six conversations four are open.
    """

    server: Any = None

    def __init__(self, size: int, seconds: Callable[[], float | None] = lambda: 0.0) -> None:
        self._seconds = seconds
        self.now: Callable[[], int] = lambda: _START
        self.rows = {
            str(number): _members(
                number, ("open", "open", "resolved", "open", "snoozed", "open")[number % 6]
            )
            for number in range(size)
        }
        self._written: dict[str, list[Message]] = {}

    def write(self, id: str, text: str, **members: Any) -> None:
        """The customer writes a message."""
        written = self._written.setdefault(id, [])
        message = _message(int(id), 0).model_copy(
            update={
                "id": f"{id}.later.{len(written)}",
                "text": text,
                "created_at": timestamp(self.now()),
            }
        )
        written.insert(0, message)
        preview = {"id": message.id, "text": text, "created_at": message.created_at}
        self.change(id, last_message=preview, **members)

    def change(self, id: str, **members: Any) -> None:
        """Something becomes otherwise; whatever it is, that is activity."""
        if id in self.rows:
            now = timestamp(self.now())
            self.rows[id] = {**self.rows[id], "last_activity_at": now, "updated_at": now, **members}

    async def close(self) -> None:
        """Nothing to give up."""

    async def _answer(self) -> None:
        seconds = self._seconds()
        await asyncio.sleep(abs(seconds or 0.0))
        if seconds is None or seconds < 0:
            raise Unreachable("The server does not answer")

    async def conversation(self, conversation_id: str, *, listed: bool = True) -> Conversation:
        raise NotOffered("This server has no conversation by its id")

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        await self._answer()
        asked = Matcher(parse(filter.query or "").terms, QueryNames(me="1"), self._moment())
        matching = [
            row
            for row in self.rows.values()
            if _matches(row, filter) and asked(Conversation.model_validate(row))
        ]
        places = sorted((_place(row, filter.sort, self.now()), row["id"]) for row in matching)
        after = [at for at in places if cursor is None or at[0] > _place_of(cursor)]
        data = tuple(Conversation.model_validate(self.rows[id]) for _, id in after[:PAGE])
        more = len(after) > PAGE
        following = " ".join(map(str, after[PAGE - 1][0])) if more else None
        if filter.query is None:
            return Page(data=data, next_cursor=following, has_more=more)
        total = len(matching) if cursor is None else None
        return ConversationPage(data=data, next_cursor=following, has_more=more, total=total)

    def _moment(self) -> datetime:
        return datetime.fromtimestamp(self.now() / 1000, UTC)

    async def changes(self, after: str | None = None, **options: Any) -> Any:
        raise NotOffered("This server does not say what changed")

    async def search_page(self, *arguments: Any, **options: Any) -> Any:
        await self._answer()
        raise NotOffered("This server does not search messages")

    async def counts(
        self, filter: ConversationFilter | None = None, *, by: Collection[str] = ()
    ) -> Counts:
        await self._answer()
        opened = [row for row in self.rows.values() if row["status"] == "open"]
        mine = sum((row["assignee"] or {}).get("id") == "1" for row in opened)
        return Counts(all=len(self.rows), open=len(opened), mine=mine)

    async def message_page(
        self, conversation_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Message]:
        await self._answer()
        if conversation_id not in self.rows:
            raise NotFound("There is no such conversation")
        older = (_message(int(conversation_id), n) for n in range(4))
        return Page(data=(*self._written.get(conversation_id, ()), *older))

    async def note_page(
        self, conversation_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Note]:
        await self._answer()
        return Page(data=())

    async def contact_by_phone(self, phone: str) -> Contact:
        await self._answer()
        number = int(phone[-3:])
        return Contact(id=f"c{number}", name=name(number), phone=phone)

    async def contact_page(
        self, q: str | None = None, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Contact]:
        await self._answer()
        found = [n for n in range(len(self.rows)) if (q or "").casefold() in name(n).casefold()]
        data = tuple(Contact(id=f"c{n}", name=name(n), phone=_phone(n)) for n in found[:20])
        return Page(data=data)

    async def catalogue_page(self, row: type[Wire], **_: object) -> Page[Any]:
        await self._answer()
        rows: dict[type[Wire], tuple[Wire, ...]] = {
            Label: tuple(Label(id=title, title=title) for title in LABELS),
            User: (User(id="1", name="Grace Okafor"),),
            Channel: tuple(Channel(id=title, name=title) for title in CHANNELS),
        }
        return Page(data=rows.get(row, ()))


class BasicMemoryInbox(MemoryInbox):
    """A server that has only the filters and the order of `/v1`, and refuses others."""

    def __init__(self, size: int, seconds: Callable[[], float | None] = lambda: 0.0) -> None:
        super().__init__(size, seconds)
        self._state = ServerState("https://other.example.com", lambda: START)

    @property
    def server(self) -> Server:
        return self._state.server()

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        lacking = EXTENSIONS & filter.parameters().keys()
        known = filter.model_copy(update=dict.fromkeys(lacking))
        page = await super().conversation_page(known, limit=limit, cursor=cursor)
        self._state.lacks_extensions(lacking)
        # As the client does, which applies them to what comes.
        data = tuple(row for row in page.data if _matches(self.rows[row.id], filter))
        return page.model_copy(update={"data": data})


def _place(row: dict[str, Any], sort: str | None, now: int) -> tuple[int, int, int]:
    """Where a row is in an order: those with a time to wait for first, then the latest activity."""
    number, activity = int(row["id"]), _milliseconds(row["last_activity_at"])
    moment = None
    if sort == "waiting":
        moment = row["waiting_since"]
    elif sort == "window" and _milliseconds(row["service_window_expires_at"]) > now:
        moment = row["service_window_expires_at"]
    return (0, _milliseconds(moment), number) if moment else (1, -activity, -number)


def _place_of(cursor: str) -> tuple[int, ...]:
    return tuple(map(int, cursor.split()))


@cache
def _milliseconds(moment: str) -> int:
    return round(datetime.fromisoformat(moment).timestamp() * 1000)


def _phone(number: int) -> str:
    return f"+44770090{number:04d}"


def _members(number: int, status: str) -> dict[str, Any]:
    active, channel = timestamp(_START - number * 61_000), CHANNELS[number % 2]
    return {
        "id": str(number),
        "status": status,
        "awaiting_human": number % 5 == 0,
        "channel": {"id": channel, "name": channel, "phone": None},
        "contact": {"id": f"c{number}", "name": name(number), "phone": _phone(number)},
        "assignee": {"id": "1", "name": "Grace Okafor"} if number % 3 else None,
        "labels": list(LABELS[: number % 3]),
        "unread_count": number % 3,
        "waiting_since": active if number % 3 else None,
        "service_window_expires_at": timestamp(_START - number * 61_000 + _WINDOW),
        "last_activity_at": active,
        "last_message": {"id": f"{number}.0", "text": "Hello", "created_at": active},
        "created_at": active,
        "updated_at": active,
    }


def _message(number: int, at: int) -> Message:
    return Message.model_validate(
        {
            "id": f"{number}.{at}",
            "conversation_id": str(number),
            "direction": "inbound",
            "author": "contact",
            "text": f"{at} from {name(number)}",
            "created_at": timestamp(_START - number * 61_000 - at * 1_000),
        }
    )


def _matches(row: dict[str, Any], filter: ConversationFilter) -> bool:
    assignee = row["assignee"] and row["assignee"]["id"]
    wanted = {"me": "1", "assigned": "1", "unassigned": None}.get(
        filter.assignee or "", filter.assignee
    )
    extensions = (
        filter.contact in (None, row["contact"]["id"])
        and (filter.awaiting_human is None or filter.awaiting_human == bool(row["awaiting_human"]))
        and (filter.unread is None or filter.unread == bool(row["unread_count"]))
    )
    return extensions and (
        filter.status in (None, row["status"])
        and filter.channel in (None, row["channel"]["id"])
        and (filter.label is None or filter.label in row["labels"])
        and (filter.assignee is None or assignee == wanted)
        and filter.contact in (None, row["contact"]["id"])
        and filter.awaiting_human in (None, row["awaiting_human"])
        and filter.unread in (None, row["unread_count"] > 0)
    )


class WaitedCache(Cache):
    """A cache whose writer is waited for: no time passes meanwhile."""

    def _submit(self, work: Any) -> Future[Any]:
        future: Future[Any] = super()._submit(work)
        wait([future])
        return future


class MemoryInboxApp(FrontdeskApp):
    """The viewer. `after_frame` is called after each frame of the inbox, `before_action` before
    each action.
    """

    after_frame: Callable[[], None] = staticmethod(lambda: None)
    before_action: Callable[[object], None] = staticmethod(lambda action: None)
    mailbox: Mailbox

    def post_display_hook(self) -> None:
        if self.screen is self.screen_stack[0]:
            self.after_frame()

    @property
    def inbox(self) -> InboxScreen:
        """The screen below all others."""
        screen = self.screen_stack[0]
        assert isinstance(screen, InboxScreen)
        return screen

    async def run_action(self, action: Any, *arguments: Any, **options: Any) -> bool:
        self.before_action(action)
        return await super().run_action(action, *arguments, **options)

    def copy_to_clipboard(self, text: str) -> None:
        """Reach no clipboard."""


@contextmanager
def virtual_time(seed: object) -> Iterator[asyncio.Runner]:
    """Runs coroutines on a clock of their own."""
    with virtual_loop(Random(f"{seed} threads")) as runner:
        yield runner


@asynccontextmanager
async def memory_inbox_viewer(
    source: MemoryInbox,
    path: Path,
    size: tuple[int, int] = (120, 40),
    preferences: Preferences = PLAIN,
) -> AsyncIterator[MemoryInboxApp]:
    """A viewer of a source that has shown what it has."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    source.now = loop.milliseconds
    cache = WaitedCache(path, "inbox", check_after_seconds=0.0)
    mailbox = Mailbox(lambda: source, cache, clock=loop.now)  # type: ignore[arg-type, return-value]
    clock = Clock(UTC, loop.now)
    app = MemoryInboxApp(mailbox, title="inbox", clock=clock, preferences=preferences)
    app.mailbox = mailbox
    try:
        async with app.run_test(size=size, notifications=True):
            await asyncio.sleep(1.0)
            try:
                yield app
            finally:
                app.exit()
    finally:
        cache.close()


class Shown:
    """Text of the screen, part by part."""

    def __init__(self, app: App[Any]) -> None:
        self._inbox = app.screen_stack[0]
        self._strips = strips(self._inbox)
        # Where the widgets are in this frame: a resize may have given them other places since.
        self._places = parts_in_view(self._inbox)
        self.lines = [strip.text for strip in self._strips]

    def place(self, selector: str) -> Region:
        return self._places.get(self._inbox.query_one(selector, Widget), Region())

    def part(self, selector: str) -> list[str]:
        """The lines of a widget, none while it is not shown."""
        seen = self.place(selector)
        if not seen:
            return []
        return [line[seen.x : seen.right] for line in self.lines[seen.y : seen.bottom]]

    def names(self, selector: str) -> list[str]:
        """The customers named in a part, from the top down."""
        return _NAME.findall("\n".join(self.part(selector)))

    @property
    def selected(self) -> str | None:
        """The customer of the row with the ground of the selection; None where no row is seen."""
        grounds = {
            self._inbox.get_component_rich_style(f"part--{ground}").bgcolor
            for ground in ("chosen", "chosen-off")
        }
        top = self.place("ConversationList")
        lines = self.part("ConversationList")
        marked = [line for y, line in enumerate(lines, top.y) if self._ground(top.x, y) in grounds]
        return next(iter(_NAME.findall("\n".join(marked))), None)

    def _ground(self, x: int, y: int) -> object:
        """The background of a cell."""
        for segment in self._strips[y]:
            x -= segment.cell_length
            if x < 0:
                return segment.style.bgcolor if segment.style else None
        return None
