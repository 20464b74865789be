"""The account leads every key, so that tables can be divided among machines by it."""

import pytest

from frontdesk.store.database import Connection, Database

pytestmark = pytest.mark.both_engines

# Small tables that belong to no account, or name the accounts.
REFERENCE_TABLES = {"meta", "account", "api_key", "checkpoint"}


def keys(connection: Connection) -> dict[str, list[str]]:
    """First columns of the keys and indexes of each table."""
    if connection.dialect == "sqlite":
        sql = """
            SELECT t.name AS relation, c.name AS leading
            FROM pragma_table_list AS t, pragma_index_list(t.name) AS i,
              pragma_index_info(i.name) AS c
            WHERE t.schema = 'main' AND t.type = 'table' AND c.seqno = 0
            """
    else:
        sql = """
            SELECT t.relname AS relation, a.attname AS leading FROM pg_index AS i
            JOIN pg_class AS t ON t.oid = i.indrelid
            JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
            WHERE t.relnamespace = current_schema()::text::regnamespace
            """
    leading: dict[str, list[str]] = {}
    for row in connection.rows(sql):
        leading.setdefault(row["relation"], []).append(row["leading"])
    return leading


def tables(connection: Connection) -> set[str]:
    if connection.dialect == "sqlite":
        sql = """
            SELECT name FROM pragma_table_list
            WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'
            """
    else:
        sql = "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()"
    return {row["name"] for row in connection.rows(sql)}


def test_every_table_but_four_leads_its_keys_with_the_account(database: Database) -> None:
    leading = database.read(keys)
    assert leading.keys() == database.read(tables)
    others = {table for table, columns in leading.items() if set(columns) != {"account_id"}}
    assert others == REFERENCE_TABLES
