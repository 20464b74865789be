"""`frontdesk db sample`: databases of any size that all commands accept."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from frontdesk.cli.main import frontdesk
from frontdesk.errors import BadSettings


def run(*arguments: str) -> Result:
    return CliRunner().invoke(frontdesk, arguments)


def test_a_sample_passes_the_check_and_accepts_new_keys(tmp_path: Path) -> None:
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


def test_one_message_for_each_conversation_is_enough(tmp_path: Path) -> None:
    path = str(tmp_path / "i.db")
    made = run("sample", "--database", path, "--conversations", "10", "--messages", "10")
    assert made.exit_code == 0
    assert "10 conversations, 10 messages" in made.output
    assert re.search(r", in \d+ s\n", made.output)


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


def filling(path: Path) -> "subprocess.Popen[bytes]":
    """A process that makes a large sample, once its first rows are in the file."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "frontdesk",
            "sample",
            "--database",
            str(path),
            "--conversations",
            "1000000",
        ],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    partial = path.with_name(f"{path.name}.partial")
    while not (partial.exists() and partial.stat().st_size) and process.poll() is None:
        os.sched_yield()
    return process


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGKILL to a group of processes")
def test_leftovers_of_a_killed_sample_are_removed_but_a_running_one_is_left_alone(
    tmp_path: Path,
) -> None:
    path = tmp_path / "inbox.db"
    process = filling(path)
    try:
        again = run("sample", "--database", str(path), "--conversations", "10")
        assert isinstance(again.exception, BadSettings)
        assert "is being filled by another process" in str(again.exception)
        assert process.poll() is None
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert "inbox.db.partial" in [one.name for one in tmp_path.iterdir()]
    again = run("sample", "--database", str(path), "--conversations", "10")
    assert again.exit_code == 0, again.output
    assert [one.name for one in tmp_path.iterdir()] == ["inbox.db"]
    assert run("check", "--database", str(path)).output == "Everything adds up.\n"


def test_a_file_of_somebody_else_is_not_taken_for_what_was_left(tmp_path: Path) -> None:
    partial = tmp_path / "inbox.db.partial"
    partial.write_bytes(b"mine")
    result = run("sample", "--database", str(tmp_path / "inbox.db"), "--conversations", "10")
    assert isinstance(result.exception, BadSettings)
    assert "is in the way" in str(result.exception)
    assert partial.read_bytes() == b"mine"
