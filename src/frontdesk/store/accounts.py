"""Accounts: inboxes that share a database and nothing else."""

import re

from frontdesk.store.database import Connection, Row

# The account that every database begins with.
DEFAULT_ACCOUNT = "default"

# What an account may be called by commands and in addresses.
SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


def account(connection: Connection, account_id: int) -> Row | None:
    """An account: (id, slug, name, revision, disabled, next_snooze).

    next_snooze: when the first snooze of the account is over, None where nothing is snoozed.
    """
    return connection.row(
        """
        SELECT id, slug, name, revision, disabled,
          (SELECT MIN(snoozed_until) FROM conversation
           WHERE account_id = account.id AND snoozed_until IS NOT NULL) AS next_snooze
        FROM account WHERE id = :account
        """,
        {"account": account_id},
    )


def account_by_slug(connection: Connection, slug: str) -> Row | None:
    """An account by the name that commands use."""
    return connection.row(
        "SELECT id, slug, name, revision, disabled FROM account WHERE slug = :slug",
        {"slug": slug},
    )


def revision(connection: Connection, account_id: int) -> int:
    """How often an account, which exists, was changed."""
    row = connection.row(
        "SELECT revision FROM account WHERE id = :account", {"account": account_id}
    )
    assert row is not None
    return int(row["revision"])


def any_account(connection: Connection) -> Row | None:
    """One account: the least that a database which works can be asked for."""
    return connection.row("SELECT id FROM account LIMIT 1")


def all_accounts(connection: Connection, now: int) -> list[Row]:
    """All accounts, oldest first: (id, slug, name, disabled, created_at, keys).

    keys: how many open it at `now`.
    """
    return connection.rows(
        """
        SELECT id, slug, name, disabled, created_at,
          (SELECT COUNT(*) FROM api_key WHERE api_key.account_id = account.id
             AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)) AS keys
        FROM account ORDER BY id
        """,
        {"now": now},
    )


def add_account(connection: Connection, slug: str, name: str, created_at: int) -> int:
    """Make an account and return its id. created_at: epoch milliseconds."""
    newest = connection.row("SELECT MAX(id) AS id FROM account")
    account_id = 1 + (0 if newest is None else newest["id"] or 0)
    connection.run(
        """
        INSERT INTO account(id, slug, name, created_at) VALUES (:id, :slug, :name, :created)
        """,
        {"id": account_id, "slug": slug, "name": name, "created": created_at},
    )
    return account_id


def take_turn(connection: Connection, account_id: int) -> None:
    """Have other writers of the account wait for this transaction, and read what they wrote before.

    SQLite has one writer at a time as it is.
    """
    if connection.dialect == "postgresql":
        connection.run(
            "SELECT id FROM account WHERE id = :account FOR NO KEY UPDATE", {"account": account_id}
        )


def disable_account(connection: Connection, account_id: int, *, disabled: bool = True) -> None:
    """Shut an account, so that its keys open nothing and its webhooks are refused; or open it."""
    connection.run(
        "UPDATE account SET disabled = :disabled WHERE id = :account",
        {"account": account_id, "disabled": int(disabled)},
    )
