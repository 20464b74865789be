"""Text that an app has drawn, read from the strips of its widgets."""

from operator import itemgetter

from textual.app import App
from textual.errors import NoWidget
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget


def strips(screen: Screen[object]) -> list[Strip]:
    """Lines of a screen, each widget over those that are behind it."""
    width, height = screen.outer_size
    parts: list[list[tuple[int, Strip]]] = [[] for _ in range(height)]
    # Spans of each line that nothing in front covers.
    gaps = [[(0, width)] for _ in range(height)]
    for widget, region, seen in reversed(_in_view(screen)):
        if not any(_within(gaps[y], seen) for y in seen.line_range):
            continue
        drawn = widget.render_lines(seen.translate(-region.offset))
        for y, strip in zip(seen.line_range, drawn, strict=False):
            for start, end in _within(gaps[y], seen):
                parts[y].append((start, strip.crop(start - seen.x, end - seen.x)))
            gaps[y] = _outside(gaps[y], seen)
    for y, spans in enumerate(gaps):
        parts[y] += [(start, Strip.blank(end - start)) for start, end in spans]
    return [Strip.join(strip for _, strip in sorted(line, key=itemgetter(0))) for line in parts]


def _within(spans: list[tuple[int, int]], seen: Region) -> list[tuple[int, int]]:
    """The parts of spans of a line that a region covers."""
    parts = [(max(start, seen.x), min(end, seen.right)) for start, end in spans]
    return [(start, end) for start, end in parts if start < end]


def _outside(spans: list[tuple[int, int]], seen: Region) -> list[tuple[int, int]]:
    """The parts of spans of a line that a region does not cover."""
    parts = [
        part
        for start, end in spans
        for part in ((start, min(end, seen.x)), (max(start, seen.right), end))
    ]
    return [(start, end) for start, end in parts if start < end]


def parts_in_view(screen: Screen[object]) -> dict[Widget, Region]:
    """The cells of each widget in the last layout that are not cut off; they may be covered."""
    return {widget: seen for widget, _, seen in _in_view(screen)}


def lines(app: App[object]) -> list[str]:
    """Lines of the screen."""
    return [strip.text.rstrip() for strip in strips(app.screen)]


def shown(app: App[object]) -> str:
    """Text of the screen."""
    return "\n".join(lines(app))


def chosen_line(app: App[object]) -> str:
    """Text with the background of the selection, in the focused widget."""
    ground = app.screen.get_component_rich_style("part--chosen").bgcolor
    cells = (cell for strip in strips(app.screen) for cell in strip)
    return "".join(cell.text for cell in cells if cell.style and cell.style.bgcolor == ground)


def _in_view(screen: Screen[object]) -> list[tuple[Widget, Region, Region]]:
    """Widgets from the hindmost on, with their regions and the parts of these in view."""
    placed = []
    for widget in screen.walk_children(Widget, with_self=True):
        bars = [widget.vertical_scrollbar] if widget.show_vertical_scrollbar else []
        for one in (widget, *bars):
            try:
                place = screen.find_widget(one)
            except NoWidget:
                continue
            seen = place.region.intersection(place.clip).intersection(screen.outer_size.region)
            if seen and one.visible:
                placed.append((place.order, one, place.region, seen))
    placed.sort(key=lambda each: each[0])
    return [(widget, region, seen) for _, widget, region, seen in placed]
