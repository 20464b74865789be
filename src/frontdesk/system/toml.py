"""TOML parsing with `tomllib` in linear time, by a limit on the parts of dotted keys."""

import re
from typing import Any

# tomllib and tomlkit need quadratic time in the number of parts of a dotted key.
MOST_PARTS = 8

_LONG_KEY = re.compile(rf"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}")


def loads(text: str) -> dict[str, Any]:
    """Parse a document.

    Raises: ValueError: not valid TOML, or beyond the limits; may end with the position.
    """
    import tomllib

    match = _LONG_KEY.search(text)
    if match is not None:
        line = text.count("\n", 0, match.start()) + 1
        raise ValueError(f"a key has more than {MOST_PARTS} parts (at line {line}, column 1)")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
