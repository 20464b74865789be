"""Accounts: isolated inboxes within one database."""

import re

from frontdesk.store.database import Connection, Row

# Account that a new database is created with.
DEFAULT_ACCOUNT = "default"

# Slugs, as used in commands and in webhook paths.
SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


def account(connection: Connection, account_id: int) -> Row | None:
    """Return (id, slug, name, revision, disabled, next_snooze).

    next_snooze: end of the account's earliest snooze, None if nothing is snoozed.
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
    return connection.row(
        "SELECT id, slug, name, revision, disabled FROM account WHERE slug = :slug",
        {"slug": slug},
    )


def revision(connection: Connection, account_id: int) -> int:
    """Return the revision of an existing account, which every visible change increments."""
    row = connection.row(
        "SELECT revision FROM account WHERE id = :account", {"account": account_id}
    )
    assert row is not None
    return int(row["revision"])


def any_account(connection: Connection) -> Row | None:
    """Read any row; the cheapest query that proves that the database works."""
    return connection.row("SELECT id FROM account LIMIT 1")


def all_accounts(connection: Connection, now: int) -> list[Row]:
    """Return (id, slug, name, disabled, created_at, keys), oldest first.

    keys: number of keys valid at `now`.
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
    """Insert an account and return its id. created_at: epoch milliseconds."""
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
    """Lock the account's row until the end of the transaction, so that its writers are serialised.

    No-op on SQLite, which has a single writer.
    """
    if connection.dialect == "postgresql":
        connection.run(
            "SELECT id FROM account WHERE id = :account FOR NO KEY UPDATE", {"account": account_id}
        )


def disable_account(connection: Connection, account_id: int, *, disabled: bool = True) -> None:
    """Disable an account (its keys and webhooks are refused), or enable it."""
    connection.run(
        "UPDATE account SET disabled = :disabled WHERE id = :account",
        {"account": account_id, "disabled": int(disabled)},
    )
