"""Asks for a moment to come: by a letter, or in own words."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from textual.screen import Screen

from frontdesk.text.later import OWN_WORDS, coming_in_full, moment_of, usual_moments
from frontdesk.tui import sentences
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.base import MenuEntry


def ask_until(screen: Screen[Any], clock: Clock, use: Callable[[datetime], object]) -> None:
    """Ask for a moment to come by a letter, or in own words, and call `use` with it."""
    now = clock.now()
    usual = usual_moments(now, clock.zone)
    moments = {one.letter: moment_of(one.text, now, clock.zone) for one in usual}
    width = max(len(one.words) for one in usual)
    entries = [
        MenuEntry(one.letter, one.letter, f"{one.words:{width}}  {coming_in_full(here)}")
        for one in usual
        if (here := clock.here(moments[one.letter])) is not None
    ]
    entries.append(MenuEntry(OWN_WORDS, OWN_WORDS, sentences.FOLLOW_UP_IN_WORDS))

    def use_entry(letter: str) -> None:
        if letter == OWN_WORDS:
            _ask_in_words(screen, clock, use)
        else:
            use(moments[letter])

    dialogs.ask(screen.app, dialogs.menu(sentences.FOLLOW_UP_TITLE, entries), use_entry)


def _ask_in_words(screen: Screen[Any], clock: Clock, use: Callable[[datetime], object]) -> None:
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
