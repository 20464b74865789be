"""The keys that work here, read from the bindings themselves."""

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from frontdesk.tui.widgets.cells import Piece, fit
from frontdesk.tui.widgets.painted import PARTS
from frontdesk.tui.widgets.rows import FixedRows
from frontdesk.tui.widgets.virtual_list import VirtualList


def keys_of(screen: Screen[Any]) -> list[tuple[str, str]]:
    """The keys that work where the focus of a screen is, and what each does."""
    keys: dict[str, str] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.description and binding.id:
            shown = screen.app.get_key_display(binding)
            keys[binding.description] = f"{keys.get(binding.description, '')} {shown}".strip()
    return [(shown, words) for words, shown in keys.items()]


class KeyList(VirtualList[tuple[str, str]]):
    """One line for each action: its keys, and what it does."""

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        assert self.rows is not None
        keys, words = self.rows[position]
        return [[("accent", fit(f" {keys}", 18)), ("text", fit(words, max(0, width - 18)))]]


class HelpScreen(ModalScreen[None]):
    """Shows keys and what they do; `keys` are pairs of both."""

    COMPONENT_CLASSES = PARTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1", "leave", "Back", id="help.leave"),
    ]

    def __init__(self, keys: list[tuple[str, str]]) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        with Vertical(id="help"):
            yield Static("Keys that work here", id="help-title", markup=False)
            yield KeyList(id="help-keys")
            yield Static("j/k move   esc back", id="help-foot", markup=False)

    def on_mount(self) -> None:
        keys = self.query_one(KeyList)
        keys.show(FixedRows([(words, (key, words)) for key, words in self._keys]))
        keys.focus()

    def action_leave(self) -> None:
        self.dismiss()
