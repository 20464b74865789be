"""Factories of the inbox dialogs, each of which is imported on first use to shorten start-up."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from textual.app import App
from textual.screen import Screen

from frontdesk.tui.dialogs.base import Choice, MenuEntry, V

R = TypeVar("R")


def ask(app: App[Any], dialog: Screen[R | None], use: Callable[[R], object]) -> None:
    """Open a dialog, and call `use` with its result unless it is cancelled."""

    def use_result(result: R | None) -> None:
        if result is not None:
            use(result)

    app.push_screen(dialog, use_result)


def menu(
    title: str, entries: Sequence[MenuEntry[V]], *, current: V | None = None
) -> Screen[V | None]:
    """Select one of a few entries by a letter."""
    from frontdesk.tui.dialogs.picker import Menu

    return Menu(title, entries, current=current)


def picker(
    title: str, choices: Sequence[Choice[V]], *, current: V | None, remark: str = ""
) -> Screen[V | None]:
    """Select one of many entries by typing a part of the label."""
    from frontdesk.tui.dialogs.picker import Picker

    return Picker(title, choices, current=current, remark=remark)


def filter_picker(
    kind: str, choices: Sequence[Choice[str]], *, current: Sequence[str], remark: str = ""
) -> Screen[tuple[str, ...] | None]:
    """Select one or several values of a filter. kind: what the values are, such as "label"."""
    from frontdesk.tui.dialogs.picker import FilterPicker

    return FilterPicker(f"Filter by {kind}", choices, current=current, remark=remark)


def prompt(
    mark: str,
    *,
    value: str = "",
    placeholder: str = "",
    check: Callable[[str], str | None] = lambda answer: None,
    problem: str = "",
    preview: Callable[[str], str] | None = None,
    may_be_blank: bool = False,
) -> Screen[str | None]:
    """Enter a line of text; `check` returns an error message, or None for valid text.

    problem: the error message at first. preview: what a text means, or what to write. may_be_blank:
    a blank text is an answer.
    """
    from frontdesk.tui.dialogs.prompt import Prompt

    return Prompt(
        mark,
        value=value,
        placeholder=placeholder,
        check=check,
        problem=problem,
        preview=preview,
        may_be_blank=may_be_blank,
    )
