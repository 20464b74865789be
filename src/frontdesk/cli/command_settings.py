"""The tables `[[commands]]` of the configuration: validation, and conversion to commands.

Imported when a configuration has such tables.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from frontdesk.own_commands.command import (
    ALERT,
    CONVERSATION,
    FILE,
    INPUTS,
    OUTPUTS,
    READS,
    REPORT,
    OwnCommand,
)

MOST_COMMANDS = 100
_LONGEST_NAME = 80
_QUESTION = "Run this command?"
# A value in an argument, as earlier versions filled it in.
_PLACEHOLDER = re.compile(
    r"\{((?:conversation|contact|channel|assignee|message|media|report|ask)\.[\w.-]+"
    r"|labels|match|query|web_inbox)\??(?:\|[a-z]+)?\}"
)


def _name(value: str) -> str:
    if not value.strip() or not value.isprintable() or len(value.strip()) > _LONGEST_NAME:
        raise ValueError(f"use 1 to {_LONGEST_NAME} characters")
    return value.strip()


def _letter(value: str) -> str:
    if len(value) != 1 or not (value.isascii() and value.isalnum()):
        raise ValueError("use one letter or digit")
    return value


def _key(value: object) -> object:
    from frontdesk.tui.key_validation import key_name

    name = key_name(value) if isinstance(value, str) else None
    if name is None:
        raise ValueError('use one key in quotes, such as "ctrl+g", "f6" or "Z"')
    return name


def _run(value: object) -> object:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"use {_RUN_EXAMPLES}")
    if not words or not words[0].strip():
        raise ValueError(f"use {_RUN_EXAMPLES}")
    if any("\0" in word for word in words):
        raise ValueError("a program cannot have a NUL character")
    for word in words:
        if found := _PLACEHOLDER.search(word):
            name = re.sub("[^A-Z0-9]", "_", found[1].upper())
            raise ValueError(
                f"{found[0]} is not filled in: a line for the shell reads such values from"
                f' variables, as in "echo $FRONTDESK_{name}", in quotes'
            )
    return value if isinstance(value, str) else tuple(words)


_RUN_EXAMPLES = 'a line for the shell, or a program and its arguments: ["less", "-R"]'


def _one_of(allowed: tuple[str, ...]) -> BeforeValidator:
    def check(value: object) -> object:
        if value not in allowed:
            raise ValueError(f"use {_quoted(allowed)}")
        return value

    return BeforeValidator(check)


def _places(value: object) -> object:
    places = value if isinstance(value, list) else []
    if not places or not all(isinstance(one, str) and _place(one) in READS for one in places):
        raise ValueError(f'use a list of {_quoted(tuple(READS))}, "file:audio"')
    return tuple(places)


def _place(name: str) -> str:
    """A place without its type of files."""
    kind, colon, type = name.partition(":")
    return kind if not colon or (kind == FILE and type.isalpha()) else ""


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _confirm(value: object) -> object:
    if isinstance(value, bool):
        return _QUESTION if value else ""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("use true, false or a question in quotes")
    return value.strip()


class CommandTable(BaseModel):
    """A table `[[commands]]`."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", validate_by_name=True)

    name: Annotated[str, AfterValidator(_name)] = ""
    run: Annotated[str | tuple[str, ...], BeforeValidator(_run)] = ""
    letter: Annotated[str, AfterValidator(_letter)] = ""
    key: Annotated[str, BeforeValidator(_key)] = ""
    places: Annotated[tuple[str, ...], BeforeValidator(_places)] = Field(
        default=(CONVERSATION,), validation_alias="for"
    )
    stdin: Annotated[str, _one_of(INPUTS)] = "none"
    output: Annotated[str, _one_of(OUTPUTS)] = "pane"
    confirm: Annotated[str, BeforeValidator(_confirm)] = ""

    @property
    def command(self) -> OwnCommand:
        members: dict[str, Any] = {name: getattr(self, name) for name in OwnCommand._fields}
        return OwnCommand(**members)


def mistakes_of(
    table: CommandTable, written: Mapping[str, Any], before: list[OwnCommand]
) -> Iterator[tuple[str, str]]:
    """Mistakes between members, and with commands before it: pairs of member and words."""
    for name in ("name", "run"):
        if name not in written:
            yield name, f"a command needs a {name}"
    if table.name in [one.name for one in before]:
        yield "name", f"another command has the name {table.name} already"
    if table.letter and table.letter in [one.letter for one in before]:
        yield "letter", f"another command has the letter {table.letter} already"
    for place in table.places:
        reads = ("none", *READS[_place(place)])
        if table.stdin not in reads:
            yield (
                "stdin",
                f'stdin = "{table.stdin}" is not there for "{place}": use {_quoted(reads)}',
            )
            return
        if table.output == "under" and place in (REPORT, ALERT):
            yield "output", f'output = "under" is not there for "{place}"'
            return


def key_taken(table: CommandTable, before: list[OwnCommand], keys: Mapping[str, str]) -> str:
    """Why a command cannot have its key, or "". keys: changed keys of actions by id."""
    if not table.key:
        return ""
    # Deferred: this imports all screens.
    from frontdesk.tui.key_validation import OPEN_ACTION, taken_by

    action = taken_by(table.key, table.places, keys)
    if action == OPEN_ACTION and REPORT not in table.places:
        return ""
    for other in before:
        if other.key == table.key and (REPORT in other.places) == (REPORT in table.places):
            return f"the key is that of the command {other.name}"
    return f"the key is that of {action}, which keeps it: [keys] can move that" if action else ""
