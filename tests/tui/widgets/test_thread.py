"""Entries of a thread, and the lines between them: days, the unread line, the start."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment

from frontdesk.inbox.rows import FixedRows
from frontdesk.pictures.cells import Drawing, PictureCell
from frontdesk.text.entries import NewSinceVisit
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.message_list import Entry, Thread, ThreadContents
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.wire import Media, MediaText, Message, MessagePreview, Note, Reaction, Ref
from tests.tui.conftest import settle
from tests.tui.memory_inbox import virtual_time
from tests.tui.screen_text import strips
from tests.tui.texts import drawn_text
from tests.tui.widgets.test_partial_repaints import OneWidgetApp

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
CLOCK = Clock(UTC, lambda: NOW)


class Unseen(Thread):
    """A thread that is on no screen."""

    def refresh(self, *arguments: Any, **options: Any) -> Self:
        return self

    def segments(self, pieces: Iterable[Piece], ground: str = "ground") -> list[Segment]:
        return [Segment(text) for _, text in pieces]


def said(number: int, *, ago: float, text: str = "hi", direction: str = "inbound") -> Message:
    at = (NOW - timedelta(minutes=ago)).isoformat()
    author = "contact" if direction == "inbound" else "user"
    return Message(id=str(number), direction=direction, author=author, text=text, created_at=at)


def keyed(*entries: Entry) -> FixedRows[Entry]:
    return FixedRows([(f"{type(entry).__name__} {entry.id}", entry) for entry in entries])


def thread(*entries: Entry, unread: int = 0, top_word: str = "the start") -> Thread:
    widget = Unseen(CLOCK, unfold_key="space")
    widget.open(ThreadContents(keyed(*entries), "Sheena", NewSinceVisit(unread), top_word))
    return widget


def drawn(widget: Thread, position: int, width: int = 40) -> list[str]:
    lines = ["".join(text for _, text in line) for line in widget.draw(position, width)]
    assert lines
    assert [cell_len(line) for line in lines] == [width] * len(lines)
    return [line.strip(" ─━") for line in lines]


def test_the_first_entry_stands_under_the_start_and_its_day() -> None:
    assert drawn(thread(said(1, ago=5)), 0) == [
        "the start",
        "Saturday 14 March 2026",
        "│ Sheena                          09:55",
        "│ hi",
    ]


def test_the_name_of_a_file_is_found() -> None:
    document = Media(filename="refund-VD-49284.pdf")
    changes = {"type": "document", "media": document}
    words = thread(said(1, ago=5, text="Here it is").model_copy(update=changes)).words_at(0)
    assert words.startswith("[document · refund-VD-49284.pdf] Here it is")


def test_a_message_without_text_is_copied_in_words() -> None:
    changes = {"type": "image", "media": Media(filename="a.jpg"), "text": None}
    assert thread(said(1, ago=5).model_copy(update=changes)).copied() == "[photo · a.jpg]"
    assert thread(said(1, ago=5, text="Here it is")).copied() == "Here it is"


def test_the_start_can_turn_out_to_be_further_up() -> None:
    widget = thread(said(1, ago=5))
    widget.say_at_top("older messages above")
    assert drawn(widget, 0)[0] == "older messages above"
    assert drawn(thread(said(1, ago=5), top_word=""), 0)[0] == "Saturday 14 March 2026"


def test_entries_of_five_minutes_share_a_head_and_those_of_one_day_a_day() -> None:
    widget = thread(said(1, ago=12), said(2, ago=7), said(3, ago=1))
    assert drawn(widget, 1) == ["│ hi                              09:53"]
    assert drawn(widget, 2) == ["│ Sheena                          09:59", "│ hi"]


def test_another_day_has_its_name_and_a_head() -> None:
    widget = thread(said(1, ago=11 * 60), said(2, ago=9.9 * 60))
    assert drawn(widget, 1)[0] == "Saturday 14 March 2026"
    assert "00:06" in drawn(widget, 1)[1]


def test_a_note_stands_in_its_place_in_time() -> None:
    note = Note(id="1", text="call back", created_at=(NOW - timedelta(minutes=4)).isoformat())
    widget = thread(said(1, ago=5), note, said(2, ago=3))
    assert drawn(widget, 1) == ["NOTE  Agent                       09:56", "call back"]


@pytest.mark.parametrize(("unread", "first"), [(1, 3), (2, 1)])
def test_the_unread_line_stands_over_the_first_unread_message(unread: int, first: int) -> None:
    widget = thread(
        said(1, ago=9),
        said(2, ago=7),
        said(3, ago=6, direction="outbound"),
        said(4, ago=5),
        unread=unread,
    )
    tops = [drawn(widget, position)[0] for position in range(4)]
    assert tops.index(f"{unread} new") == first
    assert widget.cursor == first


def test_the_line_waits_for_the_new_messages_and_the_reader_stays_at_the_end() -> None:
    known = [said(1, ago=60), said(2, ago=50, direction="outbound")]
    newest = MessagePreview.model_validate(
        said(4, ago=1).model_dump(include={*MessagePreview.model_fields})
    )
    widget = Unseen(CLOCK, unfold_key="space")
    widget.open(ThreadContents(keyed(*known), "Ana", NewSinceVisit(2, newest, "2"), ""))
    assert not any("new" in line for at in (0, 1) for line in drawn(widget, at))
    assert widget.cursor == 1
    widget.replace_rows(keyed(*known, said(3, ago=2), said(4, ago=1)))
    assert [drawn(widget, at)[0] for at in range(4)].index("2 new") == 2
    assert widget.cursor == 3
    widget.replace_rows(keyed(*known, said(3, ago=2), said(4, ago=1), said(5, ago=0)))
    assert drawn(widget, 2)[0] == "2 new"


def test_one_line_has_the_day_and_the_number_of_new_messages() -> None:
    widget = thread(said(1, ago=11 * 60), said(2, ago=5), unread=1)
    day, *_ = drawn(widget, 1, 60)
    assert day.startswith("Saturday 14 March 2026 ")
    assert day.endswith(" 1 new")


def reacted(number: int, emoji: str, *, ago: float = 1) -> Message:
    return said(number, ago=ago).model_copy(
        update={"type": "reaction", "text": None, "content": {"emoji": emoji}}
    )


def test_a_reaction_is_shown_once_and_never_under_the_cursor() -> None:
    at = (NOW - timedelta(minutes=1)).isoformat()
    reaction = Reaction(emoji="🥳", direction="inbound", author="contact", created_at=at)
    answer = said(1, ago=3, direction="outbound").model_copy(update={"reactions": (reaction,)})
    widget = thread(answer, reacted(2, "🥳"), reacted(3, "👍", ago=0.5))
    assert drawn(widget, 0)[-1] == "┃ ↳ 🥳 Sheena"
    assert widget.draw(1, 40) == []
    assert drawn(widget, 2) == ["09:59  Sheena reacted 👍"]
    assert widget.cursor == 2
    widget.action_move(-1)
    assert widget.cursor == 0  # The reaction between them is not shown.
    widget.action_move(1)
    assert widget.cursor == 2
    assert thread(answer, reacted(2, "🥳")).cursor == 0


@pytest.mark.parametrize("unread", [0, -1, 99])
def test_without_a_first_unread_message_there_is_no_line(unread: int) -> None:
    widget = thread(said(1, ago=9), said(2, ago=7), unread=unread)
    assert not any("new" in line for at in (0, 1) for line in drawn(widget, at))
    assert widget.cursor == 1


moments = st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat) | st.just("some day")
entries = st.builds(
    Message,
    id=st.text("0123456789", min_size=1),
    direction=st.sampled_from(["inbound", "outbound"]),
    author=st.sampled_from(["contact", "user", "system"]),
    type=st.sampled_from(["text", "system", "image"]),
    text=st.none() | drawn_text(),
    created_at=moments,
) | st.builds(Note, id=st.text("0123456789", min_size=1), text=drawn_text(), created_at=moments)


@given(st.lists(entries, min_size=1, max_size=5), st.integers(8, 120), st.integers(0, 5))
def test_every_entry_has_a_line_and_all_are_as_wide_as_the_pane(
    entries: list[Entry], width: int, unread: int
) -> None:
    widget = thread(*entries, unread=unread)
    for position in range(len(entries)):
        drawn(widget, position, width)


@pytest.mark.parametrize(("height", "has_gaps"), [(30, False), (31, True)])
async def test_groups_of_messages_have_a_line_between_them_in_a_tall_window(
    height: int, has_gaps: bool
) -> None:
    widget = Thread(CLOCK)
    app = OneWidgetApp(widget)
    messages = [said(1, ago=60), said(2, ago=59), said(3, ago=9)]
    rows = FixedRows([(one.id, one) for one in messages])
    async with app.run_test(size=(42, height)):
        widget.open(ThreadContents(rows, "Sheena", NewSinceVisit(), ""))
        assert drawn(widget, 0)[0] == "Saturday 14 March 2026"
        assert drawn(widget, 1) == ["│ hi                              09:01"]
        assert (drawn(widget, 2)[0] == "") == has_gaps
        assert drawn(widget, 2)[-2:] == ["│ Sheena                          09:51", "│ hi"]


def photo(number: int, *, key: str | None, ago: float) -> Message:
    url = f"/v1/media/{key}" if key else "https://elsewhere.example/a.jpg"
    media = Media(url=url, mime_type="image/jpeg", width=1600, height=1200)
    return said(number, ago=ago, text="").model_copy(update={"type": "image", "media": media})


async def test_pictures_in_view_are_wanted_the_newest_first_until_they_are_there() -> None:
    widget = Thread(CLOCK, picture_lines=lambda: 10)
    app = OneWidgetApp(widget)
    photos = [
        said(1, ago=9),
        photo(2, key="old", ago=8),
        photo(3, key=None, ago=7),
        photo(4, key="new", ago=6),
    ]
    async with app.run_test(size=(60, 24)) as pilot:
        widget.open(
            ThreadContents(FixedRows([(one.id, one) for one in photos]), "Ana", NewSinceVisit(), "")
        )
        await pilot.pause()
        wanted = widget.wanted_pictures()
        assert [(message.id, shown.key) for message, shown in wanted] == [
            ("4", "new"),
            ("2", "old"),
        ]
        # A third of the window.
        assert {shown.size.lines for _, shown in wanted} == {8}
        assert widget.has_file
        size = wanted[0][1].size
        red = [[PictureCell("▀", (200, 0, 0), None)] * size.columns] * size.lines
        widget.pictures.put("new", size, Drawing(red))
        widget.show_pictures()
        await pilot.pause()
        assert [shown.key for _, shown in widget.wanted_pictures()] == ["old"]
        lines = [strip.text for strip in strips(app.screen)]
        assert sum("▀" * size.columns in line for line in lines) == size.lines
        await pilot.resize_terminal(60, 33)
        await settle(pilot)
        assert {shown.size.lines for _, shown in widget.wanted_pictures()} == {10}


@pytest.mark.parametrize(
    ("media", "has_file"),
    [
        (None, False),
        (Media(url="/v1/media/a", mime_type="image/jpeg"), True),
        (Media(url="/v1/media/a", status="absent"), False),
        (Media(url="/v1/media/a", status="expired"), True),
        (Media(url="https://elsewhere.example/a.jpg"), False),
    ],
)
def test_a_message_has_a_file_if_the_server_may_give_it_out(
    media: Media | None, has_file: bool
) -> None:
    widget = thread(said(1, ago=5).model_copy(update={"media": media}))
    assert widget.has_file == has_file
    assert widget.check_action("open", ()) == has_file
    assert widget.check_action("move", (1,))


def test_a_note_has_no_file_and_is_found_and_copied_by_its_text() -> None:
    widget = thread(Note(id="1", text="call back", created_at=NOW.isoformat()))
    assert not widget.has_file
    assert widget.words_at(0) == widget.copied() == "call back"
    assert Unseen(CLOCK).copied() == ""


def test_own_messages_say_so_once_it_is_known_whose_the_key_is() -> None:
    sent = said(1, ago=5, direction="outbound").model_copy(
        update={"author_ref": Ref(id="7", name="Ana")}
    )
    widget = thread(sent)
    assert "you" not in drawn(widget, 0)[2]
    for me, says_so in (("8", False), ("7", True), ("", False)):
        widget.set_me(me)
        assert ("you" in drawn(widget, 0)[2]) == says_so


async def test_a_thread_that_is_cleared_says_why() -> None:
    widget = Thread(CLOCK)
    app = OneWidgetApp(widget)
    async with app.run_test(size=(40, 6)) as pilot:
        widget.open(ThreadContents(FixedRows([("1", said(1, ago=5))]), "Ana", NewSinceVisit(), ""))
        widget.clear("This key may not read messages")
        await pilot.pause()
        assert len(widget.rows) == 0
        assert strips(app.screen)[1].text.strip() == "This key may not read messages"
        widget.clear("No messages")
        await pilot.pause()
        assert strips(app.screen)[1].text.strip() == "No messages"


def test_the_seconds_of_a_thread_that_loads_begin_anew_with_another_one() -> None:
    widget = Thread(CLOCK)
    app = OneWidgetApp(widget)

    async def scenario() -> None:
        async with app.run_test(size=(30, 5)):
            for _ in range(2):
                widget.clear("Loading…")
                await asyncio.sleep(0.5)
                assert strips(app.screen)[1].text.strip() == "Loading…"
                await asyncio.sleep(2.0)
                assert strips(app.screen)[1].text.strip() == "Loading… 2 s"

    with virtual_time("seconds") as runner:
        runner.run(scenario())


# What a program read in a file


def read_in_file(words: str) -> Message:
    text = MediaText(text=words, by="whisper@4f2a", language="es", at="2026-03-14T09:58:00Z")
    media = Media(voice=True, text=text)
    return said(1, ago=5).model_copy(update={"type": "audio", "text": None, "media": media})


def test_of_what_was_read_in_a_file_four_lines_are_shown_until_it_is_unfolded() -> None:
    widget = thread(read_in_file("one\ntwo\nthree\nfour\nfive\nsix"))
    folded = shown_words(widget)
    assert folded[-5:] == ["≈ one", "≈ two", "≈ three", "≈ four", "2 more lines, space shows all"]
    widget.action_unfold()
    assert shown_words(widget)[-8:] == [
        *("≈ one", "≈ two", "≈ three", "≈ four", "≈ five", "≈ six"),
        *("read by whisper (es), may be wrong,", "Saturday 14 March 2026 09:58"),
    ]
    widget.action_unfold()
    assert shown_words(widget) == folded


def test_a_short_text_has_no_line_for_more_and_says_who_read_it_when_it_is_unfolded() -> None:
    widget = thread(read_in_file("hola"))
    assert shown_words(widget)[-1] == "≈ hola"
    widget.action_unfold()
    assert "read by whisper (es), may be wrong," in shown_words(widget)


def shown_words(widget: Thread) -> list[str]:
    """Lines of the only message, without its bar."""
    return [line.strip(" │") for line in drawn(widget, 0)]
