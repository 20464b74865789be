"""Filter menu of the conversation list, the values of each filter, and saved views."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic_core import from_json, to_json

from frontdesk.mailbox import Mailbox
from frontdesk.query import (
    ORDERS,
    VIEW_KEYS,
    Query,
    QueryNames,
    QueryPlan,
    SavedView,
    Term,
    parse,
    plan,
    reference,
)
from frontdesk.query.plan import STANDARD
from frontdesk.tui.dialogs.choices import Choice, MenuEntry
from frontdesk.tui.labels import chip, count_for
from frontdesk.wire import ConversationFilter, Counts, PhoneRef
from frontdesk.wire.queries import EXTENSIONS
from frontdesk.wire.values import STATUSES

FIRST_VIEWS = (
    SavedView("Mine", parse("is:open @me"), "5"),
    SavedView("Unassigned", parse("is:open @unassigned"), "6"),
    SavedView("Needs a human", parse("is:open needs:human"), "7"),
    SavedView("Waiting >1h", parse("is:open waiting:>1h sort:waiting"), "8"),
    SavedView("All open", parse("is:open"), "9"),
)

_VIEWS, _QUERIES, _LACKS = "inbox.views", "inbox.queries", "inbox.lacks"
_MOST_QUERIES, _MOST_VISITS = 50, 100


class SavedViews:
    """Views by key: those saved here, then those of the configuration, then the defaults.

    Saved per server and key in the local database.
    """

    def __init__(self, mailbox: Mailbox, configured: Iterable[SavedView] = ()) -> None:
        self._mailbox = mailbox
        self._configured = tuple(configured)

    def all(self) -> list[SavedView]:
        """Views with a key, in the order of keys, then the others."""
        views: dict[str, SavedView] = {}
        for view in (*FIRST_VIEWS, *self._configured, *self._stored()):
            views[view.key or view.name] = view
        return sorted(views.values(), key=lambda view: view.key or "~")

    def of(self, key: str) -> SavedView | None:
        """View of a key."""
        return next((view for view in self.all() if view.key == key), None)

    def named(self, query: Query) -> SavedView | None:
        """View with the same query."""
        return next((view for view in self.all() if view.query.is_same(query)), None)

    def save(self, view: SavedView) -> None:
        """Save a view in place of that with the same key, or without a key, the same name."""
        place = view.key or view.name
        others = [one for one in self._stored() if (one.key or one.name) != place]
        self._store([*others, view])

    def snapshot(self) -> str:
        """Stored views, for `restore`."""
        return self._mailbox.get_setting(_VIEWS) or "[]"

    def restore(self, snapshot: str) -> None:
        self._mailbox.set_setting(_VIEWS, snapshot)

    def _store(self, views: Sequence[SavedView]) -> None:
        texts = [{"name": one.name, "query": str(one.query), "key": one.key} for one in views]
        self._mailbox.set_setting(_VIEWS, to_json(texts).decode())

    def _stored(self) -> list[SavedView]:
        text = self._mailbox.get_setting(_VIEWS)
        try:
            stored = from_json(text) if text else []
            return [SavedView(one["name"], parse(one["query"]), one["key"]) for one in stored]
        except (ValueError, KeyError, TypeError, AttributeError):
            # Stored by another version.
            return []


class Visit(NamedTuple):
    """A view that was shown, with the id of the conversation that was selected in it."""

    query: Query
    selected: str | None


class ViewHistory:
    """Shown views before and after the present one, as in a browser."""

    def __init__(self) -> None:
        self._before: list[Visit] = []
        self._after: list[Visit] = []

    def leave(self, query: Query, selected: str | None) -> None:
        """Record that another view than those after this one is shown next."""
        self._before = [*self._before[-_MOST_VISITS:], Visit(query, selected)]
        self._after = []

    def step(self, step: int, query: Query, selected: str | None) -> Visit | None:
        """The view before (-1) or after (1) the present one; None if there is none."""
        source, target = (self._before, self._after) if step < 0 else (self._after, self._before)
        if not source:
            return None
        target.append(Visit(query, selected))
        return source.pop()


class QueryHistory:
    """Queries written in the filter line, newest first."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox

    def all(self) -> list[str]:
        text = self._mailbox.get_setting(_QUERIES)
        try:
            stored = from_json(text) if text else []
        except ValueError:
            return []
        return [one for one in stored if isinstance(one, str)] if isinstance(stored, list) else []

    def add(self, query: str) -> None:
        others = [one for one in self.all() if one != query]
        self._mailbox.set_setting(_QUERIES, to_json([query, *others][:_MOST_QUERIES]).decode())


def query_names(mailbox: Mailbox, contacts: Iterable[PhoneRef] = ()) -> QueryNames:
    """Names that queries may use: those of the cached catalogues, and some contacts."""
    catalogues = mailbox.catalogues
    mine = mailbox.conversations(ConversationFilter(status="open", assignee="me"))
    me = mine[0].assignee if mine else None
    return QueryNames.of(
        catalogues.channels(),
        catalogues.users(),
        catalogues.labels(),
        me=me.id if me else "",
        contacts=tuple({contact.id: contact for contact in contacts}.values()),
    )


def offered(mailbox: Mailbox) -> frozenset[str]:
    """Filters that the server answers; what it lacks is stored for the next start."""
    server, stored = mailbox.server, mailbox.get_setting(_LACKS) or ""
    lacks = frozenset(stored.split())
    if server is not None and not server.no_extensions <= lacks:
        lacks |= server.no_extensions
        mailbox.set_setting(_LACKS, " ".join(sorted(lacks)))
    return STANDARD | (EXTENSIONS - lacks)


def query_plan(query: Query, names: QueryNames, mailbox: Mailbox) -> QueryPlan:
    return plan(query, names, offered(mailbox))


FILTER_MENU = (
    MenuEntry("f", "line", "edit as text…"),
    MenuEntry("s", "is", "status"),
    MenuEntry("a", "assignee", "assignee"),
    MenuEntry("c", "in", "channel"),
    MenuEntry("l", "label", "label"),
    MenuEntry("m", "@me", "mine"),
    MenuEntry("n", "@unassigned", "unassigned"),
    MenuEntry("o", "is:open", "open"),
    MenuEntry("z", "is:snoozed", "snoozed"),
    MenuEntry("r", "is:resolved", "resolved"),
    MenuEntry("h", "needs:human", "needs a human"),
    MenuEntry("u", "unread", "unread"),
    MenuEntry("w", "waiting:>1h", "waiting over an hour"),
    MenuEntry("d", "window:<2h", "reply window closes in 2 h"),
    MenuEntry("t", "words", "text…"),
    MenuEntry("x", "clear", "clear all filters"),
    MenuEntry("k", "save", "save view…"),
)

ORDER_MENU = tuple(
    MenuEntry(letter, order, words)
    for letter, (order, words) in zip("nowc", ORDERS.items(), strict=True)
)

# Words that find the filter of a term in the palette, besides the term itself.
_SYNONYMS = (
    ("@me", "mine assigned to me"),
    ("@unassigned", "assigned to no one"),
    ("@assigned", "assigned to anyone"),
    ("unread", "new"),
    ("needs:human", "bot hand-over escalated"),
    ("waiting:>1h", "waiting over an hour"),
    ("window:<2h", "reply window closes"),
)


def filter_terms(names: QueryNames) -> list[tuple[Term, str, str]]:
    """Terms that the palette offers: term, text with names for ids, synonyms."""
    texts = [*((f"is:{status}", "status") for status in STATUSES), *_SYNONYMS]
    terms = [(parse(text).terms[0], synonyms) for text, synonyms in texts]
    terms += [(Term("label", title), "label") for title in names.labels]
    named = (("assignee", names.users, "assignee"), ("in", names.channels, "channel"))
    terms += [
        (Term(kind, reference(id, known)), f"{word} {known[id]}")
        for kind, known, word in named
        for id in known
    ]
    return [(term, chip(term, names), synonyms) for term, synonyms in terms]


NO_KEY = "-"
SAVE, UNDO = "w", "z"
# What a kind of term is called.
KIND_NAMES: Mapping[str, str] = MappingProxyType(
    {"is": "status", "assignee": "assignee", "in": "channel", "label": "label"}
)
_LETTERS = "abefghjklmnop"


def view_menu(
    views: SavedViews, screens: Sequence[MenuEntry[str]], undo: str
) -> list[MenuEntry[Any]]:
    """Menu of all saved views, and of the screens. undo: what can be undone, or ""."""
    free = iter(_LETTERS)
    entries: list[MenuEntry[Any]] = []
    for view in views.all():
        letter = view.key or next(free, "")
        if letter:
            entries.append(MenuEntry(letter, view, view.name))
    entries.append(MenuEntry(SAVE, SAVE, "save view…"))
    entries += [MenuEntry(UNDO, UNDO, undo)] if undo else []
    return [*entries, *screens]


def key_menu(views: SavedViews) -> list[MenuEntry[str]]:
    """Keys for a saved view, with what each replaces."""
    entries = []
    for key in VIEW_KEYS:
        view = views.of(key)
        entries.append(MenuEntry(key, key, f"key {key}" + (f", now {view.name}" if view else "")))
    return [*entries, MenuEntry("n", NO_KEY, "no key, in the menu of views")]


def quickly(query: Query, name: str) -> Query | None:
    """Apply a menu entry that needs no value; None for entries that do."""
    if name == "clear":
        status = query.value("is")
        return Query.of(Term("is", status)) if status else Query()
    if name in ("unread", "needs:human", "waiting:>1h", "window:<2h"):
        return query.toggled(parse(name).terms[0])
    if name.startswith(("@", "is:")):
        return query.with_term(parse(name).terms[0])
    return None


ANY = ""


def choices_for(
    kind: str, plan: QueryPlan, mailbox: Mailbox, counts: Counts | None
) -> list[Choice[str]]:
    """Values of a kind of term, `ANY` first, with counts where they are known."""
    words = {
        "assignee": "anyone or no one",
        "in": "all channels",
        "is": "any status",
        "label": "any label",
    }
    return [Choice(ANY, words[kind]), *_CHOICES[kind](plan.filter, mailbox, counts)]


def _statuses(
    chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None
) -> list[Choice[str]]:
    return [Choice(s, s, _count(counts, chosen, "status", s)) for s in STATUSES]


def _assignees(
    chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None
) -> list[Choice[str]]:
    words = [("unassigned", "unassigned"), ("assigned", "assigned")]
    if mailbox.state_of("me") != "absent" and (counts is None or counts.mine is not None):
        words.insert(0, ("me", "me"))
    choices = [
        Choice(w, text, _count(counts, chosen, "assignee", w), synonyms=_ASSIGNEES[w])
        for w, text in words
    ]
    users = {user.id: user.name for user in mailbox.catalogues.users()}
    hints = {user.id: user.availability or "" for user in mailbox.catalogues.users()}
    return choices + [Choice(reference(id, users), name, hints[id]) for id, name in users.items()]


_ASSIGNEES = {"me": "mine", "unassigned": "nobody no one", "assigned": "anybody anyone"}


def _channels(
    chosen: ConversationFilter, mailbox: Mailbox, counts: Counts | None
) -> list[Choice[str]]:
    counted = counts.by_channel if counts else ()
    open_in = {one.channel: f"{one.open} open" for one in counted if one.open is not None}
    names = {channel.id: channel.name for channel in mailbox.catalogues.channels()}
    return [Choice(reference(id, names), name, open_in.get(id, "")) for id, name in names.items()]


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


_Choices = Callable[[ConversationFilter, Mailbox, Counts | None], list[Choice[str]]]
_CHOICES: Mapping[str, _Choices] = MappingProxyType(
    {"is": _statuses, "assignee": _assignees, "in": _channels, "label": _labels}
)


def _count(counts: Counts | None, chosen: ConversationFilter, name: str, value: str) -> str:
    number = count_for(counts, chosen.model_copy(update={name: value}))
    return "" if number is None else str(number)
