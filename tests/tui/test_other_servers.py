"""The whole viewer on servers that deviate or lack features."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.widgets import Static

from frontdesk.cache import Cache
from frontdesk.errors import NOBODY_IS_ME
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.widgets.contact_panel import ContactPanel
from tests.client.inbox_rows import Row
from tests.client.other_server import OtherServer, Question, Reply, Variant, problem, reply
from tests.client.test_missing_features import Unfiltered, answering
from tests.client.variants import ENVELOPES, ROWS
from tests.tui.conftest import lines, notifications, settle, shown
from tests.tui.deviating_servers import viewer_of
from tests.tui.views import press

WIDE = (200, 60)
NO_PATH = problem(404, "route_not_found")


def refused(scope: str) -> Reply:
    return problem(403, "insufficient_scope", required_scope=scope)


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Cache]:
    cache = Cache(tmp_path / "pages.db", "test")
    yield cache
    cache.close()


def flat(app: FrontdeskApp) -> str:
    text = shown(app)
    for mark in "│┃▌▸█":
        text = text.replace(mark, " ")
    return " ".join(text.split())


def facts(app: FrontdeskApp) -> list[str]:
    """Text of the contact pane."""
    rows = app.screen.query_one(ContactPanel).rows
    found = [rows[at] for at in range(len(rows))]
    return [fact.value or fact.label for fact in found]


def oldest_first(name: str, rows: list[Row]) -> list[Row]:
    return rows[::-1] if name == "messages" else rows


SPELLINGS: tuple[Callable[[], OtherServer], ...] = (
    lambda: OtherServer((ENVELOPES["V11"], ROWS["V24 numbers"], ROWS["V42 text"])),
    lambda: OtherServer((ENVELOPES["V40"],)),
    lambda: OtherServer((ROWS["V39"], ENVELOPES["V16"])),
    lambda: OtherServer((ROWS["the names of another platform"],)),
    lambda: OtherServer((Variant(rows=oldest_first),)),
)


async def first_sight(server: OtherServer, path: Path) -> str:
    """What the viewer shows of the newest open conversation, without the ends of the bars."""
    cache = Cache(path, "test")
    app = viewer_of(server, cache)
    try:
        async with app.run_test(size=WIDE) as pilot:
            await settle(pilot)
            await press(pilot, "enter", "G")
            assert notifications(app) == []
            return "\n".join(lines(app))
    finally:
        cache.close()


async def test_another_spelling_is_the_same_inbox(tmp_path: Path) -> None:
    """Each by itself is compared by tests of the client."""
    expected = await first_sight(OtherServer(), tmp_path / "usual.db")
    for number, server in enumerate(SPELLINGS):
        assert await first_sight(server(), tmp_path / f"{number}.db") == expected


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (NO_PATH, "This server lists no notes"),
        (refused("notes:read"), "This key may not read notes: it lacks the scope notes:read"),
    ],
)
async def test_without_notes_it_is_said_where_they_would_stand(
    pages: Cache, answer: Reply, sentence: str
) -> None:
    server = OtherServer((answering("notes", answer),))
    app = viewer_of(server, pages)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "enter", "ctrl+r", "ctrl+r", "J", "K")
        assert sentence in flat(app)
        assert f"{sentence}." in facts(app)
        assert "Notes" in facts(app)
        assert "live" in lines(app)[-1]
        assert notifications(app) == []
        assert server.times_asked("notes") == 1


async def test_notes_that_were_seen_stay_when_they_may_not_be_read_any_more(pages: Cache) -> None:
    server = OtherServer()
    app = viewer_of(server, pages)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "enter")
        before = facts(app)
        server.variants = (answering("notes", refused("notes:read")),)
        await press(pilot, "ctrl+r")
        assert "it lacks the scope notes:read" in flat(app)
        assert [fact for fact in facts(app) if "lacks the scope" not in fact] == before


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (NO_PATH, "This server sends no counts"),
        (reply(b"<html>"), "This server fails for counts of conversations"),
    ],
)
async def test_without_counts_the_inbox_stands_and_says_so(
    pages: Cache, answer: Reply, sentence: str
) -> None:
    app = viewer_of(OtherServer((answering("conversations/counts", answer),)), pages)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "ctrl+r")
        assert sentence in lines(app)[0]
        assert "live" in lines(app)[-1]
        assert notifications(app) == []
        assert "All open" in flat(app)
        await pilot.resize_terminal(64, 20)
        await settle(pilot)
        assert lines(app)[0].endswith("no counts")


async def test_counts_that_a_server_leaves_out_are_not_zeros(pages: Cache) -> None:
    """Two of the rows are open and have no assignee, one of these needs a human."""
    answer = reply({"all": 7, "open": 3})
    app = viewer_of(OtherServer((answering("conversations/counts", answer),)), pages)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert "5 Mine   6 Unassigned   7" in lines(app)[1]
        assert "All open (3) " in lines(app)[1]
        assert "0 open" not in flat(app)


async def test_a_picker_says_what_the_server_does_not_list(pages: Cache) -> None:
    lacking = {"a": "users", "l": "labels", "c": "channels"}
    server = OtherServer(tuple(answering(name, NO_PATH) for name in lacking.values()))
    app = viewer_of(server, pages)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert "not listed" in flat(app)
        for letter, name in lacking.items():
            await press(pilot, "f", letter)
            assert f"This server does not list {name}." in flat(app)
            await press(pilot, "escape", "escape")
        assert notifications(app) == []


async def test_a_catalogue_that_the_key_may_not_read_names_the_scope(pages: Cache) -> None:
    server = OtherServer((answering("labels", refused("labels:read")),))
    app = viewer_of(server, pages)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "f", "l")
        remark = app.screen.query_one("#picker-remark", Static).content
        assert remark == "This key may not read labels: it lacks the scope labels:read."


async def test_a_server_that_does_not_know_me_is_asked_once_and_mine_is_not_offered(
    pages: Cache,
) -> None:

    def before(server: OtherServer, question: Question) -> Reply | None:
        mine = question.query.get("assignee") == "me"
        return problem(400, "invalid_filter", detail="Nobody's key") if mine else None

    server = OtherServer((Variant(before=before),))
    app = viewer_of(server, pages)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "f", "m")
        assert notifications(app) == [NOBODY_IS_ME]
        await press(pilot, "f", "a")
        assert "me (mine)" not in flat(app)
        assert "Nobody is “me” here" in flat(app)
        assert "for a database)." in flat(app)
    asked = [question for question in server.asked if question.query.get("assignee") == "me"]
    assert len(asked) == 1


async def test_a_filter_that_the_server_ignores_is_applied_here_and_the_menu_says_so(
    pages: Cache,
) -> None:
    app = viewer_of(Unfiltered(), pages)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "f", "l", *"vip", "enter")
        assert "is:open   #vip " in lines(app)[0]
        # Every row was looked at: nothing is partial.
        assert "filtered here" not in lines(app)[0]
        await press(pilot, "f", "l")
        assert "This server ignores the filter: it is applied here." in flat(app)
        await press(pilot, "escape", "backspace")
        assert "#vip" not in lines(app)[0]


async def test_the_contact_pane_says_that_contacts_may_not_be_read(
    pages: Cache,
) -> None:
    answer = refused("contacts:read")
    server = OtherServer((answering("contacts/by-phone", answer), answering("contacts", answer)))
    app = viewer_of(server, pages)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "enter", "ctrl+r")
        lack = "This key may not read contacts by phone: it lacks the scope contacts:read."
        assert lack in facts(app)
        assert notifications(app) == []
        assert server.times_asked("contacts/by-phone") == 1


async def test_a_dozen_lacks_at_once_leave_an_inbox(pages: Cache) -> None:
    names = ("notes", "labels", "users", "teams", "channels", "custom-fields", "contacts")
    lacks = [answering(name, NO_PATH) for name in (*names, "contacts/by-phone", "reports/inbox")]
    server = OtherServer((*lacks, answering("conversations/counts", NO_PATH)))
    app = viewer_of(server, pages)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "enter", "ctrl+r", "ctrl+r")
        assert notifications(app) == []
        assert "live" in lines(app)[-1]
        times = {name: server.times_asked(name) for name in (*names, "conversations/counts")}
        assert max(times.values()) == 1
