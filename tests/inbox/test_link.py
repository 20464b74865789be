"""Connection, polling and back-off: when the list is requested, and what is said of it."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.errors import (
    BadResponse,
    CircuitOpen,
    CursorRefused,
    Forbidden,
    InboxError,
    NetworkMisconfigured,
    NotFound,
    Paused,
    Refused,
    Unauthorised,
    Unreachable,
)
from frontdesk.inbox.link import Link, Phase, is_passing, problem_words
from tests.conftest import NOW

SECOND = timedelta(seconds=1)
AWAY = Unreachable("No answer")
POLL, FOLLOWED = 30 * SECOND, 3600 * SECOND


def pause(seconds: float) -> Unreachable:
    return Unreachable("Too many requests", retry_after=seconds)


def live() -> Link:
    return Link.at(NOW).asks(NOW).answered(NOW)


@pytest.mark.parametrize("idle", [timedelta(), timedelta(hours=1), timedelta(days=3)])
def test_the_list_is_asked_for_as_often_whether_somebody_looks_or_not(idle: timedelta) -> None:
    link = Link.at(NOW).used(NOW).asks(NOW).answered(NOW + idle)
    for focused in (True, False):
        assert link.focuses(focused).poll_in(NOW + idle) == POLL
        followed = link.focuses(focused)._replace(followed=True)
        assert followed.poll_in(NOW + idle) == FOLLOWED


def test_nothing_is_asked_while_an_answer_is_on_its_way() -> None:
    assert live().asks(NOW).poll_in(NOW) is None


def test_only_a_longer_pause_lengthens_a_wait_that_is_running_and_nothing_by_hand_does() -> None:
    link = live().failed(NOW, AWAY)
    for after, error, by_hand, left in (
        (0, AWAY, False, 5),
        (1, AWAY, False, 4),
        (1, pause(60), True, 4),
        (1, pause(30), False, 30),
        (1, pause(2), True, 2),
        (3, AWAY, False, 5),
        (8, AWAY, False, 10),
    ):
        now = NOW + after * SECOND
        link = link.failed(now, error, by_hand=by_hand) if after else link
        assert link.poll_in(now) == left * SECOND


def test_requests_by_hand_make_no_later_wait_longer() -> None:
    link = live().failed(NOW, AWAY)
    for seconds in (1, 2, 3):
        link = link.failed(NOW + seconds * SECOND, AWAY, by_hand=True)
        assert link.poll_in(NOW + seconds * SECOND) == (5 - seconds) * SECOND
    link = link.failed(NOW + 5 * SECOND, AWAY)
    assert link.poll_in(NOW + 5 * SECOND) == 5 * SECOND
    # Without requests by hand, the back-off goes on.
    assert link.failed(NOW + 10 * SECOND, AWAY).poll_in(NOW + 10 * SECOND) == 10 * SECOND


def test_a_pause_of_a_server_is_limited_to_an_hour() -> None:
    link = live().failed(NOW, pause(10**9))
    assert link.poll_in(NOW) == timedelta(hours=1)
    assert live().failed(NOW, pause(-5)).poll_in(NOW) == 5 * SECOND


def test_the_background_waits_for_the_user_and_is_quiet_without_the_focus() -> None:
    link = Link.at(NOW, quiet_unfocused=True)
    assert link.is_busy(NOW + SECOND / 2)
    assert not link.is_busy(NOW + SECOND)
    link = link.used(NOW + SECOND)
    assert link.is_busy(NOW + SECOND)
    assert link.focuses(False).is_busy(NOW + timedelta(hours=1))


def test_nothing_is_asked_before_there_is_a_connection_nor_with_a_refused_key() -> None:
    link = Link.at(NOW).begins(NOW, "connecting…", connected=False)
    assert link.poll_in(NOW) is None
    assert link.words(NOW + 9 * SECOND, "") == [("dim", "connecting…")]
    refused = live().failed(NOW, Unauthorised("no"))
    assert refused.poll_in(NOW) is None
    shown = refused.begins(NOW, connected=True)
    assert shown.refused
    assert shown.poll_in(NOW) is None
    assert shown.words(NOW, "") == [("error", "key refused (401)")]


MINUTE = timedelta(minutes=1)


def said(link: Link, after: timedelta = timedelta(), age: str = "10:00") -> str:
    return "".join(words for _, words in link.words(NOW + after, age))


@pytest.mark.parametrize(
    ("link", "after", "words"),
    [
        (live(), timedelta(), "live"),
        (live(), 59 * SECOND, "live"),
        (live(), MINUTE, "live"),
        (live().asks(NOW), SECOND / 2, "live"),
        (live().asks(NOW), 2 * SECOND, "live"),
        (live().asks(NOW), 3 * SECOND, "live · asking… 3 s"),
        (Link.at(NOW).begins(NOW, connected=True), timedelta(), "as of 10:00 · loading…"),
        (Link.at(NOW).begins(NOW, connected=True), SECOND, "as of 10:00 · loading… 1 s"),
        (
            Link.at(NOW).begins(NOW, "connecting…", connected=False),
            MINUTE,
            "as of 10:00 · connecting…",
        ),
        (live().failed(NOW, AWAY), timedelta(), "offline · as of 10:00 · retrying in 5 s"),
        (live().failed(NOW, AWAY), 4.5 * SECOND, "offline · as of 10:00 · retrying in 1 s"),
        (live().failed(NOW, AWAY), 5 * SECOND, "offline · as of 10:00"),
        (
            live().failed(NOW, AWAY).asks(NOW),
            timedelta(),
            "offline · as of 10:00 · retrying now…",
        ),
        (
            live().failed(NOW, AWAY).tried_by_user(1),
            timedelta(),
            "offline · as of 10:00 · retrying now…",
        ),
        (
            live().failed(NOW, AWAY).asks(NOW),
            2 * SECOND,
            "offline · as of 10:00 · retrying now… 2 s",
        ),
        (live().failed(NOW, pause(30)), timedelta(), "slow down · retrying in 30 s"),
        (
            live().failed(NOW, BadResponse("?")),
            timedelta(),
            "unreadable answer · as of 10:00 · retrying in 5 s",
        ),
        (
            live().failed(NOW, Forbidden("?")),
            timedelta(),
            "not allowed (403) · as of 10:00 · retrying in 5 s",
        ),
        (
            live().failed(NOW, NotFound("?")),
            timedelta(),
            "no inbox here (404) · as of 10:00 · retrying in 5 s",
        ),
        (
            live().failed(NOW, Refused("?", code="x")),
            timedelta(),
            "request refused · as of 10:00",
        ),
        (
            live().failed(NOW, CircuitOpen("open", retry_after=9.0)),
            timedelta(),
            "offline · as of 10:00 · retrying in 5 s",
        ),
    ],
)
def test_the_state_is_said_in_words(link: Link, after: timedelta, words: str) -> None:
    assert said(link, after) == words


def test_without_the_focus_a_retry_waits_for_it() -> None:
    link = Link.at(NOW, quiet_unfocused=True).asks(NOW).failed(NOW, AWAY).focuses(False)
    assert said(link) == "offline · as of 10:00 · paused until this terminal has the focus"
    assert (link.poll_in(NOW), link.counts_down(NOW)) == (None, False)
    assert link.focuses(True).counts_down(NOW)


def test_a_retry_is_urgent_once_its_countdown_has_ended_unless_the_server_asked_for_a_pause() -> (
    None
):
    link = live().failed(NOW, AWAY)
    assert [link.is_urgent(NOW + n * SECOND) for n in (4, 5, 6)] == [False, True, True]
    assert not live().failed(NOW, pause(2)).is_urgent(NOW + 9 * SECOND)
    assert not live().is_urgent(NOW + 9 * SECOND)


def test_a_back_off_grows_to_a_minute() -> None:
    link, now, waits = live(), NOW, []
    for _ in range(7):
        link = link.failed(now, AWAY)
        wait = link.poll_in(now)
        assert wait is not None
        waits.append(wait // SECOND)
        now += wait
    assert waits == [5, 10, 20, 40, 60, 60, 60]
    assert link.answered(now).failed(now, AWAY).poll_in(now) == 5 * SECOND


def test_what_fails_beside_the_list_says_something_about_it_only_if_the_server_is_away() -> None:
    away = live().failed_beside_list(NOW, AWAY)
    assert (away.failing, away.poll_in(NOW)) == (True, 5 * SECOND)
    # The list was answered meanwhile: such requests alone fail.
    only = away.answered(NOW).failed_beside_list(NOW, AWAY)
    assert (only.failing, said(only)) == (False, "live")
    assert only.succeeded_beside().failed_beside_list(NOW, AWAY).failing
    for error in (Forbidden("no"), NotFound("no")):
        link = live().failed_beside_list(NOW, error)
        assert (link.failing, said(link), link.problem) == (False, "live", "no")
    refused = live().asks(NOW).failed_beside_list(NOW, Unauthorised("no"))
    assert (refused.refused, refused.asking) == (True, False)
    unread = live().failed_beside_list(NOW, BadResponse("?"))
    assert (unread.failing, said(unread)) == (False, "unreadable answer · as of 10:00")
    assert not live()._replace(retries=False).failed_beside_list(NOW, AWAY).failing


EVENTS = st.one_of(
    st.tuples(st.just("answered"), st.just(None)),
    st.tuples(
        st.sampled_from(["failed", "by hand", "beside"]),
        st.sampled_from(
            [
                *(AWAY, pause(30), pause(2), CircuitOpen("open", retry_after=9.0)),
                *(BadResponse("a page"), Refused("no", code="x"), CursorRefused("c", code="y")),
                *(Forbidden("no"), NotFound("no")),
            ]
        ),
    ),
    st.tuples(st.just("shows"), st.just(None)),
)


@given(st.lists(st.tuples(EVENTS, st.integers(0, 40)), max_size=25))
def test_live_is_said_of_answers_alone_and_a_countdown_never_grows_by_hand(
    story: list[tuple[tuple[str, InboxError | None], int]],
) -> None:
    link, now = live(), NOW
    for (what, error), seconds in story:
        now += seconds * SECOND
        before = link
        if what == "answered":
            link = link.asks(now).answered(now)
        elif what == "shows":
            link = link.begins(now, connected=True)
        elif error is not None and what == "beside":
            link = link.failed_beside_list(now, error)
        elif error is not None:
            link = link.asks(now).failed(now, error, by_hand=what == "by hand")
        words = "".join(part for _, part in link.words(now, "10:00"))
        assert words.startswith("live") == (link.live_at is not None)
        if what not in ("answered", "beside"):
            assert not words.startswith("live")
        if what == "by hand" and before.failing and now < before.not_before:
            assert link.not_before <= before.not_before or not link.failing
        left = link.poll_in(now)
        assert left is None or left >= SECOND
        # Whatever is not asked for by itself is being asked for, or cannot succeed.
        assert left is not None or link.asking or link.phase is Phase.STOPPED


@pytest.mark.parametrize("link", [live(), live().asks(NOW).failed(NOW, AWAY)])
def test_a_clock_that_is_put_back_makes_no_wait_longer(link: Link) -> None:
    assert link.poll_in(NOW - timedelta(hours=2)) == link.poll_in(NOW)


def test_rows_that_another_plan_makes_void_are_loading_again() -> None:
    lost = live().loses_rows()
    assert (lost.phase, lost.live_at, lost.activity) == (Phase.BEGUN, None, "loading…")
    new = Link.at(NOW)
    for link in (new, live().failed(NOW, AWAY), live().failed(NOW, Unauthorised("No key"))):
        assert link.loses_rows().phase is link.phase is not Phase.LIVE


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        (AWAY, True),
        (pause(5), True),
        (CircuitOpen("x", retry_after=1.0, problem="y"), True),
        (NetworkMisconfigured("x"), False),
        (BadResponse("x"), False),
        (Unauthorised("x"), False),
    ],
)
def test_only_what_may_pass_by_itself_is_said_in_the_status_line_alone(
    error: InboxError, passing: bool
) -> None:
    assert is_passing(error) is passing


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Unreachable("No\x07 answer"), "No\ufffd answer"),
        (Paused("Wait 5 seconds", retry_after=5.0), "The server asks for a pause"),
        (CircuitOpen("Next in 5", retry_after=5.0, problem="No answer"), "No answer"),
        (
            Unauthorised("The key has expired."),
            "The key has expired (frontdesk doctor says where the key comes from)",
        ),
    ],
)
def test_a_failure_is_said_in_the_panes_without_the_time_of_the_next_try(
    error: InboxError, words: str
) -> None:
    assert problem_words(error) == words
