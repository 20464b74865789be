"""The benchmarks run at a small size; what they measure there is not checked."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "performance.md"
# The first three cells of a row: id, quantity, budget.
ROW = re.compile(r"^\| ([A-Z]\d+) \| ([^|]+) \| ([^|]*) \|", re.MULTILINE)

SMALL = {
    "start": "--conversations 1100 --starts 1 --presses 2",
    "lists": "--conversations 5000 --messages 1100 --presses 2",
    "store": "--conversations 1100 --rounds 2",
    "search": "--conversations 300 --rounds 5 --presses 2",
    "load": "--conversations 100 --seconds 0.5 --many 20 --crowd 100",
}

ON_BOTH = ("store", "search")


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [pytest.param(name, marks=pytest.mark.postgres if name in ON_BOTH else ()) for name in SMALL],
)
def test_a_benchmark_prints_quantities_and_budgets_of_a_table(program: str) -> None:
    command = [sys.executable, "-m", "tests.bench", program, *SMALL[program].split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    printed = ROW.findall(done.stdout)
    documented = ROW.findall(DOCUMENT.read_text(encoding="utf-8"))
    first = documented.index(printed[0])
    assert printed == documented[first : first + len(printed)]
