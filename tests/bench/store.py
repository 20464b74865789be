"""What questions to a store cost, against the ways not taken: `python -m tests.bench store`.

Makes an inbox of the size that is asked for, unless one is given, and takes every pair of ways in
turn, in one run. Only the ratios mean something: times are those of this machine at this hour.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, MessageUpsert, Person
from frontdesk.sample.bulk import Size
from frontdesk.sample.bulk_rows import fill
from frontdesk.service.api_keys import SCOPES, KeyGrant
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import Parameters
from frontdesk.service.routes import ENDPOINTS
from frontdesk.store import contacts, conversations, counters, reports
from frontdesk.store.connect import open_database
from frontdesk.store.contacts import contact_page
from frontdesk.store.conversations import ConversationSelection, Position, states_of
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.dsn import is_address
from frontdesk.store.reports import ReportSpan
from frontdesk.text import folded
from frontdesk.wire.queries import REPORT_PARTS
from tests.bench import baseline, requests
from tests.bench.baseline import Session
from tests.bench.filter_shapes import ACCOUNT, PAGE, Asked, Inbox, at_depth, every_shape, inbox
from tests.bench.ratios import Ratio, in_turn, percentile, ratio, shown

DAY = 86_400_000
DEPTHS = (0.0, 0.5, 0.9)
SPREAD = 0.04
FEW = 1_000
# Filters and orders of the service's own, and with what they are often combined.
SHAPES = (
    *("contact", "awaiting", "awaiting channel", "unread", "unread channel", "unread assignee"),
    *("waiting", "waiting channel", "waiting assignee", "waiting unread"),
    *("window", "window channel", "window assignee", "window awaiting"),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--conversations", type=int, default=20_000)
    parser.add_argument("--messages", type=int, help="ten times as many if unsaid")
    parser.add_argument("--database", help="measure this one; made first if there is none")
    parser.add_argument("--samples", type=int, default=40, help="of each of 32 shapes of filter")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=2.0, help="of requests in each round")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--datasette", default="datasette", help="its program, in an environment of its own"
    )


def run(options: argparse.Namespace) -> None:
    """Measure, and print a table."""
    with tempfile.TemporaryDirectory(prefix="frontdesk-bench-") as name:
        directory = Path(name)
        target = options.database or str(directory / "inbox.db")
        make_inbox(target, options)
        with closing(open_database(target)) as database:
            _say("plain tables to compare with")
            with baseline.plain(target, directory) as session:
                ratios = [*_measured(database, session, options)]
            _say("filters and orders of our own, against an inbox of 1,000")
            few = str(directory / "few.db")
            fill_inbox(few, FEW, 10 * FEW, options.seed)
            with closing(open_database(few)) as small:
                ratios += _extensions(database, small, options.rounds)
            _say("requests")
            ratios += requests.measured(
                target, database, options.rounds, options.seconds, options.datasette
            )
    sys.stdout.write(shown(ratios) + "\n")


def make_inbox(target: str, options: argparse.Namespace) -> None:
    """Fill a database as the options say: a file that does not exist, or an empty one elsewhere."""
    if is_address(target):
        with closing(open_database(target, create=True)) as database:
            if database.read(lambda c: c.row("SELECT id FROM conversation LIMIT 1")):
                return
    elif Path(target).exists():
        return
    messages = options.messages or 10 * options.conversations
    _say(f"an inbox of {options.conversations:,} conversations, {messages:,} messages")
    fill_inbox(target, options.conversations, messages, options.seed)


def fill_inbox(target: str, conversations: int, messages: int, seed: int) -> None:
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    size = Size(conversations, messages, seed, int(midnight.timestamp() * 1000))
    fill(target, size, lambda more: None, _say)


def _measured(database: Database, session: Session, options: argparse.Namespace) -> Iterator[Ratio]:
    """Every ratio of the store itself."""
    random = Random(options.seed)
    rounds: int = options.rounds
    look = database.read(inbox)
    for name, measure in (
        ("pages at any depth", partial(_depths, database, look, rounds, random)),
        ("pages of every filter", partial(_filters, database, session, look, options, random)),
        ("pages by offset", partial(_offsets, database, session, max(rounds // 3, 5), random)),
        ("counts", partial(_counts, database, session, max(rounds // 5, 5))),
        ("a report", partial(_report, database, session, look, max(rounds // 20, 3))),
        ("contacts", partial(_contacts, database, session, max(rounds // 10, 3), random)),
        ("writes", partial(_writes, database, look, rounds * 3, random)),
    ):
        _say(name)
        yield from measure()


def _depths(database: Database, look: Inbox, rounds: int, random: Random) -> Iterator[Ratio]:
    """The same selections at their beginning, in their middle and deep down."""
    selections = [
        ConversationSelection(states_of(range(3))),
        ConversationSelection(states_of((2,))),
        ConversationSelection(states_of((0,))),
        ConversationSelection(states_of(range(3)), channel_id=look.channels[0]),
        ConversationSelection(states_of(range(3)), label_id=look.labels[0]),
        ConversationSelection(states_of(range(3)), assignee_id=look.assignees[0]),
    ]
    places = {
        depth: [
            (one, database.read(partial(at_depth, selection=one, depth=depth + shift)))
            for one in selections
            for shift in (random.random() * SPREAD for _ in range(6))
        ]
        for depth in DEPTHS
    }

    def ask(number: int, depth: float) -> object:
        selection, after = places[depth][number % len(places[depth])]
        return _page(database, Asked(selection, after))

    taken = in_turn(rounds * 4, {str(depth): partial(ask, depth=depth) for depth in DEPTHS})
    first = taken[str(DEPTHS[0])]
    for depth in DEPTHS[1:]:
        yield ratio(f"page p50 at depth {depth} / depth 0", "<=", 1.3, taken[str(depth)], first)


def _filters(
    database: Database, session: Session, look: Inbox, options: argparse.Namespace, random: Random
) -> Iterator[Ratio]:
    """Every shape of filter, from the filter table and from plain tables."""
    asked = every_shape(look, options.samples, random)
    random.shuffle(asked)
    # The least of three: what is slow once only had to wait for something else.
    taken = in_turn(
        3 * len(asked),
        {
            "plain": lambda n: baseline.page(
                session, asked[n % len(asked)].selection, asked[n % len(asked)].after, PAGE
            ),
            "ours": lambda n: _page(database, asked[n % len(asked)]),
        },
    )
    above, below = (
        percentile([min(taken[name][n :: len(asked)]) for n in range(len(asked))], 0.99)
        for name in ("plain", "ours")
    )
    name = f"plain p99 / ours p99 over the same {len(asked):,} pages"
    yield Ratio(name, above / below, ">=", 30, above, below)


def _offsets(database: Database, session: Session, rounds: int, random: Random) -> Iterator[Ratio]:
    state = max(
        states_of(range(3)), key=lambda one: len_of(database, ConversationSelection((one,)))
    )
    selection = ConversationSelection((state,))
    total = len_of(database, selection)
    skipped = [int(random.random() * total) for _ in range(rounds)]
    places = [
        database.read(partial(at_depth, selection=selection, depth=one / total)) for one in skipped
    ]
    works: dict[str, Callable[[int], object]] = {
        "offset": lambda n: baseline.offset_page(session, state, skipped[n], PAGE),
        "keyset": lambda n: _page(database, Asked(selection, places[n])),
    }
    # Both find what they need in memory: who reads a place first would read for the other too.
    for work in works.values():
        for number in range(rounds):
            work(number)
    taken = in_turn(rounds, works)
    yield ratio("OFFSET / keyset at a random depth", ">=", 20, taken["offset"], taken["keyset"])


def _extensions(many: Database, few: Database, rounds: int) -> Iterator[Ratio]:
    """First pages by the filters and orders that only this service has.

    Both databases are asked for as many rows as the small one has for a shape, and only for pages
    of which the small one has rows: one without any is not a page of the same size.
    """
    databases = {"many": (many, many.read(inbox)), "few": (few, few.read(inbox))}

    def ask(number: int, name: str, shape: str, counts: Mapping[int, int]) -> list[Row]:
        database, look = databases[name]
        asked: dict[str, Any] = {"states": states_of((0,))}
        for word in shape.split():
            asked |= _narrowed(word, look, number)
        selection = ConversationSelection(**asked)
        return _page(database, Asked(selection, None), counts.get(number, PAGE))

    for shape in SHAPES:
        found = {number: len(ask(number, "few", shape, {})) for number in range(rounds)}
        counts = {number: count for number, count in found.items() if count}
        works = {name: partial(ask, name=name, shape=shape, counts=counts) for name in databases}
        taken = in_turn(
            rounds, {name: partial(_nth, work, [*counts]) for name, work in works.items()}
        )
        yield ratio(f"V2 {shape}, many / 1,000", "<=", 1.3, taken["many"], taken["few"])


def _nth(work: Callable[[int], object], numbers: Sequence[int], place: int) -> object:
    return work(numbers[place % len(numbers)])


def _narrowed(word: str, look: Inbox, number: int) -> dict[str, object]:
    """What a word of a shape adds to a selection."""
    match word:
        case "contact":
            return {"states": states_of(range(3)), "contact_id": number % FEW + 1}
        case "channel":
            return {"channel_id": look.channels[number % len(look.channels)]}
        case "assignee":
            return {"assignee_id": look.assignees[number % 5]}
        case "waiting" | "window":
            return {"sort": word, "began_at": look.last + 1, "closed_until": look.last + 1 - DAY}
    return {word: True}


def len_of(database: Database, selection: ConversationSelection) -> int:
    """How many conversations a selection by states has."""
    states = ", ".join(map(str, selection.states))
    row = database.read(
        lambda c: c.row(
            f"SELECT COALESCE(SUM(n), 0) AS n FROM cell WHERE account_id = 1 AND label_id = 0"
            f" AND state IN ({states})"
        )
    )
    assert row is not None
    return int(row["n"])


def _counts(database: Database, session: Session, rounds: int) -> Iterator[Ratio]:
    def cells(connection: Connection) -> list[Row]:
        return conversations.counts(connection, ACCOUNT, label_id=0, channel_id=None, user_id=1)

    taken = in_turn(
        rounds,
        {"live": lambda n: baseline.counts(session), "cells": lambda n: database.read(cells)},
    )
    yield ratio("live counts / cells", ">=", 20, taken["live"], taken["cells"])


def _report(database: Database, session: Session, look: Inbox, rounds: int) -> Iterator[Ratio]:
    """Thirty days in a zone of half hours, and the thirty before."""
    end = look.last // DAY * DAY - 330 * 60_000
    spans = [ReportSpan(0, end - 30 * DAY, end), ReportSpan(1, end - 60 * DAY, end - 30 * DAY)]

    def sums(connection: Connection) -> list[Row]:
        return reports.figures(connection, ACCOUNT, None, spans, detailed=True)

    def live(number: int) -> object:
        return [baseline.report(session, span.start, span.end) for span in spans]

    taken = in_turn(rounds, {"live": live, "sums": lambda n: database.read(sums)})
    yield ratio("30-day report live / roll-up", ">=", 100, taken["live"], taken["sums"])
    yield from _report_parts(database, look, rounds)


def _report_parts(database: Database, look: Inbox, rounds: int) -> Iterator[Ratio]:
    """Each part of a report beside the plain one, by number of days."""
    asked = {"plain": {}, **{part: {"include": part} for part in REPORT_PARTS}}
    asked["targets"] = {"target_reply": "3600"}
    end = datetime.fromtimestamp(look.last / 1000, UTC)
    endpoint = next(each for each in ENDPOINTS if each.name == "inbox_report")

    def report(number: int, query: Mapping[str, str], days: int) -> object:
        start = (end - timedelta(days=days)).date()
        period = {"from": f"{start}", "to": f"{end.date()}", "timezone": "Europe/Madrid"}
        grant = KeyGrant("", ACCOUNT, frozenset(SCOPES))

        def handle(connection: Connection) -> object:
            parameters = Parameters(urlencode({**period, **query}).encode(), endpoint.parameters)
            request = EndpointRequest(connection, grant, endpoint, "", parameters, look.last)
            return endpoint.handler(request)

        return database.read(handle)

    for days in (7, 30, 360):
        works = {part: partial(report, query=query, days=days) for part, query in asked.items()}
        taken = in_turn(rounds, works)
        for part in (*REPORT_PARTS, "targets"):
            name = f"{days}-day report with {part} / without"
            yield ratio(name, "<=", 4, taken[part], taken["plain"])


def _contacts(database: Database, session: Session, rounds: int, random: Random) -> Iterator[Ratio]:
    people = database.read(partial(_some_people, random=random, count=rounds))
    searches: dict[str, tuple[float, Callable[[int], list[str]]]] = {
        "no hit": (100, lambda n: [f"zqx{n}vwk"]),
        "end of a number": (50, lambda n: [people[n]["phone"][-7:]]),
        "full name": (3, lambda n: folded(people[n]["name"]).split()),
    }
    for name, (reach, words) in searches.items():

        def scan(number: int, words: Callable[[int], list[str]] = words) -> object:
            found = database.read(lambda c: contacts.word_search(c, ACCOUNT, words(number)))
            return baseline.contacts(session, found.condition, found.parameters, PAGE)

        def search(number: int, words: Callable[[int], list[str]] = words) -> object:
            return database.read(lambda c: contact_page(c, ACCOUNT, words(number), None, PAGE))

        taken = in_turn(rounds, {"scan": scan, "search": search})
        title = f"contact scan / trigrams: {name}"
        yield ratio(title, ">=", reach, taken["scan"], taken["search"])


def _some_people(connection: Connection, random: Random, count: int) -> list[Row]:
    """Contacts with a name of two words and a number."""
    newest = connection.row("SELECT MAX(id) AS id FROM contact WHERE account_id = 1")
    assert newest is not None
    found: list[Row] = []
    while len(found) < count:
        row = connection.row(
            "SELECT name, phone FROM contact WHERE account_id = 1 AND id = :id",
            {"id": 1 + int(random.random() * newest["id"])},
        )
        if row is not None and row["phone"] and len((row["name"] or "").split()) > 1:
            found.append(row)
    return found


class _Undone(Exception):
    """Ends a write so that nothing of it stays."""


def _writes(database: Database, look: Inbox, rounds: int, random: Random) -> Iterator[Ratio]:
    """One message at a time, applied as it always is, and without what makes lists and counts."""
    threads = database.read(partial(some_threads, random=random, count=rounds))

    def write(number: int, *, filed: bool) -> None:
        row = threads[number]
        moment = look.last + 1 + number
        person = Person(row["phone"], row["wa_id"], row["wa_user_id"])
        message = MessageUpsert(
            row["phone_number_id"], person, f"bench-{number}", moment, False, Author("contact"),
            "text", "webhook", "How much is it?",
        )  # fmt: skip

        def work(connection: Connection) -> None:
            apply_events(connection, ACCOUNT, [message], now=moment)
            raise _Undone

        with suppress(_Undone), _as_it_is() if filed else _unfiled():
            database.write(work)

    taken = in_turn(
        rounds, {"filed": partial(write, filed=True), "unfiled": partial(write, filed=False)}
    )
    yield ratio(
        "message write with filter table and cells / without", "<=", 1.7,
        taken["filed"], taken["unfiled"],
    )  # fmt: skip


def some_threads(connection: Connection, random: Random, count: int) -> list[Row]:
    newest = connection.row("SELECT MAX(id) AS id FROM conversation WHERE account_id = 1")
    assert newest is not None
    rows = (
        connection.row(
            """
            SELECT channel.phone_number_id, contact.phone, contact.wa_id, contact.wa_user_id
            FROM conversation AS c
            JOIN channel ON channel.account_id = 1 AND channel.id = c.channel_id
            JOIN contact ON contact.account_id = 1 AND contact.id = c.contact_id
            WHERE c.account_id = 1 AND c.id = :id
            """,
            {"id": 1 + int(random.random() * newest["id"])},
        )
        for _ in range(count)
    )
    return [row for row in rows if row is not None]


@contextmanager
def _as_it_is() -> Iterator[None]:
    yield


@contextmanager
def _unfiled() -> Iterator[None]:
    with patch.object(counters, "move"):
        yield


def _page(database: Database, asked: Asked, count: int = PAGE) -> list[Row]:
    after: Position | None = asked.after
    return database.read(
        lambda c: conversations.conversation_page(c, ACCOUNT, asked.selection, after, count)
    )


def _say(what: str) -> None:
    """What goes on, for whoever waits for it."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{time.strftime('%H:%M:%S')} {what}\n")
