"""Three searches: / in this pane, s in messages, ctrl+k for contacts, conversations and views."""

import re
import shutil
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from frontdesk.cli.target import in_process
from frontdesk.client import InboxClient
from frontdesk.store import message_search
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.text.phones import format_phone
from frontdesk.tui import sentences
from frontdesk.tui.dialogs.switcher import Switcher
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.wire import ConversationFilter, PhoneRef
from tests.tui.conftest import Viewer, lines, notifications, settle, shown, until
from tests.tui.inbox_state import queue
from tests.tui.views import type_ahead


async def seldom(client: InboxClient) -> PhoneRef:
    """A customer with a number, all of whose conversations are resolved: not on the first page."""
    page = await client.conversation_page(ConversationFilter(status="resolved"), limit=100)
    return page.data[-1].contact


@pytest.mark.parametrize("search", ["ctrl+k", "s"])
async def test_a_number_never_seen_here_leads_to_the_conversations_of_its_customer(
    viewer: Viewer, client: InboxClient, search: str
) -> None:
    contact = await seldom(client)
    assert contact.phone
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press(search)
        await settle(pilot)
        app.post_message(events.Paste(contact.phone))
        await settle(pilot)
        await until(pilot, lambda: "Conversations of +" in shown(app) or "· " in shown(app))
        await pilot.press("enter")
        await settle(pilot)
        await until(pilot, lambda: "from:" in lines(app)[0])
        screen = app.screen
        assert isinstance(screen, InboxScreen)
        await until(pilot, lambda: bool(screen.queue.list.rows))
        rows = screen.queue.list.rows
        assert {rows[at].contact.id for at in range(len(rows))} == {contact.id}


async def test_a_number_as_it_is_dialled_leads_to_its_customer(
    viewer: Viewer, client: InboxClient
) -> None:
    contact = await seldom(client)
    country, *national = format_phone(contact.phone).removeprefix("+").split()
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for dialled in (f"00{country} {' '.join(national)}", f"0{' '.join(national)}"):
            await pilot.press("9", "ctrl+k")
            await settle(pilot)
            app.post_message(events.Paste(dialled))
            await pilot.press("enter")
            await until(pilot, lambda: "from:" in lines(app)[0] and bool(queue(app)))
            assert {row.contact.id for row in queue(app)} == {contact.id}
            await pilot.press("F", "ctrl+u", *f'from:"{dialled}"', "enter")
            await settle(pilot)
            assert {row.contact.id for row in queue(app)} == {contact.id}


async def test_a_pasted_line_break_is_a_space_and_none_stays_at_the_end(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for field in ("ctrl+k", "slash", "colon", "F", "s", "t"):
            await pilot.press(field)
            await settle(pilot)
            for line_break in ("\r", "\r\n", "\n"):
                await pilot.press("ctrl+u")
                app.post_message(events.Paste(f"merino{line_break}jumper{line_break}{line_break}"))
                await pilot.pause()
                assert app.screen.query_one(Input).value == "merino jumper"
            await pilot.press("ctrl+u", "escape", "escape")
            await settle(pilot)


async def test_enter_typed_ahead_is_not_lost(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for keys, expected in (
            (("ctrl+k", *"zubiri", "enter"), " Zubiri"),
            (("s", *"zubiri", "enter"), " Zubiri"),
            (("v", "c", *"zubiri", "enter"), " Zubiri"),
            (("slash", *"zubiri", "enter"), " Zubiri"),
            (("colon", *"refresh", "enter"), "is:open"),
        ):
            await pilot.press("9", "g")
            await settle(pilot)
            assert " Zubiri" not in "\n".join(lines(app)[:5])
            type_ahead(app, *keys)
            await until(
                pilot, lambda: isinstance(app.screen, InboxScreen) and len(app.screen_stack) < 2
            )
            await settle(pilot)
            assert expected in "\n".join(lines(app)[:5])


@pytest.mark.parametrize("dialog", ["ctrl+k", "s"])
async def test_a_key_behind_an_enter_that_waits_is_for_the_inbox(
    viewer: Viewer, dialog: str
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        type_ahead(app, dialog, *"zubiri", "enter", "9")
        await until(pilot, lambda: isinstance(app.screen, InboxScreen))
        await settle(pilot)
        assert len(app.screen_stack) < 2
        assert "is:open" in lines(app)[0]
        assert "zubiri9" not in shown(app)


async def test_enter_takes_the_choice_that_keys_before_it_moved_to(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await found(pilot, "ctrl+k", *"zu")
        picker = app.screen
        assert isinstance(picker, Switcher)
        choices = [picker.list.rows[at].value for at in range(3)]
        picked: list[object] = []
        picker.answer_to(picked.append)
        type_ahead(app, "down", "down", "enter")
        await until(pilot, lambda: bool(picked))
        assert picked == choices[2:]


async def found(pilot: Pilot[Any], *keys: str) -> list[str]:
    for key in keys:
        await pilot.press(key)
    await settle(pilot)
    return lines(pilot.app)


async def test_each_search_says_what_it_searches(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "find in this pane" in (await found(pilot, "slash"))[-1]
        await found(pilot, "escape")
        opened = "".join(await found(pilot, "s"))
        assert re.search(r"Search the \d+ messages opened on this computer", opened)
        assert "No match" not in shown(app)
        none = "".join(await found(pilot, *"qqqqq"))
        assert "No match in all messages and the notes loaded here" in none
        await found(pilot, "escape")
        assert "customer, number, view, channel" in "".join(await found(pilot, "ctrl+k"))


async def test_go_to_finds_a_person_and_ranks_starts_of_names_before_insides(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        text = "\n".join(await found(pilot, "ctrl+k", *"ma"))
        assert -1 < text.find("Madrid") < text.find("campaign")
        await found(pilot, "ctrl+u", *"nuria", "space", *"zubiri")
        await until(pilot, lambda: "Nuria Zubiri: " in shown(app))
        await found(pilot, "down", "enter")
        assert "Nuria Zubiri" in lines(app)[3]


async def test_a_name_in_this_pane_is_found_without_its_accents(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"ibanez", "enter")
        await until(pilot, lambda: "Found “ibanez”" in shown(app))
        screen = app.screen
        assert isinstance(screen, InboxScreen)
        assert screen.queue.list.row is not None
        assert screen.queue.list.row.contact.name == "Ana Ibáñez"


async def test_enter_after_a_word_that_is_nowhere_does_not_answer_the_offer_to_keep_more(
    viewer: Viewer, sample_file: Path, tmp_path: Path
) -> None:
    database = SQLiteDatabase(Path(shutil.copy(sample_file, tmp_path)), durable=False)
    database.write(message_search.drop)
    with closing(database), ExitStack() as resources:
        app = viewer(in_process(database, None, resources))
        async with app.run_test(size=(120, 40)) as pilot:
            await settle(pilot)
            await pilot.press("s", *"zzqx", "enter")
            await until(pilot, lambda: "Keep all open conversations" in shown(app))
            await pilot.press("enter")
            await settle(pilot)
            assert "Keep all open conversations" in shown(app)
            await pilot.press("down", "up", "enter")
            await settle(pilot)
            assert isinstance(app.screen, InboxScreen)
            assert notifications(app)[-1] == sentences.KEEPING_NOTHING


async def test_tab_shows_the_conversations_of_the_line_that_was_searched(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("s", *"refund is:open", "tab")
        await settle(pilot)
        assert "is:open   refund" in lines(app)[0]
        assert len(queue(app)) > 1
        await pilot.press("s", *"refund #unheard", "tab")
        await settle(pilot)
        assert "No label fits unheard." in shown(app)
