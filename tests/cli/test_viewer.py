"""The viewer as a program in a terminal: how it exits."""

from pathlib import Path

import pytest
from tests.terminals import LEAVE, Terminal

PROGRAM = """
import sys
sys.argv[1:] = ["--url", "http://127.0.0.1:9"]
from frontdesk.cli import main
main()
"""


@pytest.mark.slow
def test_left_while_nobody_answers_it_ends_quietly(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    terminal = Terminal(PROGRAM, temporary, FRONTDESK_API_KEY="fdk_" + "a" * 40)
    try:
        terminal.wait_for(b"connecting")
        terminal.press(LEAVE)
        code, words = terminal.ending()
        assert "Traceback" not in words
        assert code == 0
    finally:
        terminal.close()
