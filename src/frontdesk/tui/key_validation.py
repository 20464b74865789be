"""Validation of configured key bindings, and detection of conflicts.

Default keys and groups are in `BINDINGS` of the screen or pane that owns the action, names of keys
for people in `key_names`.
"""

import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from string import punctuation
from typing import Any, NamedTuple

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, Keys

from frontdesk.tui.action_groups import GROUPS, group_of
from frontdesk.tui.key_names import bindings_of, key_of

_MODIFIERS = ("alt", "ctrl", "meta", "shift", "super", "hyper")
_FUNCTION_KEYS = {f"f{number}" for number in range(1, 25)}
_NAMED = {key.value.rpartition("+")[2] for key in Keys} | _FUNCTION_KEYS
_NAMED |= set(KEY_NAME_REPLACEMENTS.values()) | {key_of(character) for character in punctuation}

# What a command may have the key of: it then opens what it is for.
OPEN_ACTION = "inbox.open_link"

BindingGroup = Sequence[type[DOMNode]]


def checked_keymap(keys: Mapping[str, str]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Usable bindings of a mapping from binding id to keys, and problems with the others.

    Keys are separated by commas. A problem is a pair of binding id and sentence. Conflicting keys
    are reported but used: the focused widget's binding has precedence.
    """
    screens = _binding_groups()
    known = {binding.id for group in screens for _, binding in _bindings(group)}
    usable: dict[str, str] = {}
    problems: list[tuple[str, str]] = []
    for name, configured_keys in keys.items():
        if name not in known:
            problems.append((name, f"there is no action {name!r}{_nearest(name, known)}"))
            continue
        names = [(key.strip(), key_name(key.strip())) for key in configured_keys.split(",")]
        problems += [(name, _no_key(name, text)) for text, key in names if key is None]
        sound = [key for _, key in names if key is not None]
        if sound:
            usable[name] = ",".join(dict.fromkeys(sound))
    return usable, problems + _conflicts(usable, screens)


class Action(NamedTuple):
    """A configurable action: its keys, what it does in each pane or screen, and its group."""

    keys: str
    words: str
    group: str


def actions_by_id() -> dict[str, Action]:
    """All configurable actions by binding id, in the order of their groups and bindings."""
    found: dict[str, list[tuple[str, Binding]]] = {}
    for screen in _binding_groups():
        for key, binding in _bindings(screen):
            found.setdefault(binding.id or "", []).append((key, binding))
    actions = {
        id: Action(
            ",".join(dict.fromkeys(key for key, _ in bindings)),
            "; ".join(dict.fromkeys(binding.description for _, binding in bindings)),
            group_of(bindings[0][1]).description,
        )
        for id, bindings in found.items()
    }
    return dict(sorted(actions.items(), key=lambda one: GROUPS.index(one[1].group)))


def key_name(key: str) -> str | None:
    """Textual's name of a key; None if it is unknown."""
    if len(key) == 1:
        return key_of(key) if key.isprintable() else None
    *modifiers, last = key.split("+") if not key.endswith("++") else [*key[:-2].split("+"), "+"]
    if modifiers:
        last = last.lower()
    if len(last) == 1:
        last = key_of(last)
    unknown = set(modifiers) - set(_MODIFIERS)
    return None if unknown or not _is_named(last) else "+".join([*modifiers, last])


def _is_named(name: str) -> bool:
    if len(name) == 1 or name in _NAMED:
        return True
    try:
        unicodedata.lookup(name.replace("_", " ").upper())
    except KeyError:
        return False
    return True


def _no_key(name: str, key: str) -> str:
    if not key:
        return f"{name}: there is nothing where a key should be; the comma's name is comma"
    return f"{name}: there is no key {key!r}{_nearest(key, _NAMED)}"


def _nearest(name: str, known: set[str | None] | set[str]) -> str:
    near = get_close_matches(name, [key for key in known if key], n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _conflicts(keys: Mapping[str, str], screens: Sequence[BindingGroup]) -> list[tuple[str, str]]:
    """Conflicts of changed keys with other actions that are active at the same time."""
    conflicts: dict[tuple[str, str], str] = {}
    for group in screens:
        now = [
            (key, binding)
            for default, binding in _bindings(group)
            for key in keys.get(binding.id or "", default).split(",")
        ]
        for key, changed in now:
            if (changed.id or "") not in keys:
                continue
            for other_key, other in now:
                if other_key == key and other.id != changed.id and other.action != changed.action:
                    pair = (changed.id or "", other.id or "")
                    if pair[::-1] not in conflicts:
                        conflicts[pair] = key
    return [
        (one, f"{one}: the key {key} is that of {two} too") for (one, two), key in conflicts.items()
    ]


def taken_by(key: str, places: Collection[str], keys: Mapping[str, str]) -> str:
    """Id of the action that has a key where commands of these places work; "" if none has.

    keys: changed keys by binding id.
    """
    names = {"ReportScreen" if place == "report" else "InboxScreen" for place in places}
    for group in _binding_groups():
        if names.isdisjoint(one.__name__ for one in group):
            continue
        for default, binding in _bindings(group):
            if key in keys.get(binding.id or "", default).split(","):
                return binding.id or ""
    return ""


def _bindings(group: BindingGroup) -> Iterator[tuple[str, Binding]]:
    """Configurable bindings of these classes, with their keys."""
    for screen in group:
        for key, binding in bindings_of(screen):
            if binding.id:
                yield key, binding


def _binding_groups() -> Sequence[BindingGroup]:
    """Groups of classes whose bindings can be active at the same time, the innermost first.

    Imports all screens.
    """
    from frontdesk.tui.app import FrontdeskApp
    from frontdesk.tui.dialogs.command_prompt import CommandPrompt
    from frontdesk.tui.dialogs.file import FileDialog
    from frontdesk.tui.dialogs.filter_line import FilterLine
    from frontdesk.tui.dialogs.help import HelpScreen
    from frontdesk.tui.dialogs.picker import FilterPicker, Menu, Picker
    from frontdesk.tui.dialogs.program_output import ProgramOutput
    from frontdesk.tui.dialogs.prompt import Prompt
    from frontdesk.tui.dialogs.raw_row import RawRow
    from frontdesk.tui.inbox.channel_pane import ChannelPane
    from frontdesk.tui.inbox.contact_pane import ContactPane
    from frontdesk.tui.inbox.queue_pane import QueuePane
    from frontdesk.tui.inbox.screen import InboxScreen
    from frontdesk.tui.inbox.thread_pane import ThreadPane
    from frontdesk.tui.reports import plots, tables
    from frontdesk.tui.reports.screen import Explanation, ReportScreen
    from frontdesk.tui.views.catalogue_screen import CatalogueScreen
    from frontdesk.tui.views.server import ServerScreen
    from frontdesk.tui.widgets.conversation_list import ConversationList
    from frontdesk.tui.widgets.message_list import Thread
    from frontdesk.tui.widgets.virtual_list import VirtualList

    app: type[App[Any]] = FrontdeskApp
    in_reports = (tables.LiveLine, plots.Plot, plots.HeatMap, tables.ReportTable)
    return [
        (ConversationList, QueuePane, InboxScreen, app),
        (Thread, ThreadPane, InboxScreen, app),
        *((VirtualList, pane, InboxScreen, app) for pane in (ContactPane, ChannelPane)),
        *((VirtualList, screen, app) for screen in (CatalogueScreen, ServerScreen)),
        *((widget, ReportScreen, app) for widget in in_reports),
        *(
            (screen,)
            for screen in (
                Menu,
                Picker,
                FilterPicker,
                HelpScreen,
                Prompt,
                FilterLine,
                RawRow,
                ProgramOutput,
                CommandPrompt,
                FileDialog,
                Explanation,
            )
        ),
    ]
