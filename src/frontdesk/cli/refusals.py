"""How an expected failure ends a command: one line on standard error, exit code 2."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from frontdesk.errors import InboxError
from frontdesk.text import clean, one_line


class Refused(click.ClickException):
    """A command that cannot do what it was asked."""

    exit_code = 2


@contextmanager
def told_in_one_line() -> Iterator[None]:
    """Turn an InboxError into one line for the user."""
    try:
        yield
    except InboxError as error:
        raise Refused(one_line(clean(str(error)))) from error
