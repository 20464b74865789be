"""Commands of the program, run in this process: with the exit codes and errors of the program."""

import io
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO
from unittest.mock import patch

from click.testing import CliRunner

from frontdesk.cli.base import run
from frontdesk.cli.main import frontdesk
from frontdesk.store.sqlite import SQLiteDatabase


class Terminal(io.StringIO):
    """A terminal, as far as output asks."""

    def isatty(self) -> bool:
        return True


class Interrupted(io.StringIO):
    """An output that takes a step with each line, and is interrupted by the one after the last."""

    def __init__(self, *steps: Callable[[], None]) -> None:
        super().__init__()
        self._steps = iter(steps)

    def write(self, text: str) -> int:
        written = super().write(text)
        step = next(self._steps, None)
        if step is None:
            raise KeyboardInterrupt
        step()
        return written


class Ended(NamedTuple):
    """How a command ended. output: both streams, as a terminal shows them."""

    exit_code: int
    stdout: str
    stderr: str
    output: str


def run_command(
    *arguments: str | Path,
    stdin: bytes = b"",
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
    **environment: str | None,
) -> Ended:
    """Run a command as the program does; None takes a variable out of its environment.

    stdout, stderr: where its output goes instead of into the result. Takes turns with whatever else
    looks at standard output: one command at a time.
    """
    program = [str(frontdesk.name), *map(str, arguments)]
    runner, typed = CliRunner(env=environment), io.BufferedReader(io.BytesIO(stdin))
    with _unchanged_process(program), runner.isolation(typed) as written:
        sys.stdout, sys.stderr = stdout or sys.stdout, stderr or sys.stderr
        try:
            run(frontdesk)
        except SystemExit as ended:
            code = ended.code
        sys.stdout.flush()
        sys.stderr.flush()
        return Ended(int(code or 0), *(stream.getvalue().decode() for stream in written))


def run_on(database: str | Path, *arguments: str, stdout: TextIO | None = None) -> Ended:
    """Run a command on a database."""
    return run_command(*arguments, "--database", database, stdout=stdout)


def output_of(database: str | Path, *arguments: str) -> str:
    """Return what a command that must succeed writes, which is all on standard output."""
    ended = run_on(database, *arguments)
    assert (ended.exit_code, ended.stderr) == (0, "")
    return ended.stdout


def stored(directory: Path, sql: str) -> list[tuple[Any, ...]]:
    """Rows of `inbox.db` in a directory."""
    with closing(SQLiteDatabase(directory / "inbox.db")) as database:
        rows = database.read(lambda connection: connection.rows(sql))
    return [tuple(dict(row).values()) for row in rows]


@contextmanager
def _unchanged_process(program: list[str]) -> Iterator[None]:
    """Be the program meanwhile, and undo what it changes for the rest of its process."""
    logger, last_resort = logging.getLogger("frontdesk"), logging.lastResort
    level, handlers = logger.level, list(logger.handlers)
    excepthook, formatter = threading.excepthook, last_resort and last_resort.formatter
    try:
        # Click takes the name of the program from both.
        with patch("sys.argv", program), patch.object(sys.modules["__main__"], "__package__", None):
            yield
    finally:
        logger.setLevel(level)
        for handler in set(logger.handlers) - set(handlers):
            logger.removeHandler(handler)
            if isinstance(handler, logging.StreamHandler):
                handler.stream.close()
        threading.excepthook = excepthook
        if last_resort is not None:
            last_resort.setFormatter(formatter)
