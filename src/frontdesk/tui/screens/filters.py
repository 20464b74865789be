"""Filter menu of the conversation list, and the values of each filter."""

from collections.abc import Sequence
from typing import Any

from frontdesk.mailbox import Mailbox
from frontdesk.tui.screens.choices import Choice, Entry
from frontdesk.tui.screens.inbox_words import count_for
from frontdesk.tui.screens.saved_views import DIGITS
from frontdesk.tui.screens.sieve import NEWEST, ORDERS, Sieve, View
from frontdesk.wire import ConversationFilter, Counts
from frontdesk.wire.values import STATUSES

ANY = ""

FILTER_MENU = (
    Entry("s", "status", "status"),
    Entry("a", "assignee", "assignee"),
    Entry("c", "channel", "channel"),
    Entry("l", "label", "label"),
    Entry("m", "mine", "mine"),
    Entry("n", "nobody", "nobody's (unassigned)"),
    Entry("o", "open", "open"),
    Entry("z", "snoozed", "snoozed"),
    Entry("r", "resolved", "resolved"),
    Entry("h", "awaiting_human", "~ needs a human"),
    Entry("u", "unread", "~ unread"),
    Entry("t", "text", "~ text…"),
    Entry("x", "clear", "clear all filters"),
    Entry("k", "keep", "keep this view on a key…"),
)

ORDER_MENU = tuple(
    Entry(letter, order, words + ("" if order == NEWEST else "  ~"))
    for letter, (order, words) in zip("nowc", ORDERS.items(), strict=True)
)

KEEP_MENU = tuple(Entry(digit, digit, f"key {digit}") for digit in DIGITS)

# Menu letters that set several members of the filter at once.
_QUICK: dict[str, dict[str, str]] = {
    "mine": {"assignee": "me"},
    "nobody": {"assignee": "unassigned"},
    "open": {"status": "open"},
    "snoozed": {"status": "snoozed"},
    "resolved": {"status": "resolved"},
}


def quickly(view: View, name: str) -> View | None:
    """Apply a menu entry that needs no value; None for entries that do."""
    if name in _QUICK:
        return with_filter(view, **_QUICK[name])
    if name in ("unread", "awaiting_human"):
        return with_sieve(view, **{name: not getattr(view.sieve, name)})
    if name == "clear":
        cleared = with_filter(view, assignee=None, channel=None, label=None)
        return cleared.model_copy(update={"sieve": Sieve()})
    return None


def with_filter(view: View, **changes: str | None) -> View:
    """Copy of a view with members of the server filter set; None removes one."""
    changed = ConversationFilter(**{**dict(view.filter), **changes})
    return view.model_copy(update={"filter": changed})


def with_sieve(view: View, **changes: Any) -> View:
    """Copy of a view with members of the local filter set."""
    return view.model_copy(update={"sieve": view.sieve.model_copy(update=changes)})


def without(view: View, name: str) -> View:
    """Copy of a view without one chip, see `inbox_words.chips`."""
    if name in ConversationFilter.model_fields:
        return with_filter(view, **{name: None})
    if name == "contact":
        return with_sieve(view, contact="", contact_name="")
    return with_sieve(view, **{name: Sieve.model_fields[name].default})


def of_contact(id: str, name: str) -> View:
    """View of one contact's conversations, on any channel and with any status."""
    return View(sieve=Sieve(contact=id, contact_name=name))


def choices_for(
    name: str, chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None
) -> Sequence[Choice]:
    """Values of a filter, `ANY` first, with counts where they are known."""
    return [_any(name), *_CHOICES[name](chosen, mailbox, counts)]


def _any(name: str) -> Choice:
    return Choice(ANY, {"assignee": "anybody", "channel": "all channels"}.get(name, f"any {name}"))


def _statuses(chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None) -> list[Choice]:
    return [Choice(s, s, _count(counts, chosen, "status", s)) for s in STATUSES]


def _assignees(chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None) -> list[Choice]:
    words = [("unassigned", "nobody (unassigned)"), ("assigned", "somebody (assigned)")]
    if mailbox.state_of("me") != "absent" and (counts is None or counts.mine is not None):
        words.insert(0, ("me", "me (mine)"))
    choices = [Choice(w, text, _count(counts, chosen, "assignee", w)) for w, text in words]
    return choices + [
        Choice(user.id, user.name, user.availability or "") for user in mailbox.catalogues.users()
    ]


def _channels(chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None) -> list[Choice]:
    told = counts.by_channel if counts else ()
    open_in = {one.channel: f"{one.open} open" for one in told if one.open is not None}
    return [
        Choice(channel.id, channel.name, open_in.get(channel.id, ""))
        for channel in mailbox.catalogues.channels()
    ]


def _labels(chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None) -> list[Choice]:
    """Labels, with counts for those whose counts are cached."""
    return [
        Choice(
            label.title,
            f"#{label.title}",
            _count(
                mailbox.counts(ConversationFilter(channel=chosen.channel, label=label.title)),
                chosen,
                "label",
                label.title,
            ),
        )
        for label in mailbox.catalogues.labels()
    ]


_CHOICES = {
    "status": _statuses,
    "assignee": _assignees,
    "channel": _channels,
    "label": _labels,
}


def _count(counts: Counts | None, chosen: ConversationFilter, name: str, value: str) -> str:
    number = count_for(counts, chosen.model_copy(update={name: value}))
    return "" if number is None else str(number)
