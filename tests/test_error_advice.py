"""What to do about an error is said where its own sentence does not say it."""

import errno
import json

import click
import pytest

from frontdesk.cli.exit_codes import exit_code, guarded, json_errors, say
from frontdesk.errors import (
    ME_UNAVAILABLE,
    NOBODY_IS_ME,
    BadResponse,
    BadSettings,
    CacheBusy,
    CursorRefused,
    Forbidden,
    InboxError,
    NetworkMisconfigured,
    NotFound,
    NothingRead,
    NotOffered,
    Paused,
    QueryTimeout,
    Refused,
    Unauthorised,
    Unreachable,
    UnusableFile,
    advice,
)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Unreachable("x"), "Try again later."),
        (Unreachable("x", retry_after=2.6), "Try again in 3 s."),
        (Paused("x", retry_after=0), "Try again in 1 s."),
        (CacheBusy("x"), "Try again later."),
        (NetworkMisconfigured("x"), "Do not retry: the settings have to change."),
        (CursorRefused("x", code="invalid_cursor"), "Begin again without a cursor."),
        (Forbidden("It lacks notes:read", scope="notes:read"), "Do not retry with this key."),
        (Forbidden("x"), "Do not retry with this key."),
        (Forbidden("x", scope="a:read"), "Do not retry: a key with the scope a:read is needed."),
        (NotOffered("x"), "Do not retry: this server does not have it."),
        (NotFound("x"), ""),
        (BadSettings("x"), ""),
    ],
)
def test_advice_says_if_and_when_to_try_again(error: InboxError, words: str) -> None:
    assert advice(error) == words


def test_a_refused_key_is_replaced_by_a_command() -> None:
    assert "frontdesk profiles add NAME --replace --url URL" in advice(Unauthorised("x"))


FAILURES: list[tuple[InboxError, int]] = [
    (BadSettings("x"), 2),
    (UnusableFile("x"), 2),
    (NetworkMisconfigured("x"), 2),
    (CursorRefused("x", code="gone"), 2),
    (Refused("x", code="invalid_filter"), 2),
    (Refused("x", code="assignee_me_unavailable"), 1),
    (Unreachable("x"), 3),
    (QueryTimeout("x"), 3),
    (NotFound("x"), 4),
    (NotOffered("x"), 1),
    (Forbidden("x"), 1),
    (Unauthorised("x"), 1),
    (BadResponse("x"), 1),
    (NothingRead("x"), 1),
    (CacheBusy("x"), 1),
]


@pytest.mark.parametrize(("error", "code"), FAILURES, ids=lambda value: type(value).__name__)
def test_the_exit_code_of_a_failure_says_if_it_may_go_away(
    error: InboxError, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error

    assert exit_code(error) == guarded(fail) == code
    sentence = NOBODY_IS_ME if isinstance(error, Refused) and error.code == ME_UNAVAILABLE else "x"
    assert capsys.readouterr().err == f"frontdesk: {sentence}\n"


@pytest.mark.parametrize(
    ("result", "code"), [(None, 0), (0, 0), (3, 3), ("words", 0), (KeyboardInterrupt(), 130)]
)
def test_work_that_does_not_fail_has_its_own_exit_code(result: object, code: int) -> None:
    def work() -> object:
        if isinstance(result, BaseException):
            raise result
        return result

    assert guarded(work) == code


@pytest.mark.parametrize(
    "number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS]
)
def test_a_full_disk_is_said(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    def write() -> None:
        raise OSError(number, "no\nroom")

    assert guarded(write) == 1
    words = "The output cannot be written: no room; make room, then run it again"
    assert capsys.readouterr().err == f"frontdesk: {words}\n"


def test_a_closed_pipe_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    def write() -> None:
        raise BrokenPipeError

    assert guarded(write) == 0
    assert capsys.readouterr().err == ""


def test_what_is_said_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\nb\x1b[2J")
    assert capsys.readouterr().err == "frontdesk: a b\ufffd[2J\n"


@pytest.mark.parametrize(
    ("error", "members", "code"),
    [
        (
            Unreachable("No\nanswer", retry_after=2.5),
            {"code": "unreachable", "message": "No answer", "hint": "Try again in 2 s."},
            3,
        ),
        (NotFound("x"), {"code": "not_found", "message": "x", "hint": None}, 4),
        (
            Refused("x", code=ME_UNAVAILABLE),
            {"code": ME_UNAVAILABLE, "message": NOBODY_IS_ME, "hint": None},
            1,
        ),
        (click.UsageError("x"), {"code": "usage", "message": "x", "hint": None}, 2),
    ],
)
def test_a_failure_is_an_object_for_programs(
    error: Exception,
    members: dict[str, object],
    code: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(click.exceptions.Exit) as ended, json_errors(enabled=True):
        raise error
    assert ended.value.exit_code == code
    retry_after = getattr(error, "retry_after", None)
    written = json.loads(capsys.readouterr().err)
    assert written == {"error": {**members, "retry_after": retry_after}}
    with pytest.raises(type(error)), json_errors(enabled=False):
        raise error
    assert capsys.readouterr().err == ""
