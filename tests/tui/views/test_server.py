"""The server view: features, deviations, cache statistics."""

import asyncio
import re
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import NOBODY_IS_ME, Unreachable
from frontdesk.tui.clock import Clock
from frontdesk.tui.views.catalogue_screen import Details
from frontdesk.tui.views.server import ServerScreen
from tests.client.other_server import OtherServer, Question, Reply, Variant, problem
from tests.client.prepared_server import KEY
from tests.client.test_missing_features import Unfiltered, answering
from tests.conftest import NOW
from tests.tui.conftest import lines, settle, shown
from tests.tui.deviating_servers import Weighed, client_of
from tests.tui.faulty_sources import Failing
from tests.tui.test_screenshots import compare
from tests.tui.views import ViewApp, press, view_app

LACKING = (
    answering("notes", problem(404, "route_not_found")),
    answering("templates", problem(403, "insufficient_scope", required_scope="templates:read")),
    answering("teams", (500, {}, b"")),
    Variant(row=lambda name, row: {**row, "id": int(row["id"])} if name == "labels" else row),
)
TALL = (120, 70)


@pytest.fixture
def weighed(tmp_path: Path) -> Iterator[Cache]:
    cache = Weighed(tmp_path / "pages.db", "test", limit_bytes=250_000_000)
    yield cache
    cache.close()


def server_app(source: InboxClient, cache: Cache) -> ViewApp:
    return view_app("server", source, cache, Clock(UTC, lambda: NOW))


def flat(app: ViewApp) -> str:
    return " ".join(shown(app).split())


async def test_opening_it_asks_for_next_to_nothing(weighed: Cache) -> None:
    server = OtherServer()
    app = server_app(client_of(server), weighed)
    async with app.run_test(size=TALL) as pilot:
        await settle(pilot)
        assert {question.name for question in server.asked} == {"channels"}
        words = flat(app)
        assert "NOT CHECKED YET (24): ^r checks all features" in words
        assert "not checked: 24" in lines(app)[0]
        assert "http://localhost" in words
        assert KEY not in words
        assert "live" in lines(app)[-1]


async def test_a_key_asks_for_everything(weighed: Cache) -> None:
    server = Unfiltered(LACKING)
    app = server_app(client_of(server), weighed)
    async with app.run_test(size=TALL) as pilot:
        await settle(pilot)
        await press(pilot, "ctrl+r")
        words = flat(app)
        for expected in (
            "fails at 1, lacks 8, forbids 1",
            "FAILS (1)",
            "NOT ALLOWED (1)",
            "This key may not read templates: it lacks the scope templates:read.",
            "LACKS (8)",
            "This server lists no notes. A title.",
            f"{NOBODY_IS_ME}.",
            "DONE BY THE VIEWER (4)",
            "The server sends rows that do not match; they are left out here.",
            "latency 12 ms",
            "its clock the server sends no time",
            "0 of them (0 %)",
            "DIFFERS FROM THE CONTRACT (1)",
            "3.4 MB of at most 250.0 MB, 1.2 MB for this server",
        ):
            assert expected in words, expected
        asked = len(server.asked)
        server.variants = ()
        await press(pilot, "f5")
        assert "LACKS (8)" not in flat(app)
        assert len(server.asked) > asked
        assert server.times_asked("notes") == 2


async def test_the_check_in_progress_is_named_and_escape_cancels_it(weighed: Cache) -> None:
    gate = asyncio.Event()

    class Slow(OtherServer):
        async def __call__(self, scope, receive, send):  # type: ignore[no-untyped-def]
            if scope["raw_path"].endswith(b"/teams"):
                await gate.wait()
            await super().__call__(scope, receive, send)

    app = server_app(client_of(Slow()), weighed)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = re.search(r"HAS \((\d+)\)", shown(app))
        await pilot.press("ctrl+r")
        while "checking teams" not in lines(app)[0]:
            await pilot.pause()
        # What is known so far is shown.
        known = re.search(r"HAS \((\d+)\)", shown(app))
        assert before
        assert known
        assert int(known[1]) > int(before[1])
        await press(pilot, "escape")
        assert "checking" not in lines(app)[0]
        assert isinstance(app.screen, ServerScreen)
        await press(pilot, "escape")
        assert app.chosen == [None]


async def test_a_row_is_copied_as_it_is_read(weighed: Cache) -> None:
    app = server_app(client_of(OtherServer(LACKING)), weighed)
    async with app.run_test(size=TALL) as pilot:
        await settle(pilot)
        await press(pilot, "ctrl+r", "slash")
        await pilot.press(*"notes", "enter")
        await press(pilot, "y")
        assert app.copied == ["notes This server lists no notes. A title."]


async def test_keys_move_in_it(weighed: Cache) -> None:
    app = server_app(client_of(OtherServer()), weighed)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        for keys, row in (
            (("j", "j"), 2),
            (("j", "down", "k"), 1),
            (("G", "g"), 0),
            (("tab", "j"), 1),
            (("enter", "j"), 1),
            (("slash", *"latency", "enter"), 1),
            (("slash", *"it", "enter", "n", "N"), 2),
        ):
            await press(pilot, "g", *keys)
            assert app.screen.query_one(Details).cursor == row


async def test_it_is_left(weighed: Cache) -> None:
    app = server_app(client_of(OtherServer()), weighed)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "q")
        assert app.chosen == [None]


async def test_offline_it_says_why_and_what_is_kept(weighed: Cache) -> None:
    app = server_app(Failing(Unreachable("The server does not answer")), weighed)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        words = flat(app)
        assert "The server does not answer." in words
        assert "ON THIS COMPUTER" in words
        assert "offline" in lines(app)[-1]


async def test_a_server_that_went_away_is_reported_with_what_was_learnt(weighed: Cache) -> None:
    def gone(server: OtherServer, question: Question) -> Reply:
        return problem(503, "unavailable")

    server = OtherServer()
    app = server_app(client_of(server), weighed)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        server.variants = (Variant(before=gone),)
        await press(pilot, "ctrl+r")
        assert "latency 12 ms" in flat(app)
        assert "offline" in lines(app)[-1]


async def test_every_size_shows_it(weighed: Cache) -> None:
    app = server_app(client_of(OtherServer(LACKING)), weighed)
    async with app.run_test(size=(200, 60)) as pilot:
        await settle(pilot)
        await press(pilot, "ctrl+r")
        for size in ((200, 60), (80, 24), (60, 20), (40, 10)):
            await pilot.resize_terminal(*size)
            await press(pilot, "g")
            assert "http://localhost" in shown(app)
            await press(pilot, "G")
            assert "from … to" in shown(app)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "size", "theme"),
    [
        ("server-120x40", (120, 40), "frontdesk-dark"),
        ("server-60x20-light", (60, 20), "frontdesk-light"),
    ],
)
async def test_the_pictures_of_the_server_are_true(
    weighed: Cache,
    request: pytest.FixtureRequest,
    name: str,
    size: tuple[int, int],
    theme: str,
) -> None:
    app = server_app(client_of(Unfiltered(LACKING)), weighed)
    async with app.run_test(size=size) as pilot:
        app.theme = theme
        await settle(pilot)
        await press(pilot, "ctrl+r")
        compare(app, request, name)
