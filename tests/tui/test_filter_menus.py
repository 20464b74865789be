"""Menus of filters, orders and views, and the values that filters offer."""

from datetime import UTC, datetime
from typing import Any

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.query import QueryNames, SavedView, parse
from frontdesk.tui import filters
from frontdesk.tui.dialogs.base import MenuEntry
from frontdesk.tui.saved_views import SavedViews
from frontdesk.wire import Channel, ConversationFilter, Label, User
from tests.mailbox.inbox import Inbox

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)


@pytest.fixture
def mailbox(cache: Cache) -> Mailbox:
    return Mailbox(Inbox, cache)


@pytest.mark.parametrize(
    ("query", "entry", "result"),
    [
        ("is:open #vip sort:waiting", "clear", "is:open"),
        ("#vip", "clear", ""),
        ("is:open", "unread", "is:open unread"),
        ("is:open unread", "unread", "is:open"),
        ("", "is:followup", "is:followup"),
        ("is:open needs:human", "needs:human", "is:open"),
        ("", "waiting:>1h", "waiting:>1h"),
        ("window:<2h", "window:<2h", ""),
        ("is:open", "is:resolved", "is:resolved"),
        ("is:open", "is:open", "is:open"),
        ("is:open @ana", "@me", "is:open @me"),
        ("@me", "@me", "@me"),
        ("", "@unassigned", "@unassigned"),
    ],
)
def test_an_entry_of_the_menu_changes_the_query(query: str, entry: str, result: str) -> None:
    assert filters.apply_entry(parse(query), entry) == parse(result)


def test_entries_that_need_a_value_change_nothing_by_themselves() -> None:
    applied = {entry.value: filters.apply_entry(parse(""), entry.value)
               for entry in filters.FILTER_MENU}  # fmt: skip
    asking = {name for name, query in applied.items() if query is None}
    assert asking == {"line", "is", "assignee", "in", "label", "words", "save"}


@pytest.mark.parametrize(
    ("query", "checked"),
    [
        ("", []),
        ("is:open", ["is", "is:open"]),
        ("is:open,snoozed", ["is"]),
        ("-is:open", []),
        ("@me -#vip", ["assignee", "@me"]),
        ("#vip in:London refund", ["label", "in", "words"]),
        ("@unassigned unread needs:human waiting:>1h window:<2h",
         ["assignee", "@unassigned", "needs:human", "unread", "waiting:>1h", "window:<2h"]),
    ],
)  # fmt: skip
def test_the_menu_checks_what_the_query_has(query: str, checked: list[str]) -> None:
    menu = filters.filter_menu(parse(query))
    assert [entry.value for entry in menu if entry.checked] == checked
    assert all(entry.available for entry in menu)


def test_mine_is_not_available_where_nobody_is_me() -> None:
    menu = filters.filter_menu(parse(""), has_me=False)
    assert [entry.value for entry in menu if not entry.available] == ["@me"]


def test_letters_of_the_menus_differ_and_say_what_they_choose() -> None:
    letters = [entry.letter for entry in filters.FILTER_MENU]
    assert len({*letters}) == len(letters)
    assert [tuple(entry)[:3] for entry in filters.ORDER_MENU] == [
        ("n", "active", "newest activity"),
        ("o", "oldest", "oldest activity"),
        ("w", "waiting", "longest waiting"),
        ("c", "window", "reply window closes soonest"),
        ("b", "created", "newest conversation"),
    ]


@pytest.mark.parametrize(
    ("query", "kind", "values"),
    [
        ("", "label", ("",)),
        ("-#vip", "label", ("",)),
        ("#vip", "label", ("vip",)),
        ("-#spam #vip,refund #other", "label", ("vip", "refund")),
        ("#vip", "in", ("",)),
    ],
)
def test_the_values_of_a_filter_are_those_of_its_first_term_that_is_not_negated(
    query: str, kind: str, values: tuple[str, ...]
) -> None:
    assert filters.values_of(parse(query), kind) == values


def test_several_values_replace_those_of_their_kind_but_what_is_left_out() -> None:
    query = parse("is:open #vip -#spam @me")
    assert filters.with_any_of(query, "label", ["refund", "late"]).is_same(
        parse("is:open -#spam @me #refund,late")
    )


@pytest.mark.parametrize(
    ("filter", "is_counted"),
    [
        ({"status": "open"}, True),
        ({"status": "open", "channel": "1", "sort": "waiting"}, True),
        ({}, False),
        ({"status": "resolved"}, False),
        ({"status": "open", "label": "vip"}, False),
    ],
)
def test_counts_of_channels_are_those_of_open_conversations(
    filter: dict[str, Any], is_counted: bool
) -> None:
    assert filters.counts_channels(ConversationFilter(**filter)) == is_counted


def test_the_palette_offers_every_status_word_label_user_and_channel() -> None:
    names = QueryNames.of(
        (Channel(id="1", name="London"),),
        (User(id="7", name="Ana Ruiz"),),
        (Label(id="3", title="vip"),),
    )
    offered = [(str(term), words, found) for term, words, found in filters.filter_terms(names, NOW)]
    assert offered == [
        ("is:open", "is:open", "status"),
        ("is:snoozed", "is:snoozed", "status"),
        ("is:resolved", "is:resolved", "status"),
        ("@me", "@me", "mine assigned to me"),
        ("@unassigned", "@unassigned", "assigned to no one"),
        ("@assigned", "@assigned", "assigned to anyone"),
        ("unread", "unread", "new"),
        ("is:followup", "is:followup", "hidden until later reminder"),
        ("needs:human", "needs:human", "bot hand-over escalated"),
        ("waiting:>1h", "waiting over 1 h", "waiting:>1h waiting over an hour"),
        ("window:<2h", "reply window under 2 h", "window:<2h reply window closes"),
        ("#vip", "#vip", "label"),
        ('@"Ana Ruiz"', '@"Ana Ruiz"', "assignee Ana Ruiz"),
        ("in:London", "in:London", "channel London"),
    ]


SCREENS = [MenuEntry("r", "reports", "Reports")]


def entries_of(menu: list[MenuEntry[Any]]) -> list[tuple[str, str]]:
    return [(entry.letter, entry.words) for entry in menu]


def test_the_menu_of_views_has_keys_letters_and_what_can_be_undone(mailbox: Mailbox) -> None:
    views = SavedViews(mailbox)
    defaults = [("5", "Mine"), ("6", "Unassigned"), ("7", "Needs a human"),
                ("8", "Waiting >1h"), ("9", "All open")]  # fmt: skip
    save, screen = ("w", "save view…"), ("r", "Reports")
    assert entries_of(filters.view_menu(views, SCREENS)) == [*defaults, save, screen]
    for number in range(14):
        views.save(SavedView(f"Extra {number:02}", parse(f"#label{number}")))
    letters = "abefghjklmnop"
    extra = [(letter, f"Extra {at:02}") for at, letter in enumerate(letters)]
    menu = filters.view_menu(views, SCREENS)
    # There are letters for so many views without a key.
    assert entries_of(menu) == [*defaults, *extra, save, ("x", "remove view…"), screen]
    assert menu[0].value == views.of("5")


def test_the_menu_of_keys_says_what_each_replaces(mailbox: Mailbox) -> None:
    views = SavedViews(mailbox)
    assert entries_of(filters.key_menu(views)) == [
        ("5", "key 5, now Mine"),
        ("6", "key 6, now Unassigned"),
        ("7", "key 7, now Needs a human"),
        ("8", "key 8, now Waiting >1h"),
        ("9", "key 9, now All open"),
        ("n", "no key, in the menu of views"),
    ]
    assert filters.key_menu(views)[-1].value == filters.NO_KEY


async def test_a_filter_offers_its_values_with_their_numbers(
    client: InboxClient, cache: Cache
) -> None:
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    await mailbox.connect()
    await mailbox.refresh_catalogues(("users", "channels", "labels"))
    counts = {"open": 3, "unassigned": 0, "refund": 1204}

    def choices(kind: str) -> list[tuple[str, str, str]]:
        found = filters.choices_for(kind, mailbox, counts.get)
        return [(choice.value, choice.words, choice.hint) for choice in found]

    assert choices("is") == [
        *(("", "any status", ""), ("open", "open", "3")),
        *(("snoozed", "snoozed", ""), ("resolved", "resolved", "")),
    ]
    assert choices("assignee")[:4] == [
        ("", "anyone or no one", ""),
        ("me", "me", ""),
        ("unassigned", "unassigned", "0"),
        ("assigned", "assigned", ""),
    ]
    users = mailbox.catalogues.users()
    assert [words for _, words, _ in choices("assignee")[4:]] == [user.name for user in users]
    assert [hint for *_, hint in choices("assignee")[4:]] == [
        user.availability or "" for user in users
    ]
    at, busy = next((at, user) for at, user in enumerate(users, 4) if user.availability)
    counts[busy.id] = 12
    assert choices("assignee")[at][2] == f"{busy.availability} · 12"
    assert choices("in")[0] == ("", "all channels", "")
    assert [words for _, words, _ in choices("in")[1:]] == [
        channel.name for channel in mailbox.catalogues.channels()
    ]
    assert choices("label")[0] == ("", "any label", "")
    assert ("refund", "#refund", "1204") in choices("label")
