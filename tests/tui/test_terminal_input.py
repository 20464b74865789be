"""Keys as terminals send them, also with event types and alternate codes of kitty's protocol."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.tui.terminal_input import readable_keys
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
