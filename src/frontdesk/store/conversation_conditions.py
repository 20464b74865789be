"""Conditions of conversations that lead no index of the filter table.

A condition tests candidates one by one (`test`), and most list what matches by an index of their
own (`source`). SQL names the candidate `candidate.conversation_id`; names of parameters end with
the number of the condition.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol

from frontdesk.store.ads import MESSAGES, SOURCE
from frontdesk.store.database import Dialect
from frontdesk.store.rows import RESOLVED
from frontdesk.text.custom_fields import EntryTest

_Time = Literal["created_at", "last_activity_at", "waiting_since", "last_inbound_at"]
PHONE, AI = "phone", "ai"
# Columns that are not null where they wrote.
_SPOKE = MappingProxyType({PHONE: "phone_spoke_at", AI: "bot_spoke_at"})
OF_CANDIDATE = "account_id = :account AND conversation_id = candidate.conversation_id"
_CANDIDATE = "c.account_id = :account AND c.id = candidate.conversation_id"


class Sql(NamedTuple):
    """A part of a statement with its parameters."""

    text: str
    parameters: dict[str, object]


class Source(NamedTuple):
    """Statement that lists ids, with repetitions: `id` of conversations, or of their contacts.

    estimate: statement for their number `n`, up to `:most`, where it is much faster. exact: all of
    them match, so that none has to be tested.
    """

    sql: Sql
    of_contacts: bool = False
    estimate: Sql | None = None
    exact: bool = True


class Condition(Protocol):
    """Condition of a conversation. number: one that no other condition of the statement has."""

    def test(self, dialect: Dialect, number: int) -> Sql:
        """Return what is true for a candidate that matches."""

    def source(self, dialect: Dialect, number: int) -> Source | None:
        """Return what lists all that match; None if no index does."""


@dataclass(frozen=True, slots=True)
class WithoutLabels:
    """None of these labels."""

    label_ids: tuple[int, ...]

    def test(self, dialect: Dialect, number: int) -> Sql:
        names, values = _named(f"without{number}", self.label_ids)
        among = f"SELECT 1 FROM entry WHERE {OF_CANDIDATE} AND label_id IN ({names})"
        return Sql(f"NOT EXISTS ({among})", values)

    def source(self, dialect: Dialect, number: int) -> Source | None:
        return None


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time of the conversation from `first` on and before `end`, in milliseconds; None: open."""

    column: _Time
    first: int | None = None
    end: int | None = None

    def limits(self, column: str, number: int) -> Sql:
        """Return the comparisons of a column with both ends."""
        ends = (("first", ">=", self.first), ("end", "<", self.end))
        given = [(f"{name}{number}", sign, at) for name, sign, at in ends if at is not None]
        comparisons = [f"{column} {sign} :{name}" for name, sign, _ in given]
        if self.column == "waiting_since":
            comparisons.append(f"{column} IS NOT NULL")
        return Sql(" AND ".join(comparisons), {name: at for name, _, at in given})

    def test(self, dialect: Dialect, number: int) -> Sql:
        limits = self.limits(f"c.{self.column}", number)
        waits = f" AND c.status <> {RESOLVED}" if self.column == "waiting_since" else ""
        return Sql(
            one_row(f"conversation AS c WHERE {_CANDIDATE} AND {limits.text}{waits}"), limits[1]
        )

    def source(self, dialect: Dialect, number: int) -> Source | None:
        text, values = self.limits(self.column, number)
        if self.column == "created_at":
            listed = f"SELECT id FROM conversation WHERE account_id = :account AND {text}"
        else:
            # One range for each state.
            listed = (
                "SELECT conversation_id AS id FROM entry WHERE account_id = :account"
                f" AND label_id = 0 AND state IN (0, 1, 2, 3, 4, 5) AND {text}"
            )
        return Source(Sql(listed, values))


@dataclass(frozen=True, slots=True)
class WrittenBy:
    """One of these users wrote a message, or the phone or the bot did. words: PHONE, AI."""

    user_ids: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    negated: bool = False

    def test(self, dialect: Dialect, number: int) -> Sql:
        names, values = _named(f"author{number}", self.user_ids)
        ways = [
            one_row(f"conversation AS c WHERE {_CANDIDATE} AND c.{_SPOKE[word]} IS NOT NULL")
            for word in self.words
        ]
        if self.user_ids:
            ways.append(
                one_row(f"conversation_rollup WHERE {OF_CANDIDATE} AND user_id IN ({names})")
            )
        return Sql(f"{'NOT ' if self.negated else ''}{_any_of(ways)}", values)

    def source(self, dialect: Dialect, number: int) -> Source | None:
        if self.negated:
            return None
        names, values = _named(f"author{number}", self.user_ids)
        ours = "account_id = :account"
        lists = [
            f"SELECT id FROM conversation WHERE {ours} AND {_SPOKE[word]} IS NOT NULL"
            for word in self.words
        ]
        if self.user_ids:
            lists.append(
                "SELECT conversation_id AS id FROM conversation_rollup"
                f" WHERE {ours} AND user_id IN ({names})"
            )
        return Source(Sql(" UNION ALL ".join(lists), values))


@dataclass(frozen=True, slots=True)
class HasField:
    """The contact has a custom field with an entry. wanted: None for any value.

    other: it has a value, but none that is wanted.
    """

    key: str
    wanted: EntryTest | None = None
    other: bool = False
    negated: bool = False

    def test(self, dialect: Dialect, number: int) -> Sql:
        ways, values = self._entries(number, "f.")
        of_key = (
            "conversation AS c JOIN contact_field AS f ON f.account_id = :account"
            f" AND f.contact_id = c.contact_id AND f.key = :key{number} WHERE {_CANDIDATE}"
        )
        found = _any_of([one_row(f"{of_key} AND {way}") for way in ways])
        if self.other:
            found = f"({one_row(of_key)} AND NOT {found})"
        return Sql(f"NOT {found}" if self.negated else found, values)

    def source(self, dialect: Dialect, number: int) -> Source | None:
        if self.negated or self.other:
            return None
        ways, values = self._entries(number)
        lists = [
            "SELECT contact_id AS id FROM contact_field"
            f" WHERE account_id = :account AND key = :key{number} AND {way}"
            for way in ways
        ]
        return Source(Sql(" UNION ALL ".join(lists), values), of_contacts=True)

    def _entries(self, number: int, alias: str = "") -> tuple[list[str], dict[str, object]]:
        """Return what is true for a wanted entry, each way a range of an index."""
        values: dict[str, object] = {f"key{number}": self.key}
        if self.wanted is None:
            return ["1 = 1"], values
        names, equal = _named(f"equal{number}_", self.wanted.equal)
        ways = [f"{alias}value IN ({names})"] if equal else []
        for place, (first, end) in enumerate(self.wanted.ranges):
            low, high = f"low{number}_{place}", f"high{number}_{place}"
            ways.append(f"{alias}value >= :{low} AND {alias}value < :{high}")
            values |= {low: first, high: end}
        return ways or ["1 = 0"], values | equal


@dataclass(frozen=True, slots=True)
class FromAd:
    """A message came from one of these ads."""

    ad_ids: tuple[str, ...]
    negated: bool = False

    def test(self, dialect: Dialect, number: int) -> Sql:
        of_ad, values = self._messages(dialect, number)
        way = one_row(
            f"{MESSAGES[dialect]} WHERE {of_ad} AND conversation_id = candidate.conversation_id"
        )
        return Sql(f"{'NOT ' if self.negated else ''}({way})", values)

    def source(self, dialect: Dialect, number: int) -> Source | None:
        if self.negated:
            return None
        of_ad, values = self._messages(dialect, number)
        return Source(
            Sql(f"SELECT conversation_id AS id FROM {MESSAGES[dialect]} WHERE {of_ad}", values)
        )

    def _messages(self, dialect: Dialect, number: int) -> tuple[str, dict[str, object]]:
        names, values = _named(f"ad{number}_", self.ad_ids)
        return (
            "account_id = :account AND referral_json IS NOT NULL"
            f" AND {SOURCE[dialect]} IN ({names})",
            values,
        )


def _named(name: str, values: tuple[object, ...]) -> tuple[str, dict[str, object]]:
    parameters = {f"{name}{place}": value for place, value in enumerate(values)}
    return ", ".join(f":{key}" for key in parameters), parameters


def one_row(source: str) -> str:
    """Return a test for a row. PostgreSQL would join an EXISTS, and read all before the first."""
    return f"(SELECT 1 FROM {source} LIMIT 1) IS NOT NULL"


def _any_of(ways: list[str]) -> str:
    return f"({' OR '.join(ways)})"
