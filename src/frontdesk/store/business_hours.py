"""Business hours of an account and its channels, as they are stored."""

from frontdesk import business_hours
from frontdesk.business_hours import BusinessHours
from frontdesk.store import writes
from frontdesk.store.database import Connection


def hours_of(connection: Connection, account_id: int) -> BusinessHours:
    """Return the business hours of an account."""
    row = connection.row(
        "SELECT business_hours_json FROM account WHERE id = :account", {"account": account_id}
    )
    return business_hours.loads(None if row is None else row["business_hours_json"])


def set_hours(connection: Connection, account_id: int, hours: BusinessHours) -> None:
    """Replace the business hours of an account. Needs a write transaction."""
    connection.run(
        "UPDATE account SET business_hours_json = :hours WHERE id = :account",
        {"account": account_id, "hours": business_hours.dumps(hours)},
    )
    writes.bump_revision(connection, account_id)
