"""Asks until when conversations are hidden, and shows which moment that is."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from textual.screen import Screen

from frontdesk.text.later import coming_in_full, moment_of
from frontdesk.tui import sentences
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs import factories as dialogs


def ask_until(screen: Screen[Any], clock: Clock, use: Callable[[datetime], object]) -> None:
    """Ask for a moment to come, and call `use` with it."""

    def check(text: str) -> str | None:
        try:
            moment_of(text, clock.now(), clock.zone)
        except ValueError as error:
            return str(error)
        return None

    def preview(text: str) -> str:
        if not text or check(text) is not None:
            return sentences.FOLLOW_UP_EXAMPLES
        moment = clock.here(moment_of(text, clock.now(), clock.zone))
        assert moment is not None
        return sentences.FOLLOW_UP_AT.format(time=coming_in_full(moment))

    def use_text(text: str) -> None:
        use(moment_of(text, clock.now(), clock.zone))

    prompt = dialogs.prompt("follow up ", placeholder="in 1h", check=check, preview=preview)
    dialogs.ask(screen.app, prompt, use_text)
