"""`python -m tests.mutation --seed N --count 60`: which small changes no test notices.

Draws mutants at random (a comparison turned, a condition negated, a call left out, …), runs the
tests of the fast tier that run the changed function, and lists the mutants that survive. Some
survivors change nothing that can be observed; a person has to judge that.

The first run measures which tests run which function, which takes longer than the tests alone. The
map is kept in `.mutation/` and used again; `--measure` makes it anew.
"""

import argparse
import random
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutation.coverage_map import collect
from tests.mutation.mutants import Mutant, mutants
from tests.mutation.runner import Copy, CoverageMap, Result, existing_tests

_PROJECT = Path(__file__).parents[2]
_SOURCE = _PROJECT / "src" / "frontdesk"
_FOLDER = _PROJECT / ".mutation"


def main() -> None:
    """Test a random sample of mutants and print those that survive."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=180, help="of tests for each mutant")
    parser.add_argument("--measure", action="store_true", help="measure again who runs what")
    parser.add_argument(
        "--below", default="", metavar="PATH", help="only files below src/frontdesk/PATH"
    )
    options = parser.parse_args()
    found = [mutant for mutant in mutants(_SOURCE) if mutant.path.startswith(options.below)]
    chosen = random.Random(options.seed).sample(found, min(options.count, len(found)))
    coverage_map = CoverageMap(_map(measure=options.measure), _SOURCE, existing_tests(_PROJECT))
    _report(_test(chosen, coverage_map, options.processes, options.seconds))


def _map(*, measure: bool) -> Path:
    path = _FOLDER / "map.json"
    if measure or not path.exists():
        shutil.rmtree(_FOLDER, ignore_errors=True)
        collect(_FOLDER, _SOURCE, ["-n", "auto"])
    return path


def _test(
    chosen: list[Mutant], coverage_map: CoverageMap, processes: int, seconds: float
) -> list[Result]:
    copies: SimpleQueue[Copy] = SimpleQueue()

    def test(mutant: Mutant) -> Result:
        copy = copies.get()
        try:
            result = copy.test(mutant, coverage_map, seconds)
        finally:
            copies.put(copy)
        _print(f"{result.outcome:9} {mutant} ({result.tests} tests)")
        return result

    for _ in range(processes):
        copies.put(Copy(_PROJECT))
    try:
        with ThreadPoolExecutor(processes) as threads:
            return list(threads.map(test, chosen))
    finally:
        for _ in range(processes):
            copies.get().__exit__()


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _report(results: list[Result]) -> None:
    alive = [result for result in results if result.outcome in ("survived", "no tests")]
    _print(f"\n{len(results) - len(alive)} of {len(results)} killed")
    for result in alive:
        _print(f"{result.outcome:9} {result.mutant}")


if __name__ == "__main__":
    main()
