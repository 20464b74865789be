"""`frontdesk changes`: prints what changed since a position, and what changes from now on."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import click

from frontdesk.cli.base import command
from frontdesk.cli.commands.tail import Activity, line
from frontdesk.cli.options import target_options
from frontdesk.cli.output import Output, cut, json_of, output_options, plain, standard_output
from frontdesk.cli.polling import follow, printer
from frontdesk.cli.target import Target, run_with_client
from frontdesk.wire import Changes, Conversation

if TYPE_CHECKING:
    from frontdesk.client import InboxClient


class ChangeLine(NamedTuple):
    """Line of the output. position: from which no line after this one is lost, see `changes_of`."""

    position: str
    kind: Literal["position", "conversation", "gone", "names", "reset"]
    id: str | None = None
    conversation: Conversation | None = None


def changes_of(changes: Changes, before: str | None) -> list[ChangeLine]:
    """Return a line for each change, or for the first position.

    before: position after which these changes came, None for the first. All lines but the last have
    it, so that whoever goes on from the position of a line may get a change again, and loses none.
    """
    if before is None:
        return [ChangeLine(changes.next, "position")]
    lines = list(_lines(changes, before))
    return [*lines[:-1], *(line._replace(position=changes.next) for line in lines[-1:])]


def _lines(changes: Changes, position: str) -> Iterator[ChangeLine]:
    if changes.reset:
        yield ChangeLine(position, "reset")
    for row in changes.data:
        yield ChangeLine(position, "conversation", row.id, row)
    for id in changes.gone:
        yield ChangeLine(position, "gone", id)
    if changes.names:
        yield ChangeLine(position, "names")


def as_text(change: ChangeLine, width: int | None) -> str:
    """Format position, kind and conversation on one line, truncated to `width`."""
    words = f"{plain(change.position)}  {change.kind}"
    if (row := change.conversation) is not None:
        words += f"  {plain(row.status)}  {line(Activity(row, row.last_message), None)}"
    elif change.id is not None:
        words += f"  {plain(change.id)}"
    return cut(words, width) if width else words


def as_json(change: ChangeLine, fields: Sequence[str] = ()) -> str:
    row = change.conversation
    shown = row and row.model_dump(mode="json", exclude_unset=not fields)
    return json_of({**change._asdict(), "conversation": shown}, fields)


@command(
    "changes",
    "frontdesk changes",
    "frontdesk changes --after 9f3c12ab-41 --format jsonl",
    "frontdesk changes --follow --json position,kind,id,conversation.status",
)
@target_options
@click.option(
    "--after",
    metavar="POSITION",
    help="Print what changed since then: the position of an earlier line.",
)
@click.option("--follow", "follows", is_flag=True, help="Go on with what changes, until Ctrl-C.")
@output_options("text", "jsonl", default="text")
def changes_command(target: Target, output: Output, after: str | None, follows: bool) -> None:
    """Print what changed in the inbox, one change a line.

    Each line begins with a position, after which a later run goes on: no change is lost, and some
    may come again. Without --after, the first line has the position of now.

    A conversation that changed several times comes once, as it is now; `gone` are those that were
    merged or erased. After `names`, labels, users, channels or other names have to be read again,
    after `reset` everything: the position was one of another database.

    With --follow, the server is asked once a minute, answers as soon as something changes, and is
    asked again while it is unreachable.
    """
    # Deferred: the list of commands does not need it.
    from frontdesk.mailbox.news import ChangeFeed

    show = printer(standard_output(), output, as_text, as_json)

    async def work(client: "InboxClient") -> None:
        feed = ChangeFeed(client, after)

        async def read(*, waits: bool) -> list[ChangeLine]:
            before = feed.position
            return changes_of(await feed.next(waits=waits), before)

        show(await read(waits=False))
        while feed.has_more:
            show(await read(waits=False))
        if follows:
            await follow(lambda: read(waits=True), show)

    run_with_client(target, work, waits=True)
