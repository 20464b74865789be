"""Threads in the shell: reads several, and prints them in any format within so many characters."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from frontdesk.cli.exit_codes import say
from frontdesk.cli.output import Output, standard_output
from frontdesk.cli.progress import Progress, report_unreadable
from frontdesk.errors import Forbidden, InboxError, NotFound
from frontdesk.exports import brief
from frontdesk.exports.conversations import entry_text, transcript_lines
from frontdesk.exports.tables import Column, Writer, customer_name
from frontdesk.selection.threads import (
    EntryFilter,
    ThreadEntries,
    conversation_ids,
    read_notes,
    read_thread,
)
from frontdesk.text.messages import Entry, author_name
from frontdesk.text.phones import contact_name
from frontdesk.wire import Conversation, Note
from frontdesk.wire.values import utc_now

if TYPE_CHECKING:
    from frontdesk.client import InboxClient

MOST_LAST = 30


def entry_columns(contact: str = "") -> tuple[Column[Entry], ...]:
    """Columns of messages and notes. contact: name of the customer, if it is known."""
    return (
        Column("created_at", lambda entry: entry.created_at, "TIME", moment=True),
        Column("kind", lambda entry: "note" if isinstance(entry, Note) else "message"),
        Column("id", lambda entry: entry.id, "ID"),
        Column("direction", lambda entry: getattr(entry, "direction", None)),
        Column("author", lambda entry: entry.author),
        Column("author_name", partial(author_name, contact=contact), "AUTHOR", flexible=True),
        Column("type", lambda entry: getattr(entry, "type", None), "TYPE"),
        Column("delivery_status", lambda entry: getattr(entry, "delivery_status", None), "STATUS"),
        Column("text", partial(entry_text, contact=contact), "TEXT", flexible=True),
        Column("conversation_id", lambda entry: entry.conversation_id),
    )


async def customer_of(client: "InboxClient", id: str) -> str:
    """Return what the customer of a conversation is called; "" if its messages say it, or nobody.

    Messages lack a customer who has no name.
    """
    newest = (await client.message_page(id)).data
    own = [message.author_ref for message in newest if message.author == "contact"]
    if own and all(author is not None and author.name for author in own):
        return ""
    conversation = await _conversation(client, id)
    return contact_name(conversation.contact) if conversation else ""


class ShownThread(NamedTuple):
    """A conversation with entries, oldest first. conversation: None if it cannot be had."""

    id: str
    conversation: Conversation | None
    entries: Sequence[Entry]

    def newest(self, number: int) -> "ShownThread":
        return self._replace(entries=self.entries[len(self.entries) - number :])

    def members(self) -> dict[str, Any]:
        """Return what JSON has of it."""
        shown = [_dumped(entry) for entry in self.entries]
        conversation = _dumped(self.conversation) if self.conversation else None
        return {"id": self.id, "conversation": conversation, "entries": shown}


@dataclass(frozen=True, slots=True)
class ThreadReading:
    """What is read of each thread. last: of the entries that the filter accepts, the newest."""

    filter: EntryFilter
    last: int | None = None
    only_notes: bool = False


async def read_threads(
    client: "InboxClient", names: Sequence[str], reading: ThreadReading
) -> tuple[list[ShownThread], dict[str, InboxError]]:
    """Read the threads that are named, and return them with the failures of others by name."""
    named = await conversation_ids(client, names)
    failures, threads = dict(named.failures), []
    for id in named.ids:
        try:
            threads.append(await _shown(client, id, reading))
        except NotFound as error:
            failures[id] = error
    return threads, failures


async def _shown(client: "InboxClient", id: str, reading: ThreadReading) -> ShownThread:
    progress = Progress(shown=True)

    async def show(examined: int) -> None:
        progress.say(f"{examined:,} messages …")

    try:
        if reading.only_notes:
            thread = await read_notes(client, id, reading.filter)
        else:
            thread = await read_thread(
                client,
                id,
                reading.filter,
                last=reading.last,
                most=None,
                progress=show,
            )
    finally:
        progress.clear()
    _report(thread)
    entries = thread.entries[-reading.last :] if reading.last else thread.entries
    return ShownThread(id, await _conversation(client, id), entries)


def _report(thread: ThreadEntries) -> None:
    if thread.lack:
        say(f"without notes: {thread.lack}")
    report_unreadable(thread.unreadable)


async def _conversation(client: "InboxClient", id: str) -> Conversation | None:
    try:
        return await client.conversation(id)
    except (Forbidden, NotFound) as error:
        say(f"the customer and status of {id} are not known: {error}")
        return None


def print_threads(
    threads: Sequence[ShownThread], output: Output, most: int | None, *, as_objects: bool
) -> None:
    """Print threads in a format. most: characters of all together."""
    left, shown = most, []
    for number, thread in enumerate(threads):
        share = None if left is None else max(left, 0) // (len(threads) - number)
        part = _within(thread, output, share, as_objects=as_objects)
        left = None if left is None else left - len(_text(part, output, as_objects=as_objects))
        shown.append((part, share))
    if output.format in ("text", "markdown", "brief"):
        texts = [_text(part, output, share, as_objects=as_objects) for part, share in shown]
        out = standard_output()
        if output.format == "brief":
            out.write(f"{brief.heading(utc_now(), None)}\n{brief.DATA}\n\n")
        out.write("\n".join(texts))
        out.flush()
        return
    _write([part for part, _ in shown], output, as_objects=as_objects)


def _within(
    thread: ShownThread, output: Output, most: int | None, *, as_objects: bool
) -> ShownThread:
    """Leave out the oldest entries that do not fit, and say how many."""
    if most is None:
        return thread
    total = len(thread.entries)
    fit = brief.newest_that_fit(
        total,
        lambda number: _text(thread.newest(number), output, as_objects=as_objects),
        most,
    )
    fit = max(fit, min(1, total))
    if fit < total:
        say(f"{thread.id}: the {total - fit:,} oldest of {total:,} entries are left out")
    return thread.newest(fit)


def _text(thread: ShownThread, output: Output, most: int | None = None, *, as_objects: bool) -> str:
    """Return a thread in the output's format. most: characters of a text, which is cut."""
    match output.format:
        case "text" | "markdown":
            markdown = output.format == "markdown"
            lines = transcript_lines(
                thread.id, thread.conversation, thread.entries, markdown=markdown
            )
            text = "".join(f"{line}\n" for line in lines)
        case "brief":
            text = brief_thread(thread)
        case _:
            out = io.StringIO()
            _write([thread], replace(output, bom=False), as_objects=as_objects, out=out)
            return out.getvalue()
    if most is None or len(text) <= most:
        return text
    return f"{brief.cut(text.rstrip(), most)}\n"


def brief_thread(thread: ShownThread) -> str:
    """Return the facts of a conversation on a line, and its entries with marks below."""
    row = thread.conversation
    head = brief.conversation_line(row, utc_now(), None) if row else f"#{thread.id}"
    contact = customer_name(row) if row else ""
    blocks = [brief.entry_block(entry, None, contact) for entry in thread.entries]
    return "\n".join([head, *(blocks or ["(no messages)"])]) + "\n"


def _write(
    threads: Sequence[ShownThread],
    output: Output,
    *,
    as_objects: bool,
    out: io.StringIO | None = None,
) -> None:
    """Write threads as JSON objects, or their entries one after the other."""
    if as_objects and output.format.startswith("json"):
        writer: Writer[Any] = output.writer(out=out)
        for thread in threads:
            writer.add(thread.members())
        writer.end()
        return
    contact = ""
    if len(threads) == 1 and threads[0].conversation is not None:
        contact = contact_name(threads[0].conversation.contact)
    writer = output.writer(entry_columns(contact), out)
    for thread in threads:
        for entry in thread.entries:
            writer.add(entry)
    writer.end()


def report_failures(failures: Mapping[str, InboxError], *, alone: bool) -> None:
    """Report what was not found beside the threads that were.

    alone: nothing was found. Raises: InboxError: the last failure then.
    """
    *others, last = failures.values() if failures else (None,)
    for failure in others:
        say(str(failure))
    if last is not None and alone:
        raise last
    if last is not None:
        say(str(last))


class ListedConversation(NamedTuple):
    """A row of a list with its last messages."""

    conversation: Conversation
    entries: Sequence[Entry]

    def members(self) -> dict[str, Any]:
        """Return what JSON has of it: the conversation's members, and its messages."""
        messages = [_dumped(entry) for entry in self.entries]
        return {**_dumped(self.conversation), "messages": messages}


class BriefList(Writer[Conversation | ListedConversation]):
    """Lines of facts below the time and zone, with the last messages if they were read."""

    def begin(self) -> None:
        self._now = utc_now()
        self.out.write(f"{brief.heading(self._now, None)}\n{brief.DATA}\n\n")

    def add(self, row: Conversation | ListedConversation) -> None:
        listed = row if isinstance(row, ListedConversation) else ListedConversation(row, ())
        contact = customer_name(listed.conversation)
        blocks = (brief.entry_block(entry, None, contact) for entry in listed.entries)
        line = brief.conversation_line(listed.conversation, self._now, None)
        end = "\n\n" if listed is row else "\n"
        self.out.write("\n".join([line, *blocks]) + end)


def _dumped(row: Conversation | Entry) -> dict[str, Any]:
    """Return the members that the server sent."""
    return row.model_dump(mode="json", exclude_unset=True)
