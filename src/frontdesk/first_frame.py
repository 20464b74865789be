"""The screen that the next start begins with: kept beside the cache, exactly as long as it holds.

It is read before anything else is imported, so this module is without imports that cost.
"""

import os
import stat
from pathlib import Path
from typing import NamedTuple

from frontdesk import private

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
    head = " ".join(str(field) for field in frame[:_FIELDS])
    private.replace(file_of(cache), head.encode() + b"\n" + frame.screen)


def kept(cache: Path) -> Frame | None:
    """The frame that is kept; None where there is none, or it is not for its owner alone."""
    try:
        number = private.open_here(file_of(cache))
    except OSError:
        return None
    with open(number, "rb") as file:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode) or not private.is_closed_to_others(found):
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
