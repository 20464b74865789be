"""`frontdesk list`: prints conversations, contacts and catalogues."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from frontdesk.cli import columns
from frontdesk.cli.base import Group
from frontdesk.cli.options import target_options
from frontdesk.cli.output import Column, Writer, format_option, writer_of
from frontdesk.cli.progress import Progress, tell_unreadable, walked
from frontdesk.cli.target import Target, run_with_client
from frontdesk.wire.queries import (
    ASSIGNEE_WORDS,
    CATALOGUE_LIMIT,
    CONTACT_LIMIT,
    CONVERSATION_LIMIT,
    MAX_LIMIT,
)
from frontdesk.wire.values import STATUSES

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, RowPages

F = TypeVar("F", bound=Callable[..., object])
Ask: TypeAlias = "Callable[[InboxClient], RowPages[Any]]"


@dataclass(frozen=True, slots=True)
class Extent:
    """Rows to list: pages of `limit` rows from `cursor` on, one or all."""

    limit: int
    cursor: str | None
    all: bool


@click.group("list", cls=Group)
def list_group() -> None:
    """Conversations, contacts and all else that an inbox has, as a list.

    One page, unless --all is given. Rows go to standard output, words to standard error.
    """


def extent_options(usual: int) -> Callable[[F], F]:
    """Add the options `--limit`, `--cursor` and `--all`."""

    def with_options(command: F) -> F:
        for option in (
            click.option("--all", "all_pages", is_flag=True, help="Every page, to the end."),
            click.option("--cursor", help="Begin where an earlier page ended."),
            click.option(
                "--limit",
                type=click.IntRange(1, MAX_LIMIT),
                help=f"Rows of a page: {usual}, with --all {MAX_LIMIT}, if nothing is given.",
            ),
        ):
            command = option(command)
        return command

    return with_options


@list_group.command("conversations")
@target_options
@click.option("--status", type=click.Choice(STATUSES), help="Only these.")
@click.option(
    "--assignee",
    metavar="|".join((*ASSIGNEE_WORDS, "ID")),
    help="Whose: mine, nobody's, anybody's, or a user's by id.",
)
@click.option("--channel", metavar="ID", help="Only those of this channel.")
@click.option("--label", metavar="TITLE", help="Only those with this label.")
@extent_options(CONVERSATION_LIMIT)
@format_option()
def conversations_command(
    target: Target,
    style: str,
    limit: int | None,
    cursor: str | None,
    all_pages: bool,
    **filters: str | None,
) -> None:
    """Conversations, newest activity first."""
    extent = _extent(limit, cursor, all_pages, CONVERSATION_LIMIT)
    _list(
        target,
        style,
        "conversations",
        columns.CONVERSATIONS,
        extent,
        lambda client: client.conversations(**filters, limit=extent.limit, cursor=cursor),
    )


@list_group.command("contacts")
@target_options
@click.option("--q", metavar="TEXT", help="Only those whose name, address or number has it.")
@extent_options(CONTACT_LIMIT)
@format_option()
def contacts_command(
    target: Target,
    style: str,
    q: str | None,
    limit: int | None,
    cursor: str | None,
    all_pages: bool,
) -> None:
    """Contacts by name, those without one last."""
    extent = _extent(limit, cursor, all_pages, CONTACT_LIMIT)
    _list(
        target,
        style,
        "contacts",
        columns.CONTACTS,
        extent,
        lambda client: client.contacts(q, limit=extent.limit, cursor=cursor),
    )


def _catalogue(name: str, help_text: str, of: Sequence[Column[Any]]) -> None:
    """Add the command for one catalogue."""

    @list_group.command(name, help=help_text)
    @target_options
    @extent_options(CATALOGUE_LIMIT)
    @format_option()
    def catalogue_command(
        target: Target, style: str, limit: int | None, cursor: str | None, all_pages: bool
    ) -> None:
        extent = _extent(limit, cursor, all_pages, CATALOGUE_LIMIT)

        def ask(client: "InboxClient") -> "RowPages[Any]":
            rows: RowPages[Any] = getattr(client, name.replace("-", "_"))(
                limit=extent.limit, cursor=cursor
            )
            return rows

        _list(target, style, name.replace("-", " "), of, extent, ask)


_catalogue("labels", "Labels by title.", columns.LABELS)
_catalogue("custom-fields", "What is kept of contacts, by position.", columns.CUSTOM_FIELDS)
_catalogue("users", "Users by name.", columns.USERS)
_catalogue("teams", "Teams by name.", columns.TEAMS)
_catalogue("channels", "Channels, which are WhatsApp numbers, by name.", columns.CHANNELS)
_catalogue("canned-responses", "Canned responses by short code.", columns.CANNED_RESPONSES)
_catalogue("templates", "Message templates by name and language.", columns.TEMPLATES)


def _extent(limit: int | None, cursor: str | None, all_pages: bool, usual: int) -> Extent:
    return Extent(limit or (MAX_LIMIT if all_pages else usual), cursor, all_pages)


def _list(
    target: Target, style: str, noun: str, of: Sequence[Column[Any]], extent: Extent, ask: Ask
) -> None:
    async def work(client: "InboxClient") -> None:
        writer = writer_of(style, of)
        await _write(ask(client), writer, noun, extent, style)

    run_with_client(target, work)


async def _write(
    rows: "RowPages[Any]", writer: Writer[Any], noun: str, extent: Extent, style: str
) -> None:
    if extent.all:
        # Rows and progress on the same terminal would mix.
        progress = Progress(shown=style == "table" or not sys.stdout.isatty())
        async for row in walked(rows, noun, progress):
            writer.add(row)
    else:
        for row in (await rows.page()).data:
            writer.add(row)
    writer.end()
    tell_unreadable(rows.unreadable)
    if rows.cursor is not None:
        way_on = f", or --cursor {rows.cursor}" if _printable(rows.cursor) else ""
        click.echo(f"frontdesk: there are more {noun}: add --all{way_on}", err=True)


def _printable(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text
