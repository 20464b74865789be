"""Schema creation and migrations, each inside one write transaction."""

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from frontdesk.errors import OlderDatabase, UnusableFile
from frontdesk.store import contact_fields, message_search, reordered, rollups, trigrams
from frontdesk.store.accounts import DEFAULT_ACCOUNT
from frontdesk.store.database import SCHEMA_VERSION, Connection
from frontdesk.store.rows import UNREAD_SQL, statements, table_of
from frontdesk.text.phones import phone_forms
from frontdesk.wire.values import epoch_milliseconds


def _upgrade_0_1_0(connection: Connection) -> None:
    """Migrate the tables of frontdesk 0.1.0."""
    _rename_columns(connection)
    _add_users(connection)
    _complete_filter_table(connection)
    replaced = ["conversation_unattended", "message_time", "metric_event_time"]
    if connection.dialect == "sqlite":
        replaced.append("contact_order")
    for index in replaced:
        connection.run(f"DROP INDEX {index}")
    parts = [
        *("conversation_rollup", "user_rollup", "duration_rollup", "user_duration_rollup"),
        "label_rollup",
    ]
    _create(connection, rf"TABLE ({'|'.join(parts)})")
    for account in connection.rows("SELECT id FROM account"):
        rollups.fill_parts(connection, account["id"], *parts)
    added = [
        *("conversation_rollup_conversation", "metric_event_handoff", "rollup_hours"),
        r"entry_(awaiting|unread|waiting)(_channel|_assignee)?",
        *("entry_window", "contact_behind"),
    ]
    _create(connection, rf"INDEX ({'|'.join([*replaced, *added])})")
    if connection.dialect == "postgresql":
        # How many contacts a word has is estimated from statistics of the index.
        connection.run("ANALYZE contact")
    _upgrade_0_2_0(connection)


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


def _complete_filter_table(connection: Connection) -> None:
    """Add to the filter table, and count, what needs a person, is unread, waits or has a window.

    0.1.0 counted conversations without a read marker apart; they are unread if a customer wrote.
    """
    for column in (
        "awaiting SMALLINT NOT NULL DEFAULT 0",
        "unread SMALLINT NOT NULL DEFAULT 0",
        "waiting_since BIGINT",
        "last_inbound_at BIGINT",
    ):
        connection.run(f"ALTER TABLE entry ADD COLUMN {column}")
    connection.run(
        f"""
        UPDATE entry SET awaiting = c.awaiting_human, unread = {UNREAD_SQL},
          waiting_since = c.waiting_since, last_inbound_at = c.last_inbound_at
        FROM conversation AS c
        WHERE c.account_id = entry.account_id AND c.id = entry.conversation_id
        """
    )
    columns = "account_id, label_id, channel_id, state, assignee_id, awaiting, unread"
    connection.run("DELETE FROM cell")
    connection.run(
        f"INSERT INTO cell({columns}, n) SELECT {columns}, COUNT(*) FROM entry GROUP BY {columns}"
    )


def _upgrade_0_2_0(connection: Connection) -> None:
    """Migrate the tables of frontdesk 0.2.0."""
    _drop_assumed_wa_ids(connection)
    connection.run("ALTER TABLE contact ADD COLUMN marketing_opt_out_at BIGINT")
    message_search.rekey(connection)
    _add_expiry(connection)
    _add_media(connection)
    _create(connection, "INDEX message_referral")
    text = 'TEXT COLLATE "C"' if connection.dialect == "postgresql" else "TEXT"
    connection.run(f"ALTER TABLE account ADD COLUMN business_hours_json {text}")
    _add_filters(connection)
    _upgrade_layout_13(connection)


def _upgrade_layout_13(connection: Connection) -> None:
    """Migrate the tables of layout 13."""
    _order_threads(connection)
    _create(connection, "INDEX message_template")


def _order_threads(connection: Connection) -> None:
    """Give the table of messages the order of threads as its key, and mark what was computed of
    another."""
    if connection.dialect == "postgresql":
        connection.run(
            "ALTER TABLE message DROP CONSTRAINT message_pkey,"
            f" ADD PRIMARY KEY({', '.join(table_of('message').key)})"
        )
    else:
        columns = ", ".join(table_of("message").types)
        connection.run("ALTER TABLE message RENAME TO message_before")
        _create(connection, "TABLE message")
        connection.run(
            f"INSERT INTO message({columns}) SELECT {columns} FROM message_before"
            " ORDER BY account_id, conversation_id, created_at, direction, id"
        )
        connection.run("DROP TABLE message_before")
        _create(connection, r"(UNIQUE )?INDEX message_(wamid|time|referral|ad)")
    reordered.mark(connection)


def _add_filters(connection: Connection) -> None:
    """Add what filters by beginning, author, custom field and ad read."""
    connection.run("ALTER TABLE conversation ADD COLUMN phone_spoke_at BIGINT")
    connection.run(
        """
        UPDATE conversation SET phone_spoke_at = spoke.at FROM (
          SELECT account_id, conversation_id, MAX(created_at) AS at FROM message
          WHERE author = 'phone' AND direction = 1 AND type NOT IN ('reaction', 'system', 'call')
          GROUP BY account_id, conversation_id) AS spoke
        WHERE conversation.account_id = spoke.account_id
          AND conversation.id = spoke.conversation_id
        """
    )
    _create(connection, "TABLE contact_field")
    for account in connection.rows("SELECT id FROM account"):
        contact_fields.fill(connection, account["id"])
    _create(connection, "INDEX (contact_field_value|conversation_(created|bot|phone)|message_ad)")


def _add_media(connection: Connection) -> None:
    """Add files of messages; those of messages that are stored already were never fetched."""
    _create(connection, r"TABLE media(_garbage)?")
    _create(connection, r"(UNIQUE )?INDEX media_(message|pending|digest|age)")


def _add_expiry(connection: Connection) -> None:
    """Add for how long contents of messages are kept, and when they were removed."""
    for column in ("messages_keep_days", "expired_until"):
        connection.run(f"ALTER TABLE account ADD COLUMN {column} BIGINT")
    connection.run("ALTER TABLE message ADD COLUMN expired_at BIGINT")
    _create(connection, "INDEX note_time")


def _drop_assumed_wa_ids(connection: Connection) -> None:
    """Empty the wa_id of who never wrote, if WhatsApp may know the number by another form.

    It was made of the number as the business had written it.
    """
    assumed = connection.rows(
        """
        SELECT account_id, id, phone FROM contact
        WHERE phone > '+52' AND phone < '+56' AND phone_at = 0 AND wa_id = substr(phone, 2)
        """
    )
    connection.run_many(
        "UPDATE contact SET wa_id = NULL WHERE account_id = :account_id AND id = :id",
        [
            {"account_id": row["account_id"], "id": row["id"]}
            for row in assumed
            if len(phone_forms(row["phone"])) > 1
        ],
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

# Migrations by the version that they start from; 2 is that of frontdesk 0.1.0, 12 that of 0.2.0,
# 13 that of versions in development after it.
UPGRADES: Mapping[int, Callable[[Connection], None]] = MappingProxyType(
    {2: _upgrade_0_1_0, 12: _upgrade_0_2_0, 13: _upgrade_layout_13}
)


@dataclass(frozen=True, slots=True)
class Schema:
    """Schema version of the program, and the migrations that lead to it.

    `upgrades[n]` migrates the tables from version n to `version`. No release has the others.
    """

    version: int = SCHEMA_VERSION
    upgrades: Mapping[int, Callable[[Connection], None]] = field(default_factory=lambda: UPGRADES)


def create_schema(connection: Connection) -> None:
    """Create the tables and indexes in an empty database, with the default account."""
    for statement in statements(connection.dialect):
        if not trigrams.needs_extensions(statement):
            connection.run(statement)
    message_search.build_at_once(connection)
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

    Raises: UnusableFile: it is newer, or of no release. OlderDatabase: `upgrade` is not set.
    """
    if version > schema.version:
        raise UnusableFile(
            f"{name} was made by a newer frontdesk (schema {version}; "
            f"this program reads up to {schema.version})"
        )
    if version < schema.version and version not in schema.upgrades:
        raise UnusableFile(
            f"{name} was made by a development version of frontdesk (schema {version}): write it "
            "out with that version by `frontdesk export events`, and import the file into a new "
            "database with this one by `frontdesk import events`"
        )
    if version < schema.version and not upgrade:
        raise OlderDatabase(
            f"{name} was made by an older frontdesk (schema {version}, now {schema.version}): "
            f"bring it up to date with `frontdesk db upgrade --database {name}`"
        )
    return version == schema.version
