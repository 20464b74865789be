"""How a start would look from what is kept now: drawn on no terminal, as text for one.

And the driver of a viewer that goes on from there, on a terminal that shows it already.
"""

from typing import Any

from textual.driver import Driver

from frontdesk.cache import Cache
from frontdesk.errors import Unreachable
from frontdesk.mailbox import Mailbox, Source
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.preferences import Preferences

# What puts a terminal on its second screen.
SECOND_SCREEN = "\x1b[?1049h"


async def portrait(
    cache: Cache, title: str, preferences: Preferences, columns: int, lines: int
) -> str:
    """What a viewer draws on its first screen, before it has asked its server anything."""
    sitter = _Sitter(_Still(_nobody, cache), title=title, preferences=preferences)
    await sitter.run_async(headless=True, size=(columns, lines))
    return sitter.drawn


def going_on(driver_class: type[Driver]) -> type[Driver]:
    """A driver like another, for a terminal that is on its second screen already.

    To be put there again would clear what it shows.
    """

    class GoingOn(driver_class):  # type: ignore[misc, valid-type]
        _begun = False

        def write(self, data: str) -> None:
            if not self._begun and data == SECOND_SCREEN:
                self._begun = True
            else:
                super().write(data)

    return GoingOn


class _Still(Mailbox):
    """What is kept, for somebody who only looks: nothing is remembered of that."""

    def remember(self, name: str, value: str) -> None:
        """Not this time."""

    def mark_looked_at(self, conversation_id: str) -> None:
        """Nobody did."""


def _nobody() -> Source:
    """Instead of a client: the viewer leaves as soon as it has drawn its first screen."""
    raise Unreachable("Nothing is asked for a picture")


class _Sitter(FrontdeskApp):
    """Holds still until it is drawn."""

    drawn = ""

    def exit(self, *arguments: Any, **options: Any) -> None:
        update = self.screen._compositor.render_full_update()
        self.drawn = update.render_segments(self.console)
        super().exit(*arguments, **options)
