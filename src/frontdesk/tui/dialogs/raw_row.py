"""Dialog that shows a row as the JSON that was received."""

import json
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from frontdesk.inbox.rows import FixedRows
from frontdesk.tui.clipboard import copy
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.key_names import HintLine
from frontdesk.tui.widgets.line_widget import PARTS
from frontdesk.tui.widgets.text_layout import Piece, fit, wrap
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import Wire

_KEYS = "{list.next}/{list.previous} move   {raw_row.copy} copy   {raw_row.leave} back"


class TextLines(VirtualList[str]):
    """List of wrapped lines of text."""

    def copied(self) -> str:
        return (self.row or "").strip()

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        return [[("text", fit(line, width))] for line in wrap(self.rows[position], width)]


class RawRow(Dialog[None]):
    """Shows a wire model as indented JSON."""

    COMPONENT_CLASSES = PARTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,w", "leave", "Back", id="raw_row.leave"),
        Binding("y", "copy", "Copy line", id="raw_row.copy"),
    ]

    def __init__(self, title: str, value: Wire) -> None:
        super().__init__()
        self._title = title
        self._value = value

    def compose(self) -> ComposeResult:
        with Vertical(id="raw-row"):
            yield Static(self._title, id="raw-row-title", markup=False)
            yield TextLines(id="raw-row-lines")
            yield HintLine(_KEYS, id="raw-row-hints")

    def on_mount(self) -> None:
        if not self.composed:
            return
        members = self._value.model_dump(mode="json", exclude_unset=True)
        text = json.dumps(members, ensure_ascii=False, indent=2).split("\n")
        lines = self.query_one(TextLines)
        lines.show(FixedRows([(str(at), line) for at, line in enumerate(text)]))
        lines.focus()

    def action_copy(self) -> None:
        copy(self, self.query_one(TextLines).copied())

    def action_leave(self) -> None:
        self.dismiss()
