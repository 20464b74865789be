"""What searches for words cost: `python -m tests.bench search`.

Over a socket, on both engines: pages of conversations by the words of their messages, contacts
while somebody types, and a message written with the index and without, in turn. `--database` has
to be one that may be written to; it is made if there is none. So is its index, which is measured
then; `frontdesk db upgrade --no-message-search` removes one that is there.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import httpx

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, MessageUpsert, Person
from frontdesk.search_text import Terms, search_words
from frontdesk.service.api_keys import new_key
from frontdesk.store import message_search, writes
from frontdesk.store.connect import open_database
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.dsn import is_address
from frontdesk.wire import instant
from tests.bench.filter_shapes import ACCOUNT, inbox
from tests.bench.ratios import Ratio, in_turn, percentile, ratio, shown
from tests.bench.requests import serving
from tests.bench.store import make_inbox, some_threads
from tests.postgres_servers import Server, server_directory

# Words in very many messages, in none, and phrases of frequent trigrams that are in none.
ODD = ("the", "ing", "ent", "que", "zzqxj", "delivered yesterday", "please gracias", "ther anto")
FILTERS = ("", "", "&status=open", "&assignee=unassigned", "&unread=true", "&contact=7")
TYPED = ("a", "an", "ana", "mar", "maria", "el", "jo", "zo", "o'n", "555", "Ан")
REACHES = {"SQLite": (30, 200), "PostgreSQL": (200, None)}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--conversations", type=int, default=20_000)
    parser.add_argument("--messages", type=int, help="ten times as many if unsaid")
    parser.add_argument("--database", help="measure only this one")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--words", type=int, default=0, help="compare so many with a plain scan")
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> None:
    """Measure, and print a table."""
    ratios: list[Ratio] = []
    with ExitStack() as ending:
        if options.database:
            targets = [options.database]
        else:
            directory = ending.enter_context(tempfile.TemporaryDirectory(prefix="frontdesk-bench-"))
            server = Server(ending.enter_context(server_directory()), "bench")
            server.make()
            ending.callback(server.stop)
            server.start()
            targets = [str(Path(directory) / "inbox.db"), server.address()]
        for target in targets:
            ratios += _measured(target, options)
    sys.stdout.write(shown(ratios) + "\n")


def _measured(target: str, options: argparse.Namespace) -> Iterator[Ratio]:
    engine = "PostgreSQL" if is_address(target) else "SQLite"
    make_inbox(target, options)
    random = Random(options.seed)
    with closing(open_database(target)) as database:
        yield from _built(database, engine)
        yield _write(database, engine, options.rounds, random)
        queries = [*_queries(database, random, options.rounds)]
        words = database.read(partial(_parts, random=random, count=options.words))
        scanned = database.read(partial(_scanned, words=words))
    taken, pages = asyncio.run(_asked(target, queries, list(map(_of_words, words))))
    if words:
        equal = sum(map(_is_same, pages, scanned.values()))
        sys.stderr.write(f"{engine}: {equal} of {len(words)} words are found as by a scan\n")
    hits = [
        seconds for query, seconds in zip(queries, taken, strict=True) if "conversations" in query
    ]
    reach, worst = REACHES[engine]
    for name, value, most in (
        ("p50", percentile(hits, 0.5), None),
        ("p95", percentile(hits, 0.95), reach),
        ("worst", max(hits), worst),
    ):
        yield Ratio(f"{engine}: page of hits, {name}, ms", 1000 * value, "<=", most)
    for text in TYPED:
        typed = [one for query, one in zip(queries, taken, strict=True) if query == _typed(text)]
        yield Ratio(
            f"{engine}: contacts {text!r}, p50, ms", 1000 * percentile(typed, 0.5), "<=", 20
        )
    slowest = sorted(zip(taken, queries, strict=True), reverse=True)[:5]
    for seconds, query in slowest:
        sys.stderr.write(f"{1000 * seconds:.0f} ms {query}\n")


def _built(database: Database, engine: str) -> Iterator[Ratio]:
    """Build the index, unless there is one."""
    if database.read(partial(message_search.is_ready, account_id=ACCOUNT)):
        return
    database.write(message_search.drop)
    messages = database.read(message_search.messages_left)
    before = database.read(message_search.database_bytes)
    started = time.perf_counter()
    message_search.build(database, lambda more: None)
    seconds = time.perf_counter() - started
    grown = database.read(message_search.database_bytes) - before
    note = f"{messages:,} messages"
    yield Ratio(f"{engine}: seconds to build a million", seconds * 1e6 / messages, "<=", None)
    yield Ratio(f"{engine}: bytes of a message", grown / messages, "<=", None, note=note)


def _write(database: Database, engine: str, rounds: int, random: Random) -> Ratio:
    """One message at a time, committed, with the index and without."""
    threads = database.read(partial(some_threads, random=random, count=rounds))
    texts = database.read(partial(_texts, random=random, count=rounds))
    last = database.read(inbox).last

    def write(number: int, *, indexed: bool) -> None:
        row = threads[number % len(threads)]
        moment = last + 1 + 2 * number + indexed
        event = MessageUpsert(
            row["phone_number_id"], Person(row["phone"], row["wa_id"], row["wa_user_id"]),
            f"bench-{last}-{moment}", moment, False, Author("contact"), "text", "webhook",
            texts[number % len(texts)],
        )  # fmt: skip

        def work(connection: Connection) -> None:
            apply_events(connection, ACCOUNT, [event], now=moment)

        with ExitStack() as ending:
            if not indexed:
                # A function: to make a mock would be part of the time.
                ending.enter_context(patch.object(writes, "has_message_index", lambda _: False))
            database.write(work)

    taken = in_turn(
        2 * rounds,
        {"with": partial(write, indexed=True), "without": partial(write, indexed=False)},
    )
    name = f"{engine}: message write with the index / without"
    return ratio(name, "<=", 1.6, taken["with"], taken["without"])


def _texts(connection: Connection, random: Random, count: int) -> list[str]:
    """Texts of messages of any time."""
    times = connection.row(
        "SELECT MIN(created_at) AS first, MAX(created_at) AS last FROM message WHERE account_id = 1"
    )
    assert times is not None
    found: list[Row | None] = []
    while len(found) < count:
        found.append(
            connection.row(
                "SELECT text FROM message WHERE account_id = 1 AND created_at >= :at"
                " AND text <> '' ORDER BY created_at LIMIT 1",
                {"at": random.randint(times["first"], times["last"])},
            )
        )
    return [row["text"] for row in found if row is not None]


def _queries(database: Database, random: Random, rounds: int) -> Iterator[str]:
    """Paths of searches: words and parts of words of messages, and odd ones."""
    texts = database.read(partial(_texts, random=random, count=rounds))
    asked = list(ODD)
    for text in texts:
        words = [word for word in text.split() if len(word) > 2 and word.isalpha()]
        if words:
            word = random.choice(words)
            start = random.randint(0, len(word) - 3)
            asked += [word, " ".join(random.sample(words, min(3, len(words))))]
            asked += [word[start : start + random.randint(3, 6)]]
    for number, text in enumerate(asked):
        query = httpx.QueryParams({"q": text[:100]})
        yield f"/v1/conversations?{query}{FILTERS[number % len(FILTERS)]}"
    for _ in range(max(rounds // 10, 5)):
        yield from map(_typed, TYPED)


def _parts(connection: Connection, random: Random, count: int) -> list[str]:
    """Random words and parts of words of messages."""
    parts: dict[str, None] = {}
    while len(parts) < count:
        for text in _texts(connection, random, count):
            word = random.choice(search_words(text) or [""])
            start = random.randrange(max(len(word) - 2, 1))
            part = word[start : start + random.randint(3, 12)]
            if Terms.of(part).is_indexed:
                parts[part] = None
    return [*parts][:count]


def _scanned(connection: Connection, words: Sequence[str]) -> dict[str, dict[str, int]]:
    """The second of the newest message with each word, by conversation, read without an index."""
    found: dict[str, dict[str, int]] = {word: {} for word in words}
    terms = {word: Terms.of(word) for word in words}
    after = (0, 0, 0)
    while words:
        rows = connection.rows(
            """
            SELECT conversation_id, created_at, id, text, deleted_at, content_json, media_json,
              referral_json FROM message
            WHERE account_id = 1 AND (conversation_id, created_at, id) > (:one, :two, :three)
            ORDER BY account_id, conversation_id, created_at, id LIMIT 20000
            """,
            dict(zip(("one", "two", "three"), after, strict=True)),
        )
        for row in rows:
            text = message_search.text_of(row)
            for word in words:
                if terms[word].match_text(text):
                    found[word][str(row["conversation_id"])] = row["created_at"] // 1000
        if not rows:
            break
        after = (rows[-1]["conversation_id"], rows[-1]["created_at"], rows[-1]["id"])
    return found


def _is_same(page: dict[str, Any], newest: dict[str, int]) -> bool:
    """Compare a page of up to 100 with a scan; its total too, where it is known."""
    matches = [(one["conversation_id"], instant(one["created_at"])) for one in page["matches"]]
    seconds = [int(at.timestamp()) for _, at in matches if at is not None]
    return (
        seconds == sorted(newest.values(), reverse=True)[:100]
        and seconds == [newest.get(id) for id, _ in matches]
        and (page["total_capped"] or page["total"] == len(newest))
    )


def _of_words(words: str) -> str:
    return f"/v1/conversations?{httpx.QueryParams({'q': words, 'limit': 100})}"


def _typed(text: str) -> str:
    return f"/v1/contacts?q={text}"


async def _asked(
    target: str, queries: Sequence[str], others: Sequence[str]
) -> tuple[list[float], list[dict[str, Any]]]:
    """Seconds until each is answered, of a search the slower of two pages; pages of `others`."""
    key = new_key()
    taken: list[float] = []
    with serving("inbox", target, key=key) as port:
        headers = {"Authorization": f"Bearer {key}"}
        address = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
            for path in ("/v1/conversations", *queries[:3]):
                (await client.get(path)).raise_for_status()
            for path in queries:
                seconds, page = await _timed(client, path)
                if page.get("next_cursor") and "contacts" not in path:
                    more, _ = await _timed(client, f"{path}&cursor={page['next_cursor']}")
                    seconds = max(seconds, more)
                taken.append(seconds)
            pages = [(await _timed(client, path))[1] for path in others]
    return taken, pages


async def _timed(client: httpx.AsyncClient, path: str) -> tuple[float, dict[str, Any]]:
    started = time.perf_counter()
    response = await client.get(path)
    seconds = time.perf_counter() - started
    response.raise_for_status()
    page: dict[str, Any] = response.json()
    return seconds, page
