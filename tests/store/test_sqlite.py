"""The SQLite engine: file checks, atomic transactions, readers beside a writer."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.stores import bytes_of, without_secure_delete

from frontdesk.errors import Unreachable, UnusableFile
from frontdesk.store import sqlite
from frontdesk.store.accounts import add_account
from frontdesk.store.database import SCHEMA_VERSION, WouldBlock
from frontdesk.store.sqlite import SQLiteDatabase


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "inbox.db"


@pytest.fixture
def database(path: Path) -> Iterator[SQLiteDatabase]:
    database = SQLiteDatabase(path, create=True)
    yield database
    database.close()


def add(slug: str):
    return lambda connection: add_account(connection, slug, slug, 0)


def slugs(database: SQLiteDatabase) -> list[str]:
    rows = database.read(lambda connection: connection.rows("SELECT slug FROM account ORDER BY id"))
    return [row["slug"] for row in rows]


def test_data_persists_when_the_database_is_reopened(database: SQLiteDatabase, path: Path):
    database.write(add("other"))
    database.close()
    again = SQLiteDatabase(path)
    assert slugs(again) == ["default", "other"]
    again.close()


def test_reading_work_cannot_write(database: SQLiteDatabase):
    with pytest.raises(sqlite3.OperationalError):
        database.read(add("other"))
    assert slugs(database) == ["default"]


def test_a_writer_kept_waiting_too_long_is_asked_to_retry(
    database: SQLiteDatabase, path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_SECONDS", 0.0)
    other = SQLiteDatabase(path)

    def work(connection):
        with pytest.raises(Unreachable) as refused:
            other.write(add("other"))
        assert refused.value.retry_after == 1.0

    database.write(work)
    other.close()


def counted(to: int, shown: str):
    """Counts from 1, and shows the numbers or what is made of them."""
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {to})"
    return lambda connection: connection.rows(f"{numbers} SELECT {shown} AS i FROM n")


def test_inline_reads_refuse_slow_queries_and_writes(
    database: SQLiteDatabase, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(WouldBlock):
        database.read_inline(counted(10**9, "max(i)"))
    monkeypatch.setattr(sqlite, "AT_ONCE_SECONDS", 60.0)
    assert [row["i"] for row in database.read_inline(counted(3, "i"))] == [1, 2, 3]
    with pytest.raises(sqlite3.OperationalError):
        database.read_inline(add("other"))


def test_a_statement_that_was_ended_amid_its_rows_is_prepared_once_more_and_not_each_time(
    database: SQLiteDatabase, monkeypatch: pytest.MonkeyPatch
):
    many = counted(500, "i")
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def connect_and_keep(*arguments: Any, **options: Any) -> sqlite3.Connection:
        opened.append(connect(*arguments, **options))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", connect_and_keep)
    monkeypatch.setattr(sqlite, "AT_ONCE_SECONDS", 0.0)
    with pytest.raises(WouldBlock):
        database.read_inline(many)
    monkeypatch.setattr(sqlite, "AT_ONCE_SECONDS", 60.0)
    prepared: list[object] = []

    def allow(*step: object) -> int:
        prepared.append(step)
        return sqlite3.SQLITE_OK

    opened[-1].set_authorizer(allow)
    assert len(database.read_inline(many)) == 500
    before = len(prepared)
    assert before
    for _ in range(3):
        assert len(database.read_inline(many)) == 500
    assert len(prepared) == before


def test_a_missing_file_is_made_only_when_asked_to(path: Path):
    with pytest.raises(UnusableFile, match="no database"):
        SQLiteDatabase(path)
    assert not path.exists()


@pytest.mark.parametrize("contents", [b"x", b"not a database at all" * 500, b"SQLite format 3\0"])
@pytest.mark.parametrize("create", [True, False])
def test_a_file_of_another_kind_is_refused_and_untouched(path: Path, contents: bytes, create: bool):
    path.write_bytes(contents)
    with pytest.raises(UnusableFile):
        SQLiteDatabase(path, create=create)
    assert path.read_bytes() == contents
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("create", [True, False])
def test_a_database_of_another_program_is_refused_and_untouched(path: Path, create: bool):
    foreign = sqlite3.connect(path)
    foreign.execute("CREATE TABLE theirs(x)")
    foreign.commit()
    foreign.close()
    before = path.read_bytes()
    with pytest.raises(UnusableFile, match="not a frontdesk database"):
        SQLiteDatabase(path, create=create)
    assert path.read_bytes() == before


def test_a_newer_database_is_refused_in_words(database: SQLiteDatabase, path: Path):
    database.close()
    raw = sqlite3.connect(path)
    raw.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(UnusableFile, match="newer frontdesk"):
        SQLiteDatabase(path)
    assert path.read_bytes() == before
    assert [beside.name for beside in path.parent.iterdir()] == [path.name]


def test_a_directory_is_no_database(tmp_path: Path):
    with pytest.raises(UnusableFile, match="not a file"):
        SQLiteDatabase(tmp_path, create=True)


def test_an_empty_file_is_laid_out_when_asked_to(path: Path):
    path.touch()
    with pytest.raises(UnusableFile):
        SQLiteDatabase(path)
    database = SQLiteDatabase(path, create=True)
    assert slugs(database) == ["default"]
    database.close()


def test_a_file_that_another_process_has_begun_is_laid_out_when_asked_to(path: Path):
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        with pytest.raises(UnusableFile, match="not a frontdesk database"):
            SQLiteDatabase(path)
        database = SQLiteDatabase(path, create=True)
        assert slugs(database) == ["default"]
        database.close()


def test_a_process_that_begins_a_file_waits_for_another_that_does(
    path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The other one has a lock as this one asks for the log, and has ended when it asks again."""
    connect, begun = sqlite3.connect, []
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        def connected(place: Path, *, factory: type[sqlite3.Connection], **options: Any) -> Any:
            class Meeting(factory):
                def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
                    try:
                        return super().execute(sql, *parameters)
                    finally:
                        if sql == "PRAGMA journal_mode=WAL" and not begun:
                            begun.append(sql)
                            other.execute("COMMIT")

            return connect(place, factory=Meeting, **options)

        monkeypatch.setattr(sqlite3, "connect", connected)
        database = SQLiteDatabase(path, create=True)
    assert begun
    assert slugs(database) == ["default"]
    database.close()


def test_a_deleted_row_leaves_no_bytes_in_any_build_of_sqlite(path: Path):
    with without_secure_delete():
        database = SQLiteDatabase(path, create=True)
    database.write(add("of-somebody"))
    assert database.truncate_log()
    assert b"of-somebody" in bytes_of(path)
    database.write(
        lambda connection: connection.run("DELETE FROM account WHERE slug = 'of-somebody'")
    )
    assert b"of-somebody" in bytes_of(path)
    assert database.truncate_log()
    assert b"of-somebody" not in bytes_of(path)
    database.close()


def test_the_log_is_truncated_once_nobody_reads_from_it(database: SQLiteDatabase, path: Path):
    other = SQLiteDatabase(path)
    other.read(lambda connection: connection.row("SELECT 1 AS one FROM account"))
    log = Path(f"{path}-wal")

    def write_and_truncate(connection):
        connection.row("SELECT 1 AS one FROM account")
        database.write(add("second"))
        return database.truncate_log()

    assert other.read(write_and_truncate) is False
    assert log.stat().st_size > 0
    assert database.truncate_log() is True
    assert log.stat().st_size == 0
    other.close()


def test_a_command_that_wrote_leaves_an_empty_log_beside_others_that_have_the_file_open(
    database: SQLiteDatabase, path: Path
):
    other = SQLiteDatabase(path)
    other.write(add("second"))
    other.close()
    assert Path(f"{path}-wal").stat().st_size == 0
    assert slugs(database) == ["default", "second"]


_BROKEN = {
    "zeros": lambda content: content[:4096] + bytes(len(content) - 4096),
    "cut off": lambda content: content[: len(content) // 2],
    "no header": lambda content: b"not a database  " + content[16:],
}


@pytest.mark.parametrize("breakage", _BROKEN)
def test_a_damaged_file_is_reported_with_what_to_do(path: Path, breakage: str):
    SQLiteDatabase(path, create=True).close()
    path.write_bytes(_BROKEN[breakage](path.read_bytes()))

    def use() -> None:
        database = SQLiteDatabase(path)
        try:
            tables = database.read(
                lambda one: one.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
            )
            for table in tables:
                statement = f"SELECT * FROM {table['name']}"
                database.read(lambda one, statement=statement: one.rows(statement))
        finally:
            database.close()

    with pytest.raises(UnusableFile, match=r"is damaged .*backup"):
        use()


def test_a_text_that_is_not_utf_8_is_damage(database: SQLiteDatabase):
    broken = "UPDATE account SET name = CAST(x'ff' AS TEXT)"
    database.write(lambda connection: connection.run(broken))
    with pytest.raises(UnusableFile, match="is damaged"):
        database.read(lambda connection: connection.rows("SELECT name FROM account"))
    assert "is damaged" in str(database.damage)
