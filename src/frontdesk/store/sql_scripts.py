"""Reads the SQL scripts of the schema in the dialect of an engine."""

import re
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

from frontdesk.store.database import Dialect

_MARKS: Mapping[Dialect, str] = MappingProxyType({"sqlite": "sl", "postgresql": "pg"})


def statements(dialect: Dialect, script: str = "schema.sql") -> list[str]:
    """Return the statements of a script in an engine's dialect."""
    schema = files("frontdesk.store").joinpath(script).read_text(encoding="utf-8")
    schema = re.sub(rf"^--{_MARKS[dialect]} ", "", schema, flags=re.MULTILINE)
    schema = re.sub(r"--.*$", "", schema, flags=re.MULTILINE)
    if dialect == "postgresql":
        # SQLite compares text by bytes; a linguistic collation would sort differently.
        schema = re.sub(r"\bTEXT\b", 'TEXT COLLATE "C"', schema)
        schema = re.sub(r"\bBLOB\b", "BYTEA", schema)
    return [statement for statement in schema.split(";") if statement.strip()]
