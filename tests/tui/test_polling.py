"""Polling intervals, on a clock that tests advance."""

import asyncio
from datetime import UTC, timedelta
from pathlib import Path

import pytest
from textual import events

from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.polling import ASLEEP, IDLE, IN_USE, RESTING, PollingInterval
from tests.client.other_server import OtherServer, Question, Reply
from tests.conftest import NOW
from tests.soak.virtual_loop import VirtualLoop
from tests.tui.deviating_servers import client_of
from tests.tui.memory_inbox import WaitedCache, virtual_time

SECOND = timedelta(seconds=1)
STAGES = [
    (timedelta(), IN_USE),
    (timedelta(minutes=2), RESTING),
    (timedelta(minutes=30), IDLE),
    (timedelta(hours=3), ASLEEP),
]


class Tagged(OtherServer):
    """A server whose answers carry a tag, and that says when it still holds."""

    def _reply(self, question: Question) -> Reply:
        status, headers, body = super()._reply(question)
        tag = f'W/"{hash((question.name, question.id, tuple(question.query.items())))}"'
        if question.headers.get("if-none-match") == tag:
            return 304, {"etag": tag}, b""
        return status, {**headers, "etag": tag}, body


@pytest.mark.parametrize(("idle", "every"), STAGES)
@pytest.mark.parametrize(("in_full", "times"), [(False, 1), (True, 2)])
def test_the_longer_nobody_looks_the_less_is_asked(
    idle: timedelta, every: timedelta, in_full: bool, times: int
) -> None:
    pulse = PollingInterval(NOW)
    pulse.used(NOW)
    pulse.answered(NOW + idle, in_full=in_full)
    assert pulse.wait(NOW + idle) == every * times


def test_a_server_that_learns_to_say_unchanged_is_asked_as_often_as_others() -> None:
    pulse = PollingInterval(NOW)
    pulse.answered(NOW, in_full=True)
    pulse.answered(NOW)
    assert pulse.wait(NOW) == IN_USE


@pytest.mark.parametrize(("in_full", "late"), [(False, IN_USE), (True, IN_USE * 2)])
def test_a_key_asks_at_once_where_the_last_answer_is_too_old(
    in_full: bool, late: timedelta
) -> None:
    pulse = PollingInterval(NOW)
    pulse.answered(NOW, in_full=in_full)
    assert not pulse.used(NOW + late)
    assert pulse.used(NOW + late + SECOND)


def test_a_key_asks_nothing_while_an_answer_is_on_its_way() -> None:
    pulse = PollingInterval(NOW)
    pulse.asks(NOW)
    assert not pulse.used(NOW + 2 * IN_USE)
    pulse.answered(NOW + 2 * IN_USE)
    assert pulse.used(NOW + 4 * IN_USE)


def test_failures_are_not_waited_for_longer_where_answers_come_in_full() -> None:
    pulse = PollingInterval(NOW)
    pulse.answered(NOW, in_full=True)
    pulse.failed(NOW)
    assert pulse.wait(NOW) == timedelta(seconds=5)


def test_only_a_longer_pause_lengthens_a_wait_that_is_running_and_nothing_by_hand_does() -> None:
    pulse = PollingInterval(NOW)
    assert pulse.failed(NOW) == 5 * SECOND
    assert pulse.failed(NOW + SECOND) == 4 * SECOND
    assert pulse.failed(NOW + SECOND, 60 * SECOND, by_hand=True) == 4 * SECOND
    assert pulse.failed(NOW + SECOND, 30 * SECOND) == 30 * SECOND
    assert pulse.failed(NOW + SECOND, 2 * SECOND, by_hand=True) == 2 * SECOND
    assert pulse.failed(NOW + 3 * SECOND) == 5 * SECOND
    assert pulse.failed(NOW + 8 * SECOND) == 10 * SECOND


@pytest.mark.parametrize(("server", "wait"), [(OtherServer, 20), (Tagged, 10)])
def test_the_viewer_asks_a_server_half_as_often_that_sends_everything_each_time(
    server: type[OtherServer], wait: int, tmp_path: Path
) -> None:
    async def use(loop: VirtualLoop) -> None:
        elsewhere = server()
        cache = WaitedCache(tmp_path / "pages.db", "elsewhere")
        mailbox = Mailbox(lambda: client_of(elsewhere), cache, clock=loop.now)
        app = FrontdeskApp(mailbox, title="elsewhere", clock=Clock(UTC, loop.now))
        async with app.run_test():
            await asyncio.sleep(1.0)
            app.post_message(events.Key("ctrl+r", None))
            await asyncio.sleep(wait / 2)
            before = elsewhere.times_asked("conversations")
            await asyncio.sleep(3.0 * wait)
            assert elsewhere.times_asked("conversations") - before == 3
        cache.close()

    with virtual_time(0) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        runner.run(use(loop))


def test_the_background_waits_for_the_user_and_is_quiet_without_the_focus() -> None:
    polling = PollingInterval(NOW, quiet_unfocused=True)
    assert polling.is_busy(NOW + SECOND / 2)
    assert not polling.is_busy(NOW + SECOND)
    polling.used(NOW + SECOND)
    assert polling.is_busy(NOW + SECOND)
    polling.focus(False)
    assert polling.is_busy(NOW + timedelta(hours=1))


def test_requests_by_hand_make_no_later_wait_longer() -> None:
    polling = PollingInterval(NOW)
    first = polling.failed(NOW)
    for seconds in (1, 2, 3):
        left = polling.failed(NOW + seconds * SECOND, by_hand=True)
        assert left == first - seconds * SECOND
    assert polling.failed(NOW + first) == first
    # Without requests by hand, the back-off goes on.
    assert polling.failed(NOW + 2 * first) > first
