"""Pages of an inbox by several values, spans, authors, fields and ads, for `store`."""

import time
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from frontdesk.sample.bulk import DAY, DAYS
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
from frontdesk.store.database import Connection, Database
from frontdesk.text.custom_fields import compared, equal_to
from tests.bench.inboxes import last_activity, most_used
from tests.bench.measure import Result

# With the row that tells if there is another page.
PAGE, PAGES = 51, 8
OPEN, RESOLVED, ANY = states_of((0,)), states_of((2,)), states_of(range(3))
# The sample's only ad, and others that take its place in every so many-th message.
AD = "120210000000042"
OTHER_ADS = {"120210000000043": 16, "120210000000044": 1_001}


def results(database: Database, rounds: int) -> Iterator[Result]:
    """Lines of the table, each of the slowest filter of a group."""
    database.write(_vary_ads)
    engine = "SQLite" if database.read(lambda c: c.dialect) == "sqlite" else "PostgreSQL"
    for group, selections in database.read(_selections).items():
        times = [_page_times(database, each, rounds) for each in selections]
        middle, slowest = max(map(median, times)), max(map(max, times))
        yield Result("V3", f"{engine}: page by {group}, p50 of the slowest filter, ms", middle)
        yield Result("V3", f"{engine}: the same, slowest page, ms", slowest, 100)


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


def _vary_ads(connection: Connection) -> None:
    for ad, each in OTHER_ADS.items():
        connection.run(
            "UPDATE message SET referral_json = REPLACE(referral_json, :most, :ad)"
            " WHERE account_id = 1 AND referral_json IS NOT NULL AND id % :each = 0",
            {"most": AD, "ad": ad, "each": each},
        )


def _selections(connection: Connection) -> Mapping[str, Sequence[ConversationSelection]]:
    """The filters of each group, by values that many conversations have and that few have."""
    channels, labels, agents = (
        most_used(connection, column) for column in ("channel_id", "label_id", "assignee_id")
    )
    end = last_activity(connection) + 1
    beginning = end - DAYS * DAY
    label, places = labels[0], tuple(map(FilterPlace, labels[:8]))
    team = tuple(
        FilterPlace(0, channel, agent, None if agent else False)
        for channel in channels[:3]
        for agent in (None, *agents[:11])
    )
    # They wrote in 6 of 100 conversations, in 6 and 5 of 1,000, in 4 of 10,000.
    often, some, fewer, rarely = (
        WrittenBy((agents[rank],)) for rank in (0, len(agents) // 4, len(agents) // 3, -1)
    )
    # Of 19 in 100 contacts, 15 in 1,000, 15 in 10,000 and 2 in 100,000.
    gold, orders = HasField("tier", equal_to("gold")), HasField("orders", equal_to("20"))
    discount = HasField("discount", equal_to("7.5"))
    birthday = HasField("birthday", equal_to("1990-06-01"))
    # Of 3 in 10 contacts, and 1 in 1,000.
    many_orders, most_spent = (
        HasField(key, compared(">", most)) for key, most in (("orders", "20"), ("spent", "1436"))
    )

    def of(*conditions: Any, sort: str = "activity") -> ConversationSelection:
        return ConversationSelection(ANY, conditions=conditions, sort=sort, began_at=end)

    def began(first: int, days: int) -> TimeSpan:
        start = beginning + first * DAY
        return TimeSpan("created_at", start, start + days * DAY)

    return {
        "several values": [
            ConversationSelection(OPEN, label),
            ConversationSelection(OPEN, places=places[:2]),
            ConversationSelection(OPEN, places=places),
            ConversationSelection(ANY, places=places),
            ConversationSelection(RESOLVED, places=team),
        ],
        "activity, or without a label": [
            of(TimeSpan("last_activity_at", beginning + 100 * DAY, beginning + 130 * DAY)),
            of(WithoutLabels((label,))),
        ],
        "beginning": [
            of(sort="created"),
            ConversationSelection(OPEN, label, sort="created"),
            ConversationSelection(OPEN, labels[-1], sort="created"),
            of(began(DAYS - 30, 30)),
            of(began(0, 30)),
            of(began(0, 1)),
            of(began(0, 30), sort="waiting"),
        ],
        "author": [
            *map(of, (often, some, fewer, rarely, WrittenBy((), ("ai",)))),
            of(often, WrittenBy(some.user_ids, negated=True)),
        ],
        "custom field": [
            *map(of, (gold, orders, discount, birthday, many_orders, most_spent)),
            of(gold, many_orders),
        ],
        "ad": [of(FromAd((ad,))) for ad in (AD, *OTHER_ADS)],
        "several of these": [
            of(often, orders),
            ConversationSelection(ANY, places=places, conditions=(often,)),
            ConversationSelection(RESOLVED, places=team, conditions=(gold,)),
        ],
    }
