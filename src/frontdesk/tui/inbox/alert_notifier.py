"""Alerts in the viewer: notifications, the terminal's own, and programs of the user."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from textual.screen import Screen

from frontdesk.alerts import (
    POLL_SECONDS,
    Alert,
    AlertWatch,
    announcements,
    for_alerts,
    run_commands,
    terminal_notification,
)
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import ConnectionMonitor
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
