"""What to do about an error is said where its own sentence does not say it."""

import pytest

from frontdesk.errors import (
    BadSettings,
    CacheBusy,
    CursorRefused,
    Forbidden,
    InboxError,
    NetworkMisconfigured,
    NotFound,
    NotOffered,
    Paused,
    Unauthorised,
    Unreachable,
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
