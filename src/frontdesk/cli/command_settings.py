"""The tables `[[commands]]` of the configuration: validation, and conversion to commands.

Imported when a configuration has such tables.
"""

import shlex
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from frontdesk.own_commands import arguments
from frontdesk.own_commands.command import INPUTS, OUTPUTS, PLACES, PLATFORMS, OwnCommand
from frontdesk.text.times import parse_duration

MOST_COMMANDS = 100
_LONGEST_NAME = 40
_LONGEST_TIMEOUT = timedelta(days=1)
_SECRET = "FRONTDESK_"


def _name(value: str) -> str:
    if not value.strip() or not value.isprintable() or len(value.strip()) > _LONGEST_NAME:
        raise ValueError(f"use 1 to {_LONGEST_NAME} characters")
    return value.strip()


def _letter(value: str) -> str:
    if len(value) != 1 or not (value.isascii() and value.isalnum()):
        raise ValueError("use one letter or digit")
    return value


def _run(value: object) -> object:
    """Split a text once, before values are filled in."""
    words = shlex.split(value) if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError('use a program and its arguments: ["less", "-R"]')
    arguments.check(words)
    return tuple(words)


def _one_of(allowed: tuple[str, ...]) -> BeforeValidator:
    def check(value: object) -> object:
        if value not in allowed:
            raise ValueError(f"use {_quoted(allowed)}")
        return value

    return BeforeValidator(check)


def _some_of(allowed: tuple[str, ...] = ()) -> BeforeValidator:
    """Validates a list of texts. allowed: () for any."""

    def check(value: object) -> object:
        is_list = isinstance(value, list) and bool(value)
        if not is_list or not all(isinstance(one, str) for one in value):  # type: ignore[attr-defined]
            raise ValueError("use a list of texts in quotes")
        names: tuple[str, ...] = tuple(value)  # type: ignore[arg-type]
        if allowed and not set(names) <= set(allowed):
            raise ValueError(f"use a list of {_quoted(allowed)}")
        return names

    return BeforeValidator(check)


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _last(value: object) -> object:
    if type(value) is not int or not 0 <= value <= 100_000:
        raise ValueError("use a number of messages, 0 for all")
    return value


def _timeout(value: object) -> object:
    length = parse_duration(value, "smh") if isinstance(value, str) else None
    if length is None or not timedelta(0) < length <= _LONGEST_TIMEOUT:
        raise ValueError('use a time like "90s" or "10m"')
    return length


def _confirm(value: object) -> object:
    if isinstance(value, bool):
        return _QUESTION if value else ""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("use true, false or a question in quotes")
    arguments.check(["ask", value])
    return value.strip()


_QUESTION = "Run this command?"


def _directory(value: str) -> str:
    path = Path(value).expanduser()
    if not path.is_absolute():
        raise ValueError("use a path that begins with / or ~")
    return str(path)


def _environment(value: object) -> object:
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise ValueError('use names and texts: { LLM_MODEL = "small" }')
    wrong = [name for name in value if not name or "=" in name or name.startswith(_SECRET)]
    if wrong or any("\0" in text for pair in value.items() for text in pair):
        raise ValueError(f"names have no = and do not begin with {_SECRET}")
    return value


class CommandTable(BaseModel):
    """A table `[[commands]]`."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", validate_by_name=True)

    name: Annotated[str, AfterValidator(_name)] = ""
    run: Annotated[tuple[str, ...], BeforeValidator(_run)] = ()
    letter: Annotated[str, AfterValidator(_letter)] = ""
    places: Annotated[tuple[str, ...], _some_of(PLACES)] = Field(
        default=PLACES[:1], validation_alias="for"
    )
    stdin: Annotated[str, _one_of(INPUTS)] = "none"
    last: Annotated[int, BeforeValidator(_last)] = 0
    output: Annotated[str, _one_of(OUTPUTS)] = "pane"
    timeout: Annotated[timedelta | None, BeforeValidator(_timeout)] = None
    confirm: Annotated[str, BeforeValidator(_confirm)] = ""
    directory: Annotated[str, AfterValidator(_directory)] = Field(
        default="", validation_alias="cwd"
    )
    environment: Annotated[Mapping[str, str], BeforeValidator(_environment)] = {}
    profiles: Annotated[tuple[str, ...], _some_of()] = ()
    platforms: Annotated[tuple[str, ...], _some_of(tuple(PLATFORMS))] = ()

    @property
    def command(self) -> OwnCommand:
        members: dict[str, Any] = {name: getattr(self, name) for name in OwnCommand._fields}
        members["directory"] = self.directory or str(Path("~").expanduser())
        return OwnCommand(**members)


def mistakes_of(
    table: CommandTable, written: Mapping[str, Any], before: list[OwnCommand]
) -> list[tuple[str, str]]:
    """Mistakes between members, and with commands before it: pairs of member and words."""
    found = [(name, f"a command needs a {name}") for name in ("name", "run") if name not in written]
    if table.name in [one.name for one in before]:
        found.append(("name", f"another command has the name {table.name} already"))
    if table.letter and table.letter in [one.letter for one in before]:
        found.append(("letter", f"another command has the letter {table.letter} already"))
    uses = [*table.run, table.confirm]
    is_of_message = table.stdin.startswith("message") or any("{message." in one for one in uses)
    if is_of_message and table.places != ("message",):
        found.append(("for", 'a command that takes the message needs for = ["message"]'))
    if table.last and not table.stdin.startswith("thread"):
        found.append(("last", 'last needs stdin = "thread" or "thread-json"'))
    if table.timeout and table.output in ("terminal", "none"):
        found.append(("timeout", f'a command with output = "{table.output}" has no timeout'))
    return found
