"""The library, driven by keys on the sample."""

from collections.abc import Callable
from datetime import UTC
from typing import Any

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import Forbidden, NotFound, Unreachable
from frontdesk.tui.clock import Clock
from frontdesk.wire import Page, Template
from tests.conftest import NOW
from tests.tui.conftest import lines, settle, shown
from tests.tui.views import ViewApp, press, type_in, view_app

Open = Callable[..., ViewApp]


@pytest.fixture
def library(client: InboxClient, cache: Cache) -> Open:
    """Makes the app with a section of the library, on the sample by default."""

    def make(view: str = "templates", source: Any = None) -> ViewApp:
        return view_app(view, source or client, cache, Clock(UTC, lambda: NOW))

    return make


class Answering:
    """The sample's server, but for templates."""

    def __init__(self, client: InboxClient, answer: Callable[[], Page[Template]]) -> None:
        self._client = client
        self._answer = answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def catalogue_page(self, row: type[Any], **page: Any) -> Page[Any]:
        if row is not Template:
            return await self._client.catalogue_page(row, **page)
        return self._answer()


def failing(client: InboxClient, error: Exception) -> Answering:
    def answer() -> Page[Template]:
        raise error

    return Answering(client, answer)


async def test_templates_are_listed_and_laid_out(library: Open) -> None:
    app = library()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        text = shown(app)
        assert "LIBRARY sample" in lines(app)[0]
        assert "12 templates" in lines(app)[0]
        for words in ("order_shipped", "rejected", "AS WHATSAPP SHOWS IT", "Happy birthday Sam",
                      "FILLED IN BY THE SENDER", "PARTY10", "MARKETING", "UNKNOWN"):  # fmt: skip
            assert words in text


async def test_a_language_is_shown_whole_or_not_at_all(library: Open) -> None:
    app = library()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        row = next(line.partition("│")[0] for line in lines(app) if "sign_in_code" in line)
        assert row.split() == ["sign_in_code", "authentication"]


async def test_typing_narrows_the_list_and_escape_shows_all_again(library: Open) -> None:
    app = library()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "slash")
        await type_in(pilot, "courier label")
        assert "1 of 12 templates" in lines(app)[0]
        assert "Got it" in shown(app)
        await type_in(pilot, "nothing like it")
        assert "No match. esc: show all" in shown(app)
        await press(pilot, "escape")
        assert "12 templates" in lines(app)[0]
        assert app.chosen == []


async def test_arrows_move_while_typing_and_enter_goes_to_the_list(library: Open) -> None:
    app = library()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "slash")
        await type_in(pilot, "en_GB")
        await press(pilot, "down", "down", "up", "enter", "j", "y")
        assert len(app.copied) == 1
        assert app.copied[0].startswith("Veldrano\n\nHello {{1}}, order {{2}} is ready for you at")


async def test_the_sections_are_a_key_away(library: Open) -> None:
    app = library()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key in ("right_square_bracket", "full_stop", "2", "comma"):
            await press(pilot, key)
            assert "8 quick replies" in lines(app)[0]
            await press(pilot, "left_square_bracket")
            assert "12 templates" in lines(app)[0]


async def test_a_quick_reply_is_shown_whole_and_copied(library: Open) -> None:
    app = library("replies")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "8 quick replies" in lines(app)[0]
        await press(pilot, "G", "y")
        assert app.copied == ["A troca é grátis em até 30 dias, com a etiqueta."]
        assert app.copied[0] in shown(app)


async def test_a_narrow_terminal_shows_the_list_or_the_preview(library: Open) -> None:
    app = library()
    async with app.run_test(size=(60, 15)) as pilot:
        await settle(pilot)
        assert "AS WHATSAPP" not in shown(app)
        for forth, back in (("enter", "escape"), ("l", "h"), ("right", "left"), ("tab", "tab")):
            await press(pilot, forth)
            assert "language" in shown(app)
            assert "order_shipped" not in shown(app)
            await press(pilot, back)
            assert "order_shipped" in shown(app)
        assert app.chosen == []


async def test_the_preview_can_be_scrolled_and_searched(library: Open) -> None:
    app = library()
    async with app.run_test(size=(80, 14)) as pilot:
        await settle(pilot)
        await press(pilot, "l", "G")
        assert "{{2}}" in shown(app)
        await press(pilot, "g")
        assert "language" in shown(app)


_MAY_NOT = "This key may not read templates. It needs the scope templates:read."


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Forbidden("Not with this key.", scope="templates:read"), _MAY_NOT),
        (NotFound("Nothing here."), "This server has no templates."),
    ],
)
async def test_a_section_that_may_not_be_read_says_so(
    library: Open, client: InboxClient, error: Exception, words: str
) -> None:
    app = library(source=failing(client, error))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert words in " ".join(shown(app).replace("│", " ").split())
        await press(pilot, "2")
        assert "8 quick replies" in lines(app)[0]


async def test_an_empty_section_is_not_a_broken_one(library: Open, client: InboxClient) -> None:
    nothing: Page[Template] = Page[Template](data=())
    app = library(source=Answering(client, lambda: nothing))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "There are no templates." in shown(app)


async def test_offline_shows_what_was_seen_and_of_when(library: Open, client: InboxClient) -> None:
    app = library()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
    again = library(source=failing(client, Unreachable("No answer.")))
    async with again.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "offline · as of 10:00" in lines(again)[-1]
        assert "Happy birthday" in shown(again)


async def test_offline_without_anything_seen_says_so(library: Open, client: InboxClient) -> None:
    app = library(source=failing(client, Unreachable("No answer.")))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "No answer. This list has not been loaded yet." in shown(app)
