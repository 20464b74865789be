"""`frontdesk sample`: a database of any size that every other command takes."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from frontdesk.cli.program import frontdesk
from frontdesk.errors import BadSettings


def run(*arguments: str) -> Result:
    return CliRunner().invoke(frontdesk, arguments)


def test_what_it_makes_can_be_checked_and_given_keys(tmp_path: Path) -> None:
    path = str(tmp_path / "inbox.db")
    size = ("--conversations", "30", "--messages", "120", "--until", "2026-03-14")
    made = run("sample", "--database", path, *size)
    assert made.exit_code == 0, made.output
    assert "30 conversations, 120 messages until 2026-03-14" in made.output
    assert run("check", "--database", path).output == "Everything adds up.\n"
    keys = run("keys", "create", "--database", path, "--name", "x", "--all-read")
    assert keys.exit_code == 0, keys.output


def test_each_conversation_needs_a_message(tmp_path: Path) -> None:
    result = run(
        "sample", "--database", str(tmp_path / "i.db"), "--conversations", "10", "--messages", "9"
    )
    assert result.exit_code == 2
    assert "--messages is 9, but each of 10 conversations has one" in result.output
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    path.write_bytes(b"mine")
    result = run("sample", "--database", str(path), "--conversations", "10")
    assert isinstance(result.exception, BadSettings)
    assert path.read_bytes() == b"mine"


@pytest.mark.parametrize("day", ["yesterday", "2026-02-30"])
def test_a_day_is_written_as_a_date(tmp_path: Path, day: str) -> None:
    result = run("sample", "--database", str(tmp_path / "i.db"), "--until", day)
    assert result.exit_code == 2
    assert "'%Y-%m-%d'" in result.output
