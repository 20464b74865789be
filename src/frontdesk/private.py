"""Files for their owner's eyes alone: made so, written whole, and known to be so.

What a start reads before anything else stands on this module, so it has no imports that cost.
"""

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

_MODE = 0o600
_DIRECTORY_MODE = 0o700


def opener(path: str, flags: int) -> int:
    """For `open()`: a file that it makes is its owner's alone; one that is there stays as it is."""
    return os.open(path, flags, _MODE)


def make_directories(path: "Path") -> None:
    """Make the directories that a file is to be in. Raises: OSError."""
    path.parent.mkdir(mode=_DIRECTORY_MODE, parents=True, exist_ok=True)


def make(path: "Path", *, new: bool = False) -> None:
    """Make an empty file where there is none. Raises: OSError, FileExistsError if it is to be new.

    The file is made before anybody writes to it, so that it is never open to others.
    """
    os.close(opener(os.fspath(path), os.O_CREAT | os.O_RDWR | (os.O_EXCL if new else 0)))


def close_to_others(path: "Path") -> None:
    """Take a file that is there from everybody but its owner. Raises: OSError."""
    if stat.S_IMODE(path.stat().st_mode) != _MODE:
        path.chmod(_MODE)


def replace(path: "Path", content: bytes) -> None:
    """Put a whole file in the place of one, or of none: nobody reads a part. Raises: OSError."""
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
    """A descriptor to read a file by, if its name is no link to another. Raises: OSError."""
    return os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))


def is_closed_to_others(found: os.stat_result) -> bool:
    """Whether none but the owner, who is the user or root, can read or change what was found.

    Windows has no such bits: what is in a user's directories is for that user there.
    """
    if not hasattr(os, "geteuid"):
        return True
    return not stat.S_IMODE(found.st_mode) & 0o077 and found.st_uid in (os.geteuid(), 0)
