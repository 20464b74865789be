"""Files that are being received: private, counted and hashed, deleted unless they are kept."""

import errno
import hashlib
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from frontdesk.errors import FileTooLarge, NoRoom, Unreachable
from frontdesk.file_types import HEAD_BYTES
from frontdesk.system import private_files
from frontdesk.text.clean import file_size

LEAST_FREE_BYTES = 1_000_000_000
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# What nobody has written for so long was left behind by a killed process.
_ABANDONED_SECONDS = 3_600.0


class FilesUnusable(Unreachable):
    """The place of files is missing, or cannot be read or written."""


class IncomingFile:
    """A file that is being written: counted and hashed.

    most_bytes: limit of its size. path: where the bytes lie until `keep`. head: its first bytes,
    for `file_types.media_type`. size: bytes so far.
    """

    def __init__(
        self, file: BinaryIO, path: Path, most_bytes: int, store: Callable[["IncomingFile"], None]
    ) -> None:
        """store: takes this file to its place for good."""
        self.file = file
        self.path = path
        self.most_bytes = most_bytes
        self._store = store
        self._hash = hashlib.sha256()
        self.head = b""
        self.size = 0

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes so far, in hex."""
        return self._hash.hexdigest()

    def write(self, chunk: bytes) -> None:
        """Raises: FileTooLarge. OSError."""
        self.size += len(chunk)
        if self.size > self.most_bytes:
            raise FileTooLarge(f"The file is larger than {file_size(self.most_bytes)}")
        self._hash.update(chunk)
        self.head += chunk[: HEAD_BYTES - len(self.head)]
        rest = memoryview(chunk)
        # A full disk takes a part before it fails.
        while rest:
            rest = rest[self.file.write(rest) :]

    def restart(self) -> None:
        """Drop what was written."""
        self.file.seek(0)
        self.file.truncate()
        self._hash, self.head, self.size = hashlib.sha256(), b"", 0

    def keep(self) -> str:
        """Store the file under its digest, durably; return the digest.

        Raises: OSError, FilesUnusable.
        """
        self._store(self)
        return self.digest


@contextmanager
def receiving(
    path: Path, most_bytes: int, store: Callable[[IncomingFile], None]
) -> Iterator[IncomingFile]:
    """Write a new file; what `keep` has not taken away is deleted. Raises: OSError."""
    try:
        with open(path, "xb", 0, opener=private_files.opener) as file:
            yield IncomingFile(file, path, most_bytes, store)
    finally:
        path.unlink(missing_ok=True)


def disk_space(place: Path) -> int:
    """Free space of the disk of a path, which need not exist. Raises: OSError."""
    existing = next(path for path in (place, *place.parents) if path.exists())
    return shutil.disk_usage(existing).free


def require_room(place: Path, least_free_bytes: int) -> None:
    """Raises: NoRoom: the disk has less free space than that. OSError."""
    if disk_space(place) < least_free_bytes:
        raise NoRoom(f"The disk of {place} has less than {file_size(least_free_bytes)} free")


@contextmanager
def disk_errors(place: Path) -> Iterator[None]:
    """Raises: NoRoom, FilesUnusable: in place of OSError."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise NoRoom(f"The disk of {place} is full") from error
        raise FilesUnusable(f"{place} cannot be used: {error.strerror}") from error


def abandoned(paths: Iterable[Path]) -> Iterator[Path]:
    """Those of the paths that nobody has written for an hour."""
    for path in paths:
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                yield path
