"""Keys that have the same meaning in every pane: the next item."""

from frontdesk.errors import Unreachable
from tests.tui.conftest import Viewer, lines, notifications, settle
from tests.tui.faulty_sources import Failing
from tests.tui.inbox_state import queue, screen_of
from tests.tui.views import press


async def test_capital_j_and_k_in_the_list_go_from_channel_to_channel(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        screen = screen_of(app)
        listed = screen.parts.channels.list.rows
        assert listed is not None
        names = [listed[at].name for at in range(1, len(listed))]
        for name in (*names, None, names[0]):
            await pilot.press("J")
            await settle(pilot)
            assert name in lines(app)[0] if name else "in:" not in lines(app)[0]
            assert all(row.channel.name == name for row in queue(app) if name)
            assert screen.panes.at == "list"
        await pilot.press("K", "K")
        await settle(pilot)
        assert names[-1] in lines(app)[0]
        chosen = screen.parts.channels.list.row
        assert chosen is not None
        assert (chosen.name, chosen.chosen) == (names[-1], True)


async def test_h_and_l_walk_the_line_of_channels_and_the_channels_stay_in_focus(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        rows = screen_of(app).parts.channels.list.rows
        names = [rows[at].name for at in range(1, len(rows))]
        await pilot.press("1", "l")
        await settle(pilot)
        assert names[0] in lines(app)[0]
        await pilot.press("h", "h")
        await settle(pilot)
        assert names[-1] in lines(app)[0]
        assert screen_of(app).panes.at == "channels"
        await pilot.press("2")
        assert screen_of(app).panes.at == "list"


async def test_without_channels_there_is_none_to_go_to(viewer: Viewer) -> None:
    app = viewer(Failing(Unreachable("No answer")))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("J")
        assert "No channels are known yet" in notifications(app)


async def test_brackets_in_the_contact_go_from_group_to_group(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("4")
        await settle(pilot)
        panel = screen_of(app).contact.facts
        for key in ("right_square_bracket", "full_stop", "left_square_bracket"):
            await pilot.press(key)
            assert panel.row is not None
            assert panel.row.heads
        await pilot.press("comma")
        assert panel.cursor == 0


async def test_the_last_line_names_keys_of_the_pane_that_one_is_in(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(200, 50)) as pilot:
        await settle(pilot)
        named = {}
        for key in ("1", "2", "3", "4", "2", "tab"):
            await pilot.press(key)
            await settle(pilot)
            named.setdefault(screen_of(app).panes.at, set()).add(lines(app)[-1].strip())
    assert named.keys() == {"channels", "list", "thread", "contact"}
    assert all(len(words) == 1 for words in named.values())
    assert len(set.union(*named.values())) == len(named)


async def test_the_smallest_terminal_says_how_to_go_back_to_the_list(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(40, 12)) as pilot:
        await settle(pilot)
        for key in ("enter", "4", "2 4"):
            await pilot.press(*key.split())
            await settle(pilot)
            assert lines(app)[-1].split("   ")[:2] == ["  esc back", "? help"]


async def test_closing_the_contact_leaves_the_focus_in_another_pane(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(200, 40)) as pilot:
        await settle(pilot)
        panes, contact = screen_of(app).panes, screen_of(app).contact
        assert contact.display
        await press(pilot, "enter", "4", "2")
        assert panes.before_contact == "thread"
        for shown in (False, True):
            await press(pilot, "i")
            assert (panes.at, contact.display) == ("list", shown)
        await press(pilot, "4", "i")
        assert (panes.at, contact.display) == ("list", False)
