"""Searches for messages: a query, and which of its terms are words of one message.

refund madrid from:ana in:london after:2026-03-01
"""

from datetime import date, datetime
from types import MappingProxyType
from typing import NamedTuple

from frontdesk.query import dates
from frontdesk.query.language import Query, QueryProblem, analyse, is_positive
from frontdesk.query.terms import FOLLOW_UP, SENT, SORT, WORDS
from frontdesk.text.search import Terms
from frontdesk.text.times import in_zone

_LONGEST = 100
# Terms that say nothing of messages.
_OF_LISTS = MappingProxyType(
    {
        FOLLOW_UP: "is:followup filters the list, and no search.",
        SORT: "A search begins with the newest message: leave sort: out.",
    }
)


class MessageSearch(NamedTuple):
    """Parsed search. words: as `q` has them. query: the terms of its conversations. problems: of
    mistakes. line: all of it, as a list of conversations.
    """

    words: str
    query: Query = Query()
    problems: tuple[QueryProblem, ...] = ()
    line: Query = Query()

    @classmethod
    def of(cls, text: str) -> "MessageSearch":
        """Parse a query; terms with mistakes are left out.

        >>> MessageSearch.of("refund in:london").words
        'refund'
        """
        query, problems = analyse(text)
        words = [_written(term.value) for term in query.terms if is_positive(term, WORDS)]
        others = [term for term in query.terms if not is_positive(term, WORDS)]
        refused = dict.fromkeys(term.kind for term in others if term.kind in _OF_LISTS)
        problems += [QueryProblem(0, len(text), _OF_LISTS[kind]) for kind in refused]
        kept = Query.of(*(term for term in others if term.kind not in refused))
        line = Query.of(*(term for term in query.terms if term.kind not in refused))
        return cls(" ".join(words), kept, tuple(problems), line)

    @property
    def has_words(self) -> bool:
        """True if there is a word, and no more of them than a server takes."""
        return bool(Terms.of(self.words).spellings) and not self.too_long

    @property
    def too_long(self) -> bool:
        return len(self.words) > _LONGEST

    def days(self, now: datetime) -> tuple[date | None, date | None]:
        """First day of the messages, and the day after the last; None without an end.

        now: in the zone of the days.
        """
        days = next((one.value for one in self.query.terms if is_positive(one, SENT)), None)
        if days is None:
            return None, None
        first, end = dates.moments(days, now)
        return (
            None if first is None else in_zone(first, now.tzinfo).date(),
            None if end is None else in_zone(end, now.tzinfo).date(),
        )


def _written(value: str) -> str:
    """A word as `Terms.of` reads it: several are one in quotes."""
    words = value.replace('"', " ").split()
    return f'"{" ".join(words)}"' if len(words) > 1 else value
