"""Exit codes of the program, and its error output.

0 success, 1 error, 2 usage or configuration, 3 temporary failure, 4 not found, 130 interrupted.
"""

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from frontdesk.errors import (
    BadSettings,
    CursorRefused,
    InboxError,
    NetworkMisconfigured,
    NotFound,
    NotOffered,
    Refused,
    Unreachable,
    UnusableFile,
    advice,
    sentence_of,
)
from frontdesk.text.clean import clean, compact_json, one_line

# Errors of output to a full or failing disk.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)

DONE, ERROR, USAGE, TRY_AGAIN, NOT_FOUND, INTERRUPTED = 0, 1, 2, 3, 4, 130


def guarded(work: Callable[[], object]) -> int:
    """Run `work` and return its exit code; errors go to standard error, bugs also to a report."""
    try:
        code = work()
        # Flush here, where a failure can still be reported. None: stdout was closed before the
        # start.
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except InboxError as error:
        say(sentence_of(error))
        code = exit_code(error)
    except OSError as error:
        code = _unwritten(error)
    except Exception as error:
        code = _crashed(error)
    return code if isinstance(code, int) else DONE


def exit_code(error: InboxError) -> int:
    """Return the exit code of an expected failure."""
    if isinstance(error, BadSettings | UnusableFile | NetworkMisconfigured | CursorRefused):
        return USAGE
    # The server read an option: a period, a filter, a limit.
    if isinstance(error, Refused) and error.code.startswith("invalid_"):
        return USAGE
    if isinstance(error, NotFound) and not isinstance(error, NotOffered):
        return NOT_FOUND
    return TRY_AGAIN if isinstance(error, Unreachable) else ERROR


@contextmanager
def json_errors(*, enabled: bool) -> Iterator[None]:
    """Write an expected failure or a usage error as a JSON object, and end with its exit code."""
    try:
        yield
    except InboxError as error:
        if not enabled:
            raise
        retry_after = error.retry_after if isinstance(error, Unreachable) else None
        _write_error(error.code, sentence_of(error), advice(error), retry_after)
        raise click.exceptions.Exit(exit_code(error)) from None
    except click.UsageError as error:
        if not enabled:
            raise
        _write_error("usage", error.format_message(), "", None)
        raise click.exceptions.Exit(error.exit_code) from None


def _write_error(code: str, message: str, hint: str, retry_after: float | None) -> None:
    members = {
        "code": code,
        "message": one_line(clean(message)),
        "hint": hint or None,
        "retry_after": retry_after,
    }
    sys.stderr.write(compact_json({"error": members}) + "\n")


def say(message: str) -> None:
    """Write a message to standard error, on one line and without control characters."""
    sys.stderr.write(f"frontdesk: {one_line(clean(message))}\n")


def _unwritten(error: OSError) -> int:
    """Return the exit code for a closed pipe or a full disk; any other OSError is a bug.

    Who closes a pipe, such as `head`, has read enough.
    """
    code = DONE
    if not isinstance(error, BrokenPipeError):
        if error.errno not in _FULL:
            return _crashed(error)
        say(f"The output cannot be written: {error.strerror}; make room, then run it again")
        code = ERROR
    discard_unwritable_output()
    return code


def discard_unwritable_output() -> None:
    """Discard what standard output and error cannot write.

    Python would try again at exit, and change the exit code.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _crashed(error: Exception) -> int:
    from frontdesk.cli.crash_report import keep

    # Without a report file, the message is the report itself, on several lines.
    sys.stderr.write(f"frontdesk: {keep(error)}\n")
    return ERROR
