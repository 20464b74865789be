"""Databases of other versions: upgraded completely, refused, or unchanged."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.stores import PostgresServer

from frontdesk.errors import UnusableFile
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import (
    Author,
    ContactUpsert,
    ConversationEvent,
    IdentityChange,
    LabelUpsert,
    MessageUpsert,
    Person,
    StatusUpdate,
    TeamUpsert,
)
from frontdesk.store import message_search
from frontdesk.store.database import SCHEMA_VERSION, Connection, Database
from frontdesk.store.migrations import Schema
from frontdesk.store.postgres import PostgresDatabase
from frontdesk.store.reports import ReportSpan, priced
from frontdesk.store.sqlite import SQLiteDatabase

Opening = Callable[..., Any]
DAY = 24 * 60 * 60 * 1000


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def opening(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opening]:
    """Opens the same database again and again, as a context."""
    if request.param == "sqlite":
        yield closing_after(SQLiteDatabase, tmp_path / "inbox.db")
        return
    postgres: PostgresServer = request.getfixturevalue("postgres")
    with postgres.database() as address:
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


def rename(connection: Connection) -> None:
    """An upgrade: what version 0 called "default" is "first" from then on."""
    connection.run("CREATE TABLE addition(id BIGINT)")
    connection.run("UPDATE account SET slug = 'first'")


def fail(connection: Connection) -> None:
    connection.run("UPDATE account SET slug = 'second'")
    raise ZeroDivisionError


OLD = Schema(version=0)
NEW = Schema(version=1, upgrades={0: rename})
NEWEST = Schema(version=3, upgrades={0: rename, 1: lambda c: None, 2: lambda c: None})


CATALOGUE_TABLES = (
    *("channel", "app_user", "team", "label", "custom_field", "canned_response", "template"),
)

# What later schemas added to schemas 9, 7, 6, 5, 3, 2 and 1.
NOT_IN_9 = (
    "DROP INDEX IF EXISTS contact_behind",
    *(f"ALTER TABLE {table} RENAME COLUMN times_json TO told_json" for table in CATALOGUE_TABLES),
    "ALTER TABLE contact RENAME COLUMN facts_json TO told_json",
    "ALTER TABLE conversation RENAME COLUMN status_known TO told",
    """UPDATE contact_part SET row_json = replace(row_json, '"facts_json":', '"told_json":')""",
)
NOT_IN_7 = (
    *NOT_IN_9,
    *(f"DROP TABLE {table}" for table in ("conversation_rollup", "duration_rollup")),
    *(f"DROP TABLE {table}" for table in ("user_rollup", "user_duration_rollup")),
    *(
        f"DROP INDEX entry_{column}_{place}"
        for column in ("awaiting", "unread", "waiting")
        for place in ("channel", "assignee")
    ),
    *(
        statement
        for column, other in (("awaiting", "unread"), ("unread", "awaiting"))
        for statement in (
            f"DROP INDEX entry_{column}",
            f"CREATE INDEX entry_{column} ON entry(account_id, label_id, state, last_activity_at,"
            f" conversation_id, assignee_id, channel_id, {other}) WHERE {column} = 1",
        )
    ),
    "DROP INDEX metric_event_handoff",
    "DROP INDEX conversation_unattended",
    "CREATE INDEX conversation_unattended ON conversation(account_id, channel_id)"
    " WHERE status = 0 AND (first_reply_at IS NULL OR waiting_since IS NOT NULL)",
    "CREATE TABLE conversation_rollup(account_id BIGINT, name TEXT, bucket BIGINT,"
    " conversation_id BIGINT, user_id BIGINT, channel_id BIGINT, n BIGINT)",
    "CREATE INDEX conversation_rollup_conversation"
    " ON conversation_rollup(account_id, conversation_id)",
    "CREATE TABLE duration_rollup(account_id BIGINT, bucket BIGINT, channel_id BIGINT,"
    " user_id BIGINT, name TEXT, step SMALLINT, n BIGINT, total BIGINT)",
)
NOT_IN_6 = (*NOT_IN_7, "DROP TABLE label_rollup")
NOT_IN_5 = (
    *NOT_IN_6,
    "DROP TABLE conversation_rollup",
    "DROP TABLE duration_rollup",
    "DROP INDEX rollup_hours",
    "DROP INDEX message_time",
    "DROP INDEX metric_event_time",
    "CREATE INDEX message_time ON message(account_id, created_at)",
    "CREATE INDEX metric_event_time"
    " ON metric_event(account_id, name, ended_at, channel_id, conversation_id)",
)
NOT_IN_3 = (*NOT_IN_5, "ALTER TABLE metric_event DROP COLUMN user_id")
NOT_IN_2 = (
    *NOT_IN_3,
    *(f"DROP INDEX entry_{index}" for index in ("awaiting", "unread", "waiting", "window")),
    *(
        f"ALTER TABLE entry DROP COLUMN {column}"
        for column in ("awaiting", "unread", "waiting_since", "last_inbound_at")
    ),
)
NOT_IN_1 = (
    *NOT_IN_2,
    "DROP TABLE pricing_rollup",
    *(
        f"ALTER TABLE message DROP COLUMN {column}"
        for column in ("billable", "pricing_model", "pricing_type", "priced_at")
    ),
)


@pytest.mark.parametrize("imported_again", [False, True])
def test_categories_of_schema_1_are_counted_and_the_pricing_reported_later_replaces_them(
    opening: Opening, imported_again: bool
):
    steps = [
        StatusUpdate("101", Person("+16505551234"), wamid, at, "sent", category=category)
        for wamid, at, category in (("a", DAY, "marketing"), ("b", DAY + 1, "c" * 100))
    ]
    with opening(create=True) as database:
        database.write(lambda connection: apply_events(connection, 1, steps, now=DAY + 9))
    with opening() as database:
        for statement in NOT_IN_1:
            database.write(lambda connection, statement=statement: connection.run(statement))
        database.write(lambda connection: mark_as(connection, 1))
    with pytest.raises(UnusableFile, match="frontdesk db upgrade"), opening():
        pass
    with opening(upgrade=True) as database:
        assert database.read(lambda connection: [*differences(connection, 1)]) == []
        if imported_again:
            step = replace(steps[0], at=DAY + 5, billable=True, pricing_type="regular")
            database.write(lambda connection: apply_events(connection, 1, [step], now=DAY + 9))
        counted = database.read(
            lambda connection: priced(connection, 1, None, [ReportSpan(0, 0, 2 * DAY)])
        )
        assert {tuple(row.values())[3:] for row in counted} == {
            ("marketing", "regular", 1, 1) if imported_again else ("marketing", "", 1, 0),
            ("c" * 64, "", 1, 0),
        }
        assert database.read(lambda connection: [*differences(connection, 1)]) == []


def test_the_filter_table_of_schema_2_is_completed(opening: Opening):
    person = Person("+16505551234")
    events = [
        MessageUpsert("101", person, "a", DAY, False, Author("contact"), "text", "webhook"),
        ConversationEvent("101", person, "b", DAY + 1, "read_marker", {"until": DAY - 1}),
        ConversationEvent("101", person, "c", DAY + 2, "bot_handoff", {}),
    ]
    with opening(create=True) as database:
        database.write(lambda connection: apply_events(connection, 1, events, now=DAY + 9))
        kept = database.read(filter_table)
        assert [tuple(row.values()) for row in kept] == [(1, 1, DAY, DAY)]
        for statement in NOT_IN_2:
            database.write(lambda connection, statement=statement: connection.run(statement))
        database.write(lambda connection: mark_as(connection, 2))
    with opening(upgrade=True) as database:
        assert database.read(filter_table) == kept
        assert database.read(lambda connection: [*differences(connection, 1)]) == []


def test_a_file_of_schema_4_gets_the_indexes_of_a_new_one(tmp_path: Path):
    opening = closing_after(SQLiteDatabase, tmp_path / "inbox.db")
    with opening(create=True) as database:
        new = database.read(indexes)
        for statement in (
            *NOT_IN_5,
            "DROP INDEX contact_order",
            "CREATE INDEX contact_order ON contact(account_id, name_key, id)",
        ):
            database.write(lambda connection, statement=statement: connection.run(statement))
        assert database.read(indexes) != new
        database.write(lambda connection: mark_as(connection, 4))
    with opening(upgrade=True) as database:
        assert database.read(indexes) == new


def indexes(connection: Connection) -> dict[str, str]:
    """The definitions of a file's indexes, by name."""
    rows = connection.rows("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql > ''")
    return {row["name"]: " ".join(row["sql"].split()) for row in rows}


def test_metric_events_of_schema_3_get_their_users(opening: Opening):
    person, minute = Person("+16505551234"), 60_000
    ana, bo = "ana@example.com", "bo@example.com"

    def says(wamid: str, at: int, author: Author, *, out: bool = True) -> MessageUpsert:
        return MessageUpsert("101", person, wamid, at, out, author, "text", "webhook")

    def happens(at: int, name: str, user: str | None = None, key: str = "") -> ConversationEvent:
        value = {"user": user} if name == "assigned" else {}
        return ConversationEvent("101", person, f"{key}{name}-{at}", at, name, value)

    events = [
        says("a", DAY, Author("contact"), out=False),
        happens(DAY + 1, "assigned", ana),
        says("b", DAY + minute, Author("user", bo)),  # first response, by Bo
        says("c", DAY + 2 * minute, Author("contact"), out=False),
        says("d", DAY + 3 * minute, Author("phone")),  # reply, by nobody known
        says("e", DAY + 4 * minute, Author("contact"), out=False),
        says("f", DAY + 5 * minute, Author("user", ana)),  # reply, by Ana
        says("f2", DAY + 5 * minute, Author("contact"), out=False),
        says("f3", DAY + 5 * minute, Author("user", bo)),  # reply in the same moment, by Bo
        happens(DAY + 6 * minute, "assigned", bo, "1"),
        happens(DAY + 6 * minute, "resolved", key="2"),  # assigned to Bo just before
        happens(DAY + 6 * minute, "assigned", ana, "3"),
        says("g", DAY + 7 * minute, Author("contact"), out=False),
        says("h", DAY + 8 * minute, Author("ai_agent")),
        happens(DAY + 9 * minute, "resolved"),  # by the bot alone, although assigned to Ana
        says("i", DAY + 10 * minute, Author("contact"), out=False),
        happens(DAY + 11 * minute, "assigned"),
        happens(DAY + 12 * minute, "resolved"),  # assigned to nobody
    ]
    expected = [
        ("first_response", 1, bo),
        ("reply", 3, None),
        ("reply", 5, ana),
        ("reply", 5, bo),
        ("resolved", 6, bo),
        ("episode_opened", 7, None),
        ("bot_resolved", 9, None),
        ("resolved", 9, None),
        ("episode_opened", 10, None),
        ("resolved", 12, None),
    ]
    expected = [(name, DAY + minutes * minute, user) for name, minutes, user in expected]
    with opening(create=True) as database:
        database.write(lambda connection: apply_events(connection, 1, events, now=2 * DAY))
        assert database.read(users_of_metric_events) == expected
        kept = database.read(metric_rows)
        for statement in NOT_IN_3:
            database.write(lambda connection, statement=statement: connection.run(statement))
        database.write(lambda connection: mark_as(connection, 3))
    with opening(upgrade=True) as database:
        assert database.read(metric_rows) == kept
        assert database.read(lambda connection: [*differences(connection, 1)]) == []


@pytest.mark.parametrize(("version", "missing"), [(5, NOT_IN_5), (6, NOT_IN_6), (7, NOT_IN_7)])
def test_an_upgrade_counts_by_conversation_and_user_and_by_label(
    opening: Opening, version: int, missing: tuple[str, ...]
):
    asks = MessageUpsert(
        "101", Person("+16505551234"), "a", DAY, False, Author("contact"), "text", "webhook"
    )
    answers = [
        replace(asks, wamid=wamid, at=at, outbound=True, author=Author("user", user))
        for wamid, at, user in (("b", DAY + 9, "ana@example.com"), ("c", 9 * DAY, None))
    ]
    resolved = ConversationEvent("101", asks.person, "d", 10 * DAY, "resolved")
    labelled = ConversationEvent(
        "101", asks.person, "e", 11 * DAY, "labelled", {"title": "vip", "on": True}
    )
    with opening(create=True) as database:
        database.write(
            lambda connection: apply_events(
                connection, 1, [asks, *answers, resolved, labelled], now=99 * DAY
            )
        )
        message_search.build(database, lambda more: None)
        kept = database.read(part_rows)
        assert [len(rows) for rows in kept] == [2, 4, 2, 2, 6]
        for statement in missing:
            database.write(lambda connection, statement=statement: connection.run(statement))
        database.write(lambda connection: mark_as(connection, version))
    with opening(upgrade=True) as database:
        assert database.read(part_rows) == kept
        assert not database.read(lambda connection: message_search.is_ready(connection, 1))
        message_search.build(database, lambda more: None)
        assert database.read(lambda connection: [*differences(connection, 1)]) == []


def test_customers_of_schema_11_whom_nobody_has_read_become_unread(opening: Opening):
    asks, begins, read = (
        MessageUpsert("101", Person(phone), phone, DAY, outbound, author, "text", "webhook")
        for phone, outbound, author in (
            ("+34600000001", False, Author("contact")),
            ("+34600000002", True, Author("bot")),
            ("+34600000003", False, Author("contact")),
        )
    )
    answered = replace(read, wamid="b", at=DAY + 1, outbound=True, author=Author("user", "ana"))
    again = replace(read, wamid="c", at=DAY + 2)
    events = [asks, begins, read, answered, again]
    with opening(create=True) as database:
        database.write(lambda connection: apply_events(connection, 1, events, now=2 * DAY))
        kept = database.read(filter_table)
        assert [row["unread"] for row in kept] == [1, 0, 1]
        for statement in (
            "UPDATE entry SET unread = 0 WHERE conversation_id = 1",
            "UPDATE cell SET unread = 2 WHERE unread = 0",
            "UPDATE cell SET n = n - 1 WHERE unread = 1",
            "UPDATE cell SET n = n + 1 WHERE unread = 2",
        ):
            database.write(lambda connection, statement=statement: connection.run(statement))
        database.write(lambda connection: mark_as(connection, 11))
    with opening(upgrade=True) as database:
        assert database.read(filter_table) == kept
        assert database.read(lambda connection: [*differences(connection, 1)]) == []


def test_facts_of_schema_9_stay_by_the_names_of_their_columns(opening: Opening):
    person, number = Person("+34600000001"), Person("+34600000002")
    said = [
        MessageUpsert("101", one, wamid, DAY, False, Author("contact"), "text", "webhook")
        for one, wamid in ((person, "a"), (number, "b"))
    ]
    events = [
        *said,
        ContactUpsert(person, DAY, name="Ana"),
        IdentityChange(person, number, DAY + 1),
        *(LabelUpsert(title, DAY, color="#ff0000") for title in ("vip", "new")),
        TeamUpsert("sales", DAY, description="Sells"),
        replace(said[0], wamid="old", person=Person("+34600000003"), live=False),
    ]
    tables = (*CATALOGUE_TABLES, "contact", "contact_part", "conversation")

    def rows(connection: Connection) -> dict[str, list[dict[str, Any]]]:
        return {
            table: [
                {
                    name: json.loads(value) if name == "row_json" else value
                    for name, value in row.items()
                }
                for row in connection.rows(f"SELECT * FROM {table} ORDER BY id")
            ]
            for table in tables
        }

    with opening(create=True) as database:
        database.write(lambda connection: apply_events(connection, 1, events, now=2 * DAY))
        stored = database.read(rows)
        for statement in NOT_IN_9:
            database.write(lambda connection, statement=statement: connection.run(statement))
        assert "told_json" in database.read(rows)["contact_part"][0]["row_json"]
        database.write(lambda connection: mark_as(connection, 9))
    assert {row["status_known"] for row in stored["conversation"]} == {0, 1}
    assert all(row["times_json"] for row in (*stored["label"], *stored["team"]))
    with opening(upgrade=True) as database:
        assert database.read(rows) == stored
        again = [*events, replace(said[1], wamid="c", at=DAY + 9)]
        database.write(lambda connection: apply_events(connection, 1, again, now=3 * DAY))
        assert database.read(lambda connection: [*differences(connection, 1)]) == []


def part_rows(connection: Connection) -> list[list[dict[str, Any]]]:
    return [
        [dict(row) for row in connection.rows(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4, 5, 6")]
        for table in (
            *("conversation_rollup", "user_rollup", "duration_rollup", "user_duration_rollup"),
            "label_rollup",
        )
    ]


def metric_rows(connection: Connection) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.rows("SELECT * FROM metric_event ORDER BY id")]


def users_of_metric_events(connection: Connection) -> list[tuple[Any, ...]]:
    rows = connection.rows(
        "SELECT m.name, m.ended_at, u.key FROM metric_event m"
        " LEFT JOIN app_user u ON u.id = m.user_id ORDER BY m.ended_at, m.name, u.key"
    )
    return [tuple(row.values()) for row in rows]


def filter_table(connection: Connection) -> list[dict[str, Any]]:
    rows = connection.rows(
        "SELECT awaiting, unread, waiting_since, last_inbound_at FROM entry"
        " ORDER BY conversation_id"
    )
    return [dict(row) for row in rows]


def mark_as(connection: Connection, version: int) -> None:
    """Say that the database has a schema."""
    if connection.dialect == "sqlite":
        connection.run(f"PRAGMA user_version={version}")
    else:
        connection.run(f"UPDATE meta SET value = '{version}' WHERE name = 'schema_version'")


@pytest.fixture
def old(opening: Opening) -> Opening:
    """A database of a made-up version 0."""
    with opening(create=True, schema=OLD):
        pass
    return opening


@pytest.mark.parametrize("how", ["create", "upgrade"])
@pytest.mark.parametrize("schema", [NEW, NEWEST])
def test_a_writing_command_upgrades_an_older_database(old: Opening, how: str, schema: Schema):
    with old(schema=schema, **{how: True}) as database:
        assert database.read(slugs) == ["first"]
    with old(schema=schema) as database:
        assert database.read(slugs) == ["first"]
        assert database.read(lambda c: c.rows("SELECT id FROM addition")) == []


def test_a_reading_command_refuses_it_and_says_what_to_run(old: Opening):
    with pytest.raises(UnusableFile) as refused, old(schema=NEW):
        pass
    assert "made by an older frontdesk (schema 0, now 1)" in str(refused.value)
    assert "`frontdesk db upgrade --database " in str(refused.value)
    with old(schema=OLD) as database:
        assert database.read(slugs) == ["default"]


def test_an_upgrade_that_fails_leaves_the_old_database(old: Opening):
    broken = Schema(version=2, upgrades={0: rename, 1: fail})
    with pytest.raises(ZeroDivisionError), old(upgrade=True, schema=broken):
        pass
    with old(schema=OLD) as database:
        assert database.read(slugs) == ["default"]
    with old(upgrade=True, schema=NEW) as database:
        assert database.read(slugs) == ["first"]


def test_a_version_that_nothing_leads_from_is_refused(old: Opening):
    with (
        pytest.raises(UnusableFile, match="too old"),
        old(upgrade=True, schema=Schema(version=2, upgrades={1: rename})),
    ):
        pass


@pytest.mark.parametrize("options", [{}, {"upgrade": True}, {"create": True}])
def test_a_newer_database_is_refused(opening: Opening, options: dict[str, bool]):
    newer = Schema(version=SCHEMA_VERSION + 1)
    with opening(create=True, schema=newer):
        pass
    with pytest.raises(UnusableFile, match="newer frontdesk"), opening(**options):
        pass
    with opening(schema=newer) as database:
        assert database.read(slugs) == ["default"]
