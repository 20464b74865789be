"""Keys of the thread: filters, days, links, copies, raw rows."""

import csv
import io
import json
import webbrowser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import Input

from frontdesk.tui import clipboard
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clipboard import is_web, links_in, open_outside
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.wire import Message, Note
from tests.patience import HANG_SECONDS
from tests.tui.conftest import Viewer, lines, notifications, settle, shown
from tests.tui.inbox_state import screen_of
from tests.tui.views import type_in


def entries(app: FrontdeskApp) -> list[Message | Note]:
    rows = screen_of(app).thread.messages.rows
    return [rows[at] for at in range(len(rows))]


async def test_notes_only_people_only_and_all_again(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+k", *"whole", "enter")
        await settle(pilot)
        await pilot.press("enter", "f", "n")
        await settle(pilot)
        assert all(isinstance(entry, Note) for entry in entries(app))
        assert "showing: notes only" not in shown(app)
        assert "showing: notes" in shown(app)
        await pilot.press("f", "p")
        await settle(pilot)
        assert {entry.author for entry in entries(app)} <= {"contact", "user", "phone"}
        assert entries(app)
        await pilot.press("f", "s")
        await settle(pilot)
        assert all(entry.author != "system" or isinstance(entry, Note) for entry in entries(app))
        await pilot.press("f", "a")
        await settle(pilot)
        assert "showing:" not in shown(app)


async def test_the_thread_scrolls_from_the_list_and_by_pages_in_it(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 16)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+k", *"whole", "enter")
        await settle(pilot)
        thread, listed = screen_of(app).thread, screen_of(app).queue.list
        await pilot.press("2")
        await settle(pilot)
        selected = listed.selected_key
        assert thread.messages.at_end
        await pilot.press("ctrl+y", "ctrl+y")
        assert not thread.messages.at_end
        await pilot.press("ctrl+e", "ctrl+e")
        assert thread.messages.at_end
        assert (screen_of(app).focused, listed.selected_key) == (listed, selected)
        await pilot.press("3", "b")
        assert not thread.messages.at_end
        await pilot.press("space")
        assert thread.messages.at_end


async def test_a_thread_that_is_not_shown_is_not_scrolled(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(60, 24)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+e")
        assert "The thread is not shown here. 3: go to the thread" in notifications(app)


async def test_t_goes_to_the_first_message_of_a_day_and_loads_as_far_back_as_it_is(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+k", *"wholesale", "enter")
        await settle(pilot)
        await pilot.press("f", "s", *"any", "enter", "f", "t", *"oonagh", "enter", "enter")
        await settle(pilot)
        held = len(entries(app))
        await pilot.press("t", *"2025-12-20", "enter")
        await settle(pilot)
        assert len(entries(app)) > held
        row = screen_of(app).thread.messages.row
        assert row is not None
        assert row.created_at >= "2025-12-20"
        before = entries(app)[screen_of(app).thread.messages.cursor - 1]
        assert before.created_at < "2025-12-20"


async def test_brackets_step_through_the_days_of_a_thread(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        days: list[str] = []
        await pilot.press("3")
        while len(set(days)) < 2 or days.count(days[-1]) < 2:
            await pilot.press("J")
            await settle(pilot)
            days = [entry.created_at[:10] for entry in entries(app)]
        await pilot.press("3", "end", "left_square_bracket")
        await settle(pilot)
        row = screen_of(app).thread.messages.row
        assert row is not None
        first_of_last = days.index(days[-1])
        assert screen_of(app).thread.messages.cursor in (
            first_of_last,
            days.index(days[first_of_last - 1]),
        )
        await pilot.press("home", "left_square_bracket")
        await settle(pilot)
        assert notifications(app)[-1].startswith("No earlier day")
        screen_of(app).thread.messages.go_to(first_of_last)
        await pilot.press("right_square_bracket")
        await settle(pilot)
        assert notifications(app)[-1].startswith("No later day")
        assert screen_of(app).thread.messages.cursor == first_of_last


async def test_an_ambiguous_date_asks_for_another(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("t", *"3/4", "enter")
        await pilot.pause()
        assert "write 2026-03-14" in lines(app)[-2]
        await pilot.press("escape", "escape")
        await settle(pilot)
        assert isinstance(app.screen, InboxScreen)


async def test_the_help_of_a_thread_has_no_key_that_opens_nothing(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("enter", "question_mark")
        await settle(pilot)
        await type_in(pilot, "open")
        assert "Last opened conversation" in shown(app)
        assert "↵" not in shown(app).partition("↵ choose")[0].partition("Keys that work here")[2]


async def test_w_shows_the_row_as_it_was_received_and_its_lines_can_be_copied(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("w")
        await settle(pilot)
        assert '"last_activity_at"' in shown(app)
        await pilot.press("j", "y")
        await settle(pilot)
        assert app.clipboard.startswith('"id"')
        assert notifications(app) == [f"Copied: {app.clipboard}"]
        await pilot.press("escape", "enter", "w")
        await settle(pilot)
        assert '"wamid"' in shown(app)


async def test_the_copy_menu_copies_the_customer_and_the_thread(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        conversation = screen_of(app).thread.conversation
        assert conversation is not None
        contact = conversation.contact
        for letter, copied in (("p", contact.phone), ("n", contact.name), ("i", conversation.id)):
            await pilot.press("Y", letter)
            await settle(pilot)
            assert app.clipboard == copied
        await pilot.press("Y", "t")
        await settle(pilot)
        assert app.clipboard.count("\n") >= len(entries(app))


async def test_only_a_message_with_a_link_offers_to_copy_it(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert not screen_of(app).thread.exports.links
        await pilot.press("Y")
        await settle(pilot)
        assert "a link in the message" not in shown(app)
        # A question about an advertisement.
        await pilot.press("escape", *"flquestion", "enter")
        await settle(pilot)
        await pilot.press("3", "g")
        await settle(pilot)
        assert "https://ads.example/" in shown(app)
        assert screen_of(app).thread.exports.links
        await pilot.press("Y")
        await settle(pilot)
        assert "a link in the message" in shown(app)


async def test_o_without_a_link_says_what_it_could_open(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for pane in "23":
            app.clear_notifications()
            await pilot.press(pane, "o")
            await settle(pilot)
            assert notifications(app) == [
                "No link here. To open conversations in a web inbox, write a command with"
                ' key = "o" in the configuration'
            ]


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("see https://example.com/a, please", ["https://example.com/a"]),
        ("(http://example.com/x_(y))", ["http://example.com/x_(y)"]),
        ("https://a.example https://a.example", ["https://a.example"]),
        ("javascript:alert(1) file:///etc/passwd", []),
        ("https:// http://", []),
        ("HTTPS://EXAMPLE.COM.", ["HTTPS://EXAMPLE.COM"]),
        ("https://example.com/" + "])" * 40_000 + ".", ["https://example.com/"]),
        (
            "https://example.com/(a)[b](" + "(" * 50 + ")" * 60,
            ["https://example.com/(a)[b](" + "(" * 50 + ")" * 51],
        ),
        ("https://example.com/" + "a" * 8_172, ["https://example.com/" + "a" * 8_172]),
        ("https://example.com/" + "a" * 8_173, []),
    ],
)
def test_links_are_found_without_the_sentence_around_them(text: str, links: list[str]) -> None:
    note = Note(id="1", text=text, created_at="2026-03-14T10:00:00Z")
    assert links_in(note) == links


@given(st.text())
def test_whatever_is_written_only_web_addresses_are_links(text: str) -> None:
    note = Note(id="1", text=text + " https://" + text, created_at="")
    assert all(is_web(link) for link in links_in(note))


def test_a_browser_that_draws_on_the_terminal_is_not_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("w3m"))
    assert not open_outside("https://example.com")


def test_copied_text_reaches_the_first_available_clipboard_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "xclip"
    program.write_text(f'#!/bin/sh\ncat > "{tmp_path}/taken"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert clipboard.copy_natively("Grüße 👋", HANG_SECONDS)
    assert (tmp_path / "taken").read_text(encoding="utf-8") == "Grüße 👋"


@pytest.mark.parametrize(
    ("platform", "displays", "programs"),
    [
        ("linux", (), []),
        ("linux", ("WAYLAND_DISPLAY",), ["wl-copy"]),
        ("freebsd14", ("DISPLAY",), ["xclip", "xsel"]),
        ("linux", ("DISPLAY", "WAYLAND_DISPLAY"), ["wl-copy", "xclip", "xsel"]),
        ("darwin", ("DISPLAY",), ["pbcopy"]),
        ("win32", ("DISPLAY",), ["clip"]),
    ],
)
def test_the_clipboard_programs_are_those_of_the_platform_and_its_displays(
    platform: str, displays: tuple[str, ...], programs: list[str]
) -> None:
    found = clipboard.programs(platform, dict.fromkeys(displays, ":0"))
    assert [command for command, *_ in found] == programs


def test_where_one_clipboard_program_fails_the_next_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert not clipboard.copy_natively("a")
    for name, command in {"wl-copy": "exit 1", "xsel": f'cat > "{tmp_path}/taken"'}.items():
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{command}\n")
        program.chmod(0o755)
    assert clipboard.copy_natively("a", HANG_SECONDS)
    assert (tmp_path / "taken").read_text(encoding="utf-8") == "a"


async def test_a_thread_is_saved_from_its_start(viewer: Viewer, tmp_path: Path) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        for ending in ("md", "json"):
            await pilot.press("E")
            await settle(pilot)
            await type_in(pilot, str(tmp_path / f"thread.{ending}"))
            await pilot.press("enter")
            await settle(pilot)
        assert screen_of(app).thread.listing is not None
        assert screen_of(app).thread.listing.complete
        messages, conversation = entries(app), screen_of(app).thread.conversation
    assert conversation is not None
    rows = json.loads((tmp_path / "thread.json").read_text(encoding="utf-8"))
    assert [row["id"] for row in rows] == [one.id for one in messages]
    text = (tmp_path / "thread.md").read_text(encoding="utf-8")
    for entry in messages:
        if isinstance(entry, Message) and entry.type == "text" and entry.text:
            assert entry.text.split()[0].strip("*_") in text
    facts = " ".join("\n".join(text.splitlines()[:8]).split())
    assert f"Conversation: {conversation.id}" in facts
    assert str(conversation.contact.name) in facts
    assert str(conversation.channel.name) in facts


async def test_the_notice_says_in_which_directory_a_thread_was_saved(
    viewer: Viewer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(work)
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("enter", "E")
        await pilot.pause()
        app.screen.query_one(Input).value = "thread.md"
        await pilot.press("enter")
        await settle(pilot)
        place = str(Path("~", "work"))
        words = f"6 messages and 1 note saved as thread.md in {place}"
        assert notifications(app)[-1] == words


async def test_the_queue_is_saved_as_far_as_it_is_loaded_and_nothing_is_overwritten_unasked(
    viewer: Viewer, tmp_path: Path
) -> None:
    path = tmp_path / "queue.csv"
    path.write_text("mine", encoding="utf-8")
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("E")
        await pilot.pause()
        app.screen.query_one(Input).value = str(path)
        await pilot.press("enter")
        await pilot.pause()
        assert "This file exists" in shown(app)
        assert path.read_text(encoding="utf-8") == "mine"
        await pilot.press("enter")
        await settle(pilot)
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
        assert len(rows) == 60
        assert rows[0]["id"] == getattr(screen_of(app).queue.list.row, "id", None)


async def test_the_pricing_of_a_message_is_in_the_row_as_it_was_received(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 45)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+k", *"wholesale", "enter")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        sent = next(
            at
            for at, entry in enumerate(reversed(entries(app)))
            if isinstance(entry, Message) and entry.pricing is not None
        )
        await pilot.press(*["k"] * sent, "w")
        await settle(pilot)
        await pilot.press("G")
        await settle(pilot)
        assert '"pricing": {' in shown(app)
        assert '"model": "PMP"' in shown(app)
