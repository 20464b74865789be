"""Searches for messages: words, with terms of the query language about where and when.

refund madrid from:ana in:london after:2026-03-01
"""

from datetime import date
from typing import NamedTuple

from frontdesk.query.language import Query, QueryProblem, Term, Token, analyse, tokens
from frontdesk.query.terms import FOLLOW_UP
from frontdesk.text.search import Terms

_BEFORE, _AFTER = "before:", "after:"
# Others are words: #1234 is searched as it is.
_TERMS = ("from:", "in:", "is:")
_LONGEST = 100


class MessageSearch(NamedTuple):
    """Parsed search. after: first day; before: the day after the last. problems: of mistakes."""

    words: str
    query: Query = Query()
    after: date | None = None
    before: date | None = None
    problems: tuple[QueryProblem, ...] = ()

    @property
    def has_words(self) -> bool:
        """True if there is a word, and no more of them than a server takes."""
        return bool(Terms.of(self.words).spellings) and not self.too_long

    @property
    def too_long(self) -> bool:
        return len(self.words) > _LONGEST

    def includes(self, day: date | None) -> bool:
        """True if a message of this day is to be found."""
        if day is None:
            return self.after is None and self.before is None
        return not (self.after and day < self.after) and not (self.before and day >= self.before)


def parse_search(text: str) -> MessageSearch:
    """Parse user input; any text is valid, and terms with mistakes are left out.

    >>> parse_search("refund in:london before:2026-03-01").before
    datetime.date(2026, 3, 1)
    """
    words: list[str] = []
    terms: list[Term] = []
    days: dict[str, date] = {}
    problems: list[QueryProblem] = []
    for token in tokens(text):
        prefix = token.prefix.lower()
        if prefix in (_BEFORE, _AFTER) and not token.negated:
            try:
                days[prefix] = date.fromisoformat(token.value)
            except ValueError:
                words_allowed = f"{prefix} takes a day, such as 2026-03-14."
                problems.append(QueryProblem(token.start, token.end, words_allowed))
        elif prefix in _TERMS:
            query, mistakes = analyse(text[token.start : token.end])
            if any(term.kind == FOLLOW_UP for term in query.terms):
                query, why = Query(), "is:followup filters the list, and no search."
                problems.append(QueryProblem(token.start, token.end, why))
            terms += query.terms
            problems += mistakes
        else:
            words.append(_plain(token, text))
    after, before = days.get(_AFTER), days.get(_BEFORE)
    return MessageSearch(" ".join(words), Query.of(*terms), after, before, tuple(problems))


def _plain(token: Token, text: str) -> str:
    whole = token.quoted and not token.prefix and not token.negated
    return token.value if whole else text[token.start : token.end]
