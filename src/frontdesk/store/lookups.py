"""Batch lookups used while ingesting, in a constant number of queries."""

import json
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, Literal

from frontdesk.store.database import Connection, Row
from frontdesk.store.rows import (
    MESSAGE_ORDER,
    RESOLVED,
    AliasRow,
    ContactRow,
    ConversationRow,
    MessageRow,
    MetricEventRow,
    NoteRow,
    PartRow,
    PendingRow,
    ReactionRow,
)

FactKind = Literal["message", "conversation_event", "metric_event"]

# Columns that state rules and reports need of each kind.
_COLUMNS_OF: Mapping[FactKind, str] = MappingProxyType(
    {
        "message": "id, created_at, direction, author, author_id, type, text, delivery_status,"
        " live, category, wamid, deleted_at,"
        " CASE WHEN type = 'call' THEN content_json END AS content_json",
        "conversation_event": "id, created_at, name, value_json, external_id",
        "metric_event": "id, name, started_at, ended_at, user_id",
    }
)
_ORDER_OF: Mapping[FactKind, str] = MappingProxyType(
    {
        "message": ", ".join(MESSAGE_ORDER),
        "conversation_event": "created_at, id",
        "metric_event": "id",
    }
)


def catalogue_row(
    connection: Connection, account_id: int, table: str, column: str, key: str | int
) -> Row | None:
    """Return the catalogue row whose `column` equals `key`."""
    return connection.row(
        f"SELECT * FROM {table} WHERE account_id=:account_id AND {column}=:key ORDER BY id",
        {"account_id": account_id, "key": key},
    )


def channels_with(connection: Connection, account_id: int, phone: str) -> list[Row]:
    """Return the channels with this number, almost always one."""
    return connection.rows(
        "SELECT phone_number_id FROM channel WHERE account_id=:account_id AND phone=:phone",
        {"account_id": account_id, "phone": phone},
    )


def team_links(connection: Connection, account_id: int, team_id: int) -> tuple[set[int], set[int]]:
    """Return the ids of a team's channels and of its members."""
    team = {"account_id": account_id, "team_id": team_id}
    channels = connection.rows(
        "SELECT channel_id FROM team_channel WHERE account_id=:account_id AND team_id=:team_id",
        team,
    )
    members = connection.rows(
        "SELECT user_id FROM team_member WHERE account_id=:account_id AND team_id=:team_id", team
    )
    return {row["channel_id"] for row in channels}, {row["user_id"] for row in members}


def contacts(
    connection: Connection,
    account_id: int,
    *,
    phones: Collection[str],
    wa_ids: Collection[str],
    wa_user_ids: Collection[str],
    ids: Collection[int] = (),
) -> list[ContactRow]:
    """Return contacts that match any key; a contact may occur more than once."""
    rows = _matching(connection, account_id, "contact", "phone", phones)
    rows += _matching(connection, account_id, "contact", "wa_id", wa_ids)
    rows += _matching(connection, account_id, "contact", "wa_user_id", wa_user_ids)
    rows += _matching(connection, account_id, "contact", "id", ids)
    return rows


def aliased_contacts(
    connection: Connection, account_id: int, names: Collection[str]
) -> dict[str, ContactRow]:
    """Return contacts by alias: a former or alternative number or user id."""
    aliases = _matching(connection, account_id, "contact_alias", "phone", names)
    ids = {row["contact_id"] for row in aliases}
    rows = {row["id"]: row for row in _matching(connection, account_id, "contact", "id", ids)}
    return {row["phone"]: rows[row["contact_id"]] for row in aliases if row["contact_id"] in rows}


def aliases_of(
    connection: Connection, account_id: int, contact_ids: Collection[int]
) -> list[AliasRow]:
    """Return (phone, contact_id) of the contacts' aliases."""
    return _matching(connection, account_id, "contact_alias", "contact_id", contact_ids)


def parts_of(
    connection: Connection, account_id: int, contact_ids: Collection[int]
) -> list[PartRow]:
    """Return the parts of merged contacts."""
    rows = _matching(connection, account_id, "contact_part", "contact_id", contact_ids)
    return list({row["id"]: row for row in rows}.values())


def identity_changes(
    connection: Connection, account_id: int, names: Collection[str]
) -> set[tuple[str, str, int]]:
    """Return (old, new, at) of identity changes from or to these names."""
    rows = _matching(connection, account_id, "identity_change", "old", names)
    rows += _matching(connection, account_id, "identity_change", "new", names)
    return {(row["old"], row["new"], row["at"]) for row in rows}


def conversations_of(
    connection: Connection, account_id: int, contact_ids: Collection[int]
) -> list[ConversationRow]:
    return _matching(connection, account_id, "conversation", "contact_id", contact_ids)


def existing(connection: Connection, account_id: int, table: str, ids: set[int]) -> set[int]:
    """Return those of the ids that exist."""
    return {row["id"] for row in _matching(connection, account_id, table, "id", ids)}


def conversations(
    connection: Connection, account_id: int, conversation_ids: Collection[int]
) -> list[ConversationRow]:
    return _matching(connection, account_id, "conversation", "id", conversation_ids)


def conversation(connection: Connection, account_id: int, conversation_id: int) -> ConversationRow:
    return conversations(connection, account_id, (conversation_id,))[0]


def assumed_resolved(
    connection: Connection, account_id: int, conversation_ids: Collection[int]
) -> set[int]:
    """Return those that are resolved only because of their age or by an importer's choice."""
    rows = conversations(connection, account_id, conversation_ids)
    return {row["id"] for row in rows if row["status"] == RESOLVED and not row["status_known"]}


def contact_ids_of(
    connection: Connection, account_id: int, conversation_ids: Collection[int]
) -> dict[int, int]:
    """Map conversation ids to contact ids."""
    rows = conversations(connection, account_id, conversation_ids)
    return {row["id"]: row["contact_id"] for row in rows}


def labels_of(
    connection: Connection, account_id: int, conversation_ids: Collection[int]
) -> dict[int, set[int]]:
    """Map conversation ids to label ids; conversations without labels are missing."""
    labels: dict[int, set[int]] = {}
    for row in _matching(connection, account_id, "entry", "conversation_id", conversation_ids):
        if row["label_id"]:
            labels.setdefault(row["conversation_id"], set()).add(row["label_id"])
    return labels


def messages(
    connection: Connection, account_id: int, channel_id: int, wamids: Collection[str]
) -> list[MessageRow]:
    """Return messages of a channel by wamid."""
    return _matching(connection, account_id, "message", "wamid", wamids, channel_id=channel_id)


def templates(connection: Connection, account_id: int, name: str, language: str) -> list[Row]:
    """Return the templates of a name and language, by id: one for each business account."""
    return connection.rows(
        """
        SELECT * FROM template
        WHERE account_id=:account_id AND name=:name AND language=:language ORDER BY id
        """,
        {"account_id": account_id, "name": name, "language": language},
    )


def template_names(connection: Connection, account_id: int) -> list[str]:
    rows = connection.rows(
        "SELECT DISTINCT name FROM template WHERE account_id=:account_id ORDER BY name",
        {"account_id": account_id},
    )
    return [row["name"] for row in rows]


def templates_without_text(connection: Connection, account_id: int, name: str) -> list[MessageRow]:
    """Return the messages that were sent as a template, and whose text is not known."""
    member = {
        "sqlite": "CAST(json_extract(content_json, '$.name') AS TEXT)",
        "postgresql": "(CAST(content_json AS json) ->> 'name')",
    }[connection.dialect]
    rows: list[Any] = connection.rows(
        f"""
        SELECT * FROM message
        WHERE account_id=:account_id AND type='template' AND text IS NULL AND {member}=:name
          AND deleted_at IS NULL
        ORDER BY id
        """,
        {"account_id": account_id, "name": name},
    )
    return rows


def messages_between(
    connection: Connection, account_id: int, conversation_id: int, since: int, until: int
) -> list[Row]:
    """Return messages between two times, both inclusive, by time and id."""
    return connection.rows(
        """
        SELECT id, created_at, direction, type, text, media_json, wamid, richness, edited_at,
          deleted_at, stamped_at FROM message
        WHERE account_id=:account_id AND conversation_id=:conversation_id
          AND created_at BETWEEN :since AND :until
        ORDER BY created_at, id
        """,
        {
            "account_id": account_id,
            "conversation_id": conversation_id,
            "since": since,
            "until": until,
        },
    )


def nameless_messages(
    connection: Connection, account_id: int, conversation_id: int, since: int, until: int
) -> list[MessageRow]:
    """Return messages without a wamid between two times, both inclusive, by time and id."""
    span = {"since": since, "until": until}
    return _rows(
        connection,
        """
        SELECT * FROM message WHERE account_id=:account_id AND conversation_id=:conversation_id
          AND created_at BETWEEN :since AND :until AND wamid IS NULL
        ORDER BY created_at, id
        """,
        {"account_id": account_id, "conversation_id": conversation_id, **span},
    )


def identified_messages(
    connection: Connection, account_id: int, conversation_id: int, since: int, until: int
) -> list[MessageRow]:
    """Return those of two times that have a wamid and another time than their sender's, likewise:
    they may have had none."""
    span = {"since": since, "until": until}
    return _rows(
        connection,
        """
        SELECT * FROM message WHERE account_id=:account_id AND conversation_id=:conversation_id
          AND created_at BETWEEN :since AND :until
          AND wamid IS NOT NULL AND stamped_at IS NOT NULL
        ORDER BY created_at, id
        """,
        {"account_id": account_id, "conversation_id": conversation_id, **span},
    )


def reactions(
    connection: Connection, account_id: int, channel_id: int, wamids: Collection[str]
) -> list[ReactionRow]:
    """Return reactions to messages of a channel, removed ones included."""
    return _matching(
        connection, account_id, "reaction", "target_wamid", wamids, channel_id=channel_id
    )


def notes(connection: Connection, account_id: int, external_ids: Collection[str]) -> list[NoteRow]:
    """Return notes by the id of their source."""
    return _matching(connection, account_id, "note", "external_id", external_ids)


def pending_updates(
    connection: Connection, account_id: int, channel_id: int, targets: Collection[str]
) -> list[PendingRow]:
    """Return pending updates of these messages of a channel; with channel 0, of phone numbers."""
    return _matching(connection, account_id, "orphan", "target", targets, channel_id=channel_id)


def any_pending(connection: Connection, account_id: int) -> bool:
    """Check for any pending update."""
    sql = "SELECT kind FROM orphan WHERE account_id=:account_id LIMIT 1"
    return connection.row(sql, {"account_id": account_id}) is not None


def rotation(connection: Connection, account_id: int, channel_id: int) -> list[Row]:
    """Return the candidates for round-robin assignment, by team id and user id.

    team_id, last_assigned, user_id, user_key: a row for each eligible member of each linked team.
    Eligible users are active and neither offline nor busy.
    """
    return connection.rows(
        """
        SELECT team.id AS team_id, team.last_assigned, u.id AS user_id, u.key AS user_key
        FROM team_channel linked
        JOIN team ON team.account_id = linked.account_id AND team.id = linked.team_id
        JOIN team_member member
          ON member.account_id = linked.account_id AND member.team_id = linked.team_id
        JOIN app_user u ON u.account_id = member.account_id AND u.id = member.user_id
        WHERE linked.account_id=:account_id AND linked.channel_id=:channel_id
          AND team.distribution = 'round_robin' AND u.active = 1
          AND (u.availability IS NULL OR u.availability NOT IN ('offline', 'busy'))
        ORDER BY team.id, u.id
        """,
        {"account_id": account_id, "channel_id": channel_id},
    )


def event_ids(connection: Connection, account_id: int, external_ids: Collection[str]) -> set[str]:
    """Return those of the given event ids that are stored."""
    rows = _matching(connection, account_id, "conversation_event", "external_id", external_ids)
    return {row["external_id"] for row in rows}


def user_ids(connection: Connection, account_id: int) -> dict[str, int]:
    """Return the ids of all users by their keys."""
    rows = connection.rows(
        "SELECT key, id FROM app_user WHERE account_id=:account_id", {"account_id": account_id}
    )
    return {row["key"]: row["id"] for row in rows}


def messages_of(connection: Connection, account_id: int, conversation_id: int) -> list[Row]:
    """Return what the state rules need of a conversation's messages, in the order of its thread."""
    return _facts_of(connection, account_id, "message", conversation_id)


def any_answer_at(connection: Connection, account_id: int, conversation_id: int, at: int) -> bool:
    """Check for stored outbound messages and events of a time."""
    row = connection.row(
        """
        SELECT 1 AS one WHERE EXISTS (
          SELECT 1 FROM message WHERE account_id=:account_id AND conversation_id=:conversation_id
            AND created_at=:at AND direction=1)
        OR EXISTS (
          SELECT 1 FROM conversation_event WHERE account_id=:account_id
            AND conversation_id=:conversation_id AND created_at=:at)
        """,
        {"account_id": account_id, "conversation_id": conversation_id, "at": at},
    )
    return row is not None


def events_of(connection: Connection, account_id: int, conversation_id: int) -> list[Row]:
    """Return a conversation's events, by time and id."""
    return _facts_of(connection, account_id, "conversation_event", conversation_id)


def _facts_of(
    connection: Connection, account_id: int, kind: FactKind, conversation_id: int
) -> list[Row]:
    facts = facts_between(connection, account_id, kind, conversation_id, conversation_id)
    return facts.get(conversation_id, [])


def facts_between(
    connection: Connection, account_id: int, kind: FactKind, first_id: int, last_id: int
) -> dict[int, list[Row]]:
    """Return `messages_of`, `events_of` or `metric_events_of` by conversation id.

    For conversation ids from `first_id` to `last_id`; those without rows are missing.
    """
    rows = connection.rows(
        f"""
        SELECT conversation_id, {_COLUMNS_OF[kind]} FROM {kind}
        WHERE account_id=:account_id AND conversation_id BETWEEN :first AND :last
        ORDER BY conversation_id, {_ORDER_OF[kind]}
        """,
        {"account_id": account_id, "first": first_id, "last": last_id},
    )
    facts: dict[int, list[Row]] = {}
    for row in rows:
        facts.setdefault(row["conversation_id"], []).append(row)
    return facts


def conversation_ids(connection: Connection, account_id: int) -> list[int]:
    rows = connection.rows(
        "SELECT id FROM conversation WHERE account_id=:account_id ORDER BY id",
        {"account_id": account_id},
    )
    return [row["id"] for row in rows]


def metric_events_of(
    connection: Connection, account_id: int, conversation_id: int
) -> list[MetricEventRow]:
    return _rows(
        connection,
        "SELECT * FROM metric_event "
        "WHERE account_id=:account_id AND conversation_id=:conversation_id ORDER BY id",
        {"account_id": account_id, "conversation_id": conversation_id},
    )


def _rows(connection: Connection, sql: str, parameters: Mapping[str, object]) -> list[Any]:
    """Return rows of the type that the caller declares; it may change them."""
    return connection.rows(sql, parameters)


def _matching(
    connection: Connection,
    account_id: int,
    table: str,
    column: str,
    keys: Collection[str] | Collection[int],
    **also: int,
) -> list[Any]:
    """Return rows of `table` whose `column` is one of `keys`."""
    if not keys:
        return []
    unique = list(dict.fromkeys(keys))
    ids = {"account_id": account_id, **also}
    equal = " AND ".join(f"t.{name}=:{name}" for name in ids)
    if connection.dialect == "postgresql":
        sql = f"SELECT t.* FROM {table} AS t WHERE {equal} AND t.{column} = ANY(:keys)"
        return _rows(connection, sql, {**ids, "keys": unique})
    # Looks up each key by index. Without current statistics, SQLite scans the whole table for an
    # IN list; it never reorders a CROSS JOIN.
    return _rows(
        connection,
        f"SELECT t.* FROM json_each(:keys) AS k CROSS JOIN {table} AS t "
        f"WHERE {equal} AND t.{column}=k.value",
        {**ids, "keys": json.dumps(unique)},
    )


def message_index_state(connection: Connection) -> str | None:
    """Return "ready", the position of the build, or None without an index of messages."""
    row = connection.row("SELECT value FROM meta WHERE name = 'message_search'")
    return None if row is None else str(row["value"])


def has_message_index(connection: Connection) -> bool:
    """Check for an index of messages, complete or not: writers keep both."""
    return message_index_state(connection) is not None
