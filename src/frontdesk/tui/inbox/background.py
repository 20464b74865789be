"""Requests of the inbox that no key has asked for: what comes next, what is kept, and alerts."""

from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker

from frontdesk.cache import Coverage
from frontdesk.inbox.limits import RESTED
from frontdesk.inbox.scanning import reload
from frontdesk.mailbox import Mailbox
from frontdesk.system.request_priority import in_background
from frontdesk.tui import sentences
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import ConnectionMonitor
from frontdesk.tui.inbox.queue_pane import QueuePane
from frontdesk.tui.preferences import Preferences

# Share of the server's rate limit that requests of the background may take, and the least time
# between two of them.
_SHARE, _SPACING_SECONDS = 0.5, 0.2


class Background:
    """Sends requests of the background as workers of a screen. warn: shows a warning."""

    def __init__(
        self,
        screen: Screen[None],
        mailbox: Mailbox,
        clock: Clock,
        connection: ConnectionMonitor,
        queue: QueuePane,
        preferences: Preferences,
        warn: Callable[[str], None],
    ) -> None:
        self._screen, self._queue, self._warn = screen, queue, warn
        self._mailbox, self._clock, self._connection = mailbox, clock, connection
        self._preferences = preferences
        self._resting: Timer | None = None
        self._pace = mailbox.pace(
            _SHARE, lambda: connection.is_busy, least_seconds=_SPACING_SECONDS
        )

    def _run(self, work: Callable[[], Coroutine[Any, Any, None]], group: str) -> None:
        """Run a worker in place of that of its group."""
        _: Worker[None] = self._screen.run_worker(work, group=group, exclusive=True)

    def prefetch(self, then: Callable[[], None]) -> None:
        """Prefetch what the next key may need, and more while the user rests. then: called once."""

        async def run() -> None:
            await self._prefetch_once(self._queue.ids_ahead()[:1])
            then()
            if self._resting is not None:
                self._resting.stop()
            seconds = RESTED / timedelta(seconds=1)
            self._resting = self._screen.set_timer(seconds, self._prefetch_threads)

        self._run(run, "ahead")

    def _prefetch_threads(self) -> None:
        """Prefetch threads that are likely to be opened, unless the user goes on; then later."""
        ids = self._queue.ids_ahead()

        async def run() -> None:
            with in_background(self._pace.rest):
                while not self._connection.is_busy and await self._prefetch_once(ids):
                    continue

        self._run(run, "ahead")

    async def _prefetch_once(self, ids: list[str]) -> bool:
        inbox = self._queue.inbox
        position = inbox.loaded_position or 0
        loaded = await self._mailbox.prefetch(inbox.view.shown.filter, position, *ids)
        if loaded:
            self._queue.driver.do(reload, inbox)
        return loaded

    def start_mirror(self) -> None:
        """Fill the cache with the conversations to keep, while the user rests."""
        self._run(self._mirror, "mirror")

    async def _mirror(self) -> None:
        # Deferred: most starts keep nothing.
        from frontdesk.cache import KeepRule
        from frontdesk.mailbox.mirror import Mirror

        keep = KeepRule.parse(self._mailbox.keep_rule)
        if keep is not None:
            await Mirror(self._mailbox, keep, self._pace, full=self._warn_full).run()

    def _warn_full(self, coverage: Coverage) -> None:
        self._warn(sentences.MIRROR_IS_FULL.format(kept=coverage.words))

    def show_alerts(self) -> None:
        """Announce what the configuration wants to be alerted of, if it does."""
        if self._preferences.alerts.kinds:
            self._run(self._alert, "alerts")

    async def _alert(self) -> None:
        # Deferred: most viewers have none.
        from frontdesk.tui.inbox.alert_notifier import AlertNotifier

        notifier = AlertNotifier(
            self._screen,
            self._mailbox,
            self._clock,
            self._connection,
            self._preferences,
            self._warn,
        )
        await notifier.run()
