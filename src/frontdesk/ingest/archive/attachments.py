"""Directory of files beside an export: the layout of the store, without an account in common.

A line of a message says the SHA-256 of its file (`media.sha256`), by which an import finds it.
"""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from frontdesk.errors import UnusableFile
from frontdesk.ingest.media.attaching import FileTarget, Write, attach
from frontdesk.ingest.media.requests import hex_digest
from frontdesk.store import media
from frontdesk.store.database import Connection
from frontdesk.store.incoming_files import IncomingFile
from frontdesk.store.media_directory import MediaDirectory
from frontdesk.store.media_files import FileDeleted, MediaFiles, chunks
from frontdesk.store.rows import MessageRow
from frontdesk.wire import timestamp

_CHUNK_BYTES = 1 << 20


class FileArchive:
    """Files of an export below a directory. Every file is checked when it is read."""

    def __init__(self, root: Path) -> None:
        self._files = MediaDirectory(root, least_free_bytes=0)

    def add(self, source: MediaFiles, account_id: int, digest: str) -> bool:
        """Copy a stored file unless it is there already; False if the store does not have it.

        Raises: NoRoom, Unreachable: the archive cannot be written.
        """
        file = source.open(account_id, digest)
        if file is None:
            return False
        try:
            if self._files.root.is_dir() and self._files.size(account_id, digest) == file.size:
                return True
            with self._files.receive(account_id, file.size) as incoming:
                for chunk in chunks(file):
                    incoming.write(chunk)
                return incoming.keep() == digest
        except FileDeleted:
            return False
        finally:
            file.close()

    def find(self, digest: str) -> Path | None:
        """Path of a file, of whichever account."""
        return self._files.find(digest) if self._files.root.is_dir() else None


def attach_files(
    target: FileTarget, account_id: int, archive: FileArchive, advance: Callable[[int], object]
) -> Counter[str]:
    """Store the files of an account's messages that an archive has; see `attach`.

    Those that messages name and the archive lacks count as `missing`.
    """
    rows = target.database.read_latest(
        lambda c: media.messages_without_file(c, account_id, -1, None, requested=True)
    )
    missing: Counter[str] = Counter()

    def found() -> Iterator[tuple[MessageRow, str | None, Write]]:
        for row in rows:
            members = json.loads(row["media_json"] or "{}")
            digest = hex_digest(members.get("sha256"))
            path = archive.find(digest) if digest else None
            if digest is None or path is None:
                missing["missing"] += digest is not None
                continue
            yield row, members.get("filename"), partial(_copy, path, digest)

    return attach(target, account_id, found(), advance) + missing


def _copy(path: Path, digest: str, incoming: IncomingFile) -> None:
    """Raises: UnusableFile: the bytes are not those of the digest."""
    try:
        with path.open("rb") as file:
            shutil.copyfileobj(file, incoming, _CHUNK_BYTES)
    except FileNotFoundError:
        raise UnusableFile("The file is gone") from None
    if incoming.digest != digest:
        raise UnusableFile("The file is damaged")


def stored_digest(connection: Connection, account_id: int, message_id: int) -> str | None:
    """SHA-256 of the file of a message; None if it is not stored."""
    row = media.of_messages(connection, account_id, [message_id]).get(message_id)
    return row["digest"] if row is not None and row["state"] == media.STORED else None


def file_text(connection: Connection, account_id: int, message_id: int) -> dict[str, str | None]:
    """What was read in the file of a message, as its line has it."""
    row = media.of_messages(connection, account_id, [message_id])[message_id]
    members = {name: row[f"text_{name}"] for name in ("by", "language")}
    return {"text": row["text"], **members, "at": timestamp(row["text_at"])}
