"""Filter menu of the conversation list, and the values of each filter.

Saved views on the keys 5 to 9: defaults and the user's changes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import from_json, to_json

from frontdesk.mailbox import Mailbox
from frontdesk.tui.dialogs.choices import Choice, MenuEntry
from frontdesk.tui.labels import count_for
from frontdesk.tui.local_filter import NEWEST, ORDERS, Sieve, View
from frontdesk.wire import ConversationFilter, Counts
from frontdesk.wire.values import STATUSES

DIGITS = ("5", "6", "7", "8", "9")

FIRST_VIEWS: Mapping[str, View] = {
    "5": View(filter=ConversationFilter(status="open", assignee="me")),
    "6": View(filter=ConversationFilter(status="open", assignee="unassigned")),
    "7": View(filter=ConversationFilter(status="open"), sieve=Sieve(awaiting_human=True)),
    "8": View(filter=ConversationFilter(status="snoozed")),
    "9": View(filter=ConversationFilter(status="resolved")),
}

_NAME = "inbox.views"


class SavedViews:
    """Saved views, stored per server and key in the local database."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox

    def of(self, digit: str) -> View:
        """View of a key."""
        return self._kept().get(digit, FIRST_VIEWS[digit])

    def save(self, digit: str, view: View) -> None:
        """Assign a view to a key."""
        kept = {
            key: one.model_dump(mode="json") for key, one in {**self._kept(), digit: view}.items()
        }
        self._mailbox.set_setting(_NAME, to_json(kept).decode())

    def _kept(self) -> dict[str, View]:
        text = self._mailbox.get_setting(_NAME)
        try:
            kept = from_json(text) if text else {}
            return {digit: View.model_validate(members) for digit, members in kept.items()}
        except (ValueError, AttributeError):
            return {}


ANY = ""

FILTER_MENU = (
    MenuEntry("s", "status", "status"),
    MenuEntry("a", "assignee", "assignee"),
    MenuEntry("c", "channel", "channel"),
    MenuEntry("l", "label", "label"),
    MenuEntry("m", "mine", "mine"),
    MenuEntry("n", "nobody", "nobody's (unassigned)"),
    MenuEntry("o", "open", "open"),
    MenuEntry("z", "snoozed", "snoozed"),
    MenuEntry("r", "resolved", "resolved"),
    MenuEntry("h", "awaiting_human", "~ needs a human"),
    MenuEntry("u", "unread", "~ unread"),
    MenuEntry("t", "text", "~ text…"),
    MenuEntry("x", "clear", "clear all filters"),
    MenuEntry("k", "keep", "keep this view on a key…"),
)

ORDER_MENU = tuple(
    MenuEntry(letter, order, words + ("" if order == NEWEST else "  ~"))
    for letter, (order, words) in zip("nowc", ORDERS.items(), strict=True)
)

KEEP_MENU = tuple(MenuEntry(digit, digit, f"key {digit}") for digit in DIGITS)

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
    if name == "contact":
        return with_sieve(view, contact="", contact_name="")
    if name in Sieve.model_fields:
        return with_sieve(view, **{name: Sieve.model_fields[name].default})
    return with_filter(view, **{name: None})


def of_contact(id: str, name: str) -> View:
    """View of one contact's conversations, on any channel and with any status."""
    return View(sieve=Sieve(contact=id, contact_name=name))


def choices_for(
    name: str, chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None
) -> Sequence[Choice[str]]:
    """Values of a filter, `ANY` first, with counts where they are known."""
    return [_any(name), *_CHOICES[name](chosen, mailbox, counts)]


def _any(name: str) -> Choice[str]:
    return Choice(ANY, {"assignee": "anybody", "channel": "all channels"}.get(name, f"any {name}"))


def _statuses(
    chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None
) -> list[Choice[str]]:
    return [Choice(s, s, _count(counts, chosen, "status", s)) for s in STATUSES]


def _assignees(
    chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None
) -> list[Choice[str]]:
    words = [("unassigned", "nobody (unassigned)"), ("assigned", "somebody (assigned)")]
    if mailbox.state_of("me") != "absent" and (counts is None or counts.mine is not None):
        words.insert(0, ("me", "me (mine)"))
    choices = [Choice(w, text, _count(counts, chosen, "assignee", w)) for w, text in words]
    return choices + [
        Choice(user.id, user.name, user.availability or "") for user in mailbox.catalogues.users()
    ]


def _channels(
    chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None
) -> list[Choice[str]]:
    told = counts.by_channel if counts else ()
    open_in = {one.channel: f"{one.open} open" for one in told if one.open is not None}
    return [
        Choice(channel.id, channel.name, open_in.get(channel.id, ""))
        for channel in mailbox.catalogues.channels()
    ]


def _labels(
    chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None
) -> list[Choice[str]]:
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
