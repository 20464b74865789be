"""`frontdesk conversations`: lists, prints and searches conversations."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial, wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import click

from frontdesk.cli.base import group
from frontdesk.cli.commands.search import add_search
from frontdesk.cli.completion import (
    complete_assignee,
    complete_channel,
    complete_label,
    complete_query,
    complete_view,
)
from frontdesk.cli.exit_codes import say
from frontdesk.cli.names import filter_ids, query_names, query_of_view
from frontdesk.cli.options import target_options
from frontdesk.cli.output import Output, output_options, standard_output
from frontdesk.cli.progress import Progress, report_unreadable, walked
from frontdesk.cli.rows import Extent, Request, Selection, extent_options, print_list
from frontdesk.cli.target import Target, run_with_client
from frontdesk.errors import BadSettings, Forbidden, NotFound
from frontdesk.exports import tables
from frontdesk.exports.conversations import by_people, entry_text, in_order, transcript_lines
from frontdesk.exports.tables import Column
from frontdesk.query import NEWEST, Matcher, Query, QueryNames, Term, parse, plan, sort_key
from frontdesk.query.language import ASSIGNEE, CHANNEL, LABEL, STATUS, is_positive
from frontdesk.query.names import unknown_name
from frontdesk.text.messages import Entry, author_name
from frontdesk.text.phones import contact_name
from frontdesk.wire import Conversation, ConversationFilter, Message, Note, Wire
from frontdesk.wire.queries import ASSIGNEE_WORDS, CONVERSATION_ORDERS
from frontdesk.wire.values import STATUSES, utc_now

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, RowPages

F = TypeVar("F", bound=Callable[..., object])


class ConversationSelector(NamedTuple):
    """Which conversations. rest: terms that the server does not answer."""

    filter: ConversationFilter
    rest: tuple[Term, ...] = ()
    order: str = NEWEST
    names: QueryNames = QueryNames()

    def matcher(self, now: datetime) -> Matcher:
        return Matcher(self.rest, self.names, now)


Select: TypeAlias = "Callable[[InboxClient], Awaitable[ConversationSelector]]"
W = TypeVar("W", bound=Wire)

# The filter options, and the kinds of the terms that mean the same.
_FILTER_KINDS: Mapping[str, str] = MappingProxyType(
    {"status": STATUS, "assignee": ASSIGNEE, "channel": CHANNEL, "label": LABEL}
)

# Pages of the list in which the conversation of a transcript is looked for.
_MOST_PAGES = 20


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
    )


@group(
    "conversations",
    "frontdesk conversations list --status open --assignee unassigned",
    "frontdesk conversations view 27 --last 20",
)
def conversations_group() -> None:
    """List, view and search conversations."""


def filter_options(command: F) -> F:
    """Add the options that select conversations."""
    for option in (
        click.option(
            "--label",
            metavar="TITLE",
            shell_complete=complete_label,
            help="Filter by label.",
        ),
        click.option(
            "--channel",
            metavar="NAME|NUMBER|ID",
            shell_complete=complete_channel,
            help="Filter by channel.",
        ),
        click.option(
            "--assignee",
            metavar="|".join((*ASSIGNEE_WORDS, "USER")),
            shell_complete=complete_assignee,
            help="Filter by assignee: me, unassigned, assigned, or a user by name, "
            "e-mail address or id.",
        ),
        click.option("--status", type=click.Choice(STATUSES), help="Filter by status."),
    ):
        command = option(command)
    return command


def selection_options(command: F) -> Callable[..., object]:
    """Add a query, `--view` and the filters, which make up the argument `select`."""

    @click.argument("query", nargs=-1, shell_complete=complete_query)
    @click.option(
        "--view",
        metavar="NAME",
        shell_complete=complete_view,
        help="Use the query of a configured view.",
    )
    @filter_options
    @wraps(command)
    def selecting(
        *values: Any,
        query: tuple[str, ...],
        view: str | None,
        status: str | None,
        assignee: str | None,
        channel: str | None,
        label: str | None,
        **others: Any,
    ) -> object:
        filters = {"status": status, "assignee": assignee, "channel": channel, "label": label}
        terms = _query(view, " ".join(query), filters)
        select = partial(_selected, query=terms, filters=filters)
        return command(*values, select=select, **others)

    return selecting


def _query(view: str | None, text: str, filters: Mapping[str, str | None]) -> Query:
    """Return the query of a view and a text, without the terms that filters replace in the view.

    Raises: BadSettings: unknown view, or a mistake in the text. click.UsageError: the text has a
    term that a filter would replace.
    """
    typed = parse(text)
    saved = query_of_view(view) if view is not None else Query()
    for name, kind in _FILTER_KINDS.items():
        if filters[name] is None:
            continue
        if term := next((term for term in typed.terms if is_positive(term, kind)), None):
            raise click.UsageError(
                f"--{name} does not go with {term} in the query: keep one of them"
            )
        saved = Query(tuple(term for term in saved.terms if not is_positive(term, kind)))
    return Query.of(*saved.terms, *typed.terms)


async def _selected(
    client: "InboxClient", query: Query, filters: Mapping[str, str | None]
) -> ConversationSelector:
    """Raises: BadSettings: a name in the query or the filters is unknown."""
    ids = {name: id for name, id in (await filter_ids(client, **filters)).items() if id}
    if not query.terms:
        return ConversationSelector(ConversationFilter(**ids))
    names = await query_names(client, query)
    for term in query.terms:
        if message := unknown_name(term, names):
            raise BadSettings(message)
    answer = plan(query, names, ConversationFilter.model_fields.keys() - {"sort"})
    members = {**answer.filter.model_dump(exclude_none=True), **ids}
    return ConversationSelector(ConversationFilter(**members), answer.rest, answer.order, names)


@conversations_group.subcommand(
    "list",
    "frontdesk conversations list 'is:open @me #vip waiting:>1h sort:waiting'",
    "frontdesk conversations list --view Billing --status open",
    "frontdesk conversations list --all --json id,status,contact.phone | jq length",
)
@target_options
@selection_options
@extent_options
@output_options()
def list_command(target: Target, select: Select, output: Output, extent: Extent) -> None:
    """List conversations, newest activity first.

    QUERY is as in the viewer: is:open, @me, #label, in:channel, from:customer, unread,
    needs:human, waiting:>1h, active:<2h, window:<2h, words, sort:waiting; a leading - negates.
    """

    async def prepare(client: "InboxClient") -> "Request | Selection":
        selected = await select(client)
        sort = await _server_order(client, selected)

        def request(limit: int, cursor: str | None) -> "RowPages[Conversation]":
            members = selected.filter.model_dump(exclude_none=True)
            return client.conversations(**members, sort=sort, limit=limit, cursor=cursor)

        is_sorted = selected.order == (sort or NEWEST)
        if not selected.rest and is_sorted:
            return request
        now = utc_now()
        key = None if is_sorted else sort_key(selected.order, now)
        return Selection(request, selected.matcher(now), key)

    print_list(target, output, "conversations", tables.CONVERSATIONS, extent, prepare)


async def _server_order(client: "InboxClient", selected: ConversationSelector) -> str | None:
    """Return the order if the server has it, else None: the rows are sorted here then."""
    if selected.order not in CONVERSATION_ORDERS[1:]:
        return None
    await client.conversation_page(selected.filter.model_copy(update={"sort": selected.order}))
    return None if "sort" in client.server.no_extensions else selected.order


@conversations_group.subcommand(
    "view",
    "frontdesk conversations view 27",
    "frontdesk conversations view 27 --people --format markdown > thread.md",
)
@click.argument("conversation_id", metavar="ID")
@target_options
@click.option("--people", is_flag=True, help="Only messages written by people, and notes.")
@click.option("--notes", is_flag=True, help="Only notes.")
@click.option("--last", type=click.IntRange(1), metavar="N", help="Only the newest N.")
@output_options("text", "json", "jsonl", "csv", "markdown", default="text")
def view_command(
    target: Target,
    conversation_id: str,
    people: bool,
    notes: bool,
    last: int | None,
    output: Output,
) -> None:
    """Print a conversation with its notes, oldest first."""
    if people and notes:
        raise click.UsageError("--people does not go with --notes")

    # Authors are known only after reading, so the limit is applied afterwards.
    most = None if people else last

    async def work(client: "InboxClient") -> tuple[Conversation | None, list[Entry]]:
        entries: list[Entry] = []
        if not notes:
            messages = await _newest(client.messages(conversation_id), "messages", most)
            entries.extend(messages)
        entries.extend(await _notes(client, conversation_id, most, required=notes))
        conversation = None
        if not output.format.startswith("json"):
            conversation = await _conversation(client, conversation_id, entries)
        return conversation, in_order(entries)

    conversation, entries = run_with_client(target, work, waits=True)
    chosen = [entry for entry in entries if not people or by_people(entry)]
    _write(conversation_id, conversation, chosen[-last:] if last else chosen, output)


add_search(
    conversations_group,
    "Find conversations by words, names and numbers.",
    ("message", "note", "conversation"),
    (
        "frontdesk conversations search refund",
        "frontdesk conversations search 'order 1042' --limit 5",
    ),
)


async def _notes(client: "InboxClient", id: str, last: int | None, *, required: bool) -> list[Note]:
    """Return the notes; none if the key or server lacks them, unless they are `required`."""
    try:
        return await _newest(client.notes(id), "notes", last)
    except (Forbidden, NotFound) as error:
        if required:
            raise
        say(f"without notes: {error}")
        return []


async def _newest(rows: "RowPages[W]", noun: str, last: int | None) -> list[W]:
    newest: list[W] = []
    progress = Progress(shown=True)
    async for row in walked(rows, noun, progress):
        newest.append(row)
        if len(newest) == last:
            break
    progress.clear()
    report_unreadable(rows.unreadable)
    return newest


async def customer_of(client: "InboxClient", id: str) -> str:
    """Return what the customer of a conversation is called; "" if its messages say it, or nobody.

    Messages lack a customer who has no name.
    """
    newest = (await client.message_page(id)).data
    own = [message.author_ref for message in newest if message.author == "contact"]
    if own and all(author is not None and author.name for author in own):
        return ""
    conversation = await _conversation(client, id, newest)
    return contact_name(conversation.contact) if conversation else ""


async def _conversation(
    client: "InboxClient", id: str, entries: Sequence[Entry]
) -> Conversation | None:
    """Look for a conversation in the list, which is sorted by activity; None if it is far down.

    `/v1` does not return a conversation by its id.
    """
    messages = [entry.created_time for entry in entries if isinstance(entry, Message)]
    newest = max(filter(None, messages), default=None)
    rows, progress = client.conversations(), Progress(shown=True)
    with suppress(Forbidden, NotFound):
        async for row in walked(rows, "conversations", progress, most_pages=_MOST_PAGES):
            active = row.last_activity_time
            if row.id == id:
                progress.clear()
                return row
            if newest is not None and active is not None and active < newest:
                break
    progress.clear()
    say("its customer and status are not known: it is not among the latest conversations")
    return None


def _write(
    id: str, conversation: Conversation | None, entries: list[Entry], output: Output
) -> None:
    if output.format not in ("text", "markdown"):
        contact = contact_name(conversation.contact) if conversation else ""
        output.write(entries, entry_columns(contact))
        return
    markdown = output.format == "markdown"
    out = standard_output()
    lines = transcript_lines(id, conversation, entries, markdown=markdown)
    out.writelines(f"{line}\n" for line in lines)
    out.flush()
