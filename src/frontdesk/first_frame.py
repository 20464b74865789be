"""The screen that the next start begins with: kept beside the cache, exactly as long as it holds.

It is read before anything else is imported, so this module is without imports that cost: not even
`typing` and `pathlib`.
"""

import os
import stat

from frontdesk import private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

SUFFIX = "-frame"
_MOST_BYTES = 1 << 20


class Frame:
    """What was on a terminal of `columns` by `lines` on a day, as bytes for that terminal.

    circumstances: a digest of all that decides what a start opens and how it looks.
    configuration: the path of the file that has a part in it. day: as YYYY-MM-DD where the reader
    is: words such as "today" hold as long.
    """

    __slots__ = ("circumstances", "columns", "configuration", "day", "lines", "screen")

    def __init__(
        self,
        *,
        circumstances: str,
        configuration: str,
        columns: int,
        lines: int,
        day: str,
        screen: bytes,
    ) -> None:
        self.circumstances = circumstances
        self.configuration = configuration
        self.columns, self.lines = columns, lines
        self.day = day
        self.screen = screen


def file_of(cache: "str | Path") -> str:
    """Where the frame of a cache file is."""
    return os.fspath(cache) + SUFFIX


def keep(cache: "Path", frame: Frame) -> None:
    """Keep a frame, for its owner only. Raises: OSError."""
    where = os.fsencode(frame.configuration).hex()
    head = f"{frame.circumstances} {where} {frame.columns} {frame.lines} {frame.day}\n"
    private.replace(cache.with_name(cache.name + SUFFIX), head.encode() + frame.screen)


def kept(cache: "str | Path") -> Frame | None:
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
        circumstances, where, columns, lines, day = head.decode("ascii").split(" ")
        return Frame(
            circumstances=circumstances,
            configuration=os.fsdecode(bytes.fromhex(where)),
            columns=int(columns),
            lines=int(lines),
            day=day,
            screen=screen,
        )
    except ValueError:
        return None


def forget(cache: "str | Path") -> None:
    """Keep no frame: the cache holds something else now."""
    try:
        os.unlink(file_of(cache))
    except OSError:
        # There is none; or it cannot be removed, and then nothing could be written either.
        return
