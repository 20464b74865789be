"""Menus of filters, orders and views, and the values that filters offer."""

from collections.abc import Mapping
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.client.server_info import FEATURES, Feature, Server
from frontdesk.mailbox import Mailbox
from frontdesk.query import QueryNames, SavedView, parse
from frontdesk.query.plan import STANDARD
from frontdesk.tui import filters
from frontdesk.tui.dialogs.base import MenuEntry
from frontdesk.tui.saved_views import SavedViews
from frontdesk.tui.unsupported import ignored_filters, lacking, remark_on, why_not
from frontdesk.wire import Channel, ConversationFilter, Label, User
from frontdesk.wire.queries import EXTENSIONS
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


def server(*, no_extensions: frozenset[str] = frozenset(), **states: str) -> Server:
    features = {name: Feature(words, scope, states.get(name, "present"))
                for name, (words, scope) in FEATURES.items()}  # fmt: skip
    return Server("https://inbox.example", features, no_extensions=no_extensions)


class Settings(SimpleNamespace):
    """A mailbox of which only the server and stored settings are looked at."""

    def __init__(self, server: Server | None) -> None:
        super().__init__(server=server)
        self.stored: dict[str, str] = {}

    def get_setting(self, name: str) -> str | None:
        return self.stored.get(name)

    def set_setting(self, name: str, text: str) -> None:
        self.stored[name] = text


def test_filters_that_a_server_lacks_are_known_at_the_next_start() -> None:
    known: Any = Settings(None)
    filters.store_lacks(known)
    assert known.stored == {}
    assert filters.offered(known) == STANDARD | EXTENSIONS
    known.server = server()
    filters.store_lacks(known)
    assert known.stored == {}
    known.server = server(no_extensions=frozenset({"unread", "contact"}))
    assert filters.offered(known) == STANDARD | EXTENSIONS - {"unread", "contact"}
    filters.store_lacks(known)
    later: Any = Settings(None)
    later.stored = known.stored
    assert filters.offered(later) == STANDARD | EXTENSIONS - {"unread", "contact"}
    later.server = server(no_extensions=frozenset({"sort"}))
    filters.store_lacks(later)
    assert filters.offered(later) == STANDARD | EXTENSIONS - {"unread", "contact", "sort"}
    assert [*later.stored.values()] == ["contact sort unread"]


LACKS: Mapping[str, str] = {
    "counts": "This server sends no counts",
    "notes": "This server lists no notes",
    "conversation": "This server does not return a conversation by its id",
    "contact_by_phone": "This server does not find customers by number",
    "report": "This server has no reports",
    "conversation_reports": "This server does not report by conversation",
    "search_messages": "This server does not search messages",
    "unchanged": "This server never answers 304 Not Modified",
    "teams": "This server does not list teams",
}


def test_what_a_server_lacks_is_said_by_its_name() -> None:
    for name, words in LACKS.items():
        assert why_not(server(**{name: "absent"}), name) == words
        assert why_not(server(), name) == ""
    assert why_not(None, "notes") == ""
    assert why_not(server(notes="unknown"), "notes") == ""
    assert why_not(server(notes="failing"), "notes") == "This server fails for notes"
    assert why_not(server(notes="forbidden"), "notes") == (
        "This key may not read notes: it lacks the scope notes:read"
    )
    assert why_not(server(me="forbidden"), "me") == "This key may not read “me” as assignee"
    mailbox: Any = Settings(server(notes="failing"))
    assert lacking(mailbox, "notes") == "This server fails for notes"


@pytest.mark.parametrize(
    ("states", "name", "remark"),
    [
        ({}, "assignee", ""),
        ({"filter_status": "ignored"}, "status",
         "This server ignores the filter: it is applied here."),
        ({"filter_status": "ignored"}, "label", ""),
        ({"labels": "absent"}, "label", "This server does not list labels."),
        ({"channels": "failing", "filter_channel": "ignored"}, "channel",
         "This server fails for channels. This server ignores the filter: it is applied here."),
        ({"users": "absent"}, "status", ""),
    ],
)  # fmt: skip
def test_a_picker_remarks_what_the_server_lacks_for_its_filter(
    states: dict[str, str], name: str, remark: str
) -> None:
    mailbox: Any = Settings(server(**states))
    assert remark_on(mailbox, name) == remark


def test_filters_that_are_ignored_are_applied_here() -> None:
    mailbox: Any = Settings(server(filter_status="ignored", filter_label="ignored"))
    assert ignored_filters(mailbox) == {"status", "label"}
    mailbox.server = None
    assert ignored_filters(mailbox) == frozenset()
