"""Paths to members of JSON objects, such as "meta.sender"; a number in one indexes a list."""

from collections.abc import Iterator
from typing import Any

from pydantic import AliasChoices, AliasPath
from pydantic_core import PydanticUndefined


def choices(*paths: str) -> AliasChoices:
    """Names of which the first that is there is read."""
    return AliasChoices(*(AliasPath(*map(_step, path.split("."))) for path in paths))


def _step(text: str) -> Any:
    return int(text) if text.lstrip("-").isdigit() else text


def values_at(members: Any, names: AliasChoices) -> Iterator[tuple[str, Any]]:
    """Pairs of name and value for the names that are there, in the given order."""
    if not isinstance(members, dict):
        return
    for path in names.choices:
        assert isinstance(path, AliasPath)
        if path.path[0] in members:
            value = path.search_dict_for_path(members)
            if value is not PydanticUndefined:
                yield ".".join(map(str, path.path)), value
