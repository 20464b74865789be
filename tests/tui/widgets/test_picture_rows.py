"""Pictures as rows of a thread: exact width, the same height before and after they come."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from textual.strip import Strip

from frontdesk.pictures.cells import Drawing, PictureCell
from frontdesk.tui.widgets.message_list import MessageContext, message_lines
from frontdesk.tui.widgets.picture_rows import (
    DrawnPictures,
    PictureRow,
    PictureSize,
    ShownPicture,
    fit,
    segments_of,
    size_of,
)
from frontdesk.tui.widgets.text_layout import PICTURE, width_of
from frontdesk.wire import Media, Message
from tests.tui.drawn_messages import CLOCK

RED, BLUE = (200, 0, 0), (0, 0, 200)


def photo(**facts: object) -> Message:
    return Message.model_validate(
        {
            "id": "1",
            "type": "image",
            "direction": "inbound",
            "author": "contact",
            "created_at": "2026-03-14T09:39:00.000Z",
            "media": {"url": "/v1/media/a key", "mime_type": "image/jpeg", **facts},
        }
    )


def shown(width: int = 60, lines: int = 10, **facts: object) -> ShownPicture | None:
    message = photo(**facts)
    return ShownPicture.of(message, message.media or Media(), width, lines=lines)


@given(
    st.integers(1, 200),
    st.integers(0, 40),
    st.one_of(st.none(), st.integers(1, 30_000)),
    st.one_of(st.none(), st.integers(1, 30_000)),
)
def test_every_line_is_as_wide_as_the_thread(
    width: int, lines: int, wide: int | None, high: int | None
) -> None:
    context = MessageContext(CLOCK, contact="Ana", picture_lines=lines)
    drawn = message_lines(photo(width=wide, height=high), context, width)
    assert {width_of(line) for line in drawn} == {width}
    rows = [part for line in drawn for part, _ in line if part.startswith(PICTURE)]
    assert len(rows) <= lines
    assert [PictureRow.of(part).row for part in rows] == [*range(len(rows))]


@given(st.integers(1, 30_000), st.integers(1, 30_000), st.integers(8, 200), st.integers(1, 60))
def test_a_picture_keeps_its_shape_and_is_never_larger_than_it_is(
    width: int, height: int, columns: int, lines: int
) -> None:
    wide, high = fit(width, height, columns=columns, lines=lines)
    assert 1 <= wide <= columns
    assert 1 <= high <= lines
    assert wide == 1 or wide <= width / 10 + 0.5
    # In its own shape one of both fills its room, unless the picture is small.
    assert wide in (columns, round(width / 10) or 1) or high in (lines, round(height / 20) or 1)


def test_a_key_may_have_blanks() -> None:
    one = shown()
    assert one is not None
    assert {PictureRow.of(part).key for part, _ in one.rows} == {"a key"}


def test_a_document_that_is_a_picture_is_drawn_and_another_is_not() -> None:
    drawn = {
        mime: ShownPicture.of(document, document.media or Media(), 60, lines=10)
        for mime in ("image/png", "application/pdf")
        for document in [photo(mime_type=mime).model_copy(update={"type": "document"})]
    }
    assert [mime for mime, one in drawn.items() if one] == ["image/png"]


def test_what_does_not_come_and_what_is_too_narrow_is_a_card_alone() -> None:
    assert shown(status="available") is not None
    assert shown(status="pending") is not None
    assert shown(status="expired") is None
    assert shown(width=7) is None
    assert shown(lines=0) is None
    assert shown(mime_type="application/pdf") is not None, "a photo, whatever its type is called"


def test_messages_without_a_file_are_the_same_where_pictures_are_shown() -> None:
    text = photo().model_copy(update={"type": "text", "text": "hi", "media": None})
    contexts = [MessageContext(CLOCK, contact="Ana", picture_lines=lines) for lines in (0, 10)]
    assert message_lines(text, contexts[0], 60) == message_lines(text, contexts[1], 60)
    plain, pictures = (message_lines(photo(), context, 60) for context in contexts)
    assert len(plain) < len(pictures)


def test_neighbours_of_the_same_colours_are_one_segment() -> None:
    row = [PictureCell("▀", RED, BLUE), PictureCell("▄", RED, BLUE), PictureCell(" ", RED, RED)]
    segments = segments_of(row)
    assert [segment.text for segment in segments] == ["▀▄", " "]
    assert Strip(segments).cell_length == 3


def test_a_box_says_in_its_middle_why_it_is_empty_and_has_the_picture_in_its_place() -> None:
    pictures, size = DrawnPictures(), PictureSize(12, 3)
    one = ShownPicture("key", size)
    assert pictures.is_wanted(one)
    pictures.say("key", "No longer available", lasting=True)
    assert not pictures.is_wanted(one)
    words = [pictures.blank(part)[1] for part, _ in one.rows]
    assert {len(line) for line in words} == {12}
    assert [line.strip() for line in words] == ["No longer", "available", ""]
    pictures.put("key", size, Drawing([[PictureCell(" ", RED, RED)] * 12] * 3))
    assert pictures.state(one) is True
    rows = [pictures.row(part) for part, _ in one.rows]
    assert all(row == [Segment(" " * 12, row[0].style)] for row in rows if row)
    assert all(rows)


def a_drawing(number: int) -> Drawing:
    return Drawing([[PictureCell(" ", RED, None)]], number)


def test_of_many_pictures_the_oldest_are_dropped_and_wanted_again() -> None:
    pictures, size = DrawnPictures(), PictureSize(1, 1)
    dropped = []
    for number in range(100):
        dropped += pictures.put(str(number), size, a_drawing(number))
    assert dropped == [a_drawing(number) for number in range(36)]
    kept = [number for number in range(100) if pictures.state(ShownPicture(str(number), size))]
    assert kept == [*range(36, 100)]
    assert pictures.is_wanted(ShownPicture("0", size))


def test_a_picture_that_is_drawn_anew_drops_what_was_there() -> None:
    pictures, size = DrawnPictures(), PictureSize(1, 1)
    assert pictures.put("key", size, a_drawing(1)) == []
    assert pictures.put("key", size, a_drawing(2)) == [a_drawing(1)]
    assert pictures.clear() == [a_drawing(2)]
    assert pictures.is_wanted(ShownPicture("key", size))


def test_hidden_pictures_are_blank_boxes_and_are_not_wanted_again() -> None:
    pictures, one = DrawnPictures(), ShownPicture("key", PictureSize(1, 1))
    pictures.put(*one, a_drawing(1))
    pictures.hidden = True
    assert (pictures.state(one), pictures.row(one.rows[0][0])) == ("", None)
    assert not pictures.is_wanted(one)
    pictures.hidden = False
    assert pictures.state(one) is True


@pytest.mark.parametrize(
    ("room", "lines", "size"),
    [
        (7, 10, None),
        (8, 10, (8, 3)),
        (60, 10, (27, 10)),
        (47, 60, (47, 18)),
        (60, 60, (48, 18)),
        (60, 1, (3, 1)),
        (60, 0, None),
    ],
)
def test_a_picture_of_unknown_size_has_the_shape_of_most_photos_in_48_columns_at_most(
    room: int, lines: int, size: tuple[int, int] | None
) -> None:
    assert size_of(Media(), room, lines=lines) == size
    assert size_of(Media(width=1600), room, lines=lines) == size
    assert size_of(Media(width=1600, height=1200), room, lines=lines) == size
