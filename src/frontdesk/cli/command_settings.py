"""The tables `[[commands]]` of the configuration: validation, and conversion to commands.

Imported when a configuration has such tables.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple

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
from frontdesk.settings import Setting, one_of, quoted

MOST_COMMANDS = 100
_LONGEST_NAME = 80
_QUESTION = "Run this command?"
# A value in an argument, as earlier versions filled it in.
_PLACEHOLDER = re.compile(
    r"\{((?:conversation|contact|channel|assignee|message|media|report|ask)\.[\w.-]+"
    r"|labels|match|query|web_inbox)\??(?:\|[a-z]+)?\}"
)


def _name(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("use a text in quotes")
    if not value.strip() or not value.isprintable() or len(value.strip()) > _LONGEST_NAME:
        raise ValueError(f"use 1 to {_LONGEST_NAME} characters")
    return value.strip()


def _letter(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("use a text in quotes")
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


def _places(value: object) -> object:
    places = value if isinstance(value, list) else []
    if not places or not all(isinstance(one, str) and _place(one) in READS for one in places):
        raise ValueError(f'use a list of {quoted(tuple(READS))}, "file:audio"')
    return tuple(places)


def _place(name: str) -> str:
    """A place without its type of files."""
    kind, colon, type = name.partition(":")
    return kind if not colon or (kind == FILE and type.isalpha()) else ""


def _confirm(value: object) -> object:
    if isinstance(value, bool):
        return _QUESTION if value else ""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("use true, false or a question in quotes")
    return value.strip()


class CommandTable(NamedTuple):
    """A table `[[commands]]`: the members of `OwnCommand`."""

    name: Annotated[
        str, Setting(_name, f"Unique, at most {_LONGEST_NAME} characters.", '"Translate"')
    ] = ""
    run: Annotated[
        str | tuple[str, ...],
        Setting(
            _run, "A line for `sh`, or a list of a program and its arguments.", '"trans -b :en"'
        ),
    ] = ""
    letter: Annotated[
        str,
        Setting(_letter, "Its letter or digit in the menu; the first free one by default.", '"t"'),
    ] = ""
    key: Annotated[
        str,
        Setting(
            _key,
            "A key. One of the viewer in the same place stays the viewer's, except `o`: a command"
            " with it opens what it is for, and `o` again ends it.",
            '"ctrl+g"',
        ),
    ] = ""
    places: Annotated[
        tuple[str, ...],
        Setting(
            _places,
            "A list of `conversation` (the default), `message`, `link` and `file` (of the message"
            " under the cursor in the thread), `file:audio` (or another type of message),"
            " `report`, `alert`.",
            '["message"]',
            "for",
        ),
    ] = (CONVERSATION,)
    stdin: Annotated[
        str,
        Setting(
            one_of(*INPUTS),
            "What the program reads: `none`; `thread` (Markdown); `message` (its text; of an"
            " alert, its sentence); `rows` (the selected conversations, a line of JSON for each"
            " with its messages and notes; of a report, CSV).",
            '"message"',
        ),
    ] = "none"
    output: Annotated[
        str,
        Setting(
            one_of(*OUTPUTS),
            "`pane`; `under`; `clipboard`; `notice` (its last line); `terminal` (which waits for"
            " `enter` after a failure); `none` (only that it failed: the program may go on, as a"
            " browser does).",
            '"under"',
        ),
    ] = "pane"
    confirm: Annotated[
        str, Setting(_confirm, "`true`, or a question to confirm first.", "true")
    ] = ""


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
                f'stdin = "{table.stdin}" is not there for "{place}": use {quoted(reads)}',
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
