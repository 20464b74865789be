"""Filters, names and orders that other servers ignore or leave out."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from frontdesk.client.lists import (
    LOOK_UP_SECONDS,
    OLDEST_FIRST,
    FilterCheck,
    NameLookup,
    find_listed,
    newest_first,
    shows_order,
)
from frontdesk.client.other_rows import BARE_ID
from frontdesk.client.paging import RowPages
from frontdesk.client.server_info import ServerState
from frontdesk.errors import Unreachable
from frontdesk.wire import (
    Channel,
    Contact,
    Conversation,
    ConversationFilter,
    Message,
    Page,
    User,
)

GRACE = {"id": "7", "name": ""}
NOW = datetime(2026, 3, 14, 10, tzinfo=UTC)


def at(minutes: int) -> str:
    return f"{NOW + timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%S}.000Z"


def conversation(id: str = "1", **members: Any) -> Conversation:
    return Conversation.model_validate(
        {
            "id": id,
            "status": "open",
            "channel": {"id": "1"},
            "contact": {"id": "1"},
            "last_activity_at": at(0),
            **members,
        }
    )


def state() -> ServerState:
    return ServerState("https://inbox.example", lambda: NOW)


@pytest.mark.parametrize(
    ("filter", "members", "matches"),
    [
        ({"status": "open"}, {"status": "resolved"}, False),
        ({"status": "open"}, {"status": "unknown"}, True),
        ({"channel": "1"}, {"channel": {"id": "2"}}, False),
        ({"channel": "1"}, {"channel": {"id": ""}}, True),
        ({"label": "vip"}, {"labels": ["VIP", "x"]}, True),
        ({"label": "vip"}, {"labels": ["x"]}, False),
        ({"label": "vip"}, {}, True),
        ({"assignee": "me"}, {"assignee": None}, True),
        ({"assignee": "assigned"}, {"assignee": GRACE}, True),
        ({"assignee": "assigned"}, {"assignee": None}, False),
        ({"assignee": "unassigned"}, {"assignee": GRACE}, False),
        ({"assignee": "unassigned"}, {"assignee": None}, True),
        ({"assignee": "unassigned"}, {}, True),
        ({"assignee": "7"}, {"assignee": GRACE}, True),
        ({"assignee": "7"}, {"assignee": {"id": "8", "name": ""}}, False),
        ({"assignee": "7"}, {"assignee": None}, False),
        ({"contact": "1"}, {"contact": {"id": "2"}}, False),
        ({"contact": "1"}, {"contact": {"id": ""}}, True),
        ({"awaiting_human": True}, {"awaiting_human": False}, False),
        ({"awaiting_human": True}, {"awaiting_human": None}, True),
        ({"awaiting_human": False}, {"awaiting_human": False}, True),
        ({"unread": True}, {"unread_count": 0}, False),
        ({"unread": True}, {"unread_count": 1}, True),
        ({"unread": False}, {"unread_count": 1}, False),
        ({"unread": False}, {"unread_count": None}, True),
    ],
)
def test_a_row_that_does_not_match_is_left_out_and_one_that_may_is_not(
    filter: dict[str, Any], members: dict[str, Any], matches: bool
) -> None:
    page = Page[Conversation](data=(conversation(**members),))
    found = FilterCheck(state()).conversations(page, ConversationFilter(**filter))
    assert bool(found.data) == matches
    assert matches == (found is page)


@pytest.mark.parametrize(("status", "expected"), [("open", "present"), ("resolved", "ignored")])
def test_a_filter_that_a_server_ignores_is_recorded(status: str, expected: str) -> None:
    server = state()
    page = Page[Conversation](data=(conversation(), conversation("2", status=status)))
    found = FilterCheck(server).conversations(page, ConversationFilter(status="open"))
    assert len(found.data) == (2 if expected == "present" else 1)
    assert server.server().features["filter_status"].state == expected
    assert server.server().features["filter_label"].state == "unknown"


@pytest.mark.parametrize(
    ("minutes", "waits", "order", "lacking"),
    [
        # By activity: the order may have been ignored.
        ((3, 2, 1), (3, 2, 1), "waiting", True),
        ((3, 2, 1), (1, 2, 3), "waiting", False),
        # Otherwise the server has applied another.
        ((1, 2, 3), (3, 2, 1), "waiting", False),
        ((3, 2, 1), (1, 2, 3), "window", False),
    ],
)
def test_an_order_that_a_server_ignores_is_recorded(
    minutes: tuple[int, ...], waits: tuple[int, ...], order: str, lacking: bool
) -> None:
    server = state()
    rows = tuple(
        conversation(
            str(number),
            last_activity_at=at(-10 + active),
            waiting_since=at(-100 + wait),
            service_window_expires_at=at(100 + wait),
        )
        for number, (active, wait) in enumerate(zip(minutes, waits, strict=True))
    )
    FilterCheck(server).conversations(Page[Conversation](data=rows), ConversationFilter(sort=order))
    assert ("sort" in server.server().no_extensions) == lacking
    assert shows_order(rows) == (minutes == (1, 2, 3))


@pytest.mark.parametrize(
    ("assignees", "known"),
    [((), True), (("7", "7"), True), (("7", "8"), False), (("7", None), False)],
)
def test_rows_of_me_have_one_assignee(assignees: tuple[str | None, ...], known: bool) -> None:
    rows = tuple(conversation(assignee=each and {"id": each, "name": ""}) for each in assignees)
    assert FilterCheck(state()).knows_me(Page[Conversation](data=rows)) == known


ANA = {"id": "1", "name": "Ana Costa", "phone": "+44770090012", "email": "ana@example.com"}


@pytest.mark.parametrize(
    ("contact", "q", "found"),
    [
        (ANA, "costa ana", True),
        (ANA, "ÁNA", True),
        (ANA, "example.com", True),
        (ANA, "12 99", False),
        (ANA, "0900", True),
        (ANA, "77-00", True),
        (ANA, "bo", False),
        (ANA, "costa bo", False),
        (ANA, "", True),
        ({"id": "1", "profile_name": "Bo"}, "bo", True),
        ({"id": "1", "username": "bo77"}, "bo", True),
        ({"id": "1"}, "bo", False),
        ({**ANA, "custom_fields": {"order": 7}}, "7 ana", True),
        ({"id": "1", "phone": "+16505551234", "wa_id": "447700900123"}, "650 555-1234", True),
        ({"id": "1", "wa_id": "16505551234"}, "(650) 555-1234", True),
        ({"id": "1", "name": "Jo", "wa_id": "16505551234"}, "jo 6505551234", True),
        ({**ANA, "custom_fields": {"order": "A-77", "n": 5}}, "a-77", True),
        ({"id": "1", "wa_id": "4477"}, "477", True),
        ({"id": "1", "wa_id": "4477"}, "+8", False),
    ],
)
def test_a_contact_is_found_by_all_words(contact: dict[str, Any], q: str, found: bool) -> None:
    page = Page[Contact](data=(Contact.model_validate(contact),))
    assert bool(FilterCheck(state()).contacts(page, q).data) == found


@pytest.mark.parametrize(("others", "left", "expected"), [(1, 2, "present"), (2, 1, "ignored")])
def test_a_search_of_which_half_matches_may_look_at_more(
    others: int, left: int, expected: str
) -> None:
    server = state()
    rows = [Contact.model_validate(ANA), *(Contact(id="2", name="Bo") for _ in range(others))]
    page = FilterCheck(server).contacts(Page[Contact](data=tuple(rows)), "ana")
    assert len(page.data) == left
    assert server.server().features["search_contacts"].state == expected


def listed(asked: list[int]) -> RowPages[Conversation]:
    """Thirty pages of a row each, from the latest activity down; asked: the pages that were."""

    async def page(cursor: str | None) -> Page[Conversation]:
        number = int(cursor or 0)
        asked.append(number)
        row = conversation(str(number), last_activity_at=at(-number))
        return Page[Conversation].of([row], str(number + 1) if number < 29 else None)

    return RowPages(page)


@pytest.mark.parametrize(
    ("id", "minutes", "found", "pages"),
    [
        ("0", None, True, 1),
        ("19", None, True, 20),
        ("20", None, False, 20),
        # It was active at its newest message, or later.
        ("4", -4, True, 5),
        ("x", -4, False, 6),
        ("x", -25, False, 20),
    ],
)
async def test_a_conversation_is_looked_for_on_20_pages_and_where_it_may_be(
    id: str, minutes: int | None, found: bool, pages: int
) -> None:
    asked: list[int] = []
    newest = None if minutes is None else NOW + timedelta(minutes=minutes)
    row = await find_listed(listed(asked), id, newest)
    assert (row.id if row else None) == (id if found else None)
    assert asked == [*range(pages)]


class Lists:
    """The lists of names, and how often each was asked for."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.asked: list[str] = []

    def of(self, part: str, *rows: Any) -> Any:
        async def page(cursor: str | None) -> Page[Any]:
            self.asked.append(part)
            if self.fails:
                raise Unreachable("The server does not answer")
            return Page(data=rows)

        return page

    def all(self) -> dict[str, Any]:
        return {
            "contact": self.of("contact", Contact(id="1", name="Ana", phone="+44")),
            "channel": self.of("channel", Channel(id="1", name="London", phone="+55")),
            "assignee": self.of("assignee", User(id="7", name="Grace")),
        }


def bare(*parts: str) -> Any:
    """What a server is known to leave out."""
    return lambda words: words in {f"Conversation: {part} is {BARE_ID}" for part in parts}


async def test_names_that_a_server_leaves_out_come_from_its_lists_once() -> None:
    lists, seconds = Lists(), [0.0]
    lookup = NameLookup(lists.all(), lambda: seconds[0])
    rows = (conversation(assignee=GRACE), conversation("2", assignee=None))
    page = Page[Conversation](data=rows)
    assert await lookup.filled(page, bare()) is page
    named = (await lookup.filled(page, bare("contact", "channel", "assignee"))).data
    assert [(row.contact.name, row.contact.phone) for row in named] == [("Ana", "+44")] * 2
    assert [(row.channel.name, row.channel.phone) for row in named] == [("London", "+55")] * 2
    assert named[0].assignee is not None
    assert named[0].assignee.name == "Grace"
    assert named[1].assignee is None
    assert lists.asked == ["contact", "channel", "assignee"]
    await lookup.filled(page, bare("contact"))
    assert len(lists.asked) == 3


async def test_names_are_looked_for_on_five_pages() -> None:
    async def page(cursor: str | None) -> Page[Any]:
        number = int(cursor or 1)
        row = Contact(id=str(number), name=f"Customer {number}")
        return Page[Contact].of([row], str(number + 1))

    lookup = NameLookup({"contact": page}, lambda: 0.0)
    rows = tuple(conversation(id, contact={"id": id}) for id in ("1", "5", "6"))
    named = await lookup.filled(Page[Conversation](data=rows), bare("contact"))
    assert [row.contact.name for row in named.data] == ["Customer 1", "Customer 5", None]


async def test_a_name_that_is_unknown_is_looked_up_again_after_ten_minutes() -> None:
    lists, seconds = Lists(fails=True), [1_000.0]
    lookup = NameLookup(lists.all(), lambda: seconds[0])
    page = Page[Conversation](data=(conversation(contact={"id": "1", "name": "own"}),))
    for passed, asked in ((0.0, 1), (LOOK_UP_SECONDS - 1, 1), (1.0, 2)):
        seconds[0] += passed
        assert (await lookup.filled(page, bare("contact"))).data == page.data
        assert lists.asked == ["contact"] * asked
    lists.fails = False
    seconds[0] += LOOK_UP_SECONDS
    (row,) = (await lookup.filled(page, bare("contact"))).data
    assert (row.contact.name, row.contact.phone) == ("own", "+44")


def message(number: int) -> Message:
    said = {"direction": "inbound", "author": "contact", "created_at": at(number // 2)}
    return Message.model_validate({"id": str(number), "conversation_id": "1", **said})


async def no_further(cursor: str | None) -> Page[Message]:
    raise AssertionError("a page by itself is whole")


async def test_one_message_or_equal_times_have_no_order() -> None:
    for numbers in ((), (1,), (2, 3), (4, 2)):
        page = Page[Message](data=tuple(map(message, numbers)), next_cursor="more", has_more=True)
        assert await newest_first(page, no_further, pytest.fail) is page


@pytest.mark.parametrize(
    ("pages", "size", "read"), [(1, 3, 1), (3, 3, 3), (20, 3, 20), (21, 3, 20)]
)
async def test_a_thread_that_comes_oldest_first_is_read_and_turned_round(
    pages: int, size: int, read: int
) -> None:
    def page(number: int) -> Page[Message]:
        more = number + 1 < pages
        rows = tuple(map(message, range(number * size, (number + 1) * size)))
        return Page(data=rows, next_cursor=str(number + 1) if more else None, has_more=more)

    async def following(cursor: str | None) -> Page[Message]:
        return page(int(cursor or 0))

    remarks: list[str] = []
    whole = await newest_first(page(0), following, remarks.append)
    assert [int(row.id) for row in whole.data] == list(reversed(range(read * size)))
    assert (whole.next_cursor, whole.has_more) == (None, False)
    assert remarks == [OLDEST_FIRST]
