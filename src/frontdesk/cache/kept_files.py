"""Files of messages that are kept on this computer: pictures in small and whole files.

They are beside the cache of pages, a directory for each origin, and bounded in size: those not read
for longest go first. Their names are digests of their keys, which the server chose.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO

from frontdesk.errors import UnusableFile

_PREVIEW = ".preview"
_INCOMING = "incoming-"
# Share of the bound that may come before the files are counted again: other processes write too.
_COUNTED_EVERY = 20
_TRIES = 10


def usage(directory: Path) -> tuple[int, int]:
    """Number of the files below a directory, and their size in bytes."""
    sizes = [status.st_size for _, status in _statuses(directory)]
    return len(sizes), sum(sizes)


def clear(directory: Path) -> None:
    """Delete all files below a directory."""
    shutil.rmtree(directory, ignore_errors=True)


class KeptFiles:
    """The files of one origin.

    most_bytes: bound of all of them. Reading a file delays its end.
    """

    def __init__(self, directory: Path, *, most_bytes: int) -> None:
        self.directory, self._most_bytes = directory, most_bytes
        self._uncounted: int | None = None

    def find(self, key: str, *, preview: bool) -> Path | None:
        """Path of a file or its preview; None if it is not here."""
        path = self._path(key, preview=preview)
        try:
            os.utime(path)
        except OSError:
            return None
        return path

    @contextmanager
    def writing(self, key: str, *, preview: bool) -> Iterator[BinaryIO]:
        """A file to write, which is kept if the block ends without an error.

        Raises: UnusableFile: it cannot be written.
        """
        try:
            number, name = self._new_file()
            path = Path(name)
            with open(number, "wb") as file:
                try:
                    yield file
                    file.flush()
                    size = os.fstat(file.fileno()).st_size
                except BaseException:
                    path.unlink(missing_ok=True)
                    raise
            # Cleared while it was written, it is one of those that were deleted.
            with suppress(FileNotFoundError):
                path.replace(self._path(key, preview=preview))
        except OSError as error:
            raise UnusableFile(
                f"The file cannot be kept on this computer: {error.strerror}"
            ) from error
        self._evict(size)

    def _new_file(self) -> tuple[int, str]:
        """Descriptor and path of a new file. Another process may clear the directory at any step.

        Raises: OSError.
        """
        for attempt in range(1, _TRIES + 1):
            try:
                # Not `exist_ok`: that raises for a directory that is removed while it looks.
                with suppress(FileExistsError):
                    self.directory.mkdir(mode=0o700, parents=True)
                return mkstemp(dir=self.directory, prefix=_INCOMING)
            except FileNotFoundError:
                if attempt == _TRIES:
                    raise
        raise AssertionError("the last try returns or raises")

    def remove(self, key: str) -> None:
        """Delete a file and its preview."""
        for preview in (False, True):
            with suppress(OSError):
                self._path(key, preview=preview).unlink()

    def _path(self, key: str, *, preview: bool) -> Path:
        name = sha256(key.encode()).hexdigest()
        return self.directory / (f"{name}{_PREVIEW}" if preview else name)

    def _evict(self, added: int) -> None:
        """Delete the files that were not read for longest, if there are too many."""
        if self._uncounted is not None:
            self._uncounted += added
            if self._uncounted < self._most_bytes // _COUNTED_EVERY:
                return
        self._uncounted = 0
        statuses = _statuses(self.directory)
        found = [(status.st_mtime, status.st_size, path) for path, status in statuses]
        excess = sum(size for _, size, _ in found) - self._most_bytes
        for _, size, path in sorted(found):
            if excess <= 0:
                break
            with suppress(OSError):
                path.unlink()
                excess -= size


def _statuses(directory: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """All files below a directory; others may delete them meanwhile."""
    for parent, _, names in os.walk(directory):
        for name in names:
            path = Path(parent, name)
            with suppress(OSError):
                yield path, path.lstat()
