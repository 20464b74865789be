"""An export that is imported again gives the same rows and sums on either engine."""

import io
import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from test_any_order import facts
from tests.stores import Engine, PostgresServer, postgres_engine, sqlite_store

from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.errors import UnusableFile
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.apply.context import Tally
from frontdesk.ingest.archive import importer
from frontdesk.ingest.archive.export import lines
from frontdesk.ingest.archive.importer import ArchiveFile, Import, ImportOptions, ImportResult
from frontdesk.ingest.archive.reader import RejectedLine
from frontdesk.ingest.archive.restore import TALLIES
from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import (
    Author,
    DomainEvent,
    IdentityChange,
    LabelUpsert,
    MessageUpsert,
    Person,
)
from frontdesk.sample.demo import SEED, demo_parts
from frontdesk.service.api_keys import SCOPES
from frontdesk.store import dump
from frontdesk.store.accounts import account_by_slug, add_account
from frontdesk.store.contacts import contact_page
from frontdesk.store.database import Connection, Database
from frontdesk.store.rows import statements, table_of
from frontdesk.store.sqlite import SQLiteDatabase

NOW = 1_800_000_000_000
TABLES = {
    match[1]
    for statement in statements("sqlite")
    if (match := re.match(r"\s*CREATE (?:VIRTUAL )?TABLE (\w+)", statement))
}
# What an import has no part in, and numbers that only count.
APART = {*dump.TABLES_NOT_EXPORTED, "contact_words"}


@pytest.fixture(scope="module")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a part of the sample; not to be written to."""
    path = tmp_path_factory.mktemp("small") / "inbox.db"
    first, second = demo_parts(SEED, NOW)
    database = SQLiteDatabase(path, create=True, durable=False)
    for events in (first, second[:1_200]):
        database.write(partial(apply, events))
    database.close()
    return path


def apply(events: Sequence[DomainEvent], connection: Connection) -> None:
    apply_events(connection, 1, events, now=NOW)


@pytest.fixture
def small(small_file: Path, tmp_path: Path) -> Iterator[Database]:
    """A part of the sample in a database of the test's own."""
    shutil.copy(small_file, tmp_path / "inbox.db")
    database = SQLiteDatabase(tmp_path / "inbox.db", durable=False)
    yield database
    database.close()


def exported(database: Database, slug: str | None = None) -> bytes:
    """A whole export."""

    def write(connection: Connection) -> bytes:
        each = (json.dumps(line) for line in lines(connection, slug, lambda more: None))
        return "\n".join(each).encode()

    return database.read(write)


def put_in(
    database: Database,
    export: bytes,
    *,
    account: str | None = None,
    digest: str | None = None,
    advance: Callable[[], object] = lambda: None,
) -> ImportResult:
    """Import an export; nothing of it is rejected."""
    imported = Import(database, ImportOptions(lambda: NOW, account))
    rejected: list[object] = []
    stream = io.BufferedReader(io.BytesIO(export))
    imported.read(ArchiveFile(stream, digest, rejected.append, advance))
    assert rejected == []
    return imported.outcome


def contents(database: Database) -> dict[str, list[str]]:
    """Every row of every table, but for what counts changes and ids of what is derived."""

    def read(connection: Connection) -> dict[str, list[str]]:
        return {
            table: sorted(repr(_comparable(table, dict(row))) for row in rows)
            for table in sorted(TABLES - APART)
            for rows in [connection.rows(f"SELECT * FROM {table}")]
        }

    return database.read(read)


def _comparable(table: str, row: dict[str, Any]) -> dict[str, Any]:
    unlike = {"account": ("revision",), "metric_event": ("id",)}.get(table, ())
    if table == "last_id" and row["kind"] == "metric_event":
        return {}
    return {name: value for name, value in sorted(row.items()) if name not in unlike}


def count(database: Database, kind: str) -> int:
    return database.read(lambda connection: dump.count(connection, 1, kind))


def sound(database: Database) -> bool:
    def check(connection: Connection) -> bool:
        accounts = dump.accounts(connection)
        return not any(list(differences(connection, account["id"])) for account in accounts)

    return database.read(check)


def test_every_table_is_exported_or_is_known_to_stay() -> None:
    written = {table_of(kind).name for kind in TALLIES} | set(dump.LINKS) | {"account", "last_id"}
    assert written | dump.DERIVED_TABLES | dump.TABLES_NOT_EXPORTED == TABLES
    assert not written & (dump.DERIVED_TABLES | dump.TABLES_NOT_EXPORTED)


@pytest.mark.postgres
@pytest.mark.slow
def test_the_sample_goes_to_another_engine_and_back(
    sample_database: Database, postgres: PostgresServer
) -> None:
    before = contents(sample_database)
    with postgres_engine(postgres) as engine, engine.fresh() as there:
        put_in(there, exported(sample_database))
        assert contents(there) == before
        assert sound(there)
        with sqlite_store() as back:
            put_in(back, exported(there))
            assert contents(back) == before


def test_the_pricing_of_an_older_export_is_its_category(small: Database, engine: Engine) -> None:
    older = []
    for line in map(json.loads, exported(small).splitlines()):
        if line["kind"] == "message":
            line["stored"]["category"] = (line.pop("pricing") or {}).get("category")
            del line["stored"]["priced_at"]
        older.append(json.dumps(line))
    sql = "SELECT id, category FROM message ORDER BY id"
    before = small.read(lambda connection: [[tuple(row.values()) for row in connection.rows(sql)]])
    with engine.fresh() as there:
        put_in(there, "\n".join(older).encode())
        assert there.read(lambda c: [[tuple(row.values()) for row in c.rows(sql)]]) == before
        assert count(there, "pricing_rollup") > 0
        assert sound(there)


FORMER_COLUMNS = {"facts_json": "told_json", "times_json": "told_json", "status_known": "told"}


def test_columns_of_an_older_export_are_read_by_their_former_names(
    small: Database, engine: Engine
) -> None:
    person, number = Person("+34600000001"), Person("+34600000002")
    said = [
        MessageUpsert("101", one, wamid, NOW - 9, False, Author("contact"), "text", "webhook")
        for one, wamid in ((person, "one"), (number, "other"))
    ]
    small.write(partial(apply, [*said, IdentityChange(person, number, NOW - 8)]))
    older = []
    for line in map(json.loads, exported(small).splitlines()):
        stored = {FORMER_COLUMNS.get(n, n): v for n, v in line.get("stored", {}).items()}
        if line["kind"] == "part":
            stored["row_json"] = stored["row_json"].replace('"facts_json":', '"told_json":')
        older.append(json.dumps({**line, "stored": stored} if stored else line))
    text = "\n".join(older)
    assert all(f'"{name}"' not in text for name in FORMER_COLUMNS)
    assert '"part"' in text
    with engine.fresh() as there:
        put_in(there, text.encode())
        assert contents(there) == contents(small)
        assert sound(there)


def test_words_of_restored_contacts_are_found(small: Database, engine: Engine) -> None:
    with engine.fresh() as there:
        put_in(there, exported(small))
        listed = small.read(lambda connection: contact_page(connection, 1, [], None, 3))
        for words in ([row["name_key"].split()[0]] for row in listed):
            find = partial(contact_page, account_id=1, words=words, after=None, count=100)
            one, other = small.read(find), there.read(find)
            assert [row["id"] for row in one] == [row["id"] for row in other] != []


@settings(max_examples=6)
@given(facts())
def test_any_inbox_comes_back_as_it_was(engine: Engine, events: list[DomainEvent]) -> None:
    with sqlite_store() as database:
        database.write(lambda connection: apply_events(connection, 1, events, now=NOW))
        before, export = contents(database), exported(database)
    with engine.fresh() as there:
        put_in(there, export)
        assert contents(there) == before
        assert sound(there)


def test_a_restored_inbox_is_whole_at_every_moment(
    small: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = exported(small).split(b"\n")
    monkeypatch.setattr(importer, "LINES_AT_ONCE", 40)
    with sqlite_store() as there:
        moments: list[bool] = []
        put_in(there, b"\n".join(export), advance=lambda: moments.append(sound(there)))
    assert len(moments) > 10
    assert all(moments)


class _Interrupted(Exception):
    pass


def interrupt(times: int) -> Callable[[], None]:
    def advance() -> None:
        nonlocal times
        times -= 1
        if not times:
            raise _Interrupted

    return advance


def test_an_interrupted_restoration_goes_on(
    small: Database, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importer, "LINES_AT_ONCE", 40)
    export = exported(small)
    with engine.fresh() as there:
        with pytest.raises(_Interrupted):
            put_in(there, export, digest="one", advance=interrupt(3))
        again = put_in(there, export, digest="one")
        assert 0 < again.lines < len(export.splitlines())
        assert contents(there) == contents(small)


def test_an_account_that_was_changed_meanwhile_is_not_restored_further(
    small: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importer, "LINES_AT_ONCE", 40)
    export = exported(small)
    with sqlite_store() as there:
        with pytest.raises(_Interrupted):
            put_in(there, export, digest="one", advance=interrupt(3))
        label = [LabelUpsert("meanwhile", NOW)]
        there.write(lambda connection: apply_events(connection, 1, label, now=NOW))
        with pytest.raises(UnusableFile, match="restore it into an empty database"):
            put_in(there, export, digest="one")


def test_a_second_import_adds_nothing(small: Database) -> None:
    outcome = put_in(small, exported(small))
    tallies = outcome.applied
    assert (tallies.messages.new, tallies.contacts.new, tallies.conversations.new) == (0, 0, 0)
    assert tallies.messages.known == count(small, "message")
    assert (tallies.notes.new, tallies.reactions.new, tallies.catalogue.new) == (0, 0, 0)
    assert sound(small)


def said(database: Database, account: str) -> list[tuple[Any, ...]]:
    """What readers of an account see of its messages."""

    def read(connection: Connection) -> list[tuple[Any, ...]]:
        row = account_by_slug(connection, account)
        assert row is not None
        rows = connection.rows(
            """
            SELECT phone_number_id, p.phone, p.wa_user_id, m.created_at, direction, m.author, type,
              text, content_json, media_json, wamid, delivery_status, delivered_at, read_at,
              edited_at, deleted_at, forwarded, source, m.author_name, c.status, c.unread_count
            FROM message m
            JOIN conversation c ON c.account_id = m.account_id AND c.id = m.conversation_id
            JOIN contact p ON p.account_id = c.account_id AND p.id = c.contact_id
            JOIN channel n ON n.account_id = c.account_id AND n.id = c.channel_id
            WHERE m.account_id = :account
            """,
            {"account": row["id"]},
        )
        return sorted((tuple(dict(each).values()) for each in rows), key=repr)

    return database.read(read)


def test_an_export_into_a_non_empty_account_has_the_same_contents(
    small: Database,
) -> None:
    with sqlite_store() as there:
        put_in(there, b'{"kind":"label","title":"here before"}')
        put_in(there, exported(small))
        assert sound(there)
        assert said(there, "default") == said(small, "default")


def test_accounts_stay_apart_and_are_imported_into_the_named_one(small: Database) -> None:
    small.write(lambda connection: add_account(connection, "shop", "Shop", NOW))
    put_in(small, b'{"kind":"label","title":"of the shop"}', account="shop")
    export = exported(small)
    with sqlite_store() as there:
        put_in(there, export)
        assert contents(there) == contents(small)
        with pytest.raises(UnusableFile, match="the account 'shop' too"):
            put_in(there, export, account="default")
    with sqlite_store() as there:
        there.write(lambda connection: add_account(connection, "other", "Other", NOW))
        put_in(there, exported(small, "shop"), account="other")
        titles = "SELECT title FROM label WHERE account_id = 2"
        assert there.read(lambda c: [row["title"] for row in c.rows(titles)]) == ["of the shop"]


def test_no_key_leaves_the_database(small: Database, tmp_path: Path) -> None:
    order = KeyOrder("default", "kept apart", None, SCOPES, None)
    made = make_key(tmp_path / "inbox.db", order, now=NOW)
    export = exported(small).decode()
    secrets = small.read(
        lambda connection: connection.rows("SELECT value FROM meta WHERE name = 'cursor_secret'")
    )
    assert [row["value"] in export for row in secrets] == [False]
    assert str(made["key"]) not in export
    assert "kept apart" not in export


BROKEN = (
    ("conversation_id", "x", "conversation_id is not an id in digits"),
    ("direction", "sideways", "direction is not one of inbound, outbound"),
    ("created_at", "yesterday", "created_at is not a time such as"),
    ("text", 5, "text has a value that cannot be stored"),
    ("content", [1], "content is not an object"),
    ("stored", None, "stored is not an object"),
    ("stored", {"channel_id": 2**70, "live": 0, "richness": 2}, "stored.channel_id has a value"),
)


@pytest.mark.parametrize(("name", "value", "reason"), BROKEN)
def test_a_line_that_was_broken_is_rejected_with_its_reason(
    small: Database, name: str, value: Any, reason: str
) -> None:
    export = [json.loads(line) for line in exported(small).splitlines()]
    number = next(n for n, line in enumerate(export) if line["kind"] == "message")
    export[number][name] = value
    rejected: list[Any] = []
    with sqlite_store() as there:
        imported = Import(there, ImportOptions(lambda: NOW))
        body = "\n".join(map(json.dumps, export[: number + 1])).encode()
        stream = io.BufferedReader(io.BytesIO(body))
        imported.read(ArchiveFile(stream, None, rejected.append, lambda: None))
    assert [(each.number, each.reason.startswith(reason)) for each in rejected] == [
        (number + 1, True)
    ]


def test_a_line_has_the_words_of_the_interface(small: Database) -> None:
    message = next(
        line
        for line in map(json.loads, exported(small).splitlines())
        if line["kind"] == "message" and line["author"] == "user" and line["delivery"]
    )
    assert message["v"] == 1
    assert message["direction"] == "outbound"
    assert message["channel"].isdigit()
    assert message["contact"]["phone"].startswith("+")
    assert message["author_ref"].keys() == {"id", "name", "external_id"}
    assert message["delivery"]["sent_at"].endswith(".000Z")


def test_counts_of_a_restoration_are_those_of_its_rows(small: Database) -> None:
    with sqlite_store() as there:
        outcome = put_in(there, exported(small))
    assert outcome.applied.messages == Tally(new=count(small, "message"))
    assert outcome.applied.conversations == Tally(new=count(small, "conversation"))


def import_lines(database: Database, export: Sequence[dict[str, Any]]) -> list[RejectedLine]:
    """Import an export, and return what is rejected of it."""
    rejected: list[RejectedLine] = []
    stream = io.BufferedReader(io.BytesIO("\n".join(map(json.dumps, export)).encode()))
    Import(database, ImportOptions(lambda: NOW)).read(
        ArchiveFile(stream, None, rejected.append, lambda: None)
    )
    return rejected


def without(kind: str, export: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """An export that lacks the line of this kind that its last conversation needs."""
    owner = next(line for line in reversed(export) if line["kind"] == "conversation")
    numbers = {
        "channel": lambda line: line["id"] == owner["channel"],
        "contact": lambda line: line["id"] == owner["contact"]["id"],
        "conversation": lambda line: line["id"] == owner["id"],
    }
    return [line for line in export if line["kind"] != kind or not numbers[kind](line)]


@pytest.mark.parametrize("damage", ["cut off", "channel", "contact", "conversation"])
def test_an_export_that_lacks_a_line_is_restored_without_what_cannot_be_reached(
    small: Database, engine: Engine, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importer, "LINES_AT_ONCE", 50)
    whole_export = [json.loads(line) for line in exported(small).splitlines()]
    facts_of = [n for n, line in enumerate(whole_export) if line["kind"] == "message"]
    kept = whole_export[: facts_of[-1]] if damage == "cut off" else without(damage, whole_export)
    with engine.fresh() as there:
        rejected = import_lines(there, kept)
        assert {line.reason.split(" of its conversation")[0] for line in rejected} == {
            "the line" if damage in ("cut off", "conversation") else "the contact or the channel"
        }
        restored = len(kept) - len(rejected) - 1
        assert restored == sum(count(there, kind) for kind in TALLIES)
        assert import_lines(there, [json.loads(line.text or b"") for line in rejected]) == []
        assert import_lines(there, kept) == []
        assert import_lines(there, whole_export) == []
        assert sound(there)
        for kind in ("contact", "conversation", "message"):
            assert count(there, kind) == count(small, kind)


def test_an_interruption_inside_a_conversation_stores_none_of_it(
    small: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importer, "LINES_AT_ONCE", 1)
    export = exported(small)
    facts_of = [n for n, line in enumerate(export.splitlines()) if b'"message"' in line[:20]]
    with sqlite_store() as there:
        with pytest.raises(_Interrupted):
            put_in(there, export, digest="one", advance=interrupt(facts_of[0] + 1))
        conversations = {row["id"] for row in rows(there, "conversation")}
        assert {row["conversation_id"] for row in rows(there, "message")} == conversations
        put_in(there, export, digest="one")
        assert contents(there) == contents(small)


def rows(database: Database, kind: str) -> list[Any]:
    return database.read(lambda connection: list(dump.rows_of(connection, 1, kind)))
