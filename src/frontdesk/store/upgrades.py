"""Schema migrations, each run inside one write transaction."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from frontdesk.store.database import Connection


def _add_pricing(connection: Connection) -> None:
    """Add all pricing columns to messages (until now only the category), and pricing roll-ups."""
    postgresql = connection.dialect == "postgresql"
    text = 'TEXT COLLATE "C"' if postgresql else "TEXT"
    for column, kind in (
        ("billable", "SMALLINT"),
        ("pricing_model", text),
        ("pricing_type", text),
        ("priced_at", "BIGINT"),
    ):
        connection.run(f"ALTER TABLE message ADD COLUMN {column} {kind}")
    connection.run(
        f"""
        CREATE TABLE pricing_rollup(
          account_id BIGINT NOT NULL, grain SMALLINT NOT NULL, bucket BIGINT NOT NULL,
          channel_id BIGINT NOT NULL, author {text} NOT NULL, category {text} NOT NULL,
          type {text} NOT NULL, n BIGINT NOT NULL, billable BIGINT NOT NULL,
          PRIMARY KEY(account_id, grain, bucket, channel_id, author, category, type))
        {"" if postgresql else "WITHOUT ROWID"}
        """
    )
    # The time of the report is unknown; created_at makes any later report newer.
    connection.run(
        "UPDATE message SET priced_at = created_at WHERE category IS NOT NULL AND direction = 1"
    )
    for grain, length in ((15, 900_000), (1440, 86_400_000)):
        connection.run(
            f"""
            INSERT INTO pricing_rollup(
              account_id, grain, bucket, channel_id, author, category, type, n, billable)
            SELECT account_id, {grain}, created_at - created_at % {length}, channel_id, author,
              substr(category, 1, 64), '', COUNT(*), 0
            FROM message WHERE priced_at IS NOT NULL
            GROUP BY 1, 2, 3, 4, 5, 6
            """
        )


# Migrations by the version that they start from.
UPGRADES: Mapping[int, Callable[[Connection], None]] = MappingProxyType({1: _add_pricing})
