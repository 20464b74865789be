"""Groups of actions, their order and synonyms: for the help, the palette and docs/keys.md.

Keys and titles are in `BINDINGS` of each screen or widget; entries here are by binding id.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from frontdesk.tui.key_names import bindings_of, changed_keys

# Groups in the order of the help; in each, ids in their order, with words that find the action too.
_ACTIONS_BY_GROUP: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "Move": {
            "list.next": "down",
            "list.previous": "up",
            "list.open": "enter select",
            "inbox.back": "escape cancel stop close",
            "view.back": "escape cancel stop close",
            "view.leave": "close",
            "list.first": "top beginning home",
            "list.last": "bottom end",
            "list.page_down": "scroll",
            "list.page_up": "scroll",
            "list.half_down": "scroll",
            "list.half_up": "scroll",
            "pane.channels": "numbers",
            "pane.list": "list inbox",
            "pane.thread": "messages chat",
            "pane.contact": "customer",
            "pane.next": "focus tab",
            "pane.before": "focus tab",
            "pane.left": "focus",
            "pane.right": "focus",
            "inbox.narrower": "split resize width thread",
            "inbox.wider": "split resize width thread",
            "inbox.zoom": "maximize alone full table",
        },
        "Triage": {
            "inbox.next_unread": "new",
            "inbox.previous_unread": "new",
            "inbox.next_waiting": "oldest late overdue sla",
            "inbox.next": "customer channel",
            "inbox.previous": "customer channel",
            "inbox.swap": "before alternate toggle",
            "inbox.before": "open snoozed resolved",
            "inbox.after": "open snoozed resolved",
            "inbox.mark_unread": "new later seen done",
            "inbox.mark_above": "seen done catch up all",
            "inbox.follow_up": "hide later snooze remind tomorrow",
            "inbox.undo": "take back restore revert",
            "inbox.filter": "narrow status assignee label channel",
            "inbox.filter_line": "query language text",
            "inbox.remove_filter": "clear chip undo",
            "inbox.order": "order newest oldest waiting window",
        },
        "Report": {
            "report.period": "dates days week month",
            "report.before": "previous",
            "report.after": "next",
            "report.channel": "number",
            "report.zone": "timezone",
            "report.granularity": "granularity",
            "report.export": "download file",
            "report.pipe": "shell program run filter",
            "report.formula": "explain definition",
            "report.users": "person agent who slow",
            "report.teams": "team",
            "report.labels": "label topic",
            "report.hours": "heat map weekday when",
            "report.measure": "heat map",
            "report.spread": "percentile median",
            "report.wall": "screen watch monitor",
            "report.sort": "order",
        },
        "Read": {
            "inbox.contact": "customer details info sidebar",
            "inbox.scroll_down": "messages preview line",
            "inbox.scroll_up": "messages preview line",
            "inbox.story": "customer history story whole merged channels",
            "inbox.date": "day calendar jump",
            "inbox.next_file": "photo picture document voice attachment media",
            "inbox.previous_file": "photo picture document voice attachment media",
            "inbox.open_link": "link url file photo play voice document web inbox",
            "inbox.save_file": "download photo picture document voice attachment",
            "thread.unfold": "transcript voice text document ocr whole",
            "inbox.raw_row": "raw source fields debug",
        },
        "Find": {
            "inbox.find": "search",
            "view.find": "search",
            "catalogue.search": "search",
            "inbox.next_match": "search",
            "inbox.previous_match": "search",
            "view.next_match": "search",
            "view.previous_match": "search",
            "inbox.search": "find full text messages notes",
            "inbox.switch": "jump switch customer person number phone channel label",
        },
        "Export": {
            "inbox.copy": "clipboard yank",
            "inbox.copy_menu": "clipboard number name link id thread",
            "view.copy": "clipboard yank",
            "queue.mark": "mark choose",
            "inbox.export": "save download file csv json markdown thread list",
            "inbox.pipe": "shell program run filter",
            "inbox.own_commands": "programs run scripts crm cancel",
            "view.own_commands": "programs run scripts cancel",
        },
        "Views": {
            **{f"inbox.view_{digit}": "saved tab" for digit in "56789"},
            "inbox.view_back": "history previous",
            "inbox.view_forward": "history next",
            "view.menu": "saved save screens",
        },
        "Application": {
            "inbox.help": "keys shortcuts",
            "view.help": "keys shortcuts",
            "inbox.commands": "palette actions",
            "view.commands": "palette actions",
            "inbox.refresh": "reload update fetch",
            "view.refresh": "reload update fetch",
            "app.profiles": "account server database",
            "inbox.redraw": "repaint screen",
            "inbox.suspend": "background shell",
            "view.suspend": "background shell",
            "inbox.leave": "exit close",
        },
        "Dialogs": {},
    }
)
# Groups of ids that are not listed, by the part before the dot.
_GROUPS = MappingProxyType(
    {
        **dict.fromkeys(("list", "pane", "catalogue"), "Move"),
        "view": "Views",
        **dict.fromkeys(("report", "plot", "live"), "Report"),
        **dict.fromkeys(("inbox", "app", "server", "connect"), "Application"),
    }
)
_LISTED = MappingProxyType(
    {
        id: (group, synonyms)
        for group, actions in _ACTIONS_BY_GROUP.items()
        for id, synonyms in actions.items()
    }
)
_PLACES = MappingProxyType({id: place for place, id in enumerate(_LISTED)})


def group_of(id: str) -> str:
    """Name of the group of a binding id."""
    listed = _LISTED.get(id)
    return listed[0] if listed else _GROUPS.get(id.partition(".")[0], "Dialogs")


def place_of(id: str) -> tuple[int, int]:
    """Sort key of a binding id: its group and its place there; unlisted ids come last."""
    return list(_ACTIONS_BY_GROUP).index(group_of(id)), _PLACES.get(id, len(_PLACES))


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
    for binding, node in sorted(named, key=lambda pair: place_of(pair[0].id or "")):
        id, title = binding.id or "", binding.description
        before = commands[title].hint if title in commands else ""
        keys = f"{before} {screen.app.get_key_display(binding)}".strip()
        run = partial(screen.call_later, screen.app.run_action, binding.action, node)
        synonyms = _LISTED[id][1] if id in _LISTED else ""
        commands[title] = CommandEntry(title, keys, run, synonyms, group_of(id))
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
