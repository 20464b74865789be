"""Reads TOML in time that grows with its length: `tomllib`, behind a bound for dotted keys."""

import re
from typing import Any

# The time that tomllib takes for a dotted key grows with the square of its parts.
MOST_PARTS = 100

_LONG_KEY = re.compile(rf"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}")


def loads(text: str) -> dict[str, Any]:
    """The tables of a document.

    Raises: ValueError: it is not TOML, or cannot be read; its message may end in the position.
    """
    import tomllib

    found = _LONG_KEY.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(f"a key has more than {MOST_PARTS} parts (at line {line}, column 1)")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
