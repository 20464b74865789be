"""Switching between profiles in a terminal, after a first start."""

from pathlib import Path

import pytest
from servers import Serve
from tests.terminals import LEAVE, Terminal

PROGRAM = """
import sys
sys.argv[1:] = []
from frontdesk.cli import main
main()
"""
OTHER_PROFILE = b"\x0f"


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    directory = tmp_path / "temporary"
    directory.mkdir()
    return directory


def test_the_first_start_asks_keeps_and_opens(
    temporary: Path, serve: Serve, key: str, configuration_home: Path
) -> None:
    _, url = serve()
    terminal = Terminal(PROGRAM, temporary, FRONTDESK_API_KEY="")
    try:
        terminal.wait_for(b"Connect to an inbox")
        terminal.press(f"{url}\r".encode())
        terminal.wait_for(b"A server needs an API key")
        terminal.press(f"{key}\r".encode())
        terminal.wait_for(b"It answers: 0 open conversations")
        terminal.press(b"\r")
        terminal.wait_for(b"INBOX")
        terminal.wait_for(b"live")
        terminal.press(LEAVE)
        code, words = terminal.ending()
        assert code == 0
        assert key not in words
    finally:
        terminal.close()
    assert (configuration_home / "keys" / "server").read_text().strip() == key
    assert 'profile = "server"' in (configuration_home / "config.toml").read_text()


def test_left_at_the_first_start_nothing_is_kept(temporary: Path, configuration_home: Path) -> None:
    terminal = Terminal(PROGRAM, temporary)
    try:
        terminal.wait_for(b"Connect to an inbox")
        terminal.press(LEAVE)
        code, words = terminal.ending()
        assert (code, "Traceback" in words) == (0, False)
    finally:
        terminal.close()
    assert not configuration_home.exists()


@pytest.fixture
def three_profiles(inbox: Path, path: Path, configuration_home: Path) -> None:
    """The sample is in use; there is an empty database too, and one that is not there."""
    configuration_home.mkdir(parents=True)
    (configuration_home / "config.toml").write_text(
        f'profile = "sample"\n[viewer]\nbell = 1\n[profiles.sample]\ndatabase = "{inbox}"\n'
        f'[profiles.empty]\ndatabase = "{path}"\n[profiles.gone]\ndatabase = "{path}.not"\n'
    )


@pytest.mark.slow
@pytest.mark.usefixtures("three_profiles")
def test_another_profile_opens_and_one_that_cannot_be_opened_leads_back(temporary: Path) -> None:
    terminal = Terminal(PROGRAM, temporary)
    try:
        terminal.wait_for(b"line 3: bell is 1: use true or false")
        terminal.wait_for(b" live")
        for number, profile, shown in (
            (1, b"gone", b"There is no database at"),
            (2, b"empty", b"No conversation matches"),
        ):
            terminal.press(OTHER_PROFILE)
            terminal.wait_for(rb"(type to narrow[\s\S]*){%d}" % number)
            terminal.press(profile + b"\r")
            terminal.wait_for(shown)
        terminal.press(LEAVE)
        assert terminal.ending()[0] == 0
    finally:
        terminal.close()
