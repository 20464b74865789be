"""Triage with every frame checked: what is drawn, focused, clicked and resized."""

import asyncio
import re
from collections.abc import Callable, Collection, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual import events

from frontdesk.errors import BadResponse, Unreachable
from frontdesk.inbox.sentences import NO_UNREAD_ABOVE
from frontdesk.tui import sentences
from frontdesk.tui.preferences import Preferences
from frontdesk.tui.sentences import MARKED_UNREAD
from frontdesk.wire import (
    Contact,
    Conversation,
    ConversationFilter,
    Message,
    Page,
    timestamp,
)
from tests.soak.sandbox import send
from tests.soak.virtual_loop import VirtualLoop
from tests.tui.frame_invariants import TrueScreen
from tests.tui.memory_inbox import (
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
            app.before_action = true.acts  # type: ignore[method-assign]
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
            await press(app, "g", "p", seconds=1.0)
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
        assert f"Found “{name(7)}”, 1 of 1: n next match, N previous" in status(app)
        await press(app, "slash", "ctrl+u", *"customer 00", "enter", "n", "n", "N", seconds=1.0)
        listed = names(app)
        among = [row for row in listed if row.startswith("Customer 00")]
        place = among.index(Shown(app).selected or "") + 1
        assert f"Found “customer 00”, {place} of {len(among)}: n next" in status(app)
        await press(app, "slash", "ctrl+u", *"nobody at all", "enter", seconds=1.0)
        assert "No match for “nobody at all”" in status(app)
        # A day without messages, before and after all others.
        await press(app, "t", *"2019-01-01", "enter", seconds=2.0)
        assert "the next are of " in status(app)
        await press(app, "t", *"2099-01-01", "enter", seconds=2.0)
        assert "No messages on or after 2099-01-01" in status(app)
        await press(app, "F", "ctrl+u", *'is:open "nobody says this"', "enter", seconds=2.0)
        assert Shown(app).selected is None
        for key, words in (
            ("Y", sentences.NOTHING_TO_COPY),
            ("t", sentences.NO_CONVERSATION),
            ("E", sentences.NOTHING_TO_EXPORT),
            ("w", sentences.NO_ROW),
        ):
            await press(app, key, seconds=0.5)
            assert words in status(app)
        await press(app, "backspace", "backspace", "backspace", "backspace", seconds=0.5)
        assert "No filter to remove. f: filter" in status(app)

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
        # The seconds begin anew.
        await press(app, "escape", seconds=2.5)
        assert here in unread(app)
        await asyncio.sleep(1.0)
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


@pytest.mark.parametrize("zoom", [(), ("plus",)])
def test_what_comes_below_while_one_reads_is_counted_until_it_was_seen(
    tmp_path: Path, zoom: Sequence[str]
) -> None:
    source = MemoryInbox(15)
    for line in range(20):
        source.write("3", f"line {line}")

    async def story(app: MemoryInboxApp) -> None:
        # It was active last.
        await press(app, "9", "g", seconds=1.0)
        assert Shown(app).selected == name(3)
        await press(app, "enter", *zoom, seconds=2.0)
        await press(app, "g", seconds=1.0)
        assert "more below" in foot(app)
        source.write("3", "one")
        source.write("3", "two")
        await press(app, "j", seconds=60.0)
        assert "2 new ↓ G" in foot(app)
        await press(app, "k", seconds=5.0)
        assert "2 new ↓ G" in foot(app)
        await press(app, "G", seconds=1.0)
        await press(app, "g", seconds=1.0)
        assert "more below" in foot(app)

    def foot(app: MemoryInboxApp) -> str:
        return "\n".join(Shown(app).part("#thread-foot"))

    play(source, tmp_path, story, size=(110, 20))


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
        await press(app, "S", "w", "g", seconds=2.0)
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


def test_the_key_that_skips_a_wait_gives_way_to_what_is_loaded(tmp_path: Path) -> None:
    class Unreadable(MemoryInbox):
        """Sends what is not an answer while `down`."""

        down = False

        async def _answer(self) -> None:
            if self.down:
                raise BadResponse("The server sent a web page")

    source = Unreadable(200)

    async def story(app: MemoryInboxApp) -> None:
        source.down = True
        # The message of the failure is gone after a while.
        await press(app, "ctrl+r", seconds=22.0)
        age = r"unreadable answer · as of [\d:]+ · retrying in \d+ s"
        assert re.search(rf"{age} · \^r now · \d+ of \d+ loaded $", status(app))
        await press(app, "space", seconds=0.5)
        assert re.search(rf"{age} · 1 selected · \d+ of", status(app))
        assert "now" not in status(app)

    play(source, tmp_path, story, size=(80, 24))


def test_hints_stay_while_something_is_asked(tmp_path: Path) -> None:
    seconds = [0.0]
    source = MemoryInbox(300, lambda: seconds[0])

    def hints(app: MemoryInboxApp) -> str:
        return status(app).partition(" live")[0].rstrip()

    async def story(app: MemoryInboxApp) -> None:
        await press(app, "j", seconds=3.0)
        before = hints(app)
        assert " of " in status(app)
        seconds[0] = 9.0
        await press(app, "ctrl+r", seconds=1.0)
        assert "asking" not in status(app)
        await asyncio.sleep(4.0)
        assert "asking…" in status(app)
        assert hints(app) == before

    for size in ((80, 24), (100, 30), (120, 40)):
        seconds[0] = 0.0
        play(source, tmp_path / f"{size[0]}", story, size=size)


class Slow(MemoryInbox):
    """Each answer takes a second."""

    async def _answer(self) -> None:
        await asyncio.sleep(1.0)


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
        source.write("5", "And where is it now?", unread_count=3)
        await press(app, "ctrl+r", seconds=2.0)
        assert number(app, name(5)) == "1"
        app.inbox.inbox.go_to("5")
        await asyncio.sleep(3.0)
        thread = Shown(app).part("Thread")
        (line,) = (at for at, text in enumerate(thread) if "1 new" in text)
        assert "And where is it now?" in " ".join(thread[line:])
        assert "0 from" not in " ".join(thread[line:])
        await press(app, "g")
        # After an answer, the server counts from 0 again.
        source.change("5", unread_count=1, waiting_since=timestamp(source.now()))
        await press(app, "ctrl+r", seconds=2.0)
        assert number(app, name(5)) == "1"

    play(source, tmp_path, story)


def test_a_customers_other_conversations_are_listed_and_lead_there(tmp_path: Path) -> None:
    source = MemoryInbox(15)
    # Resolved, so that no list of open ones has it.
    source.rows["8"] = {**source.rows["8"], "contact": source.rows["0"]["contact"]}

    async def story(app: MemoryInboxApp) -> None:
        await press(app, "j", "k", seconds=3.0)
        pane = "\n".join(Shown(app).part("ContactPanel"))
        _, others = pane.split("Conversations")
        assert "resolved" in others
        await press(app, "4", "G", "enter", seconds=3.0)
        assert app.inbox.inbox.selected is not None
        assert app.inbox.inbox.selected.id == "8"

    play(source, tmp_path, story, size=(200, 60))


def waiting_on(source: MemoryInbox) -> list[str]:
    """The open customers who wait, the longest wait first."""
    rows = [row for row in source.rows.values() if row["status"] == "open" and row["waiting_since"]]
    rows.sort(key=lambda row: (row["waiting_since"], int(row["id"])))
    return [row["contact"]["name"] for row in rows]


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


def test_a_key_that_waits_for_an_answer_ends_with_a_dialog(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "W", "s", seconds=0.2)
        await asyncio.sleep(20.0)
        await press(app, "escape")
        assert Shown(app).selected == name(0)

    play(Slow(20), tmp_path, story)


@pytest.mark.parametrize("keys", ["f u", "S w", "j j j j G k W"])
def test_row_thread_and_contact_agree_on_a_cold_cache(tmp_path: Path, keys: str) -> None:
    async def story(app: MemoryInboxApp) -> None:
        for key in keys.split():
            await press(app, key, seconds=0.2)
        for _ in range(20):
            await asyncio.sleep(0.5)

    play(Slow(1_000), tmp_path, story)


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

    async def counts(
        self, filter: ConversationFilter | None = None, *, by: Collection[str] = ()
    ) -> Any:
        self.asked += 1
        return await super().counts(filter, by=by)


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


class NothingMine(MemoryInbox):
    """No conversation is assigned to the own user any more, who still has a name in rows."""

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        if filter.assignee == "me":
            return Page(data=())
        return await super().conversation_page(filter, limit=limit, cursor=cursor)


def test_whose_conversations_were_mine_once_is_you_ever_after(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "5", seconds=2.0)
        await press(app, "9", seconds=2.0)
        rows = " ".join(Shown(app).part("ConversationList"))
        assert " you " in rows
        assert "Grace" not in rows

    play(MemoryInbox(15), tmp_path, story)
    play(NothingMine(15), tmp_path, story)


def test_the_seconds_of_rest_begin_when_a_late_thread_is_displayed(tmp_path: Path) -> None:
    async def story(app: MemoryInboxApp) -> None:
        await press(app, "f", "u", seconds=30.0)
        await press(app, "j", seconds=4.0)
        here = Shown(app).selected
        assert f"from {here}" in "\n".join(Shown(app).part("Thread"))
        assert here in unread(app)
        await asyncio.sleep(4.0)
        assert here not in unread(app)

    play(Slow(20), tmp_path, story)


def test_the_header_marks_what_is_applied_to_a_part_of_the_rows(tmp_path: Path) -> None:
    source = Failing(400)

    async def story(app: MemoryInboxApp) -> None:
        source.down = True
        await press(app, "ctrl+r", "F", "ctrl+u", *"from:+447700900007", "enter", seconds=1.0)
        assert f'~from:"{name(7)}"' in Shown(app).lines[0]
        assert "~ loaded rows only" in Shown(app).lines[0]

    play(source, tmp_path, story)


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
