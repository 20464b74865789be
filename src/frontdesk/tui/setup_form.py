"""Setup form of the first start, and the application that shows it.

It takes an address and a key, tests them, and returns the values.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Input, Label, Static

from frontdesk.errors import InboxError
from frontdesk.text.clean import clean
from frontdesk.tui.action_groups import APPLICATION
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.dialogs.base import DismissOnce, TextField
from frontdesk.tui.key_names import key_label
from frontdesk.tui.theme import DARK, STYLES

Field = Literal["address", "key", "me", "name"]

_LABELS: dict[Field, tuple[str, str]] = {
    "address": ("Address", "https://… or a database file"),
    "key": ("Key", "an API key: fd_live_…"),
    "me": ("Me", "your e-mail address there, or nothing"),
    "name": ("Name", "a name for it"),
}


@dataclass(frozen=True, slots=True)
class SetupValues:
    """Values of the form; `key` applies to a server, `user` to a database."""

    address: str
    key: str
    user: str
    name: str

    def __repr__(self) -> str:
        return f"SetupValues({self.address!r}, {self.name!r})"

    @property
    def is_server(self) -> bool:
        """True for an HTTP URL, False for a path of a database."""
        return self.address.startswith(("http://", "https://"))


class FieldError(Exception):
    """Validation error of one field, with a sentence for the user."""

    def __init__(self, field: Field, words: str) -> None:
        super().__init__(words)
        self.field, self.words = field, words


ConnectionTest = Callable[[SetupValues], Awaitable[str]]


class ConnectScreen(DismissOnce[SetupValues | None]):
    """Returns a tested `SetupValues`; an empty one starts the demo, None quits.

    `attempt` returns a description of the inbox. It raises FieldError or InboxError.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Stop, or leave", id="connect.leave", group=APPLICATION),
        Binding("f2", "demo", "Look at the demo", id="connect.demo", group=APPLICATION),
        Binding("down", "app.focus_next", "Next", id="connect.next", group=APPLICATION),
        Binding("up", "app.focus_previous", "Previous", id="connect.previous", group=APPLICATION),
    ]
    AUTO_FOCUS = "#address"

    def __init__(self, attempt: ConnectionTest) -> None:
        super().__init__()
        self._attempt = attempt
        self._tested: SetupValues | None = None

    def compose(self) -> ComposeResult:
        yield Static("Connect to an inbox", id="connect-title", markup=False)
        with VerticalScroll(id="connect-fields", can_focus=False):
            for field, (label, placeholder) in _LABELS.items():
                with Horizontal(classes=f"field {field}"):
                    yield Label(label, markup=False)
                    yield TextField(placeholder=placeholder, id=field, password=field == "key")
                yield Static("", classes="fault", id=f"{field}-fault", markup=False)
        yield Static("", id="connect-found", markup=False)
        yield Static("", id="connect-keys", markup=False)

    def on_mount(self) -> None:
        self._describe()

    @property
    def values(self) -> SetupValues:
        """Stripped values; a host without scheme gets `https://`, or `http://` if it is local."""
        texts = {field: self.query_one(f"#{field}", Input).value.strip() for field in _LABELS}
        address = texts["address"]
        if "://" not in address and _looks_like_a_host(address):
            here = address.partition("/")[0].partition(":")[0] in ("localhost", "127.0.0.1")
            address = f"{'http' if here else 'https'}://{address}"
        return SetupValues(address, texts["key"], texts["me"], texts["name"] or _name_of(address))

    @on(Input.Changed)
    def change(self, event: Input.Changed) -> None:
        """Discard the result of the test, which belongs to the previous values."""
        self._tested = None
        self.workers.cancel_group(self, "trying")
        self._show_error(event.input.id, "")
        self.query_one("#connect-found", Static).update("")
        self._describe()

    @on(Input.Submitted)
    def go_on(self) -> None:
        """Focus the first missing field, test complete values, or return tested ones."""
        values = self.values
        if self._tested == values:
            self.dismiss(values)
        elif not values.address:
            self._fail("address", "Where is the inbox?")
        elif values.is_server and not values.key:
            self._fail("key", "A server needs an API key.")
        else:
            self._try(values)

    def action_demo(self) -> None:
        self.dismiss(SetupValues("", "", "", ""))

    def action_leave(self) -> None:
        if self.workers.cancel_group(self, "trying"):
            self.query_one("#connect-found", Static).update("Stopped.")
        else:
            self.dismiss(None)

    @work(group="trying", exclusive=True)
    async def _try(self, values: SetupValues) -> None:
        for field in _LABELS:
            self._show_error(field, "")
        result = self.query_one("#connect-found", Static)
        result.update("Testing the connection…")
        try:
            words = await self._attempt(values)
        except FieldError as fault:
            self._fail(fault.field, fault.words)
        except InboxError as error:
            self._fail("address", str(error))
        else:
            self._tested = values
            enter = key_label("enter")
            result.update(
                f"It answers: {words}.  {enter} saves it as “{values.name}” and opens it."
            )

    def _fail(self, field: Field, words: str) -> None:
        self.query_one("#connect-found", Static).update("")
        self._show_error(field, words)
        self.query_one(f"#{field}", Input).focus()

    def _show_error(self, field: str | None, words: str) -> None:
        fault = self.query_one(f"#{field}-fault", Static)
        fault.update(clean(words))
        fault.set_class(bool(words), "-said")

    def _describe(self) -> None:
        """Show the key field for a server, the user field for a database."""
        values = self.values
        database = bool(values.address) and not values.is_server
        self.set_class(database, "-database")
        self.query_one("#name", Input).placeholder = values.name or _LABELS["name"][1]
        keys = f"{key_label('enter')} next, try   {key_label('arrows')} fields   F2 demo   esc"
        self.query_one("#connect-keys", Static).update(keys)


def _looks_like_a_host(address: str) -> bool:
    """True for a host name such as inbox.example.com; False for a path or a database file name."""
    host = address.partition("/")[0]
    return host.partition(":")[0] == "localhost" or (
        "." in host.strip(".")
        and "\\" not in address
        and not host.endswith((".db", ".sqlite", ".sqlite3"))
        and not address.startswith((".", "~"))
    )


def _name_of(address: str) -> str:
    """Default profile name from the host or file name: ASCII letters, digits, - and _."""
    place = address.partition("://")[2].partition("/")[0] if "://" in address else ""
    host = place.rpartition("@")[2].partition(":")[0]
    last = address.rstrip("/").rpartition("/")[2].partition(".")[0]
    words = host.removeprefix("www.").partition(".")[0] if host else last
    if host and host.replace(".", "").isdigit():
        words = "server"
    return "".join(
        character
        for character in words
        if character.isascii() and (character.isalnum() or character in "-_")
    )[:40]


class ConnectApp(CrashReportingApp[SetupValues]):
    """Shows the setup form; `run` returns its values, or None if it was cancelled."""

    TITLE = "frontdesk"
    CSS_PATH = [STYLES / "app.tcss", STYLES / "connect.tcss"]
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        attempt: ConnectionTest,
        *,
        theme: str | None = None,
        keys: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._attempt = attempt
        self.theme = theme or DARK.name
        self.use_keys(keys or {})

    def on_mount(self) -> None:
        self.push_screen(ConnectScreen(self._attempt), self.exit)
