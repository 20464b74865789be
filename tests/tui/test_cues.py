"""What moves on the screen by itself: ages that stand out for a while, and countdowns."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from textual.geometry import Region

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.conversation_list import CUE
from frontdesk.tui.widgets.line_widget import Piece, width_of
from frontdesk.wire import Conversation, ConversationFilter, Page
from tests.conftest import NOW
from tests.tui.conftest import Viewer, settle
from tests.tui.inbox_state import queue, screen_of
from tests.tui.sources import Failing

SIZE = (120, 40)


class Hand:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


class Busy:
    """The real client, but some conversations became active a moment ago."""

    def __init__(self, client: InboxClient) -> None:
        self._client = client
        self.active: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        page = await self._client.conversation_page(filter, limit=limit, cursor=cursor)
        later = "2026-03-14T10:21:59.000Z"
        rows = [
            row.model_copy(update={"last_activity_at": later}) if row.id in self.active else row
            for row in page.data
        ]
        rows.sort(key=lambda row: row.last_activity_at or "", reverse=True)
        return page.model_copy(update={"data": rows})


@pytest.fixture
def hand() -> Hand:
    return Hand()


@pytest.fixture
def busy(client: InboxClient) -> Busy:
    return Busy(client)


@pytest.fixture
def app(busy: Busy, cache: Cache, hand: Hand) -> FrontdeskApp:
    mailbox = Mailbox(lambda: busy, cache, clock=hand)
    return FrontdeskApp(mailbox, title="sample", clock=Clock(UTC, hand))


def standing_out(app: FrontdeskApp) -> list[str]:
    """The conversations in view whose age is bold."""
    listed = screen_of(app).queue.list
    return [
        queue(app)[at].id
        for at in listed.in_view()
        if any(part == "strong" for part, _ in listed.draw(at, 40)[0][-2:-1])
    ]


async def test_the_age_of_what_became_active_is_bold_for_five_seconds(
    app: FrontdeskApp, busy: Busy, hand: Hand
) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        screen = screen_of(app)
        assert standing_out(app) == []
        assert screen.queue._cue_timer is None
        changed = queue(app)[4].id
        busy.active.add(changed)
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert standing_out(app) == [changed]
        hand.now += CUE / 2
        screen.queue._end_cues()
        assert standing_out(app) == [changed]
        assert screen.queue._cue_timer is not None
        hand.now += CUE / 2
        screen.queue._end_cues()
        assert standing_out(app) == []
        assert screen.queue._cue_timer is None


async def test_each_row_stands_out_for_its_own_time(
    app: FrontdeskApp, busy: Busy, hand: Hand
) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        first, second = queue(app)[3].id, queue(app)[6].id
        busy.active.add(first)
        await pilot.press("ctrl+r")
        await settle(pilot)
        hand.now += timedelta(seconds=3)
        screen_of(app).queue.list.cue([second])
        assert set(standing_out(app)) == {first, second}
        hand.now += timedelta(seconds=3)
        assert screen_of(app).queue.list.end_cues() == timedelta(seconds=2)
        assert standing_out(app) == [second]


async def test_a_refresh_without_news_and_the_first_one_start_no_timer(
    app: FrontdeskApp, busy: Busy
) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+r")
        await settle(pilot)
        busy.active.add(queue(app)[2].id)
        await pilot.press("right_square_bracket")
        await settle(pilot)
        assert screen_of(app).queue._cue_timer is None
        assert standing_out(app) == []


# Countdowns


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Region]]:
    """What is painted anew: by which widget, and which of its cells."""
    seen: list[tuple[str, Region]] = []
    real = Bar.refresh

    def refresh(self: Bar, *regions: Region, **options: Any) -> Bar:
        seen.extend((self.id or "", region) for region in regions or (Region(),))
        return real(self, *regions, **options)

    monkeypatch.setattr(Bar, "refresh", refresh)
    return seen


async def test_a_countdown_paints_its_own_cells(
    painted: list[tuple[str, Region]], cache: Cache, hand: Hand
) -> None:
    mailbox = Mailbox(lambda: Failing(Unreachable("No answer")), cache, clock=hand)
    app = FrontdeskApp(mailbox, title="sample", clock=Clock(UTC, hand))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, InboxScreen)
        assert screen._connection.failing
        painted.clear()
        hand.now += timedelta(seconds=1)
        screen._show_status()
        [(bar, region)] = painted
        assert bar == "status"
        words = screen.query_one("#status", Bar).words
        seconds = words.partition("retrying in ")[2].split()[0]
        assert region.size == (len(f" · retrying in {seconds} s"), 1)
        assert region.right <= SIZE[0]


async def test_a_countdown_ends_with_the_failure(viewer: Viewer) -> None:
    app = viewer(Failing(Unreachable("No answer")))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        screen = screen_of(app)
        timer = screen._countdown
        assert timer is not None
        screen._connection.is_live()
        screen._show_status()
        assert screen._countdown is timer


words = some.lists(
    some.tuples(some.sampled_from(["dim", "text"]), some.text("ab漢 é👍", max_size=4)), max_size=5
)


class Sized(Bar):
    """A bar of forty cells that stands nowhere; keeps what it would paint anew."""

    def __init__(self) -> None:
        super().__init__()
        self.regions: list[Region] = []

    @property
    def size(self) -> Any:
        return Region(0, 0, 40, 1).size

    def refresh(self, *regions: Region, **options: Any) -> Any:
        self.regions = list(regions)
        return self


def cells(bar: Bar) -> list[Piece]:
    """Each cell's part, and the letters that begin there."""
    found: list[Piece] = []
    for part, text in bar._pieces():
        for letter in text:
            width = width_of([(part, letter)])
            found += [(part, letter), *[(part, "")] * (width - 1)]
    return found


@given(words, words, words, words)
def test_every_cell_that_changes_is_painted_anew(
    left: list[Piece], right: list[Piece], then_left: list[Piece], then_right: list[Piece]
) -> None:
    bar = Sized()
    bar.show(left, right)
    before = cells(bar)
    bar.regions = []
    bar.show(then_left, then_right)
    now = cells(bar)
    assert len(before) == len(now) == 40
    covered = {x for region in bar.regions for x in region.column_range}
    assert {at for at in range(40) if before[at] != now[at]} <= covered
