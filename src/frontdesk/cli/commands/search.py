"""`search` in conversations and messages: a database, or the viewer's cache of a server."""

import heapq
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from frontdesk import environment
from frontdesk.cache import Cache, Hit
from frontdesk.cache.rows import searched_text_in
from frontdesk.cache.search import snippet_of
from frontdesk.cli.base import Command
from frontdesk.cli.database import opened
from frontdesk.cli.exit_codes import INTERRUPTED, say
from frontdesk.cli.names import query_names
from frontdesk.cli.options import target_options
from frontdesk.cli.output import Column, Output, output_options
from frontdesk.cli.progress import Progress
from frontdesk.cli.target import ACCOUNT, Target, cache_origin, resolve, run_with_client, user_of
from frontdesk.conversation_export import in_zone
from frontdesk.errors import BadSettings, InboxError, NotFound, UnusableFile
from frontdesk.mailbox import Mailbox
from frontdesk.mailbox.search import EVERYWHERE, SearchRun, ask_quietly
from frontdesk.query import Matcher, MessageSearch, Query, QueryNames, parse_search, plan
from frontdesk.query.plan import STANDARD
from frontdesk.search_text import Terms, members_of, searched_text
from frontdesk.text import clean, counted
from frontdesk.wire import instant
from frontdesk.wire.queries import EXTENSIONS, MAX_LIMIT
from frontdesk.wire.values import timestamp, utc_now

if TYPE_CHECKING:
    from frontdesk.client import InboxClient
    from frontdesk.store.database import Database, Row

KINDS = ("message", "note", "conversation", "contact")
THREAD_KINDS = ("message", "note")
USUAL, MOST = 50, 1000
# Maximum number of digits of a row id.
_LONGEST_ID = 18

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
    terms: Terms
    conversation: str | None
    kinds: tuple[str, ...]
    limit: int


class Result(NamedTuple):
    """Search result, newest first. extent: description of what was searched."""

    hits: list[Hit]
    extent: str
    interrupted: bool = False


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
        type=click.IntRange(1, MOST),
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


_HELP = """A database is read whole, but for messages that its index finds; Ctrl-C ends it with what
was found so far. A server that searches messages is asked for the newest match of each
conversation; of another one, what is kept on this computer is searched. A line on standard error
says what was searched; where that was nothing, the exit code is 1.

Newest first; all words of TEXT must be there, as they are or as parts of words, whatever their
case and accents. from:ana, in:london, is:open, after:2026-03-14 and before:2026-04-01 narrow it."""

search_command = _search_command(
    "search",
    "Find words in messages, notes, and the names and numbers of contacts.",
    KINDS,
    ("frontdesk messages search refund", "frontdesk contacts search ana"),
)


def _search(target: Target, query: SearchQuery, output: Output) -> None:
    target = resolve(target)
    result = _search_database(target, query) if target.database else _search_server(target, query)
    _write(result.hits, output)
    number = f"{len(result.hits):,} found" if result.hits else "not found"
    say(f"{'interrupted; ' if result.interrupted else ''}{number} in {result.extent}")
    if len(result.hits) == query.limit:
        say(f"there may be more: --limit goes up to {MOST}")
    if result.interrupted:
        raise click.exceptions.Exit(INTERRUPTED)


def _query(text: str, conversation: str | None, kinds: tuple[str, ...], limit: int) -> SearchQuery:
    """Raises: BadSettings: no word to search, a mistake, or kinds a conversation does not have."""
    search = parse_search(text)
    terms = Terms.of(search.words)
    if search.problems:
        raise BadSettings(" ".join(problem.message for problem in search.problems))
    if not terms.spellings:
        raise BadSettings("There is no word to look for: give at least one letter or digit")
    possible = KINDS if conversation is None else THREAD_KINDS
    chosen = tuple(kind for kind in possible if not kinds or kind in kinds)
    if not chosen:
        raise BadSettings("--in searches messages and notes: it does not go with other kinds")
    return SearchQuery(search, terms, conversation, chosen, limit)


def _write(hits: Sequence[Hit], output: Output) -> None:
    if output.format in ("json", "jsonl"):
        output.write([{column.name: column.read(hit) for column in _COLUMNS} for hit in hits])
    else:
        output.write(hits, _COLUMNS)


def _search_server(target: Target, query: SearchQuery) -> Result:
    """Search the cache of a target, and on its server, if that searches messages.

    Raises: NotFound: nothing was searched.
    """
    origin, file = cache_origin(target), environment.cache_file()
    with TemporaryDirectory() as temporary:
        cache = Cache(file if file.exists() else Path(temporary) / file.name, origin)
        try:
            result = run_with_client(target, partial(_searched, cache, query))
            seen = cache.count("conversation") + cache.count("message")
            warning = cache.warning
        finally:
            cache.close()
    if warning:
        raise UnusableFile(f"Nothing was searched: {warning}")
    if not result.hits and not seen and EVERYWHERE not in result.extent:
        raise NotFound(_NOTHING_SEARCHED)
    return result


async def _searched(cache: Cache, query: SearchQuery, client: "InboxClient") -> Result:
    names, mailbox = QueryNames(), Mailbox(lambda: client, cache)
    await mailbox.connect()
    if query.search.query.terms:
        with suppress(InboxError):
            names = await query_names(client, query.search.query)
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
    if "message" in query.kinds:
        error = await ask_quietly(run, STANDARD | (EXTENSIONS - client.server.no_extensions))
        if error is not None:
            say(f"{error}; only this computer is searched")
    extent = await run.extent()
    if not run.asked and await mailbox.coverage() is None:
        seen = await mailbox.indexed_counts()
        extent = (
            "what the viewer has shown on this computer:"
            f" {counted(seen.conversations, 'conversation')} and"
            f" {counted(seen.messages, 'message')}; nothing else was searched"
        )
    return Result(run.hits, extent)


def _conversations(target: Target, query: Query) -> frozenset[str] | None:
    """Ids of the conversations of a query; None for all. Raises: InboxError."""
    if not query.terms:
        return None

    async def ids(client: "InboxClient") -> frozenset[str]:
        names = await query_names(client, query)
        chosen = plan(query, names, STANDARD | EXTENSIONS)
        matches = Matcher(chosen.rest, names, utc_now())
        members = chosen.filter.model_dump(exclude_none=True)
        rows = client.conversations(**members, limit=MAX_LIMIT)
        return frozenset([row.id async for row in rows if matches(row)])

    return run_with_client(target, ids)


def _search_database(target: Target, query: SearchQuery) -> Result:
    """Scan a database for the newest hits.

    Raises: NotFound: there are no rows of these kinds. UnusableFile, Unreachable, BadSettings.
    """
    from frontdesk.store.dsn import without_password

    name = without_password(target.database or "")
    with opened(target.database or "") as database:
        user_of(database, target.user)
        scan = DatabaseScan(database, query, _conversations(target, query.search.query))
        if not any(scan.totals.values()):
            nouns = _listed([f"{kind}s" for kind in query.kinds], "or")
            raise NotFound(f"Nothing was searched: there are no {nouns} in {name}")
        interrupted = False
        try:
            scan.run()
        except KeyboardInterrupt:
            interrupted = True
    return Result(scan.hits, f"{scan.extent} of {name}", interrupted)


@dataclass
class NewestHits:
    """Bounded min-heap of the newest hits."""

    limit: int
    heap: list[tuple[tuple[int, int, int], Hit]] = field(default_factory=list)

    def fits(self, key: tuple[int, int, int]) -> bool:
        """Check if a hit with this (time, kind, id) would be among the newest."""
        return len(self.heap) < self.limit or key > self.heap[0][0]

    def older(self, moment: int) -> bool:
        """Check if every hit of the second of this time would be too old."""
        return len(self.heap) == self.limit and moment // 1000 < self.heap[0][0][0] // 1000

    def add(self, key: tuple[int, int, int], hit: Hit) -> None:
        """Add a hit; drops the oldest if the heap is full."""
        if len(self.heap) < self.limit:
            heapq.heappush(self.heap, (key, hit))
        else:
            heapq.heappushpop(self.heap, (key, hit))


class DatabaseScan:
    """Reads a database in chunks, messages last and only until older ones cannot be hits.

    Messages are read from their index, if there is one and it has words like these.
    totals: number of rows by kind at the start.
    """

    def __init__(
        self, database: "Database", query: SearchQuery, within: frozenset[str] | None
    ) -> None:
        """within: ids of conversations, None for all. Raises: NotFound: unknown conversation."""
        self._database = database
        self._within = within
        self._query = query
        self._conversation = self._conversation_id()
        self._searched = dict.fromkeys(query.kinds, 0)
        self._newest = NewestHits(query.limit)
        self.totals = {kind: self._total(kind) for kind in query.kinds}
        self._indexed = self._conversation is None and self._can_use_index()

    @property
    def hits(self) -> list[Hit]:
        """Hits so far, newest first."""
        return [hit for _, hit in sorted(self._newest.heap, reverse=True)]

    @property
    def extent(self) -> str:
        """Description of what was searched so far, as part of a sentence."""
        totals = {kind: max(n, self.totals[kind]) for kind, n in self._searched.items()}
        if totals == self._searched:
            return "all " + _listed([counted(n, kind) for kind, n in totals.items()])
        return _listed([_part(kind, self._searched[kind], n) for kind, n in totals.items()])

    def run(self) -> None:
        """Scan all kinds, with progress on standard error. Hits remain valid after an interrupt."""
        progress = Progress(shown=True)
        try:
            for kind in reversed(self._query.kinds):
                self._scan(kind, progress)
        finally:
            progress.clear()

    def _scan(self, kind: str, progress: Progress) -> None:
        from frontdesk.store.text_scan import chunks, indexed_chunks

        if kind == "message" and self._indexed:
            found = indexed_chunks(self._database, ACCOUNT, self._query.terms)
            self._read(kind, found, progress)
            self._searched[kind] = self.totals[kind]
        else:
            conversation = self._conversation
            scan = chunks(self._database, ACCOUNT, kind, conversation_id=conversation)
            self._read(kind, scan, progress)

    def _read(self, kind: str, chunks: Iterable[list["Row"]], progress: Progress) -> None:
        for rows in chunks:
            for row in rows:
                key = (row["created_at"] or 0, -KINDS.index(kind), row["id"])
                if kind == "message" and self._newest.older(key[0]):
                    return
                if self._newest.fits(key):
                    self._look_at(kind, key, row)
                self._searched[kind] += 1
            progress.say(f"{_part(kind, self._searched[kind], self.totals[kind])} …")

    def _can_use_index(self) -> bool:
        from frontdesk.store import message_search

        return self._query.terms.is_indexed and self._database.read(
            lambda connection: message_search.is_ready(connection, ACCOUNT)
        )

    def _look_at(self, kind: str, key: tuple[int, int, int], row: "Row") -> None:
        """Add a row as a hit if it contains all words."""
        if not self._query.terms.match_text(_searched_text(kind, row)):
            return
        snippet, spans = snippet_of(_shown_pieces(kind, row), self._query.terms)
        conversation = None if row["conversation_id"] is None else str(row["conversation_id"])
        moment = "" if row["created_at"] is None else timestamp(row["created_at"])
        place = (moment, row["id"])
        created = instant(moment)
        if self._within is not None and conversation not in self._within:
            return
        if self._query.search.includes(in_zone(created).date() if created else None):
            hit = Hit(conversation, kind, str(row["id"]), moment, snippet, spans, place)
            self._newest.add(key, hit)

    def _total(self, kind: str) -> int:
        from frontdesk.store.text_scan import row_count

        return self._database.read(
            lambda connection: row_count(connection, ACCOUNT, kind, self._conversation)
        )

    def _conversation_id(self) -> int | None:
        from frontdesk.store import conversations as queries

        text = self._query.conversation
        if text is None:
            return None
        id = int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST_ID else 0
        row = self._database.read(lambda connection: queries.conversation(connection, ACCOUNT, id))
        if row is None:
            raise NotFound(f"Nothing was searched: there is no conversation {text}")
        return id


def _searched_text(kind: str, row: "Row") -> str:
    """Return the text of a row in which words are looked for."""
    from frontdesk.store.message_search import text_of

    return text_of(row) if kind == "message" else searched_text(_pieces(kind, row))


def _shown_pieces(kind: str, row: "Row") -> tuple[str, ...]:
    """Return the texts of a row, as they are shown."""
    from frontdesk.store.message_search import shown_pieces

    if kind == "message":
        return shown_pieces(row)
    pieces = _pieces(kind, row)
    return pieces if kind in THREAD_KINDS else (" · ".join(pieces),)


def _pieces(kind: str, row: "Row") -> tuple[str, ...]:
    text = searched_text_in(kind, _value(kind, row))
    return tuple(map(clean, text.pieces)) if text else ()


def _value(kind: str, row: "Row") -> dict[str, Any]:
    """Return the wire members of a row that contain searchable text."""
    value = dict(row)
    del value["created_at"]
    match kind:
        case "conversation":
            value["contact"] = {name: value[name] for name in ("name", "phone")}
        case "contact":
            value["custom_fields"] = members_of(value["custom_json"].encode(errors="replace"))
    return value


def _part(kind: str, searched: int, total: int) -> str:
    """Describe the progress of a kind. Only messages are scanned by time."""
    if searched >= total:
        return f"all {counted(searched, kind)}"
    newest = "the newest " if kind == "message" and searched else ""
    return f"{newest}{searched:,} of {counted(total, kind)}"


def _listed(parts: Sequence[str], conjunction: str = "and") -> str:
    return f" {conjunction} ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
