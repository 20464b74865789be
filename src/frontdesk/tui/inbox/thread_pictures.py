"""Loads the pictures of a thread that are in view."""

import asyncio

from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from frontdesk.errors import InboxError
from frontdesk.tui.pictures import Pictures, is_lasting, why_missing
from frontdesk.tui.widgets.message_list import Thread

# Before pictures are fetched, their rows have been in view for this time.
REST_SECONDS = 0.3
# A file that was not fetched yet by the server, or could not be reached, is tried again after this.
AGAIN_SECONDS = 10.0
_AT_ONCE = 2


class ThreadPictures:
    """Fetches, once the rows of a thread rest, the pictures in view; the newest first.

    node: the widget whose workers these are.
    """

    def __init__(self, node: Widget, thread: Thread, pictures: Pictures) -> None:
        self._node, self._thread, self._pictures = node, thread, pictures
        self._rest: Timer | None = None
        if pictures.by_terminal:
            node.app.screen_change_signal.subscribe(node, self._hide_behind)
            node.app.app_resume_signal.subscribe(node, lambda _: self._send_again())

    def _hide_behind(self, shown: Screen[object]) -> None:
        """Draw no picture behind a dialog, whose shade changes colours, and so numbers."""
        self._thread.pictures.hidden = shown is not self._node.screen
        self._thread.show_pictures()

    def _send_again(self) -> None:
        """Another program had the terminal, which may have forgotten its pictures."""
        self._pictures.drop(*self._thread.pictures.clear())
        self._thread.show_pictures()
        self.want()

    def want(self) -> None:
        """Pictures have come into view: wait for a rest, then load them."""
        self._begin_rest(REST_SECONDS)

    def _begin_rest(self, seconds: float) -> None:
        if self._rest is not None:
            self._rest.stop()
        self._rest = self._node.set_timer(seconds, self._load)

    def _load(self) -> None:
        """Load what is in view now, in place of what was before."""
        self._node.run_worker(self._load_all(), group="pictures", exclusive=True)

    async def _load_all(self) -> None:
        wanted, places = self._thread.wanted_pictures(), asyncio.Semaphore(_AT_ONCE)
        for _, shown in wanted:
            self._thread.pictures.expect(shown.key)
        self._thread.show_pictures()
        again = False

        async def load(key: str, columns: int, lines: int) -> None:
            nonlocal again
            async with places:
                again = not await self._load_one(key, columns, lines) or again

        await asyncio.gather(*(load(shown.key, *shown.size) for _, shown in wanted))
        if again:
            self._begin_rest(AGAIN_SECONDS)

    async def _load_one(self, key: str, columns: int, lines: int) -> bool:
        """Load a picture, or say why it is missing; False if it may be there later."""
        drawn, grey = self._thread.pictures, self._node.app.no_color
        try:
            drawing = await self._pictures.draw(key, columns, lines, grey=grey)
        except InboxError as error:
            drawn.say(key, why_missing(error), lasting=is_lasting(error))
            return is_lasting(error)
        finally:
            self._thread.show_pictures()
        self._pictures.drop(*drawn.put(key, (columns, lines), drawing))
        self._thread.show_pictures()
        return True
