"""Query for open conversations without recent activity."""

from frontdesk.store.database import Connection, Row

# Open, unassigned and assigned: separate states in the filter table.
_OPEN_STATES = (0, 1)


def silent_since(
    connection: Connection, account_id: int, before: int, count: int, *, but_waiting: bool
) -> list[Row]:
    """Return open conversations without activity since `before`, with their contacts.

    (id, folded_at, phone_number_id, phone, wa_id, wa_user_id): up to `count` of the assigned and as
    many of the unassigned, oldest activity first. Conversations known only from back-fill are
    excluded, as are, with `but_waiting`, those in which a customer waits.
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
