"""The line that edits filters as text: its completions, its mistakes, and earlier queries."""

from collections.abc import Sequence

import pytest
from textual.events import Key
from textual.widgets import Input

from frontdesk.query import Query, QueryNames, parse
from frontdesk.tui.dialogs.filter_line import FilterLine
from frontdesk.tui.dialogs.picker import ChoiceList
from frontdesk.wire import Label
from tests.tui.conftest import settle, shown
from tests.tui.views import Dressed, press

LABELS = [Label(id=str(number), title=f"label{number:02}") for number in range(12)]
NAMES = QueryNames.of((), (), LABELS)


class LineApp(Dressed):
    """Edits a query at once, and keeps the answers."""

    def __init__(self, query: str = "", history: Sequence[str] = ()) -> None:
        super().__init__()
        self._query, self._history = query, history
        self.answers: list[Query | None] = []

    def on_mount(self) -> None:
        line = FilterLine(parse(self._query), NAMES, self._history)
        self.push_screen(line, self.answers.append)

    @property
    def field(self) -> Input:
        return self.screen.query_one(Input)

    @property
    def offered(self) -> list[str]:
        rows = self.screen.query_one(ChoiceList).rows
        return [rows[at].words for at in range(len(rows))]


MISTAKE = "is: takes open, snoozed, resolved or followup."


async def test_a_mistake_is_said_once_its_term_is_finished_and_not_while_it_is_written() -> None:
    app = LineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *"is:don")
        assert MISTAKE not in shown(app)
        await press(pilot, "space")
        assert MISTAKE in shown(app)
        await press(pilot, "backspace")
        assert MISTAKE not in shown(app)
        await press(pilot, "enter")
        assert MISTAKE in shown(app)
        assert app.answers == []
        await press(pilot, "ctrl+u", *"is:open", "enter")
        assert app.answers == [parse("is:open")]


async def test_eight_completions_are_offered_and_tab_goes_round_among_them() -> None:
    app = LineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "#")
        assert app.offered == [f"#{label.title}" for label in LABELS[:8]]
        assert app.screen.query_one(ChoiceList).size.height == 8
        for number in (*range(8), 0):
            await press(pilot, "tab")
            assert app.field.value == f"#label{number:02} "
            assert app.screen.query_one(ChoiceList).cursor == number
        await press(pilot, "shift+tab")
        assert app.field.value == "#label07 "


async def test_the_completion_before_the_first_is_the_last() -> None:
    app = LineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *"is:open #", "shift+tab")
        assert app.field.value == "is:open #label07 "
        assert app.field.cursor_position == len(app.field.value)


async def test_a_completion_that_still_needs_a_value_has_no_space_after_it() -> None:
    app = LineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *"fie", "tab")
        assert app.field.value == "field:"


async def test_up_and_down_go_through_earlier_queries_and_stop_at_both_ends() -> None:
    app = LineApp("is:open", ["unread", "is:open", "#label01"])
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key, text in (
            ("down", "is:open "),
            ("up", "unread"),
            ("up", "#label01"),
            ("up", "#label01"),
            ("down", "unread"),
            ("down", "is:open "),
        ):
            await press(pilot, key)
            assert app.field.value == text
            assert app.field.cursor_position == len(text)
        await press(pilot, "escape")
        assert app.answers == [None]


@pytest.mark.parametrize(("query", "text"), [("", ""), ("is:open", "is:open ")])
async def test_the_line_begins_with_the_query_and_room_for_another_term(
    query: str, text: str
) -> None:
    app = LineApp(query)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert app.field.value == text
        assert app.field.cursor_position == len(text)


@pytest.mark.parametrize(("key", "text"), [("tab", "#label00 "), ("shift+tab", "#label07 ")])
async def test_a_tab_typed_before_the_line_is_there_completes_too(key: str, text: str) -> None:
    line = FilterLine(Query(), NAMES)
    for typed in ("number_sign", key):
        await line.buffer_key(Key(typed, "#" if typed == "number_sign" else None))
    app = Dressed()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(line)
        await settle(pilot)
        assert line.query_one(Input).value == text


async def test_a_completion_is_taken_by_two_clicks() -> None:
    app = LineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *"is:open #")
        await pilot.click(ChoiceList, offset=(3, 2), times=2)
        await settle(pilot)
        assert app.field.value == "is:open #label02 "
        assert app.focused is app.field


async def test_what_cannot_be_used_is_underlined() -> None:
    app = LineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *"is:open is:don #label01 sort:x")
        segments = app.field.render_line(0)
        underlined = [part.text for part in segments if part.style and part.style.underline]
        assert "".join(underlined) == "is:donsort:x"
