"""Full-text search over cached messages, notes, conversations and contacts, without a server."""

from collections.abc import Callable, Iterable, Iterator, Sized
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from frontdesk.cache.rows import (
    CONTACT,
    CONVERSATION,
    MESSAGE,
    Hit,
    SearchedText,
    preview_in,
    searched_text_in,
)
from frontdesk.text.clean import folded, one_line
from frontdesk.text.messages import MACHINE_LEAD, found_pieces_of, read_in_file
from frontdesk.text.phones import phone_pattern
from frontdesk.text.search import Terms, member, members_of

Rows = Callable[[str, tuple[object, ...]], list[Any]]
Spans: TypeAlias = tuple[tuple[int, int], ...]

_PEOPLE = frozenset({CONVERSATION, CONTACT})

# With more matches, walking from the newest row is faster than sorting them all.
_MANY = 1_000

_SNIPPET_LENGTH = 160
_SNIPPET_BEFORE = 40

_WITH_INDEX = "found CROSS JOIN said ON said.number = found.rowid"
_BODIES = (
    "SELECT said.number, said.sort, said.kind, object.id, body, said.about FROM said"
    " CROSS JOIN object ON object.number = abs(said.number)"
    " WHERE said.number IN ({marks}) ORDER BY said.sort DESC, said.number DESC"
)


def search(
    rows: Rows,
    origin: int,
    text: str,
    *,
    limit: int,
    before: Hit | None = None,
    kinds: tuple[str, ...] = (),
    conversation_id: str | None = None,
) -> list[Hit]:
    """Rows that contain every term of `text`, newest first.

    before: the last hit of the previous page. kinds: empty for all. conversation_id: restricts the
    search to a conversation's messages and notes. Among contacts and conversations alone, a phone
    number is looked for as `phone_pattern` says.
    """
    number = phone_pattern(text) if kinds and _PEOPLE.issuperset(kinds) else None
    terms = Terms((number.parts,)) if number else Terms.of(text)
    if not terms.spellings or limit < 1:
        return []
    find = partial(_find, rows, origin, conversation_id, kinds, limit, before)
    exact = (
        [row for row in find(Terms(((phone,),))) if _phone_of(row) == phone]
        for phone in (number.whole if number else ())
    )
    found = next(filter(None, exact), None) or find(terms)
    return [_hit(rows, origin, terms, *row) for row in found]


# A row as `_BODIES` selects it.
_Found = tuple[int, str, str, str, bytes, str | None]


def _find(
    rows: Rows,
    origin: int,
    conversation_id: str | None,
    kinds: tuple[str, ...],
    limit: int,
    before: Hit | None,
    terms: Terms,
) -> list[_Found]:
    """Rows with all terms; see `search`."""
    condition, words = _condition(terms)
    conditions = ["said.origin = ?", condition]
    parameters: list[object] = [origin, *words]
    if kinds:
        conditions.append(f"said.kind IN ({_marks(kinds)})")
        parameters += kinds
    if before is not None:
        conditions.append("(said.sort, said.number) < (?, ?)")
        parameters += before.place
    if conversation_id is not None:
        conditions.append("said.about = ?")
        parameters.append(conversation_id)
    ways = _THREAD if conversation_id is not None else _ways(terms.match)
    numbers = _numbers(rows, ways, " AND ".join(conditions), parameters, limit)
    return rows(_BODIES.format(marks=_marks(numbers)), tuple(numbers)) if numbers else []


def _phone_of(row: _Found) -> object:
    """Number of the contact that is a row, or of a conversation's."""
    _, _, kind, _, body, _ = row
    value = members_of(body)
    return (member(value, "contact") if kind == CONVERSATION else value).get("phone")


def _marks(values: Sized) -> str:
    return ",".join("?" * len(values))


class _SearchPlan(NamedTuple):
    """Query plan: FROM clause, and FTS5 query if the index is used."""

    source: str
    match: str | None = None


_THREAD = _SearchPlan("said INDEXED BY said_about")


def _ways(match: str | None) -> _SearchPlan:
    return _SearchPlan("said NOT INDEXED") if match is None else _SearchPlan(_WITH_INDEX, match)


def _numbers(
    rows: Rows, ways: _SearchPlan, condition: str, parameters: list[object], limit: int
) -> list[int]:
    """Numbers of the newest matches: sorted if few, otherwise found by walking from the newest."""
    values = parameters if ways.match is None else [*parameters, ways.match]
    matching = condition if ways.match is None else f"{condition} AND found MATCH ?"
    matches = rows(
        f"SELECT said.sort, said.number FROM {ways.source} WHERE {matching} LIMIT ?",
        (*values, _MANY),
    )
    if len(matches) == _MANY:
        matches = rows(
            f"SELECT sort, number FROM said INDEXED BY said_by_time WHERE {condition}"
            " ORDER BY sort DESC, number DESC LIMIT ?",
            (*parameters, limit),
        )
    return [number for _, number in sorted(matches, reverse=True)[:limit]]


def _hit(
    rows: Rows,
    origin: int,
    terms: Terms,
    number: int,
    sort: str,
    kind: str,
    id: str,
    body: bytes,
    about: str | None,
) -> Hit:
    value = members_of(body)
    if kind == MESSAGE and number < 0:
        value = preview_in(value) or {}
        id = str(value.get("id"))
    if kind == MESSAGE:
        pieces = found_pieces_of(value)
    else:
        pieces = (searched_text_in(kind, value) or SearchedText((), None, "")).pieces
    if kind in (CONVERSATION, CONTACT):
        # A name and the name of the profile are often the same.
        pieces = (" · ".join(dict.fromkeys(pieces)),)
    snippet, spans = snippet_of(pieces, terms)
    if member(member(value, "media"), "text") and snippet.startswith(MACHINE_LEAD):
        file = "voice" if member(value, "media").get("voice") else str(value.get("type"))
        words, spans = snippet.removeprefix(MACHINE_LEAD), _shifted(spans, -len(MACHINE_LEAD))
        snippet, spans = led(read_in_file(file), words, spans)
    moment = value.get("last_activity_at" if kind in (CONVERSATION, CONTACT) else "created_at")
    if kind == CONVERSATION:
        about = id
    elif kind == CONTACT:
        about = next(iter(conversations_of(rows, origin, id)), None)
    return Hit(about, kind, id, str(moment or ""), snippet, spans, (sort, number))


def conversations_of(rows: Rows, origin: int, contact_id: str) -> list[str]:
    """Ids of a contact's cached conversations, most recently active first."""
    # Without the hint, SQLite scans the whole table in sort order.
    matches = rows(
        "SELECT id FROM said INDEXED BY said_about"
        " CROSS JOIN object ON object.number = said.number"
        " WHERE said.origin = ? AND about = ? AND said.kind = 'conversation'"
        " ORDER BY sort DESC, id",
        (origin, contact_id),
    )
    return [row[0] for row in matches]


def conversations_saying(rows: Rows, origin: int, text: str) -> list[str]:
    """Ids of the conversations of which a cached message has a text, blanks and all."""
    terms = Terms.whole(text)
    if not terms.spellings:
        return []
    condition, words = _condition(terms)
    ways = _ways(terms.match)
    if ways.match is not None:
        condition, words = f"{condition} AND found MATCH ?", [*words, ways.match]
    found = rows(
        f"SELECT DISTINCT said.about FROM {ways.source} WHERE said.origin = ?"
        f" AND said.kind = '{MESSAGE}' AND said.about IS NOT NULL AND {condition}",
        (origin, *words),
    )
    return [row[0] for row in found]


# A word ends where a blank or a line does.
_PADDED = "' ' || replace(said.text, char(10), ' ') || ' '"
_STATUS = "CASE WHEN json_valid({text}) THEN json_extract({text}, '$.status') END".format(
    text="CAST(object.body AS TEXT)"
)


def conversations_with(rows: Rows, origin: int, text: str, *, limit: int) -> list[str]:
    """Ids of the conversations whose customer has every term of `text` in the name or number.

    Whole words come before starts of words, and those before other parts; of like ones open before
    snoozed before resolved, then the most recently active. A phone number is looked for as
    `phone_pattern` says. Reads the bodies of all matches.
    """
    number = phone_pattern(text)
    terms = Terms((number.parts,)) if number else Terms.of(text)
    if not terms.spellings or limit < 1:
        return []
    exact = (
        [id for id, body in _with(rows, origin, Terms(((phone,),)), limit) if _is_of(body, phone)]
        for phone in (number.whole if number else ())
    )
    found = next(filter(None, exact), None)
    return found or [id for id, _ in _with(rows, origin, terms, limit)]


def _is_of(body: bytes, phone: str) -> bool:
    """True if a conversation's customer has a number."""
    return member(members_of(body), "contact").get("phone") == phone


def _with(rows: Rows, origin: int, terms: Terms, limit: int) -> list[tuple[str, bytes]]:
    """Ids and bodies of conversations; see `conversations_with`."""
    condition, words = _condition(terms)
    ways = _ways(terms.match)
    if ways.match is not None:
        condition, words = f"{condition} AND found MATCH ?", [*words, ways.match]
    whole, wholes = _each(terms, "instr({text}, ' ' || ? || ' ') > 0")
    start, starts = _each(terms, "instr({text}, ' ' || ?) > 0")
    return rows(
        f"SELECT object.id, object.body FROM {ways.source}"
        " CROSS JOIN object ON object.number = said.number"
        f" WHERE said.origin = ? AND said.kind = 'conversation' AND {condition}"
        f" ORDER BY CASE WHEN {whole} THEN 0 WHEN {start} THEN 1 ELSE 2 END,"
        f" CASE {_STATUS} WHEN 'open' THEN 0 WHEN 'snoozed' THEN 1 ELSE 2 END,"
        " said.sort DESC, said.number DESC LIMIT ?",
        (origin, *words, *wholes, *starts, limit),
    )


def _condition(terms: Terms) -> tuple[str, list[object]]:
    """Condition that a text has every term, and its parameters; trigrams do not say where."""
    every = (
        f"({' OR '.join('instr(said.text, ?) > 0' for _ in spellings)})"
        for spellings in terms.spellings
    )
    return " AND ".join(every), [*terms.words]


def _each(terms: Terms, test: str) -> tuple[str, list[object]]:
    """Condition that every term passes a test of {text} in one of its spellings."""
    one = test.format(text=_PADDED)
    every = (f"({' OR '.join(one for _ in spellings)})" for spellings in terms.spellings)
    return " AND ".join(every), [*terms.words]


def snippet_of(pieces: tuple[str, ...], terms: Terms) -> tuple[str, Spans]:
    """The line with the most matches, shortened, and the spans of the matches.

    The mark of what a program read in a file stays.
    """
    best, best_spans = terms.best_of(map(one_line, pieces)), list[tuple[int, int]]()
    for piece in map(one_line, pieces):
        spans = list(_spans(piece, terms))
        if len(spans) > len(best_spans):
            best, best_spans = piece, spans
    return _around(best, tuple(sorted(set(best_spans))))


def _around(line: str, spans: Spans) -> tuple[str, Spans]:
    lead = MACHINE_LEAD if line.startswith(MACHINE_LEAD) else ""
    return led(lead, *_excerpt(line[len(lead) :], _shifted(spans, -len(lead))))


def led(lead: str, text: str, spans: Iterable[tuple[int, int]]) -> tuple[str, Spans]:
    """A text and the spans in it, with other words in front."""
    return lead + text, _shifted(spans, len(lead))


def _shifted(spans: Iterable[tuple[int, int]], by: int) -> Spans:
    return tuple((a + by, b + by) for a, b in spans if a + by >= 0)


def _excerpt(line: str, spans: Spans) -> tuple[str, Spans]:
    """An excerpt of `line` that starts shortly before the first span."""
    start = max(0, spans[0][0] - _SNIPPET_BEFORE) if spans else 0
    if len(line) <= _SNIPPET_LENGTH:
        start = 0
    elif start:
        start = max(line.find(" ", start, spans[0][0]) + 1, start)
    end = start + _SNIPPET_LENGTH
    inside = [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end]
    return line[start:end], tuple(_merged(inside))


def _merged(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Sorted spans, with overlapping and adjacent ones merged."""
    open_span: tuple[int, int] | None = None
    for span in spans:
        if open_span and span[0] <= open_span[1]:
            open_span = open_span[0], max(open_span[1], span[1])
        else:
            if open_span:
                yield open_span
            open_span = span
    if open_span:
        yield open_span


def _spans(line: str, terms: Terms) -> Iterator[tuple[int, int]]:
    """Spans of the terms in a line as displayed."""
    text, places = _folded_with_places(line)
    for spelling in terms.words:
        at = text.find(spelling)
        while at >= 0:
            yield places[at], places[at + len(spelling)]
            at = text.find(spelling, at + len(spelling))


def _folded_with_places(line: str) -> tuple[str, "range | list[int]"]:
    """Case-folded line, and for each position in it (and its end) the position in `line`.

    Folding works character by character, so the positions are exact.
    """
    if line.isascii():
        return folded(line), range(len(line) + 1)
    letters = [folded(letter) for letter in line]
    places = [at for at, letter in enumerate(letters) for _ in letter]
    return "".join(letters), [*places, len(line)]
