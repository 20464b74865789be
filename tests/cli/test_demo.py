"""`frontdesk demo` in a terminal: its screens, its exit, and its temporary files."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.commands import run_command
from tests.terminals import LEAVE, Terminal

from frontdesk.cli.exit_codes import USAGE
from frontdesk.ingest.events import ContactUpsert
from frontdesk.sample.demo import SEED, demo_parts

# The cursor is hidden as soon as keys are the program's own.
HEARS_KEYS = rb"\x1b\[\?25l"
# The tab of all open conversations, before its number.
OPEN = rb"open(?:\x1b\[[\d;]*m| )*"
FAILED = "frontdesk: The sample inbox could not be made"


Run = Callable[..., Terminal]


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    path = tmp_path / "temporary"
    path.mkdir()
    return path


@pytest.fixture
def run(temporary: Path) -> Iterator[Run]:
    terminals: list[Terminal] = []

    def start(before: str = "pass") -> Terminal:
        program = (
            f"import sys; sys.argv[1:] = ['demo']; {before}; import frontdesk.cli as c; c.main()"
        )
        terminals.append(Terminal(program, temporary))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.close()


def newest_name() -> bytes:
    """Who wrote last in the sample, whenever it is made."""
    newest = next(demo_parts(SEED, 0))
    return str(next(e.name for e in newest if isinstance(e, ContactUpsert))).encode()


@pytest.mark.slow
def test_stopped_it_draws_its_screen_again_when_it_goes_on(run: Run) -> None:
    terminal = run()
    terminal.wait_for(newest_name())
    terminal.wait_for(OPEN + b"60")
    os.kill(terminal.process.pid, signal.SIGTSTP)
    os.waitpid(terminal.process.pid, os.WUNTRACED)
    os.kill(terminal.process.pid, signal.SIGCONT)
    # It goes to the other screen of the terminal once more, and writes there from the first line.
    terminal.wait_for(rb"\x1b\[\?1049h[\s\S]*\x1b\[\?1049h[\s\S]*\x1b\[1;1H[^H]*INBOX")
    terminal.press(LEAVE)
    assert terminal.ending()[0] == 0


@pytest.mark.slow
def test_it_goes_on_after_stops_that_it_could_not_see_and_ends(run: Run) -> None:
    terminal = run()
    terminal.wait_for(OPEN + b"60")
    entries = rb"\x1b\[\?1049h[\s\S]*"
    for stops in range(1, 7):
        os.kill(terminal.process.pid, signal.SIGSTOP)
        os.waitpid(terminal.process.pid, os.WUNTRACED)
        os.kill(terminal.process.pid, signal.SIGCONT)
        terminal.wait_for(entries * (stops + 1) + rb"\x1b\[1;1H[^H]*INBOX")
    terminal.press(LEAVE)
    assert terminal.ending()[0] == 0
    assert not terminal.processes()


@pytest.mark.slow
def test_it_says_you_and_only_whole_counts_and_that_a_theme_is_not_remembered(run: Run) -> None:
    terminal = run()
    terminal.wait_for(OPEN + b"60")
    # Never those of the part that it opens with.
    assert set(re.findall(r"open (\d+)", terminal.words)) == {"60"}
    assert "! you" in terminal.words
    assert "! Grace" not in terminal.words
    for keys, shown in (
        (b":", b"Commands"),
        (b"theme\r", b"Theme"),
        (b"nord\r", b"remember themes"),
    ):
        terminal.press(keys)
        terminal.wait_for(shown)
    terminal.press(LEAVE)
    assert terminal.ending()[0] == 0


def test_it_shows_the_newest_conversations_and_leaves_nothing(run: Run, temporary: Path) -> None:
    terminal = run()
    terminal.wait_for(newest_name())
    terminal.press(LEAVE)
    assert terminal.ending()[0] == 0
    assert not terminal.processes()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.slow)]
)
def test_when_ended_it_leaves_nothing(run: Run, temporary: Path, number: signal.Signals) -> None:
    terminal = run()
    terminal.wait_for(newest_name())
    terminal.process.send_signal(number)
    code, words = terminal.ending()
    assert code == 128 + number
    assert "Traceback" not in words
    assert not terminal.processes()
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
def test_left_before_anything_is_shown_it_leaves_nothing(run: Run, temporary: Path) -> None:
    terminal = run()
    terminal.wait_for(HEARS_KEYS)
    terminal.press(LEAVE)
    terminal.ending()
    assert not terminal.processes()
    assert list(temporary.iterdir()) == []


def maker_that(directory: Path, program: str) -> Path:
    """A directory of modules: processes that look there do this and no more when they start."""
    directory.mkdir()
    (directory / "sitecustomize.py").write_text(f"import os\n{program}\nos._exit(1)\n")
    return directory


def test_a_sample_that_cannot_be_begun_is_one_line(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(maker_that(tmp_path / "modules", "pass"))
    ended = run_command("demo", TMPDIR=str(temporary))
    assert (ended.exit_code, ended.stdout) == (USAGE, "")
    assert ended.stderr == f"{FAILED}\n"
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
def test_a_sample_that_cannot_be_finished_is_one_line(
    run: Run, temporary: Path, tmp_path: Path
) -> None:
    modules = maker_that(tmp_path / "modules", "os.write(1, b'ready\\n')")
    terminal = run(f"sys.path.insert(0, {str(modules)!r})")
    code, words = terminal.ending()
    assert code == USAGE
    assert FAILED in words
    assert "Traceback" not in words
    assert not terminal.processes()
    assert list(temporary.iterdir()) == []
