"""Uses of Textual's private names in tests, each with the public interface that is missing.

Of Textual 8.2.8:

- `textual._wait`: a pilot takes an app for idle that used no processor time for a fiftieth of a
  second, three times for each key. That is most of what a test would take, it is wrong where the
  process has to wait for its turn, and neither the time nor the measure can be set.
- `Pilot._wait_for_screen`: before and after each key a pilot waits for an answer of every widget,
  which have all been idle by then.
- `textual.active_app`: what a pilot waits with is not given the app.
- `textual._time.get_time`: timers wait on the clock on the wall, and no other can be given.
- `App._display`: what is written to a terminal is not rendered for the driver of tests.
- `Compositor.render_update`: a screen is drawn anew in the next frame only, timers run until then,
  and what is kept of its widgets cannot be dropped before.
- `Stylesheet._parse_rules`: every app parses the same style sheets, which is a tenth of a short
  test, and what was parsed cannot be handed to another app.
- `App._shutdown`: a test ends an app without its `exit`, with which the viewer cancels its workers.
- `Driver._size`: `Pilot.resize_terminal` changes the size, but then waits on the clock on the wall.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
import textual._wait
from textual import active_app, events  # type: ignore[attr-defined]
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.geometry import Size
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

# Turns in which nobody else had anything to do, and the most turns in which somebody always has.
_IDLE_TURNS, _MOST_TURNS = 20, 20_000
_ANSWER_SECONDS = 0.005


def hasten_pilots() -> None:
    """Take an app for idle when its event loop has had nothing to do for many turns."""
    textual._wait.SLEEP_IDLE = float("inf")
    textual._wait.sleep = _idle_turns  # type: ignore[attr-defined, assignment]

    async def idle_turns(pilot: Pilot[Any], *_: object) -> bool:
        await _some_idle_turns()
        return True

    Pilot._wait_for_screen = idle_turns  # type: ignore[assignment, method-assign]


def cancel_workers_first() -> None:
    """End an app as its `exit` does: what a worker still receives finds no widgets."""
    shutdown = App._shutdown

    async def shut_down(app: App[Any]) -> None:
        app.workers.cancel_all()
        await shutdown(app)

    App._shutdown = shut_down  # type: ignore[assignment, method-assign]


def share_styles() -> None:
    """Parse each style sheet once for all apps that have the same variables."""
    parse = Stylesheet._parse_rules
    shared: dict[tuple[object, ...], list[RuleSet]] = {}

    def parse_once(sheet: Stylesheet, *arguments: Any, **options: Any) -> list[RuleSet]:
        variables = tuple(sheet._variables.items())
        key = (variables, arguments, tuple(options.items()))
        if key not in shared:
            shared[key] = parse(sheet, *arguments, **options)
        return shared[key]

    Stylesheet._parse_rules = parse_once  # type: ignore[method-assign, assignment]


async def _idle_turns(_: float) -> None:
    """Wait for idle turns; if a worker is running, also for what a thread may answer it."""
    await _some_idle_turns()
    app = active_app.get(None)
    if app is None or not all(worker.is_finished for worker in app.workers):
        await asyncio.sleep(_ANSWER_SECONDS)
        await _some_idle_turns()
    await asyncio.sleep(0)


async def _some_idle_turns() -> None:
    """Wait until nothing but this task is scheduled, for several turns after each other."""
    loop = asyncio.get_running_loop()
    scheduled = 0
    call_soon = loop.call_soon

    def counted(*arguments: Any, **options: Any) -> asyncio.Handle:
        nonlocal scheduled
        scheduled += 1
        return call_soon(*arguments, **options)

    loop.call_soon = counted  # type: ignore[method-assign]
    try:
        idle = 0
        for _ in range(_MOST_TURNS):
            before = scheduled
            await asyncio.sleep(0)
            # This task itself is one of them.
            idle = idle + 1 if scheduled - before <= 1 else 0
            if idle == _IDLE_TURNS:
                return
    finally:
        loop.call_soon = call_soon  # type: ignore[method-assign]


@contextmanager
def timers_on(clock: Callable[[], float]) -> Iterator[None]:
    """Let timers wait on another clock."""
    with patch("textual._time.get_time", clock):
        yield


def display_on(draw: Callable[[App[Any], Any], None], patch: pytest.MonkeyPatch) -> None:
    """Give what an app displays to a function."""

    def display(app: App[Any], screen: Screen[Any], renderable: Any) -> None:
        # In a batch, nothing is sent.
        if not app._batch_count:
            draw(app, renderable)

    patch.setattr(App, "_display", display)


def rendered_anew(app: App[Any]) -> Any:
    """What all there is to see looks like, when nothing of it is kept."""
    for screen in app.screen_stack:
        for widget in screen.walk_children(Widget, with_self=True):
            widget.notify_style_update()
            widget._styles_cache.clear()
            widget._layout_cache.clear()
            widget._set_dirty()
            widget._repaint_regions.clear()
    return app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)


def resize(app: App[object], size: tuple[int, int]) -> None:
    """Give the terminal another size, and wait for nothing."""
    assert app._driver is not None
    app._driver._size = size
    app.post_message(events.Resize(Size(*size), Size(*size)))
