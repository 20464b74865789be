"""Pages of conversations: deep down, of many beside 1,000, and by all kinds of filters."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle, islice, product
from random import Random
from statistics import median
from typing import Any
from urllib.parse import urlencode

from frontdesk.query import analyse
from frontdesk.query.terms import CONTENTS
from frontdesk.sample.bulk import DAY, DAYS
from frontdesk.sample.bulk_rows import ACCOUNT
from frontdesk.sample.catalogue import all_labels, all_shops
from frontdesk.service.api_keys import SCOPES, KeyGrant
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import Parameters
from frontdesk.service.routes import ENDPOINTS
from frontdesk.store import conversations
from frontdesk.store.ads import ad_ids
from frontdesk.store.conversations import ConversationSelection, IndexRanges, Position, states_of
from frontdesk.store.database import Connection, Database, Row
from frontdesk.wire.values import timestamp
from tests.bench.inboxes import last_activity
from tests.bench.measure import Result, of_medians, seconds_in_turn

# Rows of a page, with the one that tells if there is another.
FEW, PAGE = 1_000, 26
OPEN, ANY = states_of((0,)), states_of(range(3))
PAGES = 8
# The sample's only ad, and others that take its place in every so many-th message.
AD = "120210000000042"
OTHER_ADS = {"120210000000043": 16, "120210000000044": 1_001}


def _page(
    database: Database, selection: ConversationSelection, after: Position | None, count: int = PAGE
) -> list[Row]:
    """A page of conversations, as the service asks for it."""
    return database.read(
        lambda c: conversations.conversation_page(c, ACCOUNT, selection, after, count)
    )


def _most_used(connection: Connection, column: str) -> list[int]:
    """Ids that filters can name."""
    labelled = "label_id <> 0" if column == "label_id" else "label_id = 0"
    rows = connection.rows(
        f"SELECT {column} AS id FROM cell WHERE account_id = 1 AND {column} <> 0 AND {labelled}"
        " GROUP BY 1 ORDER BY SUM(n) DESC, 1"
    )
    return [row["id"] for row in rows]


def depths(database: Database, rounds: int) -> Iterator[Result]:
    """The same selections at their beginning, in their middle and deep down."""
    everything, random = ConversationSelection(ANY), Random(1)
    selections = [everything, ConversationSelection(states_of((2,))), ConversationSelection(OPEN)]
    for column in ("channel_id", "label_id", "assignee_id"):
        members: dict[str, Any] = {column: database.read(partial(_most_used, column=column))[0]}
        selections.append(replace(everything, **members))

    def ask(number: int, places: Sequence[tuple[ConversationSelection, Position | None]]) -> object:
        return _page(database, *places[number % len(places)])

    works = {}
    for depth in (0.0, 0.5, 0.9):
        places = [
            (one, database.read(partial(_place, selection=one, depth=depth + random.random() / 25)))
            for one, _ in product(selections, range(6))
        ]
        works[depth] = partial(ask, places=places)
    taken = seconds_in_turn(rounds * 4, works)
    for depth in (0.5, 0.9):
        value = of_medians(taken[depth], taken[0.0])
        yield Result("Q1", f"page p50 at depth {depth} / depth 0", value, 1.3)


def _place(
    connection: Connection, selection: ConversationSelection, depth: float
) -> Position | None:
    """The row behind which that share of a selection's conversations is left."""
    order = conversations.ORDERS[selection.sort][0]
    listed = IndexRanges(connection.dialect, ACCOUNT, selection, order).unsorted()
    row = connection.row(
        f"WITH listed AS ({listed.text}) SELECT * FROM listed {order.first}"
        " OFFSET (SELECT CAST(:depth * COUNT(*) AS INTEGER) FROM listed)",
        listed.parameters | {"count": 1, "depth": depth},
    )
    return None if row is None else (row["last_activity_at"], row["conversation_id"])


def extensions(many: Database, few: Database, rounds: int) -> Iterator[Result]:
    """First pages by the filters and orders that only this service has; the worst of a shape's."""
    of_many, of_few = many.read(_shapes), few.read(_shapes)
    for shape in of_many:
        sides = zip(of_many[shape], of_few[shape], strict=True)
        pairs = [[*islice(zip(*map(cycle, each), strict=False), rounds)] for each in sides]
        value = max(_beside(many, few, each) for each in pairs)
        yield Result("V2", f"first page by {shape}, many / 1,000", value, 1.3)


def _beside(
    many: Database,
    few: Database,
    pairs: Sequence[tuple[ConversationSelection, ConversationSelection]],
) -> float:
    """Pages of two databases.

    Both are asked for as many rows as the small one has, and only for pages of which it has rows:
    one without any is not a page of the same size.
    """
    asked = [(each, count) for each in pairs if (count := len(_page(few, each[1], None)))]

    def ask(number: int, database: Database, place: int) -> object:
        each, count = asked[number % len(asked)]
        return _page(database, each[place], None, count)

    works = {each: partial(ask, database=each, place=n) for n, each in enumerate((many, few))}
    taken = seconds_in_turn(len(pairs), works)
    return of_medians(taken[many], taken[few])


def _shapes(connection: Connection) -> Mapping[str, Sequence[Sequence[ConversationSelection]]]:
    """Selections by what is the service's own, alone and with what it is often combined with."""
    channels, assignees = (_most_used(connection, name) for name in ("channel_id", "assignee_id"))
    end = last_activity(connection) + 1
    open = ConversationSelection(OPEN, began_at=end, closed_until=end - DAY)
    contact = [{"contact_id": id} for id in range(1, FEW + 1)]
    channel = [{"channel_id": id} for id in channels]
    assignee = [{"assignee_id": id} for id in assignees[:5]]
    alone: list[dict[str, Any]] = [{}]
    unread, awaiting = [{"unread": True}], [{"awaiting": True}]
    shapes: dict[str, tuple[ConversationSelection, list[list[dict[str, Any]]]]] = {
        "contact": (replace(open, states=ANY), [contact]),
        "awaiting": (replace(open, awaiting=True), [alone, channel]),
        "unread": (replace(open, unread=True), [alone, channel, assignee]),
        "waiting": (replace(open, sort="waiting"), [alone, channel, assignee, unread]),
        "window": (replace(open, sort="window"), [alone, channel, assignee, awaiting]),
    }
    return {
        shape: [[replace(one, **members) for members in each] for each in others]
        for shape, (one, others) in shapes.items()
    }


def filters(database: Database, rounds: int) -> Iterator[Result]:
    """Lines of the table, each of the slowest filter of a group."""
    database.write(_vary_ads)
    engine = "SQLite" if database.read(lambda c: c.dialect) == "sqlite" else "PostgreSQL"
    for group, queries in database.read(_queries).items():
        times = [_page_times(database, each, rounds) for each in queries]
        middle = max(median(one for page in each for one in page) for each in times)
        slowest = max(median(page) for each in times for page in each)
        yield Result("V3", f"{engine}: page by {group}, p50 of the slowest filter, ms", middle)
        most = 200 if group == "several of these" else 100
        yield Result("V3", f"{engine}: the same, slowest page, ms", slowest, most)


def _page_times(database: Database, query: Mapping[str, str], rounds: int) -> list[list[float]]:
    """Milliseconds of each of the first pages of a walk, after a round that warms up."""
    times: list[list[float]] = []
    now = database.read(last_activity)
    for number in range(-1, rounds):
        cursor: dict[str, str] = {}
        for place in range(PAGES):
            started = time.perf_counter()
            page = answer(database, "conversations", {**query, **cursor, "limit": "50"}, now)
            if number >= 0:
                times += [[]] if place == len(times) else []
                times[place].append(1_000 * (time.perf_counter() - started))
            if page.next_cursor is None:
                break
            cursor = {"cursor": page.next_cursor}
    return times


def answer(database: Database, name: str, query: Mapping[str, str], now: int) -> Any:
    """What the service answers with, by an endpoint."""
    endpoint = next(each for each in ENDPOINTS if each.name == name)
    parameters = Parameters(urlencode(query).encode(), endpoint.parameters)
    grant = KeyGrant("", ACCOUNT, frozenset(SCOPES))
    return database.read(
        lambda c: endpoint.handler(EndpointRequest(c, grant, endpoint, "", parameters, now))
    )


def _vary_ads(connection: Connection) -> None:
    for ad, each in OTHER_ADS.items():
        connection.run(
            "UPDATE message SET referral_json = REPLACE(referral_json, :most, :ad)"
            " WHERE account_id = 1 AND referral_json IS NOT NULL AND id % :each = 0",
            {"most": AD, "ad": ad, "each": each},
        )


def _queries(connection: Connection) -> Mapping[str, Sequence[Mapping[str, str]]]:
    """The filters of each group, by values that many conversations have and that few have."""
    labels, shops = all_labels(), [shop.id for shop in all_shops()]
    agents = [str(id) for id in _most_used(connection, "assignee_id")]
    eight, open, created = f"#{','.join(labels[:8])}", {"status": "open"}, {"sort": "created"}
    # Somebody of eleven or nobody, in one of three channels.
    users, channels = (",".join(f"id:{id}" for id in ids) for ids in (agents[:11], shops[:3]))
    resolved = {"query": f"is:resolved @unassigned,{users} in:{channels}"}
    # They wrote in 6 of 100 conversations, in 6 and 5 of 1,000, in 4 of 10,000.
    often, some, fewer, rarely = (
        f"id:{agents[rank]}" for rank in (0, len(agents) // 4, len(agents) // 3, -1)
    )
    # Of 19 in 100 contacts, 15 in 1,000, 15 in 10,000 and 2 in 100,000; of 3 in 10, 1 in 1,000.
    fields = ["tier=gold", "orders=20", "discount=7.5", "birthday=1990-06-01"]
    fields += ["orders>20", "spent>1436", "tier=gold field:orders>20"]
    day = partial(_day, last_activity(connection))
    groups: dict[str, list[str]] = {
        "several values": [eight],
        "time": [f"active:{day(100)}..{day(130)}", "waiting:>24h", "-waiting:>1h", "window:<2h"],
        "day of messages": [f"sent:{day(DAYS - 2)}..", f"sent:..{day(9)}", f"-sent:..{day(99)}"],
        "customer": ["from:an", "from:+34", "from:garcía", "-from:maria"],
        "word": ["invoice", "zzqxj", "the", "-refund", '"thank you"', "invoice refund"],
        "word of few letters, or absent ones": ["a", "an", "京", "the -you"],
        "what was sent": [f"{no}has:{one}" for one in CONTENTS for no in ("", "-")],
        "author": [f"by:{author}" for author in (often, some, fewer, rarely, "ai")],
        "custom field": [f"field:{field}" for field in fields],
        # A small inbox has no rare one.
        "ad": [f"ad:{ad}" for ad in ad_ids(connection, ACCOUNT, (AD, *OTHER_ADS))],
    }
    random, terms = Random(1), [term for group in groups.values() for term in group]
    mixed = [" ".join(random.sample(terms, random.choice((2, 3)))) for _ in range(40)]
    found = {name: [{"query": query} for query in group] for name, group in groups.items()}
    found["several values"] += [{**open, "query": eight}, {**open, "label": labels[0]}, resolved]
    found["beginning"] = [
        *(created | {"query": query} for query in (f"#{labels[0]}", f"#{labels[-1]} is:open")),
        *({"query": f"created:{days}"} for days in (f"{day(DAYS - 30)}..", f"..{day(1)}")),
    ]
    combined = (f"by:{often} -by:{some}", f"{resolved['query']} {eight}")
    found["several of these"] = [{"query": query} for query in combined]
    # Without two of a kind that a conversation has once.
    found["several of these"] += [{"query": query} for query in mixed if not analyse(query)[1]]
    return found


def _day(last: int, number: int) -> str:
    return timestamp(last - (DAYS - number) * DAY)
