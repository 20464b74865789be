"""Cache origins: keys that separate cached pages by server and key, or by database and user."""

from hashlib import sha256
from pathlib import Path


def origin_of(url: str, key: str) -> str:
    """Return the origin of a server and key, without revealing the key."""
    return f"{url.rstrip('/')} {sha256(key.encode()).hexdigest()[:16]}"


def database_origin(target: str, user_id: int | None) -> str:
    """Return the origin of a database and the user meant by "me"."""
    from frontdesk.store.dsn import is_address, shown

    place = shown(target) if is_address(target) else Path(target).absolute()
    return f"{place} {user_id or ''}"
