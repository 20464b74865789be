"""Maps each function of `src` to the tests that run it, by one run of the tests under coverage.

A pytest plugin (`-p tests.mutation.coverage_map`) that records which test is running as the
context of the coverage measurement, in each process of pytest-xdist and in the programs that tests
start. `collect` runs the tests with it and writes the map as JSON:

    {"functions": {"store/sqlite.py:SQLiteDatabase.read": [test ids]}, "seconds": {test id: float}}
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

from tests.mutation.mutants import functions

_DATA = "FRONTDESK_COVERAGE_DATA"
# Ends the context of what the set-up of a test runs, as that of PYTEST_CURRENT_TEST.
_SETUP = " (setup)"
_CONFIGURATION = """\
[run]
source = {source}
parallel = true
patch = _exit
data_file = {data}/.coverage
context = ${{PYTEST_CURRENT_TEST-}}
"""


class Recorder:
    """Measures one process of pytest; writes how long each test took beside the coverage."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seconds: dict[str, float] = {}
        self._context = ""
        self._coverage = coverage.Coverage(config_file=str(folder / "coveragerc"), context="")
        self._coverage.start()
        # Programs read the file when they start. `patch = subprocess` would hand down the
        # configuration as it is now, with the context of no test.
        os.environ["COVERAGE_PROCESS_START"] = str(folder / "coveragerc")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._switch(item.nodeid)
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object]
    ) -> Generator[None, object, object]:
        before = self._context
        if fixturedef.scope != "function":
            self._switch(before.removesuffix(_SETUP) + _SETUP)
        try:
            return (yield)
        finally:
            self._switch(before)

    def _switch(self, context: str) -> None:
        self._context = context
        self._coverage.switch_context(context)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seconds = self._seconds.get(report.nodeid, 0.0)
        self._seconds[report.nodeid] = seconds + report.duration

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        self._coverage.save()
        name = f"seconds-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.json"
        (self._folder / name).write_text(json.dumps(self._seconds))


def pytest_configure(config: pytest.Config) -> None:
    """Records in the processes that run tests, not in the one that hands them out."""
    folder = os.environ.get(_DATA)
    if folder and (hasattr(config, "workerinput") or not config.getoption("numprocesses", None)):
        config.pluginmanager.register(Recorder(Path(folder)))


def collect(folder: Path, source: Path, tests: list[str]) -> Path:
    """Runs the tests and writes the map to `map.json` in `folder`, which must be empty."""
    folder.mkdir(parents=True, exist_ok=True)
    configuration = _CONFIGURATION.format(source=source, data=folder)
    (folder / "coveragerc").write_text(configuration)
    # Under coverage tests take longer than they may: with `--durations` there is no limit.
    options = ("-q", "--durations", "1", "-p", "tests.mutation.coverage_map")
    command = [sys.executable, "-m", "pytest", *options]
    subprocess.run([*command, *tests], env=os.environ | {_DATA: str(folder)}, check=False)
    path = folder / "map.json"
    path.write_text(
        json.dumps({"functions": _by_function(folder, source), "seconds": _seconds(folder)})
    )
    return path


def _by_function(folder: Path, source: Path) -> dict[str, list[str]]:
    combined = coverage.Coverage(config_file=str(folder / "coveragerc"))
    combined.combine([str(folder)], keep=True)
    data = combined.get_data()
    tests_of_modules: dict[str, set[str]] = defaultdict(set)
    for test in _seconds(folder):
        tests_of_modules[_module(test)].add(test)
    found: dict[str, set[str]] = defaultdict(set)
    for name in data.measured_files():
        path = Path(name)
        contexts_of_lines = data.contexts_by_lineno(name)
        for function, first, last in functions(path.read_bytes()):
            key = f"{path.relative_to(source).as_posix()}:{function}"
            # The first line runs where the function is defined, not where it is called.
            lines = range(first + 1, last + 1)
            contexts = set().union(*(contexts_of_lines.get(line, ()) for line in lines))
            found[key].update(*(_tests(context, tests_of_modules) for context in contexts))
    return {key: sorted(tests) for key, tests in sorted(found.items()) if tests}


def _tests(context: str, tests_of_modules: dict[str, set[str]]) -> set[str]:
    """The tests of a context; that of a program is the test that started it, and its phase.

    What the set-up of a test made may serve all tests of the module: a program, or what a fixture
    of the module returns.
    """
    if context.endswith(_SETUP):
        return tests_of_modules[_module(context)]
    return {context.removesuffix(" (call)").removesuffix(" (teardown)")} - {""}


def _module(test: str) -> str:
    return test.partition("::")[0]


def _seconds(folder: Path) -> dict[str, float]:
    merged: dict[str, float] = {}
    for path in folder.glob("seconds-*.json"):
        merged |= json.loads(path.read_text())
    return merged
