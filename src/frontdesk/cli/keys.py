"""`frontdesk keys`: API keys of a database are made here, since no request can."""

import json
import re
import time
from dataclasses import dataclass
from pathlib import Path

import click

from frontdesk.cli.commands import Group

_MILLISECONDS = {"h": 3_600_000, "d": 86_400_000, "w": 604_800_000}


@dataclass(frozen=True, slots=True)
class KeyOrder:
    """What a new key is to open. expires_in: milliseconds, None for ever."""

    account: str
    name: str
    user: str | None
    scopes: tuple[str, ...]
    expires_in: int | None


@click.group("keys", cls=Group)
def keys_group() -> None:
    """Make API keys for a database."""


@keys_group.command("create")
@click.option(
    "--database",
    required=True,
    type=click.Path(path_type=Path),
    help="The database that the key opens.",
)
@click.option("--name", required=True, help="What the key is for.")
@click.option("--account", default="default", show_default=True, help="The account it opens.")
@click.option("--user", help="Whose key it is (e-mail address or key): makes 'mine' work.")
@click.option("--all-read", is_flag=True, help="Give every scope that there is today.")
@click.option("--scope", "scopes", multiple=True, help="Give one scope; may be repeated.")
@click.option(
    "--expires",
    "expires_in",
    callback=lambda context, option, text: _lifetime(text),
    help="How long it lives: 12h, 90d or 8w.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def create_command(
    database: Path,
    name: str,
    account: str,
    user: str | None,
    all_read: bool,
    scopes: tuple[str, ...],
    expires_in: int | None,
    as_json: bool,
) -> None:
    """Make an API key and print it, once: only its hash is kept."""
    order = KeyOrder(account, name, user, _asked_scopes(all_read, scopes), expires_in)
    made = make_key(database, order, now=time.time_ns() // 1_000_000)
    if as_json:
        click.echo(json.dumps(made, ensure_ascii=False))
    else:
        click.echo(f"The key {name!r} is shown this once; keep it like a password:", err=True)
        click.echo(made["key"])


def make_key(path: Path, order: KeyOrder, *, now: int) -> dict[str, object]:
    """Make and keep a key; now is in epoch milliseconds. The answer alone holds the key itself.

    Raises: UnusableFile: there is no such database. BadSettings: no such account or user.
    """
    from frontdesk.errors import BadSettings
    from frontdesk.service.auth import key_hash, key_id, new_key
    from frontdesk.store.accounts import account_by_slug
    from frontdesk.store.database import Connection
    from frontdesk.store.keys import NewKey, add_key, user_named
    from frontdesk.store.sqlite import SQLiteDatabase
    from frontdesk.wire import timestamp

    key = new_key()
    expires_at = None if order.expires_in is None else now + order.expires_in

    def keep(connection: Connection) -> int | None:
        account = account_by_slug(connection, order.account)
        if account is None:
            raise BadSettings(f"The database has no account {order.account!r}")
        user = user_named(connection, account["id"], order.user) if order.user else None
        if order.user and user is None:
            raise BadSettings(f"The account has no user {order.user!r}")
        user_id = None if user is None else int(user["id"])
        add_key(
            connection,
            NewKey(
                key_id=key_id(key),
                account_id=account["id"],
                secret_hash=key_hash(key),
                last4=key[-4:],
                name=order.name,
                scopes=order.scopes,
                user_id=user_id,
                created_at=now,
                expires_at=expires_at,
            ),
        )
        return user_id

    database = SQLiteDatabase(path)
    try:
        user_id = database.write(keep)
    finally:
        database.close()
    return {
        "key": key,
        "key_id": key_id(key),
        "name": order.name,
        "scopes": list(order.scopes),
        "user_id": None if user_id is None else str(user_id),
        "expires_at": None if expires_at is None else timestamp(expires_at),
    }


def _lifetime(text: str | None) -> int | None:
    """Milliseconds, from a number and h, d or w."""
    if text is None:
        return None
    told = re.fullmatch(r"([1-9][0-9]{0,4})([hdw])", text)
    if told is None:
        raise click.BadParameter("give a number and h, d or w, such as 90d")
    return int(told[1]) * _MILLISECONDS[told[2]]


def _asked_scopes(all_read: bool, scopes: tuple[str, ...]) -> tuple[str, ...]:
    from frontdesk.service.auth import SCOPES

    if all_read == bool(scopes):
        raise click.UsageError("Give either --all-read or --scope.")
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown:
        raise click.BadParameter(
            f"{unknown[0]!r} is none of {', '.join(SCOPES)}", param_hint="'--scope'"
        )
    return SCOPES if all_read else tuple(scope for scope in SCOPES if scope in scopes)
