"""The setup form of a first start: fields, connection test and error messages."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from frontdesk.errors import Unreachable
from frontdesk.tui.setup_form import ConnectApp, FieldError, SetupValues
from tests.tui.conftest import settle, shown

PICTURES = Path(__file__).parents[2] / "screenshots"
KEY = "fdk_secret"
SIZES = pytest.mark.parametrize("size", [(80, 24), (40, 10)])


class Servers:
    """What is found where, and what was tried."""

    def __init__(self) -> None:
        self.tried: list[SetupValues] = []
        self.answer: asyncio.Event | None = None

    async def __call__(self, values: SetupValues) -> str:
        self.tried.append(values)
        if self.answer is not None:
            await self.answer.wait()
        if "gone" in values.address:
            raise Unreachable("The server cannot be reached")
        if values.is_server and values.key != KEY:
            raise FieldError("key", "The API key is malformed or unknown.")
        return "41 open conversations"


async def paste(pilot: Pilot[Any], text: str) -> None:
    """Put a text into the field with the focus."""
    assert pilot.app.focused is not None
    pilot.app.focused.post_message(events.Paste(text))
    await pilot.pause()


async def write(pilot: Pilot[Any], text: str) -> None:
    """Fill a field, and enter."""
    await paste(pilot, text)
    await pilot.press("enter")
    await settle(pilot)


@SIZES
async def test_an_address_and_a_key_are_tried_then_kept(size: tuple[int, int]) -> None:
    servers = Servers()
    app = ConnectApp(servers)
    async with app.run_test(size=size) as pilot:
        await write(pilot, "inbox.example.com")
        await write(pilot, KEY)
        assert "41 open conversations" in shown(app)
        assert KEY not in shown(app)
        await pilot.press("enter")
    values = SetupValues("https://inbox.example.com", KEY, "", "inbox")
    assert servers.tried == [values]
    assert app.return_value == values
    assert KEY not in repr(values)


@SIZES
async def test_an_error_is_shown_below_its_field_until_the_field_is_edited(
    size: tuple[int, int],
) -> None:
    app = ConnectApp(Servers())
    async with app.run_test(size=size) as pilot:
        await pilot.press("enter")
        await settle(pilot)
        assert "Where is the inbox?" in shown(app)
        await write(pilot, "https://inbox.example.com")
        assert "Where is" not in shown(app)
        assert "A server needs an API key." in shown(app)
        await write(pilot, "wrong")
        rows = shown(app).splitlines()
        at = next(n for n, row in enumerate(rows) if "malformed" in row)
        assert rows[at - 1].strip().startswith("Key")
        assert app.focused is app.screen.query_one("#key", Input)
        await pilot.press("x")
        await pilot.pause()
        assert "malformed" not in shown(app)


async def test_words_of_a_server_are_shown_as_they_are() -> None:
    async def answer(values: SetupValues) -> str:
        if values.key != KEY:
            raise FieldError("key", "The [b]key[/b] is [unknown]")
        return "[red]41[/red] open conversations"

    app = ConnectApp(answer)
    async with app.run_test(size=(80, 24)) as pilot:
        await write(pilot, "https://inbox.example.com")
        await write(pilot, "wrong")
        assert "The [b]key[/b] is [unknown]" in shown(app)
        await pilot.press("ctrl+u")
        await write(pilot, KEY)
        assert "It answers: [red]41[/red] open conversations." in shown(app)


async def test_a_server_that_does_not_answer_is_a_fault_of_the_address() -> None:
    app = ConnectApp(Servers())
    async with app.run_test(size=(80, 24)) as pilot:
        await write(pilot, "https://gone.example.com")
        await write(pilot, KEY)
        assert "The server cannot be reached" in shown(app)
        assert app.focused is app.screen.query_one("#address", Input)


async def test_a_database_wants_no_key_but_who_one_is() -> None:
    app = ConnectApp(Servers())
    async with app.run_test(size=(80, 24)) as pilot:
        await write(pilot, "/var/lib/shop.db")
        assert "Me " in shown(app)
        assert "Key" not in shown(app)
        assert "41 open conversations" in shown(app)
        await pilot.press("enter")
    assert app.return_value == SetupValues("/var/lib/shop.db", "", "", "shop")


async def test_a_form_changed_after_a_try_is_tried_again() -> None:
    servers = Servers()
    app = ConnectApp(servers)
    async with app.run_test(size=(80, 24)) as pilot:
        await write(pilot, "shop.db")
        await pilot.press("down", "down")
        await write(pilot, "mine")
        assert [one.name for one in servers.tried] == ["shop", "mine"]
        await pilot.press("enter")
    assert app.return_value is not None
    assert app.return_value.name == "mine"


async def test_escape_stops_trying_then_leaves() -> None:
    servers = Servers()
    servers.answer = asyncio.Event()
    app = ConnectApp(servers)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"shop.db", "enter")
        await pilot.pause()
        assert "Testing the connection" in shown(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "Stopped." in shown(app)
        await pilot.press("escape")
    assert app.return_value is None


async def test_the_demo_is_one_key_away() -> None:
    app = ConnectApp(Servers())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f2")
    assert app.return_value == SetupValues("", "", "", "")


async def test_arrows_and_tab_go_through_the_fields() -> None:
    app = ConnectApp(Servers())
    async with app.run_test(size=(80, 24)) as pilot:
        at = []
        for key in ("down", "down", "up", "tab", "shift+tab"):
            await pilot.press(key)
            at.append(app.focused.id if app.focused else None)
        assert at == ["key", "name", "key", "name", "key"]


@pytest.mark.parametrize(
    ("typed", "address", "name"),
    [
        ("inbox.example.com/v1", "https://inbox.example.com/v1", "inbox"),
        ("localhost:8080", "http://localhost:8080", "localhost"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080", "server"),
        ("https://www.shop.example", "https://www.shop.example", "shop"),
        ("postgresql://ana:pw@db.example/inbox", "postgresql://ana:pw@db.example/inbox", "db"),
        ("~/shop.db", "~/shop.db", "shop"),
        ("inbox.sqlite", "inbox.sqlite", "inbox"),
    ],
)
async def test_an_address_may_be_written_short(typed: str, address: str, name: str) -> None:
    app = ConnectApp(Servers())
    async with app.run_test(size=(80, 24)) as pilot:
        await paste(pilot, typed)
        values = app.screen.values  # type: ignore[attr-defined]
        assert (values.address, values.name) == (address, name)


@pytest.mark.parametrize(
    ("name", "size", "theme"),
    [
        ("connect-80x24", (80, 24), "frontdesk-dark"),
        ("connect-40x10-light", (40, 10), "frontdesk-light"),
    ],
)
async def test_the_pictures_of_the_first_start_are_true(
    request: pytest.FixtureRequest, name: str, size: tuple[int, int], theme: str
) -> None:
    app = ConnectApp(Servers(), theme=theme)
    async with app.run_test(size=size) as pilot:
        await write(pilot, "https://inbox.example.com")
        await write(pilot, "wrong")
        app.screen.query_one("#key", Input).cursor_blink = False
        await pilot.pause()
        picture = app.export_screenshot(title="frontdesk")
    path = PICTURES / f"{name}.svg"
    if request.config.getoption("--update-screenshots"):
        path.write_text(picture, encoding="utf-8")
    assert picture == path.read_text(encoding="utf-8")
