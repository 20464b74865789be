"""Query language of conversation lists: parser, formatter, and edits of a parsed query.

    is:open @me #billing,refund in:london waiting:>1h active:2026-11.. -#spam "refund" sort:waiting

A query is a list of terms, all of which a conversation must match. Text and query convert to each
other without loss.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import zip_longest
from types import MappingProxyType
from typing import NamedTuple

from frontdesk.errors import BadSettings
from frontdesk.query import dates
from frontdesk.text.clean import clean, one_line
from frontdesk.text.times import parse_duration
from frontdesk.wire.values import STATUSES

# Kinds of terms, in the order in which a query is written.
STATUS, ASSIGNEE, CHANNEL, LABEL, CONTACT = "is", "assignee", "in", "label", "from"
NEEDS, UNREAD, WAITING, ACTIVE, WINDOW = "needs", "unread", "waiting", "active", "window"
CREATED, FOLLOW_UP = "created", "followup"
WORDS, SORT = "words", "sort"
KINDS = (
    *(STATUS, FOLLOW_UP, ASSIGNEE, LABEL, CHANNEL, CONTACT, NEEDS, UNREAD),
    *(WAITING, ACTIVE, WINDOW, CREATED, WORDS, SORT),
)

ME, UNASSIGNED, ASSIGNED = "me", "unassigned", "assigned"
HUMAN = "human"
NEWEST, OLDEST = "active", "oldest"
ORDERS: Mapping[str, str] = MappingProxyType(
    {
        NEWEST: "newest activity",
        OLDEST: "oldest activity",
        WAITING: "longest waiting",
        WINDOW: "reply window closes soonest",
    }
)
# A value that begins so is the id of a user, channel or contact.
ID = "id:"

# Kinds of which a conversation has one value, so that a second term could never match as well.
_SINGLE: Mapping[str, str] = MappingProxyType(
    {
        STATUS: "A conversation has one status",
        ASSIGNEE: "A conversation has one assignee",
        CHANNEL: "A conversation is in one channel",
        CONTACT: "A conversation is with one customer",
        SORT: "There is one order",
    }
)
_VALUES: Mapping[str, Sequence[str]] = MappingProxyType(
    {STATUS: STATUSES, NEEDS: (HUMAN,), SORT: tuple(ORDERS)}
)
# Terms that other programs write after is:.
_NO_STATUSES: Mapping[str, str] = MappingProxyType(
    {UNREAD: UNREAD, **{name: f"@{name}" for name in (ME, UNASSIGNED, ASSIGNED)}}
)
_PREFIXES: Mapping[str, str] = MappingProxyType(
    {
        "@": ASSIGNEE,
        "#": LABEL,
        **{
            f"{kind}:": kind
            for kind in (
                *(STATUS, CHANNEL, CONTACT, NEEDS),
                *(WAITING, ACTIVE, WINDOW, CREATED, SORT),
            )
        },
    }
)
PREFIX_OF: Mapping[str, str] = MappingProxyType(
    {
        **{kind: prefix for prefix, kind in _PREFIXES.items()},
        **{FOLLOW_UP: f"{STATUS}:", UNREAD: "", WORDS: ""},
    }
)
DURATIONS = (WAITING, ACTIVE, WINDOW)
DATED = (WAITING, ACTIVE, CREATED)
DURATION_UNITS = "smhdw"
# Kinds of which a term may have several values, with commas between: any of them.
LISTED = (STATUS, ASSIGNEE, LABEL, CHANNEL, CONTACT)
MOST_VALUES = 20
# Prefixes that other programs have for days, with what to write here.
_DAY_PREFIXES = ("since:", "until:", "after:", "before:")

_TOKEN = re.compile(
    r"""(?P<not>-?)(?P<prefix>@|\#|[A-Za-z]+:|)(?:"(?P<quoted>(?:[^"\\]|\\.|\\\Z)*)(?P<end>"|\Z)|)"""
    r"""(?P<bare>\S*)""",
    re.VERBOSE | re.DOTALL,
)

# The beginning of a number, which goes on after a space: +44 7700 900001, 212 555 01 00.
_BEGUN_NUMBER = re.compile(r"[+(0-9][0-9()./-]*")
_DIGIT_GROUP = re.compile(r"\s+(?:[./-]\s+)?\(?[0-9][0-9()./-]*(?=[\s,]|\Z)")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.|\\\Z)*)("|\Z)', re.DOTALL)
_BARE_VALUE = re.compile(r"[^\s,]*")
_LEAST_DIGITS, _MOST_DIGITS = 8, 15
# Words that other languages combine terms with.
_OPERATORS = MappingProxyType(
    {
        "not": "To exclude a term, write - directly before it.",
        "and": "Every term has to match: leave “and” out.",
        "or": "Every term has to match: there is no “or”. For one of several values write #a,b.",
    }
)


class Term(NamedTuple):
    """Condition on a conversation, or the order. value: "" for `unread`, "followup" for follow-ups.

    others: further values of a kind in LISTED, of which one has to match.
    """

    kind: str
    value: str = ""
    negated: bool = False
    others: tuple[str, ...] = ()

    def __str__(self) -> str:
        mark = "-" if self.negated else ""
        if self.kind == UNREAD:
            return f"{mark}{UNREAD}"
        values = ",".join(_quoted(value, self.kind) for value in self.values)
        return f"{mark}{PREFIX_OF[self.kind]}{values}"

    @property
    def values(self) -> tuple[str, ...]:
        """All values, at least one."""
        return (self.value, *self.others)

    @classmethod
    def any_of(cls, kind: str, values: Sequence[str], *, negated: bool = False) -> "Term":
        """Term of one or several values; words with a meaning of their own come first."""
        distinct = {value.casefold(): value for value in reversed(values)}
        ordered = sorted(
            sorted(distinct.values(), key=list(values).index),
            key=lambda value: not (kind == ASSIGNEE and value in (ME, UNASSIGNED, ASSIGNED)),
        )
        return cls(kind, ordered[0], negated, tuple(ordered[1:]))


def words(text: str) -> Term | None:
    """Term that searches for a text; None if the text is blank."""
    value = one_line(clean(text))
    return Term(WORDS, value) if value else None


class QueryProblem(NamedTuple):
    """Mistake in a query: the positions [start, end) in its text, and a sentence."""

    start: int
    end: int
    message: str


class QueryError(BadSettings, ValueError):
    """A query that cannot be used; a ValueError for pydantic's validators."""

    code = "invalid_query"

    def __init__(self, problems: Sequence[QueryProblem]) -> None:
        super().__init__(" ".join(problem.message for problem in problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Query:
    """Terms in the order of `KINDS`, each once, and at most one of the kinds in `_SINGLE`.

    No term stands beside its negation.
    """

    terms: tuple[Term, ...] = ()

    @classmethod
    def of(cls, *terms: Term) -> "Query":
        """Query of these terms; a later term replaces an earlier one that excludes it."""
        terms_left: list[Term] = []
        for term in terms:
            terms_left = [
                other for other in terms_left if other != term and not _excludes(term, other)
            ]
            terms_left.append(term)
        return cls(tuple(sorted(terms_left, key=lambda term: KINDS.index(term.kind))))

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))

    def value(self, kind: str) -> str | None:
        """Value of a kind that is not negated; of several terms, the first with one value."""
        terms = (term for term in self.terms if is_positive(term, kind) and not term.others)
        return next((term.value for term in terms), None)

    @property
    def order(self) -> str:
        """One of `ORDERS`."""
        return self.value(SORT) or NEWEST

    @property
    def filters(self) -> tuple[Term, ...]:
        """All terms but the order."""
        return tuple(term for term in self.terms if term.kind != SORT)

    def with_term(self, term: Term) -> "Query":
        """Add a term; it replaces its negation, and another value of a kind that has only one."""
        return Query.of(*self.terms, term)

    def with_value(self, kind: str, value: str | None) -> "Query":
        """Set the only term of a kind; None removes all terms of the kind."""
        rest = Query(tuple(term for term in self.terms if term.kind != kind))
        return rest if value is None else rest.with_term(Term(kind, value))

    def without(self, term: Term) -> "Query":
        return Query(tuple(other for other in self.terms if other != term))

    def toggled(self, term: Term) -> "Query":
        """Remove a term if it is there; otherwise add it, in place of its negation."""
        return self.without(term) if term in self.terms else self.with_term(term)

    def is_same(self, other: "Query") -> bool:
        """True if two queries have the same terms, in any order of labels or words."""
        return frozenset(self.terms) == frozenset(other.terms)


VIEW_KEYS = ("5", "6", "7", "8", "9")


class SavedView(NamedTuple):
    """A query with a name, and the key that shows it (or "")."""

    name: str
    query: Query
    key: str = ""


def is_positive(term: Term, kind: str) -> bool:
    """True for a term of a kind that is not negated."""
    return term.kind == kind and not term.negated


def _excludes(term: Term, other: Term) -> bool:
    if term._replace(negated=not term.negated) == other:
        return True
    if term.kind != other.kind or term.kind not in _SINGLE:
        return False
    return not term.negated and not other.negated


class Token(NamedTuple):
    """Term as it is written: positions, sign, prefix and value. quoted: False, True, or None
    while the quotes are not closed. others: further values after commas; last: where the last
    value begins."""

    start: int
    end: int
    negated: bool
    prefix: str
    value: str
    quoted: bool | None = False
    others: tuple[str, ...] = ()
    last: int = 0


def tokens(text: str) -> Iterator[Token]:
    """Split a text at white space outside quotes."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        token = _token(text, at)
        yield token
        at = token.end


def _token(text: str, at: int) -> Token:
    match = _TOKEN.match(text, at)
    assert match is not None
    prefix, negated = match["prefix"], bool(match["not"])
    start = at + len(match["not"]) + len(prefix)
    if _PREFIXES.get(prefix.lower()) in LISTED:
        return _listed(text, at, start, prefix, negated=negated)
    if match["quoted"] is None:
        end = match.end("bare")
        return Token(at, end, negated, prefix, text[start:end], last=start)
    value, end, quoted = _quoted_value(text, start)
    return Token(at, end, negated, prefix, value, quoted, last=start)


def _listed(text: str, at: int, start: int, prefix: str, *, negated: bool) -> Token:
    """Token of a prefix that takes several values, with commas between."""
    values: list[str] = []
    quoted: bool | None = False
    end = last = start
    while True:
        last = end
        if text[end : end + 1] == '"':
            value, end, closed = _quoted_value(text, end)
            quoted = closed and (quoted or not values)
        else:
            value, end = _bare_value(text, end, is_number=_PREFIXES[prefix.lower()] == CONTACT)
            quoted = quoted and None if quoted is None else False
        values.append(value)
        if quoted is None or text[end : end + 1] != ",":
            break
        end += 1
    return Token(at, end, negated, prefix, values[0], quoted, tuple(values[1:]), last)


def _quoted_value(text: str, at: int) -> tuple[str, int, bool | None]:
    """Value in quotes, its end, and True, or None while the quotes are not closed."""
    match = _QUOTED.match(text, at)
    assert match is not None
    inside = re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL)
    return inside, match.end(), bool(match[2]) or None


def _bare_value(text: str, at: int, *, is_number: bool) -> tuple[str, int]:
    match = _BARE_VALUE.match(text, at)
    assert match is not None
    end = match.end()
    if is_number and _is_begun_number(match[0]):
        end = _number_end(text, at, end)
    return text[at:end], end


def _is_begun_number(value: str) -> bool:
    """True for a number that may go on after a space."""
    return bool(_BEGUN_NUMBER.fullmatch(value)) and _digits(value) < _LEAST_DIGITS


def _number_end(text: str, start: int, end: int) -> int:
    """End of a number with spaces between groups of digits."""
    while (group := _DIGIT_GROUP.match(text, end)) and (
        _digits(text[start : group.end()]) <= _MOST_DIGITS
    ):
        end = group.end()
    return end


def _digits(text: str) -> int:
    return sum(map(str.isdecimal, text))


def parse(text: str) -> Query:
    """Parse a query.

    Raises: QueryError: with a problem for each mistake.

    >>> str(parse("#billing  IS:Open @me"))
    'is:open @me #billing'
    """
    query, problems = analyse(text)
    if problems:
        raise QueryError(problems)
    return query


def analyse(text: str) -> tuple[Query, list[QueryProblem]]:
    """Parse a query as far as possible: the valid terms, and a problem for each mistake."""
    terms: list[Term] = []
    problems: list[QueryProblem] = []
    all_tokens = [*tokens(text)]
    for token, following in zip_longest(all_tokens, all_tokens[1:]):
        term = _operator_problem(token, following) or _term(token)
        if isinstance(term, str):
            problems.append(QueryProblem(token.start, token.end, term))
        elif other := next(
            (other for other in terms if other != term and _excludes(term, other)), None
        ):
            why = "These exclude each other"
            why = why if term.negated or other.negated else _SINGLE[term.kind]
            words = f"{why}: keep {other} or {term}."
            problems.append(QueryProblem(token.start, token.end, words))
        else:
            terms.append(term)
    return Query.of(*terms), problems


def _operator_problem(token: Token, following: Token | None) -> str:
    """Mistake of "not", "and" or "or" before a term that is no word; "" for any other token."""
    if not _is_operator(token) or following is None:
        return ""
    is_unread = following.quoted is False and following.value.casefold() == UNREAD
    if not following.prefix and not is_unread:
        return ""
    advice = _OPERATORS[token.value.casefold()]
    return f"{advice} To search for “{token.value}”, put it in quotes."


def _is_operator(token: Token) -> bool:
    is_plain = not token.prefix and not token.negated and token.quoted is False
    return is_plain and token.value.casefold() in _OPERATORS


def _term(token: Token) -> Term | str:
    """Term of a token, or a sentence that says what is allowed."""
    value = one_line(clean(token.value))
    prefix = token.prefix.lower()
    if token.quoted is None:
        return 'The quotes are not closed: put " at the end.'
    if not prefix:
        return _bare(value, token)
    kind = _PREFIXES.get(prefix)
    if kind is None:
        return f"{_unknown(prefix)} To search for these words, put them in quotes."
    if kind == SORT and token.negated:
        return f"The order cannot be negated: write sort: and {_allowed(SORT)}."
    if token.others:
        return _any_of(kind, token)
    if kind == STATUS and value.casefold() == FOLLOW_UP:
        return Term(FOLLOW_UP, FOLLOW_UP, token.negated)
    normal = _value(kind, value)
    if normal is not None:
        return Term(kind, normal, token.negated)
    if kind in DATED and value and (why := dates.problem(value.casefold())):
        return f"{token.prefix} takes {_allowed(kind)}. {why}."
    meant = _NO_STATUSES.get(value.casefold()) if kind == STATUS else None
    return f"{token.prefix} takes {_allowed(kind)}." + (f" Write {meant} alone." if meant else "")


def _any_of(kind: str, token: Token) -> Term | str:
    """Term of several values, or a sentence that says what is allowed."""
    values = [one_line(clean(value)) for value in (token.value, *token.others)]
    normal = [_value(kind, value) for value in values]
    if "" in values:
        first = f"{token.prefix}a,b"
        return f"Write several values with commas between them, without blanks: {first}."
    if len(values) > MOST_VALUES:
        return f"{token.prefix} takes {MOST_VALUES} values at most."
    known = [value for value in normal if value is not None]
    if len(known) < len(values):
        return f"{token.prefix} takes {_allowed(kind, several=True)}."
    return Term.any_of(kind, known, negated=token.negated)


def _value(kind: str, value: str) -> str | None:
    """Value in its normal form; None if it is not allowed."""
    lower = value.casefold()
    if kind in _VALUES:
        return lower if lower in _VALUES[kind] else None
    if kind in DURATIONS and is_duration(lower):
        return f"{lower[0]}{int(lower[1:-1])}{lower[-1]}"
    if kind in DATED:
        return lower if lower and not dates.problem(lower) else None
    if kind in DURATIONS:
        return None
    if kind == ASSIGNEE and lower in (ME, UNASSIGNED, ASSIGNED):
        return lower
    return value or None


def _bare(value: str, token: Token) -> Term | str:
    if not value:
        return "Write the words to search for." if token.quoted else "Write a filter after the -."
    if value.casefold() == UNREAD and not token.quoted:
        return Term(UNREAD, "", token.negated)
    return Term(WORDS, value, token.negated)


def _unknown(prefix: str) -> str:
    if prefix in _DAY_PREFIXES:
        return f"There is no filter {prefix}. Write active:2026-11-01.. or active:..2026-11-15."
    allowed = ", ".join((*(name for name in _PREFIXES if len(name) > 1), "@, # and unread"))
    return f"There is no filter {prefix}. Use {allowed}."


def _allowed(kind: str, *, several: bool = False) -> str:
    """Values that a prefix takes. several: with commas between them."""
    if kind in _VALUES:
        alone = [FOLLOW_UP] if kind == STATUS and not several else []
        *most, last = [*_VALUES[kind], *alone]
        return f"{', '.join(most)} or {last}" if most else last
    durations = "< or > and a time, such as >1h, <30m or >2d"
    if kind in DATED:
        return f"{f'{durations}, or ' if kind in DURATIONS else ''}{dates.HOW_TO}"
    if kind in DURATIONS:
        return durations
    return {
        ASSIGNEE: "me, unassigned, assigned or a part of a name",
        CHANNEL: "a part of the name or number of a channel",
        LABEL: "a label",
        CONTACT: "a number, or a part of the name of a customer",
    }[kind]


def _quoted(value: str, kind: str) -> str:
    """Value as it is written: in quotes if it would be read as something else without."""
    if kind == WORDS:
        match = _TOKEN.fullmatch(value)
        special = match is None or match["prefix"] or match["not"] or match["quoted"] is not None
        special = special or value.casefold() in (UNREAD, *_OPERATORS)
    else:
        special = value.startswith('"') or any(map(str.isspace, value))
        special = special or (kind in LISTED and "," in value)
        # Without quotes, it would go on with the next word if that is a number.
        special = special or (kind == CONTACT and _is_begun_number(value))
    if not special:
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def is_duration(value: str) -> bool:
    """True for a comparison with a length of time, such as `>1h`."""
    return value[:1] in ("<", ">") and parse_duration(value[1:], DURATION_UNITS) is not None


def comparison(value: str) -> tuple[str, timedelta]:
    """Sign and length of a duration such as `>1h`.

    >>> comparison("<30m")
    ('<', datetime.timedelta(seconds=1800))
    """
    length = parse_duration(value[1:], DURATION_UNITS)
    assert length is not None
    return value[0], length
