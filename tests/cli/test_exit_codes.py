"""The exit code of each outcome, and what is said of errors."""

import errno
import json

import click
import pytest

from frontdesk.cli.exit_codes import exit_code, guarded, json_errors, say
from frontdesk.errors import (
    BadResponse,
    BadSettings,
    CircuitOpen,
    CursorRefused,
    Forbidden,
    InboxError,
    NetworkMisconfigured,
    NoRoom,
    NotFound,
    NotOffered,
    Paused,
    Refused,
    Unauthorised,
    Unreachable,
    UnusableFile,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InboxError("x"), 1),
        (BadResponse("x"), 1),
        (Forbidden("x"), 1),
        (Unauthorised("x"), 1),
        (NotOffered("x"), 1),
        (NoRoom("x"), 1),
        (Refused("x", code="conflict"), 1),
        (Refused("x", code="not_invalid_"), 1),
        (Refused("x", code="invalid_filter"), 2),
        (BadSettings("x"), 2),
        (UnusableFile("x"), 2),
        (NetworkMisconfigured("x"), 2),
        (CursorRefused("x", code="cursor_mismatch"), 2),
        (Unreachable("x"), 3),
        (Paused("x", retry_after=5.0), 3),
        (CircuitOpen("x", retry_after=5.0, problem="y"), 3),
        (NotFound("x"), 4),
    ],
)
def test_each_failure_has_its_exit_code(error: InboxError, code: int) -> None:
    assert exit_code(error) == code

    def fails() -> None:
        raise error

    assert guarded(fails) == code


@pytest.mark.parametrize(("result", "code"), [(None, 0), (0, 0), (3, 3), ("words", 0)])
def test_work_that_ends_has_the_code_that_it_returns(result: object, code: int) -> None:
    assert guarded(lambda: result) == code


def test_an_interruption_is_130_and_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    assert guarded(interrupted) == 130
    assert capsys.readouterr() == ("", "")


def test_a_failure_is_said_on_one_line_without_controls(capsys: pytest.CaptureFixture[str]) -> None:
    def fails() -> None:
        raise BadSettings("no\x1b[31m\nsuch file")

    assert guarded(fails) == 2
    assert capsys.readouterr() == ("", "frontdesk: no\ufffd[31m such file\n")
    say("two\n lines \x07")
    assert capsys.readouterr().err == "frontdesk: two lines \ufffd\n"


@pytest.mark.parametrize(
    "number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS]
)
def test_a_full_disk_is_said(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    def fails() -> None:
        raise OSError(number, "No room")

    assert guarded(fails) == 1
    assert capsys.readouterr().err == (
        "frontdesk: The output cannot be written: No room; make room, then run it again\n"
    )


def test_a_closed_pipe_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    def fails() -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    assert guarded(fails) == 0
    assert capsys.readouterr().err == ""


def test_errors_in_json_have_code_message_hint_and_pause(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for error, code, members in [
        (Paused("Wait", retry_after=5.0), 3, {"message": "Wait", "retry_after": 5.0}),
        (NotFound("No\nsuch row"), 4, {"message": "No such row", "retry_after": None}),
        (click.UsageError("No such option"), 2, {"code": "usage", "message": "No such option"}),
    ]:
        with pytest.raises(click.exceptions.Exit) as ended, json_errors(enabled=True):
            raise error
        assert ended.value.exit_code == code
        said = json.loads(capsys.readouterr().err)["error"]
        assert list(said) == ["code", "message", "hint", "retry_after"]
        assert said.items() >= members.items()


def test_errors_that_are_not_wanted_in_json_go_on() -> None:
    for error in (NotFound("No such row"), click.UsageError("No such option")):
        with pytest.raises(type(error)), json_errors(enabled=False):
            raise error
