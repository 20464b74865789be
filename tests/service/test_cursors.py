"""Cursors cannot be made or changed by others, and fit one list only."""

import json
from base64 import urlsafe_b64decode

import pytest

from frontdesk.service.cursors import CursorCodec, CursorMismatch, InvalidCursor
from frontdesk.service.endpoint import Paging

MAX_LENGTH = 512

CODEC = CursorCodec(b"secret", 1, "conversations", {"status": "open"})


def nowhere(row_id):
    return None


def test_a_cursor_gives_back_the_position_it_was_made_from():
    assert CODEC.decode(CODEC.encode((1_773_480_600_000, 42)), nowhere) == (1_773_480_600_000, 42)


def test_text_of_any_script_is_a_position():
    position = ("日本語 – ñandú", "ü", 7)
    assert CODEC.decode(CODEC.encode(position), nowhere) == position


def test_a_cursor_is_short_and_needs_no_escaping():
    cursor = CODEC.encode(("x" * 10_000, 7))
    assert len(cursor) <= MAX_LENGTH
    assert all(letter.isalnum() or letter in "-_." for letter in cursor)


def test_a_key_too_long_to_carry_is_found_again_by_the_row():
    long = "x" * 10_000
    cursor = CODEC.encode((long, 7))
    assert CODEC.decode(cursor, {7: (long, 7)}.get) == (long, 7)
    with pytest.raises(InvalidCursor):
        CODEC.decode(cursor, nowhere)


def test_changing_any_letter_makes_a_cursor_unreadable():
    cursor = CODEC.encode((1_773_480_600_000, 42))
    for place, letter in enumerate(cursor):
        forged = cursor[:place] + ("A" if letter != "A" else "B") + cursor[place + 1 :]
        with pytest.raises(InvalidCursor):
            CODEC.decode(forged, nowhere)


@pytest.mark.parametrize("text", ["", ".", "..", "v1", "v1.e30", "v1..", "v2.e30.AAAA", "é.é.é"])
def test_a_cursor_that_was_not_issued_here_is_invalid(text: str):
    with pytest.raises(InvalidCursor):
        CODEC.decode(text, nowhere)


@pytest.mark.parametrize(
    "other",
    [
        CursorCodec(b"secret", 2, "conversations", {"status": "open"}),
        CursorCodec(b"secret", 1, "contacts", {"status": "open"}),
        CursorCodec(b"secret", 1, "conversations", {"status": "resolved"}),
        CursorCodec(b"secret", 1, "conversations", {}),
    ],
)
def test_a_cursor_of_another_account_endpoint_or_filter_does_not_fit(other: CursorCodec):
    with pytest.raises(CursorMismatch):
        CODEC.decode(other.encode((1, 2)), nowhere)


def test_a_cursor_of_another_database_is_unreadable():
    foreign = CursorCodec(b"other", 1, "conversations", {"status": "open"})
    with pytest.raises(InvalidCursor):
        CODEC.decode(foreign.encode((1, 2)), nowhere)


def test_a_cursor_is_signed_with_128_bits():
    version, payload, mac = CODEC.encode((1, 2)).split(".")
    assert version == "v1"
    assert len(urlsafe_b64decode(mac + "==")) == 16
    contents = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert (contents[:2], contents[3:]) == ([1, "conversations"], [1, 2])
    assert len(contents[2]) == 16


def test_filters_in_another_order_are_the_same_list():
    one = CursorCodec(b"secret", 1, "conversations", {"status": "open", "label": "vip"})
    other = CursorCodec(b"secret", 1, "conversations", {"label": "vip", "status": "open"})
    assert other.decode(one.encode((1, 2)), nowhere) == (1, 2)


@pytest.mark.parametrize(
    ("text", "fitting"),
    [("a", 9), ("🦆" * 400_000, 2), ("\x01" * 400_000, 1), ("é" * 9_000_000, 1)],
    ids=["short", "emoji", "escaped", "longer than a page"],
)
def test_a_page_ends_before_its_texts_are_too_long_but_has_a_row(text: str, fitting: int):
    rows = [{"id": id, "text": text, "name": None} for id in range(9)]
    page, cursor = Paging(None, 50, CODEC).split(rows, lambda row: (row["id"],))
    assert page == rows[:fitting]
    assert (cursor is None) == (fitting == 9)
    assert cursor is None or CODEC.decode(cursor, nowhere) == (fitting - 1,)
