"""`frontdesk keys`: creates, lists, rotates and revokes API keys."""

from dataclasses import dataclass
from datetime import timedelta
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from frontdesk.cli.base import group
from frontdesk.cli.database import account_named, account_option, opened
from frontdesk.cli.options import database_option
from frontdesk.cli.output import Output, output_options
from frontdesk.cli.target import known_user
from frontdesk.errors import BadSettings
from frontdesk.exports.tables import Column
from frontdesk.text.times import parse_duration
from frontdesk.wire.values import epoch_milliseconds

if TYPE_CHECKING:
    from frontdesk.store.database import Connection, Database, Row

_COLUMNS: tuple[Column[dict[str, Any]], ...] = (
    Column("key_id", itemgetter("key_id"), "KEY"),
    Column("account", itemgetter("account"), "ACCOUNT"),
    Column("name", itemgetter("name"), "NAME", flexible=True),
    Column("user", itemgetter("user"), "USER", flexible=True),
    Column("scopes", lambda row: _scopes(row), "SCOPES", flexible=True),
    Column("created_at", itemgetter("created_at"), "CREATED", moment=True),
    Column("last_used_at", itemgetter("last_used_at"), "LAST USED", moment=True),
    Column("ends_at", lambda row: row["revoked_at"] or row["expires_at"], "ENDS", moment=True),
    Column("state", itemgetter("state"), "STATE", styles={"active": "green", "revoked": "dim"}),
)


# Members of a new key, and of one that replaces another.
NEW_KEY = ("key", "key_id", "name", "scopes", "user_id", "expires_at")
_ROTATED = (*NEW_KEY, "old_key_id", "old_ends_at")


@dataclass(frozen=True, slots=True)
class KeyOrder:
    """Options of a new key. expires_in: milliseconds, None to never expire."""

    account: str
    name: str
    user: str | None
    scopes: tuple[str, ...]
    expires_in: int | None


@group(
    "keys",
    "frontdesk keys create --name laptop --all-read --database inbox.db",
    "frontdesk keys list --database inbox.db",
)
def keys_group() -> None:
    """Create, list, rotate and revoke API keys."""


@keys_group.subcommand(
    "create",
    "frontdesk keys create --name laptop --user ana@example.com --all-read",
    "frontdesk keys create --name wall --scope reports:read --expires 90d",
)
@database_option("Database of the service.")
@click.option("--name", required=True, help="Name of the key.")
@account_option
@click.option("--user", help="User of the key (e-mail address or key), for the filter `me`.")
@click.option("--all-read", is_flag=True, help="Grant all current scopes.")
@click.option("--scope", "scopes", multiple=True, help="Grant a scope; may be repeated.")
@click.option(
    "--expires",
    "expires_in",
    callback=lambda context, option, text: _lifetime(text),
    help="Lifetime: 12h, 90d or 8w.  [default: unlimited]",
)
@output_options("text", "json", default="text", members=NEW_KEY)
def create_command(
    database: str,
    name: str,
    account: str,
    user: str | None,
    all_read: bool,
    scopes: tuple[str, ...],
    expires_in: int | None,
    output: Output,
) -> None:
    """Create an API key and print it, once.

    Only its hash is stored.
    """
    order = KeyOrder(account, name, user, _scopes_of(all_read, scopes), expires_in)
    show_new_key(make_key(database, order, now=epoch_milliseconds()), output)


@keys_group.subcommand(
    "list",
    "frontdesk keys list --database inbox.db",
    "frontdesk keys list --database inbox.db --json | jq length",
)
@database_option("Database of the service.")
@click.option("--account", help="List only the keys of this account.")
@output_options()
def list_command(database: str, account: str | None, output: Output) -> None:
    """List the API keys, oldest first."""
    from frontdesk.store.accounts import all_keys

    def read(connection: "Connection") -> "list[Row]":
        account_id = account_named(connection, account)["id"] if account else None
        return all_keys(connection, account_id)

    with opened(database) as store:
        rows = store.read(read)
    at = epoch_milliseconds()
    output.write([_described(row, at) for row in rows], _COLUMNS)


@keys_group.subcommand(
    "revoke",
    "frontdesk keys revoke 3fk2a9 --database inbox.db",
    "FRONTDESK_DATABASE=inbox.db frontdesk keys revoke 3fk2a9",
)
@click.argument("key_id", metavar="KEY")
@database_option("Database of the service.")
def revoke_command(key_id: str, database: str) -> None:
    """Revoke an API key at once.

    KEY is its id, as printed by `keys list`.
    """
    from frontdesk.store.accounts import revoke_key

    at = epoch_milliseconds()

    def end(connection: "Connection") -> bool:
        _key(connection, key_id)
        return revoke_key(connection, key_id, at)

    with opened(database, upgrade=True) as store:
        ended = store.write(end)
    click.echo(f"{key_id} is revoked" if ended else f"{key_id} was revoked before")


@keys_group.subcommand(
    "rotate",
    "frontdesk keys rotate 3fk2a9 --database inbox.db",
    "frontdesk keys rotate 3fk2a9 --overlap 24h --database inbox.db",
)
@click.argument("key_id", metavar="KEY")
@database_option("Database of the service.")
@click.option(
    "--overlap",
    callback=lambda context, option, text: _lifetime(text),
    help="How long the old key stays valid: 24h or 7d.  [default: not at all]",
)
@output_options("text", "json", default="text", members=_ROTATED)
def rotate_command(key_id: str, database: str, overlap: int | None, output: Output) -> None:
    """Replace an API key by a new one.

    KEY is its id. The new key has the same name, user, scopes and lifetime, and is printed once.
    """
    made = rotate_key(database, key_id, overlap or 0, now=epoch_milliseconds())
    show_new_key(made, output)
    if output.format == "text":
        click.echo(f"The old key {key_id} ends: {made['old_ends_at']}", err=True)


def make_key(target: str | Path, order: KeyOrder, *, now: int) -> dict[str, object]:
    """Create and store a key; now: epoch milliseconds. Only the result contains the secret.

    Raises: UnusableFile: no database. BadSettings: unknown account or user.
    """
    with opened(target, upgrade=True) as store:
        return keep_new_key(store, order, now=now)


def keep_new_key(store: "Database", order: KeyOrder, *, now: int) -> dict[str, object]:
    """Create and store a key; now: epoch milliseconds. Only the result contains the secret.

    Raises: BadSettings: unknown account or user.
    """
    from frontdesk.service.api_keys import new_key

    key = new_key()
    expires_at = None if order.expires_in is None else now + order.expires_in

    def keep(connection: "Connection") -> dict[str, object]:
        account_id = account_named(connection, order.account)["id"]
        user = known_user(connection, account_id, order.user) if order.user else None
        row = {
            "account_id": account_id,
            "name": order.name,
            "scopes": " ".join(order.scopes),
            "user_id": 0 if user is None else user["id"],
        }
        return _keep(connection, key, row, now, expires_at)

    return store.write(keep)


def rotate_key(target: str | Path, key_id: str, overlap: int, *, now: int) -> dict[str, object]:
    """Create a key like an existing one, which expires after `overlap` milliseconds.

    Raises: BadSettings: no such key, or it has ended already.
    """
    from frontdesk.service.api_keys import new_key
    from frontdesk.store.accounts import end_key, revoke_key
    from frontdesk.wire import timestamp

    key = new_key()

    def rotate(connection: "Connection") -> dict[str, object]:
        old = _key(connection, key_id)
        if _state(old, now) != "active":
            raise BadSettings(f"The key {key_id} has ended: make a new one with keys create")
        lifetime = None if old["expires_at"] is None else old["expires_at"] - old["created_at"]
        made = _keep(connection, key, old, now, None if lifetime is None else now + lifetime)
        if overlap:
            end_key(connection, key_id, now + overlap)
        else:
            revoke_key(connection, key_id, now)
        ends_at = min(now + overlap, old["expires_at"] or now + overlap)
        return made | {"old_key_id": key_id, "old_ends_at": timestamp(ends_at)}

    with opened(target, upgrade=True) as store:
        return store.write(rotate)


def show_new_key(members: dict[str, object], output: Output) -> None:
    """Print a new key, the only time that it is shown; standard output has just the key or JSON."""
    if output.format == "json":
        output.write_value(members)
    else:
        click.echo(
            f"The key {members['name']!r} is shown this once; keep it like a password:", err=True
        )
        click.echo(members["key"])


def _keep(
    connection: "Connection", key: str, like: "Row", now: int, expires_at: int | None
) -> dict[str, object]:
    """Store a key with the account, user, name and scopes of `like`."""
    from frontdesk.service.api_keys import key_hash, key_id
    from frontdesk.store.accounts import NewKey, add_key
    from frontdesk.wire import timestamp

    user_id = like["user_id"] or None
    add_key(
        connection,
        NewKey(
            key_id=key_id(key),
            account_id=like["account_id"],
            secret_hash=key_hash(key),
            last4=key[-4:],
            name=like["name"],
            scopes=tuple(like["scopes"].split()),
            user_id=user_id,
            created_at=now,
            expires_at=expires_at,
        ),
    )
    return {
        "key": key,
        "key_id": key_id(key),
        "name": like["name"],
        "scopes": like["scopes"].split(),
        "user_id": None if user_id is None else str(user_id),
        "expires_at": None if expires_at is None else timestamp(expires_at),
    }


def _key(connection: "Connection", key_id: str) -> "Row":
    """Raises: BadSettings: unknown key."""
    from frontdesk.store.accounts import find_key

    row = find_key(connection, key_id)
    if row is None:
        # The argument may be a whole key by mistake, so it is not quoted.
        raise BadSettings("The database has no key with this id; see frontdesk keys list")
    return row


def _state(row: "Row", now: int) -> str:
    if row["revoked_at"] is not None:
        return "revoked"
    return "expired" if row["expires_at"] is not None and row["expires_at"] <= now else "active"


def _described(row: "Row", now: int) -> dict[str, Any]:
    from frontdesk.wire import timestamp

    times = {
        name: None if row[name] is None else timestamp(row[name])
        for name in ("created_at", "last_used_at", "expires_at", "revoked_at")
    }
    return {
        "key_id": row["key_id"],
        "account": row["account"],
        "name": row["name"],
        "last4": row["last4"],
        "scopes": row["scopes"].split(),
        "user_id": str(row["user_id"]) if row["user_id"] else None,
        "user": row["user_name"],
        **times,
        "state": _state(row, now),
    }


def _scopes(row: dict[str, Any]) -> str:
    from frontdesk.service.api_keys import MASKED_SCOPE, SCOPES

    scopes = row["scopes"]
    rest = [scope for scope in scopes if scope != MASKED_SCOPE]
    words = ["all"] if set(rest) == set(SCOPES) else [one.removesuffix(":read") for one in rest]
    return " ".join([*words, *(scope for scope in scopes if scope == MASKED_SCOPE)])


def _lifetime(text: str | None) -> int | None:
    """Parse a positive duration to milliseconds."""
    if text is None:
        return None
    duration = parse_duration(text, "hdw")
    if not duration:
        raise click.BadParameter("give a number and h, d or w, such as 90d")
    return duration // timedelta(milliseconds=1)


def _scopes_of(all_read: bool, scopes: tuple[str, ...]) -> tuple[str, ...]:
    from frontdesk.service.api_keys import MASKED_SCOPE, SCOPES

    known = (*SCOPES, MASKED_SCOPE)
    if all_read == bool({*scopes} - {MASKED_SCOPE}):
        raise click.UsageError(f"Give either --all-read or --scope; {MASKED_SCOPE} goes with both.")
    unknown = [scope for scope in scopes if scope not in known]
    if unknown:
        raise click.BadParameter(
            f"{unknown[0]!r} is none of {', '.join(known)}", param_hint="'--scope'"
        )
    granted = {*scopes, *(SCOPES if all_read else ())}
    return tuple(scope for scope in known if scope in granted)
