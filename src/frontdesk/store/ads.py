"""Ads that customers came from, by their id or headline: an index of the referrals of messages."""

from collections.abc import Iterable

from frontdesk.store.database import Connection, Dialect
from frontdesk.text.clean import folded

_MEMBER: dict[Dialect, str] = {
    "sqlite": "CAST(json_extract({column}, '$.{name}') AS TEXT)",
    "postgresql": "(CAST({column} AS json) ->> '{name}')",
}


def member(dialect: Dialect, name: str, column: str = "referral_json") -> str:
    """Return an expression for a member of the referral of a message."""
    return _MEMBER[dialect].format(name=name, column=column)


# The expression of the index, of a message without an alias.
SOURCE: dict[Dialect, str] = {dialect: member(dialect, "source_id") for dialect in _MEMBER}
# SQLite would rather look through all messages of the account.
MESSAGES: dict[Dialect, str] = {
    "sqlite": "message INDEXED BY message_ad",
    "postgresql": "message",
}
# Ads whose headlines are compared.
MOST_ADS = 2_000


def ad_ids(connection: Connection, account_id: int, names: Iterable[str]) -> tuple[str, ...]:
    """Return the ids of the ads that are named by their id, or by a part of their headline."""
    known = dict(_headlines(connection, account_id))
    found: set[str] = set()
    for name in names:
        if name in known or _is_ad(connection, account_id, name):
            found.add(name)
            continue
        text = folded(name)
        found.update(id for id, headline in known.items() if text in folded(headline))
    return tuple(sorted(found))


def _headlines(connection: Connection, account_id: int) -> list[tuple[str, str]]:
    """Return id and headline of the first ads by id, found by steps over an index."""
    source, headline = SOURCE[connection.dialect], member(connection.dialect, "headline")
    messages = MESSAGES[connection.dialect]
    ours = "account_id = :account AND referral_json IS NOT NULL"
    rows = connection.rows(
        f"""
        WITH RECURSIVE ad(id) AS (
          SELECT (SELECT MIN({source}) FROM {messages} WHERE {ours} AND {source} > '')
          UNION ALL
          SELECT (SELECT MIN({source}) FROM {messages} WHERE {ours} AND {source} > ad.id)
          FROM ad WHERE ad.id IS NOT NULL)
        SELECT ad.id, (
          SELECT {headline} FROM {messages} WHERE {ours} AND {source} = ad.id LIMIT 1) AS headline
        FROM ad WHERE ad.id IS NOT NULL LIMIT {MOST_ADS}
        """,
        {"account": account_id},
    )
    return [(row["id"], row["headline"] or "") for row in rows]


def _is_ad(connection: Connection, account_id: int, id: str) -> bool:
    return (
        connection.row(
            f"SELECT 1 AS one FROM {MESSAGES[connection.dialect]} WHERE account_id = :account"
            f" AND referral_json IS NOT NULL AND {SOURCE[connection.dialect]} = :id LIMIT 1",
            {"account": account_id, "id": id},
        )
        is not None
    )
