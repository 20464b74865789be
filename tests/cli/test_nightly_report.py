"""The lines of docs/reports.md that make a report each night, run as cron and systemd run them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "reports.md"


def cron_line(page: str) -> str:
    """The command as the shell of cron gets it: without the time, and % without its backslash."""
    (line,) = re.findall(r"^10 6 \* \* \* (.*)$", page, re.MULTILINE)
    return str(line).replace("\\%", "%")


def unit_line(page: str) -> str:
    """The command of the unit, after systemd has taken its own signs out of it."""
    (line,) = re.findall(r"^ExecStart=/bin/sh -c '(.*)'$", page, re.MULTILINE)
    return "cd /srv/frontdesk && " + str(line).replace("$$", "$").replace("%%", "%")


@pytest.mark.parametrize("line", [cron_line, unit_line])
def test_a_night_leaves_a_report_of_yesterday(line: object, inbox: Path, tmp_path: Path) -> None:
    assert callable(line)
    shutil.copy(inbox, tmp_path / "inbox.db")
    command = line(PAGE.read_text("utf-8")).replace("/srv/frontdesk", str(tmp_path))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        ["/bin/sh", "-c", command],
        env={"PATH": path, "HOME": str(tmp_path), "LANG": "C.UTF-8"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    (report,) = tmp_path.glob("report-*.md")
    assert re.fullmatch(r"report-\d{4}-\d\d-\d\d\.md", report.name)
    text = report.read_text("utf-8")
    assert text.startswith("# Inbox report\n")
    assert "| Person |" in text
