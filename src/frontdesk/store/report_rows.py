"""Rows of a report, one for each conversation in which something was counted in a period."""

from collections.abc import Collection, Sequence

from frontdesk.store.conversations import one_of
from frontdesk.store.database import Connection, Row
from frontdesk.store.report_ads import arrivals
from frontdesk.store.report_parts import PartSelection
from frontdesk.store.rollups import UNCOUNTED_TYPES, WRITER


def conversation_rows(
    connection: Connection, selection: PartSelection, after: int, count: int
) -> list[Row]:
    """Return the next conversations, by id, that began or have something counted in the period.

    (id, created_at, channel_id, phone_number_id, channel_name, contact_id, contact_name, phone,
    username, custom_json). after: the id of the last one before.
    """
    # A plus keeps SQLite from an index by channel and beginning, whose rows it would sort by id.
    narrowed = "" if selection.filter.channel_id is None else "AND +fact.channel_id = :channel"
    return connection.rows(
        f"""
        SELECT fact.id, fact.created_at, fact.channel_id, channel.phone_number_id,
          channel.name AS channel_name, fact.contact_id, contact.name AS contact_name,
          contact.phone, contact.username, contact.custom_json
        FROM conversation AS fact CROSS JOIN channel CROSS JOIN contact
        WHERE fact.account_id = :account AND fact.id > :after
          AND channel.account_id = :account AND channel.id = fact.channel_id
          AND contact.account_id = :account AND contact.id = fact.contact_id
          AND +fact.created_at < :end AND fact.folded_at >= :start
          {narrowed} {selection.filter.labelled("fact.id")}
          AND (fact.created_at >= :start
            OR EXISTS (SELECT 1 FROM message WHERE message.account_id = :account
              AND message.conversation_id = fact.id AND message.created_at >= :start
              AND message.created_at < :end AND message.type NOT IN {UNCOUNTED_TYPES})
            OR EXISTS (SELECT 1 FROM metric_event AS event WHERE event.account_id = :account
              AND event.conversation_id = fact.id AND event.ended_at >= :start
              AND event.ended_at < :end))
        ORDER BY fact.id LIMIT :count
        """,
        {**selection.parameters, "after": after, "count": count},
    )


def messages_of_rows(
    connection: Connection, selection: PartSelection, ids: Sequence[int]
) -> list[Row]:
    """Count the messages of conversations in the period.

    (conversation_id, direction, author, user_id, n): user_id 0 is no known user.
    """
    places, values = one_of("id", ids)
    return connection.rows(
        f"""
        SELECT fact.conversation_id, fact.direction, fact.author, {WRITER} AS user_id,
          COUNT(*) AS n
        FROM message AS fact
        WHERE fact.account_id = :account AND fact.conversation_id IN ({places})
          AND fact.created_at >= :start AND fact.created_at < :end
          AND fact.type NOT IN {UNCOUNTED_TYPES}
        GROUP BY 1, 2, 3, 4
        """,
        {**selection.parameters, **values},
    )


def user_names(connection: Connection, account_id: int, ids: Collection[int]) -> dict[int, str]:
    """Return the names of users by id."""
    if not ids:
        return {}
    places, values = one_of("id", sorted(ids))
    rows = connection.rows(
        f"SELECT id, name FROM app_user WHERE account_id = :account AND id IN ({places})",
        {"account": account_id, **values},
    )
    return {row["id"]: row["name"] for row in rows}


def events_of_rows(
    connection: Connection, selection: PartSelection, ids: Sequence[int]
) -> list[Row]:
    """Return (conversation_id, name, started_at, ended_at) of metric events in the period."""
    places, values = one_of("id", ids)
    return connection.rows(
        f"""
        SELECT conversation_id, name, started_at, ended_at FROM metric_event
        WHERE account_id = :account AND conversation_id IN ({places})
          AND ended_at >= :start AND ended_at < :end
        """,
        {**selection.parameters, **values},
    )


def ads_of_rows(
    connection: Connection, selection: PartSelection, ids: Sequence[int]
) -> dict[int, Row]:
    """Return the last ad that a customer came from in the period, by conversation."""
    places, values = one_of("id", ids)
    # A range of each conversation's messages, rather than all that came from ads.
    source = "conversation AS own CROSS JOIN message AS fact"
    rows = connection.rows(
        f"{arrivals(connection, selection, source)} AND own.account_id = :account"
        f" AND own.id IN ({places}) AND fact.conversation_id = own.id ORDER BY fact.created_at",
        {**selection.parameters, **values},
    )
    return {row["conversation_id"]: row for row in rows}
