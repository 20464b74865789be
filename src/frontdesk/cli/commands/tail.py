"""`frontdesk tail`: polls an inbox, and prints each new message once."""

import os
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from hashlib import sha256
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import click

from frontdesk.alerts import (
    POLL_SECONDS,
    Alert,
    AlertWatch,
    for_alerts,
    run_commands,
    terminal_notification,
)
from frontdesk.cache import Cache
from frontdesk.cli.base import WholeNumber, command
from frontdesk.cli.commands.conversations import filter_options
from frontdesk.cli.config import cache_limit_bytes, configuration
from frontdesk.cli.exit_codes import say
from frontdesk.cli.options import parse_moment_option, target_options
from frontdesk.cli.output import (
    Output,
    cut,
    json_of,
    output_options,
    plain,
    standard_output,
)
from frontdesk.cli.polling import Printer, after_news, follow, printer
from frontdesk.cli.tail_state import LATE, TailState, printing_once
from frontdesk.cli.target import Target, cache_origin, run_with_client
from frontdesk.errors import BadSettings, Forbidden, NotFound
from frontdesk.exports.conversations import entry_text
from frontdesk.selection.names import filter_ids
from frontdesk.system.environment import cache_file, state_file
from frontdesk.text.clean import quoted
from frontdesk.text.messages import author_name, author_word, plain_preview
from frontdesk.text.phones import contact_name
from frontdesk.text.times import in_zone
from frontdesk.wire import Conversation, ConversationFilter, Message, MessagePreview, instant
from frontdesk.wire.values import utc_now

if TYPE_CHECKING:
    from frontdesk.client import InboxClient
    from frontdesk.mailbox import Mailbox


# Name of the setting with what was alerted by this command.
_ALERTED = "alerted in the shell"
# Least interval of the requests by which alerts are found, of which there are several.
_ALERT_SPACING_SECONDS = 5.0
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

    @property
    def key(self) -> str:
        """Identifies the message, or the activity where there is none to be read."""
        last = self.message.id if self.message else self.conversation.last_activity_at
        return f"{self.conversation.id} {last}"


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is known of a conversation: its activity, and its messages from a moment on.

    A message dated in the future is known, but does not move the moment.
    """

    moment: datetime
    ids: Mapping[str, datetime] = field(default_factory=dict)
    active: str = ""

    def lacks(self, message: Message) -> bool:
        """True if the message is new."""
        made = message.created_time
        return made is not None and made >= self.moment and message.id not in self.ids


class NewMessages:
    """New messages of the conversations that match a filter, as the mailbox loads them.

    Activity of a conversation never decreases, so the list is loaded down to well below the newest
    one seen. Where it is in the future, new messages do not change it: such threads are always
    loaded.
    """

    def __init__(
        self,
        mailbox: "Mailbox",
        filter: ConversationFilter,
        since: datetime,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """since: start time; messages from then on are new."""
        self._mailbox, self._filter, self._clock = mailbox, filter, clock
        self._since = self._floor = since
        self._seen: dict[str, _Seen] = {}
        self._unreturned: list[Activity] = []
        self._without_messages = False

    async def latest(self, number: int) -> list[Activity]:
        """Return the newest message of the most recently active conversations, oldest first.

        Later messages are new from now on.
        """
        await self._mailbox.refresh_conversations(self._filter)
        first, now = next(iter(self._mailbox.conversations(self._filter)), None), self._clock()
        if first is not None and (newest := first.last_activity_time) is not None:
            self._since = self._floor = min(newest, now) - LATE
        while len(self._mailbox.conversations(self._filter)) < number:
            if not (await self._mailbox.older_conversations(self._filter)).changed:
                break
        rows = await self._active_conversations(number)
        for row in rows:
            if (active := row.last_activity_time) is not None and active > now:
                self._seen[row.id] = _Seen(now)
            self._advance(row)
        self._raise_floor(rows)
        return [await self._latest_of(row) for row in reversed(rows[:number])]

    async def _latest_of(self, conversation: Conversation) -> Activity:
        """Return the last message: itself if a user wrote it, since its preview lacks the name."""
        preview, id = conversation.last_message, conversation.id
        if preview is not None and preview.author == "user":
            with suppress(Forbidden, NotFound):
                await self._mailbox.refresh_thread(id)
                thread = self._mailbox.thread(id)
                at = thread.position(preview.id)
                if at is not None and isinstance(message := thread[at], Message):
                    return Activity(conversation, message)
        return Activity(conversation, preview)

    async def poll(self) -> list[Activity]:
        """Return messages since the last call that succeeded, oldest first.

        After a failure the next call goes on: it loads the rest.
        """
        now, rows = self._clock(), await self._active_conversations()
        for row in rows:
            active = row.last_activity_time
            if self._is_changed(row) or (active is not None and active > now):
                activities = await self._activities_of(row)
                self._unreturned += activities
                self._advance(row, activities)
        self._raise_floor(rows)
        found, self._unreturned = self._unreturned, []
        return sorted(found, key=lambda activity: activity.at or self._since)

    async def _active_conversations(self, least: int = 0) -> list[Conversation]:
        """Load the conversations with activity above the floor, or the first ones; newest first."""
        await self._mailbox.refresh_conversations(self._filter, down_to=self._floor)
        rows = iter(self._mailbox.conversations(self._filter))
        above = takewhile(lambda row: _is_from(self._floor, row.last_activity_time), rows)
        return [*islice(rows, least), *above]

    def _is_changed(self, conversation: Conversation) -> bool:
        return self._seen_of(conversation.id).active != conversation.last_activity_at

    def _seen_of(self, id: str) -> _Seen:
        return self._seen.get(id) or _Seen(self._since)

    async def _activities_of(self, conversation: Conversation) -> list[Activity]:
        """Load the new messages of a conversation; none if it was deleted."""
        if not self._without_messages:
            try:
                messages = await self._messages(conversation.id)
            except NotFound:
                return []
            except Forbidden:
                self._without_messages = True
            else:
                return [Activity(conversation, message) for message in messages]
        changed = self._is_changed(conversation)
        return [Activity(conversation, conversation.last_message)] if changed else []

    async def _messages(self, id: str) -> list[Message]:
        seen = self._seen_of(id)
        await self._mailbox.refresh_thread(id, down_to=seen.moment)
        newest_first = reversed(self._mailbox.thread(id))
        entries = takewhile(lambda entry: _is_from(seen.moment, entry.created_time), newest_first)
        return [entry for entry in entries if isinstance(entry, Message) and seen.lacks(entry)]

    def _advance(self, conversation: Conversation, activities: Sequence[Activity] = ()) -> None:
        """Record a conversation's activity, and its newest message or the given ones as seen."""
        now = self._clock()
        seen = self._seen_of(conversation.id)
        messages = [one.message for one in activities] or [conversation.last_message]
        made = {row.id: moment for row in messages if row and (moment := row.created_time)}
        newest = max((seen.moment, *(moment for moment in made.values() if moment <= now)))
        ids = {id: at for id, at in {**seen.ids, **made}.items() if at >= newest}
        self._seen[conversation.id] = _Seen(newest, ids, conversation.last_activity_at)

    def _raise_floor(self, conversations: Iterable[Conversation]) -> None:
        now = self._clock()
        active = [moment for row in conversations if (moment := row.last_activity_time)]
        self._floor = max([self._floor, *(min(moment, now) - LATE for moment in active)])


def _is_from(moment: datetime, made: datetime | None) -> bool:
    """True for a time from `moment` on, and for none."""
    return made is None or made >= moment


@command(
    "tail",
    "frontdesk tail --label vip",
    "frontdesk tail --once --since 30m --format jsonl | jq -r .message.text",
    "frontdesk tail --once --state ~/tail.json --format jsonl >> messages.jsonl",
)
@target_options
@filter_options
@click.option(
    "--lines",
    type=WholeNumber(0, 100),
    default=10,
    show_default=True,
    help="Start with the newest message of this many conversations.",
)
@click.option(
    "--since",
    metavar="TIME",
    callback=parse_moment_option,
    help="Start with all messages since then: 30m, 2h, 1d, or an ISO 8601 time.",
)
@click.option(
    "--state",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Go on where the last run with this file ended; the first begins now, or at --since.",
)
@click.option("--alerts", is_flag=True, help="Print the configured alerts instead of messages.")
@click.option("--once", is_flag=True, help="Print once and exit.")
@output_options("text", "jsonl", default="text")
def tail_command(
    target: Target,
    output: Output,
    lines: int,
    since: datetime | None,
    state: Path | None,
    alerts: bool,
    once: bool,
    **filters: str | None,
) -> None:
    """Print new messages as they arrive, one a line.

    Waits for changes, and tries again while the server is unreachable, until Ctrl-C.

    With --alerts, print the alerts configured under [alerts], for all conversations, run the
    commands for them, and use the terminal's notifications. No alert is repeated, not even from
    cron.
    """
    out = standard_output()
    if alerts:
        if state is not None:
            raise click.UsageError("--state does not go with --alerts, of which none is repeated")
        show = printer(out, output, _alert_line, _alert_json)
        _follow_alerts(target, show, since, once=once)
        return

    # Deferred: the list of commands does not need it.
    from frontdesk.mailbox.news import News

    async def work(client: "InboxClient", mailbox: "Mailbox") -> None:
        ids = await filter_ids(client, **filters)
        show, begin = printer(out, output, line, as_json), since
        if state is not None:
            of = sha256(f"{cache_origin(target)} {ids}".encode()).hexdigest()
            printed = TailState.load(state, of, since or utc_now())
            show, begin = printing_once(show, printed, utc_now), printed.since
        news = News(client)
        if not once:
            # Before the list is read: nothing falls between.
            await news.next()
        messages = NewMessages(mailbox, ConversationFilter(**ids), begin or utc_now())
        show(await (messages.poll() if begin else messages.latest(lines)))
        if not once:
            await follow(after_news(news, messages.poll), show)

    _run_with_mailbox(target, work)


def _run_with_mailbox(
    target: Target, work: Callable[["InboxClient", "Mailbox"], Awaitable[None]]
) -> None:
    """Run `work` with a client of the target, and a mailbox of it over the viewer's cache."""
    # Deferred: the list of commands does not need it.
    from frontdesk.mailbox import Mailbox

    limit_bytes = cache_limit_bytes(configuration(whole=False).viewer)
    cache = Cache(
        cache_file(), cache_origin(target), state_path=state_file(), limit_bytes=limit_bytes
    )

    async def connected(client: "InboxClient") -> None:
        mailbox = Mailbox(lambda: client, cache)
        await mailbox.connect()
        await work(client, mailbox)

    try:
        run_with_client(target, connected, waits=True)
    finally:
        cache.close()


def _follow_alerts(
    target: Target, show: "Printer[Alert]", since: datetime | None, *, once: bool
) -> None:
    configured = configuration(whole=False)
    settings, commands = configured.alerts, for_alerts(configured.commands)
    if not settings.kinds:
        raise BadSettings(
            "No alerts are configured: frontdesk config edit, and set mine, waiting or window"
            " under [alerts]"
        )

    # Deferred: the list of commands does not need it.
    from frontdesk.mailbox.news import ChangeFeed, News

    async def work(client: "InboxClient", mailbox: "Mailbox") -> None:
        save = partial(mailbox.set_setting, _ALERTED)
        watch = AlertWatch(settings, since or utc_now(), mailbox.get_setting(_ALERTED), save)

        def announce(alerts: Sequence[Alert]) -> None:
            if alerts:
                # The reader of a pipe may have ended.
                show(alerts)
                watch.remember(alerts)

        async def poll() -> list[Alert]:
            alerts = await watch.poll(mailbox.conversation_page, utc_now())
            if alerts and settings.terminal and sys.stderr.isatty():
                click.echo(terminal_notification(alerts, os.environ), nl=False, err=True)
            if alerts and commands:
                problem = await run_commands(commands, alerts, target.profile)
                watch.remember(alerts)
                if problem:
                    say(problem)
            return alerts

        # Waits and reply windows are due without a change.
        seconds, spacing_seconds = round(POLL_SECONDS), _ALERT_SPACING_SECONDS
        feed = ChangeFeed(client, wait_seconds=seconds, spacing_seconds=spacing_seconds)
        news = News(client, feed)
        if not once:
            await news.next()
        announce(await poll())
        if not once:
            await follow(after_news(news, poll), announce)

    _run_with_mailbox(target, work)


def _alert_line(alert: Alert, width: int | None) -> str:
    time = f"{in_zone(utc_now()):%Y-%m-%d %H:%M:%S}"
    words = f"{time}  {plain(alert.conversation.id)}  {plain(alert.sentence)}"
    return cut(words, width) if width else words


def _alert_json(alert: Alert, fields: Sequence[str]) -> str:
    shown = alert.conversation.model_dump(mode="json")
    return json_of({"kind": alert.kind, "text": alert.sentence, "conversation": shown}, fields)


def as_json(activity: Activity, fields: Sequence[str] = ()) -> str:
    """Encode the message with its conversation."""
    values = {"conversation": activity.conversation, "message": activity.message}
    members = {
        name: value.model_dump(mode="json", exclude_unset=not fields) if value else None
        for name, value in values.items()
    }
    return json_of(members, fields)


def line(activity: Activity, width: int | None) -> str:
    """Format time, channel, contact, author and text on one line, truncated to `width`.

    A customer's name is in quotes: it cannot pass for an author or a text.
    """
    conversation, at = activity.conversation, activity.at
    time = f"{in_zone(at):%Y-%m-%d %H:%M:%S}" if at else "-"
    contact = conversation.contact
    name = plain(contact_name(contact))
    name = quoted(name) if contact.name else name
    channel = conversation.channel.name or conversation.channel.id
    start = f"{time}  {plain(conversation.id)}  {plain(channel)}  {name}"
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
