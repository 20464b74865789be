"""Every key of the viewer has a visible effect where it is bound.

A new binding needs a line here: which keys bring the reader to where it works.
"""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from datetime import UTC
from typing import Any

import pytest
from textual.actions import parse
from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

import frontdesk.tui
from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.query import Query
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.setup_form import ConnectApp
from frontdesk.tui.views.base import ViewScreen
from tests.conftest import NOW
from tests.tui.conftest import Viewer, notifications, settle
from tests.tui.screen_text import strips
from tests.tui.test_setup_form import Servers

# Where a class's keys work: the keys that lead there from the list of the inbox.
OPENED = {
    "FrontdeskApp": "",
    "InboxScreen": "",
    "VirtualList": "",
    "ConversationList": "",
    "Thread": "3",
    "QueuePane": "",
    "ThreadPane": "f l w h o l e enter 3",
    "ContactPane": "4",
    "Menu": "f",
    "Picker": "f c",
    "Prompt": "t",
    "HelpScreen": "question_mark",
    "FilterLine": "F",
    "RawRow": "w",
    "CommandPrompt": "vertical_line",
    "ProgramOutput": "vertical_line s e q space 3 0 enter",
    "ViewScreen": "v r",
    "ReportScreen": "v r",
    "ReportTable": "v r",
    "Plot": "v r 2",
    "LiveLine": "v r 0",
    "Explanation": "v r w",
    "CatalogueScreen": "v d",
    "ServerScreen": "v s",
}

# Further keys before each action's own, so that there is something for it to do.
PRESSES: Mapping[str, Mapping[str, str]] = {
    "FrontdeskApp": {"app.profiles": ""},
    "InboxScreen": {
        "pane.channels": "",
        "pane.list": "3",
        "pane.thread": "",
        "pane.contact": "",
        **{f"inbox.view_{digit}": "f n f u" for digit in "56789"},
        "pane.next": "",
        "pane.before": "",
        "pane.left": "3",
        "pane.right": "",
        "inbox.contact": "",
        "inbox.filter": "",
        "inbox.order": "",
        "inbox.remove_filter": "f n",
        "inbox.before": "",
        "inbox.after": "",
        "inbox.next": "",
        "inbox.previous": "j",
        "inbox.next_unread": "",
        "inbox.previous_unread": "G",
        "inbox.next_waiting": "",
        "inbox.swap": "3 J",
        "inbox.follow_up": "",
        "inbox.undo": "m",
        "inbox.find": "",
        "inbox.next_match": "slash a enter",
        "inbox.previous_match": "slash a enter",
        "inbox.search": "",
        "inbox.switch": "",
        "inbox.date": "",
        "inbox.scroll_down": "",
        "inbox.scroll_up": "",
        "inbox.zoom": "",
        "inbox.narrower": "",
        "inbox.wider": "",
        "inbox.story": "",
        "inbox.next_file": "left_curly_bracket",
        "inbox.previous_file": "",
        "inbox.raw_row": "",
        "inbox.open_link": "3",
        "inbox.copy": "3",
        "inbox.copy_menu": "",
        "inbox.export": "",
        "inbox.pipe": "",
        "inbox.own_commands": "",
        "view.menu": "",
        "view.inbox": "",
        "view.contacts": "",
        "view.reports": "",
        "inbox.refresh": "",
        "inbox.back": "3",
        "inbox.leave": "",
        "inbox.help": "",
        "inbox.commands": "",
        "inbox.redraw": "",
        "inbox.suspend": "",
        "inbox.filter_line": "",
        "inbox.view_back": "6",
        "inbox.view_forward": "6 H",
        "inbox.mark_unread": "",
        "inbox.mark_above": "",
    },
    "VirtualList": {
        "list.next": "",
        "list.previous": "j",
        "list.first": "j",
        "list.last": "",
        "list.half_down": "",
        "list.half_up": "G",
        "list.page_down": "w",
        "list.page_up": "G",
        "list.open": "",
    },
    "ConversationList": {"queue.mark": ""},
    "Thread": {"thread.unfold": ""},
    "QueuePane": {"inbox.next": "", "inbox.previous": "", "inbox.export": ""},
    "ChannelPane": {"inbox.next": "", "inbox.previous": ""},
    "ThreadPane": {
        "inbox.filter": "",
        "inbox.before": "G",
        "inbox.after": "g",
        "inbox.export": "",
        "inbox.save_file": "",
    },
    "ContactPane": {"inbox.before": "G", "inbox.after": "g"},
    "Menu": {"menu.leave": "", "menu.next": "", "menu.previous": "", "menu.take": ""},
    "Picker": {
        "picker.leave": "",
        "picker.next": "",
        "picker.previous": "down",
        "picker.page_down": "",
        "picker.page_up": "pagedown",
    },
    "FilterPicker": {"picker.mark": ""},
    "SearchScreen": {"picker.show_list": ""},
    "Prompt": {"prompt.leave": ""},
    "HelpScreen": {"help.leave": ""},
    "FilterLine": {
        "filter_line.leave": "",
        "filter_line.complete": "",
        "filter_line.earlier": "x enter backspace F",
        "filter_line.later": "x enter backspace F up",
    },
    "CommandPrompt": {
        "command.earlier": "x enter escape vertical_line",
        "command.later": "x enter escape vertical_line up",
    },
    "ProgramOutput": {
        "output.leave": "",
        "output.cancel": "",
        "output.find": "",
        "output.next_match": "slash 2 enter",
        "output.previous_match": "slash 2 enter",
        "output.copy": "",
        "output.copy_all": "",
        "output.save": "",
        "output.again": "",
    },
    "RawRow": {"raw_row.leave": "", "raw_row.copy": ""},
    "FileDialog": {
        "file.leave": "",
        "file.next": "k",
        "file.previous": "",
        "file.open": "",
        "file.save": "",
    },
    "ViewScreen": {
        "pane.next": "",
        "pane.before": "",
        "view.find": "",
        "view.next_match": "slash resol enter",
        "view.previous_match": "slash resol enter",
        "view.copy": "",
        "view.own_commands": "",
        "view.refresh": "",
        "view.back": "",
        "view.leave": "",
        "view.help": "",
        "view.commands": "",
        "view.suspend": "",
        "view.menu": "",
        "view.inbox": "",
        "view.contacts": "",
        "view.reports": "",
    },
    "ReportScreen": {
        "report.pipe": "",
        "report.metrics": "2",
        "report.plot": "",
        "report.channels": "",
        "report.authors": "",
        "report.users": "",
        "report.teams": "",
        "report.labels": "",
        "report.ads": "",
        "report.hours": "",
        "report.measure": "",
        "report.spread": "",
        "report.live": "",
        "pane.next": "",
        "pane.before": "",
        "report.next_metric": "2",
        "report.before_metric": "2 j",
        "report.period": "",
        "report.before": "",
        "report.after": "comma comma",
        "report.channel": "",
        "report.subject": "",
        "report.business": "",
        "report.zone": "",
        "report.granularity": "2",
        "report.sort": "",
        "report.formula": "",
        "report.wall": "",
        "report.export": "",
    },
    "ReportTable": {"report.granularity": ""},
    "Plot": {"plot.next": "home", "plot.before": "end", "plot.last": "home", "plot.first": "end"},
    "HeatMap": {"heat.next": "", "heat.before": "", "heat.below": "", "heat.above": "j"},
    "LiveLine": {"live.next": "", "live.before": "l", "live.open": ""},
    "Explanation": {"explanation.leave": ""},
    "WallApp": {},
    "CatalogueScreen": {
        "catalogue.before": "",
        "catalogue.after": "",
        "catalogue.1": "2",
        **{f"catalogue.{section}": "" for section in "2345"},
        "catalogue.pane": "",
        "catalogue.details": "",
        "catalogue.list": "l",
        "catalogue.search": "",
    },
    "ServerScreen": {"server.ask": ""},
    "ConnectScreen": {
        "connect.leave": "",
        "connect.demo": "",
        "connect.next": "",
        "connect.previous": "down",
    },
}

# Keys that change nothing on the screen unless something failed.
UNSEEN = {
    "inbox.redraw",
    "inbox.refresh",
    "server.ask",
    "output.again",
    "output.cancel",
    "view.refresh",
    # Threads of the sample fit on this screen.
    "inbox.scroll_down",
    "inbox.scroll_up",
    # And nothing was read in its files.
    "thread.unfold",
    ("InboxScreen", "view.inbox"),
    ("ViewScreen", "view.reports"),
}


def owners() -> Iterator[type[DOMNode]]:
    """Everything of the viewer's that has keys of its own."""
    for module in pkgutil.walk_packages(frontdesk.tui.__path__, "frontdesk.tui."):
        for value in vars(importlib.import_module(module.name)).values():
            ours = isinstance(value, type) and value.__module__ == module.name
            if ours and issubclass(value, DOMNode) and "BINDINGS" in vars(value):
                yield value


def bindings(owner: type[DOMNode]) -> list[Binding]:
    return [one for one in vars(owner)["BINDINGS"] if isinstance(one, Binding) and one.id]


OWNERS = {owner.__name__: owner for owner in owners()}


class Watched(FrontdeskApp):
    """The viewer; what leaves no trace on the screen is kept."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.done: list[str] = []

    def copy_to_clipboard(self, text: str) -> None:
        self.done.append(f"copied {text}")

    def action_suspend_process(self) -> None:
        self.done.append("suspended")


def state(app: App[Any]) -> tuple[object, ...]:
    """All that a key may change."""
    done = len(app.done) if isinstance(app, Watched) else 0
    drawn = [list(strip) for strip in strips(app.screen)]
    return drawn, app.focused, app.screen, [*notifications(app)], done, app.return_code


async def home(pilot: Pilot[Any]) -> None:
    """The list of the inbox as at the start."""
    app = pilot.app
    app.clear_notifications()
    while len(app.screen_stack) > 1:
        await pilot.press("escape")
        await settle(pilot)
    screen = app.screen
    assert isinstance(screen, InboxScreen)
    listed = screen.queue.list
    screen.panes.remove_class("-zoomed")
    screen.panes.show_contact(False)
    screen.panes.enter("list")
    listed.mark_only(())
    if screen.queue.inbox.view.query != Query():
        screen.show_query(Query())
    await settle(pilot)
    if listed.cursor:
        listed.go_to(0)
        await settle(pilot)


def test_every_binding_has_a_line_here() -> None:
    found = {name: sorted({str(one.id) for one in bindings(OWNERS[name])}) for name in OWNERS}
    assert found == {name: sorted(actions) for name, actions in PRESSES.items()}


def test_every_binding_has_an_action() -> None:
    """What pressing each key shows is tested too, but takes longer."""
    screens = [owner for owner in OWNERS.values() if issubclass(owner, Screen)]
    for name, owner in OWNERS.items():
        holders = {"app": [FrontdeskApp], "screen": screens, "": [owner]}
        for binding in bindings(owner):
            namespace, action, _ = parse(binding.action)
            has_it = [hasattr(holder, f"action_{action}") for holder in holders[namespace]]
            assert any(has_it), f"{name}: {binding.action}"


@pytest.mark.slow
@pytest.mark.parametrize("name", OPENED)
async def test_every_key_does_something(name: str, client: InboxClient, cache: Cache) -> None:
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    app = Watched(mailbox, title="sample", clock=Clock(UTC, lambda: NOW))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        place: tuple[Screen[Any], Widget | None] | None = None
        for binding in bindings(OWNERS[name]):
            before = PRESSES[name][str(binding.id)].split()
            for key in binding.key.split(","):
                if place is not None and app.screen is place[0]:
                    app.screen.set_focus(place[1])
                else:
                    await home(pilot)
                    await reach(pilot, OPENED[name].split())
                    opened = isinstance(app.screen, ViewScreen)
                    place = (app.screen, app.focused) if opened else None
                await reach(pilot, before)
                was = state(app)
                await pilot.press(key)
                await settle(pilot)
                if not {binding.id, (name, binding.id)} & UNSEEN:
                    assert state(app) != was, f"{key} ({binding.id}) did nothing after {before}"
        assert app.return_code is None


@pytest.mark.slow
async def test_a_key_without_an_action_would_be_noticed(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await home(pilot)
        was = state(app)
        await pilot.press("f12", "X")
        await settle(pilot)
        assert state(app) == was


async def reach(pilot: Pilot[Any], keys: list[str]) -> None:
    """Press keys; words are typed."""
    for key in keys:
        typed = list(key) if key in ("resol",) else [key]
        await pilot.press(*typed)
        await settle(pilot)


async def test_every_key_of_the_connect_screen_does_something() -> None:
    for binding in bindings(OWNERS["ConnectScreen"]):
        for key in binding.key.split(","):
            app = ConnectApp(Servers())
            async with app.run_test(size=(80, 24)) as pilot:
                await settle(pilot)
                await reach(pilot, PRESSES["ConnectScreen"][str(binding.id)].split())
                was = state(app)
                await pilot.press(key)
                await settle(pilot)
                assert state(app) != was, key
