"""Entries of the help and the palette: actions of a screen, with their keys and groups."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from frontdesk.tui.action_groups import GROUPS, group_of
from frontdesk.tui.key_names import bindings_of, changed_keys


class CommandEntry(NamedTuple):
    """Entry of the help or the palette. hint: its keys. synonyms: further words that find it."""

    title: str
    hint: str
    run: Callable[[], object]
    synonyms: str = ""
    group: str = ""


def active_commands(screen: Screen[Any]) -> list[CommandEntry]:
    """Actions whose keys work now, each once with all its keys, in the order of the groups."""
    active = screen.active_bindings.values()
    return _commands(screen, [(binding.binding, binding.node) for binding in active])


def all_commands(screen: Screen[Any]) -> list[CommandEntry]:
    """Actions whose keys work now, and those of the other panes."""
    commands = {command.title: command for command in active_commands(screen)}
    others = _commands(screen, _bindings_of_panes(screen))
    return [*commands.values(), *(command for command in others if command.title not in commands)]


def run_action(screen: Screen[Any], id: str) -> None:
    """Run the active action with a binding id, if there is one."""
    for active in screen.active_bindings.values():
        if active.binding.id == id:
            screen.call_later(screen.app.run_action, active.binding.action, active.node)
            break


def _commands(screen: Screen[Any], bindings: list[tuple[Binding, DOMNode]]) -> list[CommandEntry]:
    commands: dict[str, CommandEntry] = {}
    named = [pair for pair in bindings if pair[0].id and pair[0].description]
    for binding, node in sorted(
        named, key=lambda pair: GROUPS.index(group_of(pair[0]).description)
    ):
        group, title = group_of(binding), binding.description
        before = commands[title].hint if title in commands else ""
        keys = f"{before} {screen.app.get_key_display(binding)}".strip()
        run = partial(screen.call_later, screen.app.run_action, binding.action, node)
        commands[title] = CommandEntry(title, keys, run, group.words, group.description)
    return list(commands.values())


def _bindings_of_panes(screen: Screen[Any]) -> list[tuple[Binding, DOMNode]]:
    """Bindings of all widgets of a screen, with the keys that the user has changed."""
    changed = changed_keys(screen.app)

    def with_keys(node: Widget) -> Iterator[Binding]:
        for key, binding in bindings_of(type(node)):
            for other in changed.get(binding.id or "", key).split(","):
                yield replace(binding, key=other)

    # Of several lists, that of the first pane answers.
    return [(binding, node) for node in screen.walk_children(Widget) for binding in with_keys(node)]
