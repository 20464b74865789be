"""Strings that break programs, as names, labels, messages, templates and errors."""

import json
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC
from itertools import cycle
from pathlib import Path

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import InboxError
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import create_app
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.text.clean import clean, one_line
from frontdesk.tui.clock import Clock
from tests.client.prepared_server import ALL, Server, answer, client_of
from tests.conftest import NOW, NOW_MILLISECONDS
from tests.naughty import ME, STRINGS, make_naughty_inbox
from tests.patience import HANG_SECONDS
from tests.tui.conftest import settle
from tests.tui.recorded_terminal import Recorded, viewer_at_gallery
from tests.tui.test_hostile_text import check, keeps_its_columns, leave
from tests.tui.views import press, type_in, view_app

# Rows of the queue that fit on the terminal.
PAGE = 11


@pytest.fixture(scope="module")
def naughty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("naughty") / "inbox.db"
    make_naughty_inbox(path, now=time.time_ns() // 1_000_000)
    return path


@pytest.fixture
def terminal(naughty_file: Path, tmp_path: Path) -> Iterator[Recorded]:
    """The viewer on an inbox of such strings, when it has shown the first thread."""
    with viewer_at_gallery(naughty_file, ME, tmp_path) as terminal:
        yield terminal


@pytest.mark.slow
def test_the_queue_keeps_its_columns(terminal: Recorded) -> None:
    for _ in range(len(STRINGS) // PAGE + 1):
        terminal.send(" ")
        terminal.rest(HANG_SECONDS)
        keeps_its_columns(terminal)
    leave(terminal)


@pytest.mark.slow
def test_a_thread_keeps_its_columns(terminal: Recorded) -> None:
    terminal.send("\r")
    terminal.until("esc back")
    while "start of the conversation" not in terminal.thread:
        terminal.send("b")
        terminal.rest(HANG_SECONDS)
        keeps_its_columns(terminal)
    leave(terminal)


@pytest.fixture
async def naughty(tmp_path: Path) -> AsyncIterator[InboxClient]:
    """A client of the service over such an inbox."""
    path = tmp_path / "inbox.db"
    make_naughty_inbox(path, now=NOW_MILLISECONDS)
    database = SQLiteDatabase(path, durable=False)
    key, guest = new_ephemeral_key(1, None)
    service = create_app(database, ephemeral_keys=[guest], clock=lambda: NOW_MILLISECONDS)
    async with InboxClient("http://localhost", key, app=service) as client:
        yield client
    service.close()
    database.close()


async def test_every_string_comes_through_as_it_is(naughty: InboxClient) -> None:
    labels = {label.title async for label in naughty.labels()}
    assert {one_line(clean(f"{n} {text}")) for n, text in enumerate(STRINGS)} <= {
        one_line(label) for label in labels
    }
    gallery = await naughty.contact_by_phone("+16505599999")
    assert len(gallery.custom_fields) == len(STRINGS)


@pytest.mark.slow
@pytest.mark.parametrize("view", ["directory", "templates"])
async def test_views_keep_their_columns(naughty: InboxClient, cache: Cache, view: str) -> None:
    app = view_app(view, naughty, cache, Clock(UTC, lambda: NOW))
    async with app.run_test(size=(100, 50)) as pilot:
        await settle(pilot)
        for section in "12345" if view == "directory" else "1":
            await press(pilot, section)
            for _ in range(len(STRINGS) // 40 + 1):
                await press(pilot, "pagedown")
                check(app)
        for sought in STRINGS[::40]:
            await press(pilot, "slash")
            await type_in(pilot, sought)
            check(app)
            await press(pilot, "enter")


async def test_errors_of_such_words_are_one_harmless_line() -> None:
    for text, status in zip(STRINGS, cycle((400, 403, 404, 500)), strict=False):
        problem = {"type": text, "title": text, "detail": text, "code": text, "errors": [text]}
        body = json.dumps(problem).encode()
        refusal = answer(status, body, content_type="application/problem+json")
        async with client_of(Server(refusal)) as client:
            with pytest.raises(InboxError) as caught:
                await client.conversation_page(ALL)
        notices = str(caught.value)
        assert notices == one_line(clean(notices))
        assert 0 < len(notices) < 500
