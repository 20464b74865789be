"""The inbox, driven by keys on the sample and read from the screen."""

from collections.abc import Callable

import pytest
from rich.cells import cell_len

from frontdesk.client import InboxClient
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.wire import Conversation
from tests.tui.conftest import Viewer, lines, notifications, settle, shown, until
from tests.tui.inbox_state import open_conversation, queue_names, screen_of
from tests.tui.views import press, type_in


async def test_it_opens_on_open_conversations_with_the_newest_thread(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        first = screen_of(app).queue.list.row
        assert first is not None
        assert lines(app)[0].startswith(" INBOX sample   is:open    F edit")
        assert "9 All open (60)" in lines(app)[1]
        assert "Conversations · All open 60" in shown(app)
        assert "live" in lines(app)[-1]
        assert open_conversation(app).id == first.id
        assert (first.contact.name or first.contact.phone or "") in lines(app)[3]


async def test_all_four_panes_are_there_at_200_columns(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(200, 60)) as pilot:
        await settle(pilot)
        text = shown(app)
        for words in ("Channels", "All open 60", "Contact", "Custom fields", "Notes", "London"):
            assert words in text
        await pilot.resize_terminal(100, 30)
        await settle(pilot)
        assert "Custom fields" not in shown(app)
        # The channels take the room of the hint that would be beside them.
        assert lines(app)[2].rstrip().endswith("│ Wholesale 7 !1")


async def test_every_size_has_the_list_or_says_what_it_needs(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(300, 100)) as pilot:
        await settle(pilot)
        for width, height in ((300, 100), (120, 40), (80, 24), (60, 14), (40, 10)):
            await pilot.resize_terminal(width, height)
            await settle(pilot)
            assert "open" in "".join(lines(app)[:3]).casefold()
            assert len(lines(app)) == height
        await pilot.resize_terminal(38, 9)
        await settle(pilot)
        assert "40x10 needed, this is 38x9" in shown(app)
        await pilot.resize_terminal(20, 5)
        await settle(pilot)
        assert " ".join(shown(app).split()) == "Too small: 40x10 needed, this is 20x5"
        await press(pilot, "f4")
        assert " ".join(shown(app).split()) == "Too small: 40x10 needed, this is 20x5"


async def test_one_pane_at_a_time_when_narrow(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        assert "Conversations · All open" in shown(app)
        await pilot.press("enter")
        await settle(pilot)
        assert "Conversations · All open" not in shown(app)
        assert screen_of(app).panes.at == "thread"
        await pilot.press("l")
        await settle(pilot)
        assert "Contact" in shown(app)
        await pilot.press("escape", "escape")
        await settle(pilot)
        assert "Conversations · All open" in shown(app)


async def test_the_brackets_walk_through_the_statuses(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key, status in (("]", "snoozed"), (".", "resolved"), ("]", "open"), (",", "resolved")):
            await pilot.press("full_stop" if key == "." else "comma" if key == "," else key)
            await settle(pilot)
            assert lines(app)[0].startswith(f" INBOX sample   is:{status} ")
            row = screen_of(app).queue.list.row
            assert row is not None
            assert row.status == status
            assert open_conversation(app).id == row.id


async def test_filters_are_chosen_by_letter_and_a_part_of_the_name(viewer: Viewer) -> None:
    filters: dict[str, tuple[str, Callable[[Conversation], bool]]] = {
        "l" + "refund": ("#refund", lambda c: "refund" in c.labels),
        "c" + "madrid": ("Madrid", lambda c: c.channel.name == "Madrid"),
        "a" + "unassigned": ("unassigned", lambda c: c.assignee is None),
        "a" + "me": ("@me", lambda c: c.assignee is not None),
        "s" + "snooz": ("snoozed", lambda c: c.status == "snoozed"),
    }
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for keys, (words, matches) in filters.items():
            await pilot.press("9", "f", *keys, "enter")
            await settle(pilot)
            rows = screen_of(app).queue.list.rows
            assert words in lines(app)[0]
            assert len(rows)
            assert all(matches(rows[position]) for position in range(len(rows)))


async def test_filters_combine_and_x_clears_them(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for keys in ("fcmadrid", "fanobody"):
            await pilot.press(*keys, "enter")
            await settle(pilot)
        assert "is:open   @unassigned   in:Madrid " in lines(app)[0]
        await pilot.press("f", "x")
        await settle(pilot)
        assert "sample   is:open    F edit" in lines(app)[0]
        await pilot.press("f", "escape")
        await settle(pilot)
        assert "sample   is:open    F edit" in lines(app)[0]


async def test_an_empty_filter_says_so_and_what_helps(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press(*"fcwhole", "enter")
        await settle(pilot)
        await pilot.press(*"flwarranty", "enter")
        await settle(pilot)
        while queue_names(app):
            await pilot.press("]")
            await settle(pilot)
        text = " ".join(shown(app).split())
        assert "No conversation matches is:" in text
        assert "⌫: remove filter" in text


async def test_the_queue_scrolls_to_its_end_page_by_page(
    viewer: Viewer, client: InboxClient
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("]", "]")
        await settle(pilot)
        assert "Conversations · Resolved 425" in shown(app)
        held = 0
        while held != len(queue_names(app)):
            held = len(queue_names(app))
            await pilot.press("G")
            await settle(pilot)
        assert held == 425
        assert len(set(queue_names(app))) == 425
        assert " loaded" not in lines(app)[-1]


async def test_u_goes_to_the_next_unread_conversation_and_says_when_there_is_none(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        listing = screen_of(app).queue.inbox.view.list
        unread = [at for at in range(1, len(listing)) if listing[at].unread_count]
        await pilot.press("u", "u")
        await settle(pilot)
        assert screen_of(app).queue.list.cursor == unread[1]
        await pilot.press("g", "p", "G", "u")
        await settle(pilot)
        assert notifications(app) == [
            "No unread conversation above",
            "No unread conversation below. p: look above",
        ]


async def test_a_zoomed_list_is_a_table_with_headings_over_its_columns(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(200, 60)) as pilot:
        await settle(pilot)
        assert "+ zoom" in lines(app)[-1]
        await pilot.press("plus")
        await settle(pilot)
        assert "+ all panes" in lines(app)[-1]
        names, rows = lines(app)[3], lines(app)[4:50]
        shops = ("London  ", "Madrid  ", "New York  ")
        places = {cell_len(row[: row.index(shop)]) for row in rows for shop in shops if shop in row}
        assert places == {names.index("Channel")}
        assert {cell_len(row.rstrip(" ┃")) for row in rows} == {names.index("▾") + 1}
        await pilot.press("plus")
        await settle(pilot)
        assert "+ zoom" in lines(app)[-1]


async def test_the_help_explains_signs_and_keys_and_names_the_views(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        text = shown(app)
        assert (
            text.index("Needs a human    ")
            < text.index("Reaction, deleted")
            < text.index("Go to ch")
        )
        for words in ("Go to thread", "Next pane", "Pane to the left"):
            await type_in(pilot, words)
            assert any(words in line for line in lines(app)[6:])
        # As the status line has it.
        await type_in(pilot, "open")
        assert any("Open " in line and "↵" in line for line in lines(app)[4:-4])
        await type_in(pilot, "needs a")
        assert "View: Needs a human" in shown(app)
        await type_in(pilot, "signs")
        for sign in ("◔ ◑ ◕ ●", "!", "•", "■", "│", "┃", "║", "┇", "╏", "✓ ✓✓ ✗", "↳ ⊘"):
            assert f" {sign} " in shown(app)
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, InboxScreen)


async def test_plus_shows_one_pane_alone_and_all_again(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("plus")
        await settle(pilot)
        assert "Conversations · All open" not in shown(app)
        assert screen_of(app).thread.messages.size.width == 160
        await pilot.press("plus")
        await settle(pilot)
        assert "Conversations · All open" in shown(app)


@pytest.mark.parametrize("width", [60, 120, 160, 200])
async def test_i_shows_the_contact_and_puts_it_away(viewer: Viewer, width: int) -> None:
    app = viewer()
    async with app.run_test(size=(width, 30)) as pilot:
        await settle(pilot)
        at_first = "Custom fields" in shown(app)
        assert at_first == (width >= 150)
        await pilot.press("i")
        await settle(pilot)
        assert ("Custom fields" in shown(app)) != at_first
        await pilot.press("j")
        await pilot.press("i")
        await until(pilot, lambda: ("Custom fields" in shown(app)) == at_first)


async def test_a_filter_chosen_from_the_thread_shows_its_first_conversation(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press(*"fame", "enter")
        await settle(pilot)
        row = screen_of(app).queue.list.row
        assert row is not None
        assert open_conversation(app).id == row.id


@pytest.mark.slow
async def test_every_theme_of_the_palette_can_be_used(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for name in app.available_themes:
            app.theme = name
            await pilot.pause()
            assert "Open (60)" in shown(app)


async def test_a_theme_is_chosen_by_its_name(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app.search_themes()
        await settle(pilot)
        await pilot.press(*"high", "enter")
        await settle(pilot)
        assert app.theme == "frontdesk-high-contrast"
        app.search_themes()
        await settle(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert (app.theme, app.screen is screen_of(app)) == ("frontdesk-high-contrast", True)


async def test_escape_goes_one_level_back_and_q_twice_quits(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("enter", "i", "4")
        await settle(pilot)
        assert screen_of(app).panes.at == "contact"
        await pilot.press("escape")
        await settle(pilot)
        assert screen_of(app).panes.at == "thread"
        await pilot.press("q")
        await settle(pilot)
        assert screen_of(app).panes.at == "list"
        await pilot.press("q")
        assert app.is_running
        await pilot.press("q")
    assert app.return_value is None


async def test_an_empty_queue_is_not_saved(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("f", "t")
        await settle(pilot)
        await pilot.press(*"qqqqq", "enter")
        await settle(pilot)
        await pilot.press("E")
        assert isinstance(app.screen, InboxScreen)
        assert notifications(app) == ["Nothing to export here"]
