"""The benchmarks run; their results are not checked."""

import re
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.bench.budgets import Measured, budgets
from tests.bench.idle import hour
from tests.bench.ratios import Ratio, by_turn, in_turn, percentile, ratio, shown
from tests.bench.sessions import (
    RESIZE,
    Presses,
    Session,
    Start,
    Stroke,
    Work,
    environment_in,
    side_by_side,
    start,
)
from tests.bench.workspace import FLOOR, Workspace
from tests.stores import PostgresServer

ROOT = Path(__file__).resolve().parents[1]


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "tests.bench", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_store_is_measured_at_any_size() -> None:
    tiny = ("--conversations", "80", "--samples", "1", "--rounds", "3", "--seconds", "0.1")
    result = run("store", *tiny, "--datasette", "")
    assert result.returncode == 0, result.stderr
    heading, _, *lines = result.stdout.splitlines()
    assert heading.startswith("| what | measured | reach | reached |")
    measured = [
        line for line in lines if re.search(r"\| [\d,.]+ \| [<>]= [\d.]+ \| (yes|no) \|", line)
    ]
    assert len(measured) == 48
    assert [line for line in lines if "datasette is missing" in line]


@pytest.mark.parametrize("kind", ["SQLite", pytest.param("PostgreSQL", marks=pytest.mark.postgres)])
def test_searches_of_a_database_are_measured_again_without_building_its_index(
    tmp_path: Path, request: pytest.FixtureRequest, engine: str
) -> None:
    with ExitStack() as ending:
        target = str(tmp_path / "inbox.db")
        if engine == "PostgreSQL":
            server: PostgresServer = request.getfixturevalue("postgres")
            target = ending.enter_context(server.database())
        tiny = ("--conversations", "80", "--rounds", "5", "--words", "5", "--database", target)
        first, second = run("search", *tiny), run("search", *tiny)
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    assert f"| {engine}: seconds to build a million |" in first.stdout
    assert "build" not in second.stdout
    for result in (first, second):
        assert f"{engine}: 5 of 5 words are found as by a scan" in result.stderr
        assert f"| {engine}: page of hits, p95, ms |" in result.stdout


def test_both_benchmarks_say_what_can_be_asked_for() -> None:
    assert "--conversations" in run("store", "--help").stdout
    assert "--peers" in run("viewer", "--help").stdout


class Same(dict[str, Any]):
    """The same for every name."""

    def __missing__(self, name: str) -> Any:
        return self["any"]


def test_the_viewers_table_has_a_line_for_all_that_is_to_be_reached(tmp_path: Path) -> None:
    home = Workspace(tmp_path, 1_100, 30)
    home.make()
    presses = Same(any=Presses((0.01, 0.02), (0.01, 0.02), (1_000.0, 1_200.0)))
    starts = Same(any=[Start(0.5, 0.4, 0.6, 0.7, 60.0)])
    sessions = Same(any=[Session(presses, 0.01, 70.0)])
    missing = {"posting": "cannot be installed: no network", "harlequin": "", "toolong": ""}
    ratios = budgets(Measured(starts, sessions, missing, [0.01], [0.005]), home)
    kinds = {one.name.partition(" ")[0] for one in ratios}
    wanted = {"S": 6, "L": 11, "B": 2, "T": 7, "C": 1, "P": 1, "V": 1}
    assert kinds >= {f"{kind}{n + 1}" for kind, most in wanted.items() for n in range(most)}
    assert "| P1 posting | – | <= 0.7 | – |  |  | cannot be installed: no network |" in shown(
        ratios
    )


def test_the_viewer_is_measured_in_a_terminal(tmp_path: Path) -> None:
    home = Workspace(tmp_path, 30, 30)
    home.make()
    home.begin_again()
    program = home.viewer("viewer")
    one = start(program, environment_in(tmp_path))
    assert 0 < one.cpu < one.settled_cpu
    assert 0 < one.wall < one.answered
    down, resize = Stroke("down", b"j", 3), Stroke("resize", RESIZE, 2)
    works = {
        "viewer": Work(program, [down, resize], held=(b"j", 2)),
        "floor": Work(FLOOR, [Stroke("down", b"j", 2)]),
    }
    ran = side_by_side(works, environment_in(tmp_path))
    viewer, floor = ran["viewer"], ran["floor"]
    assert min(viewer.presses["down"].latencies + floor.presses["down"].latencies) > 0
    assert [len(one.presses["down"].cpu) for one in (viewer, floor)] == [3, 2]
    assert min(viewer.presses["resize"].bytes) > 0
    assert viewer.held_cpu > 0 == floor.held_cpu
    assert list(floor.presses) == ["down"]


def test_works_take_turns_and_the_first_round_is_not_counted() -> None:
    order: list[str] = []
    works = {name: lambda number, name=name: order.append(f"{name}{number}") for name in "abc"}
    taken = in_turn(3, works)
    assert {name: len(times) for name, times in taken.items()} == {"a": 3, "b": 3, "c": 3}
    assert order == ["c0", "a0", "b0", "a0", "b0", "c0", "b1", "c1", "a1", "c2", "a2", "b2"]


def test_a_ratio_is_reached_on_the_right_side_of_its_bound() -> None:
    assert Ratio("", 2, ">=", 2).reached
    assert not Ratio("", 1.9, ">=", 2).reached
    assert Ratio("", 1.3, "<=", 1.3).reached
    assert Ratio("", None, "<=", 1).reached is None
    assert "| x | – | <= 1 | – |  |  | missing |" in shown(
        [Ratio("x", None, "<=", 1, note="missing")]
    )


def test_a_machine_that_is_slower_for_some_turns_makes_no_other_ratio() -> None:
    slow, fast = [1.1, 1.1, 1.65, 1.65, 1.1], [1.0, 1.0, 1.5, 1.5, 1.5]
    assert by_turn(slow, fast) == pytest.approx(1.1)
    one = ratio("", "<=", 1.2, slow, fast, compared=by_turn)
    assert (one.value, one.slow, one.fast) == (pytest.approx(1.1), 1.1, 1.5)
    with pytest.raises(ValueError, match="longer"):
        by_turn([1.0], [1.0, 1.0])


def test_a_percentile_is_one_of_the_times() -> None:
    times = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [percentile(times, share) for share in (0, 0.5, 0.99)] == [1.0, 3.0, 5.0]


def test_an_hour_in_which_nothing_happens_is_mostly_unchanged(
    sample_file: Path, tmp_path: Path
) -> None:
    shutil.copy(sample_file, tmp_path / "inbox.db")
    tagged = hour(tmp_path, in_use=False, untagged=False)
    untagged = hour(tmp_path, in_use=False, untagged=True)
    assert tagged.unchanged > 0.9 * tagged.requests
    assert untagged.unchanged == 0
    assert untagged.requests < 0.6 * tagged.requests
    assert tagged.received < untagged.received
