"""How the program ends: exit codes, and what it says of a failure.

Exit codes: 0 done, 1 error, 2 usage or configuration, 3 try again, 130 interrupted.
"""

import errno
import os
import sys
from collections.abc import Callable

from frontdesk.errors import (
    BadSettings,
    InboxError,
    NetworkMisconfigured,
    Unreachable,
    UnusableFile,
)
from frontdesk.text import clean, one_line

# The disk, or what standard output is written to, takes nothing more.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)

DONE, ERROR, USAGE, TRY_AGAIN, INTERRUPTED = 0, 1, 2, 3, 130


def guarded(work: Callable[[], object]) -> int:
    """The exit code of some work; a failure of it is told on standard error, a bug kept too."""
    try:
        code = work()
        # Here, where it can still be told that it was not written. None: it was closed before.
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except InboxError as error:
        say(str(error))
        code = exit_code(error)
    except OSError as error:
        code = _unwritten(error)
    except Exception as error:
        code = _crashed(error)
    return code if isinstance(code, int) else DONE


def exit_code(error: InboxError) -> int:
    """The exit code that an expected failure ends a command with."""
    if isinstance(error, BadSettings | UnusableFile | NetworkMisconfigured):
        return USAGE
    return TRY_AGAIN if isinstance(error, Unreachable) else ERROR


def say(message: str) -> None:
    """Write a message to standard error, as one line without anything that a terminal obeys."""
    sys.stderr.write(f"frontdesk: {one_line(clean(message))}\n")


def _unwritten(error: OSError) -> int:
    """The exit code where nobody reads on, or a disk is full; any other such error is a bug."""
    if not isinstance(error, BrokenPipeError):
        if error.errno not in _FULL:
            return _crashed(error)
        say(f"The output cannot be written: {error.strerror}; make room, then run it again")
    # What is still in the buffer would fail once more when Python ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ERROR


def _crashed(error: Exception) -> int:
    from frontdesk.cli.crashes import keep

    # Where no report can be kept, it is more than a line.
    sys.stderr.write(f"frontdesk: {keep(error)}\n")
    return ERROR
