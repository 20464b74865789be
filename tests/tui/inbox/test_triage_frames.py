"""Triage with every frame checked: unread, longest waiting, one customer."""

import asyncio
import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from textual import events

from frontdesk.errors import ME_UNAVAILABLE, BadResponse, NotFound, Refused, Unreachable
from frontdesk.inbox.sentences import MARKED_UNREAD, NO_UNREAD_ABOVE, NOT_KNOWN
from frontdesk.query import parse
from frontdesk.tui import sentences
from frontdesk.tui.preferences import Preferences
from frontdesk.wire import (
    Contact,
    Conversation,
    ConversationFilter,
    Message,
    Page,
    PartialPage,
    timestamp,
)
from tests.soak.sandbox import send
from tests.soak.virtual_loop import START, VirtualLoop
from tests.tui.frame_invariants import TrueScreen
from tests.tui.memory_inbox import (
    BasicMemoryInbox,
    MemoryInbox,
    MemoryInboxApp,
    Shown,
    memory_inbox_viewer,
    name,
    virtual_time,
)
from tests.tui.textual_private import resize

Story = Callable[[MemoryInboxApp], Coroutine[Any, Any, None]]


def play(
    source: MemoryInbox,
    directory: Path,
    story: Story,
    *,
    size: tuple[int, int] = (120, 40),
    preferences: Preferences | None = None,
) -> None:
    """Run a scenario on a viewer whose every frame is checked."""

    async def live() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        opened = memory_inbox_viewer(
            source, directory / "cache.db", size, preferences or Preferences()
        )
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
            await story(app)
            assert not wrong, wrong[0]

    with virtual_time(0) as runner:
        runner.run(live())


async def press(app: MemoryInboxApp, *keys: str, seconds: float = 0.5) -> None:
    for key in keys:
        send(app, key)
    await asyncio.sleep(seconds)


def status(app: MemoryInboxApp) -> str:
    return Shown(app).lines[-1]


def names(app: MemoryInboxApp) -> list[str]:
    return Shown(app).names("ConversationList")


def unread(app: MemoryInboxApp) -> set[str]:
    """The customers in the list that are unread."""
    rows = app.inbox.queue.list.rows
    every = [rows[at] for at in range(len(rows))]
    return {row.contact.name or "" for row in every if app.inbox.inbox.planning.is_unread(row)}


# Read and unread


@pytest.mark.parametrize(("size", "zoom"), [((60, 20), []), ((120, 40), ["plus"])])
def test_a_conversation_is_not_read_while_only_the_list_is_displayed(
    tmp_path: Path, size: tuple[int, int], zoom: list[str]
) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, *zoom, seconds=1.0)
        before = unread(app)
        await press(app, "u", seconds=10.0)
        await press(app, "u", seconds=10.0)
        assert unread(app) == before
        opened = Shown(app).selected
        await press(app, "enter", seconds=1.0)
        assert unread(app) == before - {opened} != before

    play(MemoryInbox(15), tmp_path, story, size=size)


def test_a_message_stays_until_the_next_key_or_view(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "m", seconds=1.0)
        assert MARKED_UNREAD in status(app)
        await press(app, "j", seconds=0.3)
        assert MARKED_UNREAD not in status(app)
        for _ in range(3):
            # What is said again stays.
            await press(app, "g", "U", seconds=1.0)
            assert NO_UNREAD_ABOVE in status(app)
        await press(app, "y")
        assert "Copied: +447700900000" in status(app)
        await press(app, "S", "o")
        assert "Copied" not in status(app)

    play(MemoryInbox(15), tmp_path, story)


def test_what_was_looked_for_is_said_to_be_found_or_not(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "slash", *name(7), "enter", seconds=1.0)
        assert Shown(app).selected == name(7)
        assert f"Found “{name(7)}”: n next match, N previous" in status(app)
        await press(app, "slash", "ctrl+u", *"nobody at all", "enter", seconds=1.0)
        assert "No match for “nobody at all”" in status(app)
        # A day without messages, before and after all others.
        await press(app, "t", *"2019-01-01", "enter", seconds=2.0)
        assert "the next are of " in status(app)
        await press(app, "t", *"2099-01-01", "enter", seconds=2.0)
        assert "No messages on or after 2099-01-01" in status(app)
        await press(app, "F", "ctrl+u", *'is:open "nobody says this"', "enter", seconds=2.0)
        assert Shown(app).selected is None
        await press(app, "Y", seconds=0.5)
        assert sentences.NOTHING_TO_COPY in status(app)

    play(MemoryInbox(15), tmp_path, story)


def test_another_key_withdraws_the_first_q(tmp_path: Path) -> None:
    words = sentences.PRESS_AGAIN_TO_QUIT.format(key="q")

    async def story(app: MemoryInboxApp) -> None:
        for other in ("escape", "j", "m"):
            await press(app, "q", seconds=0.2)
            assert words in status(app)
            await press(app, other, seconds=0.2)
            assert words not in status(app)
        await press(app, "q", seconds=0.2)
        assert words in status(app)
        assert app.is_running

    play(MemoryInbox(12), tmp_path, story)


def test_the_wheel_reads_nothing(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "G", "3", seconds=5.0)
        before, here = unread(app), Shown(app).selected
        await turn_wheel(app)
        assert Shown(app).selected in before - {here}
        await asyncio.sleep(60.0)
        assert unread(app) == before
        await click_on_selected(app)
        await asyncio.sleep(5.0)
        assert unread(app) == before - {Shown(app).selected}

    play(MemoryInbox(90), tmp_path, story)


async def turn_wheel(app: MemoryInboxApp) -> None:
    place = Shown(app).place("ConversationList")
    app.post_message(_mouse(events.MouseScrollUp, place.x + 5, place.y + 5))
    await asyncio.sleep(0.5)


async def click_on_selected(app: MemoryInboxApp) -> None:
    shown = Shown(app)
    place, selected = shown.place("ConversationList"), shown.selected or ""
    y = next(y for y, line in enumerate(shown.part("ConversationList")) if selected in line)
    for kind in (events.MouseDown, events.MouseUp):
        app.post_message(_mouse(kind, place.x + 5, place.y + y))
    await asyncio.sleep(0.5)


def _mouse(kind: type[events.MouseEvent], x: int, y: int) -> events.MouseEvent:
    return kind(None, x, y, 0, 0, 1, False, False, False, x, y)


def test_only_what_is_unread_here_has_a_number_or_a_dot(tmp_path: Path) -> None:
    def numbered(app: MemoryInboxApp) -> set[str]:
        rows = "\n".join(Shown(app).part("ConversationList"))
        return set(re.findall(r"^ *[\d•]+ +(Customer \d+)", rows, re.MULTILINE))

    async def story(app: MemoryInboxApp) -> None:
        for key in ("g", "u", "enter", "escape", "u", "m", "j", "m", "j", "m"):
            await press(app, key, seconds=4.0)
            assert numbered(app) == unread(app) & set(names(app))
        assert "•" in "".join(Shown(app).part("ConversationList"))

    play(MemoryInbox(15), tmp_path, story)


def test_nothing_is_read_behind_a_dialog(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "g", "u", seconds=0.5)
        here = Shown(app).selected
        assert here in unread(app)
        await press(app, "f", seconds=30.0)
        assert here in unread(app)
        await press(app, "escape", seconds=1.0)
        assert here in unread(app)
        await asyncio.sleep(3.0)
        assert here not in unread(app)

    play(MemoryInbox(15), tmp_path, story)


def test_new_messages_in_a_thread_are_marked_until_they_are_read(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "g", "u", seconds=1.0)
        here = Shown(app).selected
        assert " new ━" in "\n".join(Shown(app).part("Thread"))
        await press(app, "enter", seconds=5.0)
        assert here not in unread(app)
        assert " new ━" in "\n".join(Shown(app).part("Thread"))
        await press(app, "escape", "j", "k", seconds=1.0)
        assert Shown(app).selected == here
        assert " new ━" not in "\n".join(Shown(app).part("Thread"))
        # Also where enter comes before the thread.
        await press(app, "u", "enter", seconds=5.0)
        assert Shown(app).selected not in (here, *unread(app))
        assert " new ━" in "\n".join(Shown(app).part("Thread"))

    play(MemoryInbox(15), tmp_path, story)


def test_escape_leaves_the_conversations_of_a_customer(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "9", "g", "j", "j", seconds=1.0)
        before, here = names(app), Shown(app).selected
        await press(app, "escape", seconds=0.5)
        assert names(app) == before
        await press(app, "ctrl+k", *"Customer 007", seconds=2.0)
        await press(app, "enter", seconds=2.0)
        assert "from:" in Shown(app).lines[0]
        await press(app, "escape", seconds=1.0)
        assert (names(app), Shown(app).selected) == (before, here)

    play(MemoryInbox(15), tmp_path, story)


def test_resting_reads_only_where_the_newest_message_is_displayed(tmp_path: Path) -> None:
    source = MemoryInbox(15)
    for id in source.rows:
        source.change(id, unread_count=4)

    async def story(app: MemoryInboxApp) -> None:
        before = unread(app)
        await press(app, "j", seconds=60.0)
        assert "more below" in "\n".join(Shown(app).lines)
        assert unread(app) == before
        await press(app, "enter", seconds=1.0)
        assert len(before - unread(app)) == 1

    play(source, tmp_path, story, size=(110, 11))


def test_each_thread_that_is_passed_by_counts_its_own_seconds(tmp_path: Path) -> None:
    source = MemoryInbox(15)

    async def message_page(*arguments: Any, **options: Any) -> Page[Message]:
        await asyncio.sleep(60.0)
        return Page(data=())

    source.message_page = message_page  # type: ignore[method-assign]

    async def story(app: MemoryInboxApp) -> None:
        await asyncio.sleep(5.0)
        for _ in range(10):
            await press(app, "j", seconds=0.4)
            assert "Loading…  " in "\n".join(Shown(app).part("Thread"))
        await asyncio.sleep(7.0)
        assert "Loading… 7 s " in "\n".join(Shown(app).part("Thread"))

    play(source, tmp_path, story)


def test_row_and_contact_say_the_same_wait_and_no_wait_becomes_shorter(tmp_path: Path) -> None:
    waits: dict[str, int] = {}

    async def story(app: MemoryInboxApp) -> None:
        await press(app, "g", seconds=2.0)
        for key in "jjjkjjkkjjjjkkkkkkujjkgj":
            await press(app, key, seconds=3.7)
            rows = "\n".join(Shown(app).part("ConversationList"))
            shown = re.findall(r"(Customer \d+) .*[◔◑◕●] +(\d+)m", rows)
            for customer, minutes in shown:
                assert int(minutes) >= waits.get(customer, 0)
                waits[customer] = int(minutes)
            contact = re.search(r"waiting +(\d+)m", "\n".join(Shown(app).part("ContactPanel")))
            if contact:
                assert int(contact[1]) == waits[Shown(app).selected or ""]
        assert len(waits) >= 10

    play(MemoryInbox(30), tmp_path, story, size=(200, 50))


# A request that is not answered


def test_the_key_that_skips_a_wait_gives_way_to_what_is_loaded(tmp_path: Path) -> None:
    class Unreadable(MemoryInbox):
        """Sends what is not an answer while `down`."""

        down = False

        async def _answer(self) -> None:
            if self.down:
                raise BadResponse("The server sent a web page")

    source = Unreadable(30)

    async def story(app: MemoryInboxApp) -> None:
        source.down = True
        # The message of the failure is gone after a while.
        await press(app, "ctrl+r", seconds=22.0)
        age = r"unreadable answer · as of [\d:]+ · retrying in \d+ s"
        assert re.search(rf"{age} · \^r now · 20 loaded $", status(app))
        await press(app, "space", seconds=0.5)
        assert re.search(rf"{age} · 1 selected · 20 loaded $", status(app))

    play(source, tmp_path, story, size=(80, 24))


# Orders and filters over loaded rows


class Slow(MemoryInbox):
    """Each answer takes a second."""

    async def _answer(self) -> None:
        await asyncio.sleep(1.0)


class SlowOther(BasicMemoryInbox):
    """Each answer takes a second, on a server without orders."""

    _answer = Slow._answer


def test_longest_waiting_first_says_how_far_it_is_until_it_is_complete(tmp_path: Path) -> None:
    source = SlowOther(200)
    waiting = [
        row for row in source.rows.values() if row["status"] == "open" and row["waiting_since"]
    ]
    longest = min(waiting, key=lambda row: row["waiting_since"])["contact"]["name"]

    async def story(app: MemoryInboxApp) -> None:
        await press(app, "f", "u", seconds=0.2)
        assert "nothing loaded" in status(app)
        await press(app, "f", "u", seconds=5.0)
        await press(app, "S", "w", seconds=2.0)
        assert re.search(r"sorting \d+", status(app))
        assert "~sort:waiting" in Shown(app).lines[0]
        await asyncio.sleep(60.0)
        assert "sorting" not in status(app)
        assert "~" not in Shown(app).lines[0]
        assert Shown(app).selected == longest
        assert names(app)[0] == longest

    play(source, tmp_path, story)


def test_the_number_in_a_row_is_that_of_messages_that_were_not_read_here(tmp_path: Path) -> None:
    source = MemoryInbox(15)

    def number(app: MemoryInboxApp, customer: str) -> str:
        (line,) = (line for line in Shown(app).part("ConversationList") if customer in line)
        return line.partition(customer)[0].strip()

    async def story(app: MemoryInboxApp) -> None:
        await asyncio.sleep(3.0)
        assert source.rows["5"]["waiting_since"]
        assert number(app, name(5)) == "2"
        app.inbox.inbox.go_to("5")
        await press(app, "enter", seconds=2.0)
        await press(app, "escape", "g", seconds=2.0)
        assert number(app, name(5)) == ""
        source.change("5", unread_count=3)
        await press(app, "ctrl+r", seconds=2.0)
        assert number(app, name(5)) == "1"
        app.inbox.inbox.go_to("5")
        await asyncio.sleep(1.0)
        assert "1 new" in "\n".join(Shown(app).part("Thread"))
        await press(app, "g")
        # After an answer, the server counts from 0 again.
        source.change("5", unread_count=1, waiting_since=timestamp(source.now()))
        await press(app, "ctrl+r", seconds=2.0)
        assert number(app, name(5)) == "1"

    play(source, tmp_path, story)


def test_what_is_new_above_is_said_until_it_is_in_view(tmp_path: Path) -> None:
    source = MemoryInbox(60)

    async def story(app: MemoryInboxApp) -> None:
        await asyncio.sleep(3.0)
        await press(app, "G", seconds=30.0)
        source.change("0")
        await press(app, "ctrl+r", seconds=5.0)
        assert "1 new ▲ g" in status(app)
        await press(app, "g", seconds=0.2)
        assert "new ▲" not in status(app)

    play(source, tmp_path, story)


@pytest.mark.parametrize("keys", ["g", "G", "Gkj"])
def test_no_row_that_comes_or_moves_takes_the_selection(tmp_path: Path, keys: str) -> None:
    source = MemoryInbox(60)

    def number(customer: str) -> str:
        return str(int(customer.removeprefix("Customer ")))

    def first(app: MemoryInboxApp) -> str:
        return app.inbox.queue.list.rows[0].contact.name or ""

    async def story(app: MemoryInboxApp) -> None:
        await press(app, "j", seconds=3.0)
        await press(app, *keys, seconds=30.0)
        here = Shown(app).selected
        other = next(row for row in names(app)[3:] if row != here)
        source.change(number(other))
        await press(app, "ctrl+r", seconds=5.0)
        assert first(app) == other
        assert Shown(app).selected == here
        source.change(number(here))
        await press(app, "ctrl+r", seconds=5.0)
        assert first(app) == here
        assert app.inbox.selected_id == number(here)
        assert here in Shown(app).part("#thread-title")[0]

    play(source, tmp_path, story)


def test_another_order_of_loaded_rows_keeps_its_selection_when_the_server_is_back(
    tmp_path: Path,
) -> None:
    answers = True
    source = MemoryInbox(60, lambda: 0.0 if answers else None)

    async def story(app: MemoryInboxApp) -> None:
        nonlocal answers
        await press(app, "S", "o", "S", "n", seconds=5.0)
        answers = False
        await press(app, "S", "o", seconds=5.0)
        await press(app, "S", "n", seconds=5.0)
        before = Shown(app).selected
        assert names(app)[0] == before
        source.change(str(int(names(app)[3].split()[1])))
        answers = True
        await press(app, "ctrl+r", seconds=60.0)
        assert names(app)[0] != before
        assert Shown(app).selected == before

    play(source, tmp_path, story)


def test_a_customer_with_further_filters_shows_what_the_header_says(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "ctrl+k", *"customer 014", seconds=2.0)
        await press(app, "enter", seconds=3.0)
        assert names(app) == [name(14)]
        assert name(14) in Shown(app).lines[0]
        assert name(14) in Shown(app).part("#list-title")[0]
        await press(app, "f", "r", seconds=3.0)
        await press(app, "f", "c", *"madrid", "enter", seconds=3.0)
        assert f'is:resolved   in:Madrid   from:"{name(14)}"' in Shown(app).lines[0]
        assert not app.inbox.queue.list.rows

    play(MemoryInbox(60), tmp_path, story)


def test_a_row_further_down_that_left_the_view_meanwhile_is_dimmed(tmp_path: Path) -> None:
    source = MemoryInbox(90)

    async def tell(app: MemoryInboxApp) -> None:
        await press(app, "5", seconds=2.0)
        await press(app, "G", seconds=2.0)
        given_away = Shown(app).selected
        assert given_away
        source.change(str(int(given_away.split()[1])), assignee=None)
        await press(app, "9", "ctrl+r", "g", seconds=2.0)
        assert names(app)[0] == given_away
        await press(app, "5", "G", seconds=2.0)
        assert "live" in status(app)
        (row,) = [row for row in app.inbox.queue.list.rows or () if row.contact.name == given_away]
        assert app.inbox.queue.list.is_dimmed(row)

    play(source, tmp_path, tell)


def test_a_row_that_left_meanwhile_is_not_counted_under_an_order_that_is_made_here(
    tmp_path: Path,
) -> None:
    source = MemoryInbox(90)

    async def tell(app: MemoryInboxApp) -> None:
        await press(app, "F", "ctrl+u", *"is:open @me sort:oldest", "enter", seconds=5.0)
        await press(app, "g", "j", seconds=2.0)
        given_away = Shown(app).selected
        assert given_away
        source.change(str(int(given_away.split()[1])), assignee=None)
        await press(app, "9", "ctrl+r", "g", seconds=2.0)
        assert names(app)[0] == given_away
        await press(app, "H", seconds=0.2)
        queue = app.inbox.queue.list
        shown = {row.contact.name for row in queue.rows or () if not queue.is_dimmed(row)}
        mine = [row for row in source.rows.values() if (row["assignee"] or {}).get("id") == "1"]
        assert shown == {row["contact"]["name"] for row in mine if row["status"] == "open"}

    play(source, tmp_path, tell)


def test_counts_stand_on_a_tab_only_where_they_count_its_rows(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await asyncio.sleep(3.0)
        assert "9 All open (20) " in Shown(app).part("#views")[0]
        assert "All open 20" in Shown(app).part("#list-title")[0]

    play(MemoryInbox(30), tmp_path, story)


def test_the_title_of_the_list_counts_as_its_tab_does(tmp_path: Path) -> None:
    async def tell(app: MemoryInboxApp) -> None:
        await press(app, "8", seconds=3.0)
        rows = app.inbox.queue.list.rows
        assert rows
        assert f"8 Waiting >1h ({len(rows)}) " in Shown(app).part("#views")[0]
        assert f" Waiting >1h {len(rows)} " in Shown(app).part("#list-title")[0]
        assert f"{len(rows)} loaded" in status(app)

    play(MemoryInbox(120), tmp_path, tell)


def test_a_tab_does_not_count_rows_that_the_server_has_more_of_by_now(tmp_path: Path) -> None:
    source = BasicMemoryInbox(15)
    long_ago = timestamp(int(START.timestamp() - 2 * 3600) * 1000)
    for id in ("0", "1", "3"):
        source.change(id, waiting_since=long_ago)

    async def tell(app: MemoryInboxApp) -> None:
        await press(app, "9", seconds=3.0)
        assert " 8 Waiting >1h (3) " in Shown(app).part("#views")[0]
        await press(app, "6")
        source.change("2", status="open", waiting_since=long_ago)
        await asyncio.sleep(60.0)
        assert not re.search(r"Waiting >1h \(\d", Shown(app).part("#views")[0])
        await press(app, "9", seconds=3.0)
        assert " 8 Waiting >1h (4) " in Shown(app).part("#views")[0]

    play(source, tmp_path, tell)


def test_counts_of_all_conversations_are_not_taken_for_those_of_a_label(tmp_path: Path) -> None:
    async def tell(app: MemoryInboxApp) -> None:
        await press(app, "F", *"#refund", "enter", seconds=3.0)
        assert len(names(app)) == 5
        assert "Your filter 5 " in Shown(app).part("#list-title")[0]

    # Its counts ignore the filter.
    play(MemoryInbox(30), tmp_path, tell)


# Orders of the server


def waiting_on(source: MemoryInbox) -> list[str]:
    """The open customers who wait, the longest wait first."""
    rows = [row for row in source.rows.values() if row["status"] == "open" and row["waiting_since"]]
    rows.sort(key=lambda row: (row["waiting_since"], int(row["id"])))
    return [row["contact"]["name"] for row in rows]


class Counting(MemoryInbox):
    """Counts the pages of conversations that were asked for."""

    pages = 0

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        self.pages += 1
        return await super().conversation_page(filter, limit=limit, cursor=cursor)


def test_the_server_s_order_is_right_with_the_first_page(tmp_path: Path) -> None:
    source = Counting(300)

    async def story(app: MemoryInboxApp) -> None:
        await asyncio.sleep(3.0)
        source.pages = 0
        await press(app, "j", "j", "S", "w", seconds=2.0)
        assert source.pages <= 4
        assert names(app)[:15] == waiting_on(source)[:15]
        assert Shown(app).selected == waiting_on(source)[0]
        assert "~" not in Shown(app).lines[0] + status(app)
        await press(app, "G", seconds=30.0)
        every = app.inbox.queue.list.rows
        assert every is not None
        waiting = [row.contact.name for row in every if row.waiting_since]
        assert waiting == waiting_on(source)
        assert status(app).rstrip().endswith(" 200 loaded")

    play(source, tmp_path, story)


def test_capital_w_goes_to_the_longest_wait_and_from_there_to_the_next(tmp_path: Path) -> None:
    source = MemoryInbox(12)
    again = "Nobody waits less; this is the longest wait again"

    async def story(app: MemoryInboxApp) -> None:
        waiting = waiting_on(source)
        for longest in waiting:
            await press(app, "W")
            assert Shown(app).selected == longest
            assert again not in status(app)
        await press(app, "W")
        assert Shown(app).selected == waiting[0]
        assert again in status(app)
        # From another row.
        await press(app, "W", "g", "W")
        assert Shown(app).selected == waiting[0]
        # From the one who waits longest, however it was selected.
        await press(app, "k", "j", "W")
        assert Shown(app).selected == waiting[1]

    play(source, tmp_path, story)


@pytest.mark.parametrize("seconds", [0.0, 2.0])
@pytest.mark.parametrize("at_once", [False, True])
def test_each_press_of_capital_w_is_a_step_however_slow_the_server(
    tmp_path: Path, seconds: float, at_once: bool
) -> None:
    source = MemoryInbox(1_200, lambda: seconds)

    async def story(app: MemoryInboxApp) -> None:
        await asyncio.sleep(0.0 if at_once else 30.0)
        await press(app, "W", "W", "W", seconds=30.0)
        assert Shown(app).selected == waiting_on(source)[2]
        await press(app, "W", "W", seconds=30.0)
        assert Shown(app).selected == waiting_on(source)[4]

    play(source, tmp_path, story)


def test_each_press_of_u_is_a_step_however_slow_the_server(tmp_path: Path) -> None:
    source = MemoryInbox(900, lambda: 1.0)
    for id in source.rows:
        source.change(id, unread_count=int(id in ("703", "721", "727")))

    async def story(app: MemoryInboxApp) -> None:
        await asyncio.sleep(30.0)
        await press(app, "u", "u", seconds=60.0)
        assert Shown(app).selected == name(721)

    play(source, tmp_path, story)


@pytest.mark.parametrize("size", [30, 600])
def test_the_walk_of_unread_goes_on_where_it_was_after_steps_to_who_waits(
    tmp_path: Path, size: int
) -> None:
    source = MemoryInbox(size)
    for id in source.rows:
        source.change(id, unread_count=int(int(id) % 5 == 1))

    async def story(app: MemoryInboxApp) -> None:
        await asyncio.sleep(3.0)
        rows = [row for row in reversed(source.rows.values()) if row["status"] == "open"]
        expected = [row["contact"]["name"] for row in rows if row["unread_count"]]
        await press(app, "g")
        before = Shown(app).selected
        met = []
        for key in ("u", "u", "W", "u", "W", "W", "u"):
            await press(app, key, seconds=4.0)
            if key == "u":
                met.append(Shown(app).selected)
        assert met == [row for row in expected if row != before][:4]

    play(source, tmp_path, story)


def test_who_is_answered_goes_down_and_who_begins_to_wait_comes_in_order(tmp_path: Path) -> None:
    source = MemoryInbox(60)

    async def story(app: MemoryInboxApp) -> None:
        await press(app, "S", "w", seconds=2.0)
        _, second, third = waiting_on(source)[:3]
        source.change(str(int(second.split()[1])), waiting_since=None)
        since = source.rows[str(int(third.split()[1]))]["waiting_since"]
        source.change("3", waiting_since=since)
        await asyncio.sleep(60.0)
        every = app.inbox.queue.list.rows
        assert every is not None
        assert [row.contact.name for row in every if row.waiting_since] == waiting_on(source)
        assert name(3) in names(app)[:3]
        assert second not in names(app)[:3]

    play(source, tmp_path, story)


@pytest.mark.parametrize("keys", [("8",), ("9", "f", "w")])
def test_who_waits_over_an_hour_is_complete_at_once(tmp_path: Path, keys: tuple[str, ...]) -> None:
    source = Counting(100)
    for number in range(100, 1_000):
        source.rows[str(number)] = {**source.rows["3"], "id": str(number)}
    # Nobody's wait becomes an hour meanwhile.
    source.rows["59"] = {**source.rows["59"], "waiting_since": None}

    async def story(app: MemoryInboxApp) -> None:
        source.pages = 0
        await press(app, *keys, seconds=3.0)
        assert source.pages <= 5
        an_hour_ago = timestamp(source.now() - 3_600_000)
        rows = {row["contact"]["name"]: row["waiting_since"] for row in source.rows.values()}
        waiting = [one for one in waiting_on(source) if rows[one] < an_hour_ago]
        assert set(names(app)[:15]) <= set(waiting)
        assert f" {len(waiting)} loaded" in status(app)
        assert "~" not in Shown(app).lines[0]
        assert f"8 Waiting >1h ({len(waiting)}) " in Shown(app).lines[1]

    play(source, tmp_path, story)


def test_the_longest_wait_of_many_is_found_at_once_on_a_cold_cache(
    tmp_path: Path,
) -> None:
    source = Counting(2_000)

    async def story(app: MemoryInboxApp) -> None:
        waiting = waiting_on(source)
        source.pages = 0
        await press(app, "W", seconds=2.0)
        assert Shown(app).selected == waiting[0]
        assert source.pages <= 3
        for longest in waiting[1:4]:
            await press(app, "W", seconds=0.5)
            assert Shown(app).selected == longest

    play(source, tmp_path, story)


def test_a_selected_row_beyond_rows_that_are_not_loaded_stays_in_view_as_rows_come(
    tmp_path: Path,
) -> None:
    source = MemoryInbox(1_200)

    async def story(app: MemoryInboxApp) -> None:
        longest = waiting_on(source)[0]
        await press(app, "W", seconds=2.0)
        assert Shown(app).selected == longest
        # Rows that come before it do not make it ask for the next ones, and so on.
        loaded = re.search(r"[0-9,]+ of 800 loaded", status(app))
        assert loaded
        await asyncio.sleep(60.0)
        assert loaded[0] in status(app)
        await press(app, "G", seconds=30.0)
        assert "800 loaded" in status(app)
        assert Shown(app).selected == longest
        assert longest in names(app)
        await press(app, "G", seconds=30.0)
        assert " 800 loaded" in status(app)
        assert Shown(app).selected == longest
        assert longest in names(app)

    play(source, tmp_path, story)


@pytest.mark.parametrize("keys", [(), ("9",)])
@pytest.mark.parametrize("seconds", [0.0, 2.0])
def test_a_selected_row_beyond_rows_that_are_not_loaded_survives_each_refresh(
    tmp_path: Path, keys: tuple[str, ...], seconds: float
) -> None:
    source = MemoryInbox(1_200, lambda: seconds)

    async def story(app: MemoryInboxApp) -> None:
        await press(app, *keys, seconds=30.0)
        longest = waiting_on(source)[0]
        await press(app, "W", seconds=10.0)
        assert Shown(app).selected == longest
        for _ in range(3):
            await press(app, "ctrl+r", seconds=15.0)
            assert Shown(app).selected == longest
            assert longest in names(app)
            assert longest in " ".join(Shown(app).part("#thread-title"))

    play(source, tmp_path, story)


def test_a_page_that_takes_long_is_said_to_be_loading(tmp_path: Path) -> None:
    seconds = 0.0
    source = MemoryInbox(900, lambda: seconds)

    async def story(app: MemoryInboxApp) -> None:
        nonlocal seconds
        await asyncio.sleep(1.0)
        seconds = 5.0
        await press(app, *(["pagedown"] * 4), seconds=0.4)
        assert re.search(r"[0-9]+ of 600 loaded", status(app))
        await asyncio.sleep(0.3)
        assert re.search(r"[0-9]+ of 600, loading…", status(app))
        seconds = 0.0
        await asyncio.sleep(20.0)
        assert "600 loaded" in status(app)

    play(source, tmp_path, story)


class LosesRowsOfOpen(MemoryInbox):
    """Later pages of the open conversations come with rows that cannot be read."""

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        page = await super().conversation_page(filter, limit=limit, cursor=cursor)
        if cursor is None or filter.status != "open":
            return page
        return PartialPage(**{**dict(page), "unreadable": 3})


@pytest.mark.parametrize("switches_back", [False, True])
def test_what_comes_late_for_another_view_is_not_said_of_this_one(
    tmp_path: Path, switches_back: bool
) -> None:
    seconds = 0.0
    source = LosesRowsOfOpen(900, lambda: seconds)

    async def story(app: MemoryInboxApp) -> None:
        nonlocal seconds
        await press(app, "F", "ctrl+u", *"is:resolved", "enter", seconds=3.0)
        await press(app, "F", "ctrl+u", *"is:open", "enter", seconds=3.0)
        seconds = 3.0
        await press(app, "G", seconds=1.0)
        assert "loading…" in status(app)
        await press(app, "F", "ctrl+u", *"is:resolved", "enter", seconds=0.2)
        assert "80 loaded, more below" in status(app)
        await asyncio.sleep(20.0)
        assert "unreadable" not in status(app)
        if switches_back:
            await press(app, "H", "G", seconds=20.0)
            assert " unreadable · " in status(app)

    play(source, tmp_path, story)


@pytest.mark.parametrize("key", ["W", "u"])
def test_a_search_ends_with_the_view_that_it_was_begun_in(tmp_path: Path, key: str) -> None:
    seconds = 0.0
    source = MemoryInbox(900, lambda: seconds)
    for id in source.rows:
        source.change(id, unread_count=int(id in ("601", "604")))

    async def story(app: MemoryInboxApp) -> None:
        nonlocal seconds
        await asyncio.sleep(3.0)
        seconds = 2.0
        await press(app, key, seconds=1.0)
        await press(app, "F", "ctrl+u", *"is:snoozed", "enter", seconds=5.0)
        before = Shown(app).selected
        await asyncio.sleep(30.0)
        assert Shown(app).selected == before
        assert "searching" not in status(app)

    play(source, tmp_path, story)


def test_rows_of_a_slow_server_leave_the_selected_one_in_view(tmp_path: Path) -> None:
    seconds = 0.0
    source = MemoryInbox(300, lambda: seconds)

    async def story(app: MemoryInboxApp) -> None:
        nonlocal seconds
        await asyncio.sleep(1.0)
        seconds = 5.0
        await press(app, "F", "ctrl+u", *"is:open sort:waiting", "enter", seconds=1.0)
        await press(app, "j", "j", "j", seconds=1.0)
        selected = Shown(app).selected
        await asyncio.sleep(20.0)
        assert Shown(app).selected == selected
        assert selected in names(app)

    play(source, tmp_path, story)


@pytest.mark.parametrize("key", ["W", "u"])
def test_a_search_of_a_slow_server_is_shown_after_half_a_second_and_can_be_stopped(
    tmp_path: Path, key: str
) -> None:
    seconds = 0.0
    source = MemoryInbox(900, lambda: seconds)
    for id in source.rows:
        source.change(id, unread_count=1 if id == "100" else 0)

    async def story(app: MemoryInboxApp) -> None:
        nonlocal seconds
        await asyncio.sleep(1.0)
        before, seconds = Shown(app).selected, 0.3
        await press(app, key, seconds=0.4)
        assert "searching" not in status(app)
        await press(app, "g", "j", seconds=2.0)
        before, seconds = Shown(app).selected, 5.0
        await press(app, key, seconds=0.4)
        assert "searching" not in status(app)
        await asyncio.sleep(0.4)
        assert "searching… esc: stop" in status(app)
        await press(app, "escape", seconds=0.1)
        assert "searching" not in status(app)
        await asyncio.sleep(20.0)
        assert Shown(app).selected == before

    play(source, tmp_path, story)


def test_a_search_in_a_view_that_is_not_complete_leaves_it_said_to_be_partial(
    tmp_path: Path,
) -> None:
    seconds = 0.0
    source = MemoryInbox(300, lambda: seconds)

    async def story(app: MemoryInboxApp) -> None:
        nonlocal seconds
        await asyncio.sleep(1.0)
        seconds = 5.0
        await press(app, "F", *" -needs:human", "enter", seconds=0.5)
        await press(app, "W", seconds=1.0)
        assert re.search(r"~[0-9,]+ found · searching… esc: stop", status(app))

    play(source, tmp_path, story)


def test_rows_that_are_not_loaded_between_two_others_are_said_to_be_missing(tmp_path: Path) -> None:
    source = MemoryInbox(200)
    open_ones = [row["contact"]["name"] for row in source.rows.values() if row["status"] == "open"]

    def gaps(app: MemoryInboxApp) -> int:
        return sum("not loaded" in line for line in Shown(app).part("ConversationList"))

    def neighbours(app: MemoryInboxApp) -> bool:
        shown = names(app)
        return "".join(shown) in "".join(open_ones)

    async def story(app: MemoryInboxApp) -> None:
        assert neighbours(app)
        await press(app, "W", seconds=5.0)
        assert Shown(app).selected == waiting_on(source)[0]
        assert gaps(app) == 1
        assert not neighbours(app)
        await press(app, "plus", seconds=1.0)
        assert gaps(app) == 1
        await press(app, "plus", "k", seconds=5.0)
        assert neighbours(app) or gaps(app) == 1
        await press(app, "G", seconds=30.0)
        assert Shown(app).selected == open_ones[-1]
        assert neighbours(app)
        assert gaps(app) == 0

    play(source, tmp_path, story, size=(200, 50))


def first_unread(source: MemoryInbox) -> str:
    rows = source.rows.values()
    return next(row["contact"]["name"] for row in rows if row["unread_count"])


@pytest.mark.parametrize(
    ("keys", "found", "kind"),
    [
        ("W", lambda source: waiting_on(source)[0], Slow),
        ("W", lambda source: waiting_on(source)[0], SlowOther),
        ("u", first_unread, Slow),
        ("u W", lambda source: waiting_on(source)[0], Slow),
        ("W escape", lambda source: name(0), Slow),
        ("W 6", lambda source: name(0), Slow),
        ("6 W H", lambda source: name(0), Slow),
    ],
)
def test_a_key_before_the_first_page_goes_where_it_leads_once_that_is_there(
    tmp_path: Path, keys: str, found: Callable[[MemoryInbox], str], kind: type[MemoryInbox]
) -> None:
    source = kind(20)

    async def story(app: MemoryInboxApp) -> None:
        assert not names(app)
        for key in keys.split():
            await press(app, key, seconds=0.2)
        assert not names(app)
        assert not re.search("No customer|No unread|Not known", status(app))
        await asyncio.sleep(20.0)
        assert Shown(app).selected == found(source)

    play(source, tmp_path, story)


@pytest.mark.parametrize("key", ["W", "u"])
def test_a_view_that_failed_to_load_is_reported_as_not_known(tmp_path: Path, key: str) -> None:
    source = Failing(15)
    source.down = True

    async def story(app: MemoryInboxApp) -> None:
        await press(app, key, seconds=0.2)
        assert NOT_KNOWN in status(app)
        await asyncio.sleep(11.0)
        source.down = False
        await press(app, "ctrl+r", key, seconds=5.0)
        found = waiting_on(source)[0] if key == "W" else first_unread(source)
        assert Shown(app).selected == found

    play(source, tmp_path, story)


@pytest.mark.parametrize("key", ["W", "u", "U"])
def test_a_view_of_an_unknown_label_is_known_to_be_empty(tmp_path: Path, key: str) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await asyncio.sleep(3.0)
        app.inbox.show_query(parse("#nosuch"))
        await asyncio.sleep(4.0)
        await press(app, key)
        assert NOT_KNOWN not in status(app)
        assert not re.search(r"Your filter \d", Shown(app).part("#list-title")[0])

    play(MemoryInbox(15), tmp_path, story)


def test_a_key_that_waits_for_an_answer_ends_with_a_dialog(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "W", "s", seconds=0.2)
        await asyncio.sleep(20.0)
        await press(app, "escape")
        assert Shown(app).selected == name(0)

    play(Slow(20), tmp_path, story)


# A cold cache of many conversations


@pytest.mark.parametrize("keys", ["f u", "S w", "j j j j G k W"])
def test_row_thread_and_contact_agree_on_a_cold_cache(tmp_path: Path, keys: str) -> None:
    async def story(app: MemoryInboxApp) -> None:
        for key in keys.split():
            await press(app, key, seconds=0.2)
        for _ in range(20):
            await asyncio.sleep(0.5)

    play(Slow(1_000), tmp_path, story)


# The connection


class Failing(MemoryInbox):
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


def test_a_thread_whose_request_failed_says_so_when_it_is_selected_again(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "j", "j", seconds=5.0)
        source.down = True
        await press(app, "ctrl+r", seconds=2.0)
        assert "as of" in "\n".join(Shown(app).part("#thread-foot"))
        await press(app, "k", seconds=2.0)
        await press(app, "j", seconds=0.05)
        assert "as of" in "\n".join(Shown(app).part("#thread-foot"))
        source.down = False
        await press(app, "ctrl+r", seconds=2.0)
        assert "as of" not in "\n".join(Shown(app).part("#thread-foot"))

    source = Failing(15)
    play(source, tmp_path, story)


class Nobody(Failing):
    """The key belongs to no user."""

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        page = await super().conversation_page(filter, limit=limit, cursor=cursor)
        if filter.assignee == "me":
            raise Refused("assignee: this key belongs to no user", code=ME_UNAVAILABLE)
        return page


class NothingMine(MemoryInbox):
    """No conversation is assigned to the own user any more, who still has a name in rows."""

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        if filter.assignee == "me":
            return Page(data=())
        return await super().conversation_page(filter, limit=limit, cursor=cursor)


def test_offline_a_number_leads_to_its_customer_without_a_scan(tmp_path: Path) -> None:
    source = Failing(400)
    row = source.rows["7"]

    async def story(app: MemoryInboxApp) -> None:
        source.down = True
        await press(app, "ctrl+r", seconds=1.0)
        await press(app, "F", "ctrl+u", *f"from:{row['contact']['phone']}", "enter", seconds=1.0)
        assert names(app) == [row["contact"]["name"]]
        assert f'~from:"{row["contact"]["name"]}"' in Shown(app).lines[0]
        assert "~1 on this computer" in status(app)

    play(source, tmp_path, story)


def test_whose_conversations_were_mine_once_is_you_ever_after(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "5", seconds=2.0)
        await press(app, "9", seconds=2.0)
        rows = " ".join(Shown(app).part("ConversationList"))
        assert " you " in rows
        assert "Grace" not in rows

    play(MemoryInbox(15), tmp_path, story)
    play(NothingMine(15), tmp_path, story)


def test_who_is_me_is_known_before_a_list_of_mine_was_opened(tmp_path: Path) -> None:
    source = Failing(15)
    for id in ("3", "9", "15"):
        source.change(id, assignee={"id": "2", "name": "Ana Souza"})
    mine = {row["contact"]["name"] for row in source.rows.values() if _is_graces(row)}

    async def tell(app: MemoryInboxApp) -> None:
        await press(app, "g", seconds=2.0)
        assert "Grace" not in "\n".join(Shown(app).part("ConversationList"))
        source.down = True
        await press(app, "ctrl+r", seconds=1.0)
        await press(app, "5", seconds=1.0)
        assert "from the open list" in status(app)
        assert set(names(app)) == mine
        await press(app, "F", "ctrl+u", *"is:open -@me", "enter", seconds=1.0)
        assert names(app)
        assert not mine & set(names(app))

    play(source, tmp_path, tell)


def _is_graces(row: dict[str, Any]) -> bool:
    return row["status"] == "open" and row["assignee"] == {"id": "1", "name": "Grace Okafor"}


# Keys and focus


def test_a_key_works_after_the_terminal_was_too_small(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        for pane in "2341":
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

    play(MemoryInbox(15), tmp_path, story)


def test_the_tabs_have_the_room_of_the_pane_after_a_zoom(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        before = Shown(app).lines
        await press(app, "plus", seconds=1.0)
        await press(app, "plus", seconds=1.0)
        assert Shown(app).lines[:3] == before[:3]

    play(MemoryInbox(15), tmp_path, story)


class Talking(MemoryInbox):
    """Customer and team take turns, so that high panes have blank lines between messages."""

    async def message_page(self, *arguments: Any, **options: Any) -> Page[Message]:
        page = await super().message_page(*arguments, **options)
        data = tuple(
            message.model_copy(
                update={"direction": "outbound", "author": "ai_agent"} if n % 2 else {}
            )
            for n, message in enumerate(page.data)
        )
        return page.model_copy(update={"data": data})


@pytest.mark.parametrize("width", [80, 120])
def test_a_thread_is_drawn_after_a_resize_as_by_a_viewer_of_that_size(
    tmp_path: Path, width: int
) -> None:
    drawn: list[list[str]] = []

    async def resized(app: MemoryInboxApp) -> None:
        await press(app, "j", seconds=2.0)
        for height in (33, 60, 24):
            resize(app, (width, height))
            await asyncio.sleep(0.5)
            resize(app, (width, 40))
            await asyncio.sleep(0.5)
            drawn.append(Shown(app).part("Thread"))

    async def fresh(app: MemoryInboxApp) -> None:
        await press(app, "j", seconds=2.5)
        drawn.append(Shown(app).part("Thread"))

    (tmp_path / "resized").mkdir()
    (tmp_path / "fresh").mkdir()
    play(Talking(15), tmp_path / "resized", resized, size=(width, 24))
    play(Talking(15), tmp_path / "fresh", fresh, size=(width, 40))
    assert drawn == [drawn[-1]] * 4


class NoSuchNumber(Counting):
    """Nobody has the number that is asked for, until `is_known`."""

    is_known = False

    async def contact_by_phone(self, phone: str) -> Contact:
        if not self.is_known:
            raise NotFound("No contact has this number")
        return await super().contact_by_phone(phone)


def test_a_number_that_nobody_has_is_not_searched_in_all_conversations(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "ctrl+k", *"+447700900290", seconds=2.0)
        pages = source.pages
        await press(app, "enter", seconds=3.0)
        assert "No customer fits +447700900290." in "\n".join(Shown(app).part("ConversationList"))
        assert status(app).rstrip().endswith("no match")
        await asyncio.sleep(60.0)
        # Some are loaded ahead, and of 300 there are 15.
        assert source.pages <= pages + 5
        source.is_known = True
        await press(app, "ctrl+r", seconds=2.0)
        assert names(app) == [name(290)]

    source = NoSuchNumber(300)
    play(source, tmp_path, story)


class SlowContacts(MemoryInbox):
    """Contacts take two seconds."""

    async def contact_page(
        self, q: str | None = None, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Contact]:
        await asyncio.sleep(2.0)
        return await super().contact_page(q, limit=limit, cursor=cursor)


def test_enter_before_the_customers_are_found_goes_to_the_first(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "ctrl+k", *"customer 021", "enter", seconds=6.0)
        assert names(app) == [name(21)]

    play(SlowContacts(60), tmp_path, story)


# Channels and owners


@pytest.mark.parametrize("size", [(60, 24), (80, 24), (200, 60)])
def test_1_opens_the_channels_at_every_width_and_enter_shows_those_of_one(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "1", seconds=0.5)
        channels = "\n".join(Shown(app).part("ChannelList"))
        assert "London" in channels
        assert "Madrid" in channels
        await press(app, "l", "h", "j", "enter", seconds=1.0)
        assert "in:London" in Shown(app).lines[0]
        assert names(app)
        assert app.focused is app.inbox.queue.list

    play(MemoryInbox(15), tmp_path, story, size=size)


def test_my_own_conversations_say_you(tmp_path: Path) -> None:
    source = MemoryInbox(15)
    for id in ("3", "9", "15"):
        source.change(id, assignee={"id": "2", "name": "Ana Souza"})

    async def story(app: MemoryInboxApp) -> None:
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

    play(source, tmp_path, story)
