"""`frontdesk conversations`: lists, prints and searches conversations."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from functools import partial, wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from frontdesk.cli.base import WholeNumber, group
from frontdesk.cli.commands.search import add_search
from frontdesk.cli.completion import (
    complete_assignee,
    complete_channel,
    complete_label,
    complete_query,
    complete_view,
)
from frontdesk.cli.config import configuration
from frontdesk.cli.exit_codes import exit_code
from frontdesk.cli.options import parse_moment_option, target_options
from frontdesk.cli.output import Output, output_options
from frontdesk.cli.rows import Extent, Request, Selection, as_it_is, extent_options, print_list
from frontdesk.cli.target import Target, run_with_client
from frontdesk.cli.threads import (
    MOST_LAST,
    BriefList,
    ListedConversation,
    ThreadReading,
    print_threads,
    read_threads,
    report_failures,
)
from frontdesk.errors import BadSettings
from frontdesk.exports import tables
from frontdesk.query import Query, parse
from frontdesk.query.language import Term, is_positive
from frontdesk.query.terms import ASSIGNEE, CHANNEL, LABEL, ORDERS, OVERVIEW, SORT, STATUS
from frontdesk.selection.conversations import (
    START,
    ConversationSelector,
    ConversationWalk,
    ListPlace,
    select,
    settled,
)
from frontdesk.selection.names import filter_ids
from frontdesk.selection.threads import WHO, EntryFilter, read_thread
from frontdesk.text.entries import by_people
from frontdesk.text.messages import Entry
from frontdesk.wire import Conversation
from frontdesk.wire.queries import ASSIGNEE_WORDS
from frontdesk.wire.values import STATUSES, utc_now

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, RowPages

F = TypeVar("F", bound=Callable[..., object])
Rows = TypeVar("Rows", "RowPages[Conversation]", ConversationWalk)
Select: TypeAlias = "Callable[..., Awaitable[ConversationSelector]]"
# The filter options, and the kinds of the terms that mean the same.
_FILTER_KINDS: Mapping[str, str] = MappingProxyType(
    {"status": STATUS, "assignee": ASSIGNEE, "channel": CHANNEL, "label": LABEL}
)

_VIEWER_KEEPS_ITS_VIEWS = "The viewer's own tabs, and views saved there, are not known to the shell"


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
    @click.option(
        "--sort", type=click.Choice(tuple(ORDERS)), help="Order of the list, as sort: of a query."
    )
    @wraps(command)
    def selecting(
        *values: Any,
        query: tuple[str, ...],
        view: str | None,
        status: str | None,
        assignee: str | None,
        channel: str | None,
        label: str | None,
        sort: str | None,
        **others: Any,
    ) -> object:
        filters = {"status": status, "assignee": assignee, "channel": channel, "label": label}
        terms = _query(view, " ".join(query), filters)
        if sort is not None:
            kept = (term for term in terms.terms if term.kind != SORT)
            terms = Query.of(*kept, Term(SORT, sort))
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


def query_of_view(name: str) -> Query:
    """Return the query of a configured view, by its name in the same case, else in any case.

    Raises: BadSettings: there is none, or several.
    """
    views = configuration().views
    same = [view for view in views if view.name == name]
    matches = same or [view for view in views if view.name.casefold() == name.casefold()]
    if len(matches) == 1:
        return parse(matches[0].query)
    listed = ", ".join(view.name for view in matches or views)
    if matches:
        raise BadSettings(f"The configuration has several views {name!r}: {listed}")
    there = f": there is {listed}" if views else "; config edit adds some"
    raise BadSettings(f"The configuration has no view {name!r}{there}. {_VIEWER_KEEPS_ITS_VIEWS}")


async def _selected(
    client: "InboxClient",
    query: Query,
    filters: Mapping[str, str | None],
    **needed: Any,
) -> ConversationSelector:
    """Raises: BadSettings: a name in the query or the filters is unknown."""
    ids = {name: id for name, id in (await filter_ids(client, **filters)).items() if id}
    selected = await select(client, query, ids, now=utc_now().astimezone(), **needed)
    if selected.lack:
        click.echo(f"frontdesk: {selected.lack}", err=True)
    return selected


_LIST_HELP = f"""List conversations, newest activity first.

QUERY is as in the viewer: {OVERVIEW}; a leading - negates, and #a,b is one of several.
"""


@conversations_group.subcommand(
    "list",
    "frontdesk conversations list 'is:open @me #vip waiting:>1h sort:waiting'",
    "frontdesk conversations list 'is:open,snoozed #billing,refund created:2026-11-01..'",
    "frontdesk conversations list --view Billing --status open",
    "frontdesk conversations list 'is:open @unassigned sort:waiting' --limit 10 --last 6",
    "frontdesk conversations list --all --json id,status,contact.phone | jq length",
    help=_LIST_HELP,
)
@target_options
@selection_options
@click.option(
    "--last",
    type=WholeNumber(1, MOST_LAST),
    metavar="N",
    help="With the last N messages of each, in brief text or JSON.",
)
@extent_options
@output_options("table", "brief", "json", "jsonl", "csv", "markdown")
def list_command(
    target: Target, select: Select, last: int | None, output: Output, extent: Extent
) -> None:
    if last is not None:
        output = output.as_one_of("--last", "brief", "json", "jsonl")
    read: list[RowPages[Conversation] | ConversationWalk] = []

    def remembered(rows: Rows) -> Rows:
        read.append(rows)
        return rows

    async def prepare(client: "InboxClient") -> "Request | Selection":
        selected = await select(client, limit=extent.limit if extent.cursor is None else 1)
        if selected.plan.exact:
            return lambda limit, cursor: remembered(selected.rows(client, limit, cursor))
        place = START if extent.cursor is None else ListPlace.parse(extent.cursor, selected.mark)
        # Days of a query are those of the local zone.
        now = utc_now().astimezone()

        async def cursor_of(place: ListPlace) -> str:
            return (await settled(client, selected, place)).text(selected.mark)

        return Selection(
            lambda progress: remembered(
                ConversationWalk(
                    client,
                    selected,
                    place,
                    now=now,
                    page_size=selected.page_size(
                        None if extent.limit is None else extent.limit + 1
                    ),
                    progress=progress,
                )
            ),
            cursor_of,
        )

    async def with_excerpt(client: "InboxClient", row: Conversation) -> object:
        excerpt = read[-1].excerpts.get(row.id)
        return row if excerpt is None else tables.with_excerpt(row, excerpt)

    async def complete(client: "InboxClient", row: Conversation) -> object:
        thread = await read_thread(client, row.id, last=last)
        listed = ListedConversation(row, thread.entries)
        return listed if output.format == "brief" and not extent.page else listed.members()

    print_list(
        target,
        output,
        "conversations",
        tables.CONVERSATIONS,
        extent,
        prepare,
        writers={"brief": BriefList},
        complete=complete
        if last is not None
        else with_excerpt
        if output.format == "table"
        else as_it_is,
    )


def _period_option(name: str, help_text: str) -> Callable[[F], F]:
    return click.option(name, metavar="TIME", callback=parse_moment_option, help=help_text)


@conversations_group.subcommand(
    "view",
    "frontdesk conversations view 27",
    "frontdesk conversations view 27 31 --last 20 --max-chars 8000 --format brief",
    "frontdesk conversations view +16505551234 --who customer --after 2026-03-01",
    "frontdesk conversations view 27 --people --format markdown > thread.md",
)
@click.argument("names", metavar="ID…", nargs=-1, required=True)
@target_options
@click.option("--people", is_flag=True, help="Only messages written by people, and notes.")
@click.option("--notes", is_flag=True, help="Only notes.")
@click.option(
    "--who",
    type=click.Choice(tuple(WHO)),
    default="all",
    show_default=True,
    help="Whose messages.",
)
@_period_option("--after", "Only from this day or time on, like 2026-03-01.")
@_period_option("--before", "Only before this day or time.")
@click.option("--last", type=WholeNumber(1), metavar="N", help="Only the newest N of each.")
@click.option(
    "--max-chars",
    type=WholeNumber(200),
    metavar="N",
    help="Leave out older entries of all together beyond N characters, and say so.",
)
@click.option(
    "--details",
    is_flag=True,
    help="In JSON an object for each conversation, as for several, with its data.",
)
@output_options("text", "brief", "json", "jsonl", "csv", "markdown", default="text")
def view_command(
    target: Target,
    names: tuple[str, ...],
    people: bool,
    notes: bool,
    who: str,
    after: datetime | None,
    before: datetime | None,
    last: int | None,
    max_chars: int | None,
    details: bool,
    output: Output,
) -> None:
    """Print conversations with their notes, oldest first.

    ID is a conversation, as 27 or #27, or a customer's number, as +16505551234, user id or
    @username, for all conversations with them.
    """
    if people and notes:
        raise click.UsageError("--people does not go with --notes")
    if after and before and after >= before:
        raise click.UsageError("--after has to be earlier than --before")
    keep = WHO[who]
    if people:
        keep = _by_people(keep)
    reading = ThreadReading(EntryFilter(after, before, keep), last, only_notes=notes)
    work = partial(read_threads, names=names, reading=reading)
    threads, failures = run_with_client(target, work, waits=True)
    report_failures(failures, alone=not threads)
    as_objects = details or len(threads) + len(failures) > 1
    print_threads(threads, output, max_chars, as_objects=as_objects)
    if failures:
        raise click.exceptions.Exit(max(map(exit_code, failures.values())))


def _by_people(keep: Callable[[Entry], bool]) -> Callable[[Entry], bool]:
    return lambda entry: keep(entry) and by_people(entry)


add_search(
    conversations_group,
    "Find conversations by words, names and numbers.",
    ("message", "note", "conversation"),
    (
        "frontdesk conversations search refund",
        "frontdesk conversations search 'order 1042' --limit 5",
    ),
)
