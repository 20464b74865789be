"""Pages by lists, spans, authors, fields and ads, of many conversations of made-up rows."""

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.sample.bulk import DAY
from frontdesk.sample.catalogue import large_catalogue
from frontdesk.store.bulk_load import filled, packed, put
from frontdesk.store.connect import open_database
from frontdesk.store.conversation_conditions import (
    FromAd,
    HasField,
    TimeSpan,
    WithoutLabels,
    WrittenBy,
)
from frontdesk.store.conversation_walks import filtered_page
from frontdesk.store.conversations import (
    ConversationSelection,
    FilterPlace,
    Position,
    position_of,
    states_of,
)
from frontdesk.store.database import Database, FillingConnection
from frontdesk.store.dsn import is_address
from frontdesk.store.rows import blank
from frontdesk.text.custom_fields import compared, entries, equal_to
from tests.bench.inboxes import targets_of
from tests.bench.measure import Result

# With the row that tells if there is another page.
PAGE, PAGES = 51, 8
MOST_MILLISECONDS = 100
NOW = 1_790_000_000_000
BEGINNING = NOW - 1_000 * DAY
OPEN, RESOLVED, ANY = states_of((0,)), states_of((2,)), states_of(range(3))
PORTION = 20_000
CHANNELS, LABELS, AGENTS = range(1, 13), range(1, 13), range(1, 21)
# Shares of the conversations in which a user wrote, of the contacts with a value, and of an ad.
WRITERS = {31: 0.03, 32: 0.006, 33: 0.0023, 34: 0.00002}
PLANS = {"gold": 0.29, "silver": 0.009, "ruby": 0.00001}
ADS = {"100": 0.02, "200": 0.0001}
Rows = dict[str, list[dict[str, Any]]]


def results(conversations: int = 20_000, rounds: int = 10, database: str = "") -> Iterator[Result]:
    """The lines of the table. database: one with the made-up rows, instead of both engines."""
    with targets_of(database) as (_, targets):
        for target in targets:
            if not _is_filled(target):
                _fill(target, conversations)
            with closing(open_database(target)) as filters:
                yield from _of_engine(filters, rounds)


def _of_engine(database: Database, rounds: int) -> Iterator[Result]:
    engine = "SQLite" if database.read(lambda c: c.dialect) == "sqlite" else "PostgreSQL"
    for group, selections in SELECTIONS.items():
        times = [_page_times(database, each, rounds) for each in selections.values()]
        middle, slowest = max(map(median, times)), max(map(max, times))
        yield Result("V3", f"{engine}: page by {group}, p50 of the slowest filter, ms", middle)
        yield Result("V3", f"{engine}: the same, slowest page, ms", slowest, MOST_MILLISECONDS)


def _page_times(database: Database, selection: ConversationSelection, rounds: int) -> list[float]:
    """Milliseconds of the first pages of a walk, after a round that warms up."""
    times: list[float] = []
    for number in range(-1, rounds):
        after: Position | None = None
        for _ in range(PAGES):
            started = time.perf_counter()
            page = database.read(
                lambda c, at=after: filtered_page(c, 1, selection, at, PAGE)  # type: ignore[misc]
            )
            if number >= 0:
                times.append(1_000 * (time.perf_counter() - started))
            full = len(page.rows) == PAGE
            after = position_of(page.rows[-2], selection) if full else page.stopped
            if after is None:
                break
    return times


def _is_filled(target: str) -> bool:
    if not is_address(target):
        return Path(target).exists()
    with closing(open_database(target, create=True)) as database:
        return bool(database.read(lambda c: c.rows("SELECT id FROM conversation LIMIT 1")))


def _fill(target: str, conversations: int) -> None:
    chance = random.Random(1)
    with filled(target, lambda stage: None) as connection:
        apply_events(connection, 1, list(large_catalogue(NOW)), now=NOW)
        for start in range(1, conversations + 1, PORTION):
            end = min(start + PORTION, conversations + 1)
            _put(connection, [_rows(number, conversations, chance) for number in range(start, end)])


def _put(connection: FillingConnection, portions: Sequence[Rows]) -> None:
    for kind in portions[0]:
        put(connection, packed(kind, (row for rows in portions for row in rows[kind])))


def _rows(number: int, conversations: int, chance: random.Random) -> Rows:
    """Rows of one conversation and its contact, the later ones more recent and rather open."""
    share = number / conversations
    created = BEGINNING + int(900 * DAY * chance.random() * share)
    active = created + int((NOW - created) * chance.random() ** 0.5)
    status = chance.choices((0, 1, 2), (10, 2, 88))[0]
    assignee = chance.choice(AGENTS) if chance.random() < 0.8 else 0
    waits = active - 60_000 if status < 2 and chance.random() < 0.3 else None
    channel = chance.choice(CHANNELS)
    state = {
        "account_id": 1,
        "channel_id": channel,
        "assignee_id": assignee,
        "last_activity_at": active,
        "waiting_since": waits,
        "last_inbound_at": active,
    }
    fields = {name: chance.random() for name in PLANS}
    plan = next((name for name, most in PLANS.items() if fields[name] < most), None)
    seats = chance.randrange(1, 10_000)
    custom = {"plan": plan, "seats": seats} if plan else {"seats": seats}
    entry = {
        **state,
        "conversation_id": number,
        "state": 2 * status + (assignee > 0),
        "awaiting": 0,
        "unread": int(waits is not None),
    }
    labels = [label for label in LABELS if chance.random() < 0.2 / label]
    writers = [user for user, most in WRITERS.items() if chance.random() < most]
    ads = [ad for ad, most in ADS.items() if chance.random() < most]
    return {
        "contact": [_contact(number, created)],
        "contact_field": [
            {"account_id": 1, "contact_id": number, "key": key, "value": value}
            for key, held in custom.items()
            for value in {*entries(held)}
        ],
        "conversation": [
            {
                **blank("conversation"),
                **state,
                "id": number,
                "contact_id": number,
                "status": status,
                "awaiting_human": 0,
                "folded_at": active,
                "status_known": 1,
                "bot_spoke_at": active if number % 3 == 0 else None,
                "created_at": created,
                "updated_at": active,
            }
        ],
        "entry": [{**entry, "label_id": label} for label in (0, *labels)],
        "conversation_rollup": [
            {
                "account_id": 1,
                "user_id": user,
                "channel_id": channel,
                "bucket": (active - days * DAY) // DAY * DAY,
                "conversation_id": number,
                "n": 1,
            }
            for user in writers
            for days in range(3)
        ],
        "message": [_message(number, ad, created + place, channel) for place, ad in enumerate(ads)],
    }


def _contact(number: int, created: int) -> dict[str, Any]:
    return {
        **blank("contact"),
        "account_id": 1,
        "id": number,
        "phone": f"+1{number:010}",
        "name": f"Person {number}",
        "name_rank": 1,
        "name_key": f"person {number}",
        "blocked": 0,
        "custom_json": "{}",
        "phone_at": 0,
        "user_at": 0,
        "search": "",
        "created_at": created,
        "updated_at": created,
    }


def _message(number: int, ad: str, at: int, channel_id: int) -> dict[str, Any]:
    return {
        **blank("message"),
        "account_id": 1,
        "conversation_id": number,
        "id": number,
        "created_at": at,
        "direction": 0,
        "author": "contact",
        "type": "text",
        "channel_id": channel_id,
        "wamid": f"wamid.{number}.{ad}",
        "referral_json": f'{{"source_id": "{ad}", "headline": "Ad {ad}"}}',
        "source": "webhook",
        "richness": 2,
        "live": 1,
    }


def _labels(count: int) -> tuple[FilterPlace, ...]:
    return tuple(FilterPlace(label) for label in LABELS[:count])


def _of(*conditions: Any, sort: str = "activity") -> ConversationSelection:
    return ConversationSelection(ANY, conditions=conditions, sort=sort, began_at=NOW)


def _began(first: int, days: int) -> TimeSpan:
    return TimeSpan("created_at", BEGINNING + first * DAY, BEGINNING + (first + days) * DAY)


_TEAM = tuple(
    FilterPlace(0, channel, agent, None if agent else False)
    for channel in CHANNELS[:3]
    for agent in (None, *AGENTS[:11])
)
SELECTIONS: Mapping[str, Mapping[str, ConversationSelection]] = {
    "several values": {
        "one label, open": ConversationSelection(OPEN, 1),
        "any of 2 labels, open": ConversationSelection(OPEN, places=_labels(2)),
        "any of 8 labels, open": ConversationSelection(OPEN, places=_labels(8)),
        "any of 8 labels, all states": ConversationSelection(ANY, places=_labels(8)),
        "team of 11 and nobody, 3 channels, resolved": ConversationSelection(
            RESOLVED, places=_TEAM
        ),
    },
    "activity, or without a label": {
        "active in an old month": _of(
            TimeSpan("last_activity_at", BEGINNING + 100 * DAY, BEGINNING + 130 * DAY)
        ),
        "without a label": _of(WithoutLabels((1,))),
    },
    "beginning": {
        "sort created": _of(sort="created"),
        "sort created, one label, open": ConversationSelection(OPEN, 1, sort="created"),
        "sort created, a rare label": ConversationSelection(OPEN, 12, sort="created"),
        "in the newest month": _of(_began(870, 30)),
        "in the oldest month": _of(_began(0, 30)),
        "on the oldest day": _of(_began(0, 1)),
        "in the oldest month, waiting order": _of(_began(0, 30), sort="waiting"),
    },
    "author": {
        "one of 3 in 100": _of(WrittenBy((31,))),
        "one of 6 in 1,000": _of(WrittenBy((32,))),
        "one of 2 in 1,000": _of(WrittenBy((33,))),
        "one of 2 in 100,000": _of(WrittenBy((34,))),
        "the bot, in every third": _of(WrittenBy((), ("ai",))),
        "one of 3 in 100, nobody of 6 in 1,000": _of(
            WrittenBy((31,)), WrittenBy((32,), negated=True)
        ),
    },
    "custom field": {
        "29 in 100": _of(HasField("plan", equal_to("gold"))),
        "9 in 1,000": _of(HasField("plan", equal_to("silver"))),
        "1 in 100,000": _of(HasField("plan", equal_to("ruby"))),
        "over a number, half": _of(HasField("seats", compared(">", "5000"))),
        "over a number, 1 in 1,000": _of(HasField("seats", compared(">", "9990"))),
        "two, 29 in 100 and half": _of(
            HasField("plan", equal_to("gold")), HasField("seats", compared("<", "5000"))
        ),
    },
    "ad": {"2 in 100": _of(FromAd(("100",))), "1 in 10,000": _of(FromAd(("200",)))},
    "several of these": {
        "field of 9 in 1,000, author of 3 in 100": _of(
            WrittenBy((31,)), HasField("plan", equal_to("silver"))
        ),
        "any of 8 labels, author of 3 in 100": ConversationSelection(
            ANY, places=_labels(8), conditions=(WrittenBy((31,)),)
        ),
        "team, resolved, field of 29 in 100": ConversationSelection(
            RESOLVED, places=_TEAM, conditions=(HasField("plan", equal_to("gold")),)
        ),
    },
}
