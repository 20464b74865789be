"""Files that messages name: requests for them, written with the messages."""

import base64
import binascii
import json
import re
import secrets
from collections.abc import Collection, Iterable

from frontdesk.store import media, media_texts
from frontdesk.store.database import Connection
from frontdesk.store.media import PROVIDER_MILLISECONDS, WHATSAPP, MediaRequest
from frontdesk.store.media_texts import FileText
from frontdesk.store.rows import MessageRow
from frontdesk.wire.values import MEDIA_TYPES

# Sources whose ids are those of the Cloud API.
_CLOUD_API = ("webhook", "history", "echo", "archive")
_ID = re.compile(r"[0-9A-Za-z_-]{1,200}")
_SHA256_BYTES = 32


def new_key() -> str:
    """Key of a file in `/v1/media/{key}`: 128 random bits."""
    return secrets.token_urlsafe(16)


def request_of(row: MessageRow, now: int) -> MediaRequest | None:
    """The file that a message names; None if it names none that the provider still gives out."""
    if row["media_json"] is None or row["type"] not in MEDIA_TYPES or row["deleted_at"] is not None:
        return None
    members = json.loads(row["media_json"])
    remote = members.get("id")
    if row["source"] not in _CLOUD_API or not isinstance(remote, str) or not _ID.fullmatch(remote):
        return None
    if row["created_at"] <= now - PROVIDER_MILLISECONDS:
        return None
    return MediaRequest(
        new_key(),
        row["id"],
        row["channel_id"],
        row["type"],
        WHATSAPP,
        remote,
        row["created_at"],
        hex_digest(members.get("sha256")),
        members.get("filename"),
    )


def hex_digest(text: object) -> str | None:
    """SHA-256 in hex, from hex or base64; None if it is neither.

    The provider writes base64 in webhooks and hex elsewhere.
    """
    if not isinstance(text, str):
        return None
    if re.fullmatch("[0-9a-fA-F]{64}", text):
        return text.lower()
    try:
        digest = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return digest.hex() if len(digest) == _SHA256_BYTES else None


def request_new(
    connection: Connection, account_id: int, rows: Iterable[MessageRow], now: int
) -> None:
    """Request the files of messages that were just inserted."""
    requests = [request for row in rows if (request := request_of(row, now)) is not None]
    if requests:
        media.add(connection, account_id, requests)


def request_missing(
    connection: Connection, account_id: int, after: int, conversation_id: int | None, now: int
) -> int:
    """Request the files of stored messages after a time that have none; return their number."""
    rows = media.messages_without_file(
        connection, account_id, after, conversation_id, requested=False
    )
    requests = [request for row in rows if (request := request_of(row, now)) is not None]
    media.add(connection, account_id, requests)
    return len(requests)


def request_changed(
    connection: Connection, account_id: int, rows: Collection[MessageRow], now: int
) -> None:
    """Request the files of messages that were changed, and remove those of deleted ones."""
    changed = [row for row in rows if row["media_json"] is not None or row["deleted_at"]]
    if not changed:
        return
    stored = media.of_messages(connection, account_id, [row["id"] for row in changed])
    deleted = [row["id"] for row in changed if row["deleted_at"] and row["id"] in stored]
    media.remove(connection, account_id, deleted)
    for row in changed:
        request = request_of(row, now)
        known = stored.get(row["id"])
        if request is None:
            continue
        if known is None:
            media.add(connection, account_id, [request])
        elif known["source"] == WHATSAPP and known["remote"] != request.remote:
            media.replace_remote(connection, account_id, request)


def import_request(row: MessageRow, name: str | None) -> MediaRequest:
    """Request of a file that an import brings itself. name: of the file."""
    return MediaRequest(
        new_key(),
        row["id"],
        row["channel_id"],
        row["type"],
        media.IMPORT,
        None,
        row["created_at"],
        name=name,
    )


def keep_texts(
    connection: Connection, account_id: int, texts: Iterable[tuple[MessageRow, FileText]], now: int
) -> None:
    """Give messages the words of their files that an import brings, unless they have some."""
    for row, text in texts:
        if row["media_json"] is None or row["deleted_at"] is not None:
            continue
        # The file itself may come later, or never.
        media.add(connection, account_id, [import_request(row, None)], media.EXPIRED)
        known = media.of_messages(connection, account_id, [row["id"]])[row["id"]]
        if known["text"] is None:
            media_texts.set_text(connection, account_id, row["id"], text, now)
