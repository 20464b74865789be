"""The screen that the next start begins with: kept beside the cache, exactly as long as it holds.

It is read before anything else is imported, so this module is without imports that cost.
"""

import os
import stat
from pathlib import Path
from typing import NamedTuple

SUFFIX = "-frame"
_MOST_BYTES = 1 << 20
_FIELDS = 4


class Frame(NamedTuple):
    """What was on a terminal of `columns` by `lines` on a day, as bytes for that terminal.

    circumstances: a digest of all that decides what a start opens and how it looks. day: as
    YYYY-MM-DD where the reader is: words such as "today" hold as long.
    """

    circumstances: str
    columns: int
    lines: int
    day: str
    screen: bytes


def file_of(cache: Path) -> Path:
    """Where the frame of a cache file is."""
    return cache.with_name(cache.name + SUFFIX)


def keep(cache: Path, frame: Frame) -> None:
    """Keep a frame, for its owner only. Raises: OSError."""
    path = file_of(cache)
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    head = " ".join(str(field) for field in frame[:_FIELDS])
    try:
        number = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(number, "wb") as file:
            file.write(head.encode() + b"\n" + frame.screen)
        os.replace(partial, path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def kept(cache: Path) -> Frame | None:
    """The frame that is kept; None where there is none, or it is not for its owner alone."""
    try:
        number = os.open(file_of(cache), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    with open(number, "rb") as file:
        if not _private(os.fstat(number)):
            return None
        head, _, screen = file.read(_MOST_BYTES).partition(b"\n")
    try:
        circumstances, columns, lines, day = head.decode("ascii").split(" ")
        return Frame(circumstances, int(columns), int(lines), day, screen)
    except ValueError:
        return None


def forget(cache: Path) -> None:
    """Keep no frame: the cache holds something else now."""
    try:
        os.unlink(file_of(cache))
    except OSError:
        # There is none; or it cannot be removed, and then nothing could be written either.
        return


def _private(found: os.stat_result) -> bool:
    if not stat.S_ISREG(found.st_mode):
        return False
    if not hasattr(os, "geteuid"):
        return True
    return not stat.S_IMODE(found.st_mode) & 0o077 and found.st_uid == os.geteuid()
