"""The contacts view: search as one types, and opening a contact."""

import asyncio
from datetime import UTC
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from frontdesk.cache import CONVERSATION, Cache
from frontdesk.client import InboxClient
from frontdesk.errors import Forbidden, InboxError, Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.text.phones import format_phone
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs import switcher
from frontdesk.tui.views.catalogue_screen import CatalogueList
from frontdesk.tui.views.contacts import ContactsScreen
from frontdesk.wire import Contact, ConversationFilter, Page, PhoneRef, body_of
from tests.cache.pages import conversation
from tests.conftest import NOW
from tests.tui.conftest import Viewer, idle_until, lines, settle, shown, until
from tests.tui.faulty_sources import Failing
from tests.tui.views import ViewApp, press, type_in, view_app

OONAGH = "Oonagh Feeney · Harbour Lane Stores"
CLOCK = Clock(UTC, lambda: NOW)
SIZE = (120, 40)
QUILLS = [Contact(id=f"c{at}", name=f"Quill {letter}") for at, letter in enumerate("ABCD")]


class Asked:
    """The real client; keeps which contacts it was asked for, and waits for `answers` while `slow`.

    found: contacts that are the answer in place of the client's, if set. failure: raised instead.
    """

    def __init__(self, client: InboxClient) -> None:
        self._client = client
        self.words: list[str] = []
        self.slow = False
        self.answers = asyncio.Event()
        self.found: list[Contact] | None = None
        self.failure: InboxError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def contact_page(
        self, q: str | None = None, *, limit: int = 25, cursor: str | None = None
    ) -> Page[Contact]:
        self.words.append(q or "")
        if self.slow:
            await self.answers.wait()
        if self.failure is not None:
            raise self.failure
        if self.found is not None:
            return Page[Contact](data=self.found)
        return await self._client.contact_page(q, limit=limit, cursor=cursor)


@pytest.fixture
def asked(client: InboxClient) -> Asked:
    return Asked(client)


@pytest.fixture
def app(asked: Asked, cache: Cache) -> ViewApp:
    return view_app("contacts", asked, cache, CLOCK)


def names(app: ViewApp) -> list[str]:
    screen = app.screen
    assert isinstance(screen, ContactsScreen)
    rows = screen.list.rows
    return [rows[at].name for at in range(len(rows))]


def contact_list(app: ViewApp) -> CatalogueList:
    screen = app.screen
    assert isinstance(screen, ContactsScreen)
    return screen.list


def selected(app: ViewApp) -> str:
    """Name of the selected contact, whose row is in view and whom the details describe."""
    body = contact_list(app)
    entry = body.row
    assert entry is not None
    assert body.cursor in body.in_view()
    assert any(entry.name in line[body.size.width :] for line in lines(app))
    return entry.name


async def search_slowly(pilot: Pilot[Any], asked: Asked, *keys: str) -> None:
    """Press keys that search, with the view loaded before and the answer still to come."""
    await settle(pilot)
    asked.slow = True
    await pilot.press(*keys)
    await pilot.pause()


async def seen_late(client: InboxClient, cache: Cache) -> None:
    """Put conversations into the cache whose contacts come late in the server's list."""
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    await mailbox.connect()
    await mailbox.refresh_conversations(ConversationFilter(status="open"))


@pytest.mark.parametrize("moves", [0, 30])
async def test_the_selected_contact_stays_when_the_servers_list_arrives(
    app: ViewApp, asked: Asked, client: InboxClient, cache: Cache, moves: int
) -> None:
    await seen_late(client, cache)
    first_page = [contact.name for contact in (await client.contact_page(limit=25)).data]
    asked.slow = True
    async with app.run_test(size=(120, 20)) as pilot:
        await idle_until(pilot, lambda: "on this computer" in lines(app)[0])
        await pilot.press(*["down"] * moves)
        await pilot.pause()
        name = selected(app)
        assert name not in first_page
        asked.answers.set()
        await idle_until(pilot, lambda: "more below" in lines(app)[0])
        assert selected(app) == name
        assert names(app)[0] == name
        assert names(app)[1:26] == first_page
        assert "further below" in shown(app)
        listed = len(names(app)) - 1
        assert f"{listed} contacts, more below" in lines(app)[0]
        await pilot.press("enter")
        await settle(pilot)
        assert [view.name for view in app.views if isinstance(view, PhoneRef)] == [name]


async def test_the_selected_contact_of_a_further_page_stays_when_the_list_is_read_again(
    app: ViewApp,
) -> None:
    async with app.run_test(size=(120, 20)) as pilot:
        await settle(pilot)
        await press(pilot, "tab", "G")
        name = selected(app)
        held = len(names(app))
        await press(pilot, "ctrl+r")
        assert len(names(app)) < held
        assert selected(app) == name
        await press(pilot, "down", "up")
        assert selected(app) == name


async def test_the_last_contact_stays_selected_when_a_further_page_arrives(
    app: ViewApp, asked: Asked
) -> None:
    async with app.run_test(size=(120, 20)) as pilot:
        await settle(pilot)
        await press(pilot, "tab")
        asked.slow = True
        held = len(names(app))
        await pilot.press(*["pagedown"] * held)
        await pilot.pause()
        assert contact_list(app).cursor == held - 1
        name = selected(app)
        asked.answers.set()
        await idle_until(pilot, lambda: len(names(app)) > held)
        assert selected(app) == name


async def test_the_first_result_is_selected_unless_another_match_was_chosen(
    app: ViewApp, asked: Asked
) -> None:
    asked.found = QUILLS
    async with app.run_test(size=SIZE) as pilot:
        await search_slowly(pilot, asked, *"quill")
        assert len(names(app)) > 1
        here = selected(app)
        asked.found = sorted(QUILLS, key=lambda person: person.name == here)
        asked.answers.set()
        await settle(pilot)
        assert names(app)[-1] == here
        assert selected(app) == names(app)[0]


@pytest.mark.parametrize("is_result", [True, False])
async def test_the_selected_match_stays_if_it_is_a_result_or_else_the_first_one_is_selected(
    app: ViewApp, asked: Asked, is_result: bool
) -> None:
    asked.found = QUILLS
    async with app.run_test(size=SIZE) as pilot:
        await search_slowly(pilot, asked, *"quill", "down", "down")
        name = selected(app)
        found = [QUILLS[3], *QUILLS[:3], Contact(id="new", name="Quill N")]
        asked.found = [person for person in found if is_result or person.name != name]
        asked.answers.set()
        await settle(pilot)
        assert len(names(app)) == len(asked.found)
        here = selected(app)
        assert here == (name if is_result else names(app)[0])
        await press(pilot, "enter")
        view = app.views[-1]
        assert isinstance(view, PhoneRef)
        assert view.name == here


async def test_one_letter_filters_the_loaded_contacts(app: ViewApp, asked: Asked) -> None:
    people = ["Zoe Adler", "Álvaro Güell", "Max Ruiz", "Bo Smith"]
    asked.found = [Contact(id=name, name=name) for name in people]
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        asked.words.clear()
        await press(pilot, "z")
        assert names(app) == ["Zoe Adler", "Max Ruiz"]
        assert "2 of 4 loaded contacts" in lines(app)[0]
        assert selected(app) == "Zoe Adler"
        await press(pilot, "backspace", "a")
        assert names(app) == ["Zoe Adler", "Álvaro Güell", "Max Ruiz"]
        await press(pilot, "backspace", "x", "escape", "w")
        assert "No loaded contact has “w”. A second letter" in shown(app)
        await press(pilot, "escape")
        assert "4 contacts" in lines(app)[0]


async def test_a_contact_above_the_results_is_counted_neither_before_nor_after_a_letter(
    app: ViewApp, asked: Asked, client: InboxClient, cache: Cache
) -> None:
    await seen_late(client, cache)
    asked.found = [Contact(id=name, name=name) for name in ("Bo Smith", "Max Ruiz")]
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert names(app)[1:] == ["Bo Smith", "Max Ruiz"]
        assert "not in this list" in shown(app)
        assert " 2 contacts" in lines(app)[0]
        await press(pilot, "b")
        assert "1 of 2 loaded contacts" in lines(app)[0]


async def test_a_contact_is_found_by_a_number_however_it_is_written(
    app: ViewApp, client: InboxClient, cache: Cache
) -> None:
    await seen_late(client, cache)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("tab", "]")
        await settle(pilot)
        assert len(names(app)) > 1
        entry = contact_list(app).rows[0]
        await pilot.press("/")
        await type_in(pilot, f"{entry.copied[:3]} ({entry.copied[3:6]}) {entry.copied[6:]}")
        await settle(pilot)
        assert names(app) == [entry.name]


async def test_it_opens_on_all_contacts_and_typing_asks_the_server_once_it_pauses(
    app: ViewApp, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert len(names(app)) >= 25
        assert "contacts, more below" in lines(app)[0]
        assert isinstance(app.focused, Input)
        asked.words.clear()
        # One letter loads no further pages.
        await press(pilot, "z")
        assert asked.words == []
        assert "loaded contacts" in lines(app)[0]
        assert "more below" not in lines(app)[0]
        await press(pilot, "backspace")
        monkeypatch.setattr(switcher, "PAUSE_SECONDS", 3_600.0)
        await pilot.press(*"oonag")
        assert asked.words == []
        monkeypatch.setattr(switcher, "PAUSE_SECONDS", 0.0)
        await pilot.press("h")
        await settle(pilot)
        assert names(app) == [OONAGH]
        assert asked.words == ["oonagh"]
        assert format_phone("+353209110142") in shown(app)
        assert lines(app)[0].endswith("  1 contact")


async def test_a_number_in_any_spelling_finds_its_contact(app: ViewApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await type_in(pilot, "353 209 110-142")
        assert names(app) == [OONAGH]


async def test_enter_goes_to_the_conversations_of_the_contact(app: ViewApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await type_in(pilot, "feeney")
        await press(pilot, "enter")
        view = app.views[-1]
        assert isinstance(view, PhoneRef)
        assert view.name == OONAGH
        assert len(app.screen_stack) == 1


async def test_an_enter_whose_search_failed_opens_nothing_later(app: ViewApp, asked: Asked) -> None:
    asked.found = []
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        asked.slow, asked.failure = True, Unreachable("Nobody answers")
        await pilot.press(*"feeney")
        await idle_until(pilot, lambda: asked.words[-1] == "feeney")
        await pilot.press("enter")
        asked.answers.set()
        await settle(pilot)
        asked.found = asked.failure = None
        await press(pilot, "ctrl+r")
        assert names(app) == [OONAGH]
        assert app.views == []


async def test_from_the_inbox_f3_leads_to_contacts_and_back(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "f3", "tab", "right_square_bracket")
        assert "contacts on this computer" in lines(app)[0]
        await press(pilot, "slash", "o")
        assert "of" in lines(app)[0]
        await press(pilot, "escape", "escape", "escape")
        assert "INBOX" in lines(app)[0]
        await press(pilot, "v", "c")
        await type_in(pilot, "oonagh")
        assert "Custom fields" in shown(app)
        assert "Conversations" in shown(app)
        await press(pilot, "enter")
        assert "2 Oonagh Feeney" in shown(app)


async def test_letters_typed_ahead_of_the_view_are_searched(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        for key in "vcqueja":
            app.post_message(events.Key(key, key))
        await until(pilot, lambda: isinstance(app.focused, Input) and app.focused.value == "queja")
        assert "CONTACTS" in lines(app)[0]


async def test_until_the_server_answers_those_seen_here_are_offered(
    app: ViewApp, asked: Asked
) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, *"oonagh", "escape")
        asked.slow = True
        await pilot.press(*"feen")
        await pilot.pause()
        assert names(app) == [OONAGH]
        assert "on this computer" in lines(app)[0]
        await pilot.press("enter")
        await pilot.pause()
        assert app.views[-1] is not None


async def test_without_a_server_those_seen_here_are_searched(
    client: InboxClient, cache: Cache
) -> None:
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    await mailbox.connect()
    await mailbox.search_contacts("oonagh")
    app = view_app("contacts", Failing(Unreachable("No answer")), cache, CLOCK)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press(*"oona")
        await settle(pilot)
        assert names(app) == [OONAGH]
        assert "~1 contact on this computer" in lines(app)[0]


async def test_without_a_server_customers_of_cached_conversations_are_found_by_name(
    cache: Cache,
) -> None:
    rows = [
        conversation(at, second=at).model_copy(update={"contact": PhoneRef(id=f"c{at}", name=name)})
        for at, name in enumerate(["Ada Kirkden", "Nuria Adal", "Theo Kim"])
    ]
    await cache.save_all(CONVERSATION, {row.id: body_of(row) for row in rows})
    app = view_app("contacts", Failing(Unreachable("No answer")), cache, CLOCK)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press(*"ada")
        await settle(pilot)
        assert names(app) == ["Nuria Adal", "Ada Kirkden"]
        assert "~2 contacts on this computer" in lines(app)[0]
        await press(pilot, "enter")
        assert app.views[-1] == PhoneRef(id="c1", name="Nuria Adal")


async def test_a_key_that_may_not_read_contacts_is_notified(cache: Cache) -> None:
    app = view_app("contacts", Failing(Forbidden("No", scope="contacts:read")), cache, CLOCK)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "This key may not read contacts. It needs t" in shown(app)


async def test_who_is_not_found_is_reported_and_keys_are_those_that_work(app: ViewApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "? help" not in lines(app)[-1]
        await press(pilot, *"nobody")
        assert "No customer matches “nobody”." in shown(app)
        await press(pilot, "tab")
        assert "? help" in lines(app)[-1]
        assert "j/k move" in lines(app)[-1]


async def test_tab_leads_from_the_search_to_the_list_and_its_details_where_letters_are_keys(
    app: ViewApp,
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        first = selected(app)
        await press(pilot, "tab")
        assert contact_list(app).has_focus
        await press(pilot, "j")
        assert selected(app) != first
        await press(pilot, "tab", "x", "j")
        assert app.screen.query_one(Input).value == ""


async def test_keys_of_the_sections_are_not_named_where_they_are_text(app: ViewApp) -> None:
    async with app.run_test(size=(40, 12)) as pilot:
        await settle(pilot)
        assert "All" in lines(app)[1]
        assert "[ ]" not in lines(app)[1]
        await press(pilot, "tab")
        assert "[ ] others" in lines(app)[1]
        await press(pilot, "slash")
        assert "[ ]" not in lines(app)[1]


async def test_further_pages_come_near_the_end(app: ViewApp, asked: Asked) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("tab")
        await settle(pilot)
        held = len(names(app))
        await pilot.press("G")
        await settle(pilot)
        assert len(names(app)) > held
        assert len(set(names(app))) > held


async def test_escape_clears_then_leaves(app: ViewApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, *"oonagh", "escape")
        assert len(names(app)) >= 25
        assert isinstance(app.focused, Input)
        assert app.views == []
        await press(pilot, "escape", "escape")
        assert app.views == [None]
