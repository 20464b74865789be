"""Channels as a pane and as a line."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from frontdesk.inbox.rows import FixedRows
from frontdesk.tui.widgets.channel_list import (
    ALL_CHANNELS,
    ChannelItem,
    ChannelList,
    ChannelTabs,
    channel_rows,
    channel_tabs,
    tabs_in,
)
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.wire import Channel, Conversation, Counts
from tests.tui.texts import drawn_text
from tests.tui.widgets.test_partial_repaints import OneWidgetApp

UNCOUNTED = Counts.model_validate({"open": 12})
COUNTS = Counts.model_validate(
    {"open": 12, "by_channel": [{"channel": "1", "open": 9}, {"channel": "9", "open": 3}]}
)


def channel(**members: Any) -> Channel:
    return Channel.model_validate({"id": "1", "name": "Support EU", **members})


def pieces(row: ChannelItem, width: int) -> list[list[Piece]]:
    channels = ChannelList()
    channels.rows = FixedRows([(row.id, row)])
    return channels.draw(0, width)


def drawn(row: ChannelItem, width: int = 24) -> list[str]:
    lines = ["".join(text for _, text in line) for line in pieces(row, width)]
    assert [cell_len(line) for line in lines] == [width]
    assert not any("\n" in line or "\t" in line for line in lines)
    return lines


def test_all_channels_come_first_then_each_in_the_servers_order() -> None:
    rows = channel_rows([channel(id="2", name="B"), channel(id="1", name="A")], COUNTS, "1")
    assert [(row.id, row.name, row.open, row.chosen) for row in rows] == [
        (ALL_CHANNELS, "All channels", 12, False),
        ("2", "B", 0, False),
        ("1", "A", 9, True),
    ]


def test_without_a_chosen_channel_it_is_all_of_them() -> None:
    assert [row.chosen for row in channel_rows([channel()], COUNTS, None)] == [True, False]


def test_what_is_hidden_on_this_computer_is_not_counted() -> None:
    numbers = [
        {"channel": "1", "open": 9, "awaiting_human": 2},
        {"channel": "2", "open": 3, "awaiting_human": 0},
    ]
    counts = Counts.model_validate({"open": 12, "by_channel": numbers})
    members = {"contact": {"id": "7"}, "last_activity_at": "2026-03-14T09:00:00Z"}
    rows = [("1", "open", True), ("1", "open", False), ("2", "resolved", False)]
    hidden = [
        Conversation.model_validate(
            {
                **members,
                "id": str(at),
                "channel": {"id": in_channel},
                "status": status,
                "awaiting_human": needs,
            }
        )
        for at, (in_channel, status, needs) in enumerate(rows)
    ]
    shown = channel_rows([channel(id="1"), channel(id="2")], counts, None, hidden)
    assert [(row.open, row.awaiting) for row in shown] == [(10, 0), (7, 1), (3, 0)]


def test_without_counts_nothing_is_counted() -> None:
    assert [row.open for row in channel_rows([channel()], None, None)] == [None, None]


def test_a_channel_has_its_name_and_count_and_the_chosen_one_is_in_the_accent() -> None:
    row = ChannelItem(channel(), 9, True)
    assert drawn(row) == ["Support EU            9 "]
    assert pieces(row, 24)[0][0] == ("accent", "Support EU")
    assert drawn(ChannelItem(channel(), None, False)) == ["Support EU".ljust(24)]
    assert drawn(ChannelItem(None, 12, False)) == ["All channels         12 "]


def test_a_channel_in_which_somebody_needs_a_human_is_marked() -> None:
    counts = Counts.model_validate(
        {"by_channel": [{"channel": "1", "open": 9, "awaiting_human": 1}]}
    )
    row = channel_rows([channel(), channel(id="2")], counts, None)[1]
    assert drawn(row) == ["Support EU       !1   9 "]
    assert channel_tabs(ChannelTabs([row]))[1:] == [("dim", " Support EU 9 "), ("warning", "!1 ")]


def test_the_line_of_channels_shows_which_is_chosen() -> None:
    rows = channel_rows([channel(), channel(id="2", name="x" * 40)], COUNTS, "1")
    tabs = channel_tabs(ChannelTabs(rows))
    assert "".join(text for _, text in tabs) == f" All 12 │ Support EU 9 │ {'x' * 23}… 0 "
    assert [text for part, text in tabs if part == "strong"] == [" Support EU 9 "]


def test_channels_that_have_no_room_are_counted_at_the_end_of_the_line() -> None:
    channels = [channel(id=str(one), name=f"Shop {one}") for one in range(30)]
    numbers = [
        {"channel": str(one), "open": one % 7, "awaiting_human": int(one in (12, 25))}
        for one in range(30)
    ]
    counts = Counts.model_validate({"open": 80, "by_channel": numbers})
    rows = channel_rows(channels, counts, "20")
    assert tabs_in(rows, 1_000) == ChannelTabs(rows)
    tabs = tabs_in(rows, 70)
    line = "".join(text for _, text in channel_tabs(tabs))
    assert len(line) <= 70
    assert line.startswith(" All 80 │")
    # Who waits for a human comes first, then who has most; the chosen one is there too.
    names = [row.name for row in tabs.rows]
    assert names[1:3] == ["Shop 12", "Shop 25"]
    assert "Shop 20" in names
    most = [row.open for row in tabs.rows[3:]]
    assert most == sorted(most, key=lambda count: -(count or 0))
    assert line.endswith(f"│ +{len(rows) - len(tabs.rows)} ")


@given(st.integers(0, 120), st.integers(0, 30), st.integers(0, 40))
def test_the_line_of_channels_fits_and_has_the_chosen_one(
    width: int, chosen: int, number: int
) -> None:
    channels = [channel(id=str(one), name=f"Shop {one}") for one in range(number)]
    rows = channel_rows(channels, None, str(chosen))
    tabs = tabs_in(rows, width)
    assert tabs.left_out == len(rows) - len(tabs.rows)
    assert [row for row in rows if row.chosen] == [row for row in tabs.rows if row.chosen]
    line = sum(len(text) for _, text in channel_tabs(tabs))
    assert line <= max(width, len(" All │ Shop 30 │ +40 "))


@given(
    drawn_text(),
    st.none() | drawn_text(),
    st.none() | drawn_text(),
    st.none() | st.integers(),
    st.integers(6, 60),
)
def test_every_line_of_every_channel_is_exactly_as_wide_as_the_pane(
    name: str, number: str | None, quality: str | None, count: int | None, width: int
) -> None:
    shown = channel(name=name, display_phone_number=number, quality_rating=quality)
    drawn(ChannelItem(shown, count, True), width)


def test_channels_of_a_server_that_counts_none_of_them_have_no_number() -> None:
    rows = channel_rows([channel(), channel(id="2")], UNCOUNTED, None)
    assert [row.open for row in rows] == [12, None, None]


async def test_the_cursor_of_channels_moves_only_with_the_chosen_one() -> None:
    channels = [channel(id=str(one), name=f"Shop {one}", phone=f"+3460000000{one}")
                for one in range(1, 4)]  # fmt: skip
    listed = ChannelList()
    app = OneWidgetApp(listed)
    async with app.run_test(size=(30, 8)) as pilot:
        assert listed.copied() == ""
        listed.show_channels(channel_rows(channels, COUNTS, "2"))
        assert (listed.cursor, listed.words_at(2), listed.copied()) == (2, "Shop 2", "+34600000002")
        await pilot.press("k")
        assert listed.cursor == 1
        listed.show_channels(channel_rows(channels, None, "2"))
        assert listed.cursor == 1
        listed.show_channels(channel_rows(channels[1:], None, "2"))
        assert listed.cursor == 1
        listed.show_channels(channel_rows(channels, None, "3"))
        assert listed.cursor == 3
        listed.show_channels(channel_rows(channels, None, None))
        assert (listed.cursor, listed.words_at(0), listed.copied()) == (0, "All channels", "")
    bare = ChannelList()
    bare.rows = FixedRows([("1", ChannelItem(channel(phone=None), None, False))])
    assert bare.copied() == "1"
