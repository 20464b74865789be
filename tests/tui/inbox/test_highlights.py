"""Changes without input: ages that are highlighted for a while, and countdowns."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from rich.segment import Segment
from textual.geometry import Region

from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.conversation_list import CUE
from frontdesk.tui.widgets.text_layout import Piece, width_of
from tests.soak.sandbox import send
from tests.tui.memory_inbox import MemoryInbox, MemoryInboxApp, memory_inbox_viewer, virtual_time

SIZE = (120, 40)


def standing_out(app: MemoryInboxApp) -> list[str]:
    """The conversations in view whose age is bold."""
    listed = app.inbox.queue.list
    rows = listed.rows
    return [
        rows[at].id
        for at in listed.in_view()
        if any(part == "strong" for part, _ in listed.draw(at, 40)[0][-2:-1])
    ]


def play(
    source: MemoryInbox, path: Path, scenario: Callable[[MemoryInboxApp], Coroutine[Any, Any, None]]
) -> None:
    """Run a scenario on a viewer of a source, on a clock of its own."""

    async def live() -> None:
        async with memory_inbox_viewer(source, path, SIZE) as app:
            await scenario(app)

    with virtual_time(0) as runner:
        runner.run(live())


async def refresh(app: MemoryInboxApp) -> None:
    """Refresh, which takes a tenth of a second."""
    send(app, "ctrl+r")
    await asyncio.sleep(0.1)


def test_the_age_of_what_became_active_is_bold_for_five_seconds(tmp_path: Path) -> None:
    source = MemoryInbox(12)

    async def watch(app: MemoryInboxApp) -> None:
        assert standing_out(app) == []
        source.change("5")
        await refresh(app)
        assert standing_out(app) == ["5"]
        await asyncio.sleep(CUE.total_seconds() - 0.5)
        assert standing_out(app) == ["5"]
        await asyncio.sleep(0.5)
        assert standing_out(app) == []

    play(source, tmp_path / "cache.db", watch)


def test_each_row_stands_out_for_its_own_time(tmp_path: Path) -> None:
    source = MemoryInbox(12)

    async def watch(app: MemoryInboxApp) -> None:
        source.change("3")
        await refresh(app)
        await asyncio.sleep(3.0)
        source.change("6")
        await refresh(app)
        assert set(standing_out(app)) == {"3", "6"}
        await asyncio.sleep(3.0)
        assert standing_out(app) == ["6"]
        await asyncio.sleep(3.0)
        assert standing_out(app) == []

    play(source, tmp_path / "cache.db", watch)


def test_nothing_stands_out_after_a_refresh_without_news_or_in_another_view(
    tmp_path: Path,
) -> None:
    source = MemoryInbox(12)

    async def watch(app: MemoryInboxApp) -> None:
        await refresh(app)
        assert standing_out(app) == []
        source.change("2")
        send(app, "right_square_bracket")
        await asyncio.sleep(0.5)
        assert standing_out(app) == []

    play(source, tmp_path / "cache.db", watch)


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


def test_a_countdown_paints_its_own_cells(
    painted: list[tuple[str, Region]], tmp_path: Path
) -> None:
    async def watch(app: MemoryInboxApp) -> None:
        assert "retrying in" in words_of(app)
        painted.clear()
        await asyncio.sleep(1.0)
        [(bar, region)] = painted
        assert bar == "status"
        seconds = words_of(app).partition("retrying in ")[2].split()[0]
        assert region.size == (len(f" · retrying in {seconds} s"), 1)
        assert region.right <= SIZE[0]

    play(MemoryInbox(12, lambda: None), tmp_path / "cache.db", watch)


def test_a_countdown_ends_with_the_failure(
    painted: list[tuple[str, Region]], tmp_path: Path
) -> None:
    answers: list[float | None] = [None]

    async def watch(app: MemoryInboxApp) -> None:
        assert "retrying in" in words_of(app)
        answers.append(0.0)
        await asyncio.sleep(30.0)
        assert "live" in words_of(app)
        painted.clear()
        await asyncio.sleep(3.0)
        assert [region for bar, region in painted if bar == "status"] == []

    play(MemoryInbox(12, lambda: answers[-1]), tmp_path / "cache.db", watch)


def words_of(app: MemoryInboxApp) -> str:
    """The words of the status line."""
    return app.inbox.query_one("#status", Bar).words


words = some.lists(
    some.tuples(some.sampled_from(["dim", "text"]), some.text("ab漢 é👍", max_size=4)), max_size=5
)


class Sized(Bar):
    """A bar of forty cells that is not mounted; records what it would repaint."""

    def __init__(self) -> None:
        super().__init__()
        self.regions: list[Region] = []
        self.drawn: list[Piece] = []

    @property
    def size(self) -> Any:
        return Region(0, 0, 40, 1).size

    def refresh(self, *regions: Region, **options: Any) -> Any:
        self.regions = list(regions)
        return self

    def segments(self, pieces: Iterable[Piece], ground: str = "ground") -> list[Segment]:
        self.drawn = list(pieces)
        return []


def cells(bar: Sized) -> list[Piece]:
    """Each cell's part, and the letters that begin there."""
    found: list[Piece] = []
    bar.line(0)
    for part, text in bar.drawn:
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
