"""A small inbox with authors, custom fields and ads, and what each of its filters means."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.service.small_inbox import (
    CHANNELS,
    HOUR,
    START,
    USERS,
    catalogue,
    conversations,
    person,
)

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, ContactUpsert, DomainEvent, MessageUpsert
from frontdesk.store.database import Connection, Database

CONVERSATIONS = 45
AT = START + 31 * HOUR
ADS = (("12021", "Summer sale, 20%"), ("12022", "Été à Paris"))
Row = dict[str, Any]


@dataclass(frozen=True)
class Facts:
    """What a conversation as it is listed does not show. authors: keys of users, phone, ai."""

    authors: frozenset[str]
    fields: Mapping[str, Any]
    ad: str | None


def facts(number: int) -> Facts:
    """What is true of the conversation with a number."""
    authors = {*([USERS[0]] if number % 4 == 0 else []), *([USERS[1]] if number % 5 == 0 else [])}
    authors |= {*(["phone"] if number % 7 == 0 else []), *(["ai"] if number % 3 == 1 else [])}
    return Facts(frozenset(authors), fields(number // 2), _ad(number))


def _ad(number: int) -> str | None:
    return ADS[number % 2][0] if number % 6 < 2 else None


def fields(number: int) -> dict[str, Any]:
    """Custom fields of the person with a number."""
    every: dict[str, Any] = {
        "plan": ("Gold", "free", ["gold", "beta"])[number % 3],
        "seats": (3, 12, 12.5, "40")[number % 4],
        "renewal": ("2026-09-01", "2026-11-30", "2027-01-01", "soon")[number % 4],
        "vip": number % 2 == 0,
        "note": "x" * 10_000,
        "due date": "a=b",
    }
    wanted = [name for place, name in enumerate(every) if (number + place) % 5]
    return {name: every[name] for name in wanted} if number % 6 else {}


def events() -> list[DomainEvent]:
    """All events but those of the catalogue."""
    found = conversations(CONVERSATIONS)
    for number in range(CONVERSATIONS):
        kinds = {"phone": Author("phone"), "ai": Author("ai_agent")}
        for place, author in enumerate(sorted(facts(number).authors)):
            who = kinds.get(author) or Author("user", user=author)
            found.append(_message(number, place + 1, who))
        found.append(_message(number, 0, Author("contact"), _ad(number)))
    for number in range(CONVERSATIONS // 2 + 1):
        if fields(number):
            found.append(ContactUpsert(person(number), AT, custom_fields=fields(number)))
    return found


def _message(number: int, place: int, author: Author, ad: str | None = None) -> MessageUpsert:
    referral = {"source_id": ad, "source_type": "ad", "headline": dict(ADS)[ad]} if ad else None
    return MessageUpsert(
        CHANNELS[number % 3],
        person(number // 2),
        f"wamid.{number}.{place}",
        # Before or after the conversation was resolved, if it was.
        START + number // 3 * HOUR + (20 + 30 * place if number % 2 else 3 + place),
        author.kind != "contact",
        author,
        "text",
        "webhook",
        text="…",
        referral=referral,
    )


def fill(database: Database) -> dict[str, int]:
    """Apply all events; returns the numbers of the conversations by id."""

    def apply(connection: Connection) -> dict[str, int]:
        apply_events(connection, 1, [*catalogue(), *events()], now=AT)
        rows = connection.rows(
            "SELECT conversation_id, wamid FROM message WHERE wamid LIKE 'wamid.%.0'"
        )
        return {str(row["conversation_id"]): int(row["wamid"].split(".")[1]) for row in rows}

    return database.write(apply)


Test = Callable[[Row, Facts], bool]


def _value(name: str, test: Callable[[Any], bool]) -> Test:
    def tests(row: Row, told: Facts) -> bool:
        value = told.fields.get(name)
        return any(map(test, value if isinstance(value, list) else [value]))

    return tests


def _has(name: str) -> Test:
    return lambda row, told: told.fields.get(name) is not None


def _day(name: str, first: str, end: str = "9999") -> Test:
    def test(value: Any) -> bool:
        return isinstance(value, str) and value[:2] == "20" and first <= value < end

    return _value(name, test)


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number or value == "40" else None


# Parameters with what they mean.
FILTERS: tuple[tuple[Mapping[str, str], Test], ...] = (
    ({"query": "is:open,snoozed"}, lambda row, told: row["status"] != "resolved"),
    ({"query": "-is:snoozed,open"}, lambda row, told: row["status"] == "resolved"),
    (
        {"query": "@unassigned,id:1"},
        lambda row, told: row["assignee"] is None or row["assignee"]["id"] == "1",
    ),
    (
        {"query": "@id:1,id:2"},
        lambda row, told: row["assignee"] is not None and row["assignee"]["id"] in "12",
    ),
    ({"query": "@unassigned,assigned,id:1"}, lambda row, told: True),
    (
        {"query": f"in:id:{CHANNELS[0]},id:{CHANNELS[1]}"},
        lambda row, told: row["channel"]["id"] in CHANNELS[:2],
    ),
    ({"query": "#VIP,billing"}, lambda row, told: bool({"vip", "billing"} & {*row["labels"]})),
    ({"query": "#vip,returns,billing"}, lambda row, told: bool(row["labels"])),
    ({"query": "-#vip"}, lambda row, told: "vip" not in row["labels"]),
    (
        {"query": "-#vip -#returns"},
        lambda row, told: not {"vip", "returns"} & {*row["labels"]},
    ),
    (
        {"query": "created:2026-03-08T22:00Z.."},
        lambda row, told: row["created_at"] >= "2026-03-08T22",
    ),
    (
        {"query": "created:2026-03-08T21:00Z..2026-03-09T00:00+01:00"},
        lambda row, told: "2026-03-08T21" <= row["created_at"] < "2026-03-08T23",
    ),
    (
        {"query": "active:..2026-03-09T01:00Z"},
        lambda row, told: row["last_activity_at"] < "2026-03-09T01",
    ),
    (
        {"query": "active:2026-03-08T22:00Z.."},
        lambda row, told: row["last_activity_at"] >= "2026-03-08T22",
    ),
    (
        {"query": "waiting:2026-03-08T21:00Z.."},
        lambda row, told: (row["waiting_since"] or "") >= "2026-03-08T21",
    ),
    (
        {"query": "waiting:..2026-03-08T23:00Z"},
        lambda row, told: "" < (row["waiting_since"] or "") < "2026-03-08T23",
    ),
    ({"query": "by:id:1"}, lambda row, told: USERS[0] in told.authors),
    ({"query": "by:id:1,id:2"}, lambda row, told: bool({*USERS[:2]} & told.authors)),
    (
        {"query": "by:id:2,ai,phone"},
        lambda row, told: bool({USERS[1], "ai", "phone"} & told.authors),
    ),
    ({"query": "by:phone"}, lambda row, told: "phone" in told.authors),
    ({"query": "by:id:3"}, lambda row, told: False),
    ({"query": "-by:id:1,ai"}, lambda row, told: not {USERS[0], "ai"} & told.authors),
    ({"query": "field:plan"}, _has("plan")),
    ({"query": "-field:plan"}, lambda row, told: not _has("plan")(row, told)),
    ({"query": "field:plan=GOLD"}, _value("plan", lambda value: str(value).lower() == "gold")),
    (
        {"query": "field:plan=gold,free"},
        _value("plan", lambda value: str(value).lower() in ("gold", "free")),
    ),
    (
        {"query": "field:plan!=gold"},
        lambda row, told: (
            _has("plan")(row, told)
            and not _value("plan", lambda value: str(value).lower() == "gold")(row, told)
        ),
    ),
    ({"query": "field:seats>3"}, _value("seats", lambda value: (_number(value) or 0) > 3)),
    ({"query": "field:seats>=12"}, _value("seats", lambda value: (_number(value) or 0) >= 12)),
    (
        {"query": "field:seats<12.5"},
        _value("seats", lambda value: 0 < (_number(value) or 0) < 12.5),
    ),
    (
        {"query": "field:seats<=12.5"},
        _value("seats", lambda value: 0 < (_number(value) or 0) <= 12.5),
    ),
    ({"query": "field:seats=12"}, _value("seats", lambda value: _number(value) == 12)),
    ({"query": "field:renewal<2026-12"}, _day("renewal", "", "2026-12")),
    ({"query": "field:renewal>2026"}, _day("renewal", "2027")),
    ({"query": "field:renewal=2026"}, _day("renewal", "2026", "2027")),
    ({"query": "field:renewal=2026-11-30"}, _day("renewal", "2026-11-30", "2026-12")),
    ({"query": "field:renewal=soon"}, _value("renewal", lambda value: value == "soon")),
    ({"query": "field:vip=yes"}, _value("vip", lambda value: value is True)),
    ({"query": "field:vip=false"}, _value("vip", lambda value: value is False)),
    ({"query": "field:note"}, _has("note")),
    ({"query": f"field:note={'x' * 200}"}, lambda row, told: False),
    ({"query": 'field:"due date"=a=b'}, _has("due date")),
    (
        {"query": "field:vip=true field:seats>3"},
        lambda row, told: (
            told.fields.get("vip") is True
            and _value("seats", lambda value: (_number(value) or 0) > 3)(row, told)
        ),
    ),
    ({"query": "ad:12021"}, lambda row, told: told.ad == "12021"),
    ({"query": 'ad:"summer SALE,"'}, lambda row, told: told.ad == "12021"),
    ({"query": "ad:ete,12021"}, lambda row, told: told.ad is not None),
    ({"query": "-ad:12021"}, lambda row, told: told.ad != "12021"),
)
