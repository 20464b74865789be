"""Invariants of a running viewer: its place is kept, and nothing old is called live."""

import re
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from textual.app import App

from frontdesk.text.clean import clean
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.widgets.virtual_list import VirtualList
from tests.soak.faults import FaultyTransport
from tests.soak.virtual_loop import VirtualLoop
from tests.tui.screen_text import strips

# What the server is asked unasked; everything else goes on because of a key.
_UNASKED = {"begin", "refresh", "names", "thread", "ahead"}
# A request that is held for nothing is given up after a minute, and the list asked for.
_FRESH_SECONDS = 125.0
_LIVE = re.compile(r"\blive\b")


@dataclass(frozen=True)
class _List:
    """Where the reader is in a list. shows: what it is a list of; seen: the rows in view.

    at_end: the last row is in view, and the first is not; follows: it stays so with new rows.
    """

    shows: object
    cursor: str | None
    top: tuple[str | None, int]
    at_end: bool
    follows: bool
    resting: bool
    height: int
    seen: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """Where the reader is."""

    queue: _List
    thread: _List


class Invariants:
    """Checks a running viewer; each check raises AssertionError."""

    def __init__(self, app: App[Any], network: FaultyTransport, loop: VirtualLoop) -> None:
        self._app = app
        self._network = network
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
        return all(worker.is_finished or worker.group in _UNASKED for worker in self._app.workers)

    def place(self) -> Place:
        inbox = self.inbox
        conversation = inbox.thread.conversation
        return Place(
            _list_of(inbox.queue.list, inbox.queue.inbox.view.shown),
            _list_of(
                inbox.thread.messages, (conversation and conversation.id, inbox.thread.filter)
            ),
        )

    def check_place(self, before: Place) -> None:
        """Without a key, the reader is where they were."""
        after = self.place()
        _check_list(self.inbox.queue.list, before.queue, after.queue)
        same_row = before.queue.cursor == after.queue.cursor
        if same_row and before.queue.shows == after.queue.shows:
            assert before.thread.shows == after.thread.shows, "another conversation is open"
        _check_list(self.inbox.thread.messages, before.thread, after.thread)

    def check_selection(self, before: Place) -> None:
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

    def check_frames(self) -> None:
        """No frame has said anything untrue."""
        wrong: str | None = self._app.wrong  # type: ignore[attr-defined]
        assert wrong is None, wrong

    def check_freshness(self) -> None:
        """What is called live is what the server had."""
        words = self.inbox.query_one("#status").words  # type: ignore[attr-defined]
        live = _LIVE.search(words)
        # A search asks for the first page too, in the order of waiting.
        groups = {*_UNASKED, "find"}
        asking = any(
            not worker.is_finished and worker.group in groups for worker in self._app.workers
        )
        if live is None or asking:
            return
        came_at = self._network.came_at(self.inbox.queue.inbox.view.shown.filter.parameters())
        assert came_at is not None, f"not live: {words}"
        age = self._loop.time() - came_at
        assert age < _FRESH_SECONDS, f"{age:.0f} seconds old: {words}"
        self._check_thread_freshness()

    def _check_thread_freshness(self) -> None:
        conversation = self.inbox.thread.conversation
        if conversation is None:
            return
        path = f"/v1/conversations/{conversation.id}/messages"
        foot = self.inbox.panes["thread"].foot
        if self._network.heads.get(path) is False and foot is not None:
            assert "as of" in foot.words or not self.inbox.thread.messages.row, (
                f"the thread is not what the server has: {foot.words}"
            )

    def check_drawing(self) -> None:
        """Every line is as wide as the screen, and nothing in it is an order to the terminal."""
        width = self._app.size.width
        for line in strips(self._app.screen):
            text = line.text
            assert clean(text) == text, repr(text)
            assert cell_len(text) == width, f"{cell_len(text)} of {width} cells: {text!r}"


def _list_of(one: VirtualList[Any], shows: object) -> _List:
    rows = one.rows
    place, at_end = one.place, one.at_end and not one.at_start
    return _List(
        shows,
        one.selected_key,
        (place.top, place.line) if place is not None else (None, 0),
        at_end,
        one.FOLLOWS_END and at_end,
        one.at_start,
        one.size.height,
        tuple(rows.key(at) for at in one.in_view()) if rows is not None else (),
    )


def _has(one: VirtualList[Any], key: str | None) -> bool:
    return key is not None and one.rows is not None and one.rows.find(key) is not None


def _check_list(one: VirtualList[Any], before: _List, after: _List) -> None:
    name = type(one).__name__
    if before.shows != after.shows:
        return
    if _has(one, before.cursor) and not before.follows:
        assert after.cursor == before.cursor, f"{name}: the selection went {before} -> {after}"
    if before.follows or before.resting or not _has(one, before.top[0]):
        return
    top = one.rows.find(before.top[0]) if before.top[0] else None
    places = [one.rows.find(key) for key in before.seen]
    # Rows of the window that are no longer below its top: they have left, or moved up.
    are_gone = any(place is None or (top is not None and place < top) for place in places)
    if before.at_end and (after.height != before.height or are_gone):
        # There is no space below the last row.
        return
    assert after.top == before.top, f"{name}: the place went {before} -> {after}"
