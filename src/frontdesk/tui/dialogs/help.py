"""Help dialog: searchable list of the active key bindings."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.binding import ActiveBinding, Binding, BindingType
from textual.screen import Screen

from frontdesk.tui.dialogs.choices import Choice
from frontdesk.tui.dialogs.picker import Picker
from frontdesk.tui.key_names import ENTER


def actions_of(screen: Screen[Any]) -> Mapping[str, tuple[str, ActiveBinding]]:
    """Active bindings by description: all keys of an action as text, and one of its bindings."""
    actions: dict[str, tuple[str, ActiveBinding]] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.description and binding.id:
            before, _ = actions.get(binding.description, ("", active))
            shown = f"{before} {screen.app.get_key_display(binding)}".strip()
            actions[binding.description] = (shown, active)
    return actions


def show_help(screen: Screen[Any]) -> None:
    """Show the help dialog, and run the selected action."""
    actions = actions_of(screen)

    def do(words: str | None) -> None:
        if words is not None:
            active = actions[words][1]
            screen.call_later(screen.app.run_action, active.binding.action, active.node)

    keys = [(shown, words) for words, (shown, _) in actions.items()]
    screen.app.push_screen(HelpScreen(keys), do)


class HelpScreen(Picker[str]):
    """Picker of actions; `keys` are pairs of key text and description. Returns the description."""

    PLACEHOLDER = f"type to find an action; {ENTER} does it"
    MOST_SHOWN = 60
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "leave", "Back", id="help.leave"),
    ]

    def __init__(self, keys: Sequence[tuple[str, str]]) -> None:
        choices = [Choice(words, words, shown) for shown, words in keys]
        super().__init__("Keys that work here", choices, current=None)
