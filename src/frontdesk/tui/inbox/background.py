"""Requests of the inbox that no key has asked for: what comes next, what is kept, and alerts."""

import os
from collections.abc import Callable, Coroutine
from datetime import timedelta
from functools import partial
from typing import Any

from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker

from frontdesk.alerts import (
    POLL_SECONDS,
    Alert,
    AlertWatch,
    announcements,
    for_alerts,
    run_commands,
    terminal_notification,
)
from frontdesk.cache import Coverage
from frontdesk.inbox.limits import RESTED
from frontdesk.inbox.scanning import reload
from frontdesk.mailbox import Mailbox
from frontdesk.settings import KeepRule
from frontdesk.system.request_priority import in_background
from frontdesk.tui import sentences
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import ConnectionMonitor
from frontdesk.tui.inbox.queue_pane import QueuePane
from frontdesk.tui.preferences import Preferences
from frontdesk.wire import Conversation, ConversationFilter, Page
from frontdesk.wire.queries import MAX_LIMIT

# Name of the setting with what was alerted; time that an alert is shown.
_ALERTED = "alerted"
_ALERT_SECONDS = 30
# Of a page of the cache, before the number of rows above the next one.
_CACHED = "cached "


async def followed_page(
    mailbox: Mailbox, filter: ConversationFilter, cursor: str | None
) -> Page[Conversation]:
    """Return a page of a list: of the cache where it is followed, else of the server.

    A list that could be followed is gone through first. Raises: InboxError.
    """
    followed, name = mailbox.followed, mailbox.list_name(filter)
    if cursor is None and followed.feed() is not None and not followed.follows(name):
        await mailbox.refresh_conversations(filter, thorough=True)
    of_cache = followed.follows(name) if cursor is None else cursor.startswith(_CACHED)
    if not of_cache:
        return await mailbox.conversation_page(filter, cursor)
    first = int((cursor or "").removeprefix(_CACHED) or 0)
    listing = mailbox.conversations(filter)
    if first + MAX_LIMIT > len(listing) and not listing.complete:
        await mailbox.older_conversations(filter)
        listing.reload()
    last = min(first + MAX_LIMIT, len(listing))
    more = f"{_CACHED}{last}" if last < len(listing) or not listing.complete else None
    rows = tuple(listing[at] for at in range(first, last))
    return Page(data=rows, next_cursor=more, has_more=more is not None)


class AlertNotifier:
    """Looks for alerts and announces each once, also by later starts.

    Lists that are followed are looked at in the cache. warn: shows why a program could not be
    run.
    """

    def __init__(
        self,
        screen: Screen[Any],
        mailbox: Mailbox,
        clock: Clock,
        connection: ConnectionMonitor,
        preferences: Preferences,
        warn: Callable[[str], None],
    ) -> None:
        self._screen = screen
        self._mailbox = mailbox
        self._clock = clock
        self._connection = connection
        self._settings, self._profile = preferences.alerts, preferences.profile
        self._commands = for_alerts(preferences.commands)
        self._warn = warn

    async def run(self) -> None:
        """Look until cancelled: after each change, and as waits and windows come to their end."""
        mailbox, now = self._mailbox, self._clock.server_now
        watch = AlertWatch(
            self._settings,
            now(),
            mailbox.get_setting(_ALERTED),
            partial(mailbox.set_setting, _ALERTED),
        )
        while True:
            told = mailbox.followed.told
            alerts = await self._connection.ask(
                lambda: watch.poll(partial(followed_page, mailbox), now()), beside=True
            )
            if alerts is not None and alerts.value:
                self._announce(alerts.value)
                watch.remember(alerts.value)
            await mailbox.followed.changed(told, POLL_SECONDS)

    def _announce(self, alerts: list[Alert]) -> None:
        app = self._screen.app
        words = " | ".join(sentence for sentence, _ in announcements(alerts))
        app.notify(words, severity="warning", timeout=_ALERT_SECONDS, markup=False)
        if self._settings.terminal and isinstance(app, CrashReportingApp):
            app.write_to_terminal(terminal_notification(alerts, os.environ))

        if self._commands:
            self._screen.run_worker(self._run_commands(alerts), group="alert program")

    async def _run_commands(self, alerts: list[Alert]) -> None:
        problem = await run_commands(self._commands, alerts, self._profile)
        if problem:
            self._warn(problem)


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
        notifier = AlertNotifier(
            self._screen,
            self._mailbox,
            self._clock,
            self._connection,
            self._preferences,
            self._warn,
        )
        await notifier.run()
