"""An export that is imported gives the inbox that it was, on either engine."""

import io
import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from tests.conftest import NOW_MILLISECONDS
from tests.ingest.fact_changes import inboxes
from tests.ingest.inbox_state import state
from tests.stores import Engine, PostgresServer, postgres_engine, sqlite_store

from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.errors import UnusableFile
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.archive import importer
from frontdesk.ingest.archive.export import lines
from frontdesk.ingest.archive.importer import ArchiveFile, Import, ImportOptions, ImportResult
from frontdesk.ingest.archive.reader import RejectedLine
from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import (
    Author,
    DomainEvent,
    IdentityChange,
    MessageRevoke,
    MessageUpsert,
    Person,
)
from frontdesk.sample.demo import SEED, demo_parts
from frontdesk.service.api_keys import SCOPES
from frontdesk.store import dump, media_texts
from frontdesk.store.accounts import account_by_slug, add_account
from frontdesk.store.contacts import contact_page
from frontdesk.store.database import Connection, Database
from frontdesk.store.media_texts import FileText
from frontdesk.store.rows import statements, table_of
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.text.limits import TEXT

NOW = 1_800_000_000_000
TABLES = {
    match[1]
    for statement in statements("sqlite")
    if (match := re.match(r"\s*CREATE (?:VIRTUAL )?TABLE (\w+)", statement))
}
# Kinds of rows that are lines of their own, or members of the lines of their contact.
KINDS = (
    *("channel", "user", "team", "label", "custom_field", "canned_response", "template"),
    *("contact", "alias", "part", "identity_change", "conversation", "message", "note"),
    *("conversation_event", "reaction", "orphan"),
)


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
    now: int = NOW,
    advance: Callable[[], object] = lambda: None,
) -> ImportResult:
    """Import an export; nothing of it is rejected."""
    imported = Import(database, ImportOptions(lambda: now, account))
    rejected: list[object] = []
    stream = io.BufferedReader(io.BytesIO(export))
    imported.read(ArchiveFile(stream, digest, rejected.append, advance))
    assert rejected == []
    return imported.outcome


def count(database: Database, kind: str) -> int:
    return database.read(lambda connection: dump.count(connection, 1, kind))


def sound(database: Database) -> bool:
    def check(connection: Connection) -> bool:
        accounts = dump.accounts(connection)
        return not any(list(differences(connection, account["id"])) for account in accounts)

    return database.read(check)


def test_every_table_is_exported_or_is_known_to_stay() -> None:
    written = {table_of(kind).name for kind in KINDS} | set(dump.LINKS) | {"account"}
    apart = dump.DERIVED_TABLES | dump.TABLES_NOT_EXPORTED
    assert written | apart == TABLES
    assert not written & apart


@pytest.mark.postgres
@pytest.mark.slow
def test_the_sample_goes_to_another_engine_and_back(
    sample_database: Database, postgres: PostgresServer
) -> None:
    before = state(sample_database)
    with postgres_engine(postgres) as engine, engine.fresh() as there:
        # At the moment of the sample: an import opens conversations whose snooze has ended.
        put_in(there, exported(sample_database), now=NOW_MILLISECONDS)
        assert state(there) == before
        assert sound(there)
        with sqlite_store() as back:
            put_in(back, exported(there), now=NOW_MILLISECONDS)
            assert state(back) == before


def test_the_pricing_of_an_older_export_is_its_category(small: Database, engine: Engine) -> None:
    older = []
    for line in map(json.loads, exported(small).splitlines()):
        if line["kind"] == "message":
            line["stored"]["category"] = (line.pop("pricing") or {}).get("category")
            del line["stored"]["priced_at"]
        older.append(json.dumps(line))
    sql = "SELECT wamid, category FROM message WHERE wamid IS NOT NULL ORDER BY wamid"
    before = small.read(lambda connection: [tuple(row.values()) for row in connection.rows(sql)])
    with engine.fresh() as there:
        put_in(there, "\n".join(older).encode())
        assert there.read(lambda c: [tuple(row.values()) for row in c.rows(sql)]) == before
        assert count(there, "pricing_rollup") > 0
        assert sound(there)


def test_words_of_restored_contacts_are_found(small: Database, engine: Engine) -> None:
    with engine.fresh() as there:
        put_in(there, exported(small))
        listed = small.read(lambda connection: contact_page(connection, 1, [], None, 3))
        for words in ([row["name_key"].split()[0]] for row in listed):
            find = partial(contact_page, account_id=1, words=words, after=None, count=100)
            one, other = small.read(find), there.read(find)
            assert [row["phone"] for row in one] == [row["phone"] for row in other] != []


@settings(max_examples=25, deadline=None)
@given(inboxes())
def test_any_inbox_comes_back_as_it_was(engine: Engine, events: list[DomainEvent]) -> None:
    with sqlite_store() as database:
        database.write(lambda connection: apply_events(connection, 1, events, now=NOW))
        before, export = state(database), exported(database)
    with engine.fresh() as there:
        put_in(there, export)
        assert state(there) == before
        assert sound(there)


def test_an_exported_merge_is_undone_like_the_first(engine: Engine) -> None:
    """The new number proves to be somebody else's by an older message, in both inboxes."""
    person, number = Person.of_phone("+34600000041"), Person.of_phone("+34600000042")
    said = [
        MessageUpsert("101", one, wamid, at, False, Author("contact"), "text", "webhook")
        for one, wamid, at in ((person, "one", NOW - 9), (number, "two", NOW - 7))
    ]
    merged = [*said, IdentityChange(person, number, NOW - 8)]
    older = MessageUpsert("101", number, "zero", NOW - 90, False, Author("contact"), "text", "api")
    with sqlite_store() as database, engine.fresh() as there:
        database.write(partial(apply, merged))
        put_in(there, exported(database))
        assert count(there, "contact") == 1
        for each in (database, there):
            each.write(partial(apply, [older]))
        assert count(there, "contact") == 2
        assert state(there) == state(database)


def test_the_status_of_old_back_fill_stays_whatever_its_age(engine: Engine) -> None:
    said = MessageUpsert(
        "101", Person.of_phone("+34600000043"), "old", NOW - 9, False, Author("contact"), "text",
        "history", live=False,
    )  # fmt: skip
    with sqlite_store() as database, engine.fresh() as there:
        database.write(partial(apply, [said]))
        export = exported(database)
        late = NOW + 10**11
        put_in(there, export, now=late)
        assert state(there) == state(database)


def test_texts_beyond_the_limits_are_cut_as_those_of_any_source() -> None:
    person, author = Person.of_phone("+34600000044"), Author("contact")
    said = MessageUpsert("101", person, "w", NOW - 9, False, author, "text", "webhook", "short")
    with sqlite_store() as database, sqlite_store() as there:
        database.write(partial(apply, [said]))
        put_in(there, exported(database).replace(b'"short"', b'"%s"' % (b"x" * 300_000)))
        (row,) = there.read(lambda c: c.rows("SELECT LENGTH(text) AS length FROM message"))
        assert row["length"] <= TEXT


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
        assert state(there) == state(small)


def test_a_second_import_adds_nothing(small: Database) -> None:
    outcome = put_in(small, exported(small))
    tallies = outcome.applied
    assert (tallies.messages.new, tallies.contacts.new, tallies.conversations.new) == (0, 0, 0)
    assert tallies.messages.known == count(small, "message")
    assert (tallies.notes.new, tallies.reactions.new, tallies.catalogue.new) == (0, 0, 0)
    assert sound(small)


@pytest.mark.both_engines
def test_words_of_files_come_along_and_those_that_are_there_stay(database: Database) -> None:
    person, by = Person("+34600000009"), Author("contact")
    spoken = MessageUpsert(
        REVOKED[0], person, "w", NOW, False, by, "audio", "webhook", media={"id": "m"}
    )
    text = FileText("the lighthouse", "voice@3", "en", NOW + 5)
    with sqlite_store() as other:
        other.write(lambda c: apply_events(c, 1, [replace(spoken, media_text=text)], now=NOW))
        export = exported(other)
    assert json.loads(export.splitlines()[-2])["media_text"] == {
        "text": "the lighthouse", "by": "voice@3", "language": "en",
        "at": "2027-01-15T08:00:00.005Z",
    }  # fmt: skip
    put_in(database, export)

    def read() -> list[tuple[Any, ...]]:
        sql = "SELECT text, text_by, text_language, text_at, text_state FROM media"
        return [tuple(row.values()) for row in database.read(lambda c: c.rows(sql))]

    assert read() == [("the lighthouse", "voice@3", "en", NOW + 5, "read")]
    assert sound(database)
    corrected = FileText("the light house", "voice@4")
    database.write(lambda c: media_texts.set_text(c, 1, 1, corrected, NOW))
    put_in(database, export)
    assert read() == [("the light house", "voice@4", None, NOW, "read")]
    # Who has deleted the message has deleted its words.
    database.write(lambda c: apply_events(c, 1, [MessageRevoke(*REVOKED)], now=NOW))
    put_in(database, export)
    assert read()[0][0] is None


REVOKED = ("106540352242922", "w", NOW + 9)


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


def test_an_export_into_a_non_empty_account_has_the_same_state(
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
        assert state(there) == state(small)
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
    ("direction", "sideways", "direction is not one of inbound, outbound"),
    ("created_at", "yesterday", "created_at is not a time such as"),
    ("text", [5], "text is not a string"),
    ("content", [1], "content is not an object"),
    ("contact", {}, "contact has no phone"),
    ("stored", 1, "stored is not an object"),
    ("stored", {"live": "yes"}, "stored.live is not a whole number"),
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


def import_lines(database: Database, export: Sequence[dict[str, Any]]) -> list[RejectedLine]:
    """Import an export, and return what is rejected of it."""
    rejected: list[RejectedLine] = []
    stream = io.BufferedReader(io.BytesIO("\n".join(map(json.dumps, export)).encode()))
    Import(database, ImportOptions(lambda: NOW)).read(
        ArchiveFile(stream, None, rejected.append, lambda: None)
    )
    return rejected


@pytest.mark.parametrize("kind", ["contact", "conversation"])
def test_what_lacks_a_line_is_brought_in_by_the_whole_export(
    small: Database, engine: Engine, kind: str
) -> None:
    whole_export = [json.loads(line) for line in exported(small).splitlines()]
    last = max(n for n, line in enumerate(whole_export) if line["kind"] == kind)
    damaged = whole_export[:last] + whole_export[last + 1 :]
    with engine.fresh() as there:
        assert import_lines(there, damaged) == []
        assert sound(there)
        assert import_lines(there, whole_export) == []
        assert sound(there)
        assert state(there)["messages"] == state(small)["messages"]


ORPHAN = {"kind": "orphan", "channel": "101"}
FACTS = {"kind": "contact", "phone": "+34600000045", "created_at": 5}


@pytest.mark.parametrize(
    ("line", "stored", "reason"),
    [
        (ORPHAN, {}, "stored.target is missing"),
        (ORPHAN, {"kind": "edit", "detail_json": "[]"}, "stored.detail_json is not an object"),
        (ORPHAN, {"kind": "edit", "detail_json": "{"}, "stored.detail_json is not JSON"),
        (ORPHAN, {"kind": "edit", "detail_json": "{}"}, "stored.detail_json.type is missing"),
        (
            ORPHAN,
            {"kind": "number", "detail_json": '{"id": 5}'},
            "stored.detail_json.id is no fact",
        ),
        (
            ORPHAN,
            {"kind": "number", "detail_json": '{"synced_at": 5}'},
            "stored.detail_json.synced_at is not a time with a value",
        ),
        (
            ORPHAN,
            {"kind": "number", "detail_json": '{"synced_at": [5, "x"]}'},
            "stored.detail_json.synced_at has a value that cannot be stored",
        ),
        (FACTS, {"facts_json": '{"id": [5, "x"]}'}, "stored.facts_json.id is no fact"),
        (FACTS, {"facts_json": '{"email": [5, 7]}'}, "stored.facts_json.email is not a string"),
        (FACTS, {"facts_json": '{"email": "x"}'}, "stored.facts_json.email is not a time with"),
    ],
)
def test_a_line_with_stored_columns_that_cannot_be_read_is_rejected(
    line: dict[str, Any], stored: dict[str, Any], reason: str
) -> None:
    usual = {"target": "w", "created_at": 5, "phone_at": 5} if stored else {}
    with sqlite_store() as there:
        (rejected,) = import_lines(there, [{**line, "stored": {**usual, **stored}}])
    assert rejected.reason.startswith(reason)


ACCOUNT = {
    "kind": "account",
    "slug": "default",
    "name": "Workshop",
    "timezone": "Europe/Madrid",
    "created_at": "2026-01-05T08:00:00.000Z",
    "disabled": False,
    "messages_keep_days": 90,
}


def account(database: Database) -> dict[str, Any]:
    (row,) = database.read(dump.accounts)
    return {name: row[name] for name in ("name", "timezone", "messages_keep_days")}


def test_an_empty_account_takes_the_settings_of_the_exported_one() -> None:
    with sqlite_store() as there:
        assert import_lines(there, [{"kind": "account", "slug": "default"}]) == []
        before = account(there)
        assert before["name"] != "Workshop"
        assert import_lines(there, [ACCOUNT]) == []
        settled = {"name": "Workshop", "timezone": "Europe/Madrid", "messages_keep_days": 90}
        assert account(there) == settled
        label = {"kind": "label", "title": "vip"}
        assert import_lines(there, [label, {**ACCOUNT, "name": "Another"}]) == []
        assert account(there) == settled


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"name": None}, "name is missing"),
        ({"created_at": "soon"}, "created_at is not a time such as"),
        ({"messages_keep_days": 0}, "messages_keep_days is not a number of days up to"),
        ({"messages_keep_days": True}, "messages_keep_days is not a number of days up to"),
        ({"disabled": 1}, "disabled is not true or false"),
        ({"business_hours": []}, "business_hours is not an object"),
        ({"business_hours": {"mon": 5}}, "business_hours."),
        ({"slug": "No such"}, "slug is not a name of lower-case letters"),
    ],
)
def test_an_account_line_that_cannot_be_read_is_rejected(
    members: dict[str, Any], reason: str
) -> None:
    with sqlite_store() as there:
        (rejected,) = import_lines(there, [{**ACCOUNT, **members}])
    assert rejected.reason.startswith(reason)
