"""Crash reports: stored in private files, without keys, values or customer data.

The traceback is of `crash_trace.py`, the circumstances in the viewer are of `tui/app_base.py`.
"""

import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from frontdesk import __version__
from frontdesk.errors import UnusableFile
from frontdesk.system import environment, private_files
from frontdesk.system.crash_trace import ProgramCrash, trace

MOST_REPORTS = 20
_LIBRARIES = ("textual", "rich", "httpx", "pydantic", "starlette", "click", "granian", "psycopg")
# The only environment variables in reports, which identify the terminal.
_TERMINAL = ("TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TEXTUAL_DRIVER")


def report(error: BaseException, command: str, moment: float) -> str:
    """Format a report. command: its name only; moment: epoch seconds."""
    notes = error.notes if isinstance(error, ProgramCrash) else {}
    bug = error.__cause__ or error if isinstance(error, ProgramCrash) else error
    lines = [
        f"frontdesk {__version__} stopped over a bug",
        "",
        f"when: {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(moment))}",
        f"command: {command}",
        f"python: {platform.python_implementation()} {platform.python_version()}",
        f"system: {platform.platform()}",
        f"libraries: {', '.join(_libraries())}",
        f"terminal: {', '.join(_terminal())}",
        *(f"{heading}: {note}" for heading, note in notes.items()),
        "",
        trace(bug),
        "",
    ]
    return "\n".join(lines)


def keep(error: BaseException) -> str:
    """Write a report; return a message with its path, or with the report if that failed."""
    moment = time.time()
    text = report(error, _command(), moment)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(moment))
    path = environment.crash_directory() / f"crash-{stamp}-{os.getpid()}.txt"
    try:
        _forget_old(path.parent)
        private_files.save_text(path, text)
    except (UnusableFile, OSError):
        return f"stopped over a bug:\n{text}"
    return f"stopped over a bug. What happened, without keys and messages, is in {path}"


def _command() -> str:
    """Return the command's name; arguments may be addresses, numbers or search terms."""
    name = "".join(sys.argv[1:2])
    return name if re.fullmatch("[a-z]+", name) else "frontdesk"


def _forget_old(directory: Path) -> None:
    """Delete old reports, so that there is room for one more; other processes may do so too."""
    # Their names begin with their times.
    reports = sorted(directory.glob("crash-*.txt"))
    for path in reports[: max(len(reports) - MOST_REPORTS + 1, 0)]:
        path.unlink(missing_ok=True)


def _libraries() -> Iterator[str]:
    for name in _LIBRARIES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            continue


def _terminal() -> Iterator[str]:
    columns, lines = shutil.get_terminal_size()
    yield f"{columns}x{lines}"
    yield f"encoding {getattr(sys.stdout, 'encoding', None)}"
    yield from (f"{name}={os.environ[name]}" for name in _TERMINAL if name in os.environ)
