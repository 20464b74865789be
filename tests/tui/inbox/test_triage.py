"""Working through the list by keys: filters, orders, saved views, chips."""

import asyncio
import re
from pathlib import Path

from textual.widgets import Input

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.text.phones import format_phone
from frontdesk.tui.dialogs.search import SearchScreen
from frontdesk.tui.dialogs.switcher import Switcher
from frontdesk.tui.saved_views import SavedViews
from frontdesk.wire import Contact, Page
from tests.tui.conftest import Viewer, lines, notifications, settle, shown
from tests.tui.faulty_sources import Halting
from tests.tui.inbox_state import queue, screen_of
from tests.tui.views import type_ahead, type_in
from tests.workers import all_ended


async def test_words_are_found_by_the_server(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("f", "r")
        await settle(pilot)
        await pilot.press("f", "t", *"refund", "enter")
        await settle(pilot)
        assert screen_of(app).queue.inbox.view.scan is None
        assert len(queue(app)) > 10
        # More than rows show: what was said before the last message, too.
        assert not all("refund" in str(one).casefold() for one in queue(app))
        assert "live" in lines(app)[-1]


async def test_digits_show_views(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for digit, words in (
            ("5", "is:open   @me "),
            ("6", "is:open   @unassigned "),
            ("7", "is:open   needs:human "),
            ("8", "is:open   waiting over 1 h   sort:waiting "),
            ("9", "is:open "),
        ):
            await pilot.press(digit)
            await settle(pilot)
            assert words in lines(app)[0]


async def test_a_view_is_saved_with_a_name_and_a_key_says_what_it_replaces_and_is_undone(
    viewer: Viewer, client: InboxClient, cache: Cache
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("f", "n", "f", "u", "f", "k", *"New", "enter")
        await settle(pilot)
        assert "key 8, now Waiting >1h" in shown(app)
        await pilot.press("8")
        await settle(pilot)
        assert notifications(app)[-1] == "Saved as view 8, replacing Waiting >1h. U: undo"
        await pilot.press("9", "8")
        await settle(pilot)
        assert "is:open   @unassigned   unread" in lines(app)[0]
        assert "8 New" in lines(app)[1]
        views = SavedViews(Mailbox(lambda: client, cache))
        assert [str(one.query) for one in views.all() if one.name == "New"] == [
            "is:open @unassigned unread"
        ]
        await pilot.press("U")
        await settle(pilot)
        assert "8 Waiting >1h" in lines(app)[1]


async def test_the_header_cuts_no_chip_while_it_has_other_words(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert lines(app)[0].rstrip().endswith("unread in the whole inbox")
        await pilot.press("8")
        await settle(pilot)
        assert "waiting over 1 h   sort:waiting    F edit" in lines(app)[0]
        assert "…" not in lines(app)[0]


async def test_a_view_is_saved_under_a_name_that_no_other_key_has(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("v", "w", *"Mine", "enter", "6")
        await settle(pilot)
        assert "View 5 is already named Mine: choose another name" in lines(app)[-2]
        assert "name of the view Mine" in lines(app)[-1]
        await pilot.press("enter")
        await settle(pilot)
        assert "View 5 is already named Mine: choose another name" in lines(app)[-2]
        assert not notifications(app)
        await pilot.press(*"Ours", "enter")
        await settle(pilot)
        assert notifications(app)[-1] == "Saved as view 6, replacing Unassigned. U: undo"
        assert "5 Mine" in lines(app)[1]
        assert "6 Ours" in lines(app)[1]
        await pilot.press("v", "w", *"Mine", "enter", "5")
        await settle(pilot)
        assert notifications(app)[-1] == "Saved as view 5, replacing Mine. U: undo"
        await pilot.press("7", "f", "u", "v", "w", *"New", "enter", "enter")
        await settle(pilot)
        assert "replacing" not in notifications(app)[-1]
        assert "5 Mine" in lines(app)[1]


async def test_of_two_views_with_the_same_query_the_chosen_one_is_shown(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("v", "w", *"Everything", "enter", "6")
        await settle(pilot)
        for keys, name in (("9", "All open"), ("6", "Everything"), ("v9", "All open")):
            await pilot.press(*keys)
            await settle(pilot)
            assert f"Conversations · {name} 60" in lines(app)[3]
        await pilot.press("ctrl+k", *"everything", "enter")
        await settle(pilot)
        assert "Conversations · Everything 60" in lines(app)[3]


async def test_a_view_that_is_chosen_again_is_left_by_one_step_back(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("7", "8", "8", "S", "w")
        await settle(pilot)
        await pilot.press("H")
        await settle(pilot)
        assert "is:open   needs:human " in lines(app)[0]


async def test_a_view_that_is_chosen_in_the_thread_shows_its_list(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(60, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter", "7")
        await settle(pilot)
        assert "Needs a human 14" in shown(app)
        before = screen_of(app).queue.list.selected_id
        await pilot.press("j")
        await settle(pilot)
        assert screen_of(app).queue.list.selected_id != before


async def test_escape_from_the_contact_goes_back_to_where_it_was_opened(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 24)) as pilot:
        await settle(pilot)
        for width in (60, 80, 120):
            await pilot.resize_terminal(width, 24)
            for key, pane in (("3", "thread"), ("2", "list")):
                # All at once: the focus of one pane is not yet there when the next is entered.
                type_ahead(app, key, "4", "escape")
                await settle(pilot)
                assert screen_of(app).panes.at == pane


async def test_without_a_filter_the_title_does_not_say_filtered(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("backspace")
        await settle(pilot)
        assert "Conversations · All 5" in lines(app)[3]


async def test_one_letter_of_the_menu_is_a_whole_filter(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for letter, words in (
            ("m", "is:open   @me"),
            ("n", "is:open   @unassigned"),
            ("p", "is:snoozed"),
            ("z", "is:open   is:followup"),
            ("r", "is:resolved"),
            ("o", "is:open"),
            ("h", "is:open   needs:human"),
            ("w", "is:open   waiting over 1 h"),
            ("d", "is:open   reply window under 2 h"),
        ):
            await pilot.press("9", "f", letter)
            await settle(pilot)
            assert f"sample   {words}    F edit" in lines(app)[0]


async def test_backspace_takes_chips_off_one_by_one(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("f", "n", "f", "u")
        for words in ("is:open   @unassigned ", "is:open ", "all conversations"):
            await pilot.press("backspace")
            await settle(pilot)
            assert f"sample   {words}   F edit" in lines(app)[0]


async def test_a_click_takes_a_chip_off_and_chooses_channels_and_views(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("f", "n")
        await settle(pilot)
        await pilot.click("#header", offset=(lines(app)[0].index("@unassigned") + 1, 0))
        await settle(pilot)
        assert "is:open    F" in lines(app)[0]
        await pilot.click("#channel-tabs", offset=(lines(app)[2].index("Madrid") + 1, 0))
        await settle(pilot)
        assert "is:open   in:Madrid " in lines(app)[0]
        await pilot.click("#views", offset=(lines(app)[1].index("Unassigned") + 1, 0))
        await settle(pilot)
        assert "is:open   @unassigned " in lines(app)[0]


async def test_ctrl_k_goes_to_a_customer_as_the_server_finds_them(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        customer = queue(app)[4].contact
        assert customer.phone is not None
        await pilot.press("ctrl+k")
        await pilot.pause()
        switcher = app.screen
        assert isinstance(switcher, Switcher)
        await pilot.press(*customer.phone[-9:])
        await all_ended(app)
        await pilot.press("enter")
        await settle(pilot)
        assert {one.contact.id for one in queue(app)} == {customer.id}
        number = format_phone(customer.phone)
        assert f'from:"{customer.name}" {number}' in lines(app)[0]
        assert "Conversations of this customer. H: back" in notifications(app)[-1]
        await pilot.press("backspace")
        await settle(pilot)
        assert "all conversations" in lines(app)[0]
        assert " of 500 loaded" in lines(app)[-1]


class SlowContacts(Halting):
    """Contacts come once `answers` is set; then the server fails."""

    answers: asyncio.Event

    async def contact_page(
        self, q: str | None = None, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Contact]:
        await self.answers.wait()
        raise Unreachable("The server does not answer")


async def test_ctrl_k_does_not_say_that_nothing_matches_before_the_server_has_answered(
    viewer: Viewer, client: InboxClient
) -> None:
    source = SlowContacts(client)
    source.answers = asyncio.Event()
    app = viewer(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+k")
        await pilot.pause()
        await pilot.press(*"zzqq")
        await pilot.pause()
        assert "Searching customers…" in shown(app)
        assert "No match" not in shown(app)
        source.answers.set()
        await all_ended(app)
        assert "The customer search failed" in shown(app)


async def test_without_a_server_ctrl_k_finds_the_customers_of_this_computer(
    viewer: Viewer, client: InboxClient
) -> None:
    source = SlowContacts(client)
    source.answers = asyncio.Event()
    source.answers.set()
    app = viewer(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        customer = queue(app)[4].contact
        assert customer.name is not None
        await pilot.press("ctrl+k")
        await pilot.pause()
        await pilot.press(*customer.name.split()[0])
        await all_ended(app)
        assert f"{customer.name}: " in shown(app)
        await pilot.press("enter")
        await settle(pilot)
        assert {one.contact.id for one in queue(app)} == {customer.id}


async def test_ctrl_k_goes_to_labels_without_the_server(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+k", *"#refu", "enter")
        await settle(pilot)
        assert "#refund" in lines(app)[0]


async def test_cached_messages_are_searched_while_typing_and_enter_opens_the_match(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        entry = screen_of(app).thread.messages.row
        assert entry is not None
        words = (entry.text or "").split()[0].strip(",.!?…")
        await pilot.press("j", "s")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, SearchScreen)
        assert "messages opened on this computer" in shown(app)
        screen.query_one(Input).value = words
        await pilot.pause()
        assert words.casefold() in shown(app).casefold()
        await pilot.press("enter")
        await settle(pilot)
        found = screen_of(app).thread.conversation
        assert found is not None
        assert f'from:"{found.contact.name}"' in lines(app)[0]


async def test_a_customer_who_is_known_only_from_the_queue_is_named_over_their_conversations(
    viewer: Viewer, client: InboxClient, cache: Cache
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        screen = screen_of(app)
        rows = screen.queue.list.rows
        contact = rows[1].contact
        assert Mailbox(lambda: client, cache).known_contact(contact.id) is None
        screen.show_conversation(rows[1].id)
        await settle(pilot)
        assert f"Conversations · {contact.name}" in shown(app)


async def test_a_screenshot_is_of_the_inbox_and_saved_under_a_name_for_its_owner_alone(
    viewer: Viewer, tmp_path: Path
) -> None:
    app = viewer()
    path = tmp_path / "inbox.svg"
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("colon")
        await settle(pilot)
        await type_in(pilot, "screenshot")
        await pilot.press("enter")
        await settle(pilot)
        assert "save as (.svg)" in shown(app)
        await type_in(pilot, str(tmp_path / "missing" / "inbox.svg"))
        await pilot.press("enter")
        await settle(pilot)
        assert "There is no directory" in shown(app)
        await type_in(pilot, str(path))
        await pilot.press("enter")
        await settle(pilot)
        (notice,) = notifications(app)
        assert notice.startswith("Screenshot saved as inbox.svg in ")
    picture = path.read_text(encoding="utf-8")
    assert "INBOX" in picture
    assert "Commands" not in picture
    assert path.stat().st_mode & 0o077 == 0


async def test_filters_of_one_customers_conversations_are_applied_to_them(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        customer = queue(app)[4]
        screen_of(app).show_conversation(customer.id)
        await settle(pilot)
        for keys in ((*"fc", *(customer.channel.name or "")[:5], "enter"), ("f", "o")):
            await pilot.press(*keys)
            await settle(pilot)
            assert customer.id in [one.id for one in queue(app)]
        chips = f'in:{customer.channel.name}   from:"{customer.contact.name}"'
        assert f"is:open   {chips}" in lines(app)[0]
        assert {one.contact.id for one in queue(app)} == {customer.contact.id}
        assert {(one.status, one.channel.id) for one in queue(app)} == {
            ("open", customer.channel.id)
        }
        await pilot.press("f", "r")
        await settle(pilot)
        assert f"is:resolved   {chips}" in lines(app)[0]
        assert not [one for one in queue(app) if one.status != "resolved"]


async def test_channels_are_counted_only_where_all_open_conversations_are_shown(
    viewer: Viewer,
) -> None:
    """The server counts those alone: beside others the number would be that of other rows."""
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "All 60 │ London 19" in lines(app)[2]
        for keys in ("f u", "f h", "f t o enter", "f r", "f n", "f s a n y enter"):
            await pilot.press("9", *keys.split())
            await settle(pilot)
            assert "All │ London │" in lines(app)[2]


async def test_a_refresh_that_drops_what_was_read_goes_on_with_the_next_customer(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("F")
        await type_in(pilot, "unread sort:oldest")
        await pilot.press("enter")
        await settle(pilot)
        ids = [one.id for one in queue(app)]
        for _ in range(3):
            # Opened, and so read; back in the list.
            await pilot.press("enter")
            await settle(pilot)
            await pilot.press("escape", "j")
        await pilot.press("k")
        await settle(pilot)
        assert screen_of(app).queue.list.selected_id == ids[2]
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert [one.id for one in queue(app)] == ids[3:]
        assert screen_of(app).queue.list.selected_id == ids[3]


async def test_rows_sorted_by_the_reply_window_say_how_much_of_it_is_left(viewer: Viewer) -> None:
    app = viewer()

    def minutes_left(pattern: str) -> list[int]:
        rows = [line for line in lines(app)[3:] if "Reply window" not in line]
        found = (re.search(pattern, line) for line in rows)
        left = [match.groups() for match in found if match]
        return [int(number) * (60 if unit == "h" else 1) for number, unit in left]

    async with app.run_test(size=(200, 60)) as pilot:
        await settle(pilot)
        await pilot.press("S", "c")
        await settle(pilot)
        in_rows = minutes_left(r" (\d+)([mh]) left +[┃│]")
        assert " left " in shown(app)
        await pilot.press("plus")
        await settle(pilot)
        in_columns = minutes_left(r" (\d+)([mh])  +(?:\d\d:\d\d|\w+(?: \w+)?) +[┃│]?$")
        assert "Left ▾" in shown(app)
    for minutes in (in_rows, in_columns):
        assert len(minutes) > 5
        assert minutes == sorted(minutes)


async def test_a_view_that_was_saved_is_removed_and_that_is_undone(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)

        async def press(*keys: str) -> str:
            await pilot.press(*keys)
            await settle(pilot)
            return shown(app)

        assert "remove view" not in await press("v")
        await press("escape", "f", "u", "f", "k", *"First", "enter", "8")
        await press("f", "u", "f", "k", *"Second", "enter", "n")
        assert "remove view…" in await press("v")
        await press("x", *"First", "enter")
        assert "8 Waiting >1h" in lines(app)[1]
        assert "Removed the view First. U: undo" in lines(app)[-1]
        assert "Second" in await press("v")
        await press("escape", "U")
        assert "8 First" in lines(app)[1]
