"""The viewer on the real service, on a clock of its own, with weather between them."""

import asyncio
import os
import traceback
import unicodedata
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, asynccontextmanager, contextmanager
from datetime import UTC
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from textual import events
from textual.app import App
from textual.geometry import Size
from textual.keys import REPLACED_KEYS, _get_unicode_name_from_key
from textual.screen import Screen

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.sample.demo import ME, create_demo
from frontdesk.service.app import create_app
from frontdesk.service.auth import new_ephemeral_key
from frontdesk.store.accounts import user_named
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from tests.soak.virtual import START, VirtualLoop, virtual_loop
from tests.soak.watch import Watch
from tests.soak.weather import Weather
from tests.tui.true_screen import TrueScreen


class _Viewer(FrontdeskApp):
    """The viewer, without what reaches beyond it; `true` checks each frame of the inbox."""

    true: TrueScreen | None = None
    wrong: str | None = None

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        super()._display(screen, renderable)
        if screen is self.screen and screen is self.screen_stack[0] and self.true is not None:
            try:
                self.true.check()
            except AssertionError as error:
                self.wrong = self.wrong or f"{error}\n{traceback.format_exc()}"

    async def run_action(self, action: Any, *arguments: Any, **options: Any) -> bool:
        if action == "refresh" and self.true is not None:
            self.true.refreshed()
        return await super().run_action(action, *arguments, **options)

    def copy_to_clipboard(self, text: str) -> None:
        pass


class _Cache(Cache):
    """A cache whose writer is waited for: no time passes meanwhile."""

    def _submit(self, work: Any) -> Future[Any]:
        future: Future[Any] = super()._submit(work)
        wait([future])
        return future


class Stage:
    """A service over the sample in a directory, and viewers of it one after the other."""

    def __init__(self, directory: Path, loop: VirtualLoop, seed: int, ending: ExitStack) -> None:
        self.loop = loop
        self._directory = directory
        self._luck = Random(f"{seed} server")
        create_demo(directory / "inbox.db", now=int(START.timestamp() * 1000))
        self.database = SQLiteDatabase(directory / "inbox.db", durable=False)
        ending.callback(self.database.close)
        me = self.database.read(lambda connection: user_named(connection, 1, ME))
        self._me = str(me["id"]) if me else None
        self._key, guest = new_ephemeral_key(1, int(me["id"]) if me else None)
        self._service = create_app(self.database, ephemeral_keys=[guest], clock=loop.milliseconds)
        ending.callback(self._service.close)

    @asynccontextmanager
    async def viewer(self, size: tuple[int, int]) -> AsyncIterator[tuple[App[Any], Watch, Weather]]:
        """A viewer that has shown what it has; all of them have one cache."""
        loop, chance = self.loop, self._luck
        cache = _Cache(self._directory / "pages.db", "soak", check_after_seconds=0.0)
        client = InboxClient(
            "http://localhost",
            self._key,
            app=self._service,
            clock=loop.time,
            now=loop.now,
            chance=chance.random,
        )
        weather = Weather(client._requests._http._transport, chance, loop.time)
        client._requests._http._transport = weather
        mailbox = Mailbox(lambda: client, cache, clock=loop.now)
        app = _Viewer(mailbox, title="soak", clock=Clock(UTC, loop.now))
        try:
            async with app.run_test(size=size, notifications=True):
                app.true = TrueScreen(app, mailbox, self._me, loop.time)
                await asyncio.sleep(1.0)
                yield app, Watch(app, weather, loop), weather
        finally:
            await client.close()
            cache.close()


@contextmanager
def staged(directory: Path, seed: int) -> Iterator[tuple[asyncio.Runner, Stage]]:
    """A stage, and what runs coroutines on its clock. Files are written below the directory.

    No browser and no clipboard is reached.
    """
    before = Path.cwd()
    os.chdir(directory)
    try:
        with (
            virtual_loop(Random(f"{seed} threads")) as runner,
            ExitStack() as ending,
            patch("frontdesk.tui.inbox.thread_pane.open_outside", lambda link: True),
            patch("frontdesk.tui.clipboard.copy_natively", lambda text: True),
        ):
            loop = runner.get_loop()
            assert isinstance(loop, VirtualLoop)
            yield runner, Stage(directory, loop, seed, ending)
    finally:
        os.chdir(before)


def lives(app: App[Any]) -> bool:
    """It was neither left nor has it crashed."""
    return not app._exit and app._exception is None


def send(app: App[Any], key: str) -> None:
    """Press a key, as a terminal would."""
    assert app._driver is not None
    event = events.Key(key, character_of(key))
    event.set_sender(app)
    app._driver.send_message(event)


async def resize(app: App[Any], size: tuple[int, int]) -> None:
    """Give the terminal another size, and wait until everything is laid out."""
    assert app._driver is not None
    app._driver._size = size
    app.post_message(events.Resize(Size(*size), Size(*size)))
    await asyncio.sleep(0.5)


def character_of(key: str) -> str | None:
    """What a key types, if anything."""
    if len(key) == 1:
        return key
    try:
        return unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(key, key)))
    except KeyError:
        return None
