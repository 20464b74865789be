"""Directory of files of messages: `DIR/<account>/ab/cd/<sha256>`.

A file is written below `incoming`, synchronised and renamed, so that it is whole or not there. It
is private (0600). Symbolic links below the directory lead nowhere, and what is no regular file is
not there: it is neither read nor deleted.
"""

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from frontdesk.store.incoming_files import (
    LEAST_FREE_BYTES,
    IncomingFile,
    abandoned,
    disk_errors,
    disk_space,
    receiving,
    require_room,
)
from frontdesk.store.media_files import MediaFiles, distinct_digests, object_name

_INCOMING = "incoming"
_RENAME_TRIES = 10


class OpenFile:
    """A file that is open for reading; deleting it does not cut a response off."""

    chunk_bytes = 65_536

    def __init__(self, number: int) -> None:
        self._number = number
        self.size = os.fstat(number).st_size

    def read(self, place: int, length: int) -> bytes:
        os.lseek(self._number, place, os.SEEK_SET)
        return os.read(self._number, length)

    def close(self) -> None:
        os.close(self._number)


class MediaDirectory(MediaFiles):
    """A directory of files."""

    def __init__(self, root: Path, *, least_free_bytes: int = LEAST_FREE_BYTES) -> None:
        """least_free_bytes: free space of the disk below which nothing is written."""
        self._root = root
        self._least_free_bytes = least_free_bytes

    @property
    def root(self) -> Path:
        return self._root

    @property
    def place(self) -> str:
        return str(self._root)

    def free_bytes(self) -> int:
        """Free space of the disk."""
        with self._usable():
            return disk_space(self._root)

    def receive(self, account_id: int, most_bytes: int) -> AbstractContextManager[IncomingFile]:
        return self._incoming(
            most_bytes, lambda file: self._keep_as(file, self.path(account_id, file.digest))
        )

    @contextmanager
    def _incoming(
        self, most_bytes: int, store: Callable[[IncomingFile], None]
    ) -> Iterator[IncomingFile]:
        with self._usable():
            require_room(self._root, self._least_free_bytes)
            folder = self._root / _INCOMING
            self._make_folder(folder)
            partial = folder / f"{os.getpid()}-{secrets.token_hex(8)}"
            with receiving(partial, most_bytes, store) as incoming:
                yield incoming

    def _make_folder(self, folder: Path) -> None:
        """Make a folder of the directory, private like those around it. Raises: OSError."""
        self._root.parent.mkdir(parents=True, exist_ok=True)
        path = self._root
        for name in ("", *folder.relative_to(self._root).parts):
            path /= name
            # Not `exist_ok`: that raises for a folder that is removed while it looks.
            with suppress(FileExistsError):
                path.mkdir(mode=0o700)
            if name and path.is_symlink():
                raise OSError(errno.ELOOP, f"{path} is a symbolic link", str(path))

    def _keep_as(self, incoming: IncomingFile, path: Path) -> None:
        """Store a file under a path of the directory. Raises: OSError."""
        os.fsync(incoming.file.fileno())
        incoming.file.close()
        for attempt in range(1, _RENAME_TRIES + 1):
            # The folder may be removed meanwhile, with the last file in it.
            try:
                self._make_folder(path.parent)
                os.replace(incoming.path, path)
                break
            except FileNotFoundError:
                if attempt == _RENAME_TRIES:
                    raise
        with suppress(FileNotFoundError):
            _synchronise(path.parent)

    def path(self, account_id: int, digest: str) -> Path:
        """Where a file lies, or would lie."""
        return self._root / object_name(account_id, digest)

    def preview_path(self, account_id: int, digest: str) -> Path:
        """Where the preview of a picture lies, or would lie."""
        return self._root / object_name(account_id, digest, preview=True)

    def size(self, account_id: int, digest: str) -> int | None:
        with self._usable():
            found = self._status(self.path(account_id, digest))
        return found.st_size if found else None

    def open(self, account_id: int, digest: str, *, preview: bool = False) -> OpenFile | None:
        path = self._root / object_name(account_id, digest, preview=preview)
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with self._usable():
            if self._status(path) is None:
                return None
            try:
                return OpenFile(os.open(path, flags))
            except FileNotFoundError:
                # Deleted meanwhile.
                return None

    def _status(self, path: Path) -> os.stat_result | None:
        """Status of a regular file; None if there is none. Raises: OSError: no directory."""
        self._root.stat()
        try:
            found = path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return found if stat.S_ISREG(found.st_mode) and not self._is_behind_link(path) else None

    def _is_behind_link(self, path: Path) -> bool:
        """True if a folder between the directory and a path is a symbolic link."""
        folders = path.relative_to(self._root).parents
        return any((self._root / folder).is_symlink() for folder in folders if folder.parts)

    def find(self, digest: str) -> Path | None:
        """Path of a file of whichever account."""
        with self._usable():
            accounts = (path for path in _listed(self._root) if path.name.isdecimal())
            paths = (path / digest[:2] / digest[2:4] / digest for path in accounts)
            return next(filter(self._status, paths), None)

    def save_preview(self, account_id: int, digest: str, content: bytes) -> None:
        path = self.preview_path(account_id, digest)
        with self._incoming(len(content), lambda file: self._keep_as(file, path)) as incoming:
            incoming.write(content)
            incoming.keep()

    def delete(self, account_id: int, digest: str) -> None:
        """A directory that is missing may be mounted later, with the file in it: FilesUnusable."""
        with self._usable():
            self._root.stat()
            path = self.path(account_id, digest)
            if self._is_behind_link(path):
                return
            path.unlink(missing_ok=True)
            self.preview_path(account_id, digest).unlink(missing_ok=True)
            _remove_empty(path.parent, path.parent.parent, path.parent.parent.parent)

    def digests(self, account_id: int) -> Iterator[str]:
        with self._usable():
            outer = _listed(self._root / str(account_id))
            inner = (folder for path in outer for folder in _listed(path))
            files = (path for folder in inner for path in _listed(folder) if self._status(path))
            yield from distinct_digests(path.name for path in files)

    def sweep(self) -> int:
        count = 0
        with self._usable():
            paths = _listed(self._root / _INCOMING)
            for path in abandoned(path for path in paths if self._status(path)):
                path.unlink(missing_ok=True)
                count += 1
        return count

    def _usable(self) -> AbstractContextManager[None]:
        return disk_errors(self._root)


def _listed(folder: Path) -> list[Path]:
    """What is in a folder. Not `glob`: that may raise for a folder that is removed meanwhile."""
    try:
        return [*folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _synchronise(folder: Path) -> None:
    """Make a rename durable; Windows has no descriptors of folders."""
    if os.name == "nt":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _remove_empty(*folders: Path) -> None:
    """Remove folders, inner ones first, up to the first that has files."""
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()
