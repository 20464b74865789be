"""The tables `[[commands]]` of the configuration: validation, and conversion to commands.

Imported when a configuration has such tables.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from frontdesk.own_commands import arguments
from frontdesk.own_commands.arguments import ASKED, names_in
from frontdesk.own_commands.command import (
    INPUTS,
    OUTPUTS,
    PLACES,
    PLATFORMS,
    READS,
    VALUES,
    AskedField,
    OwnCommand,
)
from frontdesk.own_commands.extracting import check_expression
from frontdesk.text.times import parse_duration

MOST_COMMANDS = 100
_LONGEST_NAME = 80
_LONGEST_TIMEOUT = timedelta(days=1)
_SECRET = "FRONTDESK_"
_MOST_FIELDS, _MOST_CHOICES, _LONGEST_TITLE = 5, 50, 60
_FIELD_NAME = re.compile(r"[a-z][a-z0-9_]{0,29}")
_FIELD_EXAMPLE = 'use tables like { name = "tone", title = "Tone", choices = ["short", "long"] }'


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
    names_in([value])
    return value.strip()


_QUESTION = "Run this command?"


def _holds(value: object) -> object:
    if not isinstance(value, bool):
        raise ValueError("use true or false")
    return value


def _extract(value: object) -> object:
    if not isinstance(value, str) or not value:
        raise ValueError("use a regular expression in single quotes: 'VD-[0-9]{5}'")
    check_expression(value)
    return value


def _condition(value: object) -> object:
    from frontdesk.query import parse

    if not isinstance(value, str) or not value.strip():
        raise ValueError('use a query in quotes: "in:london -#spam"')
    return str(parse(value))


def _ask(value: object) -> object:
    if not isinstance(value, list) or not 0 < len(value) <= _MOST_FIELDS:
        raise ValueError(f"use a list of 1 to {_MOST_FIELDS} tables: {_FIELD_EXAMPLE}")
    fields = tuple(map(_field, value))
    if len({field.name for field in fields}) < len(fields):
        raise ValueError("two fields have the same name")
    return fields


def _field(table: object) -> AskedField:
    if not isinstance(table, dict) or not table.keys() <= {"name", "title", "default", "choices"}:
        raise ValueError(_FIELD_EXAMPLE)
    name, choices = table.get("name"), table.get("choices", [])
    title, default = table.get("title", name), table.get("default", "")
    if not isinstance(name, str) or not _FIELD_NAME.fullmatch(name):
        raise ValueError("a field needs a name of small letters, digits and _")
    if not _are_lines([title, default]) or not title or len(title) > _LONGEST_TITLE:
        raise ValueError(
            f"title and default are texts, a title of 1 to {_LONGEST_TITLE} characters"
        )
    if not isinstance(choices, list) or not _are_lines(choices) or len(choices) > _MOST_CHOICES:
        raise ValueError(f"choices is a list of up to {_MOST_CHOICES} texts")
    if choices and default and default not in choices:
        raise ValueError("the default is one of the choices")
    return AskedField(name, title, default, tuple(choices))


def _are_lines(values: list[Any]) -> bool:
    return all(isinstance(value, str) and value.isprintable() for value in values)


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
    key: Annotated[str, BeforeValidator(_key)] = ""
    fields: Annotated[tuple[AskedField, ...], BeforeValidator(_ask)] = Field(
        default=(), validation_alias="ask"
    )
    extract: Annotated[str, BeforeValidator(_extract)] = ""
    condition: Annotated[str, BeforeValidator(_condition)] = Field(
        default="", validation_alias="when"
    )
    holds: Annotated[bool | None, BeforeValidator(_holds)] = Field(
        default=None, validation_alias="hold"
    )

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
    if table.last and not table.stdin.startswith("thread"):
        found.append(("last", 'last needs stdin = "thread" or "thread-json"'))
    if table.timeout and table.output in ("terminal", "none"):
        found.append(("timeout", f'a command with output = "{table.output}" has no timeout'))
    if table.holds is not None and table.output != "terminal":
        found.append(("hold", 'hold needs output = "terminal"'))
    return [*found, *_mistakes_of_places(table), *_mistakes_of_values(table)]


def _mistakes_of_places(table: CommandTable) -> Iterator[tuple[str, str]]:
    """Mistakes of what a command takes where it is offered."""
    is_of_message = table.stdin.startswith("message") or table.command.uses("message.")
    if is_of_message and table.places != ("message",):
        yield "for", 'a command that takes the message needs for = ["message"]'
        return
    for place in table.places:
        if table.stdin not in ("none", *READS[place]):
            reads = _quoted(("none", *READS[place]))
            yield "stdin", f'stdin = "{table.stdin}" is not there for "{place}": use {reads}'
            return
        for name in names_in(table.command.texts):
            if not name.startswith((ASKED, *VALUES[place])):
                yield "for", f'there is no {{{name}}} for "{place}"'
                return
    if table.condition and set(table.places) & {"report", "everywhere"}:
        yield "when", "when needs a conversation: not for a report, and not everywhere"
    if table.extract and not set(table.places) <= {"conversation", "message"}:
        yield "extract", 'extract needs for = ["conversation"], ["message"] or both'


def _mistakes_of_values(table: CommandTable) -> Iterator[tuple[str, str]]:
    """Mistakes between placeholders and what gives their values."""
    names = names_in(table.command.texts)
    asked = [f"{ASKED}{field.name}" for field in table.fields]
    unknown = [name for name in names if name.startswith(ASKED) and name not in asked]
    if unknown:
        there = ", ".join(asked) or "none"
        yield "ask", f"{{{unknown[0]}}} is not asked for: there is {there}"
    if table.command.uses("match") and not table.extract:
        yield "extract", "a match needs extract"


def key_taken(table: CommandTable, before: list[OwnCommand], keys: Mapping[str, str]) -> str:
    """Why a command cannot have its key, or "". keys: changed keys of actions by id."""
    if not table.key:
        return ""
    for other in before:
        if other.key == table.key and _meet(other.places, table.places):
            return f"the key is that of the command {other.name}"
    # Deferred: this imports all screens.
    from frontdesk.tui.key_validation import taken_by

    action = taken_by(table.key, table.places, keys)
    return f"the key is that of {action}, which keeps it: [keys] can move that" if action else ""


def _meet(places: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """True if commands of these places can be run on one screen."""
    if "everywhere" in (*places, *others):
        return True
    in_reports, in_inbox = (
        [set(one) & {"report"} for one in (places, others)],
        [set(one) - {"report"} for one in (places, others)],
    )
    return all(in_reports) or all(in_inbox)
