"""The inbox, driven by keys on the sample; what is read is what stands on the screen."""

from collections.abc import Callable
from pathlib import Path

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import (
    BadResponse,
    BadSettings,
    Forbidden,
    InboxError,
    NotFound,
    Unauthorised,
    Unreachable,
)
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.screens.inbox import InboxScreen
from frontdesk.wire import Conversation, ConversationFilter
from tests.conftest import NOW
from tests.tui.conftest import Viewer, lines, settle, shown
from tests.tui.sources import Failing


def screen_of(app: FrontdeskApp) -> InboxScreen:
    screen = app.screen
    assert isinstance(screen, InboxScreen)
    return screen


def queue_names(app: FrontdeskApp) -> list[str]:
    """The ids in the queue, as far as they are held."""
    rows = screen_of(app)._list.rows
    assert rows is not None
    return [rows[position].id for position in range(len(rows))]


def open_conversation(app: FrontdeskApp) -> Conversation:
    conversation = screen_of(app)._reading.conversation
    assert conversation is not None
    return conversation


async def test_it_opens_on_open_conversations_with_the_newest_thread(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        first = screen_of(app)._list.row
        assert first is not None
        assert lines(app)[0].startswith(" INBOX sample   open · all channels")
        assert "Open 60" in lines(app)[2]
        assert "live" in lines(app)[-1]
        assert open_conversation(app).id == first.id
        assert (first.contact.name or first.contact.phone or "") in lines(app)[2]


async def test_all_four_panes_are_there_at_200_columns(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(200, 60)) as pilot:
        await settle(pilot)
        text = shown(app)
        for words in ("CHANNELS", "Open 60", "CONTACT", "CUSTOM FIELDS", "NOTES", "London"):
            assert words in text


@pytest.mark.parametrize("size", [(40, 10), (60, 14), (80, 24), (120, 40), (200, 60), (300, 100)])
async def test_every_size_shows_the_queue_and_no_line_is_too_long(
    viewer: Viewer, size: tuple[int, int]
) -> None:
    app = viewer()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        assert "Open" in lines(app)[1] + lines(app)[2]
        assert len(lines(app)) == size[1]


async def test_under_40x10_it_says_what_it_needs(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(38, 9)) as pilot:
        await settle(pilot)
        assert "40x10 needed, this is 38x9" in shown(app)


async def test_one_pane_at_a_time_when_narrow(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        assert "Open 60" in shown(app)
        await pilot.press("enter")
        await settle(pilot)
        assert "Open 60" not in shown(app)
        assert screen_of(app)._panes.at == "thread"
        await pilot.press("l")
        await settle(pilot)
        assert "CONTACT" in shown(app)
        await pilot.press("escape", "escape")
        await settle(pilot)
        assert "Open 60" in shown(app)


async def test_the_thread_follows_the_cursor_once_it_rests(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = open_conversation(app).id
        await pilot.press("j", "j")
        preview = screen_of(app)._preview
        assert preview is not None
        assert preview._task is not None
        await preview._task
        await settle(pilot)
        row = screen_of(app)._list.row
        assert row is not None
        assert open_conversation(app).id == row.id != before


async def test_enter_reads_and_capital_j_goes_on_without_leaving_the_thread(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        ids = queue_names(app)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("J", "J")
        await settle(pilot)
        assert open_conversation(app).id == ids[2]
        assert screen_of(app)._panes.at == "thread"
        await pilot.press("K")
        await settle(pilot)
        assert open_conversation(app).id == ids[1]


async def test_the_brackets_walk_through_the_statuses(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key, status in (("]", "snoozed"), (".", "resolved"), ("]", "open"), (",", "resolved")):
            await pilot.press("full_stop" if key == "." else "comma" if key == "," else key)
            await settle(pilot)
            assert lines(app)[0].startswith(f" INBOX sample   {status}")
            row = screen_of(app)._list.row
            assert row is not None
            assert row.status == status
            assert open_conversation(app).id == row.id


@pytest.mark.parametrize(
    ("keys", "words", "matches"),
    [
        ("l" + "refund", "#refund", lambda c: "refund" in c.labels),
        ("c" + "madrid", "Madrid", lambda c: c.channel.name == "Madrid"),
        ("a" + "unassigned", "unassigned", lambda c: c.assignee is None),
        ("a" + "me (", "mine", lambda c: c.assignee is not None),
        ("s" + "snooz", "snoozed", lambda c: c.status == "snoozed"),
    ],
)
async def test_filters_are_chosen_by_letter_and_a_part_of_the_name(
    viewer: Viewer, keys: str, words: str, matches: Callable[[Conversation], bool]
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("f", keys[0], *keys[1:], "enter")
        await settle(pilot)
        rows = screen_of(app)._list.rows
        assert rows is not None
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
        assert "open · unassigned · Madrid" in lines(app)[0]
        await pilot.press("f", "x")
        await settle(pilot)
        assert "open · all channels" in lines(app)[0]
        await pilot.press("f", "escape")
        await settle(pilot)
        assert "open · all channels" in lines(app)[0]


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
        assert "No conversation is" in text
        assert "f changes the filter" in text
        assert "no conversation is open" in text


async def test_the_queue_scrolls_to_its_end_page_by_page(
    viewer: Viewer, client: InboxClient
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("]", "]")
        await settle(pilot)
        assert "425" in lines(app)[2]
        held = 0
        while held != len(queue_names(app)):
            held = len(queue_names(app))
            await pilot.press("G")
            await settle(pilot)
        assert held == 425
        assert len(set(queue_names(app))) == 425
        assert "425 loaded" in lines(app)[-1]


async def test_a_long_thread_loads_above_without_moving_the_text(
    viewer: Viewer, client: InboxClient
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 20)) as pilot:
        await settle(pilot)
        await open_the_longest_thread(app, client)
        await settle(pilot)
        thread = screen_of(app)._thread
        held = len(thread.rows or ())
        assert held >= 50
        while len(thread.rows or ()) == held:
            await pilot.press("pageup")
            before = [line[47:118] for line in lines(app)[3:-2]]
            await settle(pilot)
            after = [line[47:118] for line in lines(app)[3:-2]]
            assert len([a for a, b in zip(before, after, strict=True) if a != b]) <= 2


async def test_g_goes_on_to_the_start_of_a_long_thread(viewer: Viewer, client: InboxClient) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await open_the_longest_thread(app, client)
        await settle(pilot)
        thread = screen_of(app)._thread
        for _ in range(4):
            await pilot.press("g")
            held = 0
            while held != len(thread.rows or ()):
                held = len(thread.rows or ())
                await settle(pilot)
        assert len(thread.rows or ()) >= 3000
        assert thread.cursor == 0
        assert "start of the conversation" in lines(app)[3]
        await pilot.press("G")
        assert thread.at_end


async def open_the_longest_thread(app: FrontdeskApp, client: InboxClient) -> None:
    """Open the conversation of 3,000 messages."""
    screen = screen_of(app)
    for status in ("open", "resolved", "snoozed"):
        page = await client.conversation_page(ConversationFilter(status=status, label="wholesale"))
        for conversation in page.data:
            messages = await client.message_page(conversation.id, limit=100)
            deeper = messages.next_cursor and await client.message_page(
                conversation.id, limit=100, cursor=messages.next_cursor
            )
            if deeper and deeper.next_cursor:
                screen._reading.open(conversation)
                screen._panes.enter("thread")
                screen._refresh_thread()
                return
    raise AssertionError("the sample has no long thread")


async def test_coming_back_to_a_thread_finds_it_where_it_was_left(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 20)) as pilot:
        await settle(pilot)
        await pilot.press("j", "j", "j", "enter")
        await settle(pilot)
        await pilot.press("g", "j", "j")
        await settle(pilot)
        left = [line[47:] for line in lines(app)[2:-1]]
        await pilot.press("J")
        await settle(pilot)
        assert [line[47:] for line in lines(app)[2:-1]] != left
        await pilot.press("K")
        await settle(pilot)
        assert [line[47:] for line in lines(app)[2:-1]] == left


async def test_u_goes_to_the_next_unread_conversation_and_says_when_there_is_none(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        listing = screen_of(app)._queue.listing
        unread = [at for at in range(1, len(listing)) if listing[at].unread_count]
        await pilot.press("u", "u")
        await settle(pilot)
        assert screen_of(app)._list.cursor == unread[1]
        await pilot.press("U", "G", "u")
        await settle(pilot)
        said = [notification.message for notification in app._notifications]
        # What was looked at here is no longer unread here, whatever the server counts.
        assert said == ["No unread conversation above", "No unread conversation below"]


async def test_minus_swaps_with_the_conversation_before(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        first = open_conversation(app).id
        await pilot.press("3", "J", "J")
        await settle(pilot)
        third = open_conversation(app).id
        await pilot.press("2", "g", "enter")
        await settle(pilot)
        assert open_conversation(app).id == first
        await pilot.press("minus")
        await settle(pilot)
        assert open_conversation(app).id == third
        await pilot.press("minus")
        await settle(pilot)
        assert open_conversation(app).id == first


async def test_slash_finds_in_the_pane_with_the_focus_and_n_goes_on(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"refund", "enter")
        await settle(pilot)
        rows = screen_of(app)._list
        first = rows.cursor
        assert "refund" in rows.words_at(first).casefold()
        await pilot.press("n")
        assert rows.cursor != first
        assert "refund" in rows.words_at(rows.cursor).casefold()
        await pilot.press("N")
        assert rows.cursor == first
        await pilot.press("slash", "escape", "slash", *"xyzzy", "enter")
        await settle(pilot)
        assert rows.cursor == first
        assert [n.message for n in app._notifications][-1].endswith("is not in what is loaded here")


async def test_plus_shows_one_pane_alone_and_all_again(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("plus")
        await settle(pilot)
        assert "Open 60" not in shown(app)
        assert screen_of(app)._thread.size.width == 160
        await pilot.press("plus")
        await settle(pilot)
        assert "Open 60" in shown(app)


async def test_y_copies_what_was_written_not_what_is_drawn(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        row = screen_of(app)._list.row
        assert row is not None
        await pilot.press("y")
        assert app.clipboard == row.contact.phone
        await pilot.press("enter")
        await settle(pilot)
        entry = screen_of(app)._thread.row
        assert entry is not None
        await pilot.press("y")
        assert app.clipboard == entry.text


@pytest.mark.parametrize("width", [60, 90, 120, 170])
async def test_i_shows_the_contact_and_puts_it_away(viewer: Viewer, width: int) -> None:
    app = viewer()
    async with app.run_test(size=(width, 30)) as pilot:
        await settle(pilot)
        at_first = "CUSTOM FIELDS" in shown(app)
        assert at_first == (width >= 160)
        await pilot.press("i")
        await settle(pilot)
        assert ("CUSTOM FIELDS" in shown(app)) != at_first
        await pilot.press("j")
        await pilot.press("i")
        await settle(pilot)
        assert ("CUSTOM FIELDS" in shown(app)) == at_first


async def test_a_filter_chosen_from_the_thread_shows_its_first_conversation(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press(*"fame (", "enter")
        await settle(pilot)
        row = screen_of(app)._list.row
        assert row is not None
        assert open_conversation(app).id == row.id


async def test_a_cache_that_cannot_be_used_is_told_once(
    client: InboxClient, tmp_path: Path
) -> None:
    (tmp_path / "pages.db").write_text("somebody else's file")
    cache = Cache(tmp_path / "pages.db", "test")
    app = FrontdeskApp(Mailbox(lambda: client, cache, clock=lambda: NOW), title="x")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        told = [notification.message for notification in app._notifications]
        assert "Open 60" in shown(app)
    cache.close()
    assert told == [cache.warning]


async def test_every_theme_of_the_palette_can_be_used(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for name in app.available_themes:
            app.theme = name
            await pilot.pause()
            assert "Open 60" in shown(app)


async def test_escape_goes_one_level_back_and_q_twice_quits(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("enter", "i", "4")
        await settle(pilot)
        assert screen_of(app)._panes.at == "contact"
        await pilot.press("escape")
        await settle(pilot)
        assert screen_of(app)._panes.at == "thread"
        await pilot.press("q")
        await settle(pilot)
        assert screen_of(app)._panes.at == "list"
        await pilot.press("q")
        assert app.is_running
        await pilot.press("q")
    assert app.return_value is None


async def test_the_keys_that_help_shows_are_the_bindings(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        text = shown(app)
        for words in ("Kept view 5", "Next pane", "Pane to the left"):
            assert words in text
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, InboxScreen)


async def test_typing_narrows_help_and_enter_does_what_is_chosen(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark", *"alone")
        await settle(pilot)
        assert "This pane alone, and back" in shown(app)
        assert "Pane to the left" not in shown(app)
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, InboxScreen)
        assert not screen_of(app)._panes["thread"].display


async def test_help_shows_enter_as_the_status_line_does(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        assert any("Open " in line and "↵" in line for line in lines(app)[4:-4])


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
        assert [one.message for one in app._notifications] == ["There is nothing to save here"]


async def test_the_palette_has_each_action_once_with_all_its_keys(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        commands = list(app.get_system_commands(app.screen))
        titles = [command.title for command in commands]
        assert len(titles) == len(set(titles))
        refresh = next(one for one in commands if one.title == "Ask the server now")
        assert refresh.help == "key ^r f5"


async def test_what_is_said_already_is_not_said_on_top_of_it(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("r", "r", "r", "e")
        assert [one.message for one in app._notifications] == [
            "This version only reads: it cannot reply",
            "This version only reads: it cannot resolve",
        ]


async def test_the_next_start_shows_the_same_place_from_the_cache_while_offline(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press(*"fcmadrid", "enter")
        await settle(pilot)
        await pilot.press("j", "j", "enter")
        await settle(pilot)
        row, thread = screen_of(app)._list.row, lines(app)[4:-1]
    again = viewer(Failing(Unreachable("The server does not answer")))
    async with again.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "Madrid" in lines(again)[0]
        assert screen_of(again)._list.row == row
        assert [line[47:] for line in lines(again)[4:-1]] == [line[47:] for line in thread]
        assert "offline · as of 10:00" in lines(again)[-1]
        await pilot.press("j", "k", "enter", "G", "g")
        await settle(pilot)
        assert "offline" in lines(again)[-1]


@pytest.mark.parametrize(
    ("error", "state", "words"),
    [
        (Unreachable("The server does not answer"), "offline", "The server does not answer"),
        (Unauthorised("The server refused the key"), "key refused (401)", "refused the key"),
        (BadResponse("The server sent a web page"), "unreadable answer", "sent a web page"),
        (Forbidden("The key lacks conversations:read"), "403", "lacks conversations:read"),
        (NotFound("The server does not have this"), "no inbox at this", "does not have this"),
    ],
)
async def test_a_failure_without_a_cache_is_a_clear_state(
    viewer: Viewer, error: InboxError, state: str, words: str
) -> None:
    app = viewer(Failing(error))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert state in lines(app)[-1]
        assert words in " ".join(shown(app).split())


async def test_a_refused_key_is_not_tried_again(viewer: Viewer) -> None:
    source = Failing(Unauthorised("The server refused the key"))
    app = viewer(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        asked = source.asked
        await pilot.press("ctrl+r", "j", "]")
        await settle(pilot)
        assert source.asked == asked


async def test_settings_that_cannot_work_end_the_viewer_with_their_reason(cache: Cache) -> None:
    def connect() -> InboxClient:
        raise BadSettings("Plain http would show the key")

    app = FrontdeskApp(Mailbox(connect, cache), title="x")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
    assert isinstance(app.return_value, BadSettings)
