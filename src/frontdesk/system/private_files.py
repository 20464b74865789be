"""Files that are accessible to their owner only: creation, atomic replacement, checks.

Used before anything else is imported, so this module avoids expensive imports.
"""

import os
import stat

from frontdesk.errors import BadSettings, UnusableFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

_MODE = 0o600
_LARGEST_TEXT = 1 << 20
_DIRECTORY_MODE = 0o700


def opener(path: str, flags: int) -> int:
    """Opener for `open()`: new files are private, existing ones keep their mode."""
    return os.open(path, flags, _MODE)


def make_directories(path: "Path") -> None:
    """Create the parent directories of a file. Raises: OSError."""
    path.parent.mkdir(mode=_DIRECTORY_MODE, parents=True, exist_ok=True)


def make(path: "Path", *, new: bool = False) -> None:
    """Create an empty file if it does not exist. Raises: OSError, FileExistsError if `new`.

    The file is created before it is written, so that it is never accessible to others.
    """
    os.close(opener(os.fspath(path), os.O_CREAT | os.O_RDWR | (os.O_EXCL if new else 0)))


def close_to_others(path: "Path") -> None:
    """Restrict the mode of an existing file. Raises: OSError."""
    if stat.S_IMODE(path.stat().st_mode) != _MODE:
        path.chmod(_MODE)


def replace(path: "Path", content: bytes) -> None:
    """Replace or create a file atomically. Raises: OSError."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.unlink(missing_ok=True)
        make(partial, new=True)
        partial.write_bytes(content)
        os.replace(partial, path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def open_here(path: "str | Path") -> int:
    """Open a file for reading, without following a symbolic link. Raises: OSError."""
    return os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))


def is_closed_to_others(status: os.stat_result) -> bool:
    """True if only the owner, who is the user or root, can access the file.

    Always True on Windows, where user directories are private by default.
    """
    if not hasattr(os, "geteuid"):
        return True
    return not stat.S_IMODE(status.st_mode) & 0o077 and status.st_uid in (os.geteuid(), 0)


def can_be_written_by_others(status: os.stat_result) -> bool:
    """True if another user than the owner, who is the user or root, can change the file.

    Always False on Windows, where user directories are private by default.
    """
    if not hasattr(os, "geteuid"):
        return False
    return bool(stat.S_IMODE(status.st_mode) & 0o022) or status.st_uid not in (os.geteuid(), 0)


def load_text(path: "str | Path") -> str:
    """Read a small file that only its owner can read and change.

    Raises: BadSettings: a symbolic link, readable by others, or missing. UnicodeDecodeError.
    """
    try:
        number = open_here(path)
    except OSError as error:
        reason = "it is a symbolic link" if os.path.islink(path) else error.strerror
        raise BadSettings(f"{path} cannot be read: {reason}") from error
    try:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode):
            raise BadSettings(f"{path} is not a file")
        if not is_closed_to_others(status):
            raise BadSettings(f"{path} can be read by others: chmod 600 {path}")
        with open(number, "rb", closefd=False) as file:
            return file.read(_LARGEST_TEXT).decode()
    finally:
        os.close(number)


def save_text(path: "Path", text: str) -> None:
    """Replace a file atomically; a symbolic link's target is replaced. Raises: UnusableFile."""
    target = path.resolve()
    try:
        make_directories(target)
        replace(target, text.encode())
    except OSError as error:
        raise UnusableFile(f"{path} cannot be written: {error.strerror}") from error
