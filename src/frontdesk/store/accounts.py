"""Accounts: isolated inboxes within one database; and their API keys, stored as hashes."""

import re
from dataclasses import dataclass

from frontdesk.store.contacts import name_key
from frontdesk.store.database import Connection, Row, first_number

# Account that a new database is created with.
DEFAULT_ACCOUNT = "default"

# See store/changes.py.
_MARK = "(SELECT value FROM meta WHERE name = 'mark')"

# Slugs, as used in commands and in webhook paths.
SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


def account(connection: Connection, account_id: int) -> Row | None:
    """Return (id, slug, name, revision, disabled, mark, next_snooze).

    mark: of the database. next_snooze: end of the account's earliest snooze, None if nothing is
    snoozed.
    """
    return connection.row(
        f"""
        SELECT id, slug, name, revision, disabled, {_MARK} AS mark,
          (SELECT MIN(snoozed_until) FROM conversation
           WHERE account_id = :account AND snoozed_until IS NOT NULL) AS next_snooze
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
    """Return (id, slug, name, disabled, created_at, messages_keep_days, keys), oldest first.

    keys: number of keys valid at `now`.
    """
    return connection.rows(
        """
        SELECT id, slug, name, disabled, created_at, messages_keep_days,
          (SELECT COUNT(*) FROM api_key WHERE api_key.account_id = account.id
             AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)) AS keys
        FROM account ORDER BY id
        """,
        {"now": now},
    )


def add_account(connection: Connection, slug: str, name: str, created_at: int) -> int:
    """Insert an account and return its id. created_at: epoch milliseconds."""
    account_id = 1 + first_number(connection, "SELECT MAX(id) AS id FROM account")
    connection.run(
        """
        INSERT INTO account(id, slug, name, created_at) VALUES (:id, :slug, :name, :created)
        """,
        {"id": account_id, "slug": slug, "name": name, "created": created_at},
    )
    return account_id


def disable_account(connection: Connection, account_id: int, *, disabled: bool = True) -> None:
    """Disable an account (its keys and webhooks are refused), or enable it."""
    connection.run(
        "UPDATE account SET disabled = :disabled WHERE id = :account",
        {"account": account_id, "disabled": int(disabled)},
    )


@dataclass(frozen=True, slots=True)
class NewKey:
    """API key to be inserted. Only a hash of the secret is stored. Times are epoch milliseconds."""

    key_id: str
    account_id: int
    secret_hash: bytes
    last4: str
    name: str
    scopes: tuple[str, ...]
    user_id: int | None
    created_at: int
    expires_at: int | None


def add_key(connection: Connection, key: NewKey) -> None:
    connection.run(
        """
        INSERT INTO api_key(key_id, account_id, secret_hash, last4, name, scopes, user_id,
          created_at, expires_at)
        VALUES (:key_id, :account, :secret_hash, :last4, :name, :scopes, :user, :created, :expires)
        """,
        {
            "key_id": key.key_id,
            "account": key.account_id,
            "secret_hash": key.secret_hash,
            "last4": key.last4,
            "name": key.name,
            "scopes": " ".join(key.scopes),
            "user": key.user_id or 0,
            "created": key.created_at,
            "expires": key.expires_at,
        },
    )


def find_key(connection: Connection, key_id: str) -> Row | None:
    """Return a key with its account's `slug`, `revision` and `disabled`, in one indexed read.

    mark: of the database. next_snooze: end of the account's earliest snooze, None if nothing is
    snoozed.
    """
    return connection.row(
        f"""
        SELECT api_key.*, account.slug, account.revision, account.disabled, {_MARK} AS mark,
          (SELECT MIN(snoozed_until) FROM conversation
           WHERE account_id = api_key.account_id AND snoozed_until IS NOT NULL) AS next_snooze
        FROM api_key JOIN account ON account.id = api_key.account_id
        WHERE api_key.key_id = :key_id
        """,
        {"key_id": key_id},
    )


def all_keys(connection: Connection, account_id: int | None) -> list[Row]:
    """Return keys without their hashes, oldest first; with None, those of all accounts."""
    return connection.rows(
        f"""
        SELECT api_key.key_id, api_key.account_id, api_key.last4, api_key.name, api_key.scopes,
          api_key.user_id, api_key.created_at, api_key.expires_at, api_key.revoked_at,
          api_key.last_used_at, account.slug AS account, app_user.name AS user_name
        FROM api_key
        JOIN account ON account.id = api_key.account_id
        LEFT JOIN app_user
          ON app_user.account_id = api_key.account_id AND app_user.id = api_key.user_id
        {"" if account_id is None else "WHERE api_key.account_id = :account"}
        ORDER BY api_key.account_id, api_key.created_at, api_key.key_id
        """,
        {} if account_id is None else {"account": account_id},
    )


def end_key(connection: Connection, key_id: str, at: int) -> None:
    """Set a key to expire at `at`, unless it expires earlier."""
    connection.run(
        """
        UPDATE api_key SET expires_at = :at
        WHERE key_id = :key_id AND (expires_at IS NULL OR expires_at > :at)
        """,
        {"key_id": key_id, "at": at},
    )


def revoke_key(connection: Connection, key_id: str, at: int) -> bool:
    """Revoke a key; False if it does not exist or is revoked already."""
    changed = connection.run(
        "UPDATE api_key SET revoked_at = :at WHERE key_id = :key_id AND revoked_at IS NULL",
        {"key_id": key_id, "at": at},
    )
    return bool(changed)


def touch_key(connection: Connection, key_id: str, at: int) -> None:
    """Store the time of a key's last use."""
    connection.run(
        "UPDATE api_key SET last_used_at = :at WHERE key_id = :key_id",
        {"key_id": key_id, "at": at},
    )


def user_named(connection: Connection, account_id: int, name: str) -> Row | None:
    """Find a user (id, name) by key, e-mail address, id or name, in this order of precedence."""
    return connection.row(
        """
        SELECT id, name FROM app_user
        WHERE account_id = :account
          AND (key = :name OR lower(email) = lower(:name) OR CAST(id AS TEXT) = :name
            OR name_key = :folded)
        ORDER BY CASE WHEN key = :name THEN 0 WHEN lower(email) = lower(:name) THEN 1
          WHEN CAST(id AS TEXT) = :name THEN 2 ELSE 3 END, id
        LIMIT 1
        """,
        {"account": account_id, "name": name, "folded": name_key(name)},
    )


def user_names(connection: Connection, account_id: int) -> list[str]:
    """Return what `user_named` finds each active user by: the e-mail address, or the name."""
    rows = connection.rows(
        "SELECT COALESCE(email, name) AS name FROM app_user"
        " WHERE account_id = :account AND active = 1 ORDER BY name_key, id",
        {"account": account_id},
    )
    return [row["name"] for row in rows]


def cursor_secret(connection: Connection) -> bytes:
    """Return the HMAC secret that pagination cursors are signed with."""
    row = connection.row("SELECT value FROM meta WHERE name = 'cursor_secret'")
    if row is None:
        raise LookupError("the database has no cursor secret")
    return str(row["value"]).encode()
