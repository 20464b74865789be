"""Crash reports contain types and places of errors, never their messages."""

import asyncio
import io
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from frontdesk.cli import crash_report
from frontdesk.cli.log_redaction import RedactingFormatter
from frontdesk.system.crash_trace import ProgramCrash, trace

SECRET = "fd_live_secret"


def failing(depth: int = 0) -> None:
    if depth:
        failing(depth - 1)
    else:
        raise ValueError(SECRET)


def caught(work: object) -> BaseException:
    try:
        assert callable(work)
        work()
    except BaseException as error:
        return error
    raise AssertionError("It did not fail")


def test_a_trace_has_kinds_and_places_innermost_last():
    lines = trace(caught(failing)).splitlines()
    assert lines[0] == "builtins.ValueError"
    assert lines[-1].startswith("  test_crash.py:") or lines[-1].startswith(
        "  tests/test_crash_report.py:"
    )
    assert lines[-1].endswith(":failing")
    assert SECRET not in "\n".join(lines)


def test_the_cause_of_an_error_is_shown_before_it():
    def chain() -> None:
        try:
            failing()
        except ValueError as error:
            raise KeyError(SECRET) from error

    crash_text = trace(caught(chain))
    assert (
        crash_text.index("ValueError")
        < crash_text.index("which led to")
        < crash_text.index("KeyError")
    )
    assert SECRET not in crash_text


def test_each_of_several_errors_is_reported():
    group = ExceptionGroup(SECRET, [caught(failing), KeyError(SECRET)])  # type: ignore[list-item]
    crash_text = trace(group)
    assert [name in crash_text for name in ("ExceptionGroup", "ValueError", "KeyError")] == [
        True
    ] * 3
    assert SECRET not in crash_text


def test_errors_that_lead_to_each_other_are_reported_once():
    first, second = ValueError(SECRET), KeyError(SECRET)
    first.__context__, second.__context__ = second, first
    assert trace(first).count("builtins.") == 2


def test_a_deep_stack_is_shortened_in_the_middle():
    lines = trace(caught(lambda: failing(500))).splitlines()
    assert len(lines) < 70
    assert sum("…" in line for line in lines) == 1
    assert lines[-1].endswith(":failing")


def logged(record: logging.LogRecord) -> str:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(RedactingFormatter())
    handler.handle(record)
    return stream.getvalue()


def test_a_log_says_where_an_error_arose_and_not_what_it_says():
    error = caught(failing)
    info = (type(error), error, error.__traceback__)
    record = logging.LogRecord("frontdesk", logging.ERROR, "x", 1, "It failed", (), info)
    assert logged(record).splitlines()[:2] == ["It failed", "builtins.ValueError"]
    assert SECRET not in logged(record)


async def test_failed_asyncio_tasks_are_logged_without_the_error_text(
    caplog: pytest.LogCaptureFixture,
):
    async def fail() -> None:
        failing()

    task = asyncio.create_task(fail())
    await asyncio.wait([task])
    del task
    (record,) = [record for record in caplog.records if record.name == "asyncio"]
    assert SECRET in record.getMessage()
    line = logged(record)
    assert line.startswith("Task exception was never retrieved\nbuiltins.ValueError\n")
    assert SECRET not in line


BROKEN = """
import sys, threading
sys.argv[1:] = ["accounts", "list", "--database", "{SECRET}"]
from frontdesk.cli import database, main
from frontdesk.cli.commands import accounts

def fail(*arguments, **more):
    thread = threading.Thread(target=lambda: 1 / len([]))
    thread.start()
    thread.join()
    raise ValueError("{SECRET}")

accounts.opened = database.opened = fail
main()
"""


def broken(home: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", BROKEN.replace("{SECRET}", SECRET)],
        env={"XDG_STATE_HOME": str(home), "PATH": "", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_command_that_fails_leaves_a_report_and_its_threads_a_line(tmp_path: Path):
    ended = broken(tmp_path)
    assert ended.returncode == 1
    (report,) = tmp_path.rglob("crash-*.txt")
    text = report.read_text(encoding="utf-8")
    assert "command: accounts" in text
    assert "A thread ended over a bug\nbuiltins.ZeroDivisionError" in ended.stderr
    assert str(report) in ended.stderr
    assert SECRET not in text + ended.stdout + ended.stderr


def test_a_report_that_cannot_be_saved_is_printed(tmp_path: Path):
    (tmp_path / "frontdesk").write_text("no directory", encoding="utf-8")
    ended = broken(tmp_path)
    assert ended.returncode == 1
    assert "command: accounts" in ended.stderr
    assert "builtins.ValueError" in ended.stderr
    assert SECRET not in ended.stderr


def test_the_last_reports_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(crash_report.environment, "crash_directory", lambda: tmp_path)
    for number in range(25):
        (tmp_path / f"crash-{number:02}.txt").write_text("", encoding="utf-8")
    crash_report.keep(caught(failing))
    left = {path.name for path in tmp_path.glob("crash-*.txt")}
    assert len(left) == 20
    assert left > {f"crash-{number:02}.txt" for number in range(6, 25)}


def test_a_report_is_kept_though_an_older_one_is_deleted_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(crash_report.environment, "crash_directory", lambda: tmp_path)
    # As one that another process deletes once it was found here.
    (tmp_path / "crash-01.txt").symlink_to("gone")
    assert str(tmp_path) in crash_report.keep(caught(failing))


def test_a_report_contains_the_bug_and_not_the_exit_after_it():
    crash = ProgramCrash({"screens": "InboxScreen"})
    crash.__cause__ = caught(failing)
    text = crash_report.report(crash, "demo", 0.0)
    assert "when: 1970-01-01T00:00:00Z" in text
    assert "screens: InboxScreen" in text
    assert "ProgramCrash" not in text
    assert "builtins.ValueError" in text
