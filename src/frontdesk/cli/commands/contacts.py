"""`frontdesk contacts`: lists, prints and searches contacts."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import WholeNumber, group
from frontdesk.cli.exit_codes import say
from frontdesk.cli.options import target_options
from frontdesk.cli.output import FACTS, Output, output_options
from frontdesk.cli.rows import Extent, Request, extent_options, print_list, sort_option
from frontdesk.cli.target import Target, run_with_client
from frontdesk.errors import Forbidden, NotFound
from frontdesk.exports.tables import CONTACTS, Cell, local_time
from frontdesk.text.clean import humanize
from frontdesk.text.phones import contact_name, format_phone
from frontdesk.wire import Contact, CustomField, Message

if TYPE_CHECKING:
    from frontdesk.client import InboxClient
    from frontdesk.selection.threads import StoryEntries
    from frontdesk.text.messages import Entry


@group("contacts", "frontdesk contacts search ana", "frontdesk contacts view +44 20 7946 0018")
def contacts_group() -> None:
    """List, view and search contacts."""


@contacts_group.subcommand(
    "list",
    "frontdesk contacts list --sort last_activity_at --limit 10",
    "frontdesk contacts list --all --format csv > contacts.csv",
)
@target_options
@click.option("--q", metavar="TEXT", help="Filter by a part of the name, e-mail address or number.")
@extent_options
@sort_option
@output_options()
def list_command(
    target: Target, q: str | None, output: Output, extent: Extent, order: str | None
) -> None:
    """List contacts by name.

    Contacts without a name come last.
    """
    _list(target, q, output, extent, order)


@contacts_group.subcommand(
    "search", "frontdesk contacts search ana", "frontdesk contacts search 7946 --json id,phone"
)
@click.argument("text", nargs=-1, required=True)
@target_options
@extent_options
@sort_option
@output_options()
def search_command(
    target: Target, text: tuple[str, ...], output: Output, extent: Extent, order: str | None
) -> None:
    """Search contacts by name, number or username.

    Contacts that match all words of TEXT are listed; e-mail addresses and user ids are found too.
    """
    _list(target, " ".join(text), output, extent, order)


@contacts_group.subcommand(
    "view",
    "frontdesk contacts view +44 20 7946 0018",
    "frontdesk contacts view @sheena.n --json id,name,email",
    "frontdesk contacts view +44 20 7946 0018 --thread --last 50",
)
@click.argument("customer", metavar="CUSTOMER", nargs=-1, required=True)
@target_options
@click.option(
    "--thread", is_flag=True, help="Print all conversations with the customer, by time, instead."
)
@click.option(
    "--last", type=WholeNumber(1), metavar="N", help="With --thread, only the newest N messages."
)
@output_options("table", "json", "csv", "markdown")
def view_command(
    target: Target, customer: tuple[str, ...], thread: bool, last: int | None, output: Output
) -> None:
    """Print a contact.

    CUSTOMER is a phone number, a user id, a @username, id:ID or a name.

    Any international notation of a number works: +44 20 7946 0018, 0044 (0)20 7946-0018 and
    442079460018 are the same number. A name must be one contact's.
    """
    from frontdesk.selection.customers import find_customer

    name = " ".join(customer)
    if thread:
        _print_story(target, name, last, output)
        return
    if last is not None:
        raise click.UsageError("--last goes with --thread")

    async def work(client: "InboxClient") -> tuple[Contact, list[CustomField]]:
        contact = await find_customer(client, name)
        return contact, await _definitions(client) if output.format in ("table", "markdown") else []

    contact, definitions = run_with_client(target, work)
    if output.format == "json":
        output.write_value(contact)
    elif output.format == "csv":
        output.write([contact], CONTACTS)
    else:
        output.write(_facts(contact, definitions), FACTS)


def _print_story(target: Target, name: str, last: int | None, output: Output) -> None:
    """Print the messages and notes of all conversations with a customer, oldest first."""
    from frontdesk.cli.progress import report_unreadable
    from frontdesk.cli.threads import entry_columns
    from frontdesk.exports.conversations import story_lines
    from frontdesk.selection.customers import find_customer
    from frontdesk.selection.threads import read_story

    async def work(client: "InboxClient") -> "StoryEntries":
        contact = await find_customer(client, name)
        return await read_story(client, contact.id, last=last)

    story = run_with_client(target, work, waits=True)
    if not story.conversations:
        raise NotFound(f"There is no conversation with {name}")
    if story.lack:
        say(f"without notes: {story.lack}")
    report_unreadable(story.unreadable)
    entries = story.entries if last is None else _newest(story.entries, last)
    if output.format in ("json", "csv"):
        output.write(entries, entry_columns(contact_name(story.conversations[0].contact)))
    else:
        markdown = output.format == "markdown"
        for line in story_lines(story.conversations, entries, markdown=markdown):
            click.echo(line)


def _newest(entries: Sequence["Entry"], last: int) -> Sequence["Entry"]:
    """From the last-newest message on, with the notes among them."""
    messages = [at for at, one in enumerate(entries) if isinstance(one, Message)]
    return entries[messages[-last] :] if len(messages) > last else entries


def _list(target: Target, q: str | None, output: Output, extent: Extent, order: str | None) -> None:
    async def prepare(client: "InboxClient") -> Request:
        return lambda limit, cursor: client.contacts(q, limit=limit, cursor=cursor)

    print_list(target, output, "contacts", CONTACTS, extent, prepare, order=order)


async def _definitions(client: "InboxClient") -> list[CustomField]:
    """Return definitions of custom fields, [] if the key or server does not provide them."""
    with suppress(Forbidden, NotFound):
        return [definition async for definition in client.custom_fields()]
    return []


def _facts(contact: Contact, definitions: list[CustomField]) -> Iterator[tuple[str, Cell]]:
    """Yield all members; custom fields by name, in the order of their definitions."""
    for name, value in contact:
        if name != "custom_fields":
            yield humanize(name), _readable(name, value)
    rest = dict(contact.custom_fields)
    for definition in definitions:
        yield definition.name, _field(rest.pop(definition.key, None))
    for key, value in rest.items():
        yield humanize(key), _field(value)


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
