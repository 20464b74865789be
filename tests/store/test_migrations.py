"""Databases of other versions: upgraded completely, refused, or unchanged.

`inbox-0.2.0.*.xz` are databases that frontdesk 0.2.0 made, on both engines (that of PostgreSQL as
pg_dump wrote it): Ana (+34600000001, then …2), Bob (…3), and two customers whose numbers have two
forms: Nora, whom it stored twice, and Lupe.
"""

import lzma
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.stores import PostgresServer

from frontdesk.errors import UnusableFile
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.audit import differences
from frontdesk.ingest.double_contacts import merge_doubles
from frontdesk.ingest.events import (
    IMPORTED_NAME,
    Author,
    ContactUpsert,
    MessageUpsert,
    Person,
    UserUpsert,
)
from frontdesk.ingest.reordered import fold_reordered
from frontdesk.store import changes, message_search
from frontdesk.store.changes import ChangePosition
from frontdesk.store.conversations import ConversationSelection, states_of, thread_page
from frontdesk.store.database import SCHEMA_VERSION, Connection, Database
from frontdesk.store.migrations import Schema
from frontdesk.store.postgres import PostgresDatabase
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.text.search import Terms

Opening = Callable[..., Any]
HERE = Path(__file__).parent
CHANNEL = "106540352242922"
# When the databases were made.
NOW = 1_774_000_000_000


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def opening(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opening]:
    """Opens the same database again and again, as a context."""
    if kind == "sqlite":
        yield closing_after(SQLiteDatabase, tmp_path / "inbox.db")
        return
    postgres: PostgresServer = request.getfixturevalue("postgres")
    with postgres.database() as address:
        yield closing_after(PostgresDatabase, address)


@pytest.fixture
def released(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opening]:
    """Opens the database of a release."""
    if kind == "sqlite":
        path = tmp_path / "released.db"
        path.write_bytes(lzma.decompress((HERE / "inbox-0.2.0.db.xz").read_bytes()))
        yield closing_after(SQLiteDatabase, path)
        return
    postgres: PostgresServer = request.getfixturevalue("postgres")
    with postgres.database() as address:
        with psycopg.connect(address, autocommit=True) as session:
            session.execute(lzma.decompress((HERE / "inbox-0.2.0.sql.xz").read_bytes()))
        yield closing_after(PostgresDatabase, address)


def closing_after(engine: Callable[..., Database], target: Path | str) -> Opening:
    @contextmanager
    def opened(**options: Any) -> Iterator[Database]:
        database = engine(target, **options)
        try:
            yield database
        finally:
            database.close()

    return opened


def slugs(connection: Connection) -> list[str]:
    return [row["slug"] for row in connection.rows("SELECT slug FROM account ORDER BY id")]


def shape(connection: Connection) -> tuple[set[Any], dict[str, str]]:
    """All tables with their columns, and the definitions of the indexes by name."""
    if connection.dialect == "sqlite":
        columns = (
            'SELECT m.name AS relation, c.name, c.type, c."notnull" AS required, c.pk'
            " FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'"
        )
        indexes = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql > ''"
    else:
        columns = (
            "SELECT table_name AS relation, column_name AS name, data_type AS type,"
            " is_nullable AS required, collation_name"
            " FROM information_schema.columns WHERE table_schema = 'public'"
        )
        indexes = (
            "SELECT indexname AS name, indexdef AS sql FROM pg_indexes WHERE schemaname = 'public'"
        )
    return (
        {tuple(row.values()) for row in connection.rows(columns)},
        {row["name"]: " ".join(row["sql"].split()) for row in connection.rows(indexes)},
    )


def test_a_database_of_a_release_becomes_what_a_new_one_is(released: Opening, opening: Opening):
    with (
        pytest.raises(UnusableFile, match=r"older frontdesk \(schema \d+, now .*db upgrade"),
        released(),
    ):
        pass
    with released(upgrade=True) as database:
        message_search.build(database, lambda more: None)
        assert database.read(lambda connection: [*differences(connection, 1)]) == []
        upgraded = database.read(shape)
    with released() as database, opening(create=True) as new:
        assert database.read(shape) == upgraded == new.read(shape)


def test_what_0_2_0_stored_is_read_and_continued(released: Opening):
    with released(upgrade=True) as database:
        message_search.build(database, lambda more: None)
        database.write(message_search.check_index)
        assert [found(database, word) for word in ("xylophone", "number", "20 eur")] == [1, 1, 1]
        wrote = MessageUpsert(
            CHANNEL, Person("+34600000002"), "later", NOW + 1, False, Author("contact"), "text",
            "webhook", text="Is the xylophone there?",
        )  # fmt: skip
        database.write(lambda connection: apply_events(connection, 1, [wrote], now=NOW + 9))
        assert database.read(lambda connection: [*differences(connection, 1)]) == []


def test_who_was_stored_twice_for_the_forms_of_a_number_is_one_after_an_upgrade(released: Opening):
    with released(upgrade=True) as database:
        assert merge_doubles(database, now=NOW) == 1
        assert database.read(two_forms) == [
            ("+5215512345678", "5215512345678", 1, 3),
            ("+5491123456789", "5491123456789", 1, 2),
        ]
        assert database.read(lambda connection: [*differences(connection, 1)]) == []


def two_forms(connection: Connection) -> list[tuple[str, str, int, int]]:
    """Number, id, conversations and messages of customers of Argentina and Mexico."""
    rows = connection.rows(
        """
        SELECT p.phone, p.wa_id, COUNT(DISTINCT c.id) AS conversations, COUNT(*) AS messages
        FROM contact AS p JOIN conversation AS c ON c.contact_id = p.id
        JOIN message AS m ON m.conversation_id = c.id
        WHERE p.phone LIKE '+5%' GROUP BY p.phone, p.wa_id ORDER BY p.phone
        """
    )
    return [tuple(row.values()) for row in rows]


def test_an_answer_in_the_second_of_its_question_is_after_it_once_upgraded(opening: Opening):
    said = MessageUpsert(
        CHANNEL, Person("+34600000009"), "z", NOW, False, Author("contact"), "text", "webhook",
        text="Is the harbour open?",
    )  # fmt: skip
    answer = replace(said, wamid="a", outbound=True, author=Author("user"), text="Until nine.")
    later = replace(said, wamid="m", person=Person("+34600000008"), live=False)
    with opening(create=True, schema=Schema(13)) as database:
        before = database.read(shape)
        events = [answer, said, later, replace(later, wamid="b")]
        database.write(lambda c: apply_events(c, 1, events, now=NOW, initial_status="resolved"))
        database.write(make_layout_13)
        assert database.read(waiting) == [("+34600000008", None), ("+34600000009", NOW)]
    with opening(upgrade=True) as database:
        message_search.build(database, lambda more: None)
        assert database.read(shape) == before
        assert fold_reordered(database, now=NOW + 5) == 2
        assert database.read(waiting) == [("+34600000008", None), ("+34600000009", None)]
        thread = database.read(lambda c: thread_page(c, 1, "message", 1, None, 9))
        assert [row["wamid"] for row in thread] == ["a", "z"]
        assert database.read(lambda c: [*differences(c, 1)]) == []
        assert fold_reordered(database, now=NOW + 6) == 0
        assert len(database.read(changes.mark)) == 8
        folded = database.read(lambda c: changes.changes(c, 1, ChangePosition(0), 9))
        assert sorted(row["conversation_id"] for row in folded) == [1, 2]


def test_what_was_folded_otherwise_is_found_like_new_words_once_upgraded(opening: Opening):
    person = Person("+34600000007")
    events = [
        UserUpsert("o", "Işık O’Neil", NOW),
        ContactUpsert(
            person, NOW, "Işık O’Neil", IMPORTED_NAME, custom_fields={"town": "Bağcılar"}
        ),
        MessageUpsert(
            CHANNEL, person, "w", NOW, False, Author("contact"), "text", "webhook",
            text="I can’t see the ışık",
        ),
    ]  # fmt: skip
    with opening(create=True, schema=Schema(13)) as database:
        database.write(lambda c: apply_events(c, 1, events, now=NOW))
        before = database.read(folded_texts)
        database.write(make_layout_13)
        database.write(unfold)
        assert database.read(folded_texts) != before
    with opening(upgrade=True) as database:
        message_search.build(database, lambda more: None)
        database.write(message_search.check_index)
        assert database.read(folded_texts) == before
        assert database.read(lambda c: [*differences(c, 1)]) == []
        assert [found(database, word) for word in ("can't", "can’t", "isik")] == [1, 1, 1]


FOLDED = (
    *(("contact", "name_key"), ("contact", "search"), ("app_user", "name_key")),
    *(("contact_field", "value"), ("message_text", "text")),
)


def folded_texts(connection: Connection) -> list[str]:
    return [
        row["text"]
        for table, column in FOLDED
        for row in connection.rows(f"SELECT {column} AS text FROM {table}")
    ]


def unfold(connection: Connection) -> None:
    """Give the stored texts the apostrophes and the dotless letters that were once left in them."""
    letters = {"apostrophe": "'", "curly": "’", "dotted": "isik", "dotless": "ısık"}
    towns = {"here": "bagcilar", "there": "bagcılar"}
    for table, column in FOLDED:
        replaced = f"replace(replace({column}, :apostrophe, :curly), :dotted, :dotless)"
        connection.run(
            f"UPDATE {table} SET {column} = replace({replaced}, :here, :there)",
            {**letters, **towns},
        )
    if connection.dialect == "sqlite":
        for index in ("contact_words", "message_words"):
            connection.run(f"INSERT INTO {index}({index}) VALUES ('rebuild')")


def make_layout_13(connection: Connection) -> None:
    """Give the messages the key of layout 13, which put the question after its answer."""
    key = "account_id, conversation_id, created_at, id"
    if connection.dialect == "postgresql":
        connection.run(f"ALTER TABLE message DROP CONSTRAINT message_pkey, ADD PRIMARY KEY({key})")
    else:
        definitions = [
            row["sql"]
            for row in connection.rows(
                "SELECT sql FROM sqlite_master WHERE tbl_name = 'message' AND sql > ''"
            )
        ]
        connection.run("CREATE TABLE copy AS SELECT * FROM message")
        connection.run("DROP TABLE message")
        for sql in definitions:
            connection.run(sql.replace("created_at, direction, id)", "created_at, id)"))
        connection.run("INSERT INTO message SELECT * FROM copy")
        connection.run("DROP TABLE copy")
    connection.run("DROP INDEX media_text_due")
    for column in ("text", "text_state", "text_by", "text_at", "text_language"):
        connection.run(f"ALTER TABLE media DROP COLUMN {column}")
    connection.run("DROP INDEX message_text_files")
    connection.run("ALTER TABLE message_text DROP COLUMN part")
    connection.run("DROP INDEX message_template")
    connection.run("DROP INDEX message_contents")
    connection.run("DROP TABLE change")
    connection.run("DELETE FROM meta WHERE name = 'mark'")
    connection.run(
        "UPDATE conversation SET waiting_since = :now, unanswered_since = :now WHERE id = 1",
        {"now": NOW},
    )


def waiting(connection: Connection) -> list[tuple[str, int | None]]:
    rows = connection.rows(
        """
        SELECT p.phone, c.waiting_since FROM conversation AS c
        JOIN contact AS p ON p.account_id = c.account_id AND p.id = c.contact_id ORDER BY p.phone
        """
    )
    return [(row["phone"], row["waiting_since"]) for row in rows]


def found(database: Database, word: str) -> int | None:
    """How many conversations have a word."""
    everything = ConversationSelection(states_of(range(3)))
    terms = Terms.of(word)
    return database.read(
        lambda c: message_search.match_page(c, 1, everything, terms, None, 9).total
    )


@pytest.mark.parametrize("version", [1, 2, 11])
@pytest.mark.parametrize("options", [{}, {"upgrade": True}])
def test_a_database_of_no_release_is_refused_with_what_to_do(
    opening: Opening, version: int, options: dict[str, bool]
):
    with opening(create=True, schema=Schema(version)) as database:
        before = database.read(shape)
    with pytest.raises(UnusableFile) as refused, opening(**options):
        pass
    words = str(refused.value)
    assert f"was made by a development version of frontdesk (schema {version})" in words
    assert "`frontdesk export events`" in words
    assert "`frontdesk import events`" in words
    with opening(schema=Schema(version)) as database:
        assert database.read(shape) == before


def rename(connection: Connection) -> None:
    """An upgrade: what version 0 called "default" is "first" from then on."""
    connection.run("CREATE TABLE addition(id BIGINT)")
    connection.run("UPDATE account SET slug = 'first'")


def fail(connection: Connection) -> None:
    connection.run("UPDATE account SET slug = 'second'")
    raise ZeroDivisionError


OLD = Schema(version=0)
NEW = Schema(version=5, upgrades={0: rename})


@pytest.fixture
def old(opening: Opening) -> Opening:
    """A database of a made-up version 0."""
    with opening(create=True, schema=OLD):
        pass
    return opening


@pytest.mark.parametrize("how", ["create", "upgrade"])
def test_a_writing_command_upgrades_an_older_database(old: Opening, how: str):
    with old(schema=NEW, **{how: True}) as database:
        assert database.read(slugs) == ["first"]
    with old(schema=NEW) as database:
        assert database.read(slugs) == ["first"]
        assert database.read(lambda c: c.rows("SELECT id FROM addition")) == []


def test_a_reading_command_refuses_it_and_says_what_to_run(old: Opening):
    with pytest.raises(UnusableFile) as refused, old(schema=NEW):
        pass
    assert "made by an older frontdesk (schema 0, now 5)" in str(refused.value)
    assert "`frontdesk db upgrade --database " in str(refused.value)
    with old(schema=OLD) as database:
        assert database.read(slugs) == ["default"]


def test_an_upgrade_that_fails_leaves_the_old_database(old: Opening):
    broken = Schema(version=2, upgrades={0: fail})
    with pytest.raises(ZeroDivisionError), old(upgrade=True, schema=broken):
        pass
    with old(schema=OLD) as database:
        assert database.read(slugs) == ["default"]
    with old(upgrade=True, schema=NEW) as database:
        assert database.read(slugs) == ["first"]


@pytest.mark.parametrize("options", [{}, {"upgrade": True}, {"create": True}])
def test_a_newer_database_is_refused(opening: Opening, options: dict[str, bool]):
    newer = Schema(version=SCHEMA_VERSION + 1)
    with opening(create=True, schema=newer):
        pass
    with pytest.raises(UnusableFile, match="newer frontdesk"), opening(**options):
        pass
    with opening(schema=newer) as database:
        assert database.read(slugs) == ["default"]
