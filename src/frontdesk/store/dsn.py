"""Database targets: the path of a SQLite file or the URL of a PostgreSQL database."""

import re
from pathlib import Path
from urllib.parse import unquote

from frontdesk.errors import BadSettings

_SCHEMES = ("postgresql://", "postgres://")
# URL of any scheme; one of an unknown scheme may contain a password too.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_SECRETS = ("password", "sslpassword")
_HIDDEN = "***"
# Text after the last colon of a host: a port, or the end of an IPv6 address.
_PORT = re.compile(r"[0-9]{0,5}|[^:]*\]")
# Keyword form of libpq, `host=… password='…'`. A value ends at an unquoted blank; an unclosed quote
# extends to the end.
_KEYWORDS = "host|hostaddr|port|dbname|user|password|passfile|service|sslmode|sslpassword|options"
_IS_KEYWORDS = re.compile(rf"(?:^|\s)(?:{_KEYWORDS})\s*=")
_KEYWORD_SECRET = re.compile(
    r"""((?:ssl)?password\s*=\s*)(?:'(?:\\.|[^'\\])*(?:'|\\?$)|(?:\\.|[^\s\\])*)""",
    re.DOTALL,
)


def is_address(target: str | Path) -> bool:
    """Check if `target` is a PostgreSQL URL; anything else is a path.

    Raises: BadSettings: another URL or a libpq keyword string. The message does not repeat it, as
    it may contain a password.
    """
    text = str(target)
    if text.startswith(_SCHEMES):
        return True
    if _URL.match(text) or _IS_KEYWORDS.search(text):
        raise BadSettings(
            "The database is named by the path of a file, or by an address that begins with "
            "postgresql://, such as postgresql://USER@HOST/NAME; it is neither of these"
        )
    return False


def checked(address: str) -> str:
    """Return a URL whose credentials are unambiguous.

    Raises: BadSettings: reserved characters in the user name or password are not percent-encoded.
    """
    place = address.partition("://")[2].partition("?")[0]
    user, _, rest = place.rpartition("@")
    ports = (host.rpartition(":")[2] for host in rest.partition("/")[0].split(",") if ":" in host)
    if "@" in user or "/" in user or not all(map(_PORT.fullmatch, ports)):
        raise BadSettings(
            "The database's address cannot be read: in a user's name or password, "
            "write %40 for @, %2F for / and %3F for ?; a port is a number"
        )
    return address


def without_password(target: str | Path) -> str:
    """Mask passwords in a target, for messages and logs."""
    text = str(target)
    if not _URL.match(text):
        keywords = _IS_KEYWORDS.search(text)
        return _KEYWORD_SECRET.sub(rf"\1{_HIDDEN}", text) if keywords else text
    scheme, _, rest = text.partition("://")
    place, mark, query = rest.partition("?")
    if "@" in query and ":" in place:
        # Possibly a password with an unencoded question mark: treat all of it as the authority.
        place, mark, query = rest, "", ""
    credentials, at, where = place.rpartition("@")
    user, colon, _ = credentials.partition(":")
    hidden = f"{user}:{_HIDDEN}" if colon else user
    parameters = "&".join(map(_parameter, query.split("&")))
    return f"{scheme}://{hidden}{at}{where}{mark}{parameters}"


def _parameter(text: str) -> str:
    """Mask the value of a secret query parameter."""
    name, equals, _ = text.partition("=")
    return f"{name}{equals}{_HIDDEN}" if equals and unquote(name).strip() in _SECRETS else text


def short_name(target: str | Path) -> str:
    """Return a short name for titles: the file's stem or the database's name."""
    if not is_address(target):
        return Path(target).stem
    place = without_password(target).partition("://")[2].partition("?")[0]
    return place.partition("/")[2] or "inbox"
