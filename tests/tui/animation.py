"""Joins screenshots into one SVG that shows them in turn, for as long as each asks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_VIEW_BOX = re.compile(r'viewBox="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Frame:
    """A screenshot as SVG and the seconds for which it is shown."""

    picture: str
    seconds: float


def animated(frames: Sequence[Frame]) -> str:
    """Return an SVG that repeats the frames for ever; all have the size of the first.

    Programs that do not run animations show the first frame.
    """
    box = _VIEW_BOX.search(frames[0].picture)
    assert box is not None
    whole = sum(frame.seconds for frame in frames)
    rules, pictures, start = [], [], 0.0
    for number, frame in enumerate(frames):
        end = start + frame.seconds
        rules.append(_rule(number, 100 * start / whole, 100 * end / whole, whole))
        pictures.append(f'<g class="frame-{number}">\n{frame.picture}\n</g>')
        start = end
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box[1]}">\n'
        f"<style>\n{''.join(rules)}</style>\n{chr(10).join(pictures)}\n</svg>\n"
    )


def _rule(number: int, start: float, end: float, whole: float) -> str:
    """Return the style of a frame; start and end are percent of the animation."""
    first = "visible" if number == 0 else "hidden"
    steps = f"0% {{visibility: {first}}} {start:.2f}% {{visibility: visible}} "
    steps += f"{end:.2f}% {{visibility: hidden}} 100% {{visibility: hidden}}"
    return (
        f".frame-{number} {{visibility: {first}; "
        f"animation: show-{number} {whole:g}s step-end infinite}}\n"
        f"@keyframes show-{number} {{{steps}}}\n"
    )
