"""Messages name keys as the user has configured them."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import frontdesk.tui
from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.preferences import Preferences
from frontdesk.tui.widgets.conversation_list import ConversationList
from tests.conftest import NOW
from tests.tui.conftest import lines, notifications, settle, shown
from tests.tui.faulty_sources import Failing
from tests.tui.views import press

TUI = Path(frontdesk.tui.__file__).parent

# Its program knows of no other keys.
_FIXED = {"setup_form.py"}

# Keys that have no other meaning, and letters where a sentence begins.
_KEY = re.compile(
    r"(?:^|(?<=[\s·;(]))(?:esc|↵|⌫|↑↓|\^\w|ctrl\+\w|F\d{1,2}|tab)(?=[ :])"
    r"|(?:^\s*|\s{2,}|[.;·▲▼] +)(?:\[ \]|[A-Za-z?/]|[a-zA-Z]/[a-zA-Z])(?: +[a-z·]+|$)"
)
_NO_KEY = re.compile(r"^\W*(?:a|A|I) |^\s*[a-zA-Z?/]$")


def test_a_name_is_that_of_the_first_key() -> None:
    names = KeyNames([InboxScreen, ConversationList], {"inbox.filter": "ctrl+f,F"})
    assert names["inbox.filter"] == "^f"
    assert names["inbox.back"] == "esc"
    assert names["list.open"] == "↵"
    assert names.fill("{inbox.before} {inbox.after} status, {list.next}/{list.previous}") == (
        "[ ] status, j/k"
    )


def test_a_name_of_no_action_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        KeyNames([InboxScreen]).fill("{inbox.swop} goes back")


def sentences() -> Iterator[tuple[str, str]]:
    """Every text of the viewer's modules that is neither a docstring nor a key itself."""
    for path in TUI.rglob("*.py"):
        if path.name in _FIXED:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        apart = {id(text) for node in ast.walk(tree) for text in not_said(node)}
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and id(node) not in apart:
                yield path.name, text


def not_said(node: ast.AST) -> Iterator[ast.expr]:
    """Docstrings, the arguments of bindings and menus."""
    if isinstance(node, ast.Expr):
        yield node.value
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Binding", "Entry"):
        yield from node.args[:1]


def named_keys(text: str) -> list[str]:
    return [found[0] for found in _KEY.finditer(text) if not _NO_KEY.match(found[0])]


@pytest.mark.parametrize(
    "text",
    [
        "esc back",
        "No conversation is open.  f changes the filter.",
        "Nothing matches. esc shows all again.",
        "q again quits",
        " new ▲ g · ",
        "[ ] status",
        "j/k move",
        "No earlier day is loaded; t goes there",
        "characters · y copies the text",
        ". ctrl+r asks again.",
        ". ctrl+r: retry.",
        "? help",
    ],
)
def test_a_key_in_a_sentence_is_noticed(text: str) -> None:
    assert named_keys(text)


def test_no_sentence_names_a_key_as_it_comes() -> None:
    assert [(name, text) for name, text in sentences() if named_keys(text)] == []


CHANGED: Mapping[str, str] = {
    "inbox.filter": "f5",
    "inbox.remove_filter": "f6",
    "inbox.refresh": "f7",
    "inbox.back": "f8",
    "inbox.leave": "x",
    "inbox.help": "f9",
    "list.next": "down",
    "menu.leave": "f11",
    "picker.leave": "f12",
    "view.help": "f9",
    "view.refresh": "f7",
    "view.reports": "f20",
    "report.formula": "Y",
    "report.period": "P",
    "list.open": "o",
    "inbox.open_link": "O",
}


@pytest.fixture
def app(client: InboxClient, cache: Cache) -> Any:
    def make(source: Any = None) -> FrontdeskApp:
        mailbox = Mailbox(lambda: source or client, cache, clock=lambda: NOW)
        wanted = Preferences(keys=CHANGED)
        return FrontdeskApp(mailbox, title="s", clock=Clock(None, lambda: NOW), preferences=wanted)

    return make


async def test_words_name_the_keys_as_they_are(app: Any) -> None:
    viewer = app()
    async with viewer.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for keys, *named in (
            ("", "o open   u next unread   W longest wait   f5 filter", "f9 help"),
            ("x", "Press x again to quit"),
            ("v", "↵ choose   f11 back", "Reports  F20"),
            ("f5 s", "↵ choose", "mark several   f12 back"),
            ("v r", "P [ ] dates", "Y how this is counted"),
            ("v r Y", "o shows those that began"),
            ("v d", "o conversations", "o shows those of any status", "f9 help"),
            ("v t", "↓/k move"),
            ("v s", "^r check all features"),
            ("3 f5 n", "f5 a all"),
            ("8 f5 r f5 u", "f6"),
        ):
            await press(pilot, *keys.split())
            for words in named:
                assert words in " ".join([shown(viewer), *notifications(viewer)])
            while len(viewer.screen_stack) > 1:
                await press(pilot, "f11", "f12", "escape")
            await press(pilot, "2")


async def test_words_of_failures_name_the_keys_as_they_are(app: Any) -> None:
    viewer = app(Failing(Unreachable("No answer")))
    async with viewer.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "v", "r")
        assert "f7: retry" in shown(viewer)
        assert "f9 help" in lines(viewer)[-1]
