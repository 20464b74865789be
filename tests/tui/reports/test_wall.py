"""The wall: figures of now and today in large digits."""

import re
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from rich.cells import cell_len

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import NotFound
from frontdesk.mailbox import Mailbox
from frontdesk.reports.metrics import ASCII, BLOCKS, Glyphs, time_words
from frontdesk.tui.clock import Clock
from frontdesk.tui.reports.query import ReportOptions
from frontdesk.tui.reports.reading import REMEMBERED
from frontdesk.tui.reports.wall import (
    TODAY,
    Block,
    Tile,
    WallApp,
    large,
    live_block,
    today_block,
    wall,
)
from frontdesk.tui.widgets.glyphs import PlainCharacters
from frontdesk.wire import ReportQuery
from frontdesk.wire.reports import Report
from tests.conftest import NOW
from tests.tui.compared_drawings import Drawing
from tests.tui.conftest import Open, lines, settle, shown
from tests.tui.reports import Answering, failing
from tests.tui.reports.drawn_reports import report as small_report
from tests.tui.views import press, type_in

values = some.one_of(
    some.integers(0, 10**7).map("{:,}".format), some.floats(0, 10**6).map(time_words)
)
blocks = some.lists(
    some.builds(
        Block,
        some.just([("accent", " NOW")]),
        some.lists(values.map(lambda value: Tile("open", value)), min_size=1, max_size=7),
    ),
    min_size=1,
    max_size=2,
)


def test_a_number_is_drawn_in_pixels_and_its_unit_in_letters() -> None:
    assert large("12s", 1, BLOCKS) == [
        "▄█  ▀▀█  ",
        " █  █▀▀  ",
        "▀▀▀ ▀▀▀ s",
    ]
    assert large("17", 2, ASCII) == [
        "  ##   ######",
        "####       ##",
        "  ##       ##",
        "  ##       ##",
        "######     ##",
    ]


@given(some.floats(0, 10**6).map(time_words), some.sampled_from(range(1, 7)))
def test_a_blank_column_is_between_a_unit_and_the_digits_beside_it(value: str, scale: int) -> None:
    for glyphs in (BLOCKS, ASCII):
        for line in large(value, scale, glyphs):
            assert not re.search("[a-z][^a-z ]|[^a-z ][a-z]", line)


def test_a_unit_is_apart_from_digits_at_every_width() -> None:
    tiles = [Tile("First response, mean", "4m56s"), Tile("Waiting, mean", "12m04s")]
    for width, height in product(range(40, 221, 20), (10, 24, 40, 60)):
        drawn = wall([Block([], tiles)], width, height, BLOCKS)
        text = "\n".join("".join(text for _, text in line) for line in drawn)
        assert not re.search("[a-z][▀▄█]|[▀▄█][a-z]", text)


@given(blocks, some.integers(40, 250), some.integers(10, 80), some.sampled_from((BLOCKS, ASCII)))
def test_it_fits_every_screen(blocks: list[Block], width: int, height: int, glyphs: Glyphs) -> None:
    drawn = ["".join(text for _, text in line) for line in wall(blocks, width, height, glyphs)]
    assert len(drawn) <= height
    assert all(cell_len(line) <= width for line in drawn)
    plain = (line.translate(PlainCharacters.TABLE) for line in drawn)
    assert glyphs is BLOCKS or all(line.isascii() for line in plain)


async def test_a_key_of_the_report_puts_now_and_today_on_the_wall_and_back(report: Open) -> None:
    app = report()
    async with app.run_test(size=(200, 60)) as pilot:
        await settle(pilot)
        await press(pilot, "W")
        for size in ((200, 60), (120, 40), (80, 24)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            text = shown(app)
            for words in (
                *("NOW 10:00", "open", "unassigned", "unattended", "need a human"),
                *("TODAY until 10:00", "New conversations", "Messages received", "Messages sent"),
                *("Resolved", "First response, mean", "Waiting, mean", "▲ 88 %, was 8"),
            ):
                assert words in text
            assert " 60 " not in text
            assert "▀" in text or "█" in text
            assert lines(app)[-1].endswith("live")
        await press(pilot, "escape")
        assert "METRIC" in shown(app)


async def test_the_wall_keeps_the_channel_of_the_report(report: Open) -> None:
    app = report()
    async with app.run_test(size=(60, 15)) as pilot:
        await settle(pilot)
        await press(pilot, "c")
        await type_in(pilot, "madrid")
        await press(pilot, "enter", "W")
        assert "sample · Madrid" in lines(app)[0]
        assert lines(app)[2].split() == ["13", "5"]


async def test_the_wall_keeps_whom_the_report_is_of(report: Open, cache: Cache) -> None:
    cache.set_setting(REMEMBERED, ReportOptions(subject="user:1").to_store())
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = lines(app)[0].split("  ")[0]
        await press(pilot, "W")
        assert "TODAY until 10:00" in shown(app)
        assert lines(app)[0].split("  ")[0] == before != " REPORTS sample · all channels"


def alone(client: InboxClient, cache: Cache, options: ReportOptions, **more: Any) -> WallApp:
    """The wall as a program of its own."""
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    clock = Clock(NOW.tzinfo, lambda: NOW)
    return WallApp(mailbox, options, title="sample", glyphs=BLOCKS, clock=clock, **more)


async def test_alone_it_shows_the_figures_that_are_asked_for(
    client: InboxClient, cache: Cache
) -> None:
    fields = ("avg_reply_time", "incoming_messages_count", "outgoing_messages_count")
    app = alone(client, cache, ReportOptions("today", subject="user:1"), fields=fields)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        who = (await client.report(ReportQuery(user="1"))).user
        assert who is not None
        assert f"sample · {who.name}" in lines(app)[0]
        names = next(line for line in lines(app) if "Waiting, mean" in line)
        # No person receives messages.
        assert names.split("  ")[0].strip() == "Waiting, mean"
        assert "Messages sent" in names
        assert "Messages received" not in shown(app)


async def test_a_terminal_without_blocks_gets_large_digits_all_the_same(
    report: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "linux")
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "W")
        assert shown(app).isascii()
        assert "######" in shown(app)


async def test_today_is_that_of_the_accounts_zone(client: InboxClient, cache: Cache) -> None:
    days: list[str | None] = []

    async def far_east(query: ReportQuery) -> Report:
        days.append(query.from_)
        return await client.report(query.model_copy(update={"timezone": "Pacific/Kiritimati"}))

    source: Any = Answering(client, far_east)  # type: ignore[arg-type]
    source.report = far_east
    app = alone(source, cache, ReportOptions("today"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert days == ["2026-03-14", "2026-03-15"]
        assert "TODAY until 00:00" in shown(app)
        assert "Pacific/Kiritimati" in lines(app)[0]


async def test_a_failed_report_is_explained_on_the_wall(report: Open, client: InboxClient) -> None:
    app = report(failing(client, NotFound("There is nothing here.")))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "W")
        assert "This server has no reports" in shown(app)


async def test_a_long_problem_is_wrapped_on_the_wall_and_in_place_of_the_hours(
    report: Open, client: InboxClient
) -> None:
    problem = "The server answers this question with a sentence of more than forty cells"
    app = report(failing(client, NotFound(f"{problem}.")))
    async with app.run_test(size=(60, 40)) as pilot:
        await settle(pilot)
        for keys in ("W", "escape 8"):
            await press(pilot, *keys.split())
            assert max(cell_len(line) for line in lines(app)) <= 60
            assert problem in " ".join(shown(app).split())


@pytest.mark.parametrize("key", ["ctrl+c", "escape", "q"])
async def test_alone_it_ends_on_a_key(client: InboxClient, cache: Cache, key: str) -> None:
    app = alone(client, cache, ReportOptions("today"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "TODAY until 10:00" in shown(app)
        assert "esc quit" in lines(app)[-1]
        await pilot.press(key)
        await pilot.pause()
        assert app.return_code == 0


def test_numbers_are_as_large_as_there_is_room_for(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    shown = small_report(detailed=True)
    for glyphs in (BLOCKS, ASCII):
        parts = [live_block(shown, "10:00"), today_block(shown, glyphs, "10:00", TODAY)]
        for width, height in ((40, 30), (80, 24), (90, 44), (160, 44)):
            drawing.add(f"both {width}x{height}", wall(parts, width, height, glyphs))
        drawing.add("now 60x14", wall(parts[:1], 60, 14, glyphs))
        drawing.add("today 30x12", wall(parts[1:], 30, 12, glyphs))
    drawing.compare(pytestconfig, "wall")
