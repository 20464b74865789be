"""Open conversations in which nothing was said for long."""

from frontdesk.store.database import Connection, Row

# Open, and nobody's or somebody's: the filter table has them apart.
_OPEN_STATES = (0, 1)


def silent_since(
    connection: Connection, account_id: int, before: int, count: int, *, but_waiting: bool
) -> list[Row]:
    """Open conversations without activity from `before` on, and whose they are.

    (id, folded_at, phone_number_id, phone, wa_id, wa_user_id), up to `count` of those assigned and
    as many of the others. Of those only known from back-fill there is none; with `but_waiting`,
    nor of those in which a customer waits.
    """
    found: list[Row] = []
    for state in _OPEN_STATES:
        found += connection.rows(
            f"""
            SELECT c.id, c.folded_at, channel.phone_number_id,
              contact.phone, contact.wa_id, contact.wa_user_id
            FROM entry
            JOIN conversation AS c ON c.account_id = entry.account_id
              AND c.id = entry.conversation_id
            JOIN channel ON channel.account_id = c.account_id AND channel.id = c.channel_id
            JOIN contact ON contact.account_id = c.account_id AND contact.id = c.contact_id
            WHERE entry.account_id = :account AND entry.label_id = 0 AND entry.state = :state
              AND entry.last_activity_at < :before AND c.told = 1
              {"AND c.waiting_since IS NULL" if but_waiting else ""}
            ORDER BY entry.last_activity_at, entry.conversation_id LIMIT :count
            """,
            {"account": account_id, "state": state, "before": before, "count": count},
        )
    return found
