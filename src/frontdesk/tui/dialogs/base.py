"""Base classes of screens and dialogs, and the entries of menus and pickers.

A screen applies its size before the first paint, and keeps a focused widget. Dismissal is
idempotent. Dialogs buffer keys that are typed before their widgets are mounted.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from textual import events, on
from textual.await_complete import AwaitComplete
from textual.binding import BindingsMap
from textual.geometry import Size
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input

from frontdesk.tui.command_entries import CommandEntry, all_commands, run_action
from frontdesk.tui.widgets.bar import StatusBar

R = TypeVar("R")
V = TypeVar("V")


class MenuEntry(NamedTuple, Generic[V]):
    """Menu entry: the letter that selects it, the result, the label.

    checked: has a ✓. available: False for one that cannot be used, which is dim.
    """

    letter: str
    value: V
    words: str
    checked: bool = False
    available: bool = True


class Choice(NamedTuple, Generic[V]):
    """Picker entry: `value` is the result, `words` the label, `hint` is right-aligned.

    `spans` are (start, end) offsets of the highlighted parts of `words`. synonyms: words that find
    it too. heading: of a group that begins here. checked: has a ✓.
    """

    value: V
    words: str
    hint: str = ""
    spans: Sequence[tuple[int, int]] = ()
    synonyms: str = ""
    heading: str = ""
    checked: bool = False


class KeyedCommands(Protocol):
    """Own commands of a screen."""

    def start_key(self, key: str) -> None:
        """Run the command of a key."""


class SizedScreen(Screen[R]):
    """Sets the breakpoint classes on mounting; Textual sets them only after the first paint.

    Subclasses adapt their widgets in `fit`. When the focused widget is hidden, Textual removes the
    focus; this screen moves it to a visible widget.
    """

    _focused_last: Widget | None = None

    def fit(self, size: Size) -> None:
        """Called with the size of the terminal when the screen is mounted or resized."""

    @on(StatusBar.HintPressed)
    def _run_hint(self, event: StatusBar.HintPressed) -> None:
        run_action(self, event.action)

    def commands(self) -> Sequence[CommandEntry]:
        """Entries of the palette."""
        return all_commands(self)

    def command_menu(self) -> KeyedCommands | None:
        """The own commands of what is shown; None for a screen without any."""
        return None

    @property
    def focus_home(self) -> Widget | None:
        """Widget to focus if none is: the last focused one, or else the first focusable."""
        chain = self.focus_chain
        return self._focused_last if self._focused_last in chain else next(iter(chain), None)

    def keep_focus(self) -> None:
        """Move the focus to a visible widget if it is missing or on a hidden one."""
        if self.is_attached and self.focused not in self.focus_chain:
            self.set_focus(self.focus_home)

    def take_classes(self, size: Size, *, update: bool = True) -> None:
        """Set the breakpoint classes for a size."""
        points = (self.HORIZONTAL_BREAKPOINTS or [], self.VERTICAL_BREAKPOINTS or [])
        reached = {
            max(point for point in along if point[0] <= extent)[1]
            for extent, along in zip(size, points, strict=True)
            if along
        }
        classes = {name: name in reached for along in points for _, name in along}
        self.update_classes(classes, update=update, animate=False)

    @property
    def composed(self) -> bool:
        """True if this screen has its widgets: not before, nor once the app ends.

        The screen stops running before its widgets go one by one; a request may end meanwhile.
        """
        return self.is_running and self.is_attached and bool(self.children)

    def on_mount(self) -> None:
        self.watch(self, "focused", self._focus_moved, init=False)
        self._adapt(self.app.size)

    def on_resize(self, event: events.Resize) -> None:
        self._adapt(event.size)
        self.call_after_refresh(self.keep_focus)

    def _adapt(self, size: Size) -> None:
        self.take_classes(size)
        self.fit(size)

    def _focus_moved(self, before: Widget | None, now: Widget | None) -> None:
        if now is not None:
            self._focused_last = now
        elif before is not None:
            self.call_after_refresh(self.keep_focus)


class TextField(Input):
    """Input that runs the actions of its keys in the order in which they are typed.

    Textual runs them after the key has bubbled to the application, when later letters may already
    be in the field.
    """

    class EnterHandled(Message):
        """Follows `Submitted` to the screen, so that it arrives when that is handled."""

    async def on_key(self, event: events.Key) -> None:
        for binding in BindingsMap(Input.BINDINGS).key_to_bindings.get(event.key, ()):
            event.stop()
            await self.run_action(binding.action)

    async def action_submit(self) -> None:
        await super().action_submit()
        self.post_message(self.EnterHandled())


# Textual takes the default CSS of the first base only, so that must be a Textual class.


class DismissOnce(SizedScreen[R]):
    """Ignores a repeated dismissal, so that a repeated key does not close the screen below.

    left: dismissed, though possibly not yet removed.
    """

    left = False
    _drawn: Sequence[Widget] = ()
    _answer: Callable[[R | None], object] | None = None

    @property
    def composed(self) -> bool:
        # Once it is left, its widgets go one by one.
        return not self.left and super().composed

    @property
    def enter_waits(self) -> bool:
        """True while an enter waits for an answer before it closes this screen."""
        return False

    def end_wait(self) -> None:
        """Let keys be handled that were typed after an enter that does not wait any more."""
        if not self.left:
            self.app.post_message(TextField.EnterHandled())

    def answer_to(self, callback: Callable[[R | None], object]) -> None:
        """Call `callback` with the result synchronously when the screen is dismissed.

        Textual calls the callback of `push_screen` from a later message. A key typed ahead would be
        handled before that, and miss the screen that the callback opens.
        """
        self._answer = callback

    def dismiss(self, result: R | None = None) -> AwaitComplete:
        """Dismiss if this is the active screen; otherwise do nothing."""
        if self.app.screen is not self:
            return AwaitComplete()
        # A response that arrives from now on must not touch the removed widgets.
        self.left, waited = True, self.enter_waits
        self._drawn = list(self.walk_children(Widget, with_self=True))
        self.workers.cancel_node(self)
        leaving = super().dismiss(result)
        if self._answer is not None:
            self._answer(result)
        if waited:
            self.app.post_message(TextField.EnterHandled())
        return leaving

    @on(TextField.EnterHandled)
    def _forward_enter_handled(self, event: TextField.EnterHandled) -> None:
        """Tell the application directly: messages of a screen that was dismissed end here."""
        event.stop()
        if not self.enter_waits:
            self.app.post_message(TextField.EnterHandled())

    def on_unmount(self) -> None:
        """Refresh the widgets, so that Textual releases their cached strips."""
        for widget in self._drawn:
            widget.refresh()
        self._drawn = []


class Dialog(ModalScreen[R], DismissOnce[R]):
    """A modal screen that covers a part of the screen below."""


class BufferedKeys(DismissOnce[R]):
    """Buffers keys that arrive before mounting, and types them into the field afterwards."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._buffered_keys: list[events.Key] = []

    @property
    def typing(self) -> bool:
        """True before mounting, and while an input has the focus: printable keys are text then."""
        return not self.is_mounted or isinstance(self.focused, Input)

    @on(events.Mount)
    async def _catch_up(self) -> None:
        """Type the buffered keys before any later one is handled."""
        early, self._buffered_keys = self._buffered_keys, []
        for event in early:
            await self.type_in(event)

    async def buffer_key(self, event: events.Key) -> None:
        """Handle a key that no widget consumed: buffer it until this screen is mounted.

        It is typed unless another widget than a field has the focus.
        """
        if not self.is_mounted:
            self._buffered_keys.append(event)
        elif self.focused is None or (isinstance(self.focused, Input) and event.is_printable):
            await self.type_in(event)

    async def type_in(self, event: events.Key) -> None:
        """Apply a key to the field: insert a printable character, or do what the field binds."""
        if not self.composed:
            return
        field = self.query_one(TextField)
        if event.is_printable and event.character is not None:
            event.stop()
            if not field.has_focus and field.select_on_focus:
                # `select_on_focus` would select this text when the focus arrives, and the next key
                # replace it.
                field.select_on_focus = False
                field.clear()
            # In place of a text that the focus has selected.
            field.replace(event.character, *field.selection)
        else:
            await field.on_key(event)


class AnswerDialog(Dialog[R | None], BufferedKeys[R | None]):
    """A dialog with one answer."""
