"""The limits of the HTTP server subclass uvicorn: only versions that were tried may be used."""

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def requirements() -> dict[str, Requirement]:
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    parsed = map(Requirement, extras["serve"])
    return {requirement.name: requirement for requirement in parsed}


@pytest.mark.parametrize("name", ["uvicorn", "httptools"])
def test_the_installed_http_server_is_one_that_the_limits_were_tried_with(name: str) -> None:
    tried = requirements()[name].specifier
    operators = {bound.operator for bound in tried}
    assert operators == {">=", "<"}, f"{name} needs a lower and an upper bound in pyproject.toml"
    assert version(name) in tried, (
        f"{name} {version(name)} is not among {tried}: run tests/cli/test_malformed_requests.py "
        "and tests/cli/test_connections.py with it, then widen the bounds in pyproject.toml"
    )
