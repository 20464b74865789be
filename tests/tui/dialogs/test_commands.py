"""Help and palette: every action, filter and view is found by its name or by a synonym."""

import re
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from frontdesk.tui.command_entries import active_commands
from frontdesk.tui.dialogs.base import Choice
from frontdesk.tui.dialogs.picker import containing
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.key_validation import actions_by_id
from tests.tui.conftest import Viewer, lines, settle, shown

GROUPS = ["Signs", "Move", "Triage", "Read", "Find", "Export", "Views", "Application"]


async def opened(pilot: Pilot[Any], *keys: str) -> str:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)
    return shown(pilot.app)


async def test_help_groups_keys_by_what_one_wants(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 170)) as pilot:
        await settle(pilot)
        await opened(pilot, "question_mark")
        inside = [line[28:92].strip("│┃ ") for line in lines(app)]
        assert [line for line in inside if line in GROUPS] == GROUPS
        at = {line.rpartition("  ")[0].strip() or line: n for n, line in enumerate(inside)}
        assert at["Triage"] < at["Next unread"] < at["Read"]
        assert at["Export"] < at["Select for export"] < at["Views"]


async def test_typing_in_help_filters_it_and_enter_runs_the_action(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        text = await opened(pilot, "question_mark", *"alone")
        assert "Zoom this pane" in text
        assert "Pane to the left" not in text
        await opened(pilot, "enter")
        assert isinstance(app.screen, InboxScreen)
        assert not app.screen.thread.display


async def test_the_palette_finds_by_title_and_by_synonym(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        choices = [Choice(one, one.title, synonyms=one.synonyms) for one in app.commands()]
    for typed, title in (
        ("export", "Export list or selection…"),
        ("export", "Export thread…"),
        ("reload", "Refresh"),
        ("next", "Next day"),
        ("refund", "Filter: #refund"),
        ("label comp", "Filter: #complaint"),
        ("mine", "View: Mine"),
        ("colours", "Theme…"),
        ("longest", "Sort: longest waiting"),
        ("directory", "Open directory"),
        ("screenshot", "Screenshot (SVG)…"),
        ("svg", "Screenshot (SVG)…"),
        ("channel madrid", "Filter: in:Madrid"),
        ("waiting over", "Filter: waiting over 1 h"),
        ("waiting:>", "Filter: waiting over 1 h"),
    ):
        assert title in [one.words for one in containing(choices, typed)]


async def test_a_filter_and_a_view_of_the_palette_show_their_conversations(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await opened(pilot, "colon", *"filter: #comp", "enter")
        assert "#complaint" in lines(app)[0]
        await opened(pilot, "colon", *"view: mine", "enter")
        assert "is:open   @me" in lines(app)[0]


async def test_the_palette_begins_with_what_was_run_last(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for title in ("Refresh", "Filter: #complaint"):
            await opened(pilot, "colon", *title.lower(), "enter")
        text = await opened(pilot, "colon")
        assert text.index("Filter: #complaint") < text.index("Refresh") < text.index("Next")


async def test_the_line_of_a_search_stays_where_it_is(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await opened(pilot, "s")
        field = app.screen.query_one(Input)
        place = field.region
        for words in ("a", "pp", "zzzqqq"):
            await opened(pilot, *words)
            assert field.region == place


async def test_the_palette_undoes_the_saving_of_a_view_as_long_as_that_can_be_undone(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await opened(pilot, "f", "u", "f", "k", *"New", "enter", "8")
        assert "8 New" in lines(app)[1]
        assert re.search(r"Undo mark.* +U", await opened(pilot, "colon", *"undo"))
        await opened(pilot, "enter")
        assert "8 Waiting >1h" in lines(app)[1]
        assert "unread" in lines(app)[0]
        await opened(pilot, "colon", *"undo", "enter")
        assert "Nothing to undo" in lines(app)[-1]


async def test_an_action_of_another_pane_runs_there(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        text = await opened(pilot, "colon", *"export thread", "enter")
        assert "save as (.md, .txt, .json)" in text


async def test_no_title_is_in_the_palette_twice(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        commands = app.commands()
        titles = [command.title for command in commands]
        assert len(titles) == len(set(titles))
        assert [one.title for one in commands if one.hint == "5"] == ["View: Mine"]
        assert [one.title for one in commands if one.hint == "v w"] == ["Save view…"]
        assert next(one for one in commands if one.title == "Refresh").hint == "^r f5"


async def test_a_hint_uses_the_words_of_the_help(viewer: Viewer) -> None:
    """Keys of the list itself are left out: their hints say what is opened."""
    app = viewer()
    async with app.run_test(size=(240, 40)) as pilot:
        await settle(pilot)
        for keys in ("", "enter", "1", "4", "f3 tab", "f4", "v d", "v t", "v s"):
            await opened(pilot, *keys.split())
            titles = [
                (one.hint.split(), one.title.casefold()) for one in active_commands(app.screen)
            ]
            known = hints_that_name_an_action(lines(app)[-1])
            assert ("esc", "back") in known or not keys or keys == "1"
            assert len(known) >= 2
            for key, words in known:
                titled = [title for keys_of, title in titles if key in keys_of]
                first = re.split(r"\W", words)[0]
                assert any(first in title for title in titled), (key, words, titled)
            while len(app.screen_stack) > 1:
                await opened(pilot, "escape")
            await opened(pilot, "2")


def hints_that_name_an_action(status: str) -> list[tuple[str, str]]:
    """Key and words of those hints of a status line that are not about the list itself."""
    hints = status.partition(" live")[0].split("   ")
    pairs = [hint.strip(" [").partition(" ")[::2] for hint in hints if hint.strip()]
    # Some have two keys: 3 5 channels, people.
    named = [
        (key, re.sub(r"^\d ", "", words.strip(" ]")))
        for key, words in pairs
        if len(key) == 1 or key == "esc"
    ]
    return [pair for pair in named if pair[0] not in "j↵↑t" or pair[1].startswith("date")]


def test_starts_of_words_come_before_the_insides_of_words() -> None:
    choices = [Choice(words, words) for words in ("reopen", "Open", "Not open", "Shop", "Opening")]
    found = [one.words for one in containing(choices, "op")]
    assert found == ["Open", "Opening", "Not open", "reopen", "Shop"]


def test_every_action_of_the_inbox_has_a_group() -> None:
    groups = {
        id: action.group
        for id, action in actions_by_id().items()
        if id.startswith(("inbox.", "list."))
    }
    assert set(groups.values()) <= set(GROUPS)
    assert groups["inbox.next_unread"] == "Triage"
