"""A supervisor's morning: the report of the week, one channel, the same figures in the shell."""

import json
from pathlib import Path

import pytest

from frontdesk.sample.demo import ME
from tests.stories.conftest import Shell
from tests.tui.recorded_terminal import Recorded, viewer_on


@pytest.mark.slow
def test_a_supervisor_looks_at_the_week_and_at_one_channel(
    inbox: Path, shell: Shell, tmp_path: Path
) -> None:
    place = ("--database", str(inbox), "--as", ME)
    counts = json.loads(shell("counts", *place, "--json"))
    report = json.loads(shell("report", "7d", "--channel", "London", *place, "--json", "metrics"))
    shown = str(report["metrics"]["conversations_count"])
    terminal = viewer_on(inbox, ME, tmp_path)
    try:
        terminal.until("live")
        look_at_the_week(terminal, counts["open"])
        choose_a_channel(terminal, shown)
    finally:
        terminal.close()
    waiting = json.loads(shell("conversations", "list", "waiting:>1h", "--all", *place, "--json"))
    assert len(waiting) == json.loads(shell("counts", "waiting:>1h", *place, "--json"))["all"] > 0


def look_at_the_week(terminal: Recorded, open_count: int) -> None:
    terminal.send("vr")
    terminal.until("REPORTS", "all channels", f"open {open_count}", "First response, mean")
    terminal.until("CAME AND WENT", "PERSON", "nobody", "Grace Okafor")


def choose_a_channel(terminal: Recorded, count: str) -> None:
    terminal.send("c")
    terminal.until("type to narrow the list")
    terminal.send("London\r")
    terminal.until("REPORTS", f"New conversations {count:>17}", gone="all channels")
