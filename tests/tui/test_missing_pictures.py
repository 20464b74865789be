"""Why a picture is not shown, and whether another try helps."""

import pytest

from frontdesk.errors import (
    FileTooLarge,
    FileUnavailable,
    Forbidden,
    InboxError,
    NotFound,
    Unreachable,
    UnusableFile,
)
from frontdesk.tui import sentences
from frontdesk.tui.pictures import is_lasting, why_missing


@pytest.mark.parametrize(
    ("error", "words", "lasting"),
    [
        (FileUnavailable("x", status="pending"), sentences.FILE_PENDING, False),
        (FileUnavailable("x", status="expired"), sentences.FILE_EXPIRED, True),
        (FileUnavailable("x", status="lost at sea"), sentences.FILE_FAILED, True),
        (FileUnavailable("x", status="preview"), sentences.NO_PICTURE_OF_FILE, True),
        (NotFound("x"), sentences.FILE_REMOVED, True),
        (Forbidden("x"), sentences.FILES_FORBIDDEN, True),
        (FileTooLarge("x"), sentences.FILE_TOO_LARGE, True),
        (UnusableFile("x"), sentences.PICTURE_UNUSABLE, True),
        (Unreachable("x"), sentences.FILE_NOT_HERE, False),
    ],
)
def test_each_reason_has_its_words_and_only_some_pass(
    error: InboxError, words: str, lasting: bool
) -> None:
    assert words
    assert why_missing(error) == words
    assert is_lasting(error) == lasting
