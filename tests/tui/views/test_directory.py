"""The directory, driven by keys on the sample."""

from collections.abc import Callable, Sequence
from datetime import UTC
from typing import Any

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.query import QueryNames, parse
from frontdesk.query.names import meaning
from frontdesk.tui import sentences
from frontdesk.tui.clock import Clock
from frontdesk.wire import ConversationFilter, Counts, Label, Page, PhoneRef
from frontdesk.wire.values import STATUSES
from tests.conftest import NOW
from tests.tui.conftest import lines, settle, shown
from tests.tui.views import ViewApp, counted, press, type_in, view_app

Open = Callable[..., ViewApp]


@pytest.fixture
def directory(client: InboxClient, cache: Cache) -> Open:
    """Makes the app with the directory, on the sample by default."""

    def make(source: Any = None) -> ViewApp:
        return view_app("directory", source or client, cache, Clock(UTC, lambda: NOW))

    return make


class Answering:
    """The sample's server, but for labels."""

    def __init__(self, client: InboxClient, *labels: Label) -> None:
        self._client = client
        self.labels: Sequence[Label] = labels

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def catalogue_page(self, row: type[Any], **page: Any) -> Page[Any]:
        if row is not Label:
            return await self._client.catalogue_page(row, **page)
        return Page[Label](data=self.labels)


def flat(app: ViewApp) -> str:
    return " ".join(shown(app).replace("│", " ").split())


SECTIONS = {
    "1": ("12 users", "Grace Okafor", "agent", "● online", "◐ busy", "grace@"),
    "2": ("4 teams", "Atlantic shops", "round robin", "MEMBERS", "NUMBERS", "open"),
    "3": (
        *("5 channels", "+44 20 7946 0018", "GREEN", "10,000 customers a day", "TIER_10K"),
        *("CONNECTED", "19 open"),
    ),
    "4": ("20 labels", "██ #refund", "#d62828", "Money back"),
    "5": ("Membership", "list", "none, silver, gold", "ON THIS COMPUTER (~0)"),
}
IDENTIFIERS = ["beatriz@veldrano.example", "Atlantic shops", "+442079460018", "account"]


async def test_every_section_says_what_is_known_and_y_copies_the_identifier(
    directory: Open,
) -> None:
    app = directory()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key, words in SECTIONS.items():
            await press(pilot, key)
            if key == "5":
                assert "8 custom fields" in flat(app)
                await press(pilot, "slash")
                await type_in(pilot, "member")
                assert "1 of 8 custom fields" in flat(app)
            else:
                await press(pilot, "y")
            if key == "1":
                await press(pilot, "j", "j", "j")
            for word in words:
                assert word in flat(app)
        assert app.copied == IDENTIFIERS


async def test_a_custom_field_that_nobody_was_seen_with_says_so(directory: Open) -> None:
    app = directory()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5", "enter")
        assert "chooses one of them" not in flat(app)
        assert sentences.NO_VALUES_READ in flat(app)
        assert "No customer on this computer has a value" in app.toasts
        assert app.chosen == []


async def test_at_80_columns_no_word_of_the_users_is_cut(directory: Open) -> None:
    app = directory()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        rows = [line.partition("│")[0] for line in lines(app)]
        assert "Priya Raman    admin     ● online" in " ".join(rows)
        assert not [row for row in rows if "…" in row]


async def test_the_sections_go_round(directory: Open) -> None:
    app = directory()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key, title in (("right_square_bracket", "teams"), ("full_stop", "channels"),
                           ("left_square_bracket", "teams"), ("comma", "users"),
                           ("comma", "custom fields")):  # fmt: skip
            await press(pilot, key)
            assert lines(app)[0].endswith(title)


async def test_a_user_leads_to_their_conversations_with_their_numbers(
    directory: Open, client: InboxClient, cache: Cache
) -> None:
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    app = directory()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j", "j")
        await counted(pilot)
        text = flat(app)
        await press(pilot, "enter")
        (chosen,) = app.chosen
        assert chosen is not None
        (term,) = parse(chosen).terms
        assert term.kind == "assignee"
        (user,) = meaning(term, QueryNames.of(users=mailbox.catalogues.users())) or ()
        counts = await client.counts(ConversationFilter(assignee=user))
        for status in STATUSES:
            assert f"{status} {getattr(counts, status)} " in text


async def test_a_channel_and_a_label_lead_to_theirs_with_their_counts(directory: Open) -> None:
    app = directory()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "slash")
        await type_in(pilot, "refund")
        await press(pilot, "enter")
        await counted(pilot)
        text = flat(app)
        assert "open …" not in text
        assert "resolved …" not in text
        await press(pilot, "enter")
        assert app.chosen == ["#refund"]
    again = directory()
    async with again.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3", "enter")
        assert again.chosen == ["in:London"]


async def test_a_team_leads_to_one_of_its_people_or_numbers(directory: Open) -> None:
    app = directory()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2", "enter")
        assert "Conversations of Atlantic shops" in shown(app)
        await type_in(pilot, "grace")
        await press(pilot, "enter")
        assert app.chosen == ['is:open @"Grace Okafor"']
    again = directory()
    async with again.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2", "enter")
        assert "The whole team" in shown(again)
        await press(pilot, "enter")
        assert again.chosen == ['team:"Atlantic shops"']


class CountsNobody:
    """A server whose counts are not by assignee."""

    def __init__(self, client: InboxClient) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def counts(self, filter: ConversationFilter, **options: Any) -> Counts:
        return await self._client.counts(filter)


@pytest.mark.parametrize("is_counted", [True, False])
async def test_members_show_their_open_conversations_as_counted_or_what_was_seen_of_them(
    directory: Open, client: InboxClient, cache: Cache, is_counted: bool
) -> None:
    source: Any = client if is_counted else CountsNobody(client)
    mailbox = Mailbox(lambda: source, cache, clock=lambda: NOW)
    await mailbox.connect()
    await mailbox.refresh_conversations(ConversationFilter(status="open"))
    seen = mailbox.conversations(ConversationFilter(status="open"))
    app = directory(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2")
        team = mailbox.catalogues.teams()[0]
        for member in team.members:
            counts = await client.counts(ConversationFilter(assignee=member.id))
            own = sum(1 for one in seen if one.assignee and one.assignee.id == member.id)
            line = next(line for line in lines(app) if f" {member.name} " in line)
            assert line.split()[-1] == (str(counts.open) if is_counted else f"~{own}")


async def test_a_custom_field_leads_to_the_customers_seen_so_far(
    directory: Open, client: InboxClient, cache: Cache
) -> None:
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    await mailbox.connect()
    await mailbox.refresh_conversations(ConversationFilter())
    for conversation in mailbox.conversations(ConversationFilter()):
        await mailbox.refresh_contact(conversation)
    with_value = [
        conversation
        for conversation in mailbox.conversations(ConversationFilter())
        if (contact := mailbox.contact(conversation)) and contact.custom_fields.get("tier")
    ]
    customers = {conversation.contact.id for conversation in with_value}
    assert 0 < len(customers) < len(with_value)
    app = directory()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5", "slash")
        await type_in(pilot, "membership")
        await press(pilot, "enter")
        assert f"ON THIS COMPUTER (~{len(customers)})" in flat(app)
        assert "↵ chooses one of them" in flat(app)
        assert sentences.NO_VALUES_READ not in flat(app)
        await press(pilot, "enter", "enter")
        assert [view.id for view in app.views if isinstance(view, PhoneRef)] == [
            with_value[0].contact.id
        ]


async def test_a_colour_that_is_none_is_not_drawn_as_one(
    directory: Open, client: InboxClient
) -> None:
    labels = [Label(id="1", title="odd", color="red; rm -rf"), Label(id="2", title="ok")]
    app = directory(Answering(client, *labels))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        assert "red; rm -rf" in shown(app)
        assert "#1f93ff" in shown(app)


async def test_the_selected_label_stays_when_the_list_is_read_again(
    directory: Open, client: InboxClient
) -> None:
    source = Answering(client, *(Label(id=name, title=name) for name in "bcd"))
    app = directory(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "j")
        assert "#c" in lines(app)[2].partition("│")[2]
        source.labels = [Label(id=name, title=name) for name in "abcd"]
        await press(pilot, "ctrl+r")
        assert "4 labels" in lines(app)[0]
        assert "#c" in lines(app)[2].partition("│")[2]
        await press(pilot, "enter")
        assert app.chosen == ["#c"]


async def test_a_single_label_is_counted_in_the_singular(
    directory: Open, client: InboxClient
) -> None:
    app = directory(Answering(client, Label(id="1", title="ant")))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        assert lines(app)[0].endswith("  1 label")


async def test_a_search_selects_its_first_match_unless_the_selected_one_matches(
    directory: Open, client: InboxClient
) -> None:
    titles = ("ant", "bee", "élan", "bat", "eland", "bear")
    app = directory(Answering(client, *(Label(id=title, title=title) for title in titles)))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "j", "j", "j", "slash")
        await type_in(pilot, "b")
        assert "#bat" in lines(app)[2].partition("│")[2]
        await type_in(pilot, "elan")
        assert "2 of 6 labels" in lines(app)[0]
        assert "#élan" in lines(app)[2].partition("│")[2]
        assert "/ belan" not in shown(app)
        assert "/ elan" in shown(app)
        await press(pilot, "enter", "full_stop")
        assert "elan" not in shown(app)


async def test_every_size_shows_the_list_or_says_what_it_needs(directory: Open) -> None:
    app = directory()
    async with app.run_test(size=(200, 60)) as pilot:
        await settle(pilot)
        for width, height in ((200, 60), (80, 24), (60, 15), (40, 10)):
            await pilot.resize_terminal(width, height)
            await settle(pilot)
            assert "Beatriz Lopes" in shown(app)
            assert len(lines(app)) == height
        await pilot.resize_terminal(38, 9)
        await settle(pilot)
        assert shown(app).strip() == "Too small: 40x10 needed, this is 38x9"


@pytest.mark.parametrize(("page", "words"), [(25, ""), (2, " or more")])
async def test_where_users_are_not_counted_the_first_page_of_their_conversations_is(
    directory: Open, client: InboxClient, page: int, words: str
) -> None:
    class ShortPages(CountsNobody):
        async def conversation_page(self, filter: ConversationFilter, **options: Any) -> Any:
            return await client.conversation_page(filter, **{**options, "limit": page})

    users = [user async for user in client.users()]
    rows = {
        user.id: [row async for row in client.conversations(status="open", assignee=user.id)]
        for user in users
    }
    user = next(one for one in users if 2 < len(rows[one.id]) < 25)
    app = directory(ShortPages(client))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "slash")
        await type_in(pilot, user.name)
        await press(pilot, "enter")
        await counted(pilot)
        number = min(page, len(rows[user.id]))
        assert f"open {number}{words} " in flat(app)
        assert "resolved" not in flat(app).partition("CONVERSATIONS")[2]
