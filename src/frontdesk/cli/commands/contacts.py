"""`frontdesk contacts`: lists, prints and searches contacts."""

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import group
from frontdesk.cli.options import target_options
from frontdesk.cli.output import FACTS, Output, output_options
from frontdesk.cli.rows import Extent, Request, extent_options, print_list
from frontdesk.cli.target import Target, run_with_client
from frontdesk.errors import Forbidden, NotFound
from frontdesk.exports.tables import CONTACTS, Cell, local_time
from frontdesk.text.clean import humanize
from frontdesk.text.phones import format_phone
from frontdesk.wire import Contact, CustomField

if TYPE_CHECKING:
    from frontdesk.client import InboxClient


@group("contacts", "frontdesk contacts search ana", "frontdesk contacts view +44 20 7946 0018")
def contacts_group() -> None:
    """List, view and search contacts."""


@contacts_group.subcommand(
    "list",
    "frontdesk contacts list --limit 10",
    "frontdesk contacts list --all --format csv > contacts.csv",
)
@target_options
@click.option("--q", metavar="TEXT", help="Filter by a part of the name, e-mail address or number.")
@extent_options
@output_options()
def list_command(target: Target, q: str | None, output: Output, extent: Extent) -> None:
    """List contacts by name.

    Contacts without a name come last.
    """
    _list(target, q, output, extent)


@contacts_group.subcommand(
    "search", "frontdesk contacts search ana", "frontdesk contacts search 7946 --json id,phone"
)
@click.argument("text", nargs=-1, required=True)
@target_options
@extent_options
@output_options()
def search_command(target: Target, text: tuple[str, ...], output: Output, extent: Extent) -> None:
    """Search contacts by name, number or username.

    Contacts that match all words of TEXT are listed; e-mail addresses and user ids are found too.
    """
    _list(target, " ".join(text), output, extent)


@contacts_group.subcommand(
    "view",
    "frontdesk contacts view +44 20 7946 0018",
    "frontdesk contacts view @sheena.n --json id,name,email",
)
@click.argument("customer", metavar="CUSTOMER", nargs=-1, required=True)
@target_options
@output_options("table", "json", "csv", "markdown")
def view_command(target: Target, customer: tuple[str, ...], output: Output) -> None:
    """Print a contact.

    CUSTOMER is a phone number, a user id, a @username, id:ID or a name.

    Any international notation of a number works: +44 20 7946 0018, 0044 (0)20 7946-0018 and
    442079460018 are the same number. A name must be one contact's.
    """
    from frontdesk.selection.customers import find_customer

    name = " ".join(customer)

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


def _list(target: Target, q: str | None, output: Output, extent: Extent) -> None:
    async def prepare(client: "InboxClient") -> Request:
        return lambda limit, cursor: client.contacts(q, limit=limit, cursor=cursor)

    print_list(target, output, "contacts", CONTACTS, extent, prepare)


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
