"""Keys as terminals send them, also with event types and alternate codes of kitty's protocol."""

import fcntl
import re
import termios
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.drivers.linux_driver import LinuxDriver

from frontdesk.tui.terminal_input import AltKeys, KeyRewriter, readable_keys, reading_any_key
from tests.terminals import Terminal


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("\x1b[1;1:1B", "\x1b[1;1B"),
        ("\x1b[1;1:2B", "\x1b[1;1B"),
        ("\x1b[97;1:3u", ""),
        ("\x1b[97:65;2u", "\x1b[97;2;65u"),
        ("\x1b[97:65;6u", "\x1b[97;6u"),
        ("\x1b[1083;5u", "\x1b[107;5u"),
        ("\x1b[1083::107;5:1u", "\x1b[107;5u"),
        ("\x1b[99999999;1u", ""),
        # The locks change nothing of what is pressed.
        ("\x1b[1083;69u", "\x1b[107;69u"),
        ("\x1b[1083;133u", "\x1b[107;133u"),
        ("\x1b[1083;65u", "\x1b[1083;65u"),
        ("\x1b[97:65;66u", "\x1b[97;66;65u"),
        ("\x1b[1083;3u", "\x1b[107;3u"),
        ("\x1b[1083;2u", "\x1b[1083;2u"),
        ("\x1b[97:65;4u", "\x1b[97;4u"),
        # The codes of characters end here, and have a gap.
        ("\x1b[1114111u", "\x1b[1114111u"),
        ("\x1b[1114112u", ""),
        ("\x1b[57343u", ""),
        ("\x1b[57344u", "\x1b[57344u"),
        ("\x1b[55296u", ""),
    ],
)
def test_a_key_has_the_form_that_is_parsed(sent: str, read: str) -> None:
    assert readable_keys("a" + sent + "") == "a" + read + ""


@pytest.mark.parametrize(
    "sent",
    [
        *("\x1b", "\x1b[", "\x1b[A", "\x1b[1;5A", "\x1b[3~", "\x1b[200~", "\x1b[97;69u"),
        *("\x1b[12;40R", "\x1b[<0;12;40M", "\x1b[97;;98:99u", "ä漢"),
    ],
)
def test_other_input_is_left_as_it_is(sent: str) -> None:
    assert readable_keys(sent) == sent


@given(st.text(), st.from_regex(r"\x1b\[[0-9:;]{0,12}[u~ABR]", fullmatch=True))
def test_what_is_read_is_not_read_otherwise_again(other: str, key: str) -> None:
    once = readable_keys(other + key)
    assert readable_keys(once) == once
    # A type of an event, which the parser does not expect.
    assert not re.search(r"\x1b\[[\d:]*;\d*:[\d:;]*[u~ABR]", once)


ESCAPE = "\x1b[27u"


def keys_of(*reads: str, alt_keys: AltKeys | None = None) -> str:
    """What the parser reads of several reads, after which nothing comes."""
    rewriter = KeyRewriter(alt_keys or AltKeys())
    return "".join([*map(rewriter.read, reads), rewriter.end_rest()])


@pytest.mark.parametrize("key", [*"6?/[]:GjOfb §", "\r", "\x7f", "\x0b", "é"])
def test_escape_and_a_key_are_two_keys_however_fast_they_come(key: str) -> None:
    assert keys_of("\x1b", key) == ESCAPE + key
    assert keys_of(f"\x1b{key}") == ESCAPE + key
    assert keys_of("\x1b", f"{key}x") in (f"{ESCAPE}{key}x", f"\x1b{key}x")
    assert keys_of(f"a\x1b{key}\x1b", "\x1b[A") == f"a{ESCAPE}{key}{ESCAPE}\x1b[A"


def test_escape_alone_is_a_key_by_itself() -> None:
    assert keys_of("\x1b") == ESCAPE
    assert keys_of("\x1b", "\x1b", "\x1b") == keys_of("\x1b\x1b\x1b") == ESCAPE * 3
    # Those who type ahead see it only when no key has followed.
    assert KeyRewriter().read("j\x1b") == "j"


@pytest.mark.parametrize(
    "sequence",
    [
        *("\x1b[A", "\x1bOP", "\x1b[1;5A", "\x1b[<0;12;40M", "\x1b[?2026;2$y", "\x1b[27u"),
        *("\x1b[200~a\x1b6\x1b[201~", "\x1b[200~\x1b[?1u\x1b[201~", "\x1b\t", "\x1b[[A"),
    ],
)
def test_a_sequence_is_one_wherever_it_is_cut(sequence: str) -> None:
    assert keys_of(sequence + sequence) == sequence + sequence
    if sequence.startswith(("\x1b[", "\x1bO")):
        for at in range(1, len(sequence)):
            assert keys_of(sequence[:at], sequence[at:] + "6") == sequence + "6"


@pytest.mark.parametrize(
    "answer",
    [
        *("\x1b[?1u", "\x1b[?62;22c", "\x1b[>0;276;0c", "\x1b[?1;2n", "\x1b[?u"),
        *("\x1b]11;rgb:00/00/00\x1b\\", "\x1b]10;rgb:ff/ff/ff\x07", "\x1bP>|foot(1.2)\x1b\\"),
    ],
)
def test_an_answer_of_the_terminal_is_no_key_wherever_it_is_cut(answer: str) -> None:
    assert keys_of(f"j{answer}k") == "jk"
    # Escape with another key than these in the next read is what a person types.
    for at in range(1 if answer[1] == "[" else 2, len(answer)):
        assert keys_of(f"j{answer[:at]}", f"{answer[at:]}k") == "jk"


def test_alt_and_a_key_are_one_key_where_they_are_bound() -> None:
    bound = AltKeys(bound={"alt+j", "alt+shift+g", "alt+6", "alt+f"})
    assert keys_of("\x1bj\x1bG\x1b6\x1bf", alt_keys=bound) == (
        "\x1b[106;3u\x1b[103;4u\x1b[54;3u\x1b[102;3u"
    )
    assert keys_of("\x1b", "j", alt_keys=bound) == f"{ESCAPE}j"


def test_a_text_field_has_alt_and_the_keys_that_edit_a_line() -> None:
    typing = AltKeys(is_typing=lambda: True)
    assert keys_of("\x1bf\x1bb\x1b\x7f", alt_keys=typing) == "\x1bf\x1bb\x1b\x7f"
    assert keys_of("\x1b", "f", "\x1b6", alt_keys=typing) == f"{ESCAPE}f{ESCAPE}6"


PROGRAM = """
import os
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from frontdesk.tui.terminal_input import reading_any_key

class Keys(App):
    def on_ready(self):
        os.write(1, b"<ready>")

    def on_key(self, event):
        os.write(1, f"<{event.key}>".encode())
        if event.key == "q":
            self.exit()

app = Keys()
app.driver_class = reading_any_key(LinuxDriver, app.exit)
app.run()
"""


def test_no_input_ends_a_program(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    terminal = Terminal(PROGRAM, tmp_path / "files")
    try:
        terminal.wait_for(b"<ready>")
        for sent, key in (
            (b"\x1b[1;1:1B", b"<down>"),
            (b"\x1b[97:65;2u", b"<A>"),
            (b"\x1b[1083;5u", rb"<ctrl\+k>"),
            # A frame may be written between two keys.
            (b"\x1b6", b"<escape>[^<]*<6>"),
            (b"\x1b", b"<6>[^<]*<escape>"),
            (b"\xff\xfe", None),
            (b"\x1b[1;1;;;;u\x1b[:::::u", None),
            (b"x", b"<x>"),
        ):
            terminal.press(sent)
            if key is not None:
                terminal.wait_for(key)
        terminal.press(b"q")
        assert terminal.ending()[0] == 0
    finally:
        terminal.close()


@pytest.mark.skipif(not hasattr(fcntl, "F_GETPIPE_SZ"), reason="the room of a pipe is Linux's")
def test_a_program_ends_though_more_is_pasted_than_it_reads(tmp_path: Path) -> None:
    class Leaving(LinuxDriver):
        """Reads no key, and ends once there is no room for more."""

        def __init__(self, terminal: int) -> None:
            self.fileno = terminal

        def run_input_thread(self) -> None:
            room = fcntl.fcntl(self.fileno, fcntl.F_GETPIPE_SZ)
            held = array("i", [0])
            while held[0] < room:
                fcntl.ioctl(self.fileno, termios.FIONREAD, held)

    pasted = tmp_path / "pasted"
    pasted.write_bytes(b"x" * 1_000_000)
    with pasted.open("rb") as terminal:
        failures: list[Exception] = []
        reading_any_key(Leaving, failures.append)(terminal.fileno()).run_input_thread()
    assert failures == []
