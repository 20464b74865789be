"""Stored keys: found by one index lookup, and revoked."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from frontdesk.store.accounts import NewKey, add_key, all_keys, end_key, find_key
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.sqlite import SQLiteDatabase

pytestmark = pytest.mark.both_engines


def kept(database: Database, key_id: str, expires_at: int | None = None) -> None:
    key = NewKey(key_id, 1, bytes(32), "last", "name", ("notes:read",), None, 0, expires_at)
    database.write(lambda connection: add_key(connection, key))


class Explained:
    """Takes statements for their plans."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.plan: list[str] = []

    def row(self, sql: str, parameters: Mapping[str, object]) -> None:
        rows = self._connection.rows(f"EXPLAIN QUERY PLAN {sql}", parameters)
        self.plan += [row["detail"] for row in rows]


def test_a_key_and_the_next_snooze_of_its_account_are_found_in_indexes(tmp_path: Path):
    def plan(connection: Connection) -> list[str]:
        explained = Explained(connection)
        find_key(explained, "x")  # type: ignore[arg-type]
        return explained.plan

    database = SQLiteDatabase(tmp_path / "inbox.db", create=True)
    steps = database.read(plan)
    database.close()
    assert steps
    assert not [step for step in steps if step.startswith("SCAN")], steps
    assert [step for step in steps if "conversation_snooze" in step], steps


@pytest.mark.parametrize(("before", "after"), [(None, 500), (400, 400), (600, 500)])
def test_a_key_is_never_ended_later_than_it_would_have_been(
    database: Database, before: int | None, after: int
):
    kept(database, "abcdefgh", before)
    database.write(lambda connection: end_key(connection, "abcdefgh", 500))
    row = database.read(lambda connection: find_key(connection, "abcdefgh"))
    assert row is not None
    assert row["expires_at"] == after


def test_a_list_of_keys_holds_no_hash(database: Database):
    kept(database, "abcdefgh")
    rows: list[Row] = database.read(lambda connection: all_keys(connection, None))
    assert [row["key_id"] for row in rows] == ["abcdefgh"]
    assert "secret_hash" not in rows[0].keys()  # noqa: SIM118
