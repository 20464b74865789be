"""Private files as commands read and write them: what is wrong with one is said in a sentence."""

import os
import stat
from pathlib import Path

from frontdesk import private
from frontdesk.errors import BadSettings, UnusableFile

_LARGEST_FILE = 1 << 20


def private_text(path: str | Path) -> str:
    """A file that nobody else can read or change.

    Raises: BadSettings: it is a link, others can read it, or it is not there. UnicodeDecodeError.
    """
    try:
        number = private.open_here(path)
    except OSError as error:
        reason = "it is a symbolic link" if os.path.islink(path) else error.strerror
        raise BadSettings(f"{path} cannot be read: {reason}") from error
    with open(number, "rb") as file:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode):
            raise BadSettings(f"{path} is not a file")
        if not private.is_closed_to_others(found):
            raise BadSettings(f"{path} can be read by others: chmod 600 {path}")
        return file.read(_LARGEST_FILE).decode()


def write_private(path: Path, text: str) -> None:
    """Write a whole file at once, 0600; where it is a link, what it leads to is written.

    Raises: UnusableFile.
    """
    target = Path(os.path.realpath(path))
    try:
        private.make_directories(target)
        private.replace(target, text.encode())
    except OSError as error:
        raise UnusableFile(f"{path} cannot be written: {error.strerror}") from error
