"""Preferences: colours, density, bell, quiet hours, keys, keyboard layouts."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from textual.keys import Keys

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.inbox.state import Bell
from frontdesk.mailbox import Mailbox
from frontdesk.settings import ViewerSettings
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.help import HelpScreen
from frontdesk.tui.dialogs.picker import Menu, Picker
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.key_names import latin_key
from frontdesk.tui.key_validation import actions_by_id, checked_keymap
from frontdesk.tui.preferences import PLAIN, Preferences, Switch
from tests.conftest import NOW
from tests.tui.conftest import lines, notifications, settle, shown
from tests.tui.memory_inbox import MemoryInbox, memory_inbox_viewer, virtual_time
from tests.tui.views import press, type_in

SIZE = (120, 40)


@pytest.fixture
def app(client: InboxClient, cache: Cache) -> Any:
    """Makes the viewer on the sample with preferences."""

    def make(**preferences: Any) -> FrontdeskApp:
        mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
        settings = {one: preferences.pop(one) for one in ("theme", "density") if one in preferences}
        wanted = Preferences(ViewerSettings(**settings), **preferences)
        return FrontdeskApp(mailbox, title="s", clock=Clock(None, lambda: NOW), preferences=wanted)

    return make


def inbox_of(app: FrontdeskApp) -> InboxScreen:
    screen = app.screen
    assert isinstance(screen, InboxScreen)
    return screen


async def test_the_theme_is_the_one_that_was_asked_for(app: Any) -> None:
    viewer = app(theme="frontdesk-light")
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert viewer.theme == "frontdesk-light"
        assert not viewer.current_theme.dark


@pytest.mark.parametrize("density", [1, 2, 3])
async def test_conversations_have_as_many_lines_as_were_asked_for(app: Any, density: int) -> None:
    viewer = app(density=density)
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        conversations = inbox_of(viewer).queue.list
        assert len(conversations.draw(0, 40)) == density
        await pilot.resize_terminal(120, 24)
        assert len(conversations.draw(0, 40)) == density


async def test_a_theme_chosen_in_the_palette_is_there_at_the_next_start(app: Any) -> None:
    viewer = app(theme="frontdesk-light")
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        viewer.search_themes()
        await press(pilot, *"nord", "enter")
        assert viewer.theme == "nord"
    assert app(theme="frontdesk-light").theme == "nord"
    assert app(theme="frontdesk-high-contrast").theme == "frontdesk-high-contrast"


@pytest.mark.parametrize("is_demo", [False, True])
async def test_the_demo_says_that_a_theme_is_not_remembered(app: Any, is_demo: bool) -> None:
    viewer = app(is_demo=is_demo)
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        viewer.search_themes()
        await press(pilot, *"high-contrast", "enter")
        assert ("The demo does not remember themes" in shown(viewer)) == is_demo
        assert ('[viewer] theme = "high-contrast"' in shown(viewer)) == is_demo


@pytest.mark.parametrize("is_demo", [False, True])
async def test_the_demo_says_that_a_view_is_not_kept(app: Any, is_demo: bool) -> None:
    viewer = app(is_demo=is_demo)
    async with viewer.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("f", "k", *"Mine today", "enter", "5")
        await settle(pilot)
        end = ", until the demo ends" if is_demo else ""
        assert f"Saved as view 5, replacing Mine{end}. U: undo" in shown(viewer)


async def test_sixteen_colours_have_a_theme_of_their_own(
    app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLORTERM", "")
    monkeypatch.setenv("TERM", "xterm-16color")
    assert app(theme="frontdesk-light").theme == "frontdesk-16-colours"
    monkeypatch.setenv("NO_COLOR", "1")
    assert app(theme="frontdesk-light").theme == "frontdesk-greys"


async def test_no_color_begins_with_greys_unless_another_theme_is_configured(
    app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert app().theme == "frontdesk-greys"
    assert app(theme="frontdesk-light").theme == "frontdesk-light"


async def test_a_terminal_of_sixteen_colours_is_offered_no_theme_of_more(
    app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLORTERM", "")
    monkeypatch.setenv("TERM", "xterm-16color")
    viewer = app()
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        viewer.search_themes()
        await settle(pilot)
        assert "16-colours" in shown(viewer)
        assert "This terminal has 16 colours" in shown(viewer)
        assert "gruvbox" not in shown(viewer)


async def test_notices_are_said_once_at_the_start(app: Any) -> None:
    viewer = app(notices=("config.toml, line 4: bell is 1: use true or false",))
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert notifications(viewer) == ["config.toml, line 4: bell is 1: use true or false"]


async def test_of_several_mistakes_the_first_is_shown_and_the_others_are_counted(app: Any) -> None:
    viewer = app(notices=("config.toml, line 4: no theme lihgt", "line 5", "line 6"))
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        words = "config.toml, line 4: no theme lihgt (2 more: frontdesk config check)"
        assert notifications(viewer) == [words]


@pytest.mark.parametrize("wished", [True, False])
def test_nothing_is_asked_unfocused_where_that_is_wished(tmp_path: Path, wished: bool) -> None:
    answers: list[float] = []
    source = MemoryInbox(12, lambda: answers.append(0.0) or 0.0)

    async def live() -> None:
        preferences = Preferences(ViewerSettings(quiet_unfocused=wished))
        async with memory_inbox_viewer(
            source, tmp_path / "cache.db", preferences=preferences
        ) as viewer:
            viewer.inbox.terminal_focused(False)
            await asyncio.sleep(5.0)
            before = len(answers)
            await asyncio.sleep(120.0)
            assert (len(answers) == before) == wished

    with virtual_time(0) as runner:
        runner.run(live())


@pytest.mark.parametrize("wished", [True, False])
def test_the_bell_rings_for_what_is_new_and_only_where_it_is_wished(
    tmp_path: Path, wished: bool
) -> None:
    source = MemoryInbox(12)

    async def live() -> None:
        preferences = Preferences(ViewerSettings(bell=wished))
        async with memory_inbox_viewer(
            source, tmp_path / "cache.db", preferences=preferences
        ) as viewer:
            rung: list[bool] = []
            viewer.bell = lambda: rung.append(True)  # type: ignore[method-assign]
            await asyncio.sleep(60.0)
            assert rung == []
            source.change("5", unread_count=3)
            await asyncio.sleep(60.0)
            assert rung == [True] * wished
            await asyncio.sleep(60.0)
            assert rung == [True] * wished

    with virtual_time(0) as runner:
        runner.run(live())


def test_the_bell_does_not_ring_without_unread_conversations() -> None:
    bell = Bell()
    assert not bell.rings([])
    assert not bell.rings([])


# Keys


async def test_other_keys_work_and_the_old_ones_do_not(app: Any) -> None:
    viewer = app(keys={"inbox.next": "ctrl+n", "list.next": "x,down"})
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        moved = inbox_of(viewer).queue.list
        await pilot.press("j", "J")
        assert moved.cursor == 0
        await pilot.press("3", "ctrl+n", "2", "x", "down")
        assert moved.cursor == 3


async def test_help_and_the_status_line_show_the_keys_as_they_are(app: Any) -> None:
    viewer = app(keys={"inbox.filter": "ctrl+g,F", "list.next": "x", "inbox.help": "f9"})
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "  W longest wait   ^g filter " in lines(viewer)[-1]
        assert "f9 help" in lines(viewer)[-1]
        await press(pilot, "f9")
        assert isinstance(viewer.screen, HelpScreen)
        assert re.search(r"Next +x\b", shown(viewer))
        await type_in(pilot, "Filter")
        assert re.search(r"Filter… +\^g F\b", shown(viewer))


def test_every_action_can_have_the_keys_it_has() -> None:
    every = {name: keys for name, (keys, *_) in actions_by_id().items()}
    assert checked_keymap(every)[0] == every


@pytest.mark.parametrize(
    ("keys", "usable"),
    [
        ("j", "j"),
        ("J, ctrl+N", "J,ctrl+n"),
        ("?", "question_mark"),
        ("ctrl+?", "ctrl+question_mark"),
        ("f12,space,shift+tab", "f12,space,shift+tab"),
        ("ctrl++", "ctrl+plus"),
        ("+", "plus"),
        ("ж", "ж"),
        ("j,j", "j"),
        ("comma", "comma"),
    ],
)
def test_keys_are_written_as_one_thinks_of_them(keys: str, usable: str) -> None:
    assert checked_keymap({"inbox.swap": keys})[0] == {"inbox.swap": usable}


@pytest.mark.parametrize(
    ("name", "keys", "words"),
    [
        ("inbox.swop", "j", "there is no action 'inbox.swop'; did you mean 'inbox.swap'?"),
        ("not_yet.r", "j", "there is no action 'not_yet.r'"),
        ("inbox.swap", "", "inbox.swap: there is nothing where a key should be"),
        ("inbox.swap", "entre", "inbox.swap: there is no key 'entre'; did you mean 'enter'?"),
        ("inbox.swap", "strg+k", "inbox.swap: there is no key 'strg+k'"),
        ("inbox.swap", "u", "inbox.swap: the key u is that of inbox.next_unread too"),
        ("list.next", "f", "list.next: the key f is that of inbox.filter too"),
        ("inbox.swap", "ctrl+o", "inbox.swap: the key ctrl+o is that of app.profiles too"),
    ],
)
def test_keys_that_cannot_be_or_are_in_the_way_are_reported(
    name: str, keys: str, words: str
) -> None:
    _, problems = checked_keymap({name: keys})
    assert problems[0][0] == name
    assert problems[0][1].startswith(words)


def test_two_actions_that_change_keys_are_not_in_each_others_way() -> None:
    swapped = {"inbox.next_unread": "p", "inbox.previous_unread": "u"}
    assert checked_keymap(swapped) == (swapped, [])


@given(some.dictionaries(some.sampled_from(["inbox.swap", "list.next", "x"]), some.text()))
def test_any_text_for_a_key_is_used_or_reported(keys: dict[str, str]) -> None:
    usable, problems = checked_keymap(keys)
    assert keys.keys() == usable.keys() | {name for name, _ in problems}


def test_known_names_of_keys_are_known() -> None:
    for key in ("escape", "backspace", "pagedown", "home", "insert", "ctrl+a", "f20"):
        assert key in {one.value for one in Keys}
        assert checked_keymap({"inbox.swap": key})[0]


# Other keyboards


@pytest.mark.parametrize(
    ("typed", "latin"),
    [
        ("о", "j"),  # Russian
        ("О", "J"),
        ("ж", ";"),
        ("Ж", ":"),
        ("х", "["),
        ("і", "s"),  # Ukrainian
        ("ξ", "j"),  # Greek
        ("Σ", "S"),
        ("ח", "j"),  # Hebrew
        ("ת", ","),
        ("ت", "j"),  # Arabic
        ("ک", ";"),  # Persian
    ],
)
def test_a_letter_of_another_script_is_the_key_at_its_place(typed: str, latin: str) -> None:
    assert latin_key(typed) == latin


@given(some.characters(max_codepoint=0x24F))
def test_no_letter_of_a_latin_keyboard_is_another_key(character: str) -> None:
    assert latin_key(character) is None


async def test_another_keyboard_moves_and_opens_menus(app: Any) -> None:
    viewer = app()
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("о", "о", "л")
        assert inbox_of(viewer).queue.list.cursor == 1
        await pilot.press("м")
        await pilot.pause()
        assert isinstance(viewer.screen, Menu)


async def test_letters_typed_into_a_field_are_not_translated_to_latin_keys(app: Any) -> None:
    viewer = app()
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("slash")
        await pilot.pause()
        await pilot.press("о", "л")
        assert viewer.focused.value == "ол"


async def test_a_letter_that_was_given_to_an_action_is_its_key(app: Any) -> None:
    viewer = app(keys=checked_keymap({"list.last": "о"})[0])
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("о")
        assert inbox_of(viewer).queue.list.cursor > 10


# Profiles


async def test_ctrl_o_leaves_for_another_profile(app: Any) -> None:
    viewer = app(profiles={"work": "https://a", "shop": "b.db"}, profile="work")
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+o")
        await pilot.pause()
        assert isinstance(viewer.screen, Picker)
        assert "https://a" in shown(viewer)
        await pilot.press("s", "h", "enter")
    assert viewer.return_value == Switch("shop")


async def test_the_profile_that_is_open_is_not_left_for_itself(app: Any) -> None:
    viewer = app(profiles={"work": "https://a", "shop": "b.db"}, profile="work")
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "ctrl+o", "enter")
        inbox_of(viewer)
        assert viewer.is_running
    assert viewer.return_value is None


async def test_without_another_profile_it_says_how_to_add_one(app: Any) -> None:
    viewer = app(profiles={"work": "https://a"}, profile="work")
    async with viewer.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+o")
        await pilot.pause()
        assert notifications(viewer) == ["There is no other profile: frontdesk profiles add NAME"]


def test_nothing_is_changed_and_nobody_is_disturbed_by_default() -> None:
    settings = PLAIN.viewer
    assert (settings.density, settings.bell, settings.quiet_unfocused) == (0, False, False)
    assert not PLAIN.is_demo
    assert PLAIN.media_directory is None
