"""Alerts in the viewer: each once, also by a later start; what cannot be run is said."""

import asyncio
from datetime import UTC, timedelta
from pathlib import Path

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.own_commands.command import OwnCommand
from frontdesk.settings import AlertSettings
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.preferences import Preferences
from frontdesk.wire.values import timestamp
from tests.conftest import NOW
from tests.soak.virtual_loop import START
from tests.tui.conftest import idle_until, notifications
from tests.tui.inbox.test_triage_frames import play
from tests.tui.memory_inbox import MemoryInbox, MemoryInboxApp

WAITING = AlertSettings(waiting=timedelta(minutes=15))


def ago(minutes: int) -> str:
    return timestamp(round((START - timedelta(minutes=minutes)).timestamp() * 1000))


def waits(source: MemoryInbox, id: str, minutes: int) -> None:
    source.change(id, status="open", assignee=None, waiting_since=ago(minutes))


def watched(source: MemoryInbox, path: Path, seconds: float, settings: AlertSettings) -> list[str]:
    """What the viewer announces in these seconds of virtual time, or warns of."""
    said: list[str] = []

    async def story(app: MemoryInboxApp) -> None:
        await asyncio.sleep(seconds)
        said.extend(notifications(app))

    play(source, path, story, preferences=Preferences(alerts=settings))
    return said


def test_who_waits_is_announced_once_also_by_a_later_start(tmp_path: Path) -> None:
    source = MemoryInbox(6)
    waits(source, "0", 20)
    waits(source, "3", 10)
    first = "Waiting for 20m: Customer 000 · Hello"
    assert watched(source, tmp_path, 100.0, WAITING) == [first]
    assert watched(source, tmp_path, 400.0, WAITING) == ["Waiting for 15m: Customer 003 · Hello"]


def test_alerts_of_one_moment_are_one_notification(tmp_path: Path) -> None:
    source = MemoryInbox(6)
    waits(source, "0", 20)
    waits(source, "3", 16)
    (words,) = watched(source, tmp_path, 100.0, WAITING)
    assert words.split(" | ") == [
        "Waiting for 20m: Customer 000 · Hello",
        "Waiting for 16m: Customer 003 · Hello",
    ]


def test_without_alerts_nothing_is_announced(tmp_path: Path) -> None:
    source = MemoryInbox(6)
    waits(source, "0", 20)
    assert watched(source, tmp_path, 100.0, AlertSettings()) == []


async def test_a_program_that_cannot_be_run_is_said(client: InboxClient, cache: Cache) -> None:
    commands = (OwnCommand("Bell", ("/nowhere/to/be/found",), places=("alert",)),)
    mailbox = Mailbox(lambda: client, cache)
    preferences = Preferences(alerts=WAITING, commands=commands)
    clock = Clock(UTC, lambda: NOW)
    app = FrontdeskApp(mailbox, title="sample", clock=clock, preferences=preferences)
    async with app.run_test(size=(120, 40)) as pilot:
        await idle_until(pilot, lambda: len(notifications(app)) == 2)
    announced, problem = notifications(app)
    assert announced.startswith("Waiting for ")
    assert problem.startswith("Bell, for an alert: /nowhere/to/be/found cannot be run")
