"""Decides which conversations need an alert, and announces alerts outside of the program.

`due` decides from rows, a time and the settings alone. `AlertWatch` asks for the rows, and
remembers what was alerted. An alert is announced by a program of the user, or by the terminal.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from frontdesk.errors import NotOffered, Refused
from frontdesk.query.plan import waiting_since
from frontdesk.settings import MINE, WAITING, WINDOW, AlertSettings
from frontdesk.text.clean import clean, one_line, without_separators
from frontdesk.text.messages import plain_preview
from frontdesk.text.phones import contact_name
from frontdesk.text.times import duration, long_duration
from frontdesk.wire import Conversation, ConversationFilter

if TYPE_CHECKING:
    from frontdesk.own_commands.command import OwnCommand
    from frontdesk.wire import Page

FILTERS: Mapping[str, ConversationFilter] = {
    MINE: ConversationFilter(assignee="me"),
    WAITING: ConversationFilter(status="open", assignee="unassigned", sort="waiting"),
    WINDOW: ConversationFilter(status="open", sort="window"),
}
# Time between two polls of a program that shows alerts.
POLL_SECONDS = 30.0
# More alerts at once are announced as a number.
_MOST_ANNOUNCED = 3
_MOST_PAGES = 10
_MOST_REMEMBERED = 1_000
_LONGEST_SENTENCE = 200
_DEADLINE_SECONDS = 10.0

Fetch: TypeAlias = Callable[[ConversationFilter, str | None], "Awaitable[Page[Conversation]]"]


class Alert(NamedTuple):
    """moment: of the message, the begin of waiting, or the end of the window."""

    kind: str
    conversation: Conversation
    moment: datetime
    sentence: str

    @property
    def key(self) -> str:
        return f"{self.kind} {self.conversation.id}"

    @property
    def mark(self) -> int:
        """The moment in milliseconds; a later one of the same key is another alert."""
        return round(self.moment.timestamp() * 1000)


def due(
    rows: Mapping[str, Iterable[Conversation]],
    now: datetime,
    settings: AlertSettings,
    since: datetime,
    marks: Mapping[str, int],
) -> list[Alert]:
    """Alerts for rows by kind that are not in `marks` yet; none in quiet hours.

    Messages before `since`, or that came in quiet hours, are never alerted; a wait or a closing
    window that lasts is alerted after them.
    """
    if settings.is_quiet(now):
        return []
    alerts: dict[str, Alert] = {}
    for kind in settings.kinds:
        for row in rows.get(kind, ()):
            moment = _moment(kind, row, now, settings, since)
            if moment is not None:
                alert = Alert(kind, row, moment, _sentence(kind, row, moment, now))
                if alert.mark > marks.get(alert.key, -1):
                    alerts[alert.key] = alert
    return sorted(alerts.values(), key=lambda alert: alert.moment)


def _moment(
    kind: str, row: Conversation, now: datetime, settings: AlertSettings, since: datetime
) -> datetime | None:
    """Moment that identifies the alert of a row; None if none is due."""
    if kind == MINE:
        last = row.last_inbound_time
        return last if last and last > since and not settings.is_quiet(last) else None
    began = waiting_since(row) if row.status == "open" else None
    if began is None:
        return None
    if kind == WAITING:
        late = settings.waiting is not None and now - began >= settings.waiting
        return began if late and row.assignee is None else None
    ends, window = row.service_window_expires_time, settings.window or timedelta()
    return ends if ends is not None and timedelta() < ends - now <= window else None


def _is_beyond(
    kind: str, row: Conversation, now: datetime, settings: AlertSettings, since: datetime
) -> bool:
    """True if no later row of the server's list can be due."""
    if kind == MINE:
        active = row.last_activity_time
        return active is None or active < since
    if kind == WAITING:
        return _moment(kind, row, now, settings, since) is None
    ends = row.service_window_expires_time
    return ends is None or ends > now + (settings.window or timedelta())


def _sentence(kind: str, row: Conversation, moment: datetime, now: datetime) -> str:
    """One clean line that begins with fixed words."""
    begin = {
        MINE: "New message",
        WAITING: f"Waiting for {duration(now - moment)}",
        WINDOW: f"Reply window: {long_duration(moment - now)} left",
    }[kind]
    last = row.last_message
    inbound = last is not None and last.direction == "inbound"
    text = plain_preview(last, machine=False) if last and inbound else ""
    name = without_separators(contact_name(row.contact))
    words = f"{begin}: {name}{f' · {text}' if text else ''}"
    return one_line(clean(words))[:_LONGEST_SENTENCE]


class AlertWatch:
    """Asks for conversations that need an alert, each until it is remembered as announced.

    saved: what an earlier watch gave to `save`, so that it alerts nothing again.
    """

    def __init__(
        self,
        settings: AlertSettings,
        since: datetime,
        saved: str | None = None,
        save: Callable[[str], object] = lambda marks: None,
    ) -> None:
        self._settings = settings
        self._since = since
        self._marks = _marks(saved)
        self._save = save

    async def poll(self, fetch: Fetch, now: datetime) -> list[Alert]:
        """Alerts that are due now; requests nothing in quiet hours. Raises: InboxError."""
        if self._settings.is_quiet(now):
            return []
        rows = {kind: await self._rows(kind, fetch, now) for kind in self._settings.kinds}
        return due(rows, now, self._settings, self._since, self._marks)

    def remember(self, alerts: Iterable[Alert]) -> None:
        """Save that these were announced."""
        self._marks |= {alert.key: alert.mark for alert in alerts}
        newest = sorted(self._marks.items(), key=lambda pair: pair[1])[-_MOST_REMEMBERED:]
        self._marks = dict(newest)
        self._save(json.dumps(self._marks))

    async def _rows(self, kind: str, fetch: Fetch, now: datetime) -> list[Conversation]:
        """Rows that may be due; none if the server knows no "me"."""
        filter = FILTERS[kind]
        with suppress(Refused):
            try:
                return await self._walk(
                    fetch,
                    filter,
                    lambda row: _is_beyond(kind, row, now, self._settings, self._since),
                )
            except NotOffered:
                # The server has no such order.
                filter = filter.model_copy(update={"sort": None})
                return await self._walk(fetch, filter, lambda row: False)
        return []

    async def _walk(
        self, fetch: Fetch, filter: ConversationFilter, ends: Callable[[Conversation], bool]
    ) -> list[Conversation]:
        rows: list[Conversation] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await fetch(filter, cursor)
            rows += page.data
            cursor = page.next_cursor
            if cursor is None or (rows and ends(rows[-1])):
                break
        return rows


def _marks(saved: str | None) -> dict[str, int]:
    try:
        marks = json.loads(saved or "{}")
        return {str(key): int(mark) for key, mark in marks.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def announcements(alerts: Sequence[Alert]) -> list[tuple[str, Mapping[str, str]]]:
    """Sentences to announce with values for programs; of many alerts, some and a number."""
    most = len(alerts) if len(alerts) <= _MOST_ANNOUNCED else _MOST_ANNOUNCED - 1
    named: list[tuple[str, Mapping[str, str]]] = [
        (
            alert.sentence,
            {
                "ALERT": alert.kind,
                "CONVERSATION_ID": alert.conversation.id,
                "CONTACT_NAME": contact_name(alert.conversation.contact),
            },
        )
        for alert in alerts[:most]
    ]
    more = len(alerts) - most
    return [*named, (f"And {more:,} more", {"ALERT": "more"})] if more else named


def for_alerts(commands: "Sequence[OwnCommand]") -> "Sequence[OwnCommand]":
    """The commands that are run for alerts."""
    return [one for one in commands if "alert" in one.places]


async def run_commands(
    commands: "Sequence[OwnCommand]",
    alerts: Sequence[Alert],
    profile: str | None = None,
    *,
    deadline_seconds: float = _DEADLINE_SECONDS,
) -> str:
    """Run commands for each announcement; returns why one failed, or "".

    The sentence is in a variable, and on standard input if the command reads that.
    """
    # Deferred: the start of the viewer does not need it.
    from frontdesk.own_commands.runner import ProgramRun

    for command in commands:
        for sentence, values in announcements(alerts):
            stdin = f"{sentence}\n" if command.stdin == "message" else ""
            job = command.job({**values, "ALERT_TEXT": sentence}, profile, stdin)
            run = ProgramRun(job._replace(timeout_seconds=deadline_seconds))
            await run.run()
            if run.failure:
                return f"{command.name}, for an alert: {run.failure}"
    return ""


# Beginnings of TERM and TERM_PROGRAM, and the notification that the terminal takes.
_OSC = {
    "xterm-kitty": "\x1b]99;;{}\x1b\\",
    "foot": "\x1b]777;notify;frontdesk;{}\x1b\\",
    "rxvt-unicode": "\x1b]777;notify;frontdesk;{}\x1b\\",
    "iTerm": "\x1b]9;frontdesk: {}\x1b\\",
    "WezTerm": "\x1b]9;frontdesk: {}\x1b\\",
    "ghostty": "\x1b]9;frontdesk: {}\x1b\\",
    "xterm-ghostty": "\x1b]9;frontdesk: {}\x1b\\",
}


def terminal_notification(alerts: Sequence[Alert], environment: Mapping[str, str]) -> str:
    """Control sequences that notify, for a terminal known to take them; else empty."""
    names = [environment.get("TERM_PROGRAM", ""), environment.get("TERM", "")]
    if names[1].startswith(("tmux", "screen")) or "TMUX" in environment:
        return ""
    sequence = next(
        (osc for begin, osc in _OSC.items() if any(name.startswith(begin) for name in names)), ""
    )
    sentences = (sentence.replace(";", ",") for sentence, _ in announcements(alerts))
    return "".join(map(sequence.format, sentences)) if sequence else ""
