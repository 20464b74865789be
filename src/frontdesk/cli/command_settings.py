"""Validation of the tables `[[commands]]` of the configuration, beyond that of each member.

Imported when a configuration has such tables.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from frontdesk.own_commands.command import ALERT, ONE_KEY, READS, REPORT, OwnCommand, place_of
from frontdesk.settings import quoted

MOST_COMMANDS = 100


def mistakes_of(
    table: OwnCommand, written: Mapping[str, Any], before: list[OwnCommand]
) -> Iterator[tuple[str, str]]:
    """Mistakes between members, and with commands before it: pairs of member and words."""
    for name in ("name", "run"):
        if name not in written:
            yield name, f"a command needs a {name}"
    if table.name in [one.name for one in before]:
        yield "name", f"another command has the name {table.name} already"
    if table.letter and table.letter in [one.letter for one in before]:
        yield "letter", f"another command has the letter {table.letter} already"
    if table.key and not with_key_name(table).key:
        yield "key", f"key is {table.key!r}: {ONE_KEY}"
    for place in table.places:
        reads = ("none", *READS[place_of(place)])
        if table.stdin not in reads:
            yield (
                "stdin",
                f'stdin = "{table.stdin}" is not there for "{place}": use {quoted(reads)}',
            )
            return
        if table.output == "under" and place in (REPORT, ALERT):
            yield "output", f'output = "under" is not there for "{place}"'
            return


def with_key_name(command: OwnCommand) -> OwnCommand:
    """A command with the viewer's name of its key; without a key, if there is no such one."""
    if not command.key:
        return command
    # Deferred: this imports Textual.
    from frontdesk.tui.key_validation import key_name

    return command._replace(key=key_name(command.key) or "")


def key_taken(table: OwnCommand, before: list[OwnCommand], keys: Mapping[str, str]) -> str:
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
