"""The virtual list keeps its place when rows change."""

import asyncio
from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import pytest
from rich.cells import cell_len
from textual import on
from textual.app import App, ComposeResult
from textual.containers import Container
from textual.geometry import Size
from textual.screen import Screen

from frontdesk.inbox.rows import FixedRows
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.theme import STYLES
from frontdesk.tui.widgets.line_widget import PARTS
from frontdesk.tui.widgets.text_layout import Piece, fit
from frontdesk.tui.widgets.virtual_list import LOADS_PER_KEY, RowSearch, VirtualList
from tests.tui.compared_drawings import Drawing
from tests.tui.conftest import settle
from tests.tui.memory_inbox import virtual_time
from tests.tui.screen_text import strips


class Words(VirtualList[str]):
    """Each row is its own key, and as many lines as its number says."""

    def __init__(self) -> None:
        super().__init__()
        self.drawn: list[str] = []

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        word = self.rows[position]
        self.drawn.append(word)
        lines = 1 + int(word.rpartition("*")[2]) if "*" in word else 2
        lines = -(-36 // width) if word.startswith("wrapped") else lines
        return [[("text", fit(f"{word} {at}", width))] for at in range(lines)]

    def words_at(self, position: int) -> str:
        return str(self.rows[position])


class FollowedWords(Words):
    FOLLOWS_END = True


class Numbers:
    """A million rows that are made when they are looked at."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.made: dict[int, str] = {}

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, position: int, /) -> str:
        return self.made.setdefault(position, f"row {position}")

    def key(self, position: int, /) -> str:
        return f"row {position}"

    def find(self, key: str, /) -> int | None:
        return int(key.removeprefix("row "))


class ListScreen(Screen[None]):
    """A list and nothing else."""

    COMPONENT_CLASSES = PARTS

    def __init__(self, words: Words) -> None:
        super().__init__()
        self._words = words

    def compose(self) -> ComposeResult:
        yield Container(self._words)


class ListApp(CrashReportingApp[None]):
    CSS_PATH = [STYLES / "app.tcss"]

    def __init__(self, words: Words | None = None) -> None:
        super().__init__()
        self.words = words or Words()
        self.asked: list[bool] = []
        self.bound: list[int] = []

    def get_default_screen(self) -> ListScreen:
        return ListScreen(self.words)

    @on(VirtualList.NearEnd)
    def note(self, event: VirtualList.NearEnd) -> None:
        self.asked += [True] * event.top + [False] * event.bottom
        self.bound.append(event.bound_for)


def rows(words: Sequence[str]) -> FixedRows[str]:
    return FixedRows([(word, word) for word in words])


def screen_lines(app: App[Any]) -> list[str]:
    """Lines of the screen; > before a line with the background of the selection."""
    chosen = app.screen.get_component_rich_style("part--chosen").bgcolor
    return [
        (">" if next(iter(line)).style.bgcolor == chosen else " ") + line.text[1:].rstrip()
        for line in strips(app.screen)
    ]


WORDS = [f"w{n}" for n in range(100)]


async def test_the_window_shows_rows_with_a_ground_under_the_cursor() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 6)) as pilot:
        app.words.show(rows(["one", "two", "three"]))
        await pilot.pause()
        assert screen_lines(app) == [">one 0", ">one 1", " two 0", " two 1", " three 0", " three 1"]
        await pilot.press("j")
        assert screen_lines(app)[:4] == [" one 0", " one 1", ">two 0", ">two 1"]


async def test_keys_reach_both_ends_and_stop_there() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(WORDS))
        await pilot.press("k")
        assert app.words.row == "w0"
        await pilot.press("G")
        assert app.words.row == "w99"
        assert screen_lines(app)[-1].startswith(">w99 1")
        await pilot.press("j", "pagedown")
        assert app.words.row == "w99"
        await pilot.press("g")
        assert app.words.row == "w0"
        await pilot.press("pagedown")
        assert app.words.row == "w5"
        await pilot.press("pageup")
        assert app.words.row == "w0"


async def test_matches_are_counted_in_a_list_that_is_not_long_while_the_match_is_selected() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(WORDS), cursor=20)
        await pilot.pause()
        search = RowSearch(app.words, "5", 1)
        assert not search.run(100)
        assert app.words.row == "w25"
        assert not search.count(len(WORDS) - 1)
        assert search.count(len(WORDS))
        # w5, w15, w25, ... and w50 to w59.
        assert (search.number, search.total) == (3, 19)
        search = RowSearch(app.words, "5", 1)
        search.run(100)
        app.words.go_to(0)
        assert not search.count(100)
        assert search.number == 0


@pytest.mark.parametrize(("down", "up"), [("space", "b"), ("ctrl+f", "ctrl+b")])
async def test_other_keys_turn_the_page_too(down: str, up: str) -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(WORDS))
        await pilot.press(down, down)
        assert app.words.row == "w10"
        await pilot.press(up)
        assert app.words.row == "w5"


@pytest.mark.parametrize("height", [7, 9, 10, 25])
@pytest.mark.parametrize("key", ["ctrl+d", "pagedown", "ctrl+u", "pageup"])
async def test_the_selected_row_is_whole_after_each_page(height: int, key: str) -> None:
    app = ListApp()
    async with app.run_test(size=(20, height)) as pilot:
        app.words.show(rows(WORDS), cursor=50)
        await pilot.press("k", "k", "k")
        for _ in range(8):
            await pilot.press(key)
            row = app.words.row
            chosen = [line.rstrip(" ┃") for line in screen_lines(app) if line.startswith(">")]
            assert chosen == [f">{row} 0", f">{row} 1"]


async def test_rows_that_come_above_leave_the_window_and_the_cursor_where_they_were() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(WORDS), cursor=50)
        await pilot.pause()
        before = screen_lines(app)
        app.words.rows = rows(["new1", "new2", *WORDS])
        app.words.rows_changed()
        await pilot.pause()
        assert app.words.row == "w50"
        assert [line.rstrip(" ┃") for line in screen_lines(app)] == [
            line.rstrip(" ┃") for line in before
        ]


async def test_at_the_start_new_rows_are_seen_and_the_cursor_stays_on_its_row() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(WORDS))
        await pilot.pause()
        app.words.rows = rows(["new", *WORDS])
        app.words.rows_changed()
        await pilot.pause()
        assert screen_lines(app)[0].startswith(" new 0")
        assert app.words.row == "w0"


async def test_a_list_stays_at_its_end_with_what_is_added_if_it_follows_that() -> None:
    app = ListApp(FollowedWords())
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show_end(rows(WORDS))
        await pilot.pause()
        app.words.rows = rows([*WORDS, "newest"])
        app.words.rows_changed()
        await pilot.pause()
        assert app.words.row == "newest"
        assert screen_lines(app)[-1].startswith(">newest 1")


async def test_what_is_added_at_the_end_leaves_window_and_cursor_where_they_are() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show_end(rows(WORDS))
        await pilot.pause()
        before = screen_lines(app)
        app.words.rows = rows([*WORDS, "newest"])
        app.words.rows_changed()
        await pilot.pause()
        assert app.words.row == WORDS[-1]
        assert screen_lines(app) == before


async def test_a_row_that_vanishes_leaves_the_cursor_at_its_place() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(WORDS), cursor=50)
        await pilot.pause()
        app.words.rows = rows([word for word in WORDS if word != "w50"])
        app.words.rows_changed()
        assert app.words.row == "w51"
        app.words.rows = rows([])
        app.words.say_when_empty("nothing here")
        app.words.rows_changed()
        await pilot.pause()
        assert app.words.row is None
        assert "nothing here" in " ".join(screen_lines(app))
        await pilot.press("j", "G", "pagedown", "enter")


async def test_a_row_taller_than_the_window_is_scrolled_through() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 6)) as pilot:
        app.words.show(rows(["a", "tall*14", "z"]))
        await pilot.press("j")
        assert app.words.row == "tall*14"
        seen = set()
        for _ in range(12):
            seen |= {line.strip("> ┃") for line in screen_lines(app) if "tall" in line}
            if app.words.row == "z":
                break
            await pilot.press("j")
        assert app.words.row == "z"
        assert len(seen) == 15


async def test_a_resize_keeps_the_row_at_the_cursor_in_view() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 20)) as pilot:
        app.words.show(rows(WORDS), cursor=50)
        await pilot.pause()
        await pilot.resize_terminal(30, 6)
        await settle(pilot)
        assert any(line.startswith(">w50") for line in screen_lines(app))


@pytest.mark.parametrize("heights", [(40,), (80,), (4,), (4, 80), (80, 4, 40)])
@pytest.mark.parametrize("keys", ["", "G", "G k k k", "G g j j j j j j j", "G b k"])
async def test_after_any_heights_in_between_a_list_is_where_it_was(
    heights: tuple[int, ...], keys: str
) -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show_end(rows(WORDS[:30]), cursor=20)
        await pilot.press(*keys.split())
        await settle(pilot)
        before = screen_lines(app)
        for height in (*heights, 10):
            await pilot.resize_terminal(20, height)
            await settle(pilot)
            app.words.rows_changed()
        assert screen_lines(app) == before


async def test_rows_fit_after_a_moment_in_which_there_was_less_room() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 5)) as pilot:
        app.words.show(rows(WORDS))
        await pilot.pause()
        app.words.rows = rows([f"other {word}" for word in WORDS])
        with patch.object(Words, "size", Size(3, 5)):
            app.words.rows_changed()
        app.words.refresh()
        await pilot.pause()
        assert {cell_len(line.text) for line in strips(app.screen)} == {20}


async def test_rows_that_are_read_again_while_the_list_is_hidden_leave_its_place() -> None:
    wrapped = [f"wrapped {number}" for number in range(12)]
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show_end(rows(wrapped))
        await pilot.pause()
        before = app.words.place
        app.words.display = False
        await pilot.pause()
        app.words.rows = rows(wrapped)
        app.words.rows_changed()
        await pilot.pause()
        assert app.words.place == before
        app.words.display = True
        await pilot.pause()
        assert app.words.place == before


async def test_rows_that_change_in_a_pane_that_is_hidden_for_a_moment_are_drawn_with_it() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        pane = app.screen.query_one(Container)
        app.words.show(rows(["one"]))
        await pilot.pause()
        pane.display = False
        app.words.rows = rows(["two"])
        app.words.rows_changed()
        pane.display = True
        await pilot.pause()
        assert screen_lines(app)[0] == ">two 0"


async def test_a_list_that_shows_others_has_no_end_to_go_to() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(WORDS))
        await pilot.press("G")
        app.words.show(rows(WORDS[:50]))
        app.words.rows = rows(WORDS)
        app.words.rows_changed()
        await pilot.pause()
        assert app.words.row == "w0"


async def test_a_list_that_is_gone_takes_a_key_that_was_on_its_way() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 5)) as pilot:
        words = app.words
        words.show(rows(WORDS))
        await pilot.pause()
        await words.remove()
        words.notify_style_update()
        words.action_page(1)
        assert words.row is not None


async def test_near_the_end_more_rows_are_asked_for() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(WORDS), cursor=50)
        await pilot.pause()
        app.asked.clear()
        await pilot.press("G")
        await pilot.pause()
        assert False in app.asked


@pytest.mark.parametrize(("key", "bound_for"), [("g", -1), ("G", 1), ("j", 0)])
async def test_a_list_says_which_end_a_key_led_to(key: str, bound_for: int) -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(WORDS[:8]), cursor=3)
        await pilot.pause()
        app.bound.clear()
        await pilot.press(key)
        await pilot.pause()
        assert app.bound[-1:] == [bound_for]


async def test_a_key_leads_over_a_hundred_pages_at_most() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(WORDS[:8]))
        await pilot.press("G")
        for pages in range(1, LOADS_PER_KEY + 2):
            with app.words.loading_more():
                app.words.replace_rows(rows([f"w{n}" for n in range(8 + pages)]))
            last = 8 + min(pages, LOADS_PER_KEY) - 1
            assert app.words.row == f"w{last}"


async def test_only_the_rows_in_view_are_drawn_however_many_there_are() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 20)) as pilot:
        numbers = Numbers(1_000_000)
        app.words.show(numbers, cursor=500_000)
        await pilot.press("j", "k", "pagedown", "G")
        assert app.words.row == "row 999999"
        assert len(app.words.drawn) < 200
        assert len(numbers.made) < 200


async def test_the_mouse_selects_and_scrolls() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(WORDS))
        await pilot.click(Words, offset=(3, 4))
        assert app.words.row == "w2"
        app.words.on_mouse_scroll_down(_wheel_event())
        await pilot.pause()
        assert screen_lines(app)[0].startswith(">w2 0")


async def test_a_click_beside_the_rows_selects_none() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(["a", "b", "c"]))
        await pilot.click(Words, offset=(3, 7))
        assert app.words.row == "a"
        await pilot.click(Words, offset=(3, 3))
        assert app.words.row == "b"


async def test_a_click_on_the_scroll_bar_turns_the_page() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows([f"n{number}" for number in range(100)]))
        await pilot.click(Words, offset=(19, 9))
        assert screen_lines(app)[0].startswith(">n4 0")
        assert app.words.row == "n4"
        await pilot.click(Words, offset=(19, 0))
        assert screen_lines(app)[0].strip(" >").startswith("n0 0")


@pytest.mark.parametrize(("height", "first"), [(1, 3), (2, 2), (3, 1)])
async def test_the_wheel_scrolls_by_whole_rows(height: int, first: int) -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows([f"n{number}*{height - 1}" for number in range(100)]))
        app.words.on_mouse_scroll_down(_wheel_event())
        await pilot.pause()
        assert screen_lines(app)[0].startswith(f">n{first}*{height - 1} 0")


async def test_the_wheel_ends_the_way_to_the_first_row() -> None:
    app = ListApp()
    async with app.run_test(size=(40, 20)) as pilot:
        tall = [f"w{number}*4" for number in range(80)]
        app.words.show(rows(tall[40:]), cursor=20)
        await pilot.press("g")
        app.words.on_mouse_scroll_down(_wheel_event())
        app.words.rows = rows(tall)
        app.words.rows_changed()
        await pilot.pause()
        assert app.words.row == "w41*4"


@pytest.mark.parametrize("returns", [False, True])
async def test_other_rows_that_are_shown_end_the_way_to_the_first_row(returns: bool) -> None:
    app = ListApp()
    async with app.run_test(size=(40, 20)) as pilot:
        others = [f"other{number}*4" for number in range(80)]
        app.words.show_end(rows(others[40:]))
        place = app.words.place
        assert place is not None
        app.words.show(rows([f"w{number}*4" for number in range(40)]), cursor=20)
        await pilot.press("g")
        if returns:
            assert app.words.return_to(rows(others[40:]), place)
        else:
            app.words.show_end(rows(others[40:]))
        app.words.rows = rows(others)
        app.words.rows_changed()
        await pilot.pause()
        assert app.words.row == "other79*4"


def _wheel_event() -> Any:
    from textual.events import MouseScrollDown

    return MouseScrollDown(
        None, x=1, y=1, delta_x=0, delta_y=1, button=0, shift=False, meta=False, ctrl=False
    )


def test_whoever_waits_for_rows_sees_the_seconds() -> None:
    app = ListApp()

    async def scenario() -> None:
        async with app.run_test(size=(20, 6)):
            app.words.say_when_empty("Loading…")
            await asyncio.sleep(0.5)
            assert screen_lines(app)[1] == "  Loading…"
            await asyncio.sleep(2.0)
            assert screen_lines(app)[1] == "  Loading… 2 s"
            app.words.say_when_empty("no messages")
            await asyncio.sleep(2.0)
            assert screen_lines(app)[1] == "  no messages"

    with virtual_time("seconds") as runner:
        runner.run(scenario())


async def test_each_key_leaves_the_window_and_the_cursor_here(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    walks = (
        "j j j j j k k k G k k k k k g pagedown pagedown pageup ctrl+d ctrl+d ctrl+u end home",
        "space space b b ctrl+f ctrl+b G pageup pageup k k k k k k j j j j j",
    )
    heights = {"two lines": [""] * 20, "any": [f"*{number % 4}" for number in range(20)]}
    for name, texts in heights.items():
        for walk in walks:
            app = ListApp()
            async with app.run_test(size=(16, 8)) as pilot:
                app.words.show(rows([f"w{at}{text}" for at, text in enumerate(texts)]))
                for key in walk.split():
                    await pilot.press(key)
                    drawing.add_text(f"{name}: {key}", screen_lines(app))
    drawing.compare(pytestconfig, "keys-of-a-list")


async def test_rows_that_come_by_themselves_end_the_way_to_the_last_row() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(WORDS[:20]))
        await pilot.press("G")
        app.words.replace_rows(rows(WORDS[:30]))
        assert app.words.row == "w19"
        with app.words.loading_more():
            app.words.replace_rows(rows(WORDS[:40]))
        assert app.words.row == "w19"


async def test_rows_that_come_by_themselves_leave_who_is_at_the_first_row_on_the_way() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(WORDS[20:60]), cursor=10)
        await pilot.press("g")
        app.words.replace_rows(rows(WORDS[20:70]))
        assert app.words.row == "w20"
        with app.words.loading_more():
            app.words.replace_rows(rows(WORDS[10:70]))
        assert app.words.row == "w10"


async def test_rows_are_as_high_as_their_lines_need_at_another_width() -> None:
    wrapped = rows([f"wrapped {number}" for number in range(12)])
    app, fresh = ListApp(), ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(wrapped)
        await settle(pilot)
        narrow = screen_lines(app)
        await pilot.resize_terminal(40, 10)
        await settle(pilot)
        wide = screen_lines(app)
    async with fresh.run_test(size=(40, 10)) as pilot:
        fresh.words.show(wrapped)
        await settle(pilot)
        assert wide == screen_lines(fresh) != narrow


async def test_rows_that_are_read_again_at_the_last_row_leave_who_is_there_on_the_way() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.words.show(rows(WORDS[:20]))
        await pilot.press("G")
        app.words.replace_rows(rows(WORDS[:20]))
        with app.words.loading_more():
            app.words.replace_rows(rows(WORDS[:40]))
        assert app.words.row == "w39"


async def test_a_search_without_a_match_has_found_nothing_and_moves_nothing() -> None:
    app = ListApp()
    async with app.run_test(size=(20, 10)):
        app.words.show(rows(WORDS), cursor=20)
        search = RowSearch(app.words, "nothing", 1)
        assert not search.found
        assert search.run(len(WORDS) - 1)
        assert not search.run(1)
        assert not search.found
        assert app.words.row == "w20"
        # The row under the cursor comes last, whichever way.
        for step, text, row in ((1, "W20", "w20"), (-1, "w9", "w9"), (-1, "w1", "w1")):
            search = RowSearch(app.words, text, step)
            assert not search.run(len(WORDS))
            assert (search.found, app.words.row) == (True, row)
