"""`frontdesk demo` in a terminal: what it shows, how it is left, and what it leaves behind."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.terminals import LEAVE, Terminal

from frontdesk.ingest import sample
from frontdesk.ingest.events import ContactUpsert

SCREEN_OPENS = rb"\x1b\[\?1049h"
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


def test_it_shows_the_newest_conversations_and_leaves_nothing(run: Run, temporary: Path) -> None:
    newest = next(sample.slices(sample.SEED, 0))
    name = next(event.name for event in newest if isinstance(event, ContactUpsert))
    terminal = run()
    terminal.wait_for(str(name).encode())
    terminal.press(LEAVE)
    assert terminal.ending()[0] == 0
    assert not terminal.processes()
    assert list(temporary.iterdir()) == []


def test_left_before_anything_is_shown_it_leaves_nothing(run: Run, temporary: Path) -> None:
    terminal = run()
    terminal.wait_for(SCREEN_OPENS)
    terminal.press(LEAVE)
    terminal.ending()
    assert not terminal.processes()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    "maker", ["raise SystemExit(1)", "print(1, flush=True); raise SystemExit(1)"]
)
def test_a_sample_that_cannot_be_made_is_one_line(run: Run, temporary: Path, maker: str) -> None:
    terminal = run(f"import frontdesk.cli.rehearsal as r; r._MAKER = {maker!r}")
    code, words = terminal.ending()
    assert code == 2
    assert FAILED in words
    assert "Traceback" not in words
    assert not terminal.processes()
    assert list(temporary.iterdir()) == []
