"""A bug by its kinds and places: what an error says may hold a key or a customer's words."""

import os
import sys
import traceback
from collections.abc import Iterator, Mapping

_FIRST, _LAST = 15, 45


class Crashed(Exception):
    """A program stopped over a bug, which is its cause. `notes`: what it was at, by heading."""

    def __init__(self, notes: Mapping[str, str]) -> None:
        super().__init__("It stopped over a bug")
        self.notes = notes


def trace(error: BaseException) -> str:
    """Where an error was raised, the innermost frame last, after the errors that led to it."""
    return "\n".join(_lines(error, set()))


def _lines(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and id(before) not in seen:
        yield from _lines(before, seen)
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
    for one in getattr(error, "exceptions", ()):
        if isinstance(one, BaseException) and id(one) not in seen:
            yield "with"
            yield from _lines(one, seen)


def _relative(file: str) -> str:
    """A file below where it was imported from: where that is tells whose machine it is."""
    roots = [root for root in sys.path if root and file.startswith(os.path.join(root, ""))]
    if not roots:
        return os.path.basename(file)
    return os.path.relpath(file, max(roots, key=len)).replace(os.sep, "/")
