"""Files for their owner's eyes alone: read only if they are, written so that they are."""

import os
import stat
from pathlib import Path

from frontdesk.errors import BadSettings, UnusableFile

_LARGEST_FILE = 1 << 20


def private_text(path: str | Path) -> str:
    """A file that nobody else can read or change.

    Raises: BadSettings: it is a link, others can read it, or it is not there. UnicodeDecodeError.
    """
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError as error:
        reason = "it is a symbolic link" if os.path.islink(path) else error.strerror
        raise BadSettings(f"{path} cannot be read: {reason}") from error
    with open(number, "rb") as file:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode):
            raise BadSettings(f"{path} is not a file")
        if not _is_owners_alone(found):
            raise BadSettings(f"{path} can be read by others: chmod 600 {path}")
        return file.read(_LARGEST_FILE).decode()


def _is_owners_alone(found: os.stat_result) -> bool:
    """Windows has no such bits: what is in a user's directories is for that user there."""
    if not hasattr(os, "geteuid"):
        return True
    return not stat.S_IMODE(found.st_mode) & 0o077 and found.st_uid in (os.geteuid(), 0)


def write_private(path: Path, text: str) -> None:
    """Write a whole file at once, 0600; where it is a link, what it leads to is written.

    Raises: UnusableFile.
    """
    target = Path(os.path.realpath(path))
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        partial.unlink(missing_ok=True)
        number = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(number, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(partial, target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UnusableFile(f"{path} cannot be written: {error.strerror}") from error
