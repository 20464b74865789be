"""PostgreSQL: setup, upgrades, and error messages without secrets."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.ingest.event_helpers import apply, inbound
from tests.patience import HANG_SECONDS
from tests.stores import PostgresServer

from frontdesk.errors import BadSettings, InboxError, Unreachable, UnusableFile
from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import Person
from frontdesk.store import message_search, raw_events
from frontdesk.store import postgres as engine
from frontdesk.store.connect import open_database
from frontdesk.store.contacts import contact_page
from frontdesk.store.conversations import (
    ORDERS,
    ConversationSelection,
    IndexRanges,
    conversation_page,
    states_of,
)
from frontdesk.store.database import Connection, Row
from frontdesk.store.dsn import checked, short_name, without_password
from frontdesk.store.postgres import PostgresDatabase
from frontdesk.store.raw_events import APPLIED, ReceivedBody, keep

pytestmark = pytest.mark.postgres


@pytest.fixture
def address(postgres: PostgresServer) -> Iterator[str]:
    """An empty database on the server."""
    with postgres.database() as address:
        yield address


@pytest.fixture
def database(address: str) -> Iterator[PostgresDatabase]:
    database = PostgresDatabase(address, create=True)
    yield database
    database.close()


def run(address: str, *statements: str) -> None:
    with psycopg.connect(address, autocommit=True) as session:
        for statement in statements:
            session.execute(statement.encode())


def names(connection: Connection) -> list[str]:
    return [row["name"] for row in connection.rows("SELECT name FROM account ORDER BY id")]


def named(name: str) -> Callable[[Connection], object]:
    return lambda connection: connection.run("UPDATE account SET name = :name", {"name": name})


def test_a_read_is_planned_for_its_values_however_often_it_is_made(
    database: PostgresDatabase,
) -> None:
    def read(connection: Connection) -> Row | None:
        for number in range(15):
            connection.rows("SELECT id FROM label WHERE id = :id", {"id": number})
        return connection.row(
            "SELECT CAST(SUM(generic_plans) AS BIGINT) AS any, CAST(SUM(custom_plans) AS BIGINT)"
            " AS own FROM pg_prepared_statements WHERE statement LIKE '%label%'"
        )

    plans = database.read(read)
    assert plans is not None
    assert (plans["any"], plans["own"] > 5) == (0, True)


def test_data_persists_when_the_database_is_reopened(
    database: PostgresDatabase, address: str
) -> None:
    database.write(named("Front"))
    again = open_database(address)
    assert again.read(names) == ["Front"]
    again.close()


def test_an_empty_database_is_laid_out_only_when_asked_to(address: str) -> None:
    with pytest.raises(UnusableFile, match="no inbox"):
        PostgresDatabase(address)
    with pytest.raises(UnusableFile, match="no inbox"):
        PostgresDatabase(address, upgrade=True)
    PostgresDatabase(address, create=True).close()
    PostgresDatabase(address).close()


def test_a_database_of_another_program_is_refused_and_untouched(address: str) -> None:
    run(address, "CREATE TABLE meta(theirs INT)")
    for options in ({}, {"create": True}):
        with pytest.raises(UnusableFile, match="not a frontdesk database"):
            PostgresDatabase(address, **options)
    with psycopg.connect(address) as session:
        tables = session.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace::regnamespace::text"
            " = 'public'"
        ).fetchall()
    assert tables == [("meta",)]


def test_a_database_is_laid_out_once_however_many_begin(address: str) -> None:
    opened: list[PostgresDatabase] = []
    threads = [
        threading.Thread(target=lambda: opened.append(PostgresDatabase(address, create=True)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [database.read(names) for database in opened] == [["Inbox"]] * 4
    for database in opened:
        database.close()


def test_without_extensions_all_but_the_search_works_and_it_says_what_to_run(address: str) -> None:
    role = "frontdesk_test_plain"
    run(
        address,
        f"DROP ROLE IF EXISTS {role}",
        f"CREATE ROLE {role} LOGIN PASSWORD 'plain'",
        f"GRANT CREATE ON SCHEMA public TO {role}",
    )
    plain = f"{address}&user={role}&password=plain".replace("user=postgres&", "")
    try:
        with closing(PostgresDatabase(plain, create=True)) as database:
            apply(database, inbound(1, person=Person(phone="+16505551234"), text="hello there"))
            lack = database.read(message_search.lack)
            message_search.build(database, lambda more: None)
            assert database.read(message_search.lack) == lack
            assert database.read(lambda c: contact_page(c, 1, ["5551234"], None, 5)) != []
        assert lack is not None
        orders = "CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin;"
        assert f"an administrator has to run `{orders}` in the database" in lack
        run(address, *filter(None, orders.split(";")))
        with closing(PostgresDatabase(plain)) as database:
            message_search.build(database, lambda more: None)
            assert database.read(message_search.lack) is None
            assert database.read(lambda c: [*differences(c, 1)]) == []
            names = {row["indexname"] for row in database.read(indexes)}
        assert {"contact_search", "contact_behind", "message_text_words"} <= names
    finally:
        run(address, f"DROP OWNED BY {role}", f"DROP ROLE {role}")


def indexes(connection: Connection) -> list[Row]:
    return connection.rows("SELECT indexname FROM pg_indexes")


def test_reading_work_cannot_write(database: PostgresDatabase) -> None:
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        database.read(named("x"))
    assert database.read(names) == ["Inbox"]


def test_writers_that_wait_for_each_other_in_a_circle_both_get_through(
    database: PostgresDatabase,
) -> None:
    database.write(lambda c: c.run("INSERT INTO meta(name, value) VALUES ('a', ''), ('b', '')"))
    meeting = threading.Barrier(2, timeout=HANG_SECONDS)
    tries = {"ab": 0, "ba": 0}

    def write(order: str) -> None:
        def work(connection: Connection) -> None:
            tries[order] += 1
            for name in order:
                connection.run(
                    "UPDATE meta SET value = value || :who WHERE name = :name",
                    {"who": order[0], "name": name},
                )
                if tries[order] == 1 and name == order[0]:
                    # Both hold one row before either asks for the other's.
                    meeting.wait()

        database.write(work)

    threads = [threading.Thread(target=write, args=(order,)) for order in tries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(tries.values()) == [1, 2]
    rows = database.read(lambda c: c.rows("SELECT value FROM meta WHERE name IN ('a', 'b')"))
    assert {"".join(sorted(row["value"])) for row in rows} == {"ab"}


def test_a_conflict_that_lasts_is_an_error_after_some_tries(
    database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "PAUSE_SECONDS", 0.0)
    tries = []

    def work(connection: Connection) -> None:
        tries.append(connection)
        connection.run("DO $$ BEGIN RAISE serialization_failure; END $$")

    with pytest.raises(Unreachable) as refused:
        database.write(work)
    assert refused.value.retry_after == 1
    assert len(tries) == engine.TRIES


def test_a_row_that_is_there_twice_is_a_mistake_and_reported_as_one(
    database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "PAUSE_SECONDS", 0.0)
    with pytest.raises(psycopg.errors.UniqueViolation):
        database.write(
            lambda c: c.run("INSERT INTO meta(name, value) SELECT name, value FROM meta")
        )


def test_who_gets_no_connection_is_asked_to_retry(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "READERS", 1)
    monkeypatch.setattr(engine, "WAIT_SECONDS", 1.0)
    database = PostgresDatabase(address, create=True)

    def work(connection: Connection) -> None:
        with pytest.raises(Unreachable) as refused:
            database.read(names)
        assert refused.value.retry_after == 1

    database.read(work)
    assert database.read(names) == ["Inbox"]
    database.close()


def test_connections_that_were_cut_are_replaced(database: PostgresDatabase, address: str) -> None:
    database.write(named("Front"))
    assert database.read(names) == ["Front"]
    run(
        address,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    assert database.read(names) == ["Front"]
    database.write(named("Desk"))
    assert database.read(names) == ["Desk"]


def test_a_read_that_is_cut_is_done_again(database: PostgresDatabase, address: str) -> None:
    cut = [
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND state = 'idle in transaction'"
    ]

    def work(connection: Connection) -> list[str]:
        found = names(connection)
        if cut:
            run(address, cut.pop())
        return names(connection) + found

    assert database.read(work) == ["Inbox", "Inbox"]


def test_a_server_that_only_reads_says_so(database: PostgresDatabase, address: str) -> None:
    name = conninfo_to_dict(address)["dbname"]
    run(address, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    following = PostgresDatabase(address)
    assert following.read(names) == ["Inbox"]
    with pytest.raises(Unreachable, match="takes no writes now"):
        following.write(named("x"))
    following.close()


def test_a_nul_is_kept_as_the_sign_that_stands_for_it(database: PostgresDatabase) -> None:
    database.write(named("a\0b"))
    assert database.read(names) == ["a\ufffdb"]


def test_the_filter_table_is_vacuumed_early(database: PostgresDatabase) -> None:
    row = database.read(lambda c: c.row("SELECT reloptions FROM pg_class WHERE relname = 'entry'"))
    assert row is not None
    assert "autovacuum_vacuum_scale_factor=0.02" in row["reloptions"]


@pytest.mark.parametrize("after", [None, (9, 9)])
@pytest.mark.parametrize(
    "selection",
    [
        ConversationSelection(states_of((0, 1, 2))),
        ConversationSelection(states_of((0,)), 3, 1),
        ConversationSelection(states_of((0, 2), assigned=True), 0, None, 7),
        ConversationSelection(states_of((0, 1), assigned=True), 0, 1, 7),
    ],
)
def test_a_page_of_conversations_merges_index_ranges(
    database: PostgresDatabase,
    selection: ConversationSelection,
    after: tuple[int, int] | None,
) -> None:
    plan = database.read(lambda connection: explained(connection, selection, after))
    arms = [step for step in plan if " on entry" in step]
    assert len(arms) == len(selection.states)
    assert all("Index Only Scan Backward using entry_" in step for step in arms)
    assert not [step for step in plan if "Sort" in step and "Sort Key" not in step]
    conditions = [step for step in plan if "state = " in step]
    assert len(conditions) == len(arms)
    assert all(("last_activity_at" in step) == (after is not None) for step in conditions)


def explained(
    connection: Connection, selection: ConversationSelection, after: tuple[int, int] | None
) -> list[str]:
    """The plan of a page; few rows must not make it look at all of them."""
    for way in ("seqscan", "bitmapscan"):
        connection.run(f"SET LOCAL enable_{way} TO off")

    class Explaining:
        dialect = connection.dialect

        def rows(self, sql: str, parameters: Mapping[str, object]) -> list[Row]:
            steps = connection.rows(f"EXPLAIN (COSTS OFF) {sql}", parameters)
            self.plan = [step["QUERY PLAN"] for step in steps]
            return []

    explaining = Explaining()
    conversation_page(explaining, 1, selection, after, 26)  # type: ignore[arg-type]
    return explaining.plan


def test_most_of_those_that_do_not_wait_are_expected_on_a_later_page(
    database: PostgresDatabase,
) -> None:
    """Else all of them are read and sorted to find as many as a page looks at."""
    selection = ConversationSelection(states_of(range(3)), sort="waiting", began_at=1)
    order = ORDERS["waiting"][1].continued()
    listed = IndexRanges("postgresql", 1, selection, order).unsorted()

    def fill(connection: Connection) -> None:
        connection.run(
            "INSERT INTO entry(account_id, conversation_id, label_id, state, assignee_id,"
            " channel_id, last_activity_at) SELECT 1, n, 0, 4, 0, 1, n"
            " FROM generate_series(1, 1000) AS n"
        )
        connection.run("ANALYZE entry")

    database.write(fill)
    explain = f"EXPLAIN (FORMAT JSON) {listed.text}"
    plan = database.read(lambda connection: connection.row(explain, listed.parameters))
    assert plan is not None
    assert plan["QUERY PLAN"][0]["Plan"]["Plan Rows"] > 900


def test_a_waiting_body_is_found_by_its_digest_however_many_wait(database: PostgresDatabase):
    # Nothing has counted the rows, as while they arrive.
    def fill(connection: Connection) -> None:
        for number in range(3_000):
            keep(connection, ReceivedBody(1, b"%d" % number, number))

    database.write(fill)
    plans: list[list[str]] = []

    class Explaining:
        def __init__(self, connection: Connection) -> None:
            self._connection = connection

        def run(self, sql: str, parameters: Mapping[str, object]) -> int:
            steps = self._connection.rows(f"EXPLAIN (COSTS OFF) {sql}", parameters)
            plans.append([step["QUERY PLAN"] for step in steps])
            return 1

    def ask(connection: Connection) -> None:
        digest, explaining = ReceivedBody(1, b"7", 0).digest, Explaining(connection)
        raw_events.advance(explaining, 1, digest, 0, 1, size=1)  # type: ignore[arg-type]
        raw_events.set_final_state(explaining, 1, digest, APPLIED, done=1)  # type: ignore[arg-type]
        raw_events.pass_over(explaining, 1, digest, "{}")  # type: ignore[arg-type]

    database.write(ask)
    assert len(plans) == 3
    assert all("raw_event_pkey" in "".join(plan) for plan in plans), plans


SECRET = "s3cret"
ADDRESSES = [
    f"postgresql://ana:{SECRET}@127.0.0.1:1/inbox",
    f"postgresql://ana:{SECRET}@127.0.0.1:1,127.0.0.1:2/inbox?target_session_attrs=prefer-standby",
    f"postgres://127.0.0.1:1/inbox?user=ana&password={SECRET}",
    f"postgresql://ana:{SECRET}@127.0.0.1:port/inbox",
    f"postgresql://ana:{SECRET}@127.0.0.1:1/inbox?nonsense=1",
    f"postgresql://ana:{SECRET}@127.0.0.1:1/inbox?sslmode=perhaps",
    f"postgresql://ana:x@{SECRET}@127.0.0.1:1/inbox",
    f"postgresql://ana:x/{SECRET}@127.0.0.1:1/inbox",
    f"postgresql://ana:{SECRET}%zz@127.0.0.1:1/inbox",
    f"postgresql://ana:{SECRET}@[::1/inbox",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_error_contains_the_password(address: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(InboxError) as refused:
        open_database(address, create=True)
    assert isinstance(refused.value, Unreachable | BadSettings)
    assert SECRET not in str(refused.value)
    assert SECRET not in without_password(address)
    assert SECRET not in short_name(address)
    assert SECRET not in caplog.text


def test_an_address_is_shown_with_all_but_the_password() -> None:
    address = "postgresql://ana:x%40y@db.example.com:5432/inbox?sslmode=require&password=z&host=a"
    assert checked(address) == address
    assert without_password(address) == (
        "postgresql://ana:***@db.example.com:5432/inbox?sslmode=require&password=***&host=a"
    )
    assert short_name(address) == "inbox"
    assert without_password("postgresql:///inbox?host=/run") == "postgresql:///inbox?host=/run"
    assert without_password("some/inbox.db") == "some/inbox.db"
    assert short_name("some/inbox.db") == "inbox"
