"""`frontdesk erase`: erases a person from a database and reports what was deleted."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from frontdesk.cli.base import command
from frontdesk.cli.database import account_named, account_option, opened
from frontdesk.cli.exit_codes import TRY_AGAIN, say
from frontdesk.cli.media import media_files, media_option
from frontdesk.cli.options import database_option, yes_option
from frontdesk.cli.progress import Progress, interruptible, progress
from frontdesk.errors import BadSettings, NotFound, Unreachable
from frontdesk.query.language import ID
from frontdesk.text.clean import clean, shortened
from frontdesk.text.phones import is_user_id, parse_phone

if TYPE_CHECKING:
    from frontdesk.ingest.erase import ErasureResult
    from frontdesk.store.database import Connection, Database, Row
    from frontdesk.store.media_files import MediaFiles

_MOST_NAMED = 8
_LONGEST_ID = 18
_INTERRUPTED = "at most webhooks are gone; run it again to finish"
# Time for readers to finish with the write-ahead log.
LOG_PATIENCE_SECONDS = 5.0
_LOG_IN_USE = (
    "Another process reads the database, and its write-ahead log still holds copies of what was "
    "erased: end that process"
)
_NOUNS = (
    ("contact", "contact", "contacts"),
    ("conversation", "conversation", "conversations"),
    ("message", "message", "messages"),
    ("media", "file", "files"),
    ("note", "note", "notes"),
    ("reaction", "reaction", "reactions"),
    ("conversation_event", "conversation event", "conversation events"),
    ("metric_event", "measure of reports", "measures of reports"),
    ("orphan", "change of an unknown message", "changes of unknown messages"),
)


@command(
    "erase",
    "frontdesk erase +16505551234 --database inbox.db",
    "frontdesk erase '+44 20 7946 0018' --yes --database inbox.db",
    "frontdesk erase @sheena.n --database inbox.db",
)
@click.argument("customer")
@database_option("Database to erase from.")
@media_option
@account_option
@click.option("--all-accounts", is_flag=True, help="Erase from every account of the database.")
@yes_option
def erase_command(
    customer: str, database: str, media: str | None, account: str, all_accounts: bool, yes: bool
) -> None:
    """Erase a customer.

    CUSTOMER is a phone number (such as +16505551234), a user id, a @username, id:ID or a name.
    Deletes all data about the person who is, or was, that customer: contact,
    conversations, messages with their files, notes, their share of the reports, and webhooks that
    mention them. This cannot be undone. Other accounts that have the person are named. Copies of
    the database and caches of viewers are not affected.
    """
    source = click.get_current_context().get_parameter_source("account")
    if all_accounts and source is ParameterSource.COMMANDLINE:
        raise click.UsageError("--all-accounts does not go with --account")
    with opened(database, upgrade=True) as store:
        every = store.read_latest(_accounts)
        chosen = every
        if not all_accounts:
            slug = store.read_latest(lambda connection: account_named(connection, account)["slug"])
            chosen = {slug: every[slug]}
        number = _principal(store, chosen, customer)
        erased = _erase(store, chosen, number, yes=yes)
        for slug, one in erased.items():
            _report(one, f" in {slug}" if all_accounts else "")
        _delete_files(store, chosen, media_files(media, database))
        _purge(store)
        others = _others(store, every, chosen, number)
    everywhere = f"frontdesk erase {number} --all-accounts"
    if not erased and others:
        raise NotFound(
            f"Nothing in the account {account} mentions {number}, but {others} it: {everywhere}"
        )
    if not erased:
        raise NotFound(
            f"Nothing mentions {number}, and no copy of what was erased is left in the database"
        )
    if others:
        say(f"{others} {number} too: {everywhere}")


def _accounts(connection: "Connection") -> dict[str, int]:
    """Return the ids of all accounts by slug."""
    from frontdesk.store import accounts

    return {row["slug"]: row["id"] for row in accounts.all_accounts(connection, 0)}


def _erase(
    store: "Database", accounts: Mapping[str, int], number: str, *, yes: bool
) -> "dict[str, ErasureResult]":
    """Ask, and erase from accounts by slug. Returns what was erased where there was something."""
    from frontdesk.ingest import erase
    from frontdesk.store.raw_events import tallies

    bodies, summaries = 0, []
    for slug, id in accounts.items():

        def look(connection: "Connection", id: int = id) -> tuple[bool, int, Counter[str]]:
            ours = erase.is_of_the_business(connection, id, number)
            stored = sum(row["n"] for row in tallies(connection, id))
            return ours, stored, erase.matching_rows(connection, id, number)

        ours, stored, rows = store.read_latest(look)
        if ours:
            raise BadSettings(f"{number} is a number of the inbox itself, not a customer's")
        bodies += stored
        if words := _summary(rows):
            summaries.append(words if len(accounts) == 1 else f"{words} in {slug}")
    if not yes:
        summary = "; ".join(summaries) or "no customer has it, but webhooks may mention it"
        click.confirm(f"{number}: {summary}. Erase for good?", abort=True, err=True)
    with interruptible(_INTERRUPTED), progress("Erasing", bodies) as advance:
        erased = {slug: erase.erase(store, id, number, advance) for slug, id in accounts.items()}
    return {slug: one for slug, one in erased.items() if one}


def _others(
    store: "Database", every: Mapping[str, int], erased: Mapping[str, int], number: str
) -> str:
    """Return "the account shop has", of other accounts that mention the number; "" for none."""
    from frontdesk.ingest.erase import is_mentioned

    rest = every.keys() - erased.keys()
    slugs = sorted(slug for slug in rest if is_mentioned(store, every[slug], number))
    if not slugs:
        return ""
    return f"the account{'' if len(slugs) == 1 else 's'} {', '.join(slugs)} " + (
        "has" if len(slugs) == 1 else "have"
    )


def _delete_files(
    store: "Database", accounts: Mapping[str, int], files: "MediaFiles | None"
) -> None:
    """Delete the files of erased messages, or explain what to do if they are elsewhere."""
    from frontdesk.cli.commands.media import delete_discarded
    from frontdesk.store.media import any_garbage

    for id in accounts.values():
        if files is not None:
            delete_discarded(store, files, id)
        elif store.read_latest(lambda connection, id=id: any_garbage(connection, id)):  # type: ignore[misc]
            say("The files are deleted by the service, or here with --media PLACE")
    if files is not None and files.erasure_note:
        say(files.erasure_note)


def _purge(store: "Database") -> None:
    """Overwrite erased bytes, or explain what to do if that is not possible now."""
    from frontdesk.ingest import erase

    working = Progress(shown=True)
    working.say("Overwriting what was erased …")
    try:
        done, reason = erase.purge(store, patience_seconds=LOG_PATIENCE_SECONDS), _LOG_IN_USE
    except Unreachable as error:
        done, reason = False, f"{error}: until it can be, the file holds copies of what was erased"
    finally:
        working.clear()
    if not done:
        say(f"{reason}; then run frontdesk erase again for the same number")
        raise click.exceptions.Exit(TRY_AGAIN)


def _report(erased: "ErasureResult", where: str) -> None:
    lines = [_summary(erased.rows)] if erased.rows else []
    if erased.raw_events:
        lines.append(f"{erased.raw_events:,} {_webhooks(erased.raw_events)}")
    if erased.cut_events:
        lines.append(f"their part of {erased.cut_events:,} {_webhooks(erased.cut_events)} more")
    click.echo(f"erased{where}: {', '.join(lines)}")


def _summary(rows: Counter[str]) -> str:
    return ", ".join(
        f"{rows[name]:,} {singular if rows[name] == 1 else plural}"
        for name, singular, plural in _NOUNS
        if rows[name]
    )


def _webhooks(count: int) -> str:
    return "webhook" if count == 1 else "webhooks"


def _named(account_id: int, name: str, connection: "Connection") -> "Sequence[Row]":
    """Return the contacts of an id, a username or a name."""
    from frontdesk.store import contacts

    id = name.removeprefix(ID)
    if id != name and id.isdecimal() and len(id) <= _LONGEST_ID:
        row = contacts.contact_by_id(connection, account_id, int(id))
        return [] if row is None else [row]
    return contacts.named_contacts(connection, account_id, name)


def _principal(store: "Database", accounts: Mapping[str, int], name: str) -> str:
    """Return the number or user id of a customer who may be named by a username or a name.

    Raises: BadSettings: several are named so. NotFound: nobody is.
    """
    name = name.strip()
    if name.startswith("+") or is_user_id(name) or not any(map(str.isalpha, name)):
        number = name if is_user_id(name) else None
        number = parse_phone(name) if name.startswith("+") else number
        if number is None:
            raise click.BadParameter("give the whole number with its country, such as +16505551234")
        return number
    rows = [row for id in accounts.values() for row in store.read_latest(partial(_named, id, name))]
    principals = {row["phone"] or row["wa_user_id"] for row in rows}
    if not principals:
        raise NotFound(
            f"Nobody is known by {shortened(clean(name))!r}: give the whole number with its"
            " country, such as +16505551234, a user id, or @username"
        )
    if len(principals) > 1:
        known = ", ".join(sorted(map(str, principals))[:_MOST_NAMED])
        raise BadSettings(f"Several customers are named {name!r}: give the number or id, {known}")
    return str(principals.pop())
