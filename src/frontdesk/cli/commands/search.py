"""`search` in conversations and messages, of a server or a database, and in what is kept here."""

import shlex
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import click

from frontdesk.cache import Cache, Hit
from frontdesk.cli.base import Command, WholeNumber
from frontdesk.cli.exit_codes import say
from frontdesk.cli.options import target_options
from frontdesk.cli.output import Output, output_options
from frontdesk.cli.target import Target, cache_origin, resolve, run_with_client
from frontdesk.errors import (
    BadSettings,
    InboxError,
    NotFound,
    NotOffered,
    Unreachable,
    UnusableFile,
)
from frontdesk.exports.tables import Column
from frontdesk.mailbox import Mailbox
from frontdesk.mailbox.search import SearchRun
from frontdesk.query import MessageSearch, QueryNames
from frontdesk.query.names import unknown_name
from frontdesk.query.plan import STANDARD
from frontdesk.selection.names import query_names
from frontdesk.system import environment
from frontdesk.text.clean import counted
from frontdesk.text.search import Terms
from frontdesk.wire import ConversationFilter
from frontdesk.wire.queries import EXTENSIONS
from frontdesk.wire.values import utc_now

if TYPE_CHECKING:
    from frontdesk.client import InboxClient

KINDS = ("message", "note", "conversation", "contact")
THREAD_KINDS = ("message", "note")
PEOPLE = frozenset(KINDS) - frozenset(THREAD_KINDS)
USUAL, MOST = 50, 1000

_NOTHING_SEARCHED = (
    "Nothing was searched: only what the viewer has shown is, and it has not shown any of this "
    "place yet; open it there first, or write it out with frontdesk export events"
)

_COLUMNS: tuple[Column[Hit], ...] = (
    Column("created_at", lambda hit: hit.created_at, "WHEN", moment=True),
    Column("conversation_id", lambda hit: hit.conversation_id, "ID"),
    Column("kind", lambda hit: hit.kind, "WHAT"),
    Column("id", lambda hit: hit.id),
    Column("text", lambda hit: hit.snippet, "TEXT", flexible=True),
)


class SearchQuery(NamedTuple):
    """Search options. kinds: never empty. conversation: id, None for all."""

    search: MessageSearch
    conversation: str | None
    kinds: tuple[str, ...]
    limit: int


class Result(NamedTuple):
    """Search result, newest first. extent: what was searched, None if nothing was."""

    hits: list[Hit]
    extent: str | None
    beyond: int = 0


def _search_command(
    name: str, summary: str, default_kinds: tuple[str, ...], examples: Sequence[str]
) -> click.Command:
    """Make a search command for some kinds, unless others are chosen."""

    @click.command(name, cls=Command, help=f"{summary}\n\n{_HELP}", examples=examples)
    @click.argument("text", nargs=-1, required=True)
    @target_options
    @click.option("--in", "conversation", metavar="ID", help="Search in one conversation.")
    @click.option(
        "--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Kind to search."
    )
    @click.option(
        "--limit",
        type=WholeNumber(1, MOST),
        default=USUAL,
        show_default=True,
        help="Maximum number of hits.",
    )
    @output_options()
    def search_command(
        target: Target,
        text: tuple[str, ...],
        conversation: str | None,
        kinds: tuple[str, ...],
        limit: int,
        output: Output,
    ) -> None:
        _search(target, _query(" ".join(text), conversation, kinds or default_kinds, limit), output)

    return search_command


def add_search(
    group: click.Group, summary: str, kinds: tuple[str, ...], examples: Sequence[str]
) -> None:
    """Add a command `search` to a group."""
    group.add_command(_search_command("search", summary, kinds, examples))


_HELP = """A server or a database is asked for contacts, and for the newest message of each
conversation that has the words; with --in, that conversation is read whole, with its notes. Other
notes are searched as far as the viewer has loaded them, and so is everything where a server does
not search. A line on standard error says what was searched; where that was nothing, the exit code
is 1.

Newest first; all words of TEXT must be there, as they are or as parts of words, whatever their
case and accents. All terms of `conversations list` narrow it, such as from:ana, in:london, #vip or
has:image, and after:2026-03-14 and before:2026-04-01 the days of the messages."""

search_command = _search_command(
    "search",
    "Find words in messages, notes, and the names and numbers of contacts.",
    KINDS,
    ("frontdesk messages search refund", "frontdesk contacts search ana"),
)


def _search(target: Target, query: SearchQuery, output: Output) -> None:
    """Raises: NotOffered: nothing was searched. UnusableFile: the cache is of a newer frontdesk."""
    target = resolve(target)
    origin, file = cache_origin(target), environment.cache_file()
    with TemporaryDirectory() as temporary:
        if file.exists():
            cache = Cache(file, origin, state_path=environment.state_file())
        else:
            cache = Cache(Path(temporary) / file.name, origin)
        try:
            result = run_with_client(target, partial(_searched, cache, query))
            warning = cache.warning
        finally:
            cache.close()
    if warning:
        raise UnusableFile(f"Nothing was searched: {warning}")
    if result.extent is None:
        raise NotOffered(_NOTHING_SEARCHED)
    if output.format in ("json", "jsonl"):
        rows = [{column.name: column.read(hit) for column in _COLUMNS} for hit in result.hits]
        output.write(rows)
    else:
        output.write(result.hits, _COLUMNS)
    number = f"{len(result.hits):,} found" if result.hits else "not found"
    say(f"{number} in {result.extent}")
    if result.beyond:
        more = counted(result.beyond, "more conversation")
        line = shlex.quote(str(query.search.line))
        say(f"{more} by customer or label: frontdesk conversations list {line}")
    if len(result.hits) == query.limit:
        say(f"there may be more: --limit goes up to {MOST}")


def _query(text: str, conversation: str | None, kinds: tuple[str, ...], limit: int) -> SearchQuery:
    """Raises: BadSettings: no word to search, a mistake, or kinds a conversation does not have."""
    search = MessageSearch.of(text)
    if search.problems:
        raise BadSettings(" ".join(problem.message for problem in search.problems))
    if not Terms.of(search.words).spellings:
        raise BadSettings("There is no word to look for: give at least one letter or digit")
    possible = KINDS if conversation is None else THREAD_KINDS
    chosen = tuple(kind for kind in possible if not kinds or kind in kinds)
    if not chosen:
        raise BadSettings("--in searches messages and notes: it does not go with other kinds")
    return SearchQuery(search, conversation, chosen, limit)


async def _searched(cache: Cache, query: SearchQuery, client: "InboxClient") -> Result:
    """Load what the server can find into the cache, search that, and then all messages there."""
    names, mailbox = QueryNames(), Mailbox(lambda: client, cache)
    await mailbox.connect()
    if query.search.query.terms:
        with suppress(InboxError):
            names = await query_names(client, query.search.query)
        for term in query.search.query.terms:
            if message := unknown_name(term, names):
                raise BadSettings(message)
    loaded: str | None = None
    failure: InboxError | None = None
    try:
        if query.conversation is not None:
            loaded = await _load_thread(mailbox, query.conversation)
        elif not PEOPLE.isdisjoint(query.kinds):
            loaded = await _load_people(mailbox, query.search.words.replace('"', ""))
    except Unreachable as error:
        failure = error
    run = SearchRun(
        mailbox,
        query.search,
        names,
        utc_now(),
        limit=query.limit,
        kinds=query.kinds,
        conversation_id=query.conversation,
    )
    while run.step():
        pass
    if failure is None and "message" in query.kinds and query.conversation is None:
        try:
            await run.ask(STANDARD | (EXTENSIONS - client.server.no_extensions))
        except InboxError as error:
            failure = error
    if failure is not None:
        say(f"{str(failure).rstrip('.')}; only this computer is searched")
    # With names, a search has found what the list finds by customer.
    beyond = run.beyond if PEOPLE.isdisjoint(query.kinds) else 0
    return Result(run.hits, await _extent(mailbox, run, query, loaded), beyond)


async def _load_thread(mailbox: Mailbox, conversation_id: str) -> str | None:
    """Load all of a conversation; None if the server has not all.

    Raises: NotFound: there is no such conversation. Unreachable.
    """
    try:
        whole = await mailbox.load_thread(conversation_id)
    except NotFound as error:
        words = f"Nothing was searched: there is no conversation {conversation_id}"
        raise NotFound(words) from error
    return "all messages and notes of the conversation" if whole else None


async def _load_people(mailbox: Mailbox, words: str) -> str | None:
    """Load the contacts that have the words, and their conversations; None if that is not offered.

    Raises: Unreachable.
    """
    try:
        page = await mailbox.search_contacts(words)
        for contact in page.data:
            if not mailbox.conversations_of(contact.id):
                await mailbox.refresh_conversations(ConversationFilter(contact=contact.id))
    except Unreachable:
        raise
    except InboxError:
        return None
    return "all contacts" if page.next_cursor is None else "the contacts that come first"


async def _extent(
    mailbox: Mailbox, run: SearchRun, query: SearchQuery, loaded: str | None
) -> str | None:
    """Description of what was searched, after "in"; None if that is nothing."""
    if run.asked or await mailbox.coverage() is not None:
        return f"{await run.extent()}, and {loaded}" if loaded else await run.extent()
    if loaded and (query.conversation is not None or PEOPLE.issuperset(query.kinds)):
        return loaded
    seen = await mailbox.indexed_counts()
    if not any(seen) and not run.hits:
        return None
    return (
        "what the viewer has shown on this computer:"
        f" {counted(seen.conversations, 'conversation')} and"
        f" {counted(seen.messages, 'message')}; nothing else was searched"
    )
