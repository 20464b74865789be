"""Permanent slots for slow work on files, in a thread of their own: claim, work, claim again.

A slot that is busy with a slow file holds up no other. Accounts take turns, so that none waits for
the end of another's files. Slots with nothing to do wait until they are notified; one looks every
few seconds, because another process may have requested files, or some become due.
"""

import asyncio
import logging
import threading
from collections.abc import Collection, Iterable
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from typing import Generic, Protocol, TypeVar

from frontdesk.errors import Unreachable, UnusableFile
from frontdesk.store import media
from frontdesk.store.accounts import all_accounts
from frontdesk.store.database import Connection, Database
from frontdesk.store.writes import bump_revision
from frontdesk.system.crash_trace import trace

# Poll interval, and between two notices to clients of what has changed.
TICK_SECONDS = 5.0

C = TypeVar("C")

_log = logging.getLogger("frontdesk.service")


class ChangedMessages:
    """Messages whose files have changed since clients were told: the revisions rise together.

    Not for each file, since a revision costs all clients their ETags.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ids: dict[int, set[int]] = {}

    def add(self, account_id: int, message_id: int) -> None:
        self._ids.setdefault(account_id, set()).add(message_id)

    def publish(self) -> None:
        """Let clients read them again."""
        for account_id, message_ids in sorted(self._ids.items()):
            self._database.write(partial(raise_revision, account_id, frozenset(message_ids)))
            del self._ids[account_id]


def slugs_of(connection: Connection) -> list[tuple[int, str]]:
    """Return the id and the slug of every account."""
    return [(row["id"], row["slug"]) for row in all_accounts(connection, now=0)]


def raise_revision(account_id: int, message_ids: Collection[int], connection: Connection) -> None:
    """Let clients read the conversations of some files' messages again."""
    ids = media.conversations_with(connection, account_id, message_ids)
    bump_revision(connection, account_id, ids)


class Work(Protocol[C]):
    """What slots do. A claim is of one piece of work, and keeps others off it.

    All methods are called in the event loop of the lanes; Unreachable and UnusableFile mean that
    the database cannot be read or written now.
    """

    def opened(self) -> AbstractAsyncContextManager[object]:
        """What is open while the slots work, such as connections."""

    def accounts(self) -> Iterable[int]:
        """Ids of the accounts that may have work."""

    def claim(self, account_id: int) -> C | None:
        """Claim a piece of work of an account; None if it has none that may be begun now."""

    async def run(self, claimed: C) -> None:
        """Do a piece of work and settle its claim; cancelled, give the claim back."""

    def publish(self) -> None:
        """Let clients read again what has changed since the last time."""


class Lanes(Generic[C]):
    """Slots of one kind of work. Start and close it once; `run` works in the caller's loop."""

    def __init__(self, name: str, work: Work[C], slots: int) -> None:
        self._name = name
        self._work = work
        self._slots = slots
        self._last_account = 0
        self._failing = False
        self._stopping = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[None] | None = None
        # Has an element while one slot has to look for work.
        self._looks: asyncio.Queue[None] = asyncio.Queue()
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._in_thread, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread; what is due is claimed at once."""
        self._thread.start()
        self._begun.wait()

    def notify(self) -> None:
        """Wake a slot: there may be new work. May be called in any thread."""
        if self._loop is not None and not self._stopping:
            # The loop may be closed: by `close` in between, or over an error.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self.look)

    def close(self) -> None:
        """Cut off what is under way, give its claims back, and join the thread."""
        self._stopping = True
        if self._thread.is_alive() and self._loop is not None and self._main is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._main.cancel)
            self._thread.join()

    def _in_thread(self) -> None:
        try:
            asyncio.run(self.run())
        except asyncio.CancelledError:
            pass
        finally:
            self._begun.set()

    async def run(self) -> None:
        """Work until it is cancelled."""
        self._loop, self._main = asyncio.get_running_loop(), asyncio.current_task()
        self._looks = asyncio.Queue()
        self.look()
        async with self._work.opened(), asyncio.TaskGroup() as group:
            for _ in range(self._slots):
                group.create_task(self._slot())
            self._begun.set()
            try:
                while True:
                    await asyncio.sleep(TICK_SECONDS)
                    self._publish()
                    self.look()
            finally:
                self._publish()

    def look(self) -> None:
        """Let one slot look for work; if it finds any, the next one looks."""
        if self._looks.empty():
            self._looks.put_nowait(None)

    async def idle(self) -> None:
        """Wait until no slot works or has to look."""
        await self._looks.join()

    async def _slot(self) -> None:
        while True:
            await self._looks.get()
            try:
                claimed = self._claim()
                self._failing = False
                if claimed is not None:
                    self.look()
                    await self._work.run(claimed)
                    self.look()
            except (Unreachable, UnusableFile) as error:
                if not self._failing:
                    _log.warning("%s waits: %s", self._name, error)
                self._failing = True
            except Exception as error:
                # Looked for again at the next tick; without its slot, others would wait longer.
                _log.error("%s failed\n%s", self._name, trace(error))
            finally:
                self._looks.task_done()

    def _claim(self) -> C | None:
        """Claim work of the next account that has any, after the one that had the last turn."""
        accounts = sorted(self._work.accounts(), key=lambda id: (id <= self._last_account, id))
        for account_id in accounts:
            claimed = self._work.claim(account_id)
            if claimed is not None:
                self._last_account = account_id
                return claimed
        return None

    def _publish(self) -> None:
        try:
            self._work.publish()
        except (Unreachable, UnusableFile) as error:
            _log.warning("%s waits: %s", self._name, error)
