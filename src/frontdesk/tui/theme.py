"""Colour themes: dark, light and high contrast.

Directory of the .tcss files: `frontdesk/styles` in a wheel, `styles/` in a checkout.
"""

from pathlib import Path

from textual.theme import Theme

DARK = Theme(
    name="frontdesk-dark",
    primary="#5fb3d9",
    secondary="#3f7f9f",
    accent="#f2b84b",
    warning="#f0a35e",
    error="#f2777a",
    success="#7fc98b",
    foreground="#e4e6eb",
    background="#14171c",
    surface="#191d23",
    panel="#222831",
    dark=True,
    variables={
        "fd-dim": "#98a2b3",
        "fd-note": "#d9c57a",
        "fd-line": "#39414d",
        "fd-chip": "#2b3440",
        "fd-thumb": "#5b6675",
    },
)

LIGHT = Theme(
    name="frontdesk-light",
    primary="#0b6a94",
    secondary="#33789a",
    accent="#8a5a00",
    warning="#9a4b00",
    error="#b3242b",
    success="#1f7a35",
    foreground="#1c2430",
    background="#fbfbf9",
    surface="#f2f2ee",
    panel="#e6e7e2",
    dark=False,
    variables={
        "fd-dim": "#56606e",
        "fd-note": "#6b5500",
        "fd-line": "#c3c7c9",
        "fd-chip": "#dfe3e6",
        "fd-thumb": "#848e9a",
    },
)

CONTRAST = Theme(
    name="frontdesk-high-contrast",
    primary="#7fdcff",
    secondary="#7fdcff",
    accent="#ffd75f",
    warning="#ffb86b",
    error="#ff9a9a",
    success="#8cff9e",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#1c1c1c",
    dark=True,
    variables={
        "fd-dim": "#d0d0d0",
        "fd-note": "#ffff87",
        "fd-line": "#9e9e9e",
        "fd-chip": "#303030",
        "fd-thumb": "#bcbcbc",
    },
)

THEMES = (DARK, LIGHT, CONTRAST)


_PACKAGE = Path(__file__).resolve().parents[1]
_IN_WHEEL = _PACKAGE / "styles"
_IN_CHECKOUT = _PACKAGE.parents[1] / "styles"

STYLES = _IN_WHEEL if _IN_WHEEL.is_dir() else _IN_CHECKOUT
