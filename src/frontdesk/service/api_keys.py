"""API keys: generation, checksum, hashing and authentication."""

import hashlib
import hmac
import re
import secrets
import string
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from frontdesk.service.problems import ApiError, unauthorised
from frontdesk.store.accounts import account, find_key
from frontdesk.store.database import Connection, Row

# Scopes, with what each of them opens.
SCOPE_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "conversations:read": "conversations and their counts, with names and numbers in short",
        "messages:read": "messages, and `last_message` of conversations",
        "media:read": "files of messages: pictures, sounds, videos and documents",
        "notes:read": "internal notes",
        "contacts:read": "contacts with their custom fields",
        "labels:read": "labels",
        "custom_fields:read": "definitions of contact attributes",
        "users:read": "users",
        "teams:read": "teams",
        "channels:read": "channels",
        "canned_responses:read": "canned responses",
        "templates:read": "templates",
        "reports:read": "reports",
    }
)
SCOPES = tuple(SCOPE_WORDS)
# Opens nothing: what shows customers is masked, see `granted`.
MASKED_SCOPE = "contacts:masked"
# Of files, which have no endpoint among those that answer with JSON.
MEDIA_SCOPE = "media:read"

PREFIX = "fd_live_"
_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_KEY_ID_LENGTH, _SECRET_LENGTH, _CHECKSUM_LENGTH = 8, 40, 6
_KEY = re.compile(rf"{PREFIX}[0-9A-Za-z]{{54}}")
_NO_HASH = bytes(32)
# Who holds an in-memory key has the database too.
_ENABLE = "to enable it: frontdesk accounts enable"


@dataclass(frozen=True, slots=True)
class KeyGrant:
    """Permissions of a key: account, scopes, and the user meant by `assignee=me`, if any."""

    key_id: str
    account_id: int
    scopes: frozenset[str]
    user_id: int | None = None

    @property
    def masked(self) -> bool:
        """Customers are masked in all that the key reads."""
        return MASKED_SCOPE in self.scopes


@dataclass(frozen=True, slots=True)
class EphemeralKey:
    """In-memory API key, identified by its SHA-256 hash."""

    secret_hash: bytes = field(repr=False)
    grant: KeyGrant


@dataclass(frozen=True, slots=True)
class Principal:
    """Authenticated API key, with the account's state at the time of the read.

    account: its name in commands. mark: of the database. next_snooze: end of the account's earliest
    snooze, if any. stored: the key is stored in the database. last_used_at is None for an in-memory
    key and for one never used. Times are epoch milliseconds.
    """

    grant: KeyGrant
    account: str
    revision: int
    mark: str
    next_snooze: int | None = None
    stored: bool = False
    last_used_at: int | None = None


def new_key() -> str:
    """Generate a key: prefix, 8 characters of public id, 40 of secret, 6 of checksum."""
    body = PREFIX + "".join(
        secrets.choice(_ALPHABET) for _ in range(_KEY_ID_LENGTH + _SECRET_LENGTH)
    )
    return body + checksum(body)


def granted(scopes: Iterable[str]) -> frozenset[str]:
    """Return what the scopes of a key open: of masked ones contacts, and no files."""
    opened = frozenset(scopes)
    return (opened | {"contacts:read"}) - {MEDIA_SCOPE} if MASKED_SCOPE in opened else opened


def new_ephemeral_key(
    account_id: int, user_id: int | None = None, *, masked: bool = False
) -> tuple[str, EphemeralKey]:
    """Generate an in-memory key with every scope, to be passed to `create_app`."""
    key = new_key()
    scopes = granted((*SCOPES, MASKED_SCOPE) if masked else SCOPES)
    grant = KeyGrant(key_id(key), account_id, scopes, user_id)
    return key, EphemeralKey(key_hash(key), grant)


def is_well_formed(key: str) -> bool:
    """Check the format and the checksum; reads no database."""
    return bool(_KEY.fullmatch(key)) and key.endswith(checksum(key[:-_CHECKSUM_LENGTH]))


def key_id(key: str) -> str:
    """Extract the public id, which is safe to log."""
    return key[len(PREFIX) : len(PREFIX) + _KEY_ID_LENGTH]


def key_hash(key: str) -> bytes:
    """Hash a key for storage. The secret has 238 random bits, so plain SHA-256 is enough."""
    return hashlib.sha256(key.encode()).digest()


def claimed_key_id(authorization: Sequence[str]) -> str | None:
    """Return the key id claimed by `Authorization` headers, unverified; None if malformed."""
    try:
        key = credential(authorization)
    except ApiError:
        return None
    return key_id(key) if is_well_formed(key) else None


def authenticate(
    connection: Connection,
    authorization: Sequence[str],
    ephemeral_keys: Sequence[EphemeralKey],
    now: int,
) -> Principal:
    """Authenticate by the values of the `Authorization` headers, with one indexed read.

    Raises: ApiError: missing, invalid, revoked or expired key, or disabled account.
    """
    key = credential(authorization)
    if not is_well_formed(key):
        raise _invalid()
    secret_hash = key_hash(key)
    for ephemeral in ephemeral_keys:
        if hmac.compare_digest(ephemeral.secret_hash, secret_hash):
            return _ephemeral_principal(connection, ephemeral.grant)
    row = find_key(connection, key_id(key))
    # Compared even for an unknown id, so that timing does not reveal which ids exist.
    stored_hash = _NO_HASH if row is None else bytes(row["secret_hash"])
    genuine = hmac.compare_digest(stored_hash, secret_hash)
    if row is None or not genuine:
        raise _invalid()
    return _stored_principal(row, now)


def credential(authorization: Sequence[str]) -> str:
    """Return the key in `Authorization` headers. Raises: ApiError: there is not one."""
    if not authorization:
        raise unauthorised("missing_credentials", "Send the header Authorization: Bearer <key>.")
    if len(authorization) > 1:
        raise _invalid()
    scheme, _, key = authorization[0].strip(" \t").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise unauthorised("missing_credentials", "Send the header Authorization: Bearer <key>.")
    return key.strip()


def _ephemeral_principal(connection: Connection, grant: KeyGrant) -> Principal:
    row = account(connection, grant.account_id)
    if row is None:
        raise _invalid()
    _check_enabled(row, f"The account {row['slug']} is disabled; {_ENABLE} {row['slug']}")
    return Principal(grant, row["slug"], row["revision"], row["mark"], row["next_snooze"])


def _stored_principal(row: Row, now: int) -> Principal:
    if row["revoked_at"] is not None:
        raise unauthorised("key_revoked", "The API key has been revoked.")
    if row["expires_at"] is not None and row["expires_at"] <= now:
        raise unauthorised("key_expired", "The API key has expired.")
    _check_enabled(row, "The account of this API key is disabled.")
    grant = KeyGrant(
        row["key_id"],
        row["account_id"],
        granted(row["scopes"].split()),
        row["user_id"] or None,
    )
    return Principal(
        grant,
        row["slug"],
        row["revision"],
        row["mark"],
        row["next_snooze"],
        True,
        row["last_used_at"],
    )


def _check_enabled(row: Row, detail: str) -> None:
    if row["disabled"]:
        raise ApiError("account_disabled", detail)


def _invalid() -> ApiError:
    return unauthorised("invalid_key", "The API key is malformed or unknown.")


def checksum(body: str) -> str:
    """CRC-32 in base 62, which detects typing errors without a database read."""
    rest = zlib.crc32(body.encode())
    digits = ""
    for _ in range(_CHECKSUM_LENGTH):
        rest, digit = divmod(rest, len(_ALPHABET))
        digits = _ALPHABET[digit] + digits
    return digits
