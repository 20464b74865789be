"""The views over an inbox of hostile texts."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC
from pathlib import Path

import pytest
from rich.cells import cell_len

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import Application, create_app
from frontdesk.store.accounts import user_named
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.text import clean
from frontdesk.tui.clock import Clock
from tests.conftest import NOW, NOW_MILLISECONDS
from tests.tui.conftest import settle
from tests.tui.hostile import ME, make_hostile_inbox
from tests.tui.screen_text import strips
from tests.tui.views import ViewApp, press, type_in, view_app


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "inbox.db"
    make_hostile_inbox(path, now=NOW_MILLISECONDS)
    return path


@pytest.fixture
def server(hostile_file: Path) -> Iterator[tuple[Application, str]]:
    """The service over the hostile inbox, and a key."""
    database = SQLiteDatabase(hostile_file, durable=False)
    me = database.read(lambda connection: user_named(connection, 1, ME))
    assert me is not None
    key, guest = new_ephemeral_key(1, int(me["id"]))
    service = create_app(database, ephemeral_keys=[guest], clock=lambda: NOW_MILLISECONDS)
    yield service, key
    service.close()
    database.close()


@pytest.fixture
async def hostile(server: tuple[Application, str]) -> AsyncIterator[InboxClient]:
    async with InboxClient("http://localhost", server[1], app=server[0]) as client:
        yield client


def check(app: ViewApp) -> None:
    """Every line is as wide as the screen, and nothing in it is an order to the terminal."""
    width = app.size.width
    for line in strips(app.screen):
        assert clean(line.text) == line.text
        assert cell_len(line.text) == width


@pytest.mark.parametrize("size", [(120, 40), (44, 12)])
@pytest.mark.parametrize("view", ["directory", "replies", "reports"])
async def test_hostile_texts_stay_texts(
    hostile: InboxClient, cache: Cache, view: str, size: tuple[int, int]
) -> None:
    app = view_app(view, hostile, cache, Clock(UTC, lambda: NOW))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        for section in "12345":
            await press(pilot, section)
            check(app)
            for key in ("j", "pagedown", "G"):
                await press(pilot, key)
                check(app)
        await press(pilot, "slash")
        await type_in(pilot, "[/]")
        check(app)
