"""Shown views before and after the present one."""

from typing import NamedTuple

from frontdesk.inbox.limits import MOST_VISITS
from frontdesk.query import Query


class VisitedView(NamedTuple):
    """A view that was shown, with the id of the conversation that was selected in it."""

    query: Query
    selected: str | None


class ViewHistory:
    """Shown views before and after the present one, as in a browser."""

    def __init__(self) -> None:
        self._before: list[VisitedView] = []
        self._after: list[VisitedView] = []

    @property
    def has_before(self) -> bool:
        return bool(self._before)

    def leave(self, query: Query, selected: str | None) -> None:
        """Record that another view than those after this one is shown next."""
        self._before = [*self._before, VisitedView(query, selected)][-MOST_VISITS:]
        self._after = []

    def step(self, step: int, query: Query, selected: str | None) -> VisitedView | None:
        """The view before (-1) or after (1) the present one; None if there is none."""
        source, target = (self._before, self._after) if step < 0 else (self._after, self._before)
        if not source:
            return None
        target.append(VisitedView(query, selected))
        return source.pop()
