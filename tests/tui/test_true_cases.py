"""Cases of triage in which every frame is checked: unread, longest waiting, one customer."""

import asyncio
import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, ClassVar

import pytest

from frontdesk.errors import ME_UNAVAILABLE, Refused, Unreachable
from frontdesk.tui.preferences import Preferences
from frontdesk.wire import Contact, Conversation, ConversationFilter, Page
from tests.soak.stage import send
from tests.soak.virtual import VirtualLoop
from tests.tui.small_desk import (
    Desk,
    DeskApp,
    OtherDesk,
    Shown,
    desk_loop,
    desk_viewer,
    name,
    resize,
)
from tests.tui.true_screen import TrueScreen

Told = Callable[[DeskApp], Coroutine[Any, Any, None]]


def play(
    desk: Desk,
    directory: Path,
    tell: Told,
    *,
    size: tuple[int, int] = (120, 40),
    preferences: Preferences | None = None,
) -> None:
    """Run a story on a viewer whose every frame is checked."""

    async def live() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        opened = desk_viewer(desk, directory / "cache.db", size, preferences or Preferences())
        async with opened as app:
            true = TrueScreen(app, app.mailbox, "1", loop.time)
            wrong: list[str] = []

            def after_frame() -> None:
                try:
                    true.check()
                except AssertionError as error:
                    wrong.append("\n".join([str(error), *Shown(app).lines]))

            app.after_frame = after_frame  # type: ignore[method-assign]
            app.after_refresh = true.refreshed  # type: ignore[method-assign]
            await tell(app)
            assert not wrong, wrong[0]

    with desk_loop(0) as runner:
        runner.run(live())


async def press(app: DeskApp, *keys: str, seconds: float = 0.5) -> None:
    for key in keys:
        send(app, key)
    await asyncio.sleep(seconds)


def status(app: DeskApp) -> str:
    return Shown(app).lines[-1]


def names(app: DeskApp) -> list[str]:
    return Shown(app).names("ConversationList")


def unread(app: DeskApp) -> set[str]:
    """The customers in the list that are unread."""
    rows = app.inbox.queue.list.rows
    assert rows is not None
    every = [rows[at] for at in range(len(rows))]
    return {row.contact.name or "" for row in every if app.inbox.queue.is_unread(row)}


# Read and unread


def test_a_conversation_is_read_after_three_seconds_and_not_in_passing(tmp_path: Path) -> None:
    async def tell(app: DeskApp) -> None:
        await press(app, "g", seconds=5.0)
        before = unread(app)
        await press(app, "j", seconds=2.5)
        await press(app, "j", seconds=2.5)
        assert unread(app) == before
        await asyncio.sleep(1.0)
        assert unread(app) == before - {Shown(app).selected}

    play(Desk(30), tmp_path, tell)


def test_enter_reads_at_once(tmp_path: Path) -> None:
    async def tell(app: DeskApp) -> None:
        await press(app, "u", seconds=0.3)
        here = Shown(app).selected
        assert here in unread(app)
        await press(app, "enter", seconds=0.3)
        assert here not in unread(app)

    play(Desk(30), tmp_path, tell)


def test_m_makes_unread_until_the_conversation_is_read_again(tmp_path: Path) -> None:
    async def tell(app: DeskApp) -> None:
        await press(app, "g", "j", seconds=5.0)
        here = Shown(app).selected or ""
        assert here not in unread(app)
        await press(app, "m", seconds=30.0)
        assert here in unread(app)
        await press(app, "j", "k", seconds=4.0)
        assert here not in unread(app)

    play(Desk(30), tmp_path, tell)


@pytest.mark.parametrize("kind", [Desk, OtherDesk])
def test_what_was_marked_unread_here_is_in_the_view_of_unread_ones_and_in_its_count(
    tmp_path: Path, kind: type[Desk]
) -> None:
    async def tell(app: DeskApp) -> None:
        await press(app, "F", *" unread", "enter", seconds=2.0)
        await press(app, "f", "k", *"New ones", "enter", seconds=1.0)
        await press(app, "5", seconds=2.0)
        await press(app, "9", "g", seconds=2.0)
        read = [one for one in names(app) if one not in unread(app)]
        here = read[len(read) // 2]
        while Shown(app).selected != here:
            await press(app, "j", seconds=0.2)
        before = names(app)
        await press(app, "m", "5", seconds=5.0)
        assert here in names(app)
        shown = len(app.inbox.queue.list.rows or ())
        assert f"5 New ones {shown} " in Shown(app).lines[1]
        await press(app, "9", seconds=5.0)
        assert names(app) == before
        assert re.search(rf"5 New ones {shown} |5 New ones   ", Shown(app).lines[1])
        await press(app, "5", seconds=1.0)
        while Shown(app).selected != here:
            await press(app, "j", seconds=0.2)
        await press(app, "enter", seconds=0.5)
        await press(app, "escape", "ctrl+r", seconds=2.0)
        assert here not in names(app)

    play(kind(30), tmp_path, tell)


@pytest.mark.parametrize(("after", "rested", "opened"), [("open", 0, 1), ("never", 0, 0)])
def test_what_reads_can_be_configured(tmp_path: Path, after: Any, rested: int, opened: int) -> None:
    async def tell(app: DeskApp) -> None:
        await press(app, "u", seconds=0.3)
        before = unread(app)
        await asyncio.sleep(60.0)
        assert len(before - unread(app)) == rested
        await press(app, "enter", seconds=10.0)
        assert len(before - unread(app)) == opened

    play(Desk(30), tmp_path, tell, preferences=Preferences(mark_read_after=after))


def test_unread_stays_dimmed_where_it_was_read(tmp_path: Path) -> None:
    async def tell(app: DeskApp) -> None:
        await press(app, "f", "u", seconds=2.0)
        rows = names(app)
        await press(app, "g", seconds=4.0)
        await press(app, *"jjj", seconds=20.0)
        assert names(app) == rows
        assert len(app.inbox.queue.list.dimmed) == 2
        await press(app, "ctrl+r", seconds=2.0)
        assert names(app) == [one for one in rows if one in unread(app)]

    play(Desk(30), tmp_path, tell)


# Orders and filters over loaded rows


class Slow(Desk):
    """Each answer takes a second."""

    async def _answer(self) -> None:
        await asyncio.sleep(1.0)


class SlowOther(OtherDesk):
    """Each answer takes a second, on a server without orders."""

    _answer = Slow._answer


def test_longest_waiting_first_says_how_far_it_is_until_it_is_complete(tmp_path: Path) -> None:
    desk = SlowOther(200)
    waiting = [
        row for row in desk.rows.values() if row["status"] == "open" and row["waiting_since"]
    ]
    longest = min(waiting, key=lambda row: row["waiting_since"])["contact"]["name"]

    async def tell(app: DeskApp) -> None:
        await asyncio.sleep(5.0)
        await press(app, "S", "w", seconds=2.0)
        assert re.search(r"sorting \d+", status(app))
        assert "~sort:waiting" in Shown(app).lines[0]
        await asyncio.sleep(60.0)
        assert "sorting" not in status(app)
        assert "~" not in Shown(app).lines[0]
        assert Shown(app).selected == longest
        assert names(app)[0] == longest

    play(desk, tmp_path, tell)


class RateLimited(Desk):
    """Refuses every third request with a pause of ten seconds."""

    requests = 0

    async def _answer(self) -> None:
        self.requests += 1
        if self.requests % 3 == 0:
            raise Unreachable("Too many requests", retry_after=10.0)


def test_a_scan_goes_on_where_a_rate_limit_stopped_it(tmp_path: Path) -> None:
    desk = RateLimited(300)
    matching = sum(
        not row["awaiting_human"] and row["status"] == "open" for row in desk.rows.values()
    )

    async def tell(app: DeskApp) -> None:
        await press(app, "F", *"-needs:human", "enter", seconds=0.0)
        found: list[int] = []
        for _ in range(600):
            await asyncio.sleep(1.0)
            told = re.search(r"(\d+) of (\d+) searched", status(app))
            if told:
                found.append(int(told[2]))
            if app.inbox.queue.listing.complete:
                break
        assert found == sorted(found)
        assert app.inbox.queue.listing.complete
        rows = app.inbox.queue.list.rows
        assert len(rows or ()) == matching

    play(desk, tmp_path, tell)


def test_a_customer_with_further_filters_shows_what_the_header_says(tmp_path: Path) -> None:
    async def tell(app: DeskApp) -> None:
        await press(app, "ctrl+k", *"customer 014", seconds=2.0)
        await press(app, "enter", seconds=3.0)
        assert names(app) == [name(14)]
        assert name(14) in Shown(app).lines[0]
        assert name(14) in Shown(app).part("#list-title")[0]
        await press(app, "f", "r", seconds=3.0)
        await press(app, "f", "c", *"madrid", "enter", seconds=3.0)
        assert f'is:resolved   in:Madrid   from:"{name(14)}"' in Shown(app).lines[0]
        assert not app.inbox.queue.list.rows

    play(Desk(60), tmp_path, tell)


def test_counts_stand_on_a_tab_only_where_they_count_its_rows(tmp_path: Path) -> None:
    async def tell(app: DeskApp) -> None:
        await asyncio.sleep(3.0)
        assert "9 All open 20 " in Shown(app).part("#views")[0]
        assert "All open 20" in Shown(app).part("#list-title")[0]
        await press(app, "f", "w", seconds=3.0)
        assert not re.search(r"Filtered \d", Shown(app).part("#list-title")[0])

    play(Desk(30), tmp_path, tell)


# Orders of the server


def waiting_on(desk: Desk) -> list[str]:
    """The open customers who wait, the longest wait first."""
    rows = [row for row in desk.rows.values() if row["status"] == "open" and row["waiting_since"]]
    rows.sort(key=lambda row: (row["waiting_since"], int(row["id"])))
    return [row["contact"]["name"] for row in rows]


class Counting(Desk):
    """Counts the pages of conversations that were asked for."""

    pages = 0

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        self.pages += 1
        return await super().conversation_page(filter, limit=limit, cursor=cursor)


def test_the_server_s_order_is_right_with_the_first_page(tmp_path: Path) -> None:
    desk = Counting(900)

    async def tell(app: DeskApp) -> None:
        await asyncio.sleep(3.0)
        desk.pages = 0
        await press(app, "j", "j", "S", "w", seconds=2.0)
        assert desk.pages <= 4
        assert names(app)[:15] == waiting_on(desk)[:15]
        assert Shown(app).selected == waiting_on(desk)[0]
        assert "~" not in Shown(app).lines[0] + status(app)
        await press(app, "G", seconds=30.0)
        every = app.inbox.queue.list.rows
        assert every is not None
        waiting = [row.contact.name for row in every if row.waiting_since]
        assert waiting == waiting_on(desk)
        assert status(app).rstrip().endswith(" 600 loaded")

    play(desk, tmp_path, tell)


def test_who_is_answered_goes_down_and_who_begins_to_wait_comes_in_order(tmp_path: Path) -> None:
    desk = Desk(60)

    async def tell(app: DeskApp) -> None:
        await press(app, "S", "w", seconds=2.0)
        _, second, third = waiting_on(desk)[:3]
        desk.change(str(int(second.split()[1])), waiting_since=None)
        since = desk.rows[str(int(third.split()[1]))]["waiting_since"]
        desk.change("3", waiting_since=since)
        await asyncio.sleep(60.0)
        every = app.inbox.queue.list.rows
        assert every is not None
        assert [row.contact.name for row in every if row.waiting_since] == waiting_on(desk)
        assert name(3) in names(app)[:3]
        assert second not in names(app)[:3]

    play(desk, tmp_path, tell)


@pytest.mark.parametrize("keys", [("8",), ("9", "f", "w")])
def test_who_waits_over_an_hour_is_complete_at_once(tmp_path: Path, keys: tuple[str, ...]) -> None:
    desk = Counting(100)
    for number in range(100, 3_000):
        desk.rows[str(number)] = {**desk.rows["3"], "id": str(number)}

    async def tell(app: DeskApp) -> None:
        desk.pages = 0
        await press(app, *keys, seconds=3.0)
        assert desk.pages <= 5
        waiting = [one for one in waiting_on(desk) if int(one.split()[1]) > 59]
        assert set(names(app)[:15]) <= set(waiting)
        assert f" {len(waiting)} loaded" in status(app)
        assert "~" not in Shown(app).lines[0]
        assert f"8 Waiting >1h {len(waiting)} " in Shown(app).lines[1]

    play(desk, tmp_path, tell)


def test_the_longest_wait_of_twenty_thousand_is_found_at_once_on_a_cold_cache(
    tmp_path: Path,
) -> None:
    desk = Counting(20_000)

    async def tell(app: DeskApp) -> None:
        waiting = waiting_on(desk)
        desk.pages = 0
        await press(app, "W", seconds=2.0)
        assert Shown(app).selected == waiting[0]
        assert desk.pages <= 3
        for longest in waiting[1:4]:
            await press(app, "W", seconds=0.5)
            assert Shown(app).selected == longest

    play(desk, tmp_path, tell)


def test_a_server_that_refuses_orders_is_asked_for_one_once(tmp_path: Path) -> None:
    class Other(OtherDesk):
        """Notes the orders that it is asked for."""

        asked: ClassVar[list[str]] = []

        async def conversation_page(
            self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
        ) -> Page[Conversation]:
            self.asked += [filter.sort] if filter.sort else []
            return await super().conversation_page(filter, limit=limit, cursor=cursor)

    desk = Other(120)

    async def tell(app: DeskApp) -> None:
        for keys in ("S w", "9", "8", "S c", "W"):
            await press(app, *keys.split(), seconds=20.0)
        await press(app, "9", "S", "w", seconds=20.0)
        assert names(app)[:15] == waiting_on(desk)[:15]
        assert desk.asked == ["waiting"]

    play(desk, tmp_path, tell)


# A cold cache of many conversations


@pytest.mark.parametrize("keys", ["G", "W", "f u", "S w", "j j j j G k W"])
def test_row_thread_and_contact_agree_on_a_cold_cache(tmp_path: Path, keys: str) -> None:
    async def tell(app: DeskApp) -> None:
        for key in keys.split():
            await press(app, key, seconds=0.2)
        for _ in range(20):
            await asyncio.sleep(0.5)

    play(Slow(20_000), tmp_path, tell)


def test_a_cached_thread_is_there_with_the_first_key(tmp_path: Path) -> None:
    async def tell(app: DeskApp) -> None:
        await press(app, "j", seconds=5.0)
        await press(app, "k", seconds=5.0)
        await press(app, "j", seconds=0.05)
        assert any("from Customer" in line for line in Shown(app).part("Thread"))
        await press(app, "j", seconds=0.05)
        assert "Loading…" in "".join(Shown(app).part("Thread"))

    play(Desk(30), tmp_path, tell)


# The connection


class Failing(Desk):
    """Does not answer while `down`; counts the requests for conversations."""

    down = False
    asked = 0

    async def _answer(self) -> None:
        if self.down:
            raise Unreachable("The server does not answer")

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        self.asked += 1
        return await super().conversation_page(filter, limit=limit, cursor=cursor)

    async def counts(self, filter: ConversationFilter | None = None) -> Any:
        self.asked += 1
        return await super().counts(filter)


def seconds_left(app: DeskApp) -> int:
    found = re.search(r"retrying in (\d+) s", status(app))
    assert found, status(app)
    return int(found[1])


def test_refresh_asks_at_once_and_never_makes_the_wait_longer(tmp_path: Path) -> None:
    desk = Failing(30)

    async def tell(app: DeskApp) -> None:
        desk.down = True
        await asyncio.sleep(40.0)
        left = seconds_left(app)
        for _ in range(6):
            asked = desk.asked
            await press(app, "ctrl+r", seconds=0.5)
            assert desk.asked > asked
            assert seconds_left(app) <= left
            left = seconds_left(app)
        desk.down = False
        await press(app, "ctrl+r", seconds=0.5)
        assert "live" in status(app)

    play(desk, tmp_path, tell)


def test_live_is_said_after_the_first_answer_only(tmp_path: Path) -> None:
    async def tell(app: DeskApp) -> None:
        await asyncio.sleep(10.0)
        assert "live" in status(app)
        await press(app, "9", seconds=0.5)
        assert "live" not in status(app)
        assert "loading…" in status(app)
        await asyncio.sleep(5.0)
        assert "live" in status(app)

    play(Slow(30), tmp_path, tell)


class Nobody(Failing):
    """The key belongs to no user."""

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        page = await super().conversation_page(filter, limit=limit, cursor=cursor)
        if filter.assignee == "me":
            raise Refused("assignee: this key belongs to no user", code=ME_UNAVAILABLE)
        return page


def test_mine_without_a_user_says_what_to_do_and_is_not_asked_for_again(tmp_path: Path) -> None:
    desk = Nobody(30)

    async def tell(app: DeskApp) -> None:
        await press(app, "5", seconds=2.0)
        assert "Nobody is “me” here" in "\n".join(Shown(app).part("ConversationList"))
        asked = desk.asked
        await asyncio.sleep(600.0)
        assert desk.asked == asked
        await press(app, "6", seconds=2.0)
        assert "live" in status(app)

    play(desk, tmp_path, tell)


# Keys and focus


@pytest.mark.parametrize("pane", ["2", "3", "4", "1"])
def test_a_key_works_after_the_terminal_was_too_small(tmp_path: Path, pane: str) -> None:
    async def tell(app: DeskApp) -> None:
        await press(app, pane, seconds=1.0)
        if len(app.screen_stack) > 1:
            await press(app, "escape")
        resize(app, (20, 5))
        await asyncio.sleep(1.0)
        resize(app, (120, 40))
        await asyncio.sleep(0.0)
        await press(app, "2", seconds=0.5)
        before = Shown(app).selected
        await press(app, "j", seconds=0.5)
        assert Shown(app).selected != before
        assert app.focused is not None

    play(Desk(30), tmp_path, tell)


def test_the_tabs_have_the_room_of_the_pane_after_a_zoom(tmp_path: Path) -> None:
    async def tell(app: DeskApp) -> None:
        before = Shown(app).lines
        await press(app, "plus", seconds=1.0)
        await press(app, "plus", seconds=1.0)
        assert Shown(app).lines[:3] == before[:3]

    play(Desk(30), tmp_path, tell)


class SlowContacts(Desk):
    """Contacts take two seconds."""

    async def contact_page(
        self, q: str | None = None, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Contact]:
        await asyncio.sleep(2.0)
        return await super().contact_page(q, limit=limit, cursor=cursor)


def test_enter_before_the_customers_are_found_goes_to_the_first(tmp_path: Path) -> None:
    async def tell(app: DeskApp) -> None:
        await press(app, "ctrl+k", *"customer 021", "enter", seconds=6.0)
        assert names(app) == [name(21)]

    play(SlowContacts(60), tmp_path, tell)


# Channels and owners


@pytest.mark.parametrize("size", [(60, 24), (80, 24), (99, 40), (120, 24), (120, 40), (200, 60)])
def test_1_opens_the_channels_at_every_width_and_enter_shows_those_of_one(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def tell(app: DeskApp) -> None:
        await press(app, "1", seconds=0.5)
        channels = "\n".join(Shown(app).part("ChannelList"))
        assert "London" in channels
        assert "Madrid" in channels
        await press(app, "l", "h", "j", "enter", seconds=1.0)
        assert "in:London" in Shown(app).lines[0]
        assert names(app)
        assert app.focused is app.inbox.queue.list

    play(Desk(30), tmp_path, tell, size=size)


def test_my_own_conversations_say_you(tmp_path: Path) -> None:
    desk = Desk(30)
    for id in ("3", "9", "15"):
        desk.change(id, assignee={"id": "2", "name": "Ana Souza"})

    async def tell(app: DeskApp) -> None:
        await press(app, "5", seconds=2.0)
        await press(app, "9", "g", seconds=2.0)
        rows = "\n".join(Shown(app).part("ConversationList"))
        assert " you " in rows
        assert " Ana " in rows
        assert "Grace" not in rows
        owners = set()
        for _ in range(6):
            await press(app, "j", seconds=0.3)
            owners.add(Shown(app).part("#thread-title")[0].rstrip(" ─").split(" ")[-1])
        assert owners == {"you", "Souza", "unassigned"}

    play(desk, tmp_path, tell)
