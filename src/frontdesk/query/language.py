"""Query language of conversation lists: parser, formatter, and edits of a parsed query.

    is:open @me #billing,refund in:london waiting:>1h active:2026-11.. -#spam "refund" sort:waiting
    team:billing by:ana,ai field:plan=gold field:seats>10 ad:"summer sale" created:2026 sort:created
    waiting:>4h hours:business

A query is a list of terms, all of which a conversation must match. Text and query convert to each
other without loss.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import zip_longest
from types import MappingProxyType
from typing import NamedTuple

from frontdesk.errors import BadSettings
from frontdesk.query import dates
from frontdesk.query.terms import (
    CONTACT,
    FIELD,
    FOLLOW_UP,
    HOURS,
    KINDS,
    LABEL,
    NEWEST,
    SENT,
    SORT,
    STATUS,
    TABLE,
    UNREAD,
    WAITING,
    WORDS,
)
from frontdesk.text.clean import clean, one_line
from frontdesk.text.times import parse_duration
from frontdesk.wire.queries import MOST_FIELD_CHARACTERS, MOST_VALUES

ME, UNASSIGNED, ASSIGNED = "me", "unassigned", "assigned"
PHONE, AI = "phone", "ai"
CALENDAR = "calendar"
# A value that begins so is the id of a user, channel or contact.
ID = "id:"

# Kinds of which a conversation has one value, so that a second term could never match as well.
_SINGLE: Mapping[str, str] = MappingProxyType(
    {kind.key: kind.single for kind in TABLE if kind.single}
)
# What to write in place of terms that other programs have, or that are as it is without them.
_INSTEAD: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        (STATUS, UNREAD): f"Write {UNREAD} alone.",
        **{(STATUS, one): f"Write @{one} alone." for one in (ME, UNASSIGNED, ASSIGNED)},
        (HOURS, CALENDAR): "Without it, ages are calendar time.",
    }
)
# Kinds that are no conditions themselves, with what their terms say.
_NEVER_NEGATED: Mapping[str, str] = MappingProxyType(
    {SORT: "The order", HOURS: "The hours of ages"}
)
_AGE_FIRST = "hours:business goes with an age of waiting: write waiting:>4h hours:business."
_PREFIXES: Mapping[str, str] = MappingProxyType(
    {kind.prefix: kind.key for kind in TABLE if kind.prefix and not kind.local}
)
DURATIONS = tuple(kind.key for kind in TABLE if kind.age)
DATED = tuple(kind.key for kind in TABLE if kind.days)
DURATION_UNITS = "smhdw"
# Kinds of which a term may have several values, with commas between: any of them.
LISTED = tuple(kind.key for kind in TABLE if kind.listed)
# Kinds that only a server can test: a conversation as it is listed does not show them.
HIDDEN = tuple(kind.key for kind in TABLE if not kind.shown)
# Words with a meaning of their own, by kind.
WORDS_OF: Mapping[str, Sequence[str]] = MappingProxyType(
    {kind.key: kind.words for kind in TABLE if kind.words}
)
_PLACES: Mapping[str, int] = MappingProxyType({kind: at for at, kind in enumerate(KINDS)})
# One end of the days of messages, by the prefix of a day.
_FROM, _UNTIL = ("after:", "since:"), ("before:", "until:")

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
_BARE_KEY = re.compile(r"[^\s,=<>!\"]*")
_SIGN = re.compile(r"!=|>=|<=|[=<>]")
_LEAST_DIGITS, _MOST_DIGITS = 8, 15
# Words that other languages combine terms with.
_OPERATORS = MappingProxyType(
    {
        "not": "To exclude a term, write - directly before it.",
        "and": "Every term has to match: leave “and” out.",
        "or": "Every term has to match: there is no “or”. For one of several values write {both}.",
    }
)


class Term(NamedTuple):
    """Condition on a conversation, or the order. value: "" for `unread`, "followup" for follow-ups.

    others: further values of a kind in LISTED, or of a field, of which one has to match. key, sign:
    of a field, the sign "" if it only has to have a value.
    """

    kind: str
    value: str = ""
    negated: bool = False
    others: tuple[str, ...] = ()
    key: str = ""
    sign: str = ""

    def __str__(self) -> str:
        mark = "-" if self.negated else ""
        if self.kind == UNREAD:
            return f"{mark}{UNREAD}"
        values = ",".join(written_value(value, self.kind) for value in self.values)
        if self.kind == FIELD:
            values = f"{_quoted_key(self.key)}{self.sign}{values if self.sign else ''}"
        return f"{mark}{KINDS[self.kind].prefix}{values}"

    @property
    def values(self) -> tuple[str, ...]:
        """All values, at least one."""
        return (self.value, *self.others)

    @classmethod
    def any_of(cls, kind: str, values: Sequence[str], *, negated: bool = False) -> "Term":
        """Term of one or several values; words with a meaning of their own come first."""
        distinct: dict[str, str] = {}
        for value in values:
            distinct.setdefault(value.casefold(), value)
        ordered = sorted(distinct.values(), key=lambda value: value not in WORDS_OF.get(kind, ()))
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
    """Terms in the order of `TABLE`, each once, and at most one of the kinds in `_SINGLE`.

    No term stands beside its negation, and `hours:` only beside an age that it measures.
    """

    terms: tuple[Term, ...] = ()

    @classmethod
    def of(cls, *terms: Term) -> "Query":
        """Query of these terms; a later term replaces an earlier one that excludes it."""
        left = _TermSet()
        for term in terms:
            for other in (term, *left.excluded_by(term)):
                left.pop(other, None)
            left.add(term)
        terms_left = [*left]
        if not any(map(_is_wait, terms_left)):
            terms_left = [term for term in terms_left if term.kind != HOURS]
        return cls(tuple(sorted(terms_left, key=lambda term: _PLACES[term.kind])))

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

    @property
    def uncounted(self) -> tuple[Term, ...]:
        """Terms of which no counters are kept: these have one label, or any."""
        alone = (term for term in self.terms if is_positive(term, LABEL) and not term.others)
        label = next(alone, None)
        return tuple(
            term
            for term in self.filters
            if not KINDS[term.kind].counted or (term.kind == LABEL and term != label)
        )

    def with_term(self, term: Term) -> "Query":
        """Add a term; it replaces its negation, and another value of a kind that has only one."""
        return Query.of(*self.terms, term)

    def with_value(self, kind: str, value: str | None) -> "Query":
        """Set the only term of a kind; None removes all terms of the kind."""
        rest = Query.of(*(term for term in self.terms if term.kind != kind))
        return rest if value is None else rest.with_term(Term(kind, value))

    def without(self, term: Term) -> "Query":
        return Query.of(*(other for other in self.terms if other != term))

    def toggled(self, term: Term) -> "Query":
        """Remove a term if it is there; otherwise add it, in place of its negation."""
        return self.without(term) if term in self.terms else self.with_term(term)

    def is_same(self, other: "Query") -> bool:
        """True if two queries have the same terms, in any order of labels or words."""
        return frozenset(self.terms) == frozenset(other.terms)


# A query is written by a person, or by a model that was told so by a customer.
MOST_CHARACTERS = 4_000
VIEW_KEYS = ("5", "6", "7", "8", "9")


class SavedView(NamedTuple):
    """A query with a name, and the key that shows it (or "")."""

    name: str
    query: Query
    key: str = ""


def is_positive(term: Term, kind: str) -> bool:
    """True for a term of a kind that is not negated."""
    return term.kind == kind and not term.negated


def _is_wait(term: Term) -> bool:
    """True for an age of `waiting:`, which is measured in hours."""
    return term.kind == WAITING and is_duration(term.value)


class _TermSet(dict[Term, None]):
    """Terms in order, each once; finds what a term excludes without a walk over all."""

    def __init__(self) -> None:
        self._single: dict[str, Term] = {}

    def add(self, term: Term) -> None:
        self[term] = None
        if term.kind in _SINGLE and not term.negated:
            self._single[term.kind] = term

    def excluded_by(self, term: Term) -> list[Term]:
        """Its negation, and the other term of a kind that has only one."""
        others = [term._replace(negated=not term.negated)]
        if not term.negated and (single := self._single.get(term.kind, term)) != term:
            others.append(single)
        return [other for other in others if other in self]


class Token(NamedTuple):
    """Term as it is written: positions, sign, prefix and value. quoted: False, True, or None
    while the quotes are not closed. others: further values after commas; last: where the last
    value begins. key, sign: of a field; without a sign, there is no value."""

    start: int
    end: int
    negated: bool
    prefix: str
    value: str
    quoted: bool | None = False
    others: tuple[str, ...] = ()
    last: int = 0
    key: str = ""
    sign: str = ""


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
    if _PREFIXES.get(prefix.lower()) == FIELD:
        return _field_token(text, at, start, prefix, negated=negated)
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


def _field_token(text: str, at: int, start: int, prefix: str, *, negated: bool) -> Token:
    """Token of the condition on a custom field: its key, and a sign with values."""
    if text[start : start + 1] == '"':
        key, end, quoted = _quoted_value(text, start)
    else:
        match = _BARE_KEY.match(text, start)
        assert match is not None
        key, end, quoted = match[0], match.end(), False
    sign = _SIGN.match(text, end) if quoted is not None else None
    if sign is None:
        bare = _BARE_VALUE.match(text, end)
        if quoted is False and bare is not None:
            end = bare.end()
        written = text[start:end] if quoted is False else key
        return Token(at, end, negated, prefix, written, quoted, (), start, key)
    values = _listed(text, at, sign.end(), prefix, negated=negated)
    return values._replace(key=key, sign=sign[0])


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
    if len(text) > MOST_CHARACTERS:
        words = f"A query has at most {MOST_CHARACTERS:,} characters, and this has {len(text):,}."
        return Query(), [QueryProblem(MOST_CHARACTERS, len(text), words)]
    terms = _TermSet()
    problems: list[QueryProblem] = []
    all_tokens = [*tokens(text)]
    around = zip_longest([None, *all_tokens[:-1]], all_tokens, all_tokens[1:])
    for before, token, following in around:
        if token is None:
            break
        term = _operator_problem(before, token, following) or _term(token)
        if isinstance(term, str):
            problems.append(QueryProblem(token.start, token.end, term))
        elif (
            (others := terms.excluded_by(term))
            and is_positive(term, SENT)
            and (days := _joined_days(others[0], term)) is not None
        ):
            terms.pop(others[0])
            terms.add(days)
        elif others:
            other = others[0]
            why = "These exclude each other"
            why = why if term.negated or other.negated else _SINGLE[term.kind]
            words = f"{why}: keep {other} or {term}."
            problems.append(QueryProblem(token.start, token.end, words))
        else:
            terms.add(term)
    if not any(map(_is_wait, terms)):
        problems += _hours_problems(all_tokens)
    return Query.of(*terms), sorted(problems)


def _hours_problems(all_tokens: Iterable[Token]) -> Iterator[QueryProblem]:
    """Mistakes of hours beside which no age is written."""
    for token in all_tokens:
        is_hours = _PREFIXES.get(token.prefix.lower()) == HOURS
        if is_hours and isinstance(_term(token), Term):
            yield QueryProblem(token.start, token.end, _AGE_FIRST)


def _operator_problem(before: Token | None, token: Token, following: Token | None) -> str:
    """Mistake of "not", "and" or "or" before a term that is no word; "" for any other token."""
    if not _is_operator(token) or following is None:
        return ""
    is_unread = following.quoted is False and following.value.casefold() == UNREAD
    if not following.prefix and not is_unread:
        return ""
    advice = _OPERATORS[token.value.casefold()].format(both=_both(before, following))
    return f"{advice} To search for “{token.value}”, put it in quotes."


def _both(before: Token | None, following: Token) -> str:
    """How to write that one of two terms has to match."""
    ends = [None if each is None else _term(each) for each in (before, following)]
    match ends:
        case [Term(kind=kind) as one, Term(kind=other) as two] if (
            kind == other and kind in LISTED and not one.negated and not two.negated
        ):
            return str(Term.any_of(kind, (*one.values, *two.values)))
    return "#a,b"


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
    if prefix in (*_FROM, *_UNTIL):
        return _end_of_days(prefix, value, negated=token.negated)
    kind = _PREFIXES.get(prefix)
    if kind is None:
        return f"{_unknown(prefix)} To search for these words, put them in quotes."
    if kind == FIELD:
        return _field(token)
    if kind in _NEVER_NEGATED and token.negated:
        return f"{_NEVER_NEGATED[kind]} cannot be negated: write {kind}: and {_allowed(kind)}."
    if token.others:
        return _any_of(kind, token)
    if kind == STATUS and value.casefold() == FOLLOW_UP:
        return Term(FOLLOW_UP, FOLLOW_UP, token.negated)
    normal = _value(kind, value)
    if normal is not None:
        return Term(kind, normal, token.negated)
    if kind in DATED and value and (why := dates.problem(value.casefold())):
        return f"{token.prefix} takes {_allowed(kind)}. {why}."
    instead = _INSTEAD.get((kind, value.casefold()))
    return f"{token.prefix} takes {_allowed(kind)}." + (f" {instead}" if instead else "")


def _end_of_days(prefix: str, value: str, *, negated: bool) -> Term | str:
    """Term of the messages from a day on, or before it, or until its end."""
    day = value.casefold()
    if dates.RANGE in day or day[:1] in ("<", ">") or dates.problem(day):
        return f"{prefix} takes a day, such as 2026-03-14, 2026-03 or yesterday; or write sent:."
    if prefix == "before:":
        return Term(SENT, dates.before(day), negated)
    days = f"{day}{dates.RANGE}" if prefix in _FROM else f"{dates.RANGE}{day}"
    return Term(SENT, days, negated)


def _joined_days(one: Term, other: Term) -> Term | None:
    """Both ends of a range of days, given as two terms; None if they are not that."""
    ends = (one.value.partition(dates.RANGE), other.value.partition(dates.RANGE))
    (first, is_range, _), (_, _, last) = sorted(ends, key=lambda end: not end[0])
    whole = f"{first}{dates.RANGE}{last}"
    is_whole = is_range and first and last and not (ends[0][0] and ends[1][0])
    return Term(SENT, whole) if is_whole and not dates.problem(whole) else None


def _field(token: Token) -> Term | str:
    """Term of a custom field, or a sentence that says what is allowed."""
    key = one_line(clean(token.key))
    takes = f"{token.prefix} takes {_allowed(FIELD)}."
    if not key:
        return takes
    if not token.sign:
        return Term(FIELD, "", token.negated, (), key) if _is_whole(token) else takes
    values = [one_line(clean(value)) for value in (token.value, *token.others)]
    if mistake := _mistake_of_several(f"{token.prefix}{token.key}{token.sign}", values):
        return mistake if token.others else takes
    if max(map(len, (key, *values))) > MOST_FIELD_CHARACTERS:
        return f"Keys and values of fields have {MOST_FIELD_CHARACTERS} characters at most."
    if token.sign not in ("=", "!=") and not (len(values) == 1 and _is_comparable(values[0])):
        return f"{token.sign} takes one number or day, such as field:seats>10 or field:end<2026-12."
    return Term.any_of(FIELD, values, negated=token.negated)._replace(key=key, sign=token.sign)


def _is_whole(token: Token) -> bool:
    """True if nothing but the key of a field was written."""
    return token.quoted is True or token.value == token.key


def _is_comparable(value: str) -> bool:
    """True for a number or a day."""
    # Deferred: no start needs it.
    from frontdesk.text.custom_fields import compared

    return value.casefold() in dates.RELATIVE or compared(">", value) is not None


def _mistake_of_several(prefix: str, values: Sequence[str]) -> str:
    if "" in values:
        return f"Write several values with commas between them, without blanks: {prefix}a,b."
    if len(values) > MOST_VALUES:
        return f"{prefix} takes {MOST_VALUES} values at most."
    return ""


def _any_of(kind: str, token: Token) -> Term | str:
    """Term of several values, or a sentence that says what is allowed."""
    values = [one_line(clean(value)) for value in (token.value, *token.others)]
    normal = [_value(kind, value) for value in values]
    if mistake := _mistake_of_several(token.prefix, values):
        return mistake
    known = [value for value in normal if value is not None]
    if len(known) < len(values):
        return f"{token.prefix} takes {_allowed(kind, several=True)}."
    return Term.any_of(kind, known, negated=token.negated)


def _value(kind: str, value: str) -> str | None:
    """Value in its normal form; None if it is not allowed."""
    lower = value.casefold()
    if values := KINDS[kind].values:
        return lower if lower in values else None
    if kind in DURATIONS and is_duration(lower):
        return f"{lower[0]}{int(lower[1:-1])}{lower[-1]}"
    if kind in DATED:
        return lower if lower and not dates.problem(lower) else None
    if kind in DURATIONS:
        return None
    if lower in WORDS_OF.get(kind, ()):
        return lower
    return value or None


def _bare(value: str, token: Token) -> Term | str:
    if not (value if token.quoted else value.strip("-")):
        return "Write the words to search for." if token.quoted else "Write a filter after the -."
    if value.casefold() == UNREAD and not token.quoted:
        return Term(UNREAD, "", token.negated)
    return Term(WORDS, value, token.negated)


def _unknown(prefix: str) -> str:
    allowed = ", ".join((*(name for name in _PREFIXES if len(name) > 1), "@, # and unread"))
    return f"There is no filter {prefix}. Use {allowed}."


def _allowed(kind: str, *, several: bool = False) -> str:
    """Values that a prefix takes. several: with commas between them."""
    if values := KINDS[kind].values:
        alone = [FOLLOW_UP] if kind == STATUS and not several else []
        *most, last = [*values, *alone]
        return f"{', '.join(most)} or {last}" if most else last
    durations = "< or > and a time, such as >1h, <30m or >2d"
    if kind in DATED:
        return f"{f'{durations}, or ' if kind in DURATIONS else ''}{dates.HOW_TO}"
    return KINDS[kind].takes or durations


def written_value(value: str, kind: str) -> str:
    """Value as it is written: in quotes if it would be read as something else without."""
    if kind == WORDS:
        match = _TOKEN.fullmatch(value)
        special = match is None or match["prefix"] or match["not"] or match["quoted"] is not None
        special = special or value.casefold() in (UNREAD, *_OPERATORS)
    else:
        special = value.startswith('"') or any(map(str.isspace, value))
        special = special or (kind in (*LISTED, FIELD) and "," in value)
        # Without quotes, it would go on with the next word if that is a number.
        special = special or (kind == CONTACT and _is_begun_number(value))
    return _in_quotes(value) if special else value


def _quoted_key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _in_quotes(key)


def _in_quotes(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
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
