"""Files of messages by the SHA-256 of their bytes, in a directory: `DIR/<account>/ab/cd/<sha256>`.

A file is written below `incoming`, synchronised and renamed, so that it is whole or not there. It
is private (0600), never changed, and shared by all messages of its account that have the same
bytes. Previews lie beside it. Rows of the table `media` say which are used (`store/media.py`).
"""

import errno
import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from frontdesk.errors import FileTooLarge, NoRoom, Unreachable
from frontdesk.file_types import HEAD_BYTES
from frontdesk.system import private_files
from frontdesk.text.clean import file_size

LEAST_FREE_BYTES = 1_000_000_000
_PREVIEW = ".480.webp"
_INCOMING = "incoming"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# A file below `incoming` that nobody has written for so long was left behind by a killed process.
_ABANDONED_SECONDS = 3_600.0
_RENAME_TRIES = 10
_DIGEST = re.compile("[0-9a-f]{64}")


class FilesUnusable(Unreachable):
    """The directory is missing, or cannot be read or written."""


class MediaFiles:
    """A directory of files. Every method raises FilesUnusable if the directory cannot be used."""

    def __init__(self, root: Path, *, least_free_bytes: int = LEAST_FREE_BYTES) -> None:
        """least_free_bytes: free space of the disk below which nothing is written."""
        self._root = root
        self._least_free_bytes = least_free_bytes

    @property
    def root(self) -> Path:
        return self._root

    def free_bytes(self) -> int:
        """Free space of the disk."""
        with self._usable():
            place = next(path for path in (self._root, *self._root.parents) if path.exists())
            return shutil.disk_usage(place).free

    @contextmanager
    def receive(self, account_id: int, most_bytes: int) -> Iterator["IncomingFile"]:
        """A file that is being written; it is deleted unless `keep` was called.

        Raises: NoRoom: the disk is, or becomes, full. FileTooLarge: over most_bytes.
        """
        with self._usable():
            if self.free_bytes() < self._least_free_bytes:
                least = file_size(self._least_free_bytes)
                raise NoRoom(f"The disk of {self._root} has less than {least} free")
            folder = self._root / _INCOMING
            self.make_folder(folder)
            partial = folder / f"{os.getpid()}-{secrets.token_hex(8)}"
            try:
                with open(partial, "xb", 0, opener=private_files.opener) as file:
                    yield IncomingFile(self, account_id, file, partial, most_bytes)
            finally:
                partial.unlink(missing_ok=True)

    def make_folder(self, folder: Path) -> None:
        """Make a folder of the directory, private like those around it. Raises: OSError."""
        self._root.parent.mkdir(parents=True, exist_ok=True)
        path = self._root
        for name in ("", *folder.relative_to(self._root).parts):
            path /= name
            path.mkdir(mode=0o700, exist_ok=True)

    def path(self, account_id: int, digest: str) -> Path:
        """Where a file lies, or would lie."""
        if not _DIGEST.fullmatch(digest):
            raise ValueError("a digest has 64 hexadecimal digits")
        return self._root / str(account_id) / digest[:2] / digest[2:4] / digest

    def preview_path(self, account_id: int, digest: str) -> Path:
        """Where the preview of a picture lies, or would lie."""
        return self.path(account_id, digest).with_name(digest + _PREVIEW)

    def size(self, path: Path) -> int | None:
        """Size of a file; None if it is not there, though its directory is."""
        with self._usable():
            try:
                return path.lstat().st_size
            except FileNotFoundError:
                if not self._root.is_dir():
                    raise
                return None

    def save_preview(self, account_id: int, digest: str, content: bytes) -> None:
        """Write the preview of a stored picture. Raises: NoRoom."""
        with self.receive(account_id, len(content)) as incoming:
            incoming.write(content)
            incoming.keep_as(self.preview_path(account_id, digest))

    def delete(self, account_id: int, digest: str) -> int:
        """Delete a file with its preview, if it is there; return the bytes freed.

        A directory that is missing may be mounted later, with the file in it: FilesUnusable.
        """
        freed = 0
        with self._usable():
            self._root.stat()
            for path in (self.path(account_id, digest), self.preview_path(account_id, digest)):
                freed += _unlink(path)
            _remove_empty(path.parent, path.parent.parent, path.parent.parent.parent)
        return freed

    def digests(self, account_id: int) -> Iterator[str]:
        """Digests of all files of an account, in no order; previews without a file among them."""
        with self._usable():
            known: set[str] = set()
            for path in (self._root / str(account_id)).glob("??/??/*"):
                digest = path.name.removesuffix(_PREVIEW)
                if _DIGEST.fullmatch(digest) and digest not in known:
                    known.add(digest)
                    yield digest

    def hash(self, account_id: int, digest: str) -> str | None:
        """SHA-256 of a file's bytes; None if it is not there."""
        with self._usable():
            try:
                with self.path(account_id, digest).open("rb") as file:
                    return hashlib.file_digest(file, "sha256").hexdigest()
            except FileNotFoundError:
                return None

    def sweep(self) -> int:
        """Delete what killed processes left half written; return the number of files."""
        count = 0
        with self._usable():
            for path in (self._root / _INCOMING).glob("*"):
                with suppress(FileNotFoundError):
                    if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                        path.unlink()
                        count += 1
        return count

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """Raises: NoRoom, FilesUnusable: in place of OSError."""
        try:
            yield
        except OSError as error:
            if error.errno in _FULL:
                raise NoRoom(f"The disk of {self._root} is full") from error
            raise FilesUnusable(f"{self._root} cannot be used: {error.strerror}") from error


class IncomingFile:
    """A file that is being written: counted and hashed.

    most_bytes: limit of its size. head: its first bytes, for `file_types.media_type`. size: bytes
    so far.
    """

    def __init__(
        self, files: MediaFiles, account_id: int, file: BinaryIO, partial: Path, most_bytes: int
    ) -> None:
        self._files = files
        self._account_id = account_id
        self._file = file
        self._partial = partial
        self.most_bytes = most_bytes
        self._hash = hashlib.sha256()
        self.head = b""
        self.size = 0

    @property
    def path(self) -> Path:
        """Where the bytes lie until `keep`."""
        return self._partial

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
            rest = rest[self._file.write(rest) :]

    def restart(self) -> None:
        """Drop what was written."""
        self._file.seek(0)
        self._file.truncate()
        self._hash, self.head, self.size = hashlib.sha256(), b"", 0

    def keep(self) -> str:
        """Store the file under its digest, durably; return the digest. Raises: OSError."""
        self.keep_as(self._files.path(self._account_id, self.digest))
        return self.digest

    def keep_as(self, path: Path) -> None:
        """Store the file under another path of the directory. Raises: OSError."""
        os.fsync(self._file.fileno())
        self._file.close()
        for attempt in range(1, _RENAME_TRIES + 1):
            # The folder may be removed meanwhile, with the last file in it.
            try:
                self._files.make_folder(path.parent)
                os.replace(self._partial, path)
                break
            except FileNotFoundError:
                if attempt == _RENAME_TRIES:
                    raise
        with suppress(FileNotFoundError):
            _synchronise(path.parent)


def _synchronise(folder: Path) -> None:
    """Make a rename durable; Windows has no descriptors of folders."""
    if os.name == "nt":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _unlink(path: Path) -> int:
    """Delete a file; return its size, 0 if it is not there."""
    try:
        size = path.lstat().st_size
        path.unlink()
    except FileNotFoundError:
        return 0
    return size


def _remove_empty(*folders: Path) -> None:
    """Remove folders, inner ones first, up to the first that has files."""
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()
