"""Menus of filters, orders and saved views of the conversation list; values of each filter.

Saved views themselves are in `saved_views.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any

from frontdesk.inbox.chips import chip
from frontdesk.mailbox import Mailbox
from frontdesk.query import (
    ORDERS,
    VIEW_KEYS,
    Query,
    QueryNames,
    Term,
    parse,
    reference,
)
from frontdesk.query.language import ME, is_positive
from frontdesk.query.terms import KINDS, TABLE, UNREAD, WORDS
from frontdesk.tui.dialogs.base import Choice, MenuEntry
from frontdesk.tui.saved_views import SavedViews
from frontdesk.wire import ConversationFilter
from frontdesk.wire.values import STATUSES

FILTER_MENU = (
    MenuEntry("f", "line", "edit as text…"),
    *sorted(
        (MenuEntry(*entry) for kind in TABLE for entry in kind.menu),
        # Those that go on to values come first.
        key=lambda entry: entry.value not in KINDS or entry.value == UNREAD,
    ),
    MenuEntry("x", "clear", "clear all but the status"),
    MenuEntry("k", "save", "save view…"),
)

# Entries of the menu that are no filters.
_COMMANDS = ("line", "clear", "save")


def filter_menu(query: Query, *, has_me: bool = True) -> list[MenuEntry[str]]:
    """The filter menu, with check marks at the terms of a query. has_me: somebody is @me."""
    return [
        entry._replace(
            checked=_is_set(entry.value, query), available=has_me or entry.value != f"@{ME}"
        )
        for entry in FILTER_MENU
    ]


def _is_set(name: str, query: Query) -> bool:
    if name in (*KIND_NAMES, WORDS):
        return any(is_positive(term, name) for term in query.terms)
    return name not in _COMMANDS and parse(name).terms[0] in query.terms


ORDER_MENU = tuple(
    MenuEntry(letter, order, words)
    for letter, (order, words) in zip("nowcb", ORDERS.items(), strict=True)
)

# Words that find the filter of a term in the palette, besides the term itself.
_SYNONYMS = (
    ("@me", "mine assigned to me"),
    ("@unassigned", "assigned to no one"),
    ("@assigned", "assigned to anyone"),
    ("unread", "new"),
    ("is:followup", "hidden until later reminder"),
    ("needs:human", "bot hand-over escalated"),
    ("waiting:>1h", "waiting over an hour"),
    ("window:<2h", "reply window closes"),
)


def filter_terms(names: QueryNames, now: datetime) -> list[tuple[Term, str, str]]:
    """Terms that the palette offers: term, its chip, and what else it is found by."""
    texts = [*((f"is:{status}", "status") for status in STATUSES), *_SYNONYMS]
    terms = [(parse(text).terms[0], synonyms) for text, synonyms in texts]
    terms += [(Term("label", title), "label") for title in names.labels]
    named = (("assignee", names.users, "assignee"), ("in", names.channels, "channel"))
    terms += [
        (Term(kind, reference(id, known)), f"{word} {known[id]}")
        for kind, known, word in named
        for id in known
    ]
    drawn = [(term, chip(term, names, now), synonyms) for term, synonyms in terms]
    return [
        # What is typed in the filter line finds a term in words too.
        (term, words, synonyms if words == str(term) else f"{term} {synonyms}")
        for term, words, synonyms in drawn
    ]


NO_KEY = "-"
SAVE, REMOVE = "w", "x"
# Names of the kinds of terms.
KIND_NAMES: Mapping[str, str] = MappingProxyType(
    {"is": "status", "assignee": "assignee", "in": "channel", "label": "label"}
)
_LETTERS = "abefghjklmnop"


def view_menu(views: SavedViews, screens: Sequence[MenuEntry[str]]) -> list[MenuEntry[Any]]:
    """Menu of all saved views, and of the screens."""
    free = iter(_LETTERS)
    entries: list[MenuEntry[Any]] = []
    for view in views.all():
        letter = view.key or next(free, "")
        if letter:
            entries.append(MenuEntry(letter, view, view.name))
    entries.append(MenuEntry(SAVE, SAVE, "save view…"))
    entries += [MenuEntry(REMOVE, REMOVE, "remove view…")] if views.saved() else []
    return [*entries, *screens]


def key_menu(views: SavedViews) -> list[MenuEntry[str]]:
    """Keys for a saved view, with what each replaces."""
    entries = []
    for key in VIEW_KEYS:
        view = views.of(key)
        entries.append(MenuEntry(key, key, f"key {key}" + (f", now {view.name}" if view else "")))
    return [*entries, MenuEntry("n", NO_KEY, "no key, in the menu of views")]


def apply_entry(query: Query, name: str) -> Query | None:
    """Apply a menu entry that needs no value; None for entries that do."""
    if name == "clear":
        status = query.value("is")
        return Query.of(Term("is", status)) if status else Query()
    if name in (*KIND_NAMES, WORDS, *_COMMANDS):
        return None
    term = parse(name).terms[0]
    return query.with_term(term) if KINDS[term.kind].single else query.toggled(term)


ANY = ""


def values_of(query: Query, kind: str) -> tuple[str, ...]:
    """Values of the first term of a kind that is not negated; `ANY` without one."""
    terms = (term for term in query.terms if is_positive(term, kind))
    return next((term.values for term in terms), (ANY,))


def with_any_of(query: Query, kind: str, values: Sequence[str]) -> Query:
    """Query of which one of several values of a kind has to match."""
    rest = [term for term in query.terms if not is_positive(term, kind)]
    return Query.of(*rest, Term.any_of(kind, values))


_ANY_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "assignee": "anyone or no one",
        "in": "all channels",
        "is": "any status",
        "label": "any label",
    }
)
_ASSIGNEES = {"me": "mine", "unassigned": "nobody no one", "assigned": "anybody anyone"}


# Number of the view's conversations with a value, if it is known.
ValueCount = Callable[[str], int | None]


def choices_for(kind: str, mailbox: Mailbox, count: ValueCount) -> list[Choice[str]]:
    """Values of a kind of term, `ANY` first, with numbers where they are known for the view.

    count: by status, word or id of an assignee, id of a channel, title of a label.
    """
    match kind:
        case "is":
            choices = [Choice(status, status, _number(count(status))) for status in STATUSES]
        case "assignee":
            choices = _assignees(mailbox, count)
        case "in":
            names = {channel.id: channel.name for channel in mailbox.catalogues.channels()}
            choices = [
                Choice(reference(id, names), name, _number(count(id))) for id, name in names.items()
            ]
        case _:
            titles = [label.title for label in mailbox.catalogues.labels()]
            choices = [Choice(title, f"#{title}", _number(count(title))) for title in titles]
    return [Choice(ANY, _ANY_WORDS[kind]), *choices]


def _number(count: int | None) -> str:
    return "" if count is None else str(count)


def _assignees(mailbox: Mailbox, count: ValueCount) -> list[Choice[str]]:
    words, counts = ["unassigned", "assigned"], mailbox.counts(ConversationFilter())
    if mailbox.state_of("me") != "absent" and (counts is None or counts.mine is not None):
        words.insert(0, "me")
    choices = [
        Choice(word, word, _number(count(word)), synonyms=_ASSIGNEES[word]) for word in words
    ]
    users = {user.id: user for user in mailbox.catalogues.users()}
    names = {id: user.name for id, user in users.items()}
    for id, user in users.items():
        facts = [user.availability or "", _number(count(id))]
        hint = " · ".join(fact for fact in facts if fact)
        choices.append(Choice(reference(id, names), user.name, hint))
    return choices


def counts_channels(filter: ConversationFilter) -> bool:
    """True if the counts by channel, which are of all open conversations, are those of a view."""
    narrower = filter.model_copy(update={"channel": None, "sort": None})
    return narrower == ConversationFilter(status="open")
