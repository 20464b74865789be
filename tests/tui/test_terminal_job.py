"""Programs that take the terminal of the viewer: it is given back whole."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("needs a terminal of POSIX", allow_module_level=True)

from tests.pseudo_terminal import PseudoTerminal

SECONDS = 30.0
# An application that runs a program of the shell, and says how it ended.
APP = """
import sys
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
        failure = run_in_terminal(self, job)
        self.query_one(Static).update(f"back <{failure}>")

Giving().run()
"""
UNMANNERLY = "stty raw -echo; printf '\\033[?1003h\\033[?25l\\033[31m\\033[?1049h'"


@pytest.fixture
def open_app(tmp_path: Path) -> Iterator[object]:
    opened: list[PseudoTerminal] = []

    def open_app(script: str, stdin: str = "") -> PseudoTerminal:
        command = (sys.executable, "-c", APP, script, stdin)
        environment = {**os.environ, "TERM": "xterm-256color", "HOME": str(tmp_path)}
        terminal = PseudoTerminal(command, environment, (80, 24))
        opened.append(terminal)
        terminal.wait_for(lambda text: "ready" in text, SECONDS)
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
        terminal.wait_for(lambda text: asks in text, SECONDS)
    terminal.write(keys.encode())
    terminal.wait_for(lambda text: f"back <{failure}>" in text, SECONDS)
    terminal.write(b"q")
    assert terminal.ending(SECONDS) == 0
