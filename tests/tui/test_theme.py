"""Every text can be read in every theme: its contrast is at least 4.5 to 1 (WCAG 2.2, 1.4.3)."""

import pytest
from rich.style import Style
from textual.app import ComposeResult
from textual.color import Color
from textual.screen import Screen
from textual.strip import Strip
from textual.theme import BUILTIN_THEMES, Theme
from textual.widgets import Input, Static

from frontdesk.settings import OTHER_THEMES, OWN_THEMES, theme_names
from frontdesk.tui import theme
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.command_entries import CommandEntry
from frontdesk.tui.dialogs.base import Choice
from frontdesk.tui.dialogs.help import HelpScreen
from frontdesk.tui.dialogs.picker import Menu, Picker
from frontdesk.tui.dialogs.prompt import Prompt
from frontdesk.tui.filters import FILTER_MENU
from frontdesk.tui.theme import CONTRAST, DARK, GREYS, LIGHT, SIXTEEN, STYLES, THEMES
from frontdesk.tui.widgets.line_widget import GROUNDS, INKS, PARTS, LineWidget

UNMIXED = (SIXTEEN, GREYS, BUILTIN_THEMES["ansi-dark"], BUILTIN_THEMES["ansi-light"])
PRIMARY = ("00", "aa")
BRIGHT = ("#ff5555", "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff")
LEAST_FOR_TEXT, LEAST_FOR_MARKS = 4.5, 3.0
# On sixteen colours nothing can be mixed, and on those of the terminal nothing is known.
MIXED = [theme for theme in (*THEMES, *BUILTIN_THEMES.values()) if theme not in UNMIXED]
LABELS = ("#2e9e5b", "#d93f3f", "#f1c40f", "#5c6bc0", "#000000", "#ffffff", "#868e96", "#1f93ff")


class Words(LineWidget):
    """A line that is not looked at."""

    def line(self, y: int) -> Strip:
        return Strip.blank(self.size.width)


class Blank(Screen[None]):
    COMPONENT_CLASSES = PARTS

    def compose(self) -> ComposeResult:
        yield Words()


class Colours(CrashReportingApp[None]):
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


def ratio(style: Style) -> float:
    return contrast(Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor))


@pytest.mark.parametrize("theme", MIXED, ids=lambda theme: theme.name)
async def test_every_ink_and_label_can_be_read_on_every_ground_and_the_selection_be_seen(
    theme: Theme,
) -> None:
    app = Colours(theme)
    async with app.run_test():
        words = app.screen.query_one(Words)
        check_inks(words, theme)
        # Without focus too.
        grounds = ("ground", "chosen", "chosen-off")
        assert len({words.part("text", ground).bgcolor for ground in grounds}) == 3


def check_inks(words: Words, theme: Theme) -> None:
    """High contrast is at least seven to one (WCAG 2.2, 1.4.6)."""
    least = 7.0 if theme is CONTRAST else LEAST_FOR_TEXT
    unread = {
        (ink, ground): ratio(words.part(ink, ground))
        for ink in (*INKS, *LABELS)
        for ground in GROUNDS
        if ratio(words.part(ink, ground)) < least
    }
    assert unread == {}
    assert min(ratio(words.part("thumb", ground)) for ground in GROUNDS) >= LEAST_FOR_MARKS


@pytest.mark.parametrize("theme", [DARK, LIGHT, CONTRAST], ids=lambda theme: theme.name)
async def test_every_ink_and_label_can_be_read_with_no_color(
    theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = Colours(theme)
    async with app.run_test():
        check_inks(app.screen.query_one(Words), theme)


@pytest.mark.parametrize("theme", [SIXTEEN, GREYS], ids=lambda theme: theme.name)
async def test_of_sixteen_colours_each_ink_can_be_read_and_the_selection_be_seen(
    theme: Theme,
) -> None:
    app = Colours(theme)
    async with app.run_test():
        words = app.screen.query_one(Words)
        pairs = {(ink, ground): words.part(ink, ground) for ink in INKS for ground in GROUNDS}
        grounds = {pairs["text", ground].bgcolor for ground in ("ground", "chosen", "chosen-off")}
        on_note = words.part("text@note-ground", "ground").bgcolor
        note_in_focus = words.part("text@note-ground", "chosen-off").bgcolor
    inks = {pair: ratio(style) for pair, style in pairs.items() if not style.reverse}
    assert {pair for pair, contrast in inks.items() if contrast < LEAST_FOR_TEXT} == set()
    assert len(grounds) == 3
    assert note_in_focus == pairs["text", "chosen-off"].bgcolor != on_note


async def test_urgent_words_are_no_dimmer_than_others_without_colours() -> None:
    app = Colours(GREYS)
    async with app.run_test():
        words = app.screen.query_one(Words)
        least = ratio(words.part("text"))
        assert all(ratio(words.part(ink)) >= least for ink in ("early", "warning", "error"))


async def test_sixteen_colours_are_those_of_every_terminal() -> None:
    exact = {Color.parse(f"#{r}{g}{b}") for r in PRIMARY for g in PRIMARY for b in PRIMARY}
    exact |= {Color.parse("#555555"), Color.parse("#ffffff")}
    exact |= {Color.parse(bright) for bright in BRIGHT}
    app = Colours(SIXTEEN)
    async with app.run_test():
        words = app.screen.query_one(Words)
        styles = [words.part(ink, ground) for ink in (*INKS, *LABELS) for ground in GROUNDS]
    used = {Color.from_rich_color(one) for style in styles for one in (style.color, style.bgcolor)}
    assert used <= exact


async def test_the_chosen_tab_can_be_seen_without_colour() -> None:
    app = Colours(DARK)
    async with app.run_test():
        style = app.screen.get_component_rich_style("part--chip")
        assert style.bold
        assert style.bgcolor == app.screen.get_component_rich_style("part--chosen").bgcolor


@pytest.mark.parametrize(
    "theme", [*THEMES[:3], *BUILTIN_THEMES.values()][:8], ids=lambda theme: theme.name
)
async def test_every_text_of_a_dialog_can_be_read(theme: Theme) -> None:
    app = Colours(theme)
    async with app.run_test() as pilot:
        for dialog in (
            Picker("Filter by label", [Choice("1", "one", "hint")], current=None),
            Menu("Filter by", FILTER_MENU),
            Prompt("/", value="said", placeholder="words"),
            HelpScreen([CommandEntry("Filter", "f", lambda: None, group="Triage")]),
        ):
            await app.push_screen(dialog)
            await pilot.pause()
            texts = [*dialog.query(Static), *dialog.query(Input)]
            assert texts
            ratios = {str(one.id): contrast(one.colors[3], one.colors[2]) for one in texts}
            for field in dialog.query(Input):
                hint = field.get_component_styles("input--placeholder")
                ratios["placeholder"] = contrast(hint.color, field.colors[2])
            assert {name: ratio for name, ratio in ratios.items() if ratio < LEAST_FOR_TEXT} == {}


def test_one_theme_is_dark_and_one_is_light() -> None:
    assert DARK.dark
    assert CONTRAST.dark
    assert not LIGHT.dark
    assert DARK.variables.keys() == LIGHT.variables.keys()


BLACK, WHITE = Color.parse("#000000"), Color.parse("#ffffff")


def test_contrast_and_luminance_are_those_of_wcag() -> None:
    for text in ("#000000", "#0a0a0a", "#0b0b0b", "#767676", "#ff0000", "#00ff00", "#0000ff"):
        colour = Color.parse(text)
        assert theme.luminance(colour) == pytest.approx(luminance(colour))
        assert theme.contrast(colour, WHITE) == pytest.approx(contrast(colour, WHITE))
        assert theme.contrast(WHITE, colour) == theme.contrast(colour, WHITE)
    assert theme.contrast(BLACK, WHITE) == pytest.approx(21)
    assert theme.contrast(WHITE, WHITE) == 1


@pytest.mark.parametrize(
    ("ink", "ground", "goal"),
    [
        ("#aaaaaa", "#ffffff", BLACK),
        ("#555555", "#000000", WHITE),
        ("#d62828", "#24364d", WHITE),
        ("#f1c40f", "#eef2f6", BLACK),
    ],
)
@pytest.mark.parametrize("least", [3.0, 4.5, 7.0])
def test_an_ink_is_moved_no_further_than_it_takes_to_be_read(
    ink: str, ground: str, goal: Color, least: float
) -> None:
    colour, behind = Color.parse(ink), Color.parse(ground)
    found = theme.legible(colour, behind, least)
    mixes = [colour.blend(goal, step / 20) for step in range(21)]
    expected = next(mix for mix in mixes if contrast(mix, behind) >= least)
    assert found == expected


def test_an_ink_that_can_be_read_or_is_the_terminals_own_stays() -> None:
    assert theme.legible(BLACK, WHITE, 7.0) == BLACK
    own = Color.parse("ansi_red")
    assert theme.legible(own, WHITE, 7.0) == own
    assert theme.legible(Color.parse("#ffff00"), Color.parse("ansi_white"), 7.0).hex == "#FFFF00"
    grey = Color.parse("#767676")
    assert theme.legible(Color.parse("#ff0000"), grey, 21.0) == BLACK


@pytest.mark.parametrize(
    ("ground", "least", "share"),
    [
        ("#12161c", 4.5, 0.15),
        ("#ffffff", 4.5, 0.11),
        ("#000000", 7.0, 0.2),
        ("#000000", 20.5, 0.0),
    ],
)
def test_a_chip_has_a_share_of_its_colour_that_letters_can_be_read_on(
    ground: str, least: float, share: float
) -> None:
    blue, behind = Color.parse("#1f93ff"), Color.parse(ground)
    chip = theme.tint(blue, behind, least)
    assert chip == behind.blend(blue, share)


def test_themes_are_chosen_by_the_short_names_of_the_settings() -> None:
    names = theme_names()
    assert [names[name] for name in OWN_THEMES] == [one.name for one in THEMES]
    assert {*OTHER_THEMES} <= {*BUILTIN_THEMES}
    assert names["dark"] == "frontdesk-dark"
    assert names["16-colours"] == "frontdesk-16-colours"
    assert names["nord"] == "nord"


def test_other_themes_get_what_they_lack_mixed_from_their_colours() -> None:
    nord, light = BUILTIN_THEMES["nord"], BUILTIN_THEMES["solarized-light"]
    for known, own in ((nord, DARK), (light, LIGHT)):
        mixed = theme.theme_variables(known)
        assert mixed.keys() == {name for name in own.variables if name.startswith("fd-")}
        assert mixed["fd-customer"] == own.variables["fd-customer"]
        assert mixed["fd-card"] != own.variables["fd-card"]
        ground = Color.parse(known.to_color_system().generate()["background"])
        # The ground of a bar is closer to that of the screen than a card is.
        bar, card, line = (Color.parse(mixed[f"fd-{name}"]) for name in ("bar", "card", "line"))
        nearness = [contrast(each, ground) for each in (bar, card, line)]
        assert nearness == sorted(nearness)
    ansi = theme.theme_variables(BUILTIN_THEMES["ansi-dark"])
    assert ansi["fd-card"] == DARK.variables["fd-card"]


def test_inks_of_a_theme_are_corrected_on_both_grounds_but_those_of_the_terminal() -> None:
    variables = {**DARK.variables, "background": "#12161c", "foreground": "#ccd3dc"}
    inks = ("foreground", "accent", "success", "warning", "error", "fd-dim", "fd-note", "fd-strong")
    found = theme.legible_variables({**variables, "fd-dim": "#333333", "fd-note": "ansi_red"})
    assert found["fd-note"] == "ansi_red"
    assert found["fd-line"] == variables["fd-line"]
    for ink in inks:
        for ground in ("background", "fd-card"):
            if ink != "fd-note":
                assert contrast(Color.parse(found[ink]), Color.parse(found[ground])) >= 4.5
