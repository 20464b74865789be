"""`frontdesk search`: words in all that the viewer has seen, without asking the server."""

import click

from frontdesk import settings
from frontdesk.cache import Cache, Hit
from frontdesk.cli.commands import Command
from frontdesk.cli.formats import Cell, Column, format_option, write_rows, writer_of
from frontdesk.cli.place_options import place_options
from frontdesk.cli.places import Place, kept_under
from frontdesk.errors import NotFound, UnusableFile

KINDS = ("message", "note", "conversation", "contact")
USUAL, MOST = 50, 1000

_NOTHING_SEARCHED = (
    "Nothing was searched: only what the viewer has shown is, and it has shown nothing of this "
    "place yet; open it there first, or write it out with frontdesk export events"
)

_COLUMNS: tuple[Column[Hit], ...] = (
    Column("created_at", lambda hit: hit.created_at, "WHEN", moment=True),
    Column("conversation_id", lambda hit: hit.conversation_id, "ID"),
    Column("kind", lambda hit: hit.kind, "WHAT"),
    Column("id", lambda hit: hit.id),
    Column("text", lambda hit: hit.snippet, "TEXT"),
)


@click.command("search", cls=Command)
@click.argument("text", nargs=-1, required=True)
@place_options
@click.option("--in", "conversation", metavar="ID", help="Only what was said in a conversation.")
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Only these.")
@click.option(
    "--limit", type=click.IntRange(1, MOST), default=USUAL, show_default=True, help="At most."
)
@format_option()
def search_command(
    place: Place,
    text: tuple[str, ...],
    conversation: str | None,
    kinds: tuple[str, ...],
    limit: int,
    style: str,
) -> None:
    """Find words in what the viewer has shown of a server or database, and nowhere else.

    Neither is asked. Where the viewer has shown nothing yet, nothing is searched and the exit code
    is 1.

    Newest first; all words of TEXT must be there, as they are or as parts of words. ID is what
    `frontdesk show` takes.
    """
    hits = _found(place, " ".join(text), conversation, kinds, limit)
    if style in ("json", "jsonl"):
        members = [{column.name: column.read(hit) for column in _COLUMNS} for hit in hits]
        nothing: tuple[Column[dict[str, Cell]], ...] = ()
        write_rows(writer_of(style, nothing), members)
    else:
        write_rows(writer_of(style, _COLUMNS), hits)
    if len(hits) == limit:
        click.echo(f"frontdesk: there may be more: --limit goes up to {MOST}", err=True)


def _found(
    place: Place, text: str, conversation: str | None, kinds: tuple[str, ...], limit: int
) -> list[Hit]:
    """What is kept of the place and has the words.

    Raises: NotFound: nothing is kept of it, so that nothing was searched.
    """
    origin, file = kept_under(place), settings.cache_file()
    if not file.exists():
        raise NotFound(_NOTHING_SEARCHED)
    cache = Cache(file, origin)
    try:
        hits = cache.search(text, limit=limit, kinds=kinds, conversation_id=conversation)
        conversations, messages = cache.count("conversation"), cache.count("message")
        warning = cache.warning
    finally:
        cache.close()
    if warning:
        raise UnusableFile(f"Nothing was searched: {warning}")
    if not hits and not conversations and not messages:
        raise NotFound(_NOTHING_SEARCHED)
    if not hits:
        click.echo(
            f"frontdesk: not found in what the viewer has shown: {conversations:,} conversations"
            f" and {messages:,} messages; nothing else was searched",
            err=True,
        )
    return hits
