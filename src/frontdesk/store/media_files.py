"""Files of messages by the SHA-256 of their bytes: what every place for them can do.

A file is never changed, and is shared by all messages of its account that have the same bytes; a
preview lies beside it. Rows of the table `media` say which are used (`store/media.py`). Places are
a directory (`store/media_directory.py`) and a bucket of S3 (`store/media_bucket.py`), with the
same layout: `<account>/ab/cd/<sha256>`.
"""

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from frontdesk.store.incoming_files import FilesUnusable, IncomingFile

LEAST_FREE_BYTES = 1_000_000_000
_PREVIEW = ".480.webp"
_DIGEST = re.compile("[0-9a-f]{64}")


class FileDeleted(FilesUnusable):
    """A file was deleted while it was read. Its place can be used."""


class StoredBytes(Protocol):
    """A stored file that is open for reading. chunk_bytes: how much to read at once."""

    size: int
    chunk_bytes: int

    def read(self, place: int, length: int) -> bytes:
        """Read up to `length` bytes from a place. Raises: OSError, FilesUnusable, FileDeleted."""

    def close(self) -> None: ...


class MediaFiles(ABC):
    """A place for files. Every method raises FilesUnusable if the place cannot be used.

    erasure_note: what deleting a file leaves to the operator, "" for nothing. deleted_at_once: how
    many files a transaction deletes; others wait for it.
    """

    erasure_note = ""
    deleted_at_once = 100

    @property
    @abstractmethod
    def place(self) -> str:
        """Where the files are, in words for operators."""

    @abstractmethod
    def free_bytes(self) -> int | None:
        """Free space; None if the place has no bounds."""

    @abstractmethod
    def receive(self, account_id: int, most_bytes: int) -> AbstractContextManager[IncomingFile]:
        """A file that is being written; it is deleted unless `keep` was called.

        Raises: NoRoom: the disk is, or becomes, full. FileTooLarge: over most_bytes.
        """

    @abstractmethod
    def size(self, account_id: int, digest: str) -> int | None:
        """Size of a file; None if it is not there, though its place is."""

    @abstractmethod
    def open(self, account_id: int, digest: str, *, preview: bool = False) -> StoredBytes | None:
        """Open a file, or its preview, for reading; None if it is not there."""

    @abstractmethod
    def save_preview(self, account_id: int, digest: str, content: bytes) -> None:
        """Write the preview of a stored picture. Raises: NoRoom."""

    @abstractmethod
    def delete(self, account_id: int, digest: str) -> None:
        """Delete a file with its preview, if it is there."""

    @abstractmethod
    def digests(self, account_id: int) -> Iterator[str]:
        """Digests of all files of an account, in no order; previews without a file among them."""

    @abstractmethod
    def sweep(self) -> int:
        """Delete what killed processes left half written; return the number of files."""

    def has(self, account_id: int, digest: str) -> bool:
        """Whether a file is there."""
        return self.size(account_id, digest) is not None

    def hash(self, account_id: int, digest: str) -> str | None:
        """SHA-256 of a file's bytes; None if it is not there."""
        file = self.open(account_id, digest)
        if file is None:
            return None
        sha256 = hashlib.sha256()
        try:
            for chunk in chunks(file):
                sha256.update(chunk)
        except FileDeleted:
            return None
        finally:
            file.close()
        return sha256.hexdigest()


def chunks(file: StoredBytes) -> Iterator[bytes]:
    """All bytes of a file, in pieces of its size of reading."""
    place = 0
    while chunk := file.read(place, file.chunk_bytes):
        yield chunk
        place += len(chunk)


def object_name(account_id: int, digest: str, *, preview: bool = False) -> str:
    """Name of a file in its place, with slashes. Raises: ValueError: no digest."""
    if not _DIGEST.fullmatch(digest):
        raise ValueError("a digest has 64 hexadecimal digits")
    name = f"{account_id}/{digest[:2]}/{digest[2:4]}/{digest}"
    return name + _PREVIEW if preview else name


def distinct_digests(names: Iterable[str]) -> Iterator[str]:
    """Digests of the last parts of names, each once; of others nothing."""
    known: set[str] = set()
    for name in names:
        digest = name.removesuffix(_PREVIEW)
        if _DIGEST.fullmatch(digest) and digest not in known:
            known.add(digest)
            yield digest
