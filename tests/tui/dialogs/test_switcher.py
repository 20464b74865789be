"""Quick switcher: the order of its choices, and which of them enter takes."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from frontdesk.cache import CONVERSATION, Cache
from frontdesk.client import InboxClient
from frontdesk.errors import Forbidden, InboxError, Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.query import Query, QueryNames, SavedView
from frontdesk.text.phones import format_phone
from frontdesk.tui.dialogs.picker import ChoiceList
from frontdesk.tui.dialogs.switcher import Switcher, number_choices
from frontdesk.wire import Contact, Page, PhoneRef, body_of
from tests.cache.pages import conversation
from tests.conftest import NOW
from tests.tui.conftest import chosen_line, idle_until, notifications, settle, shown
from tests.tui.views import Dressed, press, type_in

NAMES = QueryNames(users={"1": "Tom Hartley", "2": "Dana Whitlock", "3": "Hari Anand"})
CONTACTS = [
    Contact(id="mail", name="Zoe Moor", email="har@example.com"),
    *(
        Contact(id=name, name=name)
        for name in ("Harry Adeyemi", "Ana Costa", "Luis Ana", "Mihara Sato", "Sam Harlow")
    ),
]


class Contacts:
    """The real client, but for contacts: those whose name has the text, after `answers` is set.

    error: there is no answer but this.
    """

    def __init__(self, client: InboxClient) -> None:
        self._client = client
        self.answers = asyncio.Event()
        self.answers.set()
        self.error: InboxError | None = None
        self.searched: list[str] = []
        self.page_size = 25

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def contact_page(self, q: str | None = None, **page: Any) -> Page[Contact]:
        self.searched.append(q or "")
        await self.answers.wait()
        if self.error is not None:
            raise self.error
        text = (q or "").casefold()
        found = [
            contact for contact in CONTACTS if text in f"{contact.name} {contact.email}".casefold()
        ]
        start = int(page.get("cursor") or 0)
        end = start + self.page_size
        return Page[Contact](
            data=found[start:end], next_cursor=str(end) if end < len(found) else None
        )


class SwitcherApp(Dressed):
    """Opens the switcher; `chosen` is what it returned."""

    def __init__(self, mailbox: Mailbox, *views: SavedView, connected: bool = True) -> None:
        super().__init__()
        self._mailbox, self._views, self._connected = mailbox, views, connected
        self.chosen: list[object] = []

    async def on_mount(self) -> None:
        if self._connected:
            await self._mailbox.connect()
        switcher = Switcher(self._mailbox, NAMES, self._views)
        switcher.answer_to(self.chosen.append)
        self.push_screen(switcher)

    @property
    def choices(self) -> list[str]:
        screen = self.screen
        assert isinstance(screen, Switcher)
        rows = screen.list.rows
        return [rows[at].words for at in range(len(rows))]


@pytest.fixture
def contacts(client: InboxClient) -> Contacts:
    return Contacts(client)


@pytest.fixture
def switcher(contacts: Contacts, cache: Cache) -> Callable[..., SwitcherApp]:
    def make(*views: SavedView, connected: bool = True) -> SwitcherApp:
        source: Any = contacts
        mailbox = Mailbox(lambda: source, cache, clock=lambda: NOW)
        return SwitcherApp(mailbox, *views, connected=connected)

    return make


async def test_starts_of_the_text_come_before_starts_of_words_and_insides(
    switcher: Callable[..., SwitcherApp],
) -> None:
    app = switcher(SavedView("Harbour", Query()))
    async with app.run_test() as pilot:
        await settle(pilot)
        await press(pilot, *"har")
        assert app.choices[:7] == [
            *("Harry Adeyemi", "Harbour", "Hari Anand"),
            *("Sam Harlow", "Tom Hartley"),
            "Mihara Sato",
            "Zoe Moor",
        ]
        await press(pilot, "enter")
        assert [contact.name for contact in app.chosen if isinstance(contact, Contact)] == [
            "Harry Adeyemi"
        ]


async def test_a_user_who_has_the_text_inside_the_name_comes_after_customers(
    switcher: Callable[..., SwitcherApp],
) -> None:
    app = switcher()
    async with app.run_test() as pilot:
        await settle(pilot)
        await press(pilot, *"ana")
        assert app.choices[:4] == ["Ana Costa", "Luis Ana", "Hari Anand", "Dana Whitlock"]


async def test_a_choice_that_is_only_similar_comes_last_and_none_comes_twice(
    switcher: Callable[..., SwitcherApp],
) -> None:
    app = switcher(SavedView("Hat rack", Query()))
    async with app.run_test() as pilot:
        await settle(pilot)
        await press(pilot, *"hat")
        assert app.choices == ["Hat rack", "Tom Hartley"]


async def test_a_text_of_several_words_that_starts_a_name_comes_first(
    switcher: Callable[..., SwitcherApp],
) -> None:
    app = switcher(SavedView("Ana and Luis", Query()))
    async with app.run_test() as pilot:
        await settle(pilot)
        await press(pilot, *"luis", "space", "a")
        assert app.choices[:2] == ["Luis Ana", "Ana and Luis"]


async def test_the_hint_of_a_user_says_that_the_user_is_the_assignee(
    switcher: Callable[..., SwitcherApp],
) -> None:
    app = switcher()
    async with app.run_test() as pilot:
        await settle(pilot)
        await press(pilot, *"whitl")
        assert chosen_line(app).split() == ["Dana", "Whitlock", "assignee"]
        await press(pilot, "enter")
        assert [str(query) for query in app.chosen] == ['@"Dana Whitlock"']


async def test_a_choice_that_keys_moved_to_stays_selected_when_customers_arrive(
    switcher: Callable[..., SwitcherApp], contacts: Contacts
) -> None:
    app = switcher(SavedView("Harbour", Query()))
    contacts.answers.clear()
    async with app.run_test() as pilot:
        await pilot.press(*"har", "down")
        await pilot.pause()
        before = app.choices
        name = before[1]
        assert name in chosen_line(app)
        contacts.answers.set()
        await idle_until(pilot, lambda: app.choices != before)
        assert name in chosen_line(app)


async def test_a_search_for_a_number_shows_its_seconds_while_enter_waits(
    switcher: Callable[..., SwitcherApp], contacts: Contacts
) -> None:
    app = switcher()
    contacts.answers.clear()
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press(*"+44 083309779")
        await pilot.pause()
        assert "Searching" not in shown(app)
        await pilot.press("enter")
        await pilot.pause()
        assert "Conversations of +44" in chosen_line(app)
        assert "Go to · Searching customers…" in shown(app)
        await idle_until(pilot, lambda: "Go to · Searching customers… 1 s" in shown(app))
        assert not app.chosen
        await pilot.press("backspace")
        await pilot.pause()
        assert "Searching" not in shown(app)


async def test_an_empty_list_says_alone_that_customers_are_searched(
    switcher: Callable[..., SwitcherApp], contacts: Contacts
) -> None:
    app = switcher()
    contacts.answers.clear()
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press(*"zzqq", "enter")
        await idle_until(pilot, lambda: "Searching customers… 1 s" in shown(app))
        assert shown(app).count("Searching") == 1


async def test_enter_that_waited_for_a_search_that_failed_takes_the_highlighted_choice(
    switcher: Callable[..., SwitcherApp], contacts: Contacts
) -> None:
    app = switcher()
    contacts.answers.clear()
    contacts.error = Unreachable("The server does not answer")
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press(*"+44 083309779", "enter")
        await pilot.pause()
        assert not app.chosen
        contacts.answers.set()
        await settle(pilot)
        assert [str(query) for query in app.chosen] == ["from:+44083309779"]


async def test_a_search_that_failed_is_named_beside_the_choices_of_this_computer(
    switcher: Callable[..., SwitcherApp], contacts: Contacts
) -> None:
    app = switcher()
    contacts.error = Unreachable("The server does not answer")
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press(*"+44 083309779")
        await settle(pilot)
        assert "Conversations of +44" in chosen_line(app)
        assert "Go to · The customer search failed" in shown(app)
        assert set(notifications(app)) == {"The server does not answer"}
        await pilot.press(*["backspace"] * 20)
        await settle(pilot)
        assert "failed" not in shown(app)


async def test_a_key_that_may_not_read_contacts_is_said_to_need_the_scope(
    switcher: Callable[..., SwitcherApp], contacts: Contacts
) -> None:
    app = switcher()
    contacts.error = Forbidden("The API key lacks a scope", scope="contacts:read")
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        for typed, before in (("tom", "Go to · "), ("zzqq", "No match here. ")):
            await type_in(pilot, typed)
            await settle(pilot)
            words = " ".join(shown(app).replace("│", "").split())
            sentence = "This key may not read contacts. It needs the scope contacts:read."
            assert before + sentence in words
            assert words.count(sentence) == 1
        assert not notifications(app)


async def test_a_number_without_a_country_code_is_offered_as_typed(
    switcher: Callable[..., SwitcherApp],
) -> None:
    app = switcher()
    async with app.run_test() as pilot:
        await settle(pilot)
        for typed, offered in (
            ("+7700 900001", "Conversations of +7 "),
            ("447700900001", "Conversations of 447700900001"),
            ("+447700900001", "Conversations of +44 7700 900001"),
            ("7700 900001", "Conversations of 7700 900001"),
            ("07700 900001", "Conversations of 07700 900001"),
        ):
            await type_in(pilot, typed)
            assert offered in shown(app)


async def test_a_customer_is_offered_for_a_number_however_it_is_written(
    client: InboxClient, cache: Cache
) -> None:
    page = await client.contact_page(limit=25)
    name, phone = next((one.name, one.phone) for one in page.data if one.name and one.phone)
    app = SwitcherApp(Mailbox(lambda: client, cache, clock=lambda: NOW))
    async with app.run_test() as pilot:
        await settle(pilot)
        for typed in (format_phone(phone), f"00{phone[1:3]} (0){phone[3:7]}/{phone[7:]}"):
            await type_in(pilot, typed)
            await idle_until(pilot, lambda: name in app.choices)
            assert name == app.choices[0]
        await press(pilot, "enter")
        assert [one.phone for one in app.chosen if isinstance(one, Contact)] == [phone]


async def test_without_a_server_an_open_conversation_comes_first_and_more_shows_the_others(
    switcher: Callable[..., SwitcherApp], cache: Cache, contacts: Contacts
) -> None:
    rows = [
        conversation(at, second=at, status="open" if at == 0 else "resolved").model_copy(
            update={"contact": PhoneRef(id=f"c{at}", name=f"Kit Bradshaw {at:02}")}
        )
        for at in range(20)
    ]
    await cache.save_all(CONVERSATION, {row.id: body_of(row) for row in rows})
    app = switcher(connected=False)
    async with app.run_test() as pilot:
        await settle(pilot)
        await press(pilot, *"radshaw")
        # No last message was sent, as to a key that may not read messages.
        assert app.choices == [
            "Kit Bradshaw 00",
            *(f"Kit Bradshaw {at}" for at in range(19, 12, -1)),
            "more…",
        ]
        await press(pilot, "pagedown", "pagedown", "enter")
        assert "Kit Bradshaw 12 " in chosen_line(app)
        assert (len(app.choices), app.choices[-1]) == (17, "more…")
        await press(pilot, "pagedown", "pagedown", "enter")
        assert len(app.choices) == 20
        assert "more…" not in app.choices


async def test_conversations_of_this_computer_are_offered_before_the_server_answers(
    switcher: Callable[..., SwitcherApp], cache: Cache, contacts: Contacts
) -> None:
    row = conversation(1, second=1).model_copy(
        update={"contact": PhoneRef(id="c1", name="Hart Bradshaw")}
    )
    await cache.save_all(CONVERSATION, {row.id: body_of(row)})
    app = switcher()
    contacts.answers.clear()
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press(*"har")
        await idle_until(pilot, lambda: "Hart Bradshaw" in shown(app))
        assert "Harry Adeyemi" not in shown(app)
        contacts.answers.set()
        await idle_until(pilot, lambda: "Harry Adeyemi" in shown(app))
        assert "Hart Bradshaw" in shown(app)


async def test_more_asks_for_the_next_customers(
    switcher: Callable[..., SwitcherApp], contacts: Contacts
) -> None:
    contacts.page_size = 2
    app = switcher()
    async with app.run_test() as pilot:
        await settle(pilot)
        await press(pilot, *"har")
        people = ["Harry Adeyemi", "Sam Harlow", "Mihara Sato", "Zoe Moor"]
        assert [name for name in people if name in app.choices] == ["Harry Adeyemi", "Zoe Moor"]
        while "more…" in app.choices:
            app.screen.query_one(ChoiceList).go_to(app.choices.index("more…"))
            await press(pilot, "enter")
        assert [name for name in people if name in app.choices] == people
        assert not app.chosen


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("12345", []),
        ("123456", ["Conversations of 123456"]),
        ("+12345", []),
        ("+123456", ["Conversations of +123456"]),
        ("12 34 56", ["Conversations of 12 34 56"]),
        ("12345x6", []),
        ("", []),
    ],
)
def test_six_digits_are_a_number(typed: str, offered: list[str]) -> None:
    choices = number_choices(typed)
    assert [choice.words for choice in choices] == offered
    assert all(choice.hint == "number" for choice in choices)


async def test_customers_are_searched_from_two_letters_on(
    switcher: Callable[..., SwitcherApp], contacts: Contacts
) -> None:
    app = switcher()
    async with app.run_test() as pilot:
        await settle(pilot)
        await press(pilot, "h", "space")
        assert contacts.searched == []
        await press(pilot, "backspace", "a")
        assert contacts.searched == ["ha"]
