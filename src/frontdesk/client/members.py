"""Access to members of JSON values by path, with names normalised to snake case."""

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, Final


class Absent(Enum):
    """Type of the sentinel that distinguishes a missing member from null."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

_MOST_WRAPPERS = 3

_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def at(value: Any, spot: str) -> Any:
    """The value at a path such as "meta.next_cursor" or "errors.0.code"; ABSENT if missing.

    A number indexes a list, also negatively.
    """
    for step in spot.split("."):
        if isinstance(value, Mapping):
            value = value.get(step, ABSENT)
        elif isinstance(value, list) and value and step.lstrip("-").isdigit():
            value = value[int(step)] if -len(value) <= int(step) < len(value) else ABSENT
        else:
            return ABSENT
    return value


def found(value: Any, spots: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Pairs of path and value for the paths that exist, in the given order."""
    for spot in spots:
        candidate = at(value, spot)
        if candidate is not ABSENT:
            yield spot, candidate


def unwrapped(value: Any, names: tuple[str, ...], ids: tuple[str, ...]) -> Any:
    """Merge the members of a nested object into its wrapper, if that has no id.

    `{"user": {"id": 7}, "since": 1}` becomes `{"id": 7, "since": 1}`; `{"user": null}` becomes
    null.
    """
    for _ in range(_MOST_WRAPPERS):
        if not isinstance(value, dict) or any(name in value for name in ids):
            break
        name = next((name for name in names if isinstance(value.get(name), dict)), None)
        if name is not None:
            rest = {other: member for other, member in value.items() if other != name}
            value = {**rest, **spelt(value[name])}
        elif len(value) == 1 and next(iter(value)) in names:
            (value,) = value.values()
        else:
            break
    return value


def snake(name: str) -> str:
    """A member name in snake case, from nextCursor, NextCursor or next-cursor."""
    if name.islower() and "-" not in name:
        return name
    return _INNER_CAPITAL.sub("_", name).replace("-", "_").lower()


def spelt(value: Any, levels: int = 1) -> Any:
    """Normalise the names of a JSON object to snake case, down to `levels` of nested objects.

    A name that is already in snake case takes precedence over a converted one.
    """
    if not isinstance(value, dict):
        return value
    members = {
        name: spelt(member, levels - 1) if levels > 1 else member for name, member in value.items()
    }
    other = {snake(name): member for name, member in members.items() if snake(name) != name}
    return {**other, **members} if other else members
