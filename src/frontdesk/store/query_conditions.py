"""Conditions that only queries have: words, customers, contents, places, and several combined.

Those by place that must hold for all conversations lead an index instead: see `by_index`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from typing import Literal

from frontdesk.store.contacts import like_pattern, word_condition
from frontdesk.store.conversation_conditions import OF_CANDIDATE, Condition, Source, Sql, one_row
from frontdesk.store.conversations import (
    NO_LABEL,
    ConversationSelection,
    CountedCells,
    FilterPlace,
    states_of,
)
from frontdesk.store.database import Dialect
from frontdesk.store.rows import FILE, OWN, SNOOZED
from frontdesk.text.search import Terms

_Column = Literal["label_id", "channel_id", "assignee_id", "state", "awaiting", "unread"]
_STATE_NOW = (
    f"state - CASE WHEN state / 2 = {SNOOZED} AND conversation_id IN (SELECT id FROM conversation"
    f" WHERE account_id = :account AND snoozed_until <= :awake_at) THEN {2 * SNOOZED} ELSE 0 END"
)
_OF_CONTACT = (
    "conversation AS c JOIN contact ON contact.account_id = c.account_id"
    " AND contact.id = c.contact_id"
    " WHERE c.account_id = :account AND c.id = candidate.conversation_id"
)
# As the index on such messages has it.
_WITH_CONTENTS = "type IN ('image', 'video', 'audio', 'document', 'sticker')"
# Ranges of an index that one page may merge.
MOST_RANGES = 96
_ASSIGNED, _UNASSIGNED = ({*states_of(range(3), assigned=assigned)} for assigned in (True, False))
# Messages of PostgreSQL that are compared to find out if a word is too frequent to list all.
_COMPARED = 20_000


@dataclass(frozen=True, slots=True)
class Says:
    """A message has all of these terms, or what was read in its file. parts: of the index."""

    terms: Terms
    parts: tuple[int, ...] = (OWN,)

    def test(self, dialect: Dialect, number: int) -> Sql:
        has_terms, values = self._has_terms(number)
        return Sql(
            one_row(
                "message_text AS t WHERE t.account_id = :account"
                f" AND t.conversation_id = candidate.conversation_id AND {has_terms}"
            ),
            values,
        )

    def source(self, dialect: Dialect, number: int) -> Source | None:
        if not self.terms.is_indexed:
            return None
        has_terms, values = self._has_terms(number)
        if dialect == "sqlite":
            listed = (
                "SELECT t.conversation_id AS id FROM message_words CROSS JOIN message_text AS t"
                " ON t.account_id = :account AND t.number = message_words.rowid"
                f" WHERE message_words MATCH :trigrams{number} AND message_words.rowid"
                f" BETWEEN (:account << 48) AND ((:account + 1) << 48) - 1 AND {has_terms}"
            )
            trigrams: dict[str, object] = {f"trigrams{number}": self.terms.match}
            estimate = _number_of_hits("message_words", f"trigrams{number}", 48)
            return Source(Sql(listed, values | trigrams), estimate=Sql(estimate, trigrams))
        own = "FROM message_text AS t WHERE t.account_id = CAST(:account AS BIGINT)"
        number_of_all = "SELECT reltuples FROM pg_class WHERE oid = 'message_text'::regclass"
        estimate = (
            f"SELECT CAST(COUNT(*) * ({number_of_all}) / {_COMPARED} AS BIGINT) AS n FROM"
            f" (SELECT t.text, t.part {own} ORDER BY t.number DESC LIMIT {_COMPARED}) AS t"
            f" WHERE {has_terms}"
        )
        return Source(
            Sql(f"SELECT t.conversation_id AS id {own} AND {has_terms}", values),
            estimate=Sql(estimate, values),
        )

    def _has_terms(self, number: int) -> Sql:
        values: dict[str, object] = {
            f"said{number}_{at}": like_pattern([word]) for at, word in enumerate(self.terms.words)
        }
        names = iter(values)
        terms = (
            " OR ".join(f"t.text LIKE :{next(names)} ESCAPE '\\'" for _ in spellings)
            for spellings in self.terms.spellings
        )
        parts = f"t.part IN ({', '.join(map(str, self.parts))})"
        return Sql(" AND ".join((*(f"({term})" for term in terms), parts)), values)


@dataclass(frozen=True, slots=True)
class HasFileText:
    """The words of a file were read."""

    def test(self, dialect: Dialect, number: int) -> Sql:
        return Sql(one_row(f"{self._texts(dialect)} AND {OF_CANDIDATE}"), {})

    def source(self, dialect: Dialect, number: int) -> Source | None:
        return Source(Sql(f"SELECT conversation_id AS id FROM {self._texts(dialect)}", {}))

    @staticmethod
    def _texts(dialect: Dialect) -> str:
        # While no file was read, SQLite has no statistics of the index, and takes that of threads.
        index = " INDEXED BY message_text_files" if dialect == "sqlite" else ""
        return f"message_text{index} WHERE account_id = :account AND part = {FILE}"


@dataclass(frozen=True, slots=True)
class OfCustomer:
    """The contact is found by these folded words."""

    words: tuple[str, ...]

    def test(self, dialect: Dialect, number: int) -> Sql:
        found = word_condition(dialect, self.words, f"_{number}")
        return Sql(one_row(f"{_OF_CONTACT} AND {found.condition}"), {**found.parameters})

    def source(self, dialect: Dialect, number: int) -> Source | None:
        found = word_condition(dialect, self.words, f"_{number}")
        if not found.parameters.get(f"trigrams_{number}", True):
            return None
        listed = f"SELECT contact.id FROM {found.source} WHERE {{}}"
        if dialect == "postgresql":
            whole = Sql(listed.format(found.condition), {**found.parameters})
            return Source(whole, of_contacts=True)
        name = f"trigrams_{number}"
        estimate = _number_of_hits("contact_words", name, 40)
        return Source(
            Sql(listed.format(found.narrowed), {**found.parameters}),
            of_contacts=True,
            estimate=Sql(estimate, {name: found.parameters[name]}),
        )


@dataclass(frozen=True, slots=True)
class OfContacts:
    """The contact is one of these."""

    contact_ids: tuple[int, ...]

    def test(self, dialect: Dialect, number: int) -> Sql:
        among, values = _named(f"contact{number}_", self.contact_ids)
        return Sql(one_row(f"{_OF_CONTACT} AND c.contact_id IN ({among})"), values)

    def source(self, dialect: Dialect, number: int) -> Source | None:
        among, values = _named(f"contact{number}_", self.contact_ids)
        listed = f"SELECT id FROM contact WHERE account_id = :account AND id IN ({among})"
        return Source(Sql(listed, values), of_contacts=True)


@dataclass(frozen=True, slots=True)
class HasContent:
    """A message of one of these types, of `MEDIA_TYPES`, was not deleted."""

    types: tuple[str, ...]

    def test(self, dialect: Dialect, number: int) -> Sql:
        return Sql(
            one_row(f"{self._messages(dialect)} AND conversation_id = candidate.conversation_id"),
            {},
        )

    def source(self, dialect: Dialect, number: int) -> Source | None:
        return Source(Sql(f"SELECT conversation_id AS id FROM {self._messages(dialect)}", {}))

    def _messages(self, dialect: Dialect) -> str:
        index = " INDEXED BY message_contents" if dialect == "sqlite" else ""
        types = ", ".join(f"'{type}'" for type in self.types)
        return (
            f"message{index} WHERE account_id = :account AND {_WITH_CONTENTS}"
            f" AND type IN ({types}) AND deleted_at IS NULL"
        )


@dataclass(frozen=True, slots=True)
class SentIn:
    """A message is of a time from `first` on and before `end`, in milliseconds; None: open."""

    first: int | None = None
    end: int | None = None

    def test(self, dialect: Dialect, number: int) -> Sql:
        limits, values = self._limits(number)
        return Sql(one_row(f"message WHERE {OF_CANDIDATE}{limits}"), values)

    def source(self, dialect: Dialect, number: int) -> Source | None:
        limits, values = self._limits(number)
        listed = f"SELECT conversation_id AS id FROM message WHERE account_id = :account{limits}"
        return Source(Sql(listed, values))

    def _limits(self, number: int) -> Sql:
        ends = (("first", ">=", self.first), ("end", "<", self.end))
        known = [(f"{name}{number}", sign, at) for name, sign, at in ends if at is not None]
        limits = (f" AND created_at {sign} :{name}" for name, sign, _ in known)
        return Sql("".join(limits), {name: at for name, _, at in known})


@dataclass(frozen=True, slots=True)
class HasNote:
    """There is a note on the conversation."""

    def test(self, dialect: Dialect, number: int) -> Sql:
        return Sql(one_row(f"note WHERE {OF_CANDIDATE}"), {})

    def source(self, dialect: Dialect, number: int) -> Source | None:
        return Source(Sql("SELECT conversation_id AS id FROM note WHERE account_id = :account", {}))


@dataclass(frozen=True, slots=True)
class Placed:
    """The filter table has the conversation with one of these values in a column."""

    column: _Column
    values: tuple[int, ...]

    def test(self, dialect: Dialect, number: int) -> Sql:
        among, values = _named(f"place{number}_", self.values)
        of_label = "" if self.column == "label_id" else f" AND label_id = {NO_LABEL}"
        # A snooze that has expired is open.
        column = _STATE_NOW if self.column == "state" else self.column
        return Sql(
            one_row(f"entry WHERE {OF_CANDIDATE}{of_label} AND {column} IN ({among})"), values
        )

    def source(self, dialect: Dialect, number: int) -> Source | None:
        if self.column != "label_id":
            return None
        among, values = _named(f"place{number}_", self.values)
        listed = "SELECT conversation_id AS id FROM entry WHERE account_id = :account"
        return Source(Sql(f"{listed} AND label_id IN ({among})", values))


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of some conditions; with `every`, all of them; negated: not so."""

    parts: tuple[Condition, ...]
    every: bool = False
    negated: bool = False

    def test(self, dialect: Dialect, number: int) -> Sql:
        return self.joined(
            [part.test(dialect, _within(number, at)) for at, part in enumerate(self.parts)]
        )

    def joined(self, tests: Sequence[Sql]) -> Sql:
        """Return the test of all, by the tests of the parts."""
        between = " AND " if self.every else " OR "
        text = between.join(f"({test.text})" for test in tests) or f"1 = {int(self.every)}"
        return Sql(f"{'NOT ' if self.negated else ''}({text})", _all(tests))

    def source(self, dialect: Dialect, number: int) -> Source | None:
        if self.negated:
            return None
        found = [part.source(dialect, _within(number, at)) for at, part in enumerate(self.parts)]
        known = [source for source in found if source is not None]
        if self.every:
            return known[0]._replace(exact=len(self.parts) == 1) if known else None
        if not known or len(known) < len(found):
            return None
        listed = Sql(" UNION ALL ".join(map(_conversations, known)), _all(s.sql for s in known))
        estimates = [source.estimate for source in known if source.estimate is not None]
        estimate = Sql(
            f"SELECT {' + '.join(f'({each.text})' for each in estimates)} AS n", _all(estimates)
        )
        exact = all(source.exact for source in known)
        return Source(listed, estimate=estimate if estimates else None, exact=exact)


def _conversations(source: Source) -> str:
    """A source of contacts as one of their conversations."""
    if not source.of_contacts:
        return source.sql.text
    return (
        f"SELECT c.id FROM ({source.sql.text}) AS who"
        " JOIN conversation AS c ON c.account_id = :account AND c.contact_id = who.id"
    )


def _number_of_hits(index: str, trigrams: str, bits: int) -> str:
    """Statement for the number of rows of an FTS5 index, up to `:most`.

    trigrams: name of the parameter. bits: of the row numbers of an account.
    """
    return (
        f"SELECT COUNT(*) AS n FROM (SELECT rowid FROM {index} WHERE {index} MATCH :{trigrams}"
        f" AND rowid BETWEEN (:account << {bits}) AND ((:account + 1) << {bits}) - 1"
        " LIMIT :most) AS hits"
    )


def _within(number: int, at: int) -> int:
    """Number of a part that no other condition has; no query has a hundred terms or values."""
    return (number + 1) * 100 + at


def _all(parts: Iterable[Sql]) -> dict[str, object]:
    return dict(item for part in parts for item in part.parameters.items())


def _named(name: str, values: Sequence[int]) -> tuple[str, dict[str, object]]:
    parameters: dict[str, object] = {f"{name}{at}": value for at, value in enumerate(values)}
    return ", ".join(f":{key}" for key in parameters) or "NULL", parameters


def is_slow(condition: Condition) -> bool:
    """True if a test reads the messages of a conversation one by one."""
    if isinstance(condition, AnyOf):
        return any(map(is_slow, condition.parts))
    return isinstance(condition, Says)


def counted_cells(selection: ConversationSelection) -> CountedCells | None:
    """Return the counter cells of a selection; None if cells do not tell it."""
    columns: dict[_Column, int | None] = {
        "channel_id": selection.channel_id,
        "assignee_id": selection.assignee_id,
        "awaiting": selection.awaiting,
        "unread": selection.unread,
    }
    singles = [Placed(name, (int(one),)) for name, one in columns.items() if one is not None]
    label_id, tests = selection.label_id, list[Sql]()
    placed = (Placed("state", selection.states), *singles, *selection.conditions)
    for number, condition in enumerate(placed):
        if isinstance(condition, Placed) and condition.column == "label_id":
            if label_id != NO_LABEL or len(condition.values) != 1:
                return None
            (label_id,) = condition.values
        elif (test := _of_cell(condition, number)) is not None:
            tests.append(test)
        else:
            return None
    return CountedCells(label_id, tuple(tests), selection.awake_at, selection.contact_id)


def _of_cell(condition: Condition, number: int) -> Sql | None:
    """Return what is true for a counter cell of conversations that match, with their states now."""
    match condition:
        case Placed(column, values) if column != "label_id":
            among, parameters = _named(f"place{number}_", values)
            return Sql(f"cell.{column} IN ({among})", parameters)
        case AnyOf(parts):
            tests = [_of_cell(part, _within(number, at)) for at, part in enumerate(parts)]
            known = [test for test in tests if test is not None]
            return condition.joined(known) if len(known) == len(tests) else None
    return None


def by_index(selection: ConversationSelection) -> ConversationSelection:
    """The same selection with an index for its conditions by place, as far as there is one."""
    left: list[Condition] = []
    for condition in selection.conditions:
        found = _indexed(selection, condition)
        if found is None or not 0 < _ranges(found) <= MOST_RANGES:
            left.append(condition)
        else:
            selection = found
    return replace(selection, conditions=tuple(left))


def _ranges(selection: ConversationSelection) -> int:
    return sum(place.has(state) for place in selection.all_places for state in selection.states)


def _indexed(
    selection: ConversationSelection, condition: Condition
) -> ConversationSelection | None:
    """A selection with the condition itself; None if it has no place for it."""
    match condition:
        case OfContacts((contact_id,)) if selection.contact_id is None:
            return replace(selection, contact_id=contact_id)
        case Placed("state", values):
            return _with_states(selection, lambda state: state in values)
        case AnyOf((Placed("state", values),), negated=True):
            return _with_states(selection, lambda state: state not in values)
        case Placed("awaiting", (value,)) if selection.awaiting is None:
            return replace(selection, awaiting=bool(value))
        case Placed("unread", (value,)) if selection.unread is None:
            return replace(selection, unread=bool(value))
    places = _places(condition)
    return None if places is None else _with_places(selection, places)


def _with_states(
    selection: ConversationSelection, has: Callable[[int], bool]
) -> ConversationSelection | None:
    states = tuple(filter(has, selection.states))
    return replace(selection, states=states) if states else None


def _with_places(
    selection: ConversationSelection, places: Sequence[FilterPlace]
) -> ConversationSelection | None:
    found = _both(selection.all_places, places)
    if not found:
        return None
    if len(found) > 1 or selection.places:
        return replace(selection, places=found)
    label_id, channel_id, assignee_id, _ = found[0]
    selection = replace(
        selection, label_id=label_id, channel_id=channel_id, assignee_id=assignee_id
    )
    return _with_states(selection, found[0].has)


def _places(condition: Condition) -> tuple[FilterPlace, ...] | None:
    """Places of the conversations that match; None if the indexes by place do not have them."""
    match condition:
        case Placed("state", values) if {*values} in (_ASSIGNED, _UNASSIGNED):
            return (FilterPlace(assigned={*values} == _ASSIGNED),)
        case Placed("label_id", values):
            return tuple(FilterPlace(label_id=value) for value in values)
        case Placed("channel_id", values):
            return tuple(FilterPlace(channel_id=value) for value in values)
        case Placed("assignee_id", values):
            return tuple(FilterPlace(assignee_id=value, assigned=True) for value in values)
        case AnyOf(parts, every, False):
            each = [_places(part) for part in parts]
            known = [places for places in each if places is not None]
            if len(known) < len(each):
                return None
            if not every:
                return tuple(dict.fromkeys(place for places in known for place in places))
            anywhere: tuple[FilterPlace, ...] | None = (FilterPlace(),)
            return reduce(_both, known, anywhere)
    return None


def _both(
    some: Sequence[FilterPlace] | None, others: Sequence[FilterPlace]
) -> tuple[FilterPlace, ...] | None:
    """Places that are in both; None if one would need two labels."""
    pairs = [*product(some or (), others)]
    if some is None or any(NO_LABEL not in (one.label_id, other.label_id) for one, other in pairs):
        return None
    # Other values in one column have nothing in common.
    fit = (one.within(other) for one, other in pairs if one.within(other) == other.within(one))
    return tuple(dict.fromkeys(fit))
