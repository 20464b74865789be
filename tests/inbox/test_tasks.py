"""Procedures that wait: one of a kind, in order, and late answers that nobody waits for."""

from collections.abc import Callable

import pytest

from frontdesk.errors import InboxError, Unreachable
from frontdesk.inbox.requests import Ended, Kind, Steps, Until, ask, rows_known
from frontdesk.inbox.tasks import Asked, Stop, Tasks
from tests.inbox.asked import FindMe, described

DOWN = Unreachable("The server does not answer")


class Log:
    """What procedures did, on a clock that is set."""

    def __init__(self) -> None:
        self.now, self.done = 0.0, list[str]()
        self.tasks = Tasks(lambda: self.now)

    def start(self, kind: Kind, steps: Callable[["Log"], Steps[None]], **options: bool) -> None:
        self.tasks.start(kind, steps(self), **options)

    def asked(self) -> Asked:
        """The request that was handed out last, and no other."""
        (asked,) = (one for one in self.tasks.take() if isinstance(one, Asked))
        return asked


def asks(log: Log) -> Steps[None]:
    try:
        answer = yield from ask(lambda server: server.find_me())
    except InboxError as error:
        log.done.append(f"failed: {error}")
    else:
        log.done.append(f"answered {answer}")


def test_the_first_step_is_done_when_a_procedure_has_been_started() -> None:
    log = Log()
    log.start(Kind.RESCAN, asks, urgent=True)
    asked = log.asked()
    assert (described(asked.request), asked.kind, asked.urgent) == (FindMe(), Kind.RESCAN, True)
    assert Kind.RESCAN in log.tasks


def test_an_answer_ends_the_wait_and_a_second_one_is_dropped() -> None:
    log = Log()
    log.start(Kind.RESCAN, asks)
    asked = log.asked()
    log.tasks.answer(asked, 1)
    log.tasks.answer(asked, 2)
    assert log.done == ["answered 1"]
    assert Kind.RESCAN not in log.tasks


def test_a_failure_is_raised_in_the_procedure() -> None:
    log = Log()
    log.start(Kind.RESCAN, asks)
    log.tasks.fail(log.asked(), DOWN)
    assert log.done == ["failed: The server does not answer"]


def test_a_newer_procedure_takes_the_place_of_its_kind_and_late_answers_are_dropped() -> None:
    log = Log()
    log.start(Kind.RESCAN, asks)
    first = log.asked()
    log.start(Kind.RESCAN, asks)
    stop, second = log.tasks.take()
    assert stop == Stop(first)
    assert isinstance(second, Asked)
    log.tasks.answer(first, "late")
    log.tasks.fail(first, DOWN)
    assert log.done == []
    log.tasks.answer(second, "there")
    assert log.done == ["answered there"]


def test_procedures_of_other_kinds_go_on() -> None:
    log = Log()
    log.start(Kind.RESCAN, asks)
    scan = log.asked()
    log.start(Kind.OLDER, asks)
    assert log.tasks.stop(Kind.OLDER)
    assert not log.tasks.stop(Kind.OLDER)
    log.tasks.answer(scan, 1)
    assert log.done == ["answered 1"]


def test_a_procedure_goes_on_at_its_time_and_not_before() -> None:
    def waits(log: Log) -> Steps[None]:
        yield Until(2.0)
        log.done.append("it is time")

    log = Log()
    log.start(Kind.RESCAN, waits)
    assert log.tasks.wake_at == 2.0
    log.now = 1.9
    log.tasks.advance()
    assert log.done == []
    log.now = 2.0
    log.tasks.advance()
    assert log.done == ["it is time"]
    assert log.tasks.wake_at is None


@pytest.mark.parametrize("known", [True, False])
def test_what_waits_for_the_rows_is_told_if_they_came(known: bool) -> None:
    def waits(log: Log) -> Steps[None]:
        came = yield from rows_known()
        log.done.append(f"known: {came}")

    log = Log()
    log.start(Kind.FIND, waits)
    assert log.tasks.waits_for_rows(Kind.FIND)
    assert not log.tasks.waits_for_rows(Kind.RESCAN)
    log.tasks.rows_known(known)
    assert log.done == [f"known: {known}"]


def after_the_scan(log: Log) -> Steps[None]:
    yield Ended(Kind.RESCAN)
    log.done.append("after the scan")


@pytest.mark.parametrize("how", ["answered", "failed", "stopped"])
def test_what_waits_for_the_end_of_another_goes_on_however_that_ends(how: str) -> None:
    log = Log()
    log.start(Kind.RESCAN, asks)
    asked = log.asked()
    log.start(Kind.FIND, after_the_scan)
    assert "after the scan" not in log.done
    if how == "stopped":
        log.tasks.stop(Kind.RESCAN)
    elif how == "failed":
        log.tasks.fail(asked, DOWN)
    else:
        log.tasks.answer(asked, 1)
    assert log.done[-1] == "after the scan"


def test_what_waits_for_the_end_of_another_goes_on_when_that_is_replaced() -> None:
    log = Log()
    log.start(Kind.RESCAN, asks)
    log.start(Kind.FIND, after_the_scan)
    log.tasks.take()
    log.start(Kind.RESCAN, asks)
    assert log.done == ["after the scan"]


def test_nothing_is_waited_for_that_does_not_run() -> None:
    log = Log()
    log.start(Kind.FIND, after_the_scan)
    assert log.done == ["after the scan"]


def test_a_procedure_may_end_itself() -> None:
    def ends(log: Log) -> Steps[None]:
        log.tasks.stop(Kind.RESCAN)
        try:
            yield from ask(lambda server: server.find_me())
        finally:
            log.done.append("closed")

    log = Log()
    log.start(Kind.RESCAN, ends)
    assert log.done == ["closed"]
    assert Kind.RESCAN not in log.tasks
    assert log.tasks.take() == []


def test_a_bug_in_a_procedure_is_raised_and_ends_it() -> None:
    def breaks(log: Log) -> Steps[None]:
        yield from ask(lambda server: server.find_me())
        raise ZeroDivisionError

    log = Log()
    log.start(Kind.RESCAN, breaks)
    with pytest.raises(ZeroDivisionError):
        log.tasks.answer(log.asked(), None)
    assert Kind.RESCAN not in log.tasks


def test_the_beginning_of_what_runs_is_known_by_its_kind() -> None:
    log = Log()
    log.now = 5.0
    log.start(Kind.RESCAN, asks)
    log.now = 9.0
    log.start(Kind.OLDER, asks)
    assert [log.tasks.since(kind) for kind in (Kind.RESCAN, Kind.OLDER)] == [5.0, 9.0]
    assert log.tasks.since(Kind.REFRESH) is None
    log.tasks.stop(Kind.RESCAN)
    assert log.tasks.since(Kind.RESCAN) is None
