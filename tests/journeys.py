"""The modules of the program that run while something happens."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import frontdesk

PACKAGE = Path(frontdesk.__file__).parent


@contextmanager
def recorded_modules() -> Iterator[set[str]]:
    """Paths of the modules of which a function is called, below the package.

    Those of other threads only if they begin meanwhile.
    """
    files: set[str] = set()
    modules: set[str] = set()

    def record(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)

    before = sys.getprofile()
    threading.setprofile(record)
    sys.setprofile(record)
    try:
        yield modules
    finally:
        sys.setprofile(before)
        threading.setprofile(before)
    modules.update(
        Path(file).relative_to(PACKAGE).as_posix()
        for file in files
        if Path(file).is_relative_to(PACKAGE)
    )
