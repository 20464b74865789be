"""`frontdesk db sample`: generates a database with a synthetic inbox of any size."""

import sys
import time
from datetime import UTC, datetime

import click

from frontdesk.cli.base import WholeNumber, command
from frontdesk.cli.options import database_option
from frontdesk.cli.progress import Progress, progress
from frontdesk.text.clean import counted
from frontdesk.wire.values import utc_now

# Conversations from which a run without a progress bar says what it does.
_TAKES_MINUTES = 50_000


@command(
    "sample",
    "frontdesk db sample --database sample.db",
    "frontdesk db sample --database big.db --conversations 1000000",
)
@database_option("Database to fill: a new file, or an empty PostgreSQL database.")
@click.option("--conversations", type=WholeNumber(1, 100_000_000), default=10_000)
@click.option(
    "--messages",
    type=WholeNumber(1),
    help="Total number of messages.  [default: ten per conversation]",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Seed of the random generator."
)
@click.option(
    "--until",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Generate messages up to the start of this day (UTC).  [default: today]",
)
def sample_command(
    database: str,
    conversations: int,
    messages: int | None,
    seed: int,
    until: datetime | None,
) -> None:
    """Create a database with sample data.

    The same sizes, seed and day give the same inbox. An interrupted run leaves nothing behind.
    """
    from frontdesk.sample.bulk import Size
    from frontdesk.sample.bulk_rows import fill
    from frontdesk.store.dsn import without_password

    messages = 10 * conversations if messages is None else messages
    if messages < conversations:
        raise click.UsageError(
            f"--messages is {messages:,}, but each of {conversations:,} conversations has one"
        )
    end = utc_now() if until is None else until.replace(tzinfo=UTC)
    midnight = end.replace(hour=0, minute=0, second=0, microsecond=0)
    size = Size(conversations, messages, seed, int(midnight.timestamp() * 1000))
    started = time.monotonic()
    remaining = Progress(shown=True)

    if conversations >= _TAKES_MINUTES and not sys.stderr.isatty():
        click.echo(f"Making {counted(conversations, 'conversation')}; this takes minutes", err=True)
    with progress("Conversations", conversations) as advance:
        fill(database, size, advance, lambda stage: remaining.say(f"Making {stage}"))
        remaining.clear()
    click.echo(
        f"{without_password(database)}: {counted(conversations, 'conversation')},"
        f" {counted(messages, 'message')} until {midnight:%Y-%m-%d},"
        f" in {time.monotonic() - started:.0f} s"
    )
