"""Keys that a database keeps, made as a command makes them."""

from frontdesk.service.api_keys import SCOPES, key_hash, key_id, new_key
from frontdesk.store.accounts import NewKey, add_key
from frontdesk.store.database import Database


def keep(
    database: Database,
    *,
    scopes: tuple[str, ...] = SCOPES,
    expires_at: int | None = None,
    account_id: int = 1,
) -> str:
    """Keep a new key, and return it."""
    key = new_key()
    database.write(
        lambda connection: add_key(
            connection,
            NewKey(
                key_id=key_id(key),
                account_id=account_id,
                secret_hash=key_hash(key),
                last4=key[-4:],
                name="a test",
                scopes=scopes,
                user_id=None,
                created_at=0,
                expires_at=expires_at,
            ),
        )
    )
    return key
