"""Programs that take the terminal of the viewer: it is given back whole."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("needs a terminal of POSIX", allow_module_level=True)

from tests.patience import HANG_SECONDS
from tests.pseudo_terminal import PseudoTerminal
from tests.terminals import Terminal

# An application that runs a program of the shell, and says how it ended.
APP = """
import os, sys, termios
from textual.app import App
from textual.widgets import Static
from frontdesk.own_commands.runner import Job
from frontdesk.tui.terminal_job import run_in_terminal

class Giving(App):
    BINDINGS = [("1", "give", ""), ("q", "quit", "")]

    def compose(self):
        yield Static("ready")

    def action_give(self):
        job = Job(["sh", "-c", sys.argv[1]], sys.argv[2].encode())
        before = termios.tcgetattr(0)
        failure = run_in_terminal(self, job)
        whole = termios.tcgetattr(0) == before and os.tcgetpgrp(0) == os.getpgrp()
        self.said = f"back <{failure}> {'whole' if whole else 'broken'}"
        self.query_one(Static).update(self.said)

    def on_resize(self, event):
        self.query_one(Static).update(f"{getattr(self, 'said', 'ready')} {event.size.width}")

Giving().run()
"""
UNMANNERLY = "stty raw -echo; printf '\\033[?1003h\\033[?25l\\033[31m\\033[?1049h'"
# Makes a group that is gone at once the terminal's foreground.
FOREGROUND = (
    "python3 -c 'import os, signal as s; s.signal(s.SIGTTOU, s.SIG_IGN); os.setpgid(0, 0);"
    ' os.tcsetpgrp(os.open("/dev/tty", os.O_RDWR), os.getpgrp())\''
)
# How twelve programs leave a terminal that behave badly, each with how it ends.
UNRULY = {
    "alternate screen": ("printf '\\033[?1049h\\033[2J'", ""),
    "mouse": ("printf '\\033[?1000h\\033[?1003h\\033[?1006h'", ""),
    "bracketed paste and focus": ("printf '\\033[?2004h\\033[?1004h'", ""),
    "raw mode without echo": ("stty raw -echo -isig", ""),
    "hidden cursor": ("printf '\\033[?25l\\033[5 q'", ""),
    "stopped itself": ("kill -STOP $$", ""),
    "child that holds the terminal": ("(cat < /dev/tty; cat < /dev/tty) & true", ""),
    "killed": ("kill -KILL $$", f"ended by signal {int(signal.SIGKILL)}"),
    "title and colours": ("printf '\\033]2;mine\\007\\033[31;44m\\033]11;#800000\\007'", ""),
    "scroll region and origin": ("printf '\\033[5;10r\\033[?6h\\033[4h'", ""),
    "kitty keyboard": ("printf '\\033[>31u\\033[=31u\\033[>4;2m\\033='", ""),
    "foreground group": (FOREGROUND, ""),
}


@pytest.fixture
def open_app(tmp_path: Path) -> Iterator[object]:
    opened: list[PseudoTerminal] = []

    def open_app(script: str, stdin: str = "") -> PseudoTerminal:
        command = (sys.executable, "-c", APP, script, stdin)
        environment = {**os.environ, "TERM": "xterm-256color", "HOME": str(tmp_path)}
        terminal = PseudoTerminal(command, environment, (80, 24))
        opened.append(terminal)
        terminal.wait_for(lambda text: "ready" in text, HANG_SECONDS)
        terminal.write(b"1")
        return terminal

    yield open_app
    for terminal in opened:
        terminal.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "stdin", "keys", "failure"),
    [
        ("true", "", "", ""),
        ('printf asks; read line < /dev/tty; test "$line" = x', "", "x\r", ""),
        ('test "$(cat)" = thread', "thread", "", ""),
        (UNMANNERLY, "", "", ""),
        (f"{UNMANNERLY}; exit 7", "", "\r", "exit code 7"),
        ("kill -INT $$", "", "\r", f"ended by signal {int(signal.SIGINT)}"),
        ("kill -TSTP $$; true", "", "", ""),
        ("set -m; sleep 0.01; true", "", "", ""),
        ("exec /nonexistent", "", "\r", "exit code 127"),
    ],
)
def test_the_viewer_has_its_terminal_back_whatever_a_program_did(
    open_app, script: str, stdin: str, keys: str, failure: str
) -> None:
    terminal = open_app(script, stdin)
    if keys:
        asks = "enter returns" if failure else "asks"
        terminal.wait_for(lambda text: asks in text, HANG_SECONDS)
    terminal.write(keys.encode())
    terminal.wait_for(lambda text: f"back <{failure}> whole" in text, HANG_SECONDS)
    terminal.write(b"q")
    assert terminal.ending(HANG_SECONDS) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", UNRULY)
def test_the_viewer_has_its_terminal_back_after_twelve_unruly_programs(open_app, name: str) -> None:
    script, failure = UNRULY[name]
    terminal = open_app(script)
    if failure:
        terminal.wait_for(lambda text: "enter returns" in text, HANG_SECONDS)
        terminal.write(b"\r")
    terminal.wait_for(lambda text: f"back <{failure}> whole" in text, HANG_SECONDS)
    terminal.write(b"q")
    assert terminal.ending(HANG_SECONDS) == 0


@pytest.mark.slow
def test_what_a_program_left_in_the_background_ends_with_it(open_app, tmp_path: Path) -> None:
    number = tmp_path / "pid"
    terminal = open_app(f"sleep 300 & echo $! > {number}")
    terminal.wait_for(lambda text: "back <> whole" in text, HANG_SECONDS)
    while True:
        try:
            os.kill(int(number.read_text()), 0)
        except ProcessLookupError:
            break
    terminal.write(b"q")
    assert terminal.ending(HANG_SECONDS) == 0


@pytest.mark.slow
def test_the_viewer_has_the_size_that_the_terminal_got_meanwhile(open_app) -> None:
    terminal = open_app("stty cols 60 rows 20")
    terminal.wait_for(lambda text: "back <> whole 60" in text, HANG_SECONDS)
    terminal.write(b"q")
    assert terminal.ending(HANG_SECONDS) == 0


GIVING = """
import os
from textual.app import App
from frontdesk.own_commands.runner import Job
from frontdesk.tui.terminal_job import run_in_terminal

class Giving(App):
    def on_ready(self):
        script = "kill -STOP $$; printf '<%s>' \\"$(cat)\\""
        job = Job(["sh", "-c", script], b"in")
        failure = run_in_terminal(self, job)
        group = os.tcgetpgrp(0) == os.getpgrp()
        os.write(1, f"<back {failure} {group}>".encode())

    def on_key(self, event):
        self.exit()

Giving().run()
"""
# In the order in which they are undone: keys of the cursor, origin, mouse, focus, pasting, updates.
MODES = (1, 6, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026)


def test_a_program_has_the_terminal_and_what_it_may_have_left_of_modes_is_undone(
    tmp_path: Path,
) -> None:
    (tmp_path / "files").mkdir()
    terminal = Terminal(GIVING, tmp_path / "files")
    try:
        terminal.wait_for(rb"\x1b\[22;0t")
        terminal.wait_for(b"<in>")
        terminal.wait_for(rb"\x1b\[\?25h\x1b\[0 q")
        terminal.wait_for(b"".join(rb"\x1b\[\?%dl" % mode for mode in MODES))
        terminal.wait_for(rb"\x1b\[23;0t")
        terminal.wait_for(b"<back  True>")
        terminal.press(b"q")
        assert terminal.ending()[0] == 0
    finally:
        terminal.close()
