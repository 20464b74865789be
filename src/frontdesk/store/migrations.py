"""Schema creation and migrations, each inside one write transaction."""

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from frontdesk.errors import OlderDatabase, UnusableFile
from frontdesk.store import changes, contact_fields, message_search, reordered, trigrams, writes
from frontdesk.store.accounts import DEFAULT_ACCOUNT
from frontdesk.store.contacts import name_key
from frontdesk.store.database import SCHEMA_VERSION, Connection, Dialect
from frontdesk.store.rows import statements, table_of
from frontdesk.text.clean import FOLDED_APART
from frontdesk.text.phones import phone_forms
from frontdesk.wire.values import epoch_milliseconds

_NAMED = ("channel", "app_user", "team")


def fold_again(connection: Connection) -> None:
    """Fold names, search texts and custom fields, and let the index of messages be built anew."""
    for account in connection.rows("SELECT id FROM account"):
        account_id = account["id"]
        for table in _NAMED:
            _fold_names(connection, account_id, table)
        _fold_contacts(connection, account_id)
        contact_fields.fill_again(connection, account_id)
    message_search.build_again(connection)


def _fold_names(connection: Connection, account_id: int, table: str) -> None:
    rows = connection.rows(
        f"SELECT id, name, name_key FROM {table} WHERE account_id = :account",
        {"account": account_id},
    )
    connection.run_many(
        f"UPDATE {table} SET name_key = :key WHERE account_id = :account AND id = :id",
        [
            {"account": account_id, "id": row["id"], "key": key}
            for row in rows
            if (key := name_key(row["name"])) != row["name_key"]
        ],
    )


def _fold_contacts(connection: Connection, account_id: int) -> None:
    marks = {f"letter{number}": f"%{letter}%" for number, letter in enumerate(FOLDED_APART)}
    columns = ("name", "profile_name", "username", "email")
    likes = " OR ".join(f"{column} LIKE :{mark}" for column in columns for mark in marks)
    rows = connection.rows(
        f"SELECT * FROM contact WHERE account_id = :account AND ({likes})",
        {"account": account_id, **marks},
    )
    contacts: Any = [{**row, "name_key": name_key(row["name"] or "")} for row in rows]
    writes.save_contacts(connection, account_id, contacts)


def _upgrade_0_2_0(connection: Connection) -> None:
    """Migrate the tables of frontdesk 0.2.0."""
    _drop_assumed_wa_ids(connection)
    _add_columns(connection)
    message_search.rekey(connection)
    _create(connection, "INDEX note_time")
    _add_media(connection)
    _create(connection, "INDEX message_referral")
    _add_filters(connection)
    if connection.dialect == "postgresql":
        message_search.add_parts(connection)
    _upgrade_messages(connection)


def _upgrade_layout_13(connection: Connection) -> None:
    """Migrate the tables of layout 13."""
    _add_columns(connection)
    _create(connection, "INDEX media_text_due")
    message_search.add_parts(connection)
    _upgrade_messages(connection)


def _upgrade_messages(connection: Connection) -> None:
    _order_threads(connection)
    _create(connection, "INDEX message_(template|contents)")
    _create(connection, "TABLE change")
    _create(connection, "INDEX change_revision")
    changes.renew_mark(connection)
    fold_again(connection)


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
    _create(connection, r"(UNIQUE )?INDEX media_(message|pending|digest|age|text_due)")


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


_TABLE = re.compile(r"CREATE TABLE (\w+)\((.*)\)", re.DOTALL)
_COLUMN = re.compile(r"(\w+) ((?:BIGINT|SMALLINT|TEXT|BLOB|BYTEA)\b[^,)]*)")
_COLUMNS_OF: Mapping[Dialect, str] = MappingProxyType(
    {
        "sqlite": "SELECT name FROM pragma_table_info(:table)",
        "postgresql": "SELECT column_name AS name FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND table_name = :table",
    }
)


def _add_columns(connection: Connection) -> None:
    """Add the columns of the schema that tables lack."""
    for statement in statements(connection.dialect):
        for table, definitions in _TABLE.findall(statement):
            rows = connection.rows(_COLUMNS_OF[connection.dialect], {"table": table})
            present = {row["name"] for row in rows}
            for column, definition in _COLUMN.findall(definitions):
                if present and column not in present:
                    connection.run(f"ALTER TABLE {table} ADD COLUMN {column} {definition}")


def _create(connection: Connection, names: str) -> None:
    """Run the statements of the schema that create a table or index whose name matches."""
    for statement in statements(connection.dialect):
        if re.search(rf"CREATE {names}\b", statement):
            connection.run(statement)


# Migrations by the version that they start from; 12 is that of frontdesk 0.2.0, 13 that of versions
# in development after it.
UPGRADES: Mapping[int, Callable[[Connection], None]] = MappingProxyType(
    {12: _upgrade_0_2_0, 13: _upgrade_layout_13}
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
    changes.renew_mark(connection)
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
