"""Pagination cursors: signed sort keys, bound to account, endpoint and filters."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from frontdesk.store.conversations import Position

MAX_LENGTH = 512
_VERSION = "v1"
_MAC_BYTES = 16


class InvalidCursor(Exception):
    """Malformed or forged cursor, or one of an unknown version."""


class CursorMismatch(Exception):
    """Valid cursor of another endpoint, path, filter or account."""


@dataclass(frozen=True, slots=True)
class CursorCodec:
    """Cursor codec of one list."""

    secret: bytes
    account_id: int
    endpoint: str
    filters: Mapping[str, str]

    def encode(self, position: Position) -> str:
        """Encode the cursor after a row. position: its sort key, unique id last."""
        cursor = self._signed(list(position))
        if len(cursor) <= MAX_LENGTH:
            return cursor
        # A key too long for a cursor is omitted and looked up by the row's id.
        return self._signed([None] * (len(position) - 1) + [position[-1]])

    def decode(self, cursor: str, find: Callable[[int | str], Position | None]) -> Position:
        """Decode a cursor to a sort key. find: looks up an omitted sort key by row id.

        Raises: InvalidCursor, CursorMismatch.
        """
        account_id, endpoint, digest, *position = self._contents(cursor)
        if (account_id, endpoint, digest) != (self.account_id, self.endpoint, self._digest()):
            raise CursorMismatch
        if None not in position:
            return tuple(position)
        row = find(position[-1])
        if row is None:
            raise InvalidCursor
        return row

    def _signed(self, position: list[int | str | None]) -> str:
        contents = [self.account_id, self.endpoint, self._digest(), *position]
        payload = json.dumps(contents, separators=(",", ":"), ensure_ascii=False).encode()
        signed = f"{_VERSION}.{_text(payload)}"
        return f"{signed}.{self._mac(signed)}"

    def _contents(self, cursor: str) -> list[int | str]:
        signed, _, mac = cursor.rpartition(".")
        version, _, payload = signed.partition(".")
        genuine = hmac.compare_digest(self._mac(signed).encode(), mac.encode())
        if len(cursor) > MAX_LENGTH or version != _VERSION or not genuine:
            raise InvalidCursor
        try:
            contents: list[int | str] = json.loads(
                urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
            )
        except (NotBase64, ValueError) as error:
            raise InvalidCursor from error
        return contents

    def _digest(self) -> str:
        filters = json.dumps(sorted(self.filters.items()))
        return hashlib.sha256(filters.encode()).hexdigest()[:16]

    def _mac(self, signed: str) -> str:
        return _text(hmac.digest(self.secret, signed.encode(), "sha256")[:_MAC_BYTES])


def _text(payload: bytes) -> str:
    return urlsafe_b64encode(payload).rstrip(b"=").decode()
