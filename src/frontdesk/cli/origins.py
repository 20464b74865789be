"""The names that pages are kept under: for each server and key, and for each database, its own."""

from hashlib import sha256
from pathlib import Path


def origin_of(url: str, key: str) -> str:
    """Of a server's pages, for each key; it does not tell the key."""
    return f"{url.rstrip('/')} {sha256(key.encode()).hexdigest()[:16]}"


def database_origin(target: str, user_id: int | None) -> str:
    """Of a database's pages, for each user that is "me"."""
    from frontdesk.store.addresses import is_address, shown

    place = shown(target) if is_address(target) else Path(target).absolute()
    return f"{place} {user_id or ''}"
