"""Runs the tests that concern a mutant against a copy of the project that has the change."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from tests.mutation.mutants import Mutant, functions, names_made

Outcome = Literal["killed", "timeout", "survived", "no tests"]

_STARTUP_SECONDS = 60.0
# A run may take this many times as long as its tests took in the run for the map.
_PATIENCE = 5


class CoverageMap:
    """The tests that run a function, the quickest first, as far as they still exist."""

    def __init__(self, path: Path, source: Path, existing: set[str]) -> None:
        content = json.loads(path.read_text())
        self._seconds: dict[str, float] = content["seconds"]
        self._tests: dict[str, set[str]] = {}
        self._sources = {
            file.relative_to(source).as_posix(): file.read_text() for file in source.rglob("*.py")
        }
        for function, tests in content["functions"].items():
            self._tests[function] = set(tests) & existing

    def tests(self, mutant: Mutant, seconds: float) -> list[str]:
        """Tests of the mutant's function that take at most `seconds` together.

        A change of what is made once concerns the tests of the functions that name it; another one
        at the level of a module or class those of all its functions, and of the modules that import
        it; where there are none, all tests.
        """
        modules = (mutant.path, *self._importers(mutant.path))
        found = self._tests.get(f"{mutant.path}:{mutant.function}", set())
        found = found | self._tests_of_names(mutant, modules)
        found = found or set[str]().union(*(self._tests_of(f"{path}:") for path in modules))
        found = found or self._tests_of("")
        chosen: list[str] = []
        for test in sorted(found, key=lambda test: (self.seconds(test), test)):
            seconds -= self.seconds(test)
            if seconds < 0 and chosen:
                break
            chosen.append(test)
        return chosen

    def _tests_of_names(self, mutant: Mutant, modules: Sequence[str]) -> set[str]:
        names = names_made(self._sources[mutant.path].encode(), mutant.line)
        if not names:
            return set()
        named = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")
        found = set[str]()
        for path in modules:
            lines = self._sources[path].splitlines()
            for function, first, last in functions(self._sources[path].encode()):
                if named.search("\n".join(lines[first - 1 : last])):
                    found |= self._tests.get(f"{path}:{function}", set())
        return found

    def _importers(self, path: str) -> list[str]:
        package, _, name = path.removesuffix(".py").replace("/", ".").rpartition(".")
        package = f"frontdesk.{package}".rstrip(".")
        imported = re.compile(
            rf"from {package}\.{name} import |from {package} import (\(\s*)?[\w\s,]*\b{name}\b"
        )
        return [path for path, source in self._sources.items() if imported.search(source)]

    def _tests_of(self, functions: str) -> set[str]:
        """Tests of the functions whose key begins so."""
        found = (tests for key, tests in self._tests.items() if key.startswith(functions))
        return set[str]().union(*found)

    def seconds(self, test: str) -> float:
        """How long a test took when the map was made."""
        return self._seconds.get(test, 0.0)


@dataclass(frozen=True)
class Result:
    """The outcome of one mutant and the number of tests that were chosen for it."""

    mutant: Mutant
    outcome: Outcome
    tests: int


class Copy:
    """A copy of the project's files, in which one mutant at a time is tested."""

    def __init__(self, project: Path) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="frontdesk-mutation-"))
        self._clock = 2_000_000_000
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        for name in subprocess.check_output(listed, cwd=project, text=True).splitlines():
            if (project / name).is_file():
                target = self._folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(project / name, target)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def test(self, mutant: Mutant, coverage_map: CoverageMap, seconds: float) -> Result:
        """Runs the mutant's tests until the first that fails."""
        tests = coverage_map.tests(mutant, seconds)
        if not tests:
            return Result(mutant, "no tests", 0)
        path = self._folder / "src" / "frontdesk" / mutant.path
        original = path.read_bytes()
        try:
            self._write(path, mutant.apply(original))
            expected = sum(map(coverage_map.seconds, tests))
            outcome = self._run(tests, _STARTUP_SECONDS + _PATIENCE * expected)
        finally:
            self._write(path, original)
        return Result(mutant, outcome, len(tests))

    def _write(self, path: Path, content: bytes) -> None:
        path.write_bytes(content)
        # Byte code is found stale by the time of its source in whole seconds, and by its size.
        self._clock += 1
        os.utime(path, (self._clock, self._clock))

    def _run(self, tests: list[str], seconds: float) -> Outcome:
        chosen = self._folder / "chosen-tests.txt"
        chosen.write_text("\n".join(tests))
        options = ("-x", "-q", "--durations", "1", "-p", "no:cacheprovider")
        command = [sys.executable, "-m", "pytest", *options]
        environment = os.environ | {"PYTHONPATH": str(self._folder / "src")}
        # Else all modules are compiled for each mutant.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        process = subprocess.Popen(
            [*command, f"@{chosen}"],
            cwd=self._folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return "timeout"
        finally:
            _end(process)
        return "survived" if status == 0 else "killed"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a test run with the programs that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def existing_tests(project: Path) -> set[str]:
    """The ids of all tests that pytest finds."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    lines = subprocess.check_output(command, cwd=project, text=True).splitlines()
    return {line for line in lines if "::" in line}
