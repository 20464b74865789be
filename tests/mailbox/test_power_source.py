"""The power source, from files as of Linux."""

import sys
from pathlib import Path

import pytest

from frontdesk.mailbox.power_source import on_battery

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no such files")


@pytest.mark.parametrize(
    ("supplies", "expected"),
    [
        ({}, False),
        ({"AC": {"type": "Mains", "online": "1"}}, False),
        ({"AC": {"type": "Mains", "online": "0"}, "BAT0": {"status": "Discharging"}}, True),
        ({"AC": {"type": "USB", "online": "1"}, "BAT0": {"status": "Discharging"}}, False),
        ({"BAT0": {"status": "Charging"}}, False),
        ({"mouse": {"status": "Discharging", "scope": "Device"}}, False),
        ({"BAT0": {"type": "Battery"}}, False),
    ],
)
def test_only_a_computer_that_discharges_its_battery_is_on_battery(
    tmp_path: Path, supplies: dict[str, dict[str, str]], expected: bool
) -> None:
    for name, files in supplies.items():
        (tmp_path / name).mkdir()
        for file, text in {"type": "Battery", **files}.items():
            (tmp_path / name / file).write_text(f"{text}\n")
    assert on_battery(tmp_path) == expected


def test_without_such_files_it_is_not_on_battery(tmp_path: Path) -> None:
    assert not on_battery(tmp_path / "none")
