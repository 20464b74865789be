"""The report on a wall: the same drawing without keys, of which nothing is remembered."""

import asyncio
from typing import Any

import pytest
from rich.cells import cell_len

from frontdesk.cache import Cache
from frontdesk.cache.followed import FollowedLists
from frontdesk.client import InboxClient
from frontdesk.errors import NotFound
from frontdesk.mailbox import Mailbox
from frontdesk.reports.metrics import BLOCKS
from frontdesk.tui.clock import Clock
from frontdesk.tui.reports.query import ReportOptions
from frontdesk.tui.reports.reading import REMEMBERED
from frontdesk.tui.reports.wall import WallApp, WallScreen
from frontdesk.wire import ReportQuery
from frontdesk.wire.reports import Report
from tests.conftest import NOW
from tests.tui.conftest import Open, lines, settle, shown
from tests.tui.reports import Answering, failing
from tests.tui.views import press, type_in


@pytest.mark.parametrize("size", [(200, 60), (120, 40), (80, 24)], ids=str)
async def test_the_wall_is_the_report_without_its_keys(report: Open, size: tuple[int, int]) -> None:
    app = report()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        drawn = [line.replace("▸", " ") for line in lines(app)]
        await press(pilot, "W")
        await settle(pilot)
        wall = [line.replace("▸", " ") for line in lines(app)]
        assert wall[:13] == drawn[:13]
        assert "CAME AND WENT" in shown(app)
        assert "counted" not in shown(app)
        assert "esc back" in wall[-1]
        assert wall[-1].endswith("live")
        await press(pilot, "escape")
        assert [line.replace("▸", " ") for line in lines(app)] == drawn


async def test_the_wall_is_of_the_channel_and_period_of_the_report(report: Open) -> None:
    app = report()
    async with app.run_test(size=(100, 34)) as pilot:
        await settle(pilot)
        await press(pilot, "c")
        await type_in(pilot, "madrid")
        await press(pilot, "enter", "p")
        await type_in(pilot, "last week")
        await press(pilot, "enter")
        heading = lines(app)[0]
        assert "Madrid" in heading
        await press(pilot, "W")
        await settle(pilot)
        assert lines(app)[0] == heading


async def test_no_key_moves_anything_on_a_wall(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "W")
        await settle(pilot)
        drawn = lines(app)
        await press(pilot, "tab", "j", "5", "p", "enter", "y")
        assert lines(app) == drawn


def alone(client: InboxClient, cache: Cache, options: ReportOptions, **more: Any) -> WallApp:
    """The wall as a program of its own."""
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    clock = Clock(NOW.tzinfo, lambda: NOW)
    return WallApp(mailbox, options, title="sample", glyphs=BLOCKS, clock=clock, **more)


async def test_alone_it_shows_what_is_asked_for_and_remembers_nothing(
    client: InboxClient, cache: Cache
) -> None:
    before = ReportOptions("30 days").to_store()
    cache.set_setting(REMEMBERED, before)
    app = alone(client, cache, ReportOptions("today", subject="user:1"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        who = (await client.report(ReportQuery(user="1"))).user
        assert who is not None
        assert f"sample · {who.name}" in lines(app)[0]
        assert "PER HOUR" in shown(app)
    assert cache.get_setting(REMEMBERED) == before


async def test_alone_it_shows_people_where_they_are_asked_for(
    client: InboxClient, cache: Cache
) -> None:
    app = alone(client, cache, ReportOptions(breakdown="users"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert " PERSON " in shown(app)
        assert " CHANNEL " not in shown(app)


async def test_yesterday_is_that_of_the_accounts_zone(client: InboxClient, cache: Cache) -> None:
    days: list[str | None] = []

    async def far_east(query: ReportQuery) -> Report:
        if not query.include or "waits" not in query.include:
            days.append(query.from_)
        return await client.report(query.model_copy(update={"timezone": "Pacific/Kiritimati"}))

    source: Any = Answering(client, far_east)  # type: ignore[arg-type]
    source.report = far_east
    app = alone(source, cache, ReportOptions("yesterday"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert days == ["2026-03-13", "2026-03-14"]
        assert "14 Mar" in lines(app)[0]


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
        assert "until 10:00" in lines(app)[0]
        assert "esc quit" in lines(app)[-1]
        await pilot.press(key)
        await pilot.pause()
        assert app.return_code == 0


@pytest.mark.parametrize("place", ["feed", "next_changes"])
async def test_a_mistake_in_what_waits_for_changes_ends_the_program(
    client: InboxClient, cache: Cache, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def mistaken(_: object) -> None:
        raise ZeroDivisionError

    app = alone(client, cache, ReportOptions("today"))
    monkeypatch.setattr(FollowedLists if place == "feed" else Mailbox, place, mistaken)
    monkeypatch.setattr(WallScreen, "NEWS_SECONDS", 0.0)

    async def until_it_ends() -> None:
        async with app.run_test(size=(120, 40)):
            while app.crash is None:  # noqa: ASYNC110
                await asyncio.sleep(0)

    with pytest.raises(ZeroDivisionError):
        await until_it_ends()
    assert app.crash is not None
    assert isinstance(app.crash.__cause__, ZeroDivisionError)
