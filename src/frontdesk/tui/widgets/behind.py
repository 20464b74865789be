"""What is seen through a dialog: the screen behind it, under the dialog's own colour."""

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.color import Color
from textual.css.styles import RulesMap
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import Screen
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual


class Behind(Visual):
    """Looks like Textual's `BackgroundScreen`, which mixes the colours of every piece anew."""

    def __init__(self, screen: Screen[object], color: Color) -> None:
        """color: with the share that it has of what is seen."""
        self._screen = screen
        self._color = color

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        return [
            Strip(
                [Segment(text, _tinted(look, self._color)) for text, look, _ in strip],
                strip.cell_length,
            )
            for strip in self._screen._compositor.render_strips()
        ]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return self._screen.size.width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return self._screen.size.height


@lru_cache(maxsize=2_000)
def _tinted(look: RichStyle | None, color: Color) -> RichStyle | None:
    (segment,) = BackgroundScreen.process_segments([Segment("", look)], color)
    return segment.style
