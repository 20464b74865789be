"""The viewer on the real service, on a virtual clock, with network faults between them."""

import asyncio
import os
import tempfile
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from datetime import UTC
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from textual import events
from textual.app import App
from textual.keys import key_to_character

from frontdesk.client import InboxClient, transport
from frontdesk.mailbox import Mailbox
from frontdesk.sample.demo import ME, create_demo
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import create_app
from frontdesk.store.accounts import user_named
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from tests.soak.faults import FaultyTransport
from tests.soak.invariants import Invariants
from tests.soak.virtual_loop import START, VirtualLoop, virtual_loop
from tests.tui import textual_private
from tests.tui.frame_invariants import TrueScreen
from tests.tui.memory_inbox import WaitedCache

# Keys whose names are not those of their characters.
_NAMED_OTHERWISE = {"minus": "-", "plus": "+", "slash": "/", "underscore": "_"}


class _Viewer(FrontdeskApp):
    """The viewer, without what reaches beyond it; `true` checks each frame of the inbox."""

    true: TrueScreen | None = None
    wrong: str | None = None

    def post_display_hook(self) -> None:
        if self.screen is self.screen_stack[0] and self.true is not None:
            try:
                self.true.check()
            except AssertionError as error:
                self.wrong = self.wrong or f"{error}\n{traceback.format_exc()}"

    async def run_action(self, action: Any, *arguments: Any, **options: Any) -> bool:
        if self.true is not None:
            self.true.acts(action)
        return await super().run_action(action, *arguments, **options)

    def copy_to_clipboard(self, text: str) -> None:
        pass


@cache
def sample() -> bytes:
    """The file of a database with the sample, as it is at the start of each sandbox."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "inbox.db"
        create_demo(path, now=int(START.timestamp() * 1000))
        return path.read_bytes()


class Sandbox:
    """A service over the sample in a directory, and viewers of it one after the other."""

    def __init__(self, directory: Path, loop: VirtualLoop, seed: int, ending: ExitStack) -> None:
        self.loop = loop
        self._directory = directory
        self._luck = Random(f"{seed} server")
        (directory / "inbox.db").write_bytes(sample())
        self.database = SQLiteDatabase(directory / "inbox.db", durable=False)
        ending.callback(self.database.close)
        me = self.database.read(lambda connection: user_named(connection, 1, ME))
        self._me = str(me["id"]) if me else None
        self._key, guest = new_ephemeral_key(1, int(me["id"]) if me else None)
        self._service = create_app(self.database, ephemeral_keys=[guest], clock=loop.milliseconds)
        ending.callback(self._service.close)

    @asynccontextmanager
    async def viewer(
        self, size: tuple[int, int]
    ) -> AsyncIterator[tuple[App[Any], Invariants, FaultyTransport]]:
        """A viewer that has shown what it has; all of them have one cache."""
        loop, chance = self.loop, self._luck
        cache = WaitedCache(self._directory / "pages.db", "soak", check_after_seconds=0.0)
        network = FaultyTransport(transport.application_transport(self._service), chance, loop.time)
        with patch.object(transport, "application_transport", lambda app: network):
            client = InboxClient(
                "http://localhost",
                self._key,
                app=self._service,
                clock=loop.time,
                now=loop.now,
                chance=chance.random,
            )
        mailbox = Mailbox(lambda: client, cache, clock=loop.now)
        app = _Viewer(mailbox, title="soak", clock=Clock(UTC, loop.now))
        try:
            async with app.run_test(size=size, notifications=True):
                app.true = TrueScreen(app, mailbox, self._me, loop.time)
                await asyncio.sleep(1.0)
                yield app, Invariants(app, network, loop), network
        finally:
            await client.close()
            cache.close()


@contextmanager
def open_sandbox(directory: Path, seed: int) -> Iterator[tuple[asyncio.Runner, Sandbox]]:
    """A sandbox, and what runs coroutines on its clock. Files are written below the directory.

    No browser and no clipboard is reached.
    """
    before = Path.cwd()
    os.chdir(directory)
    try:
        with (
            virtual_loop(Random(f"{seed} threads")) as runner,
            ExitStack() as ending,
            patch("frontdesk.tui.inbox.thread_exports.open_outside", lambda link: True),
            patch("frontdesk.tui.clipboard.copy_natively", lambda text: True),
            # Reads that this would interrupt are tried again in a thread: another story.
            patch("frontdesk.store.sqlite.AT_ONCE_SECONDS", 3600.0),
        ):
            loop = runner.get_loop()
            assert isinstance(loop, VirtualLoop)
            yield runner, Sandbox(directory, loop, seed, ending)
    finally:
        os.chdir(before)


def is_running(app: App[Any]) -> bool:
    """It was neither left nor has it crashed."""
    return app.return_code is None


def send(app: App[Any], key: str) -> None:
    """Press a key, as a terminal would."""
    app.post_message(events.Key(key, character_of(key)))


def character_of(key: str) -> str | None:
    """What a key types, if anything."""
    return key_to_character(key) or _NAMED_OTHERWISE.get(key)


async def resize(app: App[Any], size: tuple[int, int]) -> None:
    """Give the terminal another size, and wait until everything is laid out."""
    textual_private.resize(app, size)
    await asyncio.sleep(0.5)
