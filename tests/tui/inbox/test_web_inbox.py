"""What `o` opens; copied texts have the customer's name filled in."""

import webbrowser
from datetime import UTC
from typing import Any

import pytest
from textual.widgets import Input

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.own_commands.command import OwnCommand
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.preferences import Preferences
from frontdesk.tui.views.template_preview import fill_in
from frontdesk.wire import Message, PhoneRef
from frontdesk.wire import Page as WirePage
from tests.conftest import NOW
from tests.tui.conftest import idle_until, notifications, settle, shown

OPEN = 'echo "https://inbox.example.com/conversations/$FRONTDESK_CONVERSATION_ID"'
WEB_INBOX = OwnCommand("Open in the web inbox", OPEN, key="o", output="clipboard")
THEO = PhoneRef(id="8", name="Theo Kim", phone="+447700900821")


class Page(FrontdeskApp):
    """The viewer on a page of a browser, which opens links itself."""

    is_web = True

    def __init__(
        self, client: InboxClient, cache: Cache, commands: tuple[OwnCommand, ...] = ()
    ) -> None:
        super().__init__(
            Mailbox(lambda: client, cache, clock=lambda: NOW),
            title="sample",
            clock=Clock(UTC, lambda: NOW),
            preferences=Preferences(commands=commands),
        )
        self.opened: list[str] = []
        self.copied: list[str] = []

    def open_url(self, url: str, *, new_tab: bool = True) -> None:
        self.opened.append(url)

    def copy_to_clipboard(self, text: str) -> None:
        self.copied.append(text)


class OnTerminal(Page):
    """The viewer on a terminal."""

    is_web = False


@pytest.mark.parametrize("text", ["Hello", "See https://one.example/a"])
async def test_o_on_a_conversation_runs_the_command_that_opens_it(
    client: InboxClient, cache: Cache, text: str
) -> None:
    source: Any = Linked(client, text)
    app = OnTerminal(source, cache, (WEB_INBOX,))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("j", "o")
        await idle_until(pilot, lambda: bool(app.copied))
        assert isinstance(app.screen, InboxScreen)
        address = f"https://inbox.example.com/conversations/{app.screen.queue.list.selected_id}"
        assert app.copied == [address]


async def test_o_on_a_link_runs_the_command_for_links_and_asks_which(
    client: InboxClient, cache: Cache
) -> None:
    echo = 'echo "$FRONTDESK_LINK"'
    links = OwnCommand("Read", echo, key="o", places=("link",), output="clipboard")
    source: Any = Linked(client, "https://one.example/a or https://two.example/b")
    app = OnTerminal(source, cache, (WEB_INBOX, links))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key in ("j", "enter", "o", "down", "enter"):
            await pilot.press(key)
            await settle(pilot)
        await idle_until(pilot, lambda: bool(app.copied))
        assert app.copied == ["https://two.example/b"]


class Linked:
    """The real client, whose messages have this text."""

    def __init__(self, client: InboxClient, text: str) -> None:
        self._client, self._text = client, text

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def message_page(self, *arguments: Any, **options: Any) -> WirePage[Message]:
        page = await self._client.message_page(*arguments, **options)
        rows = tuple(
            row.model_copy(update={"text": self._text, "media": None}) for row in page.data
        )
        return page.model_copy(update={"data": rows})


@pytest.mark.parametrize(
    ("text", "keys", "opened"),
    [
        ("See https://one.example/a.", ("o",), ["https://one.example/a"]),
        (
            "https://one.example/a or https://two.example/b",
            ("o", "down", "enter"),
            ["https://two.example/b"],
        ),
        ("https://one.example/a or https://two.example/b", ("o", "escape"), []),
    ],
)
async def test_o_in_the_thread_opens_a_link_of_the_message(
    client: InboxClient,
    cache: Cache,
    text: str,
    keys: tuple[str, ...],
    opened: list[str],
) -> None:
    source: Any = Linked(client, text)
    app = Page(source, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key in ("j", "enter", *keys):
            await pilot.press(key)
            await settle(pilot)
        assert app.opened == opened


@pytest.mark.parametrize("commands", [(), (WEB_INBOX,)])
async def test_o_without_a_link_in_the_message_opens_the_conversation_if_a_command_does(
    client: InboxClient, cache: Cache, commands: tuple[OwnCommand, ...]
) -> None:
    source: Any = Linked(client, "Hello")
    app = OnTerminal(source, cache, commands)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("j", "enter", "o")
        await idle_until(pilot, lambda: bool(notifications(app)))
        assert bool(app.copied) == bool(commands)
        assert ("No link here" in notifications(app)[-1]) != bool(commands)


async def test_without_a_browser_the_link_is_shown_to_copy(
    client: InboxClient, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("w3m"))
    source: Any = Linked(client, "See https://one.example/a")
    app = OnTerminal(source, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("j", "enter", "o")
        await settle(pilot)
        assert "No browser here" in shown(app)
        assert app.copied == [app.screen.query_one(Input).value] == ["https://one.example/a"]


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("Hello {{contact.name}}!", "Hello Theo Kim!"),
        ("Hi {{ first_name }}, dear {{customer.last_name}}", "Hi Theo, dear Kim"),
        ("{{1}}, your order {{2}} left", "Theo, your order {{2}} left"),
        ("{{3}} is your code", "{{3}} is your code"),
        ("{{agent.nickname}}", "{{agent.nickname}}"),
    ],
)
def test_the_name_of_the_customer_is_filled_in(text: str, filled: str) -> None:
    examples = {"{{1}}": "Sam", "{{2}}": "VD-1048", "{{3}}": "482913"}
    assert fill_in(text, THEO, examples) == filled
    assert fill_in(text, None, examples) == text


async def test_y_on_a_template_copies_it_for_the_selected_customer(
    client: InboxClient, cache: Cache
) -> None:
    app = Page(client, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+k", *"nuria", "space", *"zubiri", "enter")
        await settle(pilot)
        await pilot.press("v", "t")
        await settle(pilot)
        await pilot.press("slash", *"shipped", "enter", "y")
        await settle(pilot)
        assert "Nuria" in app.copied[0]
