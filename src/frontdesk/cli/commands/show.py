"""`frontdesk show` and `frontdesk contact`: print a transcript or a contact."""

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import click

from frontdesk import export
from frontdesk.cli.base import Command
from frontdesk.cli.columns import CONTACTS
from frontdesk.cli.exit_codes import say
from frontdesk.cli.options import target_options
from frontdesk.cli.output import (
    Column,
    format_option,
    json_of,
    output,
    write_rows,
    writer_of,
)
from frontdesk.cli.progress import Progress, tell_unreadable, walked
from frontdesk.cli.target import Target, run_with_client
from frontdesk.errors import Forbidden, NotFound
from frontdesk.export import Cell, Entry, local_time
from frontdesk.phones import format_phone, parse_phone
from frontdesk.text import words
from frontdesk.wire import Contact, CustomField, Note, Wire

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, RowPages

W = TypeVar("W", bound=Wire)

_ENTRIES: tuple[Column[Entry], ...] = (
    Column("created_at", lambda entry: entry.created_at),
    Column("kind", lambda entry: "note" if isinstance(entry, Note) else "message"),
    Column("id", lambda entry: entry.id),
    Column("direction", lambda entry: getattr(entry, "direction", None)),
    Column("author", lambda entry: entry.author),
    Column("author_name", export.author),
    Column("type", lambda entry: getattr(entry, "type", None)),
    Column("delivery_status", lambda entry: getattr(entry, "delivery_status", None)),
    Column("text", export.said),
)
_FACTS: tuple[Column[tuple[str, Cell]], ...] = (
    Column("member", lambda fact: fact[0], "CONTACT"),
    Column("value", lambda fact: fact[1], " "),
)


@click.command("show", cls=Command)
@click.argument("conversation_id", metavar="ID")
@target_options
@click.option("--people", is_flag=True, help="Only what people wrote, with their notes.")
@click.option("--notes", is_flag=True, help="Only the notes.")
@click.option("--last", type=click.IntRange(1), metavar="N", help="Only the newest N of these.")
@format_option("text", "json", "jsonl", "csv", "markdown", default="text")
def show_command(
    target: Target, conversation_id: str, people: bool, notes: bool, last: int | None, style: str
) -> None:
    """Print the transcript of a conversation, oldest first, its notes where they belong."""
    if people and notes:
        raise click.UsageError("--people does not go with --notes")

    # Authors are known only after reading, so the limit is applied afterwards.
    most = None if people else last

    async def work(client: "InboxClient") -> list[Entry]:
        found: list[Entry] = []
        if not notes:
            messages = await _newest(client.messages(conversation_id), "messages", most)
            found.extend(messages)
        return [*found, *await _notes(client, conversation_id, most, wanted=notes)]

    entries = export.in_order(run_with_client(target, work))
    wanted = [one for one in entries if not people or export.by_people(one)]
    _write(wanted[-last:] if last else wanted, style)


async def _notes(client: "InboxClient", id: str, last: int | None, *, wanted: bool) -> list[Note]:
    """Return the notes; none if the key or server lacks them, unless only notes are `wanted`."""
    try:
        return await _newest(client.notes(id), "notes", last)
    except (Forbidden, NotFound) as error:
        if wanted:
            raise
        say(f"without notes: {error}")
        return []


async def _newest(rows: "RowPages[W]", noun: str, last: int | None) -> list[W]:
    found: list[W] = []
    async for row in walked(rows, noun, Progress(shown=True)):
        found.append(row)
        if len(found) == last:
            break
    tell_unreadable(rows.unreadable)
    return found


def _write(entries: list[Entry], style: str) -> None:
    if style in ("json", "jsonl", "csv"):
        write_rows(writer_of(style, _ENTRIES), entries)
        return
    lines = export.markdown_lines if style == "markdown" else export.text_lines
    out = output()
    out.writelines(f"{line}\n" for line in lines(entries))
    out.flush()


@click.command("contact", cls=Command)
@click.argument("phone", metavar="NUMBER", nargs=-1, required=True)
@target_options
@format_option("table", "json", "csv", "markdown")
def contact_command(target: Target, phone: tuple[str, ...], style: str) -> None:
    """Print what is known of the customer with a phone number, in any international spelling.

    +44 20 7946 0018, 0044 (0)20 7946-0018 and 442079460018 are the same number.
    """
    number = parse_phone(" ".join(phone))
    if number is None:
        raise click.UsageError(
            "NUMBER must have its country code and 7 to 15 digits, such as +44 20 7946 0018"
        )
    known = number

    async def work(client: "InboxClient") -> tuple[Contact, list[CustomField]]:
        contact = await client.contact_by_phone(known)
        return contact, await _definitions(client) if style in ("table", "markdown") else []

    contact, definitions = run_with_client(target, work)
    if style == "json":
        out = output()
        out.write(json_of(contact) + "\n")
        out.flush()
    elif style == "csv":
        write_rows(writer_of(style, CONTACTS), [contact])
    else:
        write_rows(writer_of(style, _FACTS), list(_facts(contact, definitions)))


async def _definitions(client: "InboxClient") -> list[CustomField]:
    """Return definitions of custom fields, [] if the key or server does not provide them."""
    with suppress(Forbidden, NotFound):
        return [definition async for definition in client.custom_fields()]
    return []


def _facts(contact: Contact, definitions: list[CustomField]) -> Iterator[tuple[str, Cell]]:
    """Yield all members; custom fields by name, in the order of their definitions."""
    for name, value in contact:
        if name != "custom_fields":
            yield words(name), _readable(name, value)
    rest = dict(contact.custom_fields)
    for definition in definitions:
        yield definition.name, _field(rest.pop(definition.key, None))
    for key, value in rest.items():
        yield words(key), _field(value)


def _readable(name: str, value: Cell) -> Cell:
    if not isinstance(value, str):
        return value
    if name.endswith("_at"):
        return local_time(value)
    return format_phone(value) if name == "phone" else value


def _field(value: object) -> Cell:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return value if isinstance(value, str | int | float | bool | None) else str(value)
