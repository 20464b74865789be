"""Alerts: late conversations are announced on the screen, by the terminal and by a program."""

import sys
import time
from pathlib import Path

import pytest

from frontdesk.sample.demo import ME, create_demo
from tests.tui.recorded_terminal import viewer_with

PROGRAM = "import os; open('ran', 'a').write(os.environ['FRONTDESK_ALERT_TEXT'] + chr(10))"


@pytest.mark.slow
def test_who_waits_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    database = tmp_path / "inbox.db"
    create_demo(database, now=time.time_ns() // 1_000_000)
    configuration = tmp_path / "frontdesk" / "config.toml"
    configuration.parent.mkdir()
    configuration.write_text(
        '[alerts]\nmine = true\nwaiting = "15m"\nterminal = true\n'
        "[[commands]]\nname = 'Note'\nfor = ['alert']\noutput = 'none'\n"
        f"run = [{sys.executable!r}, '-c', {PROGRAM!r}]\n"
    )

    first = watched(tmp_path, database, "! Waiting for 87d: Callum Patel", "more")
    assert b"\x1b]9;frontdesk: Waiting for 87d: Callum Patel" in first
    assert b"\x1b]9;" not in watched(tmp_path, database, "All open 60", "live")
    # One after the other, as long as the viewer is there.
    said = (tmp_path / "ran").read_text().splitlines()
    assert said[0].startswith("Waiting for 87d: Callum Patel")
    assert len(said) == len(set(said))


def watched(home: Path, database: Path, *words: str) -> bytes:
    """All that a viewer writes until it has shown some words, and has been used and left."""
    place = ("--database", str(database), "--as", ME)
    viewer = viewer_with(home, *place, TERM_PROGRAM="WezTerm")
    try:
        viewer.until(*words)
        viewer.send("u")
        viewer.changes()
        viewer.send("qq")
        assert viewer.ended() == 0
    finally:
        viewer.close()
    return bytes(viewer.received)
