"""Every text can be read in both themes: its contrast is at least 4.5 to 1 (WCAG 2.2, 1.4.3)."""

from collections.abc import Iterator

import pytest
from textual.app import App
from textual.color import Color
from textual.screen import Screen
from textual.theme import Theme
from textual.widgets import Input, Static

from frontdesk.tui.dialogs.choices import Choice
from frontdesk.tui.dialogs.help import HelpScreen
from frontdesk.tui.dialogs.menu import Menu
from frontdesk.tui.dialogs.picker import Picker
from frontdesk.tui.dialogs.prompt import Prompt
from frontdesk.tui.filters import FILTER_MENU
from frontdesk.tui.theme import CONTRAST, DARK, LIGHT, STYLES, THEMES
from frontdesk.tui.widgets.line_widget import PARTS

LEAST_FOR_TEXT = 4.5
# WCAG 1.4.11, for what is no text but has to be seen: the bar beside a row, the scroll mark.
LEAST_FOR_MARKS = 3.0
MARKS = {"part--bar", "part--bar-resting", "part--thumb"}
# The track is a blank: its colour is never seen.
UNSEEN = {"part--track"}


class Blank(Screen[None]):
    COMPONENT_CLASSES = PARTS


class Colours(App[None]):
    """An empty screen with the stylesheets of the viewer."""

    CSS_PATH = [STYLES / "app.tcss", STYLES / "dialogs.tcss"]

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        for known in THEMES:
            self.register_theme(known)
        self.theme = theme.name

    def get_default_screen(self) -> Blank:
        return Blank()


def contrast(one: Color, other: Color) -> float:
    """The ratio of the greater luminance to the smaller (WCAG 2.2)."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color: Color) -> float:
    """Relative luminance, 0 for black to 1 for white (WCAG 2.2)."""

    def linear(channel: int) -> float:
        part = channel / 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(channel) for channel in color.rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_ratio_is_that_of_wcag() -> None:
    black, white, grey = Color.parse("#000"), Color.parse("#fff"), Color.parse("#767676")
    assert contrast(black, white) == pytest.approx(21)
    assert contrast(grey, white) == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
async def test_every_drawn_part_can_be_read(theme: Theme) -> None:
    app = Colours(theme)
    async with app.run_test():
        found = dict(part_contrasts(app.screen))
    assert set(found) == PARTS - UNSEEN
    least = {name: LEAST_FOR_MARKS if name in MARKS else LEAST_FOR_TEXT for name in found}
    assert {name: ratio for name, ratio in found.items() if ratio < least[name]} == {}


async def test_high_contrast_is_at_least_seven_to_one() -> None:
    """WCAG 2.2, 1.4.6."""
    app = Colours(CONTRAST)
    async with app.run_test():
        found = dict(part_contrasts(app.screen))
    assert {name: ratio for name, ratio in found.items() if ratio < 7.0} == {}


async def test_the_chosen_chip_is_told_without_colour() -> None:
    app = Colours(DARK)
    async with app.run_test():
        style = app.screen.get_component_rich_style("part--chip")
        assert style.bold
        assert style.underline


def part_contrasts(screen: Screen[object]) -> Iterator[tuple[str, float]]:
    for name in PARTS - UNSEEN:
        styles = screen.get_component_styles(name)
        yield name, contrast(styles.color, styles.background)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("dialog", ["picker", "menu", "help", "prompt"])
async def test_every_text_of_a_dialog_can_be_read(theme: Theme, dialog: str) -> None:
    app = Colours(theme)
    async with app.run_test() as pilot:
        choice = Choice("1", "one", "hint")
        dialogs = {
            "picker": lambda: Picker("Filter by label", [choice], current=None),
            "menu": lambda: Menu("Filter by", FILTER_MENU),
            "prompt": lambda: Prompt("/", value="said", placeholder="words"),
            "help": lambda: HelpScreen([("f", "Filter")]),
        }
        await app.push_screen(dialogs[dialog]())
        await pilot.pause()
        texts = [*app.screen.query(Static), *app.screen.query(Input)]
        assert texts
        ratios = {str(widget.id): contrast(widget.colors[3], widget.colors[2]) for widget in texts}
        for field in app.screen.query(Input):
            hint = field.get_component_styles("input--placeholder")
            ratios["placeholder"] = contrast(hint.color, field.colors[2])
    assert {name: ratio for name, ratio in ratios.items() if ratio < LEAST_FOR_TEXT} == {}


def test_one_theme_is_dark_and_one_is_light() -> None:
    assert DARK.dark
    assert CONTRAST.dark
    assert not LIGHT.dark
    assert DARK.variables.keys() == LIGHT.variables.keys()
