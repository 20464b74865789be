"""Pictures and files of messages in the viewer: seen, opened, saved."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Input

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.own_commands.command import OwnCommand
from frontdesk.settings import ViewerSettings
from frontdesk.tui import sentences
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.dialogs.search import SearchScreen
from frontdesk.tui.widgets.message_list import Thread
from frontdesk.wire import Media, Message
from tests.tui.conftest import idle_until, lines, settle, shown
from tests.tui.inbox_state import screen_of
from tests.tui.served_files import WithFiles, media, png, viewer_of

Opened = Callable[[WithFiles], FrontdeskApp]


@pytest.fixture
def opened(cache: Cache, tmp_path: Path) -> Opened:
    """Makes the viewer, which keeps files in a directory of its own."""

    return lambda source: viewer_of(source, cache, tmp_path / "media")


async def entered(pilot: Pilot[Any], source: WithFiles) -> Thread:
    """The thread of the first conversation, entered, with its pictures there."""
    await settle(pilot)
    await pilot.press("enter", "G")
    thread = screen_of(cast(FrontdeskApp, pilot.app)).thread.messages
    await idle_until(pilot, lambda: not thread.wanted_pictures())
    await settle(pilot)
    return thread


def grounds(thread: Thread) -> set[str]:
    """Colours behind the cells of a thread's lines."""
    strips = thread.render_lines(Region(0, 0, *thread.size))
    colours = {segment.style.bgcolor for strip in strips for segment in strip if segment.style}
    return {colour.triplet.hex for colour in colours if colour and colour.triplet}


def a_photo(key: str = "one", **facts: Any) -> Media:
    return media(key, mime_type="image/png", width=400, height=300, size_bytes=1200, **facts)


async def test_a_picture_comes_under_its_card_and_moves_no_line(
    client: InboxClient, opened: Opened
) -> None:
    source = WithFiles(client, [a_photo()], ["image"])
    app = opened(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        thread = screen_of(app).thread.messages
        await idle_until(pilot, lambda: bool(source.asked))
        await settle(pilot)
        before, tops = lines(app), thread.keys_in_view()
        assert "photo · 1 KB   o opens, d saves" in "\n".join(before)
        assert "Not fetched yet" in "\n".join(before)
        assert "#d02020" not in grounds(thread)
        source.files["one"] = png(400, 300)
        thread.pictures.say("one", "", lasting=False)
        screen_of(app).thread.post_message(Thread.PicturesWanted(thread))
        await idle_until(pilot, lambda: "#d02020" in grounds(thread))
        assert thread.keys_in_view() == tops
        assert [line.replace("Not fetched yet", "").rstrip() for line in before] == lines(app)
        # A preview is enough.
        assert {width for _, width in source.asked} == {480}


@pytest.mark.parametrize(("status", "words"), [("expired", "No longer"), ("removed", "Deleted")])
async def test_a_picture_that_does_not_come_says_why_and_is_asked_for_once(
    status: str, words: str, client: InboxClient, opened: Opened, tmp_path: Path
) -> None:
    source = WithFiles(client, [a_photo()], ["image"])
    source.status = status
    app = opened(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await entered(pilot, source)
        assert words in "\n".join(lines(app))
        await pilot.press("J", "K")
        await settle(pilot)
        assert source.asked.count(("one", 480)) <= 2


async def test_what_the_server_lost_has_a_card_alone(client: InboxClient, opened: Opened) -> None:
    source = WithFiles(client, [a_photo(status="expired")], ["image"])
    app = opened(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await entered(pilot, source)
        assert "photo · 1 KB · no longer available" in shown(app)
        assert "o opens" not in shown(app)
        assert not source.asked


async def test_enter_shows_a_picture_large_and_leads_to_the_next_file(
    client: InboxClient, opened: Opened
) -> None:
    voice = media("two", mime_type="audio/ogg", duration_ms=14_000, voice=True, size_bytes=3_000)
    source = WithFiles(client, [voice, a_photo()], ["audio", "image"])
    source.files["one"] = png(400, 300)
    app = opened(source)
    async with app.run_test(size=(100, 30)) as pilot:
        await entered(pilot, source)
        # There is a note in between.
        await pilot.press("k", "k", "enter")
        await settle(pilot)
        title = lines(app)[0]
        assert title.startswith(" photo · 400×300 · 1 KB · ")
        assert title.rstrip().endswith("1 of 2")
        assert app.screen.query_one("#file-picture").size.height == 28
        await pilot.press("j")
        await settle(pilot)
        assert "voice · 0:14 · 3 KB" in lines(app)[15]
        await pilot.press("escape")
        await settle(pilot)
        assert app.screen is screen_of(app)


async def test_braces_go_from_file_to_file_from_the_list_on(
    client: InboxClient, opened: Opened, tmp_path: Path
) -> None:
    voice = media("two", mime_type="audio/ogg", duration_ms=14_000, voice=True, size_bytes=3_000)
    source = WithFiles(client, [voice, a_photo()], ["audio", "image"])
    source.files["one"] = png(400, 300)
    app = opened(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        thread = screen_of(app).thread.messages

        async def at(key: str) -> str | None:
            await pilot.press(key)
            await settle(pilot)
            assert thread.has_focus
            media = thread.row.media if isinstance(thread.row, Message) else None
            return media and media.key

        assert [await at(key) for key in ("{", "{")] == ["two", "one"]
        await at("{")
        assert sentences.NO_EARLIER_FILE in lines(app)[-1]
        assert await at("}") == "two"
        await at("}")
        assert sentences.NO_LATER_FILE in lines(app)[-1]
        # A photo is shown and saved in four keys, from the one below it.
        await pilot.press("{", "enter", "d")
        await settle(pilot)
        app.screen.query_one(Input).value = str(tmp_path / "saved.png")
        await pilot.press("enter")
        await settle(pilot)
    assert (tmp_path / "saved.png").read_bytes() == source.files["one"]


async def test_a_file_is_saved_privately_under_a_name_that_fits_its_bytes(
    client: InboxClient, opened: Opened, tmp_path: Path
) -> None:
    source = WithFiles(client, [a_photo(filename="mirror.exe")], ["image"])
    source.files["one"] = png(400, 300)
    app = opened(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await entered(pilot, source)
        await pilot.press("d")
        await settle(pilot)
        prompt = app.screen.query_one(Input)
        assert prompt.value.endswith("mirror.exe.png")
        prompt.value = str(tmp_path / "saved.png")
        await pilot.press("enter")
        await settle(pilot)
        assert "The file was saved as saved.png" in shown(app)
    assert (tmp_path / "saved.png").read_bytes() == source.files["one"]
    assert (tmp_path / "saved.png").stat().st_mode & 0o077 == 0


async def test_a_message_with_a_file_leaves_the_key_of_the_search_alone(
    client: InboxClient, opened: Opened
) -> None:
    source = WithFiles(client, [a_photo(filename="mirror.png")], ["image"])
    source.files["one"] = png(400, 300)
    app = opened(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await entered(pilot, source)
        await pilot.press("s")
        await settle(pilot)
        assert isinstance(app.screen, SearchScreen)


async def test_a_file_of_an_unknown_kind_is_never_opened(
    client: InboxClient, opened: Opened
) -> None:
    source = WithFiles(
        client, [media("one", filename="a.pdf", mime_type="application/pdf")], ["document"]
    )
    source.files["one"] = b"#!/bin/sh\nrm -r /\n"
    app = opened(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await entered(pilot, source)
        await pilot.press("o")
        await settle(pilot)
        assert "Files of an unknown kind are not opened; save as (.pdf)" in shown(app)
        assert app.screen.query_one(Input).value.endswith("a.pdf")


async def test_a_command_opens_the_file_under_our_name_and_is_ended_by_the_same_key(
    client: InboxClient, cache: Cache, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    record = f'echo "$FRONTDESK_FILE" > {told}.new; mv {told}.new {told}; exec sleep 60'
    commands = (
        OwnCommand("Play", "exit 1", key="o", places=("file:audio",), output="notice"),
        OwnCommand("Show", record, key="o", places=("file:image",), output="notice"),
        OwnCommand("Other", "exit 1", key="o", places=("file",), output="notice"),
    )
    source = WithFiles(client, [a_photo(filename="mirror.png")], ["image"])
    source.files["one"] = png(400, 300)
    app = viewer_of(source, cache, tmp_path / "media", commands)
    async with app.run_test(size=(120, 40)) as pilot:
        await entered(pilot, source)
        await pilot.press("o")
        await idle_until(pilot, told.exists)
        handed = Path(told.read_text().strip())
        assert handed.name == "photo.png"
        assert handed.read_bytes() == source.files["one"]
        await pilot.press("o")
        await idle_until(pilot, lambda: "Show: cancelled" in shown(app))
    assert not handed.exists()


@pytest.mark.parametrize(("status", "words"), [(0, "is opened by"), (3, "exit code 3")])
async def test_the_program_of_the_system_opens_a_file_where_no_command_does(
    client: InboxClient,
    cache: Cache,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    words: str,
) -> None:
    program, told = tmp_path / "bin" / "xdg-open", tmp_path / "told"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$1" > {told}\nexit {status}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    source = WithFiles(client, [a_photo(filename="mirror.png")], ["image"])
    source.files["one"] = png(400, 300)
    app = viewer_of(source, cache, tmp_path / "media")
    async with app.run_test(size=(120, 40)) as pilot:
        await entered(pilot, source)
        await pilot.press("o")
        await idle_until(pilot, lambda: words in shown(app))
        await idle_until(pilot, told.exists)


def numbers_drawn(thread: Thread) -> set[int]:
    """Numbers of pictures that the cells of a thread name."""
    strips = thread.render_lines(Region(0, 0, *thread.size))
    cells = [segment for strip in strips for segment in strip if "\U0010eeee" in segment.text]
    inks = {cell.style.color.triplet for cell in cells if cell.style and cell.style.color}
    return {ink.red << 16 | ink.green << 8 | ink.blue for ink in inks if ink}


class PictureTerminal:
    """Reads what is written between frames. known: numbers of pictures that the terminal has."""

    def __init__(self) -> None:
        self.known: set[int] = set()

    def __call__(self, sequences: str) -> None:
        for keys in re.findall("\x1b_G([^;\x1b]*)", sequences):
            named = dict(pair.split("=") for pair in keys.split(","))
            if named.get("a") == "T":
                self.known.add(int(named["i"]))
            elif named.get("a") == "d":
                self.known.remove(int(named["i"]))


async def test_a_terminal_that_draws_pictures_has_those_that_cells_name_and_no_others(
    client: InboxClient, cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")
    source = WithFiles(client, [a_photo("one"), a_photo("two")], ["image", "image"])
    source.files |= {"one": png(400, 300), "two": png(300, 400, b"\x20\x20\xd0")}
    kitty = ViewerSettings(pictures="kitty")
    app = viewer_of(source, cache, tmp_path / "media", settings=kitty)
    terminal = PictureTerminal()
    monkeypatch.setattr(app, "write_to_terminal", terminal)
    async with app.run_test(size=(120, 60)) as pilot:
        thread = await entered(pilot, source)
        first = numbers_drawn(thread)
        assert len(first) == 2
        assert terminal.known == first
        # A shade over the screen changes colours, and so would name other pictures.
        await pilot.press("v")
        await settle(pilot)
        assert numbers_drawn(thread) == set()
        await pilot.press("escape")
        await settle(pilot)
        assert numbers_drawn(thread) == terminal.known == first
        await pilot.press("enter")
        await idle_until(pilot, lambda: len(terminal.known) == 3)
        await pilot.press("escape")
        await settle(pilot)
        assert terminal.known == first
        # Another program had the terminal.
        app.app_resume_signal.publish(app)
        await idle_until(pilot, lambda: bool(numbers_drawn(thread) - first))
        await idle_until(pilot, lambda: not thread.wanted_pictures())
        assert numbers_drawn(thread) == terminal.known
        assert not terminal.known & first
    assert terminal.known == set()


@pytest.mark.parametrize("key", ["o", "d"])
async def test_on_a_page_a_file_is_a_download_of_the_reader(
    key: str, client: InboxClient, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = WithFiles(client, [a_photo(filename="mirror.exe")], ["image"])
    source.files["one"] = png(400, 300)
    app = opened(source)
    delivered: list[tuple[bytes, str | None, str | None]] = []

    def deliver(
        path: Path, *, save_filename: str | None = None, mime_type: str | None = None
    ) -> None:
        delivered.append((path.read_bytes(), save_filename, mime_type))

    monkeypatch.setattr(FrontdeskApp, "is_web", True)
    monkeypatch.setattr(app, "deliver_binary", deliver)
    async with app.run_test(size=(120, 40)) as pilot:
        await entered(pilot, source)
        await pilot.press(key)
        await settle(pilot)
        assert not app.screen.query(Input)
    assert delivered == [(source.files["one"], "mirror.exe.png", "image/png")]
