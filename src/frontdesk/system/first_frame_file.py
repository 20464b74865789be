"""Stores the first frame of the next start in a file beside the cache, until the cache changes.

`tui/first_frame_renderer.py` draws it when the viewer is left, `cli/first_frame_display.py` decides
at the next start to show or to refuse it.

Read before anything else is imported, so this module avoids even `typing` and `pathlib`.
"""

import os
import stat

from frontdesk.system import private_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

SUFFIX = "-frame"
_MOST_BYTES = 1 << 20


class FirstFrame:
    """Terminal output of a screen of `columns` by `lines` cells.

    circumstances: digest of everything that determines the start. configuration: path of the
    configuration file that was used. day: local date as YYYY-MM-DD, since texts such as "today"
    depend on it.
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
    """Path of the frame of a cache file."""
    return os.fspath(cache) + SUFFIX


def save(cache: "Path", frame: FirstFrame) -> None:
    """Store a frame, readable by the owner only. Raises: OSError."""
    where = os.fsencode(frame.configuration).hex()
    head = f"{frame.circumstances} {where} {frame.columns} {frame.lines} {frame.day}\n"
    private_files.replace(cache.with_name(cache.name + SUFFIX), head.encode() + frame.screen)


def load(cache: "str | Path") -> FirstFrame | None:
    """Read a frame; None if there is none, or if it is accessible to others."""
    try:
        number = private_files.open_here(file_of(cache))
    except OSError:
        return None
    with open(number, "rb") as file:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode) or not private_files.is_closed_to_others(status):
            return None
        head, _, screen = file.read(_MOST_BYTES).partition(b"\n")
    try:
        circumstances, where, columns, lines, day = head.decode("ascii").split(" ")
        return FirstFrame(
            circumstances=circumstances,
            configuration=os.fsdecode(bytes.fromhex(where)),
            columns=int(columns),
            lines=int(lines),
            day=day,
            screen=screen,
        )
    except ValueError:
        return None


def delete(cache: "str | Path") -> None:
    """Delete the frame, because the cache changes."""
    try:
        os.unlink(file_of(cache))
    except OSError:
        # Missing, or not deletable; in the latter case the cache is not writable either.
        return
