"""Traceback of a bug without user data: exception types and locations, but no messages.

`cli/crash_report.py` writes the report that contains it; `tui/app_base.py` adds the circumstances.
"""

import os
import sys
import traceback
from collections.abc import Iterator, Mapping

_FIRST, _LAST = 15, 45


class ProgramCrash(Exception):
    """The program stopped over a bug, which is its cause. `notes`: circumstances, by heading."""

    def __init__(self, notes: Mapping[str, str]) -> None:
        super().__init__("It stopped over a bug")
        self.notes = notes


def trace(error: BaseException) -> str:
    """Traceback without messages and values, preceded by those of its causes."""
    return "\n".join(_lines(error, set()))


def _lines(error: BaseException, ids: set[int]) -> Iterator[str]:
    ids.add(id(error))
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and id(before) not in ids:
        yield from _lines(before, ids)
        yield "which led to"
    yield f"{type(error).__module__}.{type(error).__qualname__}"
    frames = [
        f"  {_relative(frame.filename)}:{frame.lineno}:{frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    left_out = len(frames) - _FIRST - _LAST
    if left_out > 0:
        frames[_FIRST:-_LAST] = [f"  … {left_out} more"]
    yield from frames
    for part in getattr(error, "exceptions", ()):
        if isinstance(part, BaseException) and id(part) not in ids:
            yield "with"
            yield from _lines(part, ids)


def _relative(file: str) -> str:
    """Path relative to its entry of `sys.path`; absolute paths may reveal the user's name."""
    roots = [root for root in sys.path if root and file.startswith(os.path.join(root, ""))]
    if not roots:
        return os.path.basename(file)
    return os.path.relpath(file, max(roots, key=len)).replace(os.sep, "/")
