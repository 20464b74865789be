"""Schema creation and migrations, each inside one write transaction."""

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from frontdesk.errors import UnusableFile
from frontdesk.store import message_search, rollups
from frontdesk.store.accounts import DEFAULT_ACCOUNT
from frontdesk.store.database import SCHEMA_VERSION, Connection
from frontdesk.store.rows import UNREAD_SQL, statements
from frontdesk.wire.values import epoch_milliseconds


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


def _add_waiting(connection: Connection) -> None:
    """Add to the filter table what needs a person, is unread, waits or has an open window."""
    for column in (
        "awaiting SMALLINT NOT NULL DEFAULT 0",
        "unread SMALLINT NOT NULL DEFAULT 0",
        "waiting_since BIGINT",
        "last_inbound_at BIGINT",
    ):
        connection.run(f"ALTER TABLE entry ADD COLUMN {column}")
    connection.run(
        """
        UPDATE entry SET awaiting = c.awaiting_human,
          unread = CASE WHEN c.unread_count > 0 THEN 1 ELSE 0 END,
          waiting_since = c.waiting_since, last_inbound_at = c.last_inbound_at
        FROM conversation AS c
        WHERE c.account_id = entry.account_id AND c.id = entry.conversation_id
        """
    )
    _create(connection, r"INDEX entry_(awaiting|unread|waiting|window)")


def _add_users(connection: Connection) -> None:
    """Add to metric events who replied, or was assigned at a resolution."""
    connection.run("ALTER TABLE metric_event ADD COLUMN user_id BIGINT NOT NULL DEFAULT 0")
    connection.run(
        f"""
        UPDATE metric_event SET user_id = COALESCE((
          SELECT {_WRITER} FROM message WHERE {_HUMAN_REPLIES}
          ORDER BY COALESCE(message.wamid, ''), message.id LIMIT 1), 0)
        WHERE name IN ('first_response', 'reply')
        """
    )
    postgresql = connection.dialect == "postgresql"
    key = "value_json::json ->> 'user'" if postgresql else "json_extract(value_json, '$.user')"
    connection.run(
        f"""
        UPDATE metric_event SET user_id = COALESCE((
          SELECT app_user.id FROM app_user
          WHERE app_user.account_id = metric_event.account_id AND app_user.key = (
            SELECT {key} FROM conversation_event AS event
            WHERE event.account_id = metric_event.account_id
              AND event.conversation_id = metric_event.conversation_id
              AND event.name = 'assigned' AND event.created_at <= metric_event.ended_at
              AND NOT EXISTS (
                SELECT 1 FROM conversation_event AS closing
                WHERE closing.account_id = event.account_id
                  AND closing.conversation_id = event.conversation_id
                  AND closing.created_at = metric_event.ended_at AND closing.name = 'resolved'
                  AND event.created_at = closing.created_at
                  AND (COALESCE(closing.external_id, ''), closing.id)
                    < (COALESCE(event.external_id, ''), event.id))
            ORDER BY event.created_at DESC, COALESCE(event.external_id, '') DESC, event.id DESC
            LIMIT 1)), 0)
        WHERE name = 'resolved' AND NOT EXISTS (
          SELECT 1 FROM metric_event AS bot
          WHERE bot.account_id = metric_event.account_id AND bot.name = 'bot_resolved'
            AND bot.conversation_id = metric_event.conversation_id
            AND bot.ended_at = metric_event.ended_at AND bot.started_at = metric_event.started_at)
        """
    )


def _cover_contacts(connection: Connection) -> None:
    """Add the search text to the index by name."""
    if connection.dialect == "sqlite":
        connection.run("DROP INDEX contact_order")
        _create(connection, "INDEX contact_order")


def _cover_parts(connection: Connection) -> None:
    """Add indexes that cover what roll-ups of parts leave out, and quarter hours by hour."""
    for index in ("message_time", "metric_event_time"):
        connection.run(f"DROP INDEX {index}")
    _create(connection, r"INDEX (message_time|metric_event_time|rollup_hours)")


def _add_label_rollups(connection: Connection) -> None:
    _create(connection, "TABLE label_rollup")
    for account in connection.rows("SELECT id FROM account"):
        rollups.fill_parts(connection, account["id"], "label_rollup")


def _add_daily_rollups(connection: Connection) -> None:
    """Replace roll-ups per week by those per day, and index the filter table by more filters."""
    tables = "conversation_rollup", "user_rollup", "duration_rollup", "user_duration_rollup"
    for table in tables:
        connection.run(f"DROP TABLE IF EXISTS {table}")
    _create(connection, rf"TABLE ({'|'.join(tables)})")
    for account in connection.rows("SELECT id FROM account"):
        rollups.fill_parts(connection, account["id"], *tables)
    _create(connection, "INDEX conversation_rollup_conversation")
    replaced = "entry_awaiting", "entry_unread", "conversation_unattended"
    for index in replaced:
        connection.run(f"DROP INDEX {index}")
    _create(connection, rf"INDEX ({'|'.join(replaced)}|metric_event_handoff)")
    _create(connection, r"INDEX entry_(awaiting|unread|waiting)_(channel|assignee)")


def _search_contents(connection: Connection) -> None:
    """Have `db upgrade` add files, forms and other contents to the index of messages."""
    message_search.refill(connection)


def _rename_columns(connection: Connection) -> None:
    """Name the columns of last-writer-wins times and values, and of a known status."""
    catalogue = [
        "channel",
        "app_user",
        "team",
        "label",
        "custom_field",
        "canned_response",
        "template",
    ]
    for table, old, new in (
        *((table, "told_json", "times_json") for table in catalogue),
        ("contact", "told_json", "facts_json"),
        ("conversation", "told", "status_known"),
    ):
        connection.run(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    connection.run(
        """
        UPDATE contact_part SET row_json = replace(row_json, '"told_json":', '"facts_json":')
        """
    )


def _index_behind_beginnings(connection: Connection) -> None:
    """Add a trigram index of contacts without the beginnings of names."""
    if connection.dialect == "postgresql":
        _create(connection, "INDEX contact_behind")
        # How many contacts a word has is estimated from statistics of the index.
        connection.run("ANALYZE contact")


def _unmarked_is_unread(connection: Connection) -> None:
    """Count customers who wrote, and whom nobody has read, as unread; a cell had them apart."""
    connection.run(
        f"""
        UPDATE entry SET unread = {UNREAD_SQL}
        FROM conversation AS c
        WHERE c.account_id = entry.account_id AND c.id = entry.conversation_id
          AND c.unread_count IS NULL
        """
    )
    columns = "account_id, label_id, channel_id, state, assignee_id, awaiting, unread"
    connection.run("DELETE FROM cell")
    connection.run(
        f"INSERT INTO cell({columns}, n) SELECT {columns}, COUNT(*) FROM entry GROUP BY {columns}"
    )


def _create(connection: Connection, names: str) -> None:
    """Run the statements of the schema that create a table or index whose name matches."""
    for statement in statements(connection.dialect):
        if re.search(rf"CREATE {names}\b", statement):
            connection.run(statement)


# The user who wrote a message, and the messages of persons at the end of a metric event.
_WRITER = """
    CASE WHEN message.author = 'user' AND LENGTH(message.author_id) BETWEEN 1 AND 18
      AND TRIM(message.author_id, '0123456789') = '' THEN CAST(message.author_id AS BIGINT) END
"""
_HUMAN_REPLIES = """
    message.account_id = metric_event.account_id
    AND message.conversation_id = metric_event.conversation_id
    AND message.created_at = metric_event.ended_at AND message.direction = 1
    AND message.author IN ('user', 'phone') AND message.type NOT IN ('reaction', 'system')
    AND (metric_event.name <> 'reply' OR metric_event.started_at < metric_event.ended_at
      OR EXISTS (
        SELECT 1 FROM message AS asked
        WHERE asked.account_id = message.account_id
          AND asked.conversation_id = message.conversation_id
          AND asked.created_at = message.created_at AND asked.direction = 0
          AND asked.type NOT IN ('reaction', 'system')
          AND (COALESCE(asked.wamid, ''), asked.id) < (COALESCE(message.wamid, ''), message.id)))
"""

# Migrations by the version that they start from.
UPGRADES: Mapping[int, Callable[[Connection], None]] = MappingProxyType(
    {
        1: _add_pricing,
        2: _add_waiting,
        3: _add_users,
        4: _cover_contacts,
        5: _cover_parts,
        6: _add_label_rollups,
        7: _add_daily_rollups,
        8: _search_contents,
        9: _rename_columns,
        10: _index_behind_beginnings,
        11: _unmarked_is_unread,
    }
)


@dataclass(frozen=True, slots=True)
class Schema:
    """Schema version of the program, and the migrations that lead to it.

    `upgrades[n]` migrates the tables from version n to n + 1; without one, n is too old.
    """

    version: int = SCHEMA_VERSION
    upgrades: Mapping[int, Callable[[Connection], None]] = field(default_factory=lambda: UPGRADES)


def create_schema(connection: Connection) -> None:
    """Create the tables in an empty database, with the default account."""
    for statement in statements(connection.dialect):
        connection.run(statement)
    connection.run(
        "INSERT INTO meta(name, value) VALUES ('cursor_secret', :secret)",
        {"secret": secrets.token_hex(32)},
    )
    connection.run(
        "INSERT INTO account(id, slug, name, created_at) VALUES (1, :slug, 'Inbox', :now)",
        {"slug": DEFAULT_ACCOUNT, "now": epoch_milliseconds()},
    )


def is_current(name: str, version: int, schema: Schema, *, upgrade: bool) -> bool:
    """Check a database's schema version; False if it must and may be upgraded.

    Raises: UnusableFile: it is newer, too old, or older and `upgrade` is not set.
    """
    if version > schema.version:
        raise UnusableFile(
            f"{name} was made by a newer frontdesk (schema {version}; "
            f"this program reads up to {schema.version})"
        )
    if any(step not in schema.upgrades for step in range(version, schema.version)):
        raise UnusableFile(f"{name} was made by a frontdesk that is too old (schema {version})")
    if version < schema.version and not upgrade:
        raise UnusableFile(
            f"{name} was made by an older frontdesk (schema {version}, now {schema.version}): "
            f"bring it up to date with `frontdesk db upgrade --database {name}`"
        )
    return version == schema.version


def bring_up_to_date(connection: Connection, version: int, schema: Schema) -> None:
    """Migrate the tables from `version` to the schema's, inside one write transaction."""
    for step in range(version, schema.version):
        schema.upgrades[step](connection)
