"""SIGTERM and SIGHUP end the process; a running event loop is stopped first."""

import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterator

import pytest

from frontdesk.cli.signals import exit_on_signals, on_signals

NUMBERS = (signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def handled() -> Iterator[None]:
    """The handlers of the test's process come back, and its alarm is off."""
    every = (*NUMBERS, signal.SIGCONT)
    before = {number: signal.getsignal(number) for number in every}
    for number in NUMBERS:
        signal.signal(number, signal.SIG_DFL)
    exit_on_signals()
    yield
    signal.alarm(0)
    for number, handler in before.items():
        signal.signal(number, handler)


class Watched:
    """An object whose end is watched by a callback, whose exceptions Python ignores."""


@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_ends_the_process(number: signal.Signals) -> None:
    with pytest.raises(SystemExit) as ended:
        os.kill(os.getpid(), number)
    assert ended.value.code == 128 + number


@pytest.mark.parametrize("number", NUMBERS)
def test_a_loop_is_asked_once_to_end_wherever_the_signal_comes(number: signal.Signals) -> None:
    codes: list[int] = []
    watched = Watched()
    reference = weakref.ref(watched, lambda _: os.kill(os.getpid(), number))
    with on_signals(codes.append):
        del watched
        for one in NUMBERS:
            os.kill(os.getpid(), one)
    assert reference() is None
    assert codes == [128 + number]
    # What is still being closed then is not interrupted.
    os.kill(os.getpid(), number)
    assert 0 < signal.alarm(0) <= 5


def test_after_a_loop_that_ended_by_itself_a_signal_ends_the_process() -> None:
    codes: list[int] = []
    with on_signals(codes.append):
        pass
    with pytest.raises(SystemExit):
        os.kill(os.getpid(), signal.SIGTERM)
    assert codes == []


def test_an_ignored_signal_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    exit_on_signals()
    with on_signals(lambda code: pytest.fail(str(code))):
        os.kill(os.getpid(), signal.SIGHUP)


def test_an_exit_code_is_kept_where_the_terminal_was_closed() -> None:
    program = (
        "import os, pty, sys\n"
        "from frontdesk.cli.exit_codes import discard_unwritable_output\n"
        "controller, terminal = pty.openpty()\n"
        "os.dup2(terminal, 1), os.dup2(terminal, 2)\n"
        "sys.stdout.write('half a line'), sys.stderr.write('half a line')\n"
        "os.close(controller)\n"
        "discard_unwritable_output()\n"
        "sys.exit(129)\n"
    )
    assert subprocess.run([sys.executable, "-E", "-c", program], check=False).returncode == 129
