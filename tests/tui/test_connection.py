"""The status line after each kind of failure."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import (
    BadResponse,
    CircuitOpen,
    CursorRefused,
    Forbidden,
    InboxError,
    NotFound,
    Refused,
    Unauthorised,
    Unreachable,
)
from frontdesk.mailbox import Mailbox
from frontdesk.settings import ViewerSettings
from frontdesk.system.request_priority import is_urgent
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import Answer, ConnectionMonitor
from tests.conftest import NOW


class _Hand:
    """A clock that does not run by itself."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


async def _connection(
    client: InboxClient,
    cache: Cache,
    hand: _Hand,
    seen_at: Callable[[], datetime | None] = lambda: NOW - timedelta(minutes=2),
    schedule_poll: Callable[[], None] | None = None,
    *,
    quiet_unfocused: bool = False,
) -> ConnectionMonitor:
    mailbox = Mailbox(lambda: client, cache, clock=hand)
    await mailbox.connect()
    return ConnectionMonitor(
        mailbox,
        Clock(UTC, hand),
        lambda sentence: None,
        seen_at=seen_at,
        schedule_poll=schedule_poll,
        settings=ViewerSettings(quiet_unfocused=quiet_unfocused),
    )


async def _fail(connection: ConnectionMonitor, error: InboxError, *, beside: bool = False) -> None:
    async def question() -> None:
        raise error

    assert not await connection.ask(question, beside=beside)


def _said(connection: ConnectionMonitor) -> str:
    return "".join(words for _, words in connection.state)


async def test_a_server_that_is_left_alone_for_its_silence_is_offline(
    client: InboxClient, cache: Cache
) -> None:
    connection = await _connection(client, cache, _Hand())
    await _fail(connection, CircuitOpen("It does not answer", retry_after=20.0))
    assert _said(connection).startswith("offline · as of ")
    # Its pause is no word of the server's: the retry skips it.
    assert _said(connection).endswith(" · retrying in 5 s")


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (Unreachable("No answer"), "offline"),
        (Unauthorised("The server refused the key"), "key refused (401)"),
        (BadResponse("The server sent a web page"), "unreadable answer"),
        (Forbidden("The key lacks conversations:read"), "not allowed (403)"),
        (NotFound("The server does not have this"), "no inbox here (404)"),
        (Refused("The server refuses this", code="bad_filter"), "request refused"),
    ],
)
async def test_rows_from_before_have_their_age_beside_any_failure_and_80_columns_have_room(
    client: InboxClient, cache: Cache, error: InboxError, state: str
) -> None:
    connection = await _connection(client, cache, _Hand())
    await _fail(connection, error)
    assert _said(connection).startswith(f"{state} · as of 09:58")
    assert len(f"{_said(connection)} · 100 of 540 loaded ") <= 80


async def test_the_age_is_that_of_the_rows_that_are_shown_now(
    client: InboxClient, cache: Cache
) -> None:
    fetched: list[datetime | None] = [NOW - timedelta(minutes=7)]
    connection = await _connection(client, cache, _Hand(), lambda: fetched[-1])
    await _fail(connection, Unreachable("No answer"))
    before = _said(connection)
    # Another view, which was loaded later; one that was never loaded.
    for seen_at in (NOW - timedelta(minutes=2), None):
        fetched.append(seen_at)
        connection.begin()
        expected = f" · as of {seen_at:%H:%M}" if seen_at else ""
        assert _said(connection) == f"offline{expected} · retrying in 5 s" != before


async def test_only_a_server_that_asks_for_a_pause_is_said_to_want_one(
    client: InboxClient, cache: Cache
) -> None:
    connection = await _connection(client, cache, _Hand())
    await _fail(connection, Unreachable("Too many requests", retry_after=20.0))
    assert _said(connection) == "slow down · retrying in 20 s"


@pytest.mark.parametrize(
    ("error", "skips"),
    [
        (Unreachable("No answer"), True),
        (CircuitOpen("It does not answer", retry_after=5.0), True),
        (Unreachable("Too many requests", retry_after=5.0), False),
    ],
)
async def test_a_retry_after_its_countdown_skips_the_breaker_but_no_pause_of_the_server(
    client: InboxClient, cache: Cache, error: InboxError, skips: bool
) -> None:
    async def question() -> bool:
        return is_urgent()

    hand = _Hand()
    connection = await _connection(client, cache, hand)
    await _fail(connection, error)
    hand.now += timedelta(seconds=4)
    assert await connection.ask(question) == Answer(False)
    hand.now += timedelta(seconds=1)
    assert await connection.ask(question) == Answer(skips)


async def test_one_cause_has_one_sentence_also_for_what_is_not_sent_because_of_it(
    client: InboxClient, cache: Cache
) -> None:
    connection = await _connection(client, cache, _Hand())
    words = "The server cannot be reached"
    await _fail(connection, Unreachable(words))
    unsent = CircuitOpen(f"{words}; next attempt in 9 seconds", retry_after=9.0, problem=words)
    await _fail(connection, unsent, beside=True)
    assert connection.problem == words
    await _fail(connection, CircuitOpen("It does not answer", retry_after=9.0))
    assert connection.problem == "The server does not answer"


async def test_failures_of_other_requests_do_not_reset_the_countdown(
    client: InboxClient, cache: Cache
) -> None:
    hand = _Hand()
    connection = await _connection(client, cache, hand)
    await _fail(connection, Unreachable("No answer"))
    hand.now += timedelta(seconds=2)
    await _fail(connection, Unreachable("No answer"), beside=True)
    assert _said(connection).endswith(" · retrying in 3 s")
    assert connection.failing


async def test_there_is_no_countdown_to_a_request_that_awaits_the_focus(
    client: InboxClient, cache: Cache
) -> None:
    connection = await _connection(client, cache, _Hand(), quiet_unfocused=True)
    await _fail(connection, Unreachable("No answer"))
    assert _said(connection).endswith(" · retrying in 5 s")
    connection.focus(False)
    assert _said(connection).endswith(" · paused until this terminal has the focus")
    assert not connection.counts_down
    connection.focus(True)
    assert _said(connection).endswith(" · retrying in 5 s")


async def test_the_first_failure_of_another_request_schedules_one_queue_poll(
    client: InboxClient, cache: Cache
) -> None:
    hand, polls = _Hand(), []
    connection = await _connection(
        client, cache, hand, schedule_poll=lambda: polls.append(hand.now)
    )
    connection.is_live()
    await _fail(connection, Unreachable("No answer"), beside=True)
    assert _said(connection).endswith(" · retrying in 5 s")
    for left in (4, 3, 2, 1):
        hand.now += timedelta(seconds=1)
        await _fail(connection, CircuitOpen("It does not answer", retry_after=30.0), beside=True)
        assert _said(connection).endswith(f" · retrying in {left} s")
    assert polls == [NOW]
    hand.now += timedelta(seconds=1)
    await _fail(connection, Unreachable("No answer"))
    assert _said(connection).endswith(" · retrying in 10 s")


async def test_repeated_failures_of_other_requests_do_not_mark_a_live_queue_offline(
    client: InboxClient, cache: Cache
) -> None:
    connection = await _connection(client, cache, _Hand(), schedule_poll=lambda: None)

    async def question() -> None: ...

    for _ in range(2):
        connection.is_live()
        await _fail(connection, Unreachable("No answer"), beside=True)
        assert _said(connection).startswith("offline")
        for _ in range(3):
            connection.is_live()
            await _fail(connection, Unreachable("No answer"), beside=True)
            assert _said(connection) == "live"
        # Once it succeeds, the next failure is news again.
        await connection.ask(question, beside=True)


@pytest.mark.parametrize(
    ("error", "repeated"),
    [
        (Refused("The server does not know this filter", code="invalid_query"), False),
        (CursorRefused("The list has to be started again", code="invalid_cursor"), True),
        (BadResponse("The server failed"), True),
        (NotFound("There is no such label"), True),
        (Forbidden("The API key lacks a scope"), True),
    ],
)
async def test_a_request_that_is_invalid_is_not_repeated(
    client: InboxClient, cache: Cache, error: InboxError, repeated: bool
) -> None:
    hand, polls = _Hand(), []
    schedule = partial(polls.append, NOW)
    connection = await _connection(client, cache, hand, schedule_poll=schedule)
    connection.asks()
    await _fail(connection, error)
    assert _said(connection).endswith(" · retrying in 5 s") == repeated
    assert connection.failing == repeated
    assert polls == [NOW] * repeated
    assert not connection.asking


@pytest.mark.parametrize(
    ("seen", "words"), [(None, "loading…"), (NOW - timedelta(minutes=2), " · loading…")]
)
async def test_what_is_loading_has_the_age_of_what_is_shown_meanwhile(
    client: InboxClient, cache: Cache, seen: datetime | None, words: str
) -> None:
    connection = await _connection(client, cache, _Hand(), seen_at=lambda: seen)
    connection.begin()
    assert _said(connection).endswith(words)
    assert _said(connection).startswith("as of ") == (seen is not None)


async def test_without_polling_no_retry_is_announced(client: InboxClient, cache: Cache) -> None:
    connection = await _connection(client, cache, _Hand())
    await _fail(connection, Unreachable("No answer"), beside=True)
    assert _said(connection).startswith("offline · as of ")
    assert "retrying" not in _said(connection)
