"""Asking for a filter by keyboard, one letter for what to filter by, then a choice."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import ValidationError
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from frontdesk.mailbox import Mailbox
from frontdesk.tui.screens.inbox_words import count_for
from frontdesk.tui.screens.picker import Choice
from frontdesk.wire import ConversationFilter, Counts
from frontdesk.wire.queries import STATUSES

ANY = ""
_LETTERS = {
    "s": ("status", "status"),
    "a": ("assignee", "assignee"),
    "c": ("channel", "channel"),
    "l": ("label", "label"),
    "x": ("clear", "clear all filters"),
}


class FilterMenu(ModalScreen[str | None]):
    """Answers with what to filter by: status, assignee, channel, label, clear, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Back", id="filter.leave"),
        *(
            Binding(letter, f"take('{name}')", words, id=f"filter.{name}")
            for letter, (name, words) in _LETTERS.items()
        ),
    ]

    def compose(self) -> ComposeResult:
        with Vertical(id="menu"):
            yield Static("Filter by", id="menu-title", markup=False)
            for letter, (_, words) in _LETTERS.items():
                yield Static(f" {letter}  {words}", markup=False)
            yield Static("esc back", id="menu-keys", markup=False)

    def action_take(self, name: str) -> None:
        self.dismiss(name)

    def action_leave(self) -> None:
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss(None)


def choices_for(
    name: str, chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None
) -> Sequence[Choice]:
    """What a filter may be set to, the empty value for "any" first, with counts where known."""
    return [_any(name), *_CHOICES[name](chosen, mailbox, counts)]


def _any(name: str) -> Choice:
    return Choice(ANY, {"assignee": "anybody", "channel": "all channels"}.get(name, f"any {name}"))


def _statuses(chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None) -> list[Choice]:
    return [Choice(s, s, _count(counts, chosen, "status", s)) for s in STATUSES]


def _assignees(chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None) -> list[Choice]:
    words = [("unassigned", "nobody (unassigned)"), ("assigned", "somebody (assigned)")]
    if counts is None or counts.mine is not None:
        words.insert(0, ("me", "me (mine)"))
    choices = [Choice(w, text, _count(counts, chosen, "assignee", w)) for w, text in words]
    return choices + [
        Choice(user.id, user.name, user.availability or "") for user in mailbox.catalogues.users()
    ]


def _channels(chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None) -> list[Choice]:
    open_in = {entry.channel: entry.open for entry in counts.by_channel} if counts else {}
    return [
        Choice(
            channel.id, channel.name, f"{open_in[channel.id]} open" if channel.id in open_in else ""
        )
        for channel in mailbox.catalogues.channels()
    ]


def _labels(chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None) -> list[Choice]:
    return [Choice(label.title, f"#{label.title}") for label in mailbox.catalogues.labels()]


_CHOICES = {
    "status": _statuses,
    "assignee": _assignees,
    "channel": _channels,
    "label": _labels,
}


def _count(counts: Counts | None, chosen: ConversationFilter, name: str, value: str) -> str:
    number = count_for(counts, chosen.model_copy(update={name: value}))
    return "" if number is None else str(number)


def stored_filter(text: str | None) -> ConversationFilter | None:
    """The filter that was remembered as JSON; None if there is none or it cannot be read."""
    if text is None:
        return None
    try:
        return ConversationFilter.model_validate_json(text)
    except ValidationError:
        return None


def first_filter(counts: Counts | None) -> ConversationFilter:
    """Where an inbox opens that has nothing remembered: the first status that is not empty."""
    for status in STATUSES:
        if count_for(counts, ConversationFilter(status=status)):
            return ConversationFilter(status=status)
    return ConversationFilter(status=STATUSES[0])
