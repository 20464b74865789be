"""Reads and writes private files, with errors as messages for users."""

import os
import stat
from pathlib import Path

from frontdesk import private_files
from frontdesk.errors import BadSettings, UnusableFile

_LARGEST_FILE = 1 << 20


def private_text(path: str | Path) -> str:
    """Read a file that only its owner can read and change.

    Raises: BadSettings: a symbolic link, readable by others, or missing. UnicodeDecodeError.
    """
    try:
        number = private_files.open_here(path)
    except OSError as error:
        reason = "it is a symbolic link" if os.path.islink(path) else error.strerror
        raise BadSettings(f"{path} cannot be read: {reason}") from error
    with open(number, "rb") as file:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode):
            raise BadSettings(f"{path} is not a file")
        if not private_files.is_closed_to_others(found):
            raise BadSettings(f"{path} can be read by others: chmod 600 {path}")
        return file.read(_LARGEST_FILE).decode()


def write_private(path: Path, text: str) -> None:
    """Replace a file atomically with mode 0600; a symbolic link's target is replaced.

    Raises: UnusableFile.
    """
    target = Path(os.path.realpath(path))
    try:
        private_files.make_directories(target)
        private_files.replace(target, text.encode())
    except OSError as error:
        raise UnusableFile(f"{path} cannot be written: {error.strerror}") from error
