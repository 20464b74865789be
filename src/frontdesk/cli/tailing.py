"""`frontdesk tail`: prints new messages as they arrive."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TextIO

import click

from frontdesk import transcript
from frontdesk.cli.activity import Activity, Feed
from frontdesk.cli.commands import Command
from frontdesk.cli.ending import say
from frontdesk.cli.lengths import length
from frontdesk.cli.output import cut, format_option, here, json_of, output, plain, terminal_width
from frontdesk.cli.place_options import place_options
from frontdesk.cli.places import Place, asked
from frontdesk.errors import NetworkMisconfigured, Unreachable
from frontdesk.phones import format_phone
from frontdesk.text import first_said
from frontdesk.wire import ConversationFilter, Message
from frontdesk.wire.values import STATUSES

if TYPE_CHECKING:
    from frontdesk.client import InboxClient

Tell = Callable[[Sequence[Activity]], None]

LONGEST_PAUSE_SECONDS = 60.0
_SLOWER = 1.5


@click.command("tail", cls=Command)
@place_options
@click.option("--status", type=click.Choice(STATUSES), help="Only these.")
@click.option("--assignee", metavar="WORD|ID", help="Whose: me, unassigned, assigned or an id.")
@click.option("--channel", metavar="ID", help="Only those of this channel.")
@click.option("--label", metavar="TITLE", help="Only those with this label.")
@click.option(
    "--lines",
    type=click.IntRange(0, 100),
    default=10,
    show_default=True,
    help="Begin with the newest message of so many conversations.",
)
@click.option(
    "--since",
    metavar="TIME",
    callback=lambda context, option, text: None if text is None else _moment(text),
    help="Begin with every message since then: 30m, 2h, 1d, or a time in ISO 8601.",
)
@click.option("--once", is_flag=True, help="Tell what there is, and end.")
@click.option(
    "--interval",
    type=click.FloatRange(1, LONGEST_PAUSE_SECONDS),
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="Pause between two questions; it grows while nothing happens.",
)
@format_option("text", "jsonl", default="text")
def tail_command(
    place: Place,
    style: str,
    lines: int,
    since: datetime | None,
    once: bool,
    interval: float,
    **filters: str | None,
) -> None:
    """Print new messages as they come in, one line each, until Ctrl-C.

    What is unchanged costs the server next to nothing. A server that is gone is asked again.
    """
    out = output()

    async def work(client: "InboxClient") -> None:
        feed = Feed(client, ConversationFilter(**filters), since or datetime.now(UTC))
        told = _teller(out, style)
        told(await (feed.news() if since else feed.latest(lines)))
        if not once:
            await follow(feed, told, interval=interval)

    asked(place, work)


async def follow(
    feed: Feed,
    tell: Tell,
    *,
    interval: float,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    chance: Callable[[], float] = random.random,
) -> None:
    """Print new messages forever. Pauses grow without news or while the server is unreachable."""
    pause, lost = interval, False
    while True:
        # Jitter, so that many clients do not poll in step.
        await sleep(pause * (0.9 + 0.2 * chance()))
        try:
            news = await feed.news()
        except NetworkMisconfigured:
            raise
        except Unreachable as error:
            pause = _longer(max(pause * 2, error.retry_after or 0), error)
            if not lost:
                say(f"{error}; trying again")
            lost = True
            continue
        if lost:
            say("the server answers again")
        lost = False
        tell(news)
        pause = interval if news else min(pause * _SLOWER, LONGEST_PAUSE_SECONDS)


def _longer(pause: float, error: Unreachable) -> float:
    """Limit a pause to a minute, unless the server asks for more."""
    return max(min(pause, LONGEST_PAUSE_SECONDS), error.retry_after or 0)


def _teller(out: TextIO, style: str) -> Tell:
    def tell(news: Sequence[Activity]) -> None:
        for one in news:
            out.write((as_json(one) if style == "jsonl" else line(one, terminal_width(out))) + "\n")
        out.flush()

    return tell


def as_json(one: Activity) -> str:
    """Encode the message with its conversation."""
    message = json_of(one.message) if one.message else "null"
    return f'{{"conversation":{json_of(one.conversation)},"message":{message}}}'


def line(one: Activity, width: int | None) -> str:
    """Format time, channel, contact, author and text on one line, truncated to `width`."""
    conversation, at = one.conversation, one.at
    time = f"{here(at):%Y-%m-%d %H:%M:%S}" if at else "-"
    contact = conversation.contact
    name = first_said(contact.name, format_phone(contact.phone or ""), f"contact {contact.id}")
    channel = conversation.channel.name or conversation.channel.id
    words = f"{time}  {plain(conversation.id)}  {plain(channel)}  {plain(name)}{_what(one)}"
    return cut(words, width) if width else words


def _what(one: Activity) -> str:
    message = one.message
    if message is None:
        return ""
    if isinstance(message, Message):
        who, said = transcript.author(message), transcript.said(message)
    else:
        who, said = transcript.author_word(message.author), message.text or f"[{message.type}]"
    sender = "" if message.direction == "inbound" else f" ← {plain(who)}"
    return f"{sender}: {plain(said)}"


def _moment(text: str) -> datetime:
    """Parse a duration before now, or an ISO 8601 time; local without an offset."""
    if (told := length(text, "smhd")) is not None:
        return datetime.now(UTC) - told
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise click.BadParameter("use 30m, 2h or 1d, or a time such as 2026-03-14T09:30") from error
