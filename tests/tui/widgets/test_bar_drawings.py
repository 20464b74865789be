"""Bars at several widths: see drawings/."""

import pytest

from frontdesk.tui.widgets.bar import Bar, Hint, StatusBar, Title
from tests.tui.compared_drawings import Drawing
from tests.tui.conftest import settle
from tests.tui.screen_text import strips
from tests.tui.widgets.test_partial_repaints import OneWidgetApp, one_line_high

HINTS = [
    Hint((("j", "list.next"), ("k", "list.previous")), "move"),
    Hint((("f", "inbox.filter"),), "filter"),
    Hint((("s", "inbox.search"),), "search"),
]
HELP = Hint((("?", "inbox.help"),), "help")
LEFT = [("strong", "Sheena Nelson"), ("dim", " · Support EU")]
RIGHT = [("warning", "needs a human"), ("dim", " · Ana")]
SIZES = ((24, 4), (40, 4), (64, 4))


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_bar_gives_up_what_there_is_no_room_for(
    pytestconfig: pytest.Config, size: tuple[int, int]
) -> None:
    drawing = Drawing()
    bar, title = Bar(ground="bar"), Title("2")
    for shown in (bar, title):
        app = OneWidgetApp(one_line_high(shown))
        async with app.run_test(size=size) as pilot:
            for edge in ("", "│"):
                shown.set_edge(edge)
                for left, right in ((LEFT, RIGHT), (LEFT, []), ([], RIGHT)):
                    shown.show(left, right)
                    for focused in (False, True) if shown is title else (False,):
                        title.mark(focused)
                        await settle(pilot)
                        what = f"{type(shown).__name__}, edge {edge!r}, focused {focused}"
                        drawing.add_text(what, [strips(app.screen)[0].text])
    drawing.compare(pytestconfig, f"bars-{size[0]}")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_the_status_line_is_as_high_as_its_message_needs(
    pytestconfig: pytest.Config, size: tuple[int, int]
) -> None:
    drawing = Drawing()
    bar = StatusBar()
    app = OneWidgetApp(one_line_high(bar))
    async with app.run_test(size=size) as pilot:

        async def add(title: str) -> None:
            await settle(pilot)
            lines = [strip.text for strip in strips(app.screen)]
            drawing.add_text(f"{title}: {bar.size.height} high", lines[: bar.size.height])

        for count in range(len(HINTS) + 1):
            for first_stays in (False, True) if count else (False,):
                bar.show_hints(HINTS[:count], HELP, [("good", "live")], first_stays=first_stays)
                await add(f"{count} hints, first stays {first_stays}")
        for severity in ("information", "warning", "error"):
            bar.flash("Copied", severity, 60.0)
            await add(severity)
        bar.flash("A message of so many words that it needs more than one line", "warning", 60.0)
        await add("long")
        bar.dismiss("another")
        await add("not dismissed")
        bar.clear()
        await add("cleared")
    drawing.compare(pytestconfig, f"status-{size[0]}")
