"""`frontdesk erase`: erases a person from a database and reports what was deleted."""

from collections import Counter
from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import command
from frontdesk.cli.database import account_named, account_option, opened
from frontdesk.cli.exit_codes import TRY_AGAIN, say
from frontdesk.cli.options import database_option, yes_option
from frontdesk.cli.progress import Progress, interruptible, progress
from frontdesk.errors import BadSettings, NotFound, Unreachable
from frontdesk.phones import parse_phone

if TYPE_CHECKING:
    from frontdesk.ingest.erase import ErasureResult
    from frontdesk.store.database import Connection, Database

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
)
@click.argument("number", callback=lambda context, option, text: _phone(text))
@database_option("Database to erase from.")
@account_option
@yes_option
def erase_command(number: str, database: str, account: str, yes: bool) -> None:
    """Erase a customer by phone number.

    Deletes all data about the person who has, or had, NUMBER (such as +16505551234): contact,
    conversations, messages, notes, their share of the reports, and webhooks that mention them. This
    cannot be undone. Copies of the database and caches of viewers are not affected.
    """
    from frontdesk.ingest import erase
    from frontdesk.store.raw_events import tallies

    def look(connection: "Connection") -> tuple[int, bool, int, Counter[str]]:
        account_id: int = account_named(connection, account)["id"]
        ours = erase.is_of_the_business(connection, account_id, number)
        bodies = sum(row["n"] for row in tallies(connection, account_id))
        return account_id, ours, bodies, erase.matching_rows(connection, account_id, number)

    with opened(database, upgrade=True) as store:
        account_id, ours, bodies, rows = store.read_latest(look)
        if ours:
            raise BadSettings(f"{number} is a number of the inbox itself, not a customer's")
        if not yes:
            summary = _summary(rows) or "no customer has it, but webhooks may mention it"
            click.confirm(f"{number}: {summary}. Erase for good?", abort=True, err=True)
        with interruptible(_INTERRUPTED), progress("Erasing", bodies) as advance:
            erased = erase.erase(store, account_id, number, advance)
        if erased:
            _report(erased)
        _purge(store)
    if not erased:
        raise NotFound(
            f"Nothing mentions {number}, and no copy of what was erased is left in the database"
        )


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


def _report(erased: "ErasureResult") -> None:
    lines = [_summary(erased.rows)] if erased.rows else []
    if erased.raw_events:
        lines.append(f"{erased.raw_events:,} {_webhooks(erased.raw_events)}")
    if erased.cut_events:
        lines.append(f"their part of {erased.cut_events:,} {_webhooks(erased.cut_events)} more")
    click.echo(f"erased: {', '.join(lines)}")


def _summary(rows: Counter[str]) -> str:
    return ", ".join(
        f"{rows[name]:,} {singular if rows[name] == 1 else plural}"
        for name, singular, plural in _NOUNS
        if rows[name]
    )


def _webhooks(count: int) -> str:
    return "webhook" if count == 1 else "webhooks"


def _phone(text: str) -> str:
    """Parse a number with its country, which a plus sign marks."""
    number = parse_phone(text) if text.strip().startswith("+") else None
    if number is None:
        raise click.BadParameter("give the whole number with its country, such as +16505551234")
    return number
