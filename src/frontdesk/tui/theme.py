"""Colour themes, contrast by WCAG 2.2, grounds of labels, and the directory of the stylesheets.

Own themes: dark, light, high contrast, sixteen colours for terminals that have no more, and greys
for NO_COLOR. Themes of Textual get the variables that they lack from
`theme_variables`.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from textual.color import Color
from textual.theme import Theme

# Variables of the themes below, in this order.
_VARIABLES = (
    *("fd-bar", "fd-card", "fd-chosen", "fd-chosen-off", "fd-note-ground", "fd-line"),
    *("fd-strong", "fd-dim", "fd-read", "fd-early", "fd-overdue", "fd-note"),
    *("fd-customer", "fd-team", "fd-ai", "fd-campaign", "fd-phone"),
)


def _theme(
    name: str, colours: str, own: str, *, dark: bool, contrast: str = "4.5", overdue: str = "bold"
) -> Theme:
    """colours: background, foreground, accent, success, warning, error. own: `_VARIABLES`."""
    background, foreground, accent, success, warning, error = colours.split()
    return Theme(
        name=f"frontdesk-{name}",
        primary=accent,
        secondary=accent,
        accent=accent,
        success=success,
        warning=warning,
        error=error,
        foreground=foreground,
        background=background,
        surface=own.split()[0],
        panel=own.split()[1],
        dark=dark,
        # Textual's colour system would round these.
        variables={
            **{"accent": accent, "success": success, "warning": warning, "error": error},
            **dict(zip(_VARIABLES, own.split(), strict=True)),
            "fd-contrast": contrast,
            "fd-overdue-style": overdue,
        },
    )


DARK = _theme(
    "dark",
    "#12161c #ccd3dc #6cb0ff #6fcf8f #f0964f #ff6b66",
    "#191f27 #222b36 #24364d #222b37 #2c2713 #343d49"
    " #f2f5f8 #8a94a3 #58b7ff #d9b86c #ff6b66 #e9dcb0"
    " #5fd0e0 #7fd68a #c3a2ff #ff9bc8 #c6d36a",
    dark=True,
)
LIGHT = _theme(
    "light",
    "#ffffff #2b3440 #0a5bc4 #1a7f37 #b34700 #c4161c",
    "#eef2f6 #e1e7ee #d3e4fa #e9edf2 #fdf3d0 #c9d1da"
    " #0b1016 #5c6775 #0a6bd6 #7d5c00 #c4161c #4d3f0f"
    " #04707d #1d7a34 #7430c9 #b3246f #5d6b00",
    dark=False,
)
CONTRAST = _theme(
    "high-contrast",
    "#000000 #ffffff #7fd4ff #7dffa0 #ffb347 #ff9c96",
    "#000000 #2b2b2b #0040a8 #333333 #3d3500 #8c8c8c"
    " #ffffff #d0d0d0 #7fd4ff #ffe066 #ff9c96 #fff3b0"
    " #66f0ff #8dff9c #dcc2ff #ffb8dc #e6f06a",
    dark=True,
    contrast="7",
)
# Colours that every terminal has: Rich maps each to its own of the sixteen, so none is mixed.
SIXTEEN = _theme(
    "16-colours",
    "#000000 #aaaaaa #ffff55 #55ff55 #ff5555 #ff5555",
    "#000000 #000000 #0000aa #555555 #aaaaaa #555555"
    " #ffffff #aaaaaa #55ffff #ffff55 #ff5555 #ffffff"
    " #55ffff #55ff55 #ff55ff #ffffff #00aa00",
    dark=True,
    contrast="0",
    overdue="reverse",
)
# For NO_COLOR, on any terminal: what is urgent is brighter than the text, never dimmer.
GREYS = _theme(
    "greys",
    "#000000 #aaaaaa #ffffff #ffffff #ffffff #ffffff",
    "#000000 #000000 #ffffff #555555 #aaaaaa #555555"
    " #ffffff #aaaaaa #ffffff #ffffff #ffffff #ffffff"
    " #ffffff #aaaaaa #aaaaaa #aaaaaa #aaaaaa",
    dark=True,
    contrast="0",
    overdue="reverse",
)

# `OWN_THEMES` of the settings names them.
THEMES = (DARK, LIGHT, CONTRAST, SIXTEEN, GREYS)


def configured_name(theme: str) -> str:
    """Name in the configuration of a theme of Textual."""
    return theme.removeprefix("frontdesk-")


# Inks of the stylesheets, and the backgrounds that they are used on.
_INKS = ("foreground", "accent", "success", "warning", "error", "fd-dim", "fd-note", "fd-strong")
_GROUNDS = ("background", "fd-card")


def theme_variables(theme: Theme) -> Mapping[str, str]:
    """This program's variables for a theme that lacks them, mixed from its colours."""
    own = dict((DARK if theme.dark else LIGHT).variables)
    own = {name: value for name, value in own.items() if name.startswith("fd-")}
    if theme.ansi:
        return own
    colours = theme.to_color_system().generate()
    ground, text = (Color.parse(colours[name]) for name in ("background", "foreground"))
    accent, warning = (Color.parse(colours[name]) for name in ("accent", "warning"))
    mixed = {
        "fd-bar": ground.blend(text, 0.05),
        "fd-card": ground.blend(text, 0.1),
        "fd-chosen": ground.blend(accent, 0.22),
        "fd-chosen-off": ground.blend(text, 0.1),
        "fd-note-ground": ground.blend(warning, 0.14),
        "fd-line": ground.blend(text, 0.2),
        "fd-strong": text.blend(Color.parse("#ffffff" if theme.dark else "#000000"), 0.6),
        "fd-dim": text.blend(ground, 0.4),
    }
    return {**own, **{name: colour.hex for name, colour in mixed.items()}}


def legible_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables with inks that have the theme's contrast on the grounds of the stylesheets."""
    least, corrected = float(variables["fd-contrast"]), dict(variables)
    for ink in _INKS:
        colour = Color.parse(variables[ink])
        for ground in _GROUNDS:
            colour = legible(colour, Color.parse(variables[ground]), least)
        corrected[ink] = variables[ink] if colour.ansi is not None else colour.hex
    return corrected


def luminance(colour: Color) -> float:
    """Relative luminance, 0 for black to 1 for white."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour.normalized
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first: Color, second: Color) -> float:
    """Contrast ratio, 1 to 21."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


@lru_cache(4096)
def legible(ink: Color, ground: Color, least: float) -> Color:
    """`ink`, moved towards white or black in steps of 5 % until its contrast is at least `least`.

    Colours of the terminal's own palette are unknown, and stay as they are.
    """
    if ink.ansi is not None or ground.ansi is not None:
        return ink
    goal = Color.parse("#ffffff" if luminance(ground) < 0.18 else "#000000")
    mixes = (ink.blend(goal, step / 20) for step in range(21))
    return next((mix for mix in mixes if contrast(mix, ground) >= least), goal)


def tint(colour: Color, ground: Color, least: float) -> Color:
    """Ground of a chip: a share of a label's colour, small enough for letters to be legible."""
    dark = luminance(ground) < 0.18
    goal = Color.parse("#ffffff" if dark else "#000000")
    shares = (0.2, 0.1, 0.05) if least > 4.5 else (0.15,) if dark else (0.11,)
    mixes = (ground.blend(colour, share) for share in shares)
    return next((mix for mix in mixes if contrast(mix, goal) >= least), ground)


_PACKAGE = Path(__file__).resolve().parents[1]
_IN_WHEEL = _PACKAGE / "styles"
_IN_CHECKOUT = _PACKAGE.parents[1] / "styles"

STYLES = _IN_WHEEL if _IN_WHEEL.is_dir() else _IN_CHECKOUT
