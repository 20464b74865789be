"""What applying an archive costs: `python -m tests.bench ingest`.

An archive of webhook bodies, read, normalised and applied, against plain inserts of the very rows
that it leaves, into tables with the same indexes, in as many transactions; both in turn, in one
run. And the peak memory of an import, against that of a file with a quarter of the lines.
"""

import argparse
import json
import sys
import tempfile
import tracemalloc
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from frontdesk.ingest.archive.importer import LINES_AT_ONCE, ArchiveFile, Import, ImportOptions
from frontdesk.store.database import Connection, Database
from frontdesk.store.sqlite import SQLiteDatabase
from tests.bench.ratios import Ratio, in_turn, ratio, shown

MOST = 6.0
MOST_MEMORY = 1.3
LONGER = 4
NOW = 1_790_000_000_000
START = 1_780_000_000
# Of one dialogue: what the customer says, and what the phone answers.
TURNS = 7
WORDS = "Do you have it in blue, and could it be here before Friday?"
METADATA = {"display_phone_number": "15550783881", "phone_number_id": "106540352242922"}
# What an import leaves, in an order in which it may be put in.
TABLES = (
    "channel",
    "contact",
    "conversation",
    "entry",
    "cell",
    "message",
    "conversation_event",
    "metric_event",
    "rollup",
)

Rows = Mapping[str, list[dict[str, Any]]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--lines", type=int, default=6_000, help="bodies, of one message each")
    parser.add_argument("--rounds", type=int, default=7)


def run(options: argparse.Namespace) -> None:
    """Measure, and print a table."""
    with tempfile.TemporaryDirectory(prefix="frontdesk-bench-") as name:
        directory = Path(name)
        archive, longer = directory / "archive.ndjson", directory / "longer.ndjson"
        write(archive, options.lines)
        write(longer, LONGER * options.lines)
        found = [speed(directory, archive, options.rounds), memory(directory, archive, longer)]
    print(shown(found))  # noqa: T201
    sys.exit(any(one.reached is False for one in found))


def write(path: Path, lines: int) -> None:
    """An archive of that many bodies: dialogues one after the other, some of them at once."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(lines):
            file.write(json.dumps(body(number), separators=(",", ":")) + "\n")


def body(number: int) -> dict[str, Any]:
    """Line so-and-so of an archive."""
    dialogue, turn = number // (2 * TURNS), number % (2 * TURNS)
    person = str(34_600_000_000 + dialogue)
    message: dict[str, Any] = {
        "id": f"wamid.HBgLMzQ2MDAwMDAwMDAVAgASGBQz{number:016X}",
        "timestamp": str(START + 60 * number),
        "type": "text",
        "text": {"body": f"{WORDS} ({number})"},
    }
    value: dict[str, Any] = {"messaging_product": "whatsapp", "metadata": METADATA}
    if turn % 2:
        echo = {**message, "from": METADATA["display_phone_number"], "to": person}
        return wrapped("smb_message_echoes", {**value, "message_echoes": [echo]})
    value["contacts"] = [{"profile": {"name": f"Åse Nº {dialogue}"}, "wa_id": person}]
    return wrapped("messages", {**value, "messages": [{**message, "from": person}]})


def wrapped(field: str, value: dict[str, Any]) -> dict[str, Any]:
    changes = [{"field": field, "value": value}]
    entry = {"id": "102290129340398", "changes": changes}
    return {"object": "whatsapp_business_account", "entry": [entry]}


def speed(directory: Path, archive: Path, rounds: int) -> Ratio:
    """The seconds of an import over those of inserting what it leaves."""
    # Laid out before anything is timed: the warm-up is a round too.
    stores = [store(directory, number) for number in range(2 * rounds + 3)]
    fresh = iter(stores)
    model = next(fresh)
    bring_in(model, archive)
    rows = model.read(all_rows)
    with archive.open("rb") as file:
        transactions = -(-sum(1 for _ in file) // LINES_AT_ONCE)
    taken = in_turn(
        rounds,
        {
            "apply": lambda number: bring_in(next(fresh), archive),
            "insert": lambda number: insert(next(fresh), rows, transactions),
        },
    )
    for each in stores:
        each.close()
    return ratio("apply / plain insert", "<=", MOST, taken["apply"], taken["insert"])


def memory(directory: Path, archive: Path, longer: Path) -> Ratio:
    """The peak of what importing a long file allocates over that of a short one.

    The database's own cache is not in it: that fills up to a size that is set.
    """
    short, long = peak(directory, archive), peak(directory, longer)
    note = f"{long >> 10:,} KiB / {short >> 10:,} KiB for {LONGER} times the lines"
    return Ratio("peak memory, long / short", long / short, "<=", MOST_MEMORY, note=note)


def peak(directory: Path, archive: Path) -> int:
    """The most bytes that importing a file had allocated at once."""
    with closing(store(directory, archive.stem)) as database:
        tracemalloc.start()
        bring_in(database, archive)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return found


def store(directory: Path, name: object) -> SQLiteDatabase:
    return SQLiteDatabase(directory / f"store-{name}.db", create=True)


def bring_in(database: Database, archive: Path) -> None:
    """Import a file as the command does."""
    with archive.open("rb") as stream:
        source = ArchiveFile(stream, None, lambda rejected: None, lambda: None)
        Import(database, ImportOptions(clock=lambda: NOW)).read(source)


def all_rows(connection: Connection) -> Rows:
    return {
        table: [dict(row) for row in connection.rows(f"SELECT * FROM {table}")] for table in TABLES
    }


def insert(database: Database, rows: Rows, transactions: int) -> None:
    """Put rows in, an equal share of every table in each transaction."""
    for number in range(transactions):
        database.write(
            lambda connection, number=number: insert_share(  # type: ignore[misc]
                connection, rows, number, transactions
            )
        )


def insert_share(connection: Connection, rows: Rows, number: int, transactions: int) -> None:
    for table, own in rows.items():
        some = own[number * len(own) // transactions : (number + 1) * len(own) // transactions]
        if some:
            values = ", ".join(f":{name}" for name in some[0])
            connection.run_many(
                f"INSERT INTO {table}({', '.join(some[0])}) VALUES ({values})", some
            )
