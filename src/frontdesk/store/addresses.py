"""What `--database` may be: the path of a file, or the address of a PostgreSQL database."""

import re
from pathlib import Path

from frontdesk.errors import BadSettings

_SCHEMES = ("postgresql://", "postgres://")
_PASSWORDS = re.compile(r"(?<=[?&])((?:ssl)?password=)[^&]*")


def is_address(target: str | Path) -> bool:
    """Whether `target` is an address; anything else is a path."""
    return str(target).startswith(_SCHEMES)


def checked(address: str) -> str:
    """An address whose password ends where it seems to.

    Raises: BadSettings: it holds characters that must be written as %40, %2F and so on.
    """
    place = address.partition("://")[2].partition("?")[0]
    user, _, rest = place.partition("@")
    if "@" in rest or (rest and "/" in user):
        raise BadSettings(
            "The database's address cannot be read: in a user's name or password, "
            "write %40 for @ and %2F for /"
        )
    return address


def shown(target: str | Path) -> str:
    """The target as it may be printed: without a password."""
    if not is_address(target):
        return str(target)
    scheme, _, rest = str(target).partition("://")
    place, mark, query = rest.partition("?")
    credentials, at, where = place.rpartition("@")
    user, colon, _ = credentials.partition(":")
    hidden = f"{user}:***" if colon else user
    return f"{scheme}://{hidden}{at}{where}" + _PASSWORDS.sub(r"\1***", mark + query)


def short_name(target: str | Path) -> str:
    """What a title says of it: the file's or the database's name."""
    if not is_address(target):
        return Path(target).stem
    place = shown(target).partition("://")[2].partition("?")[0]
    return place.partition("/")[2] or "inbox"
