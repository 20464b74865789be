"""`frontdesk tail`: polls an inbox, and prints each new message once."""

import asyncio
import os
import random
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, TextIO, TypeAlias, TypeVar

import click

from frontdesk.alerts import (
    POLL_SECONDS,
    Alert,
    AlertSettings,
    AlertWatch,
    run_program,
    terminal_notification,
)
from frontdesk.cache import Cache
from frontdesk.cli.base import command
from frontdesk.cli.commands.conversations import filter_options
from frontdesk.cli.config import configuration
from frontdesk.cli.exit_codes import say
from frontdesk.cli.names import filter_ids
from frontdesk.cli.options import target_options
from frontdesk.cli.output import (
    Output,
    cut,
    json_of,
    output_options,
    plain,
    standard_output,
    terminal_width,
)
from frontdesk.cli.target import Target, cache_origin, run_with_client
from frontdesk.conversation_export import entry_text, in_zone
from frontdesk.environment import cache_file
from frontdesk.errors import (
    BadSettings,
    Forbidden,
    NetworkMisconfigured,
    NotFound,
    NotOffered,
    Unreachable,
)
from frontdesk.message_text import author_name, author_word, plain_preview
from frontdesk.phones import contact_name
from frontdesk.time_format import parse_duration
from frontdesk.wire import Conversation, ConversationFilter, Message, MessagePreview, Page, instant
from frontdesk.wire.values import utc_now

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, RowPages


# Page size of polls; always the same, so that unchanged pages are answered 304.
HEAD = 25
# Messages may arrive later than others that were sent after them.
LATE = timedelta(minutes=5)

# Name of the setting with what was alerted by this command.
_ALERTED = "alerted in the shell"
N = TypeVar("N")

AnyMessage: TypeAlias = Message | MessagePreview


@dataclass(frozen=True, slots=True)
class Activity:
    """New message with its conversation; None if the key may not read messages."""

    conversation: Conversation
    message: AnyMessage | None

    @property
    def at(self) -> datetime | None:
        made = self.message.created_at if self.message else self.conversation.last_activity_at
        return instant(made)


@dataclass(frozen=True, slots=True)
class _Position:
    """Position in a conversation: time of the last message yielded, and the known ids from then on.

    A message dated in the future is known, but does not move the time.
    """

    moment: datetime
    ids: Mapping[str, datetime] = field(default_factory=dict)

    def precedes(self, message: Message) -> bool:
        """Check if the message is new at this position."""
        made = message.created_time
        return made is not None and made >= self.moment and message.id not in self.ids


class MessageFeed:
    """New messages of the conversations that match a filter.

    Activity of a conversation never decreases, so polling stops well below the newest one seen.
    Where it is in the future, new messages do not change it: such conversations are always read.
    """

    def __init__(
        self,
        client: "InboxClient",
        filter: ConversationFilter,
        since: datetime,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """since: start time; messages from then on are new."""
        self._client = client
        self._clock = clock
        self._filter = filter
        self._since = since
        self._floor = since
        self._active: dict[str, str] = {}
        self._positions: dict[str, _Position] = {}
        self._without_messages = False

    async def latest(self, number: int) -> list[Activity]:
        """Return the newest message of the most recently active conversations, oldest first.

        Later messages are new from now on.
        """
        activities: list[Activity] = []
        async for row in self._rows():
            active = row.last_activity_time
            now = self._clock()
            if not self._active and active is not None:
                self._since = self._floor = min(active, now) - LATE
            if active is not None and active > now:
                self._positions[row.id] = _Position(now)
            if len(activities) < number:
                activities.append(Activity(row, row.last_message))
            elif active is not None and active < self._floor:
                break
            self._advance(row)
        return [await self._with_author(activity) for activity in reversed(activities)]

    async def _with_author(self, activity: Activity) -> Activity:
        """Replace the preview of a message by a user, which lacks the name, by the message."""
        preview = activity.message
        if preview is not None and preview.author == "user":
            with suppress(Forbidden, NotFound):
                page = await self._client.messages(activity.conversation.id, limit=HEAD).page()
                newest = next((one for one in page.data if one.id == preview.id), preview)
                return Activity(activity.conversation, newest)
        return activity

    async def poll(self) -> list[Activity]:
        """Return messages since the last call, oldest first."""
        conversations = [row async for row in self._active_conversations()]
        activities = {row.id: await self._activities_of(row) for row in conversations}
        # No failure is possible from here on, so positions match the returned messages.
        for conversation in conversations:
            self._advance(conversation, activities[conversation.id])
        return sorted(
            chain.from_iterable(activities.values()),
            key=lambda activity: activity.at or self._since,
        )

    async def _active_conversations(self) -> AsyncIterator[Conversation]:
        """Yield conversations with activity since the last call, newest first."""
        async for conversation in self._rows():
            active = conversation.last_activity_time
            if active is not None and active < self._floor:
                return
            if self._is_changed(conversation) or (active is not None and active > self._clock()):
                yield conversation

    def _is_changed(self, conversation: Conversation) -> bool:
        return self._active.get(conversation.id) != conversation.last_activity_at

    def _rows(self) -> "RowPages[Conversation]":
        return self._client.conversations(**self._filter.model_dump(exclude_none=True), limit=HEAD)

    async def _activities_of(self, conversation: Conversation) -> list[Activity]:
        """Return the new messages of a conversation."""
        if not self._without_messages:
            try:
                messages = await self._messages(conversation.id)
            except Forbidden:
                self._without_messages = True
            else:
                return [Activity(conversation, message) for message in messages]
        changed = self._is_changed(conversation)
        return [Activity(conversation, conversation.last_message)] if changed else []

    async def _messages(self, id: str) -> list[Message]:
        position = self._position(id)
        messages: list[Message] = []
        async for message in self._client.messages(id, limit=HEAD):
            made = message.created_time
            if made is not None and made < position.moment:
                break
            if position.precedes(message):
                messages.append(message)
        return messages

    def _position(self, id: str) -> _Position:
        return self._positions.get(id, _Position(self._since))

    def _advance(self, conversation: Conversation, activities: Sequence[Activity] = ()) -> None:
        """Advance a conversation's position past its newest message and the given ones."""
        active, now = conversation.last_activity_time, self._clock()
        self._active[conversation.id] = conversation.last_activity_at
        if active is not None:
            self._floor = max(self._floor, min(active, now) - LATE)
        newest: list[AnyMessage | None] = [activity.message for activity in activities] or [
            conversation.last_message
        ]
        self._positions[conversation.id] = _advanced(self._position(conversation.id), newest, now)


def _advanced(
    position: _Position, messages: Sequence[AnyMessage | None], now: datetime
) -> _Position:
    """Return the position after some messages."""
    made = {row.id: moment for row in messages if row and (moment := row.created_time)}
    newest = max((position.moment, *(moment for moment in made.values() if moment <= now)))
    known = {**position.ids, **made}.items()
    return _Position(newest, {id: moment for id, moment in known if moment >= newest})


Printer: TypeAlias = Callable[[Sequence[N]], None]


LONGEST_PAUSE_SECONDS = 60.0
_SLOWER = 1.5


@command(
    "tail",
    "frontdesk tail --label vip",
    "frontdesk tail --once --since 30m --format jsonl | jq -r .message.text",
)
@target_options
@filter_options
@click.option(
    "--lines",
    type=click.IntRange(0, 100),
    default=10,
    show_default=True,
    help="Start with the newest message of this many conversations.",
)
@click.option(
    "--since",
    metavar="TIME",
    callback=lambda context, option, text: None if text is None else _moment(text),
    help="Start with all messages since then: 30m, 2h, 1d, or an ISO 8601 time.",
)
@click.option("--alerts", is_flag=True, help="Print the configured alerts instead of messages.")
@click.option("--once", is_flag=True, help="Print once and exit.")
@click.option(
    "--interval",
    type=click.FloatRange(1, LONGEST_PAUSE_SECONDS),
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="Interval of requests; longer while nothing happens.",
)
@output_options("text", "jsonl", default="text")
def tail_command(
    target: Target,
    output: Output,
    lines: int,
    since: datetime | None,
    alerts: bool,
    once: bool,
    interval: float,
    **filters: str | None,
) -> None:
    """Print new messages as they arrive, one a line.

    Polls with conditional requests, and tries again while the server is unreachable, until Ctrl-C.

    With --alerts, print the alerts configured under [alerts], for all conversations, and use its
    program and the terminal's notifications. No alert is repeated, not even from cron.
    """
    out = standard_output()
    if alerts:
        show = _printer(out, output, _alert_line, _alert_json)
        _follow_alerts(target, show, since, once=once, interval=interval)
        return

    async def work(client: "InboxClient") -> None:
        ids = await filter_ids(client, **filters)
        feed = MessageFeed(client, ConversationFilter(**ids), since or utc_now())
        show = _printer(out, output, line, as_json)
        show(await (feed.poll() if since else feed.latest(lines)))
        if not once:
            await follow(feed.poll, show, interval=interval)

    run_with_client(target, work)


def _follow_alerts(
    target: Target, show: "Printer[Alert]", since: datetime | None, *, once: bool, interval: float
) -> None:
    settings = configuration(whole=False).alert_settings
    if not settings.kinds:
        raise BadSettings(
            "No alerts are configured: frontdesk config edit, and set mine, waiting or window"
            " under [alerts]"
        )
    cache = Cache(cache_file(), cache_origin(target))

    save = partial(cache.set_setting, _ALERTED)
    watch = AlertWatch(settings, since or utc_now(), cache.get_setting(_ALERTED), save)

    def announce(alerts: Sequence[Alert]) -> None:
        if alerts:
            _notify(settings, alerts)
            if settings.run:
                watch.remember(alerts)
            # The reader of a pipe may have ended.
            show(alerts)
            watch.remember(alerts)

    async def work(client: "InboxClient") -> None:
        async def poll() -> list[Alert]:
            return await watch.poll(partial(_page_in_order, client), utc_now())

        announce(await poll())
        if not once:
            await follow(poll, announce, interval=max(interval, POLL_SECONDS / 2))

    try:
        run_with_client(target, work)
    finally:
        cache.close()


def _notify(settings: AlertSettings, alerts: Sequence[Alert]) -> None:
    if settings.terminal and sys.stderr.isatty():
        click.echo(terminal_notification(alerts, os.environ), nl=False, err=True)
    if settings.run and (problem := run_program(settings.run, alerts)):
        say(problem)


async def _page_in_order(
    client: "InboxClient", filter: ConversationFilter, cursor: str | None
) -> Page[Conversation]:
    """Raises: NotOffered: the server ignores the order or a filter."""
    page = await client.conversation_page(filter, cursor=cursor)
    if client.server.no_extensions & filter.parameters().keys():
        raise NotOffered("This server does not have this order")
    return page


def _alert_line(alert: Alert, width: int | None) -> str:
    time = f"{in_zone(utc_now()):%Y-%m-%d %H:%M:%S}"
    words = f"{time}  {plain(alert.conversation.id)}  {plain(alert.sentence)}"
    return cut(words, width) if width else words


def _alert_json(alert: Alert, fields: Sequence[str]) -> str:
    shown = alert.conversation.model_dump(mode="json")
    return json_of({"kind": alert.kind, "text": alert.sentence, "conversation": shown}, fields)


async def follow(
    poll: Callable[[], Awaitable[Sequence[N]]],
    show: Printer[N],
    *,
    interval: float,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    chance: Callable[[], float] = random.random,
) -> None:
    """Print new rows forever; intervals grow while there are none.

    An unreachable server is asked again at the interval: the client sends nothing while it pauses.
    """
    pause, lost = interval, False
    while True:
        # Jitter, so that many clients do not poll in step.
        await sleep(pause * (0.9 + 0.2 * chance()))
        try:
            rows = await poll()
        except NetworkMisconfigured:
            raise
        except Unreachable as error:
            if not lost:
                say(f"{error}; trying again")
            lost = True
            continue
        if lost:
            say("the server answers again")
        lost = False
        show(rows)
        pause = interval if rows else min(pause * _SLOWER, LONGEST_PAUSE_SECONDS)


def _printer(
    out: TextIO,
    output: Output,
    line: Callable[[N, int | None], str],
    json: Callable[[N, Sequence[str]], str],
) -> Printer[N]:
    def show(rows: Sequence[N]) -> None:
        for row in rows:
            if output.format == "text":
                out.write(line(row, terminal_width(out)) + "\n")
            else:
                out.write(json(row, output.fields) + "\n")
        out.flush()

    return show


def as_json(activity: Activity, fields: Sequence[str] = ()) -> str:
    """Encode the message with its conversation."""
    values = {"conversation": activity.conversation, "message": activity.message}
    members = {
        name: value.model_dump(mode="json", exclude_unset=not fields) if value else None
        for name, value in values.items()
    }
    return json_of(members, fields)


def line(activity: Activity, width: int | None) -> str:
    """Format time, channel, contact, author and text on one line, truncated to `width`."""
    conversation, at = activity.conversation, activity.at
    time = f"{in_zone(at):%Y-%m-%d %H:%M:%S}" if at else "-"
    contact = conversation.contact
    name = contact_name(contact)
    channel = conversation.channel.name or conversation.channel.id
    start = f"{time}  {plain(conversation.id)}  {plain(channel)}  {plain(name)}"
    words = start + _author_and_text(activity)
    return cut(words, width) if width else words


def _author_and_text(activity: Activity) -> str:
    message, contact = activity.message, contact_name(activity.conversation.contact)
    if message is None:
        return ""
    if isinstance(message, Message):
        who, text = author_name(message, contact), entry_text(message, contact)
    else:
        who, text = author_word(message.author), plain_preview(message)
    sender = "" if message.direction == "inbound" else f" ← {plain(who)}"
    return f"{sender}: {plain(text)}"


def _moment(text: str) -> datetime:
    """Parse a duration before now, or an ISO 8601 time; local without an offset."""
    if (age := parse_duration(text, "smhd")) is not None:
        return utc_now() - age
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise click.BadParameter("use 30m, 2h or 1d, or a time such as 2026-03-14T09:30") from error
