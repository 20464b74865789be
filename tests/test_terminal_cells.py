"""The size of the terminal's cells, as the system knows it."""

import os
import pty
import struct
import sys
from collections.abc import Iterator
from fcntl import ioctl
from termios import TIOCSWINSZ
from typing import TextIO

import pytest

from frontdesk.system.terminal_cells import cell_pixels


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[TextIO]:
    """Standard error is a terminal, and standard output is none."""
    server, client = pty.openpty()
    with os.fdopen(server, "w"), os.fdopen(client, "w") as stream, open(os.devnull, "w") as nothing:
        monkeypatch.setattr(sys, "__stderr__", stream)
        monkeypatch.setattr(sys, "__stdout__", nothing)
        yield stream


@pytest.mark.parametrize(
    ("lines", "columns", "width", "height", "cell"),
    [
        (24, 80, 800, 480, (10, 20)),
        (24, 80, 809, 490, (10, 20)),
        (24, 80, 80, 24, (1, 1)),
        (24, 80, 79, 480, None),
        (24, 80, 800, 23, None),
        (24, 80, 0, 0, None),
        (0, 80, 800, 480, None),
        (24, 0, 800, 480, None),
    ],
)
def test_a_cell_is_a_share_of_the_window(
    terminal: TextIO,
    lines: int,
    columns: int,
    width: int,
    height: int,
    cell: tuple[int, int] | None,
) -> None:
    ioctl(terminal.fileno(), TIOCSWINSZ, struct.pack("HHHH", lines, columns, width, height))
    assert cell_pixels() == cell


def test_the_terminal_may_be_standard_output(
    terminal: TextIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    ioctl(terminal.fileno(), TIOCSWINSZ, struct.pack("HHHH", 24, 80, 800, 480))
    monkeypatch.setattr(sys, "__stdout__", terminal)
    with open(os.devnull, "w") as nothing:
        for other in (None, nothing):
            monkeypatch.setattr(sys, "__stderr__", other)
            assert cell_pixels() == (10, 20)
    monkeypatch.setattr(sys, "__stdout__", None)
    assert cell_pixels() is None
