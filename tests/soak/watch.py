"""What must hold whatever happens: nothing crashes, the place is kept, old is not called live."""

import re
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from textual.app import App

from frontdesk.text import clean
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.inbox.thread_pane import SEARCH
from frontdesk.tui.widgets.virtual_list import VirtualList
from tests.soak.virtual import VirtualLoop
from tests.soak.weather import Weather

# What the server is asked unasked; everything else goes on because of a key.
_UNASKED = {"begin", "queue", "thread", "ahead"}
# An age is counted in whole minutes, and brought up to date once a minute.
_FRESH_SECONDS = 125.0
_LIVE = re.compile(r"\blive\b(?: · (\d+)m ago)?")


@dataclass(frozen=True)
class _List:
    """Where the reader is in a list. shows: what it is a list of; seen: the rows in view."""

    shows: object
    cursor: str | None
    top: tuple[str | None, int]
    follows: bool
    resting: bool
    seen: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """Where the reader is."""

    queue: _List
    thread: _List


class Watch:
    """Looks at a running viewer."""

    def __init__(self, app: App[Any], weather: Weather, loop: VirtualLoop) -> None:
        self._app = app
        self._weather = weather
        self._loop = loop

    @property
    def inbox(self) -> InboxScreen:
        """The screen below all others."""
        screen = self._app.screen_stack[0]
        assert isinstance(screen, InboxScreen)
        return screen

    @property
    def at_rest(self) -> bool:
        """Nothing goes on that a key began."""
        going_on = any(
            not worker.is_finished and worker.group not in _UNASKED for worker in self._app.workers
        )
        lists = self.inbox.queue.list, self.inbox.thread.messages
        return not going_on and not any(one._bound_for for one in lists)

    def place(self) -> Place:
        inbox = self.inbox
        conversation = inbox.thread.conversation
        return Place(
            _list_of(inbox.queue.list, inbox.queue.plan),
            _list_of(
                inbox.thread.messages, (conversation and conversation.id, inbox.thread.filter)
            ),
        )

    def kept(self, before: Place) -> None:
        """Without a key, the reader is where they were."""
        after = self.place()
        _kept(self.inbox.queue.list, before.queue, after.queue)
        same_row = before.queue.cursor == after.queue.cursor
        if same_row and before.queue.shows == after.queue.shows:
            assert before.thread.shows == after.thread.shows, "another conversation is open"
        _kept(self.inbox.thread.messages, before.thread, after.thread)

    def selected(self, before: Place) -> None:
        """After a resize, the same rows are selected, and in view if they were."""
        after = self.place()
        for one, was, now in (
            (self.inbox.queue.list, before.queue, after.queue),
            (self.inbox.thread.messages, before.thread, after.thread),
        ):
            if was.shows == now.shows and was.cursor is not None and _has(one, was.cursor):
                assert now.cursor == was.cursor, "the selection is lost"
                if was.cursor in was.seen and one.size.height and one.is_on_screen:
                    assert now.cursor in now.seen, f"out of view: {one} {one.size} {was} -> {now}"

    def true(self) -> None:
        """No frame has said anything untrue."""
        wrong: str | None = self._app.wrong  # type: ignore[attr-defined]
        assert wrong is None, wrong

    def honest(self) -> None:
        """What is called live is what the server had."""
        words = self.inbox.query_one("#status").words  # type: ignore[attr-defined]
        live = _LIVE.search(words)
        # A search asks for the first page too, in the order of waiting.
        groups = {*_UNASKED, SEARCH}
        asking = any(
            not worker.is_finished and worker.group in groups for worker in self._app.workers
        )
        if live is None or asking:
            return
        assert self._weather.queue_arrived, f"not live: {words}"
        age = self._loop.time() - self._weather.head_at
        told = 60.0 * int(live[1] or 0)
        assert age < told + _FRESH_SECONDS, f"{age:.0f} seconds old: {words}"
        self._honest_thread()

    def _honest_thread(self) -> None:
        conversation = self.inbox.thread.conversation
        if conversation is None:
            return
        path = f"/v1/conversations/{conversation.id}/messages"
        foot = self.inbox.panes["thread"].foot
        if self._weather.heads.get(path) is False and foot is not None:
            assert "as of" in foot.words or not self.inbox.thread.messages.row, (
                f"the thread is not what the server has: {foot.words}"
            )

    def drawn(self) -> None:
        """Every line is as wide as the screen, and nothing in it is an order to the terminal."""
        width = self._app.size.width
        for line in self._app.screen._compositor.render_strips():
            text = "".join(segment.text for segment in line)
            assert clean(text) == text, repr(text)
            assert cell_len(text) == width, f"{cell_len(text)} of {width} cells: {text!r}"


def _list_of(one: VirtualList[Any], shows: object) -> _List:
    rows = one.rows
    placed = one._window.visible() if rows is not None else []
    return _List(
        shows,
        one.selected_key,
        (one._top_key, one._window.top[1]),
        one._following,
        one.at_start,
        tuple(rows.key(row.position) for row in placed) if rows is not None else (),
    )


def _has(one: VirtualList[Any], key: str | None) -> bool:
    return key is not None and one.rows is not None and one.rows.find(key) is not None


def _kept(one: VirtualList[Any], before: _List, after: _List) -> None:
    name = type(one).__name__
    if before.shows != after.shows:
        return
    if _has(one, before.cursor) and not before.follows:
        assert after.cursor == before.cursor, f"{name}: the selection went {before} -> {after}"
    if before.follows or before.resting or not _has(one, before.top[0]):
        return
    assert after.top == before.top, f"{name}: the place went {before} -> {after}"
