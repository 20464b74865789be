"""Light or dark as the terminal is, and no key that is typed meanwhile is lost."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.tui.terminal_input import (
    KeyRewriter,
    TerminalBackground,
    ask_background,
    parsed_background,
)

WHITE, BLACK = "ffff/ffff/ffff", "0000/0000/0000"
KIND = b"\x1b[?62;22c"
# No terminal of a test is waited for longer.
PATIENT = 60.0

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals here")


def colour(words: str, end: bytes = b"\x1b\\") -> bytes:
    return b"\x1b]11;rgb:" + words.encode() + end


@contextmanager
def terminal(answers: Callable[[int], None]) -> Iterator[int]:
    """A pseudo-terminal that answers once it was asked."""
    master, slave = os.openpty()

    def answer() -> None:
        asked = b""
        while b"\x1b[c" not in asked:
            asked += os.read(master, 4096)
        answers(master)

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        yield slave
        thread.join()
    finally:
        os.close(slave)
        os.close(master)


@pytest.mark.parametrize(
    ("words", "is_light"),
    [
        (WHITE, True),
        (BLACK, False),
        ("1212/1616/1c1c", False),
        ("fdfd/f6f6/e3e3", True),
        ("ff/ff/ff", True),
        ("0/0/0", False),
        ("0000/2b2b/3636", False),
        ("8080/8080/8080", True),
    ],
)
def test_a_terminal_says_if_it_is_light(words: str, is_light: bool) -> None:
    with terminal(lambda master: os.write(master, colour(words) + KIND) and None) as slave:
        background = ask_background(slave, slave, PATIENT, "xterm-256color")
    assert background.colour is not None
    assert (background.is_light, background.typed) == (is_light, b"")


def test_a_terminal_that_does_not_know_the_question_is_dark() -> None:
    with terminal(lambda master: os.write(master, KIND) and None) as slave:
        background = ask_background(slave, slave, PATIENT, "screen")
    assert background == TerminalBackground()
    assert not background.is_light


def test_a_terminal_that_says_nothing_is_not_waited_for() -> None:
    with terminal(lambda master: None) as slave:
        assert ask_background(slave, slave, 0.0, "xterm") == TerminalBackground()


def test_what_is_no_terminal_and_what_shows_questions_is_not_asked() -> None:
    reading, writing = os.pipe()
    master, slave = os.openpty()
    try:
        assert ask_background(reading, writing, PATIENT, "xterm") == TerminalBackground()
        for kind in ("dumb", "linux", ""):
            assert ask_background(slave, slave, PATIENT, kind) == TerminalBackground()
    finally:
        for descriptor in (reading, writing, master, slave):
            os.close(descriptor)


def test_the_terminal_is_afterwards_as_it_was() -> None:
    import termios

    with terminal(lambda master: os.write(master, colour(WHITE) + KIND) and None) as slave:
        before = termios.tcgetattr(slave)
        ask_background(slave, slave, PATIENT, "xterm")
        assert termios.tcgetattr(slave) == before


TYPED = st.lists(
    st.sampled_from([b"j", b"q", b"\x1b[B", b"\r", "é".encode(), b"\x1bOP", b"7"]), max_size=8
)


@given(TYPED, TYPED, TYPED, st.sampled_from([b"\x07", b"\x1b\\"]), st.data())
def test_no_key_is_lost_whenever_it_is_typed(
    before: list[bytes], between: list[bytes], after: list[bytes], end: bytes, data: st.DataObject
) -> None:
    """Nor does a late answer become one, wherever it is cut."""
    sent = b"".join([*before, colour(WHITE, end), *between, KIND, *after])
    cut = data.draw(st.integers(0, len(sent)))
    first, rest = parsed_background(sent[:cut]), sent[cut:]
    rewriter = KeyRewriter()
    read = rewriter.read(first.typed.decode(errors="ignore"))
    if cut == len(sent) or not _splits_a_letter(sent, cut):
        read += rewriter.read(rest.decode(errors="ignore")) + rewriter.end_rest()
        assert read == "".join(key.decode() for key in (*before, *between, *after))


def _splits_a_letter(sent: bytes, cut: int) -> bool:
    return sent[cut] & 0xC0 == 0x80
