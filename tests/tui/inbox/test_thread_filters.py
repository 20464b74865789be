"""Thread filters keep the reader's place."""

from datetime import timedelta

import pytest

from frontdesk.cache import Cache
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from tests.conftest import NOW
from tests.mailbox.inbox import Inbox
from tests.tui.conftest import lines, settle
from tests.tui.inbox_state import screen_of
from tests.tui.views import press


def long_thread(*, notes: bool = True) -> Inbox:
    """One customer with 300 messages, and notes among them."""
    inbox = Inbox()
    inbox.bump("1")
    for _ in range(30):
        inbox.write("1", 10)
        if notes:
            inbox.annotate("1")
    return inbox


def viewer_of(inbox: Inbox, cache: Cache) -> FrontdeskApp:
    mailbox = Mailbox(lambda: inbox, cache, clock=lambda: NOW)
    return FrontdeskApp(mailbox, title="desk", clock=Clock(NOW.tzinfo, lambda: NOW))


def words(app: FrontdeskApp) -> list[str]:
    """The lines without the thumb, which gets shorter when messages are loaded."""
    return [line.rstrip(" ┃│") for line in lines(app)]


@pytest.mark.parametrize(
    ("moves", "notes"),
    [((), True), (("g",), True), (("ctrl+u", "k", "k"), True), (("ctrl+u",) * 4, False)],
)
async def test_a_filter_that_is_taken_off_again_leaves_the_reader_where_they_were(
    cache: Cache, moves: tuple[str, ...], notes: bool
) -> None:
    app = viewer_of(long_thread(notes=notes), cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "enter", *moves)
        before, row = words(app), screen_of(app).thread.messages.row
        await press(pilot, "f", "n")
        assert words(app) != before
        await press(pilot, "f", "a")
        assert words(app) == before
        assert screen_of(app).thread.messages.row == row


async def test_who_moves_to_a_note_stays_there_when_the_filter_is_taken_off(cache: Cache) -> None:
    app = viewer_of(long_thread(), cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "enter", "f", "n", "k", "k", "k")
        messages = screen_of(app).thread.messages
        note = messages.row
        await press(pilot, "f", "a")
        assert messages.row == note
        assert messages.cursor in messages.in_view()


async def test_a_filter_begins_at_the_row_that_was_read(cache: Cache) -> None:
    app = viewer_of(long_thread(), cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "enter", "ctrl+u", "ctrl+u", "ctrl+u")
        messages = screen_of(app).thread.messages
        read = messages.row
        await press(pilot, "f", "n")
        assert read is not None
        assert messages.row is not None
        assert messages.row.created_at <= read.created_at
        following = messages.rows[messages.cursor + 1]
        assert following.created_at > read.created_at


async def test_a_filter_that_nothing_passes_says_what_was_looked_through(cache: Cache) -> None:
    app = viewer_of(long_thread(notes=False), cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "enter", "f", "n")
        assert "No notes in this conversation" in "\n".join(lines(app))
        await press(pilot, "f", "a")
        assert "No notes in this conversation" not in "\n".join(lines(app))


@pytest.mark.parametrize("days", [0, 1])
async def test_a_date_is_gone_to_over_all_pages_before_it(cache: Cache, days: int) -> None:
    inbox = long_thread()
    first = inbox.messages["1"][0]
    day = (first.created_time - timedelta(days=days)).date()
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "enter", "t", *day.isoformat(), "enter")
        row = screen_of(app).thread.messages.row
        assert row is not None
        assert row.id == first.id
        text = "\n".join(lines(app))
        assert ("No messages on" in text) == (days > 0)
