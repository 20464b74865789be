"""Throttling: rate limits, failures, circuit breaker."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.client.faulty import HANG_UP, NOW, WHOLE, Clock, client_at
from tests.client.prepared_server import ALL, EMPTY, KEY, Server, answer
from tests.client.sockets import Scripted, raw, serving

from frontdesk.client import InboxClient
from frontdesk.client.throttle import Throttle, spacing
from frontdesk.client.transport import MOST_WAITS
from frontdesk.errors import CircuitOpen, InboxError, Unreachable
from frontdesk.system.request_priority import urgent
from frontdesk.wire import Label, Team


def patient_client(server: Server, clock: Clock) -> InboxClient:
    """A client in the server's process, whose tries take no time."""

    async def sleep(seconds: float) -> None:
        if seconds > 1:
            await clock.sleep(seconds)

    return InboxClient(
        "http://localhost",
        KEY,
        app=server,
        clock=clock,
        sleep=sleep,
        chance=lambda: 0.5,
        now=lambda: NOW,
    )


# Pauses


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": format_datetime(NOW + timedelta(seconds=60), usegmt=True)}, 60.0),
        (
            {
                "retry_after": format_datetime(NOW + timedelta(hours=5, seconds=60), usegmt=True),
                "date": format_datetime(NOW + timedelta(hours=5), usegmt=True),
            },
            60.0,
        ),
        ({"retry_after": "1000000000"}, 300.0),
        ({"ratelimit": '"default";r=0;t=9'}, 9.0),
        ({"ratelimit_remaining": "0", "ratelimit_reset": "11"}, 11.0),
        (
            {
                "x_ratelimit_remaining": "0",
                "x_ratelimit_reset": str(int(NOW.timestamp()) + 12),
            },
            12.0,
        ),
        ({"retry_after": "5", "ratelimit": '"default";r=0;t=2'}, 5.0),
    ],
    ids=["seconds", "date", "their date", "for ever", "limit", "older", "oldest", "both"],
)
async def test_a_429_pauses_all_requests(header: dict[str, str], seconds: float) -> None:
    clock, server = Clock(), Scripted(raw(b"", "429 Too Many Requests", **header), raw(EMPTY))
    async with serving(server) as url, client_at(url, clock) as client:
        with pytest.raises(Unreachable) as caught:
            await client.conversation_page(ALL)
        assert caught.value.retry_after == seconds
        with pytest.raises(Unreachable, match="pause") as caught:
            await client.catalogue_page(Label)
        assert caught.value.retry_after == seconds
        assert len(server.requests) == 1
        clock.seconds += seconds - 1
        await client.catalogue_page(Label)
        assert clock.slept == [1.0]


async def test_a_client_that_waits_sends_a_request_again_after_the_pause() -> None:
    clock, waits = Clock(), list[float]()
    pauses = (("429 Too Many Requests", "7"), ("503 Service Unavailable", "90"))
    refusals = [raw(b"", status, retry_after=seconds) for status, seconds in pauses]
    server = Scripted(*refusals, raw(EMPTY))

    @contextmanager
    def waiting(seconds: float) -> Iterator[None]:
        began = clock.seconds
        yield
        waits.append(seconds)
        assert clock.seconds == began + seconds

    async with serving(server) as url, client_at(url, clock, waiting=waiting) as client:
        await client.catalogue_page(Label)
    assert waits == [7.0, 90.0]
    assert len(server.requests) == 3


async def test_requests_at_once_wait_for_the_pause_of_one() -> None:
    clock = Clock()
    server = Scripted(raw(b"", "429 Too Many Requests", retry_after="60"), raw(EMPTY))
    async with serving(server) as url, client_at(url, clock, waiting=nullcontext) as client:
        await asyncio.gather(*(client.catalogue_page(row) for row in (Label, Team)))
    assert len(server.requests) == 3


async def test_a_server_that_asks_for_too_many_pauses_is_left() -> None:
    clock, server = Clock(), Scripted(raw(b"", "429 Too Many Requests", retry_after="7"))
    async with serving(server) as url, client_at(url, clock, waiting=nullcontext) as client:
        with pytest.raises(Unreachable):
            await client.catalogue_page(Label)
    assert len(server.requests) == MOST_WAITS + 1


@pytest.mark.parametrize("status", ["404 Not Found", "502 Bad Gateway"])
async def test_what_names_no_pause_is_not_waited_for(status: str) -> None:
    clock, server = Clock(), Scripted(raw(b"", status))
    async with serving(server) as url, client_at(url, clock, waiting=nullcontext) as client:
        with pytest.raises(InboxError):
            await client.catalogue_page(Label)
    assert clock.seconds < 1002


@pytest.mark.parametrize("header", ["", "-5", "soon"])
async def test_without_a_word_on_how_long_the_pauses_grow(header: str) -> None:
    clock, server = Clock(), Scripted(raw(b"", "429 Too Many Requests", retry_after=header))
    waits = []
    async with serving(server) as url, client_at(url, clock) as client:
        for _ in range(8):
            with pytest.raises(Unreachable) as caught:
                await client.catalogue_page(Label)
            assert caught.value.retry_after is not None
            waits.append(caught.value.retry_after)
            clock.seconds += caught.value.retry_after
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


async def test_after_an_answer_the_pauses_begin_anew() -> None:
    clock = Clock()
    throttle = Throttle(clock, clock.sleep, lambda: 0.5)
    for expected in (1.0, 2.0):
        assert throttle.back_off() == expected
        clock.seconds += expected
    throttle.answered()
    assert throttle.back_off() == 4.0
    clock.seconds += 4.0
    throttle.succeeded()
    assert throttle.back_off() == 1.0


async def test_a_limit_that_is_used_up_is_not_run_against() -> None:
    clock = Clock()
    server = Scripted(raw(EMPTY, ratelimit='"default";r=0;t=1'), raw(EMPTY))
    async with serving(server) as url, client_at(url, clock) as client:
        await client.catalogue_page(Label)
        await client.catalogue_page(Label)
    assert clock.slept == [1.0]


# Failing servers


async def test_a_failing_server_that_recovers_is_all_right() -> None:
    bad = raw(b"<h1>Bad Gateway</h1>", "502 Bad Gateway", content_type="text/html")
    server = Scripted(bad, raw(b"", "503 Service Unavailable"), WHOLE)
    clock = Clock()
    async with serving(server) as url, client_at(url, clock) as client:
        assert len((await client.conversation_page(ALL)).data) == 1
    assert clock.slept == [0.25, 0.5]


async def test_a_server_that_stays_silent_is_left_alone_then_tried_by_one() -> None:
    clock, server = Clock(), Scripted(raw(b"", "502 Bad Gateway"))
    async with serving(server) as url, client_at(url, clock) as client:
        for _ in range(5):
            with pytest.raises(Unreachable):
                await client.catalogue_page(Label)
        asked = len(server.requests)
        with pytest.raises(Unreachable, match="next attempt in 30 seconds") as caught:
            await client.catalogue_page(Team)
        assert caught.value.retry_after == 30.0
        assert len(server.requests) == asked
        clock.seconds += 30
        outcomes = await asyncio.gather(
            *(client.catalogue_page(Label) for _ in range(4)), return_exceptions=True
        )
        assert all(isinstance(outcome, Unreachable) for outcome in outcomes)
        assert len(server.requests) == asked + 3
        with pytest.raises(Unreachable, match="next attempt"):
            await client.catalogue_page(Label)


async def test_circuit_open_errors_report_the_last_failure() -> None:
    clock, silent = Clock(), raw(b"", "503 Service Unavailable")
    async with serving(Scripted(silent)) as url, client_at(url, clock) as client:
        for _ in range(5):
            with pytest.raises(Unreachable) as failed:
                await client.catalogue_page(Label)
        with pytest.raises(CircuitOpen) as unsent:
            await client.catalogue_page(Label)
        assert (
            unsent.value.problem
            == str(failed.value)
            == "The server answered 503 Service Unavailable"
        )
        assert str(unsent.value) == f"{failed.value}; next attempt in 30 seconds"
    # From here on nobody listens at this address.
    async with client_at(url, clock) as client:
        for _ in range(5):
            with pytest.raises(Unreachable, match="cannot be reached"):
                await client.catalogue_page(Label)
        with pytest.raises(CircuitOpen) as unsent:
            await client.catalogue_page(Label)
        assert unsent.value.problem == "The server cannot be reached"


async def test_a_request_by_hand_that_fails_otherwise_changes_the_problem() -> None:
    clock, server = Clock(), Server(answer(502, b""))
    async with patient_client(server, clock) as client:
        for _ in range(5):
            with pytest.raises(Unreachable):
                await client.catalogue_page(Label)
        server.answers = [answer(504, b"")]
        with urgent(), pytest.raises(Unreachable):
            await client.catalogue_page(Label)
        with pytest.raises(CircuitOpen, match="504 Gateway Timeout; next"):
            await client.catalogue_page(Label)


async def test_a_server_that_is_back_is_there_for_all() -> None:
    clock = Clock()
    server = Scripted(*[raw(b"", "502 Bad Gateway")] * 15, raw(EMPTY))
    async with serving(server) as url, client_at(url, clock) as client:
        for _ in range(5):
            with pytest.raises(Unreachable):
                await client.catalogue_page(Label)
        clock.seconds += 30
        for _ in range(3):
            await client.catalogue_page(Label)


async def test_whoever_tries_a_silent_server_and_is_called_back_leaves_it_to_the_next() -> None:
    waiting = asyncio.Event()
    bad = (raw(b"", "502 Bad Gateway"), HANG_UP)
    clock, script = Clock(), Scripted(*[bad] * 15, raw(EMPTY))

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(script.requests) == 15 and not waiting.is_set():
            waiting.set()
            await reader.read()
        else:
            await script(reader, writer)

    async with serving(talk) as url, client_at(url, clock) as client:
        for _ in range(5):
            with pytest.raises(Unreachable):
                await client.catalogue_page(Label)
        clock.seconds += 30
        trial = asyncio.create_task(client.catalogue_page(Label))
        await waiting.wait()
        trial.cancel()
        with pytest.raises(asyncio.CancelledError):
            await trial
        await client.catalogue_page(Label)


async def test_requests_that_are_called_back_leave_their_places_to_others() -> None:
    asked = asyncio.Semaphore(0)
    held = True

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.release()
        if held:
            await reader.read()
        writer.write(raw(EMPTY))
        await writer.drain()

    async with serving(talk) as url, client_at(url) as client:
        requests = [asyncio.create_task(client.catalogue_page(Label)) for _ in range(9)]
        # Six are asked at once.
        for _ in range(6):
            await asked.acquire()
        assert asked.locked()
        for request in requests:
            request.cancel()
        await asyncio.gather(*requests, return_exceptions=True)
        held = False
        await client.catalogue_page(Label)


# Requests by hand


async def test_a_request_by_hand_goes_through_an_open_circuit_breaker_and_closes_it_for_all() -> (
    None
):
    clock, server = Clock(), Server(answer(502, b""))
    async with patient_client(server, clock) as client:
        for _ in range(5):
            with pytest.raises(Unreachable):
                await client.catalogue_page(Label)
        server.answers = [answer()]
        with pytest.raises(CircuitOpen, match="next attempt in 30 seconds"):
            await client.catalogue_page(Label)
        with urgent():
            await client.catalogue_page(Label)
        await client.catalogue_page(Label)


async def test_a_request_by_hand_ends_the_pause_that_a_server_asked_for_and_no_longer_needs() -> (
    None
):
    clock = Clock()
    server = Server(answer(429, b"", retry_after="60"), answer())
    async with patient_client(server, clock) as client:
        with pytest.raises(Unreachable):
            await client.catalogue_page(Label)
        with urgent():
            await client.catalogue_page(Label)
        await client.catalogue_page(Label)
    assert clock.slept == []


@pytest.mark.parametrize(("status", "ends"), [(200, True), (399, True), (400, False), (404, False)])
async def test_a_request_by_hand_that_is_refused_ends_no_pause(status: int, ends: bool) -> None:
    server = Server(answer(429, b"", retry_after="60"))
    async with patient_client(server, Clock()) as client:
        with pytest.raises(Unreachable):
            await client.catalogue_page(Label)
        server.answers = [answer(status)]
        with urgent(), suppress(InboxError):
            await client.catalogue_page(Label)
        server.answers = [answer()]
        with nullcontext() if ends else pytest.raises(Unreachable, match="pause"):
            await client.catalogue_page(Team)


@given(
    st.sampled_from(
        [
            answer(502, b""),
            answer(503, b"", retry_after="60"),
            answer(429, b""),
            answer(429, b"", retry_after="60"),
            answer(429, b"", ratelimit='"default";r=0;t=60'),
        ]
    ),
    st.lists(st.floats(0, 40), max_size=12),
)
async def test_requests_by_hand_that_fail_never_make_the_others_wait_longer(
    failure: tuple[int, Mapping[str, str], bytes], presses: list[float]
) -> None:
    """The wait is measured by somebody who asks each second, as it is without the requests."""

    async def moments(by_hand: Sequence[float]) -> list[float]:
        clock, server = Clock(), Server(failure)
        asked = []
        async with patient_client(server, clock) as client:
            start = clock.seconds
            for second in range(120):
                for moment in by_hand:
                    if second - 1 < moment <= second:
                        clock.seconds = start + moment
                        with urgent(), suppress(Unreachable):
                            await client.catalogue_page(Label)
                clock.seconds = start + second
                before = len(server.asked)
                with suppress(Unreachable):
                    await client.catalogue_page(Label)
                if len(server.asked) > before:
                    asked.append(second)
        return asked

    # What is asked by hand before anything failed may begin a wait; here all came after.
    assert await moments([1.5 + moment for moment in presses]) == await moments([])


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"ratelimit-policy": '"default";q=600;w=60'}, 0.1),
        ({"ratelimit": '"default";r=50;t=25'}, 0.5),
        ({"ratelimit": '"default";r=50;t=1', "ratelimit-policy": '"default";q=600;w=60'}, 0.1),
        ({"ratelimit": '"default";r=0;t=7'}, 7.0),
        ({"x-ratelimit-remaining": "10", "x-ratelimit-reset": "30"}, 3.0),
        ({"ratelimit": "r=x;t=-1", "x-ratelimit-remaining": "ten"}, None),
    ],
)
def test_the_spacing_of_requests_uses_up_what_the_server_states(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert spacing(headers, NOW) == seconds
