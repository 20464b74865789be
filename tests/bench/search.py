"""Searching messages and contacts on both engines, and filling the viewer's cache."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from unittest.mock import patch

import httpx

from frontdesk.store import writes
from frontdesk.store.connect import open_database
from frontdesk.store.dsn import is_address
from tests.bench.inboxes import make_inbox, message_writes, served, some, targets_of
from tests.bench.measure import Result, percentile
from tests.bench.sessions import Program, Session, Stroke, p99, press_in_turn, running
from tests.bench.workspace import BARE, environment_in

# Words in very many messages, in none, and phrases of frequent trigrams that are in none.
ODD = ("the", "ing", "ent", "que", "zzqxj", "delivered yesterday", "please gracias", "ther anto")
FILTERS = ("", "", "&status=open", "&assignee=unassigned", "&unread=true", "&contact=7")
TYPED = ("a", "an", "ana", "mar", "maria", "el", "jo", "zo", "o'n", "555", "Ан")
# Of one message of a conversation, in an order that has nothing to do with its words.
TEXT = """
    SELECT text FROM message WHERE account_id = 1 AND conversation_id = :id AND text <> ''
    ORDER BY id % 17 LIMIT 1"""
# Milliseconds of a page, p95 and worst.
MOST = {"SQLite": (30, 200), "PostgreSQL": (200, None)}
FRONTDESK = (sys.executable, "-m", "frontdesk")
# Longer than the viewer waits after a key before it goes on filling.
REST = 1.5


def results(
    conversations: int = 20_000, rounds: int = 200, presses: int = 400, database: str = ""
) -> Iterator[Result]:
    """The lines of the table. database: one that may be written to, instead of both engines."""
    with targets_of(database) as (home, targets):
        for target in targets:
            key = make_inbox(target, conversations)
            yield from _searching(target, key, rounds)
        yield from _filling(home, max(conversations // 10, 50), presses)


def _searching(target: str, key: str, rounds: int) -> Iterator[Result]:
    engine = "PostgreSQL" if is_address(target) else "SQLite"
    random = Random(1)
    with closing(open_database(target)) as database:
        rows = database.read(partial(some, sql=TEXT, random=random, count=rounds))
        texts = [row["text"] for row in rows]
        # A function: to make a mock would be part of the time.
        without = patch.object(writes, "has_message_index", lambda _: False)
        write = message_writes(database, 2 * texts, without, keep=True)
    searches = [*_searches(texts, random)]
    typed = [f"/v1/contacts?q={text}" for _ in range(max(rounds // 10, 5)) for text in TYPED]
    headers = {"Authorization": f"Bearer {key}"}
    with served(target, 1) as (_, port), httpx.Client(headers=headers, timeout=60) as client:
        client.base_url = f"http://127.0.0.1:{port}"
        for path in ("/v1/conversations", *searches[:3]):
            _milliseconds(client, path)
        hits = [_milliseconds(client, path, pages=2) for path in searches]
        contacts = [_milliseconds(client, path) for path in typed]
    p95, worst = MOST[engine]
    yield Result("M1", f"{engine}: page of hits, p95, ms", percentile(hits, 0.95), p95)
    yield Result("M1", f"{engine}: page of hits, worst, ms", max(hits), worst)
    yield Result("M2", f"{engine}: message write with the index / without", write, 1.6)
    slowest = max(median(contacts[place :: len(TYPED)]) for place in range(len(TYPED)))
    yield Result("M3", f"{engine}: contacts by the slowest of 11 words, p50, ms", slowest, 20)


def _searches(texts: Sequence[str], random: Random) -> Iterator[str]:
    """Paths of searches: words and parts of words of messages, and odd ones."""
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


def _milliseconds(client: httpx.Client, path: str, *, pages: int = 1) -> float:
    """Until a page is there; of several pages the slowest."""
    started = time.perf_counter()
    response = client.get(path).raise_for_status()
    taken = 1000 * (time.perf_counter() - started)
    if pages == 1 or (cursor := response.json()["next_cursor"]) is None:
        return taken
    return max(taken, _milliseconds(client, f"{path}&cursor={cursor}", pages=pages - 1))


def _filling(home: Path, conversations: int, presses: int) -> Iterator[Result]:
    """Keys in a viewer that fills its cache, and on the key floor; then `cache fill`, twice."""
    database = str(home / "filled.db")
    key = make_inbox(database, conversations)
    environment = {**environment_in(home), "FRONTDESK_API_KEY": key}
    configuration = home / "frontdesk" / "config.toml"
    configuration.parent.mkdir()
    configuration.write_text('[mirror]\nkeep = "all"\n')
    with served(database, 1) as (_, port):
        url = f"http://127.0.0.1:{port}"
        viewer = Program((*FRONTDESK, "--url", url), "live")
        sessions = {"filling": Session(), "floor": Session()}
        with running(viewer, environment) as filling, running(BARE, environment) as floor:
            strokes = dict.fromkeys(sessions, Stroke("down", b"j", presses))
            press_in_turn({"filling": filling, "floor": floor}, strokes, sessions, rest=REST)
        slow, least = (p99(one.presses["down"] + one.rested["down"]) for one in sessions.values())
        name = "p99 of key to frame while a cache is filled / key floor"
        yield Result("F1", name, slow / least, 2.5)
        # A cache of its own, which nothing is in yet.
        environment["XDG_CACHE_HOME"] = str(home / "command")
        first, again = (_requests_to_fill(url, environment) for _ in range(2))
    yield Result("F2", "requests to fill a cache, for each conversation", first / conversations)
    yield Result("F3", "requests to fill it again", again)


def _requests_to_fill(url: str, environment: Mapping[str, str]) -> int:
    command = [*FRONTDESK, "cache", "fill", "--url", url, "--keep", "all", "--json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    return int(json.loads(done.stdout)["requests"])
