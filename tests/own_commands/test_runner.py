"""Runs of programs: streams, ends, limits."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from frontdesk.own_commands.runner import Job, ProgramRun, exit_words

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="runs programs of POSIX")


async def run(*arguments: str, stdin: bytes = b"", **options: object) -> ProgramRun:
    run = ProgramRun(Job(arguments, stdin, **options))  # type: ignore[arg-type]
    await run.run()
    return run


async def until_gone(pid: int) -> None:
    """Wait for the end of a process; the test's time limit ends a wait that is in vain."""
    while is_running(pid):  # noqa: ASYNC110
        await asyncio.sleep(0.01)


def is_running(pid: int) -> bool:
    """True if a process exists that has not ended; of ended ones, its parent has yet to hear."""
    shown = ["ps", "-o", "stat=", "-p", str(pid)]
    state = subprocess.run(shown, capture_output=True, text=True).stdout.strip()
    return bool(state) and not state.startswith("Z")


async def test_a_program_reads_standard_input_and_its_output_is_kept() -> None:
    cat = await run("cat", stdin=b"hello\n")
    assert (cat.output.text(), cat.exit_code, cat.failure) == ("hello\n", 0, "")


async def test_an_exit_code_is_the_failure() -> None:
    failed = await run("sh", "-c", "echo no >&2; exit 3")
    assert (failed.failure, failed.output.last_line) == ("exit code 3", "no")


async def test_a_signal_that_ended_a_program_is_the_failure() -> None:
    assert (await run("sh", "-c", "kill -9 $$")).failure == "ended by signal 9"


async def test_errors_can_be_kept_apart() -> None:
    both = await run("sh", "-c", "echo out; echo err >&2", keeps_errors=False)
    assert (both.output.text(), both.errors.text()) == ("out\n", "err\n")


@pytest.mark.parametrize("program", ["/nonexistent/program", "/", "/etc/hostname"])
async def test_a_program_that_cannot_be_run_is_said(program: str) -> None:
    failed = await run(program)
    assert failed.failure.startswith(f"{program} cannot be run: ")
    assert failed.exit_code is None


async def test_arguments_that_are_too_long_for_the_system_are_said() -> None:
    failed = await run("true", *["x" * 30_000] * 400)
    assert failed.failure.startswith("true cannot be run: ")


@pytest.mark.parametrize("script", ["true", "exec <&-; echo done", "head -c 1"])
async def test_standard_input_that_is_not_read_holds_nothing_up(script: str) -> None:
    assert (await run("sh", "-c", script, stdin=b"x" * 5_000_000)).exit_code == 0


async def test_five_megabytes_of_standard_input_arrive() -> None:
    assert (await run("wc", "-c", stdin=b"x" * 5_000_000)).output.text().strip() == "5000000"


async def test_a_program_that_closes_its_output_goes_on() -> None:
    assert (await run("sh", "-c", "exec >&- 2>&-; sleep 0.05; exit 4")).exit_code == 4


async def test_a_program_is_ended_after_its_time() -> None:
    slow = await run("sleep", "60", timeout_seconds=0.05)
    assert slow.failure == "ended after 0.05 s"


async def test_what_a_program_leaves_running_is_ended_with_it() -> None:
    left = await run("sh", "-c", "sleep 60 & echo $!")
    assert left.exit_code == 0
    await until_gone(int(left.output.text()))


@pytest.mark.parametrize("script", ["", "trap '' TERM; "])
async def test_a_cancelled_program_is_ended_with_all_that_it_has_started(script: str) -> None:
    started = asyncio.Event()
    cancelled = ProgramRun(
        Job(["sh", "-c", f"{script}sleep 60 & echo $!; wait; wait"]), started.set
    )
    task = asyncio.create_task(cancelled.run())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cancelled.failure == "cancelled"
    await until_gone(int(cancelled.output.text()))


async def test_a_program_has_no_terminal_to_ask_on() -> None:
    assert (await run("sh", "-c", "exec 3</dev/tty")).exit_code != 0


async def test_a_detached_program_goes_on_after_its_time(tmp_path: Path) -> None:
    may_end = tmp_path / "may end"
    program = f"until [ -e '{may_end}' ]; do sleep 0.01; done; exit 3"
    detached = await run("sh", "-c", program, detached=True, timeout_seconds=0.02)
    assert (detached.failure, detached.exit_code) == ("", None)
    may_end.touch()
    while detached.exit_code is None:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    assert detached.exit_code == 3


async def test_a_program_has_its_environment_and_no_other() -> None:
    environment = {"PATH": os.environ["PATH"], "A": "1"}
    assert (await run("sh", "-c", "echo $A $HOME", environment=environment)).output.text() == "1\n"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        *((None, ""), (0, ""), (1, "exit code 1"), (255, "exit code 255")),
        *((-1, "ended by signal 1"), (-15, "ended by signal 15")),
    ],
)
def test_a_failure_is_an_exit_code_or_a_signal(code: int | None, words: str) -> None:
    assert exit_words(code) == words


async def test_whoever_shows_a_run_is_told_of_its_output_and_its_end() -> None:
    seen: list[tuple[bool, str]] = []
    program = ProgramRun(
        Job(["echo", "a"]), lambda: seen.append((program.is_running, program.output.text()))
    )
    assert program.is_running
    await program.run()
    assert seen[0][1] == "a\n"
    assert seen[-1] == (False, "a\n")
    assert not program.is_running


async def test_a_program_that_cannot_be_run_does_not_run() -> None:
    assert not (await run("/nonexistent/program")).is_running


async def test_output_of_a_detached_program_is_dropped() -> None:
    detached = await run("sh", "-c", "echo out; echo err >&2", detached=True)
    assert (detached.output.total, detached.errors.total, detached.exit_code) == (0, 0, 0)
