"""Removes contents of messages that an account does not keep any longer."""

from collections.abc import Mapping

from frontdesk.store.database import Connection, Database
from frontdesk.store.expiry import any_expired, expire, keeping_accounts

_DAY = 24 * 60 * 60 * 1000
_EXPIRED_AT_ONCE = 500


def expired_accounts(database: Database, now: int) -> Mapping[int, int]:
    """Return the accounts that have something to remove: {id: time before which it is}."""

    def read(connection: Connection) -> dict[int, int]:
        limits = {
            row["id"]: now - row["messages_keep_days"] * _DAY
            for row in keeping_accounts(connection)
        }
        return {
            account_id: before
            for account_id, before in limits.items()
            if any_expired(connection, account_id, before)
        }

    return database.read_latest(read)


def expire_messages(database: Database, account_id: int, before: int, now: int) -> None:
    """Remove the contents of messages before a time, and notes of then, in short transactions."""

    def step(connection: Connection) -> bool:
        return expire(connection, account_id, before, now, _EXPIRED_AT_ONCE)

    while database.write(step):
        pass
