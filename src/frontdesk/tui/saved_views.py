"""Saved views and their keys, and the history of written queries."""

from collections.abc import Iterable, Sequence

from pydantic_core import from_json, to_json

from frontdesk.mailbox import Mailbox
from frontdesk.query import Query, SavedView, parse

FIRST_VIEWS = (
    SavedView("Mine", parse("is:open @me"), "5"),
    SavedView("Unassigned", parse("is:open @unassigned"), "6"),
    SavedView("Needs a human", parse("is:open needs:human"), "7"),
    SavedView("Waiting >1h", parse("is:open waiting:>1h sort:waiting"), "8"),
    SavedView("All open", parse("is:open"), "9"),
)

_VIEWS, _QUERIES = "inbox.views", "inbox.queries"
_MOST_QUERIES = 50


class SavedViews:
    """Views by key: those saved here, then those of the configuration, then the defaults.

    Saved per server and key in the local database.
    """

    def __init__(self, mailbox: Mailbox, configured: Iterable[SavedView] = ()) -> None:
        self._mailbox = mailbox
        self._configured = tuple(configured)
        self._current: SavedView | None = None

    def all(self) -> list[SavedView]:
        """Views with a key, in the order of keys, then the others.

        A configured view whose key a view saved here has taken is among the others, unless another
        one saved here has its name.
        """
        views = {_place(view): view for view in FIRST_VIEWS}
        views |= {_place(view): view for view in self._configured}
        stored = {_place(view): view for view in self._stored()}
        names = {view.name for view in stored.values()}
        for view in self._configured:
            if view.key in stored and view.name not in names:
                views[view.name] = view._replace(key="")
        return sorted((views | stored).values(), key=lambda view: view.key or "~")

    def of(self, key: str) -> SavedView | None:
        """View of a key."""
        return next((view for view in self.all() if view.key == key), None)

    def named(self, query: Query) -> SavedView | None:
        """View with the same query; of several, the one that was chosen last."""
        views = [view for view in self.all() if view.query.is_same(query)]
        return self._current if self._current in views else next(iter(views), None)

    def choose(self, view: SavedView) -> None:
        self._current = view

    def save(self, view: SavedView) -> None:
        """Save a view in place of that with the same key, or without a key, the same name."""
        self._current = view
        others = [other for other in self._stored() if _place(other) != _place(view)]
        self._store([*others, view])

    def saved(self) -> list[SavedView]:
        """Views saved here, which can be removed; in the order of `all`."""
        stored = self._stored()
        return [view for view in self.all() if view in stored]

    def remove(self, view: SavedView) -> None:
        """Remove a view saved here; its key has that of the configuration or the default again."""
        self._store([other for other in self._stored() if other != view])

    def namesake(self, view: SavedView) -> SavedView | None:
        """Another view of the same name, which `save` would not replace."""
        others = (other for other in self.all() if _place(other) != _place(view))
        return next((other for other in others if other.name == view.name), None)

    def snapshot(self) -> str:
        """Stored views, for `restore`."""
        return self._mailbox.get_setting(_VIEWS) or "[]"

    def restore(self, snapshot: str) -> None:
        self._mailbox.set_setting(_VIEWS, snapshot)

    def _store(self, views: Sequence[SavedView]) -> None:
        texts = [{"name": view.name, "query": str(view.query), "key": view.key} for view in views]
        self._mailbox.set_setting(_VIEWS, to_json(texts).decode())

    def _stored(self) -> list[SavedView]:
        text = self._mailbox.get_setting(_VIEWS)
        try:
            stored = from_json(text) if text else []
            return [SavedView(row["name"], parse(row["query"]), row["key"]) for row in stored]
        except (ValueError, KeyError, TypeError, AttributeError):
            # Stored by another version.
            return []


def _place(view: SavedView) -> str:
    """The key of a view, or without one, its name: a view replaces that of the same place."""
    return view.key or view.name


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
        return (
            [text for text in stored if isinstance(text, str)] if isinstance(stored, list) else []
        )

    def add(self, query: str) -> None:
        others = [other for other in self.all() if other != query]
        self._mailbox.set_setting(_QUERIES, to_json([query, *others][:_MOST_QUERIES]).decode())
