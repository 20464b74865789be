"""`frontdesk webhooks`: status, replay and purge of stored webhook bodies."""

import json
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import WholeNumber, group
from frontdesk.cli.commands.import_.files import unknown_channels
from frontdesk.cli.database import account_named, account_option, opened
from frontdesk.cli.exit_codes import ERROR, INTERRUPTED
from frontdesk.cli.options import admission_options, database_option
from frontdesk.cli.output import moment, print_table
from frontdesk.cli.progress import progress, whole
from frontdesk.ingest.webhooks.retention import DEFAULT_RETENTION_DAYS
from frontdesk.text.clean import clean, one_line
from frontdesk.wire import instant
from frontdesk.wire.values import epoch_milliseconds

if TYPE_CHECKING:
    from frontdesk.ingest.admission import Admission
    from frontdesk.ingest.webhooks.processor import StepResult, WebhookProcessor
    from frontdesk.store.database import Connection, Database

FAILURES_SHOWN = 10
_PAGE = 200


@group(
    "webhooks",
    "frontdesk webhooks status --database inbox.db",
    "frontdesk webhooks replay --failed --database inbox.db",
)
def webhooks_group() -> None:
    """Manage stored webhooks."""


@webhooks_group.subcommand(
    "status",
    "frontdesk webhooks status --database inbox.db",
    "frontdesk webhooks status --database inbox.db --account shop",
)
@database_option("Database of the service.")
@account_option
def status_command(database: str, account: str) -> None:
    """Count webhooks by outcome.

    Also shows why the most recent failures happened.
    """
    from frontdesk.store import raw_events

    with opened(database) as store:
        account_id = _account_id(store, account)
        counted, ignored, failures = store.read(
            lambda connection: (
                raw_events.tallies(connection, account_id),
                raw_events.ignored(connection, account_id),
                raw_events.failures(connection, account_id, FAILURES_SHOWN),
            )
        )
    known = {row["state"]: row for row in counted}
    rows = []
    for state in raw_events.STATES:
        row = known.get(state)
        times = (None, None) if row is None else (row["first"], row["last"])
        rows.append((state, f"{row['n'] if row else 0:,}", *map(moment, times)))
    print_table(("STATE", "BODIES", "FIRST", "LAST"), rows)
    elements: Counter[str] = Counter()
    for row in ignored:
        for kind, count in json.loads(row["ignored_json"]).items():
            elements[kind] += count * row["n"]
    passed_over = unknown_channels(elements)
    for kind, count in sorted(elements.items()):
        click.echo(passed_over.get(kind, f"ignored: {count:,} {one_line(clean(kind))}"))
    for row in failures:
        reason = one_line(clean(row["reason"] or "unknown"))
        click.echo(f"failed: {moment(row['received_at'])} {row['digest'][:12]} {reason}")


@webhooks_group.subcommand(
    "replay",
    "frontdesk webhooks replay --failed --database inbox.db",
    "frontdesk webhooks replay --since 2026-03-01 --database inbox.db",
)
@database_option("Database of the service, which may be running.")
@account_option
@click.option(
    "--failed", "which", flag_value="failed", help="Replay failed webhooks (the default)."
)
@click.option("--all", "which", flag_value="all", help="Replay all stored webhooks.")
@click.option(
    "--since",
    metavar="DATE",
    callback=lambda context, option, text: _moment(text),
    help="Replay those received since then (UTC), like 2026-03-01 or 2026-03-01T09:30.",
)
@click.option("--retain-revoked", is_flag=True, help="As for `serve`.")
@admission_options
@click.pass_context
def replay_command(
    context: click.Context,
    database: str,
    account: str,
    which: str | None,
    since: int | None,
    retain_revoked: bool,
    admission: "Admission",
) -> None:
    """Apply stored webhooks again, and pending ones.

    Use the same options as for the service. Known messages are skipped. With --since alone, all
    webhooks since then are replayed. After an interruption, the service or the next replay
    continues.
    """
    from frontdesk.ingest.webhooks.processor import WebhookProcessor

    # A time alone selects all bodies received since.
    state = "failed" if which == "failed" or (which is None and since is None) else None
    with opened(database, upgrade=True) as store:
        account_id = _account_id(store, account)
        settled: Counter[str] = Counter()
        passed_over: Counter[str] = Counter()
        finished = True
        try:
            _choose(store, account_id, state, since or 0)
            waiting = _waiting(store, account_id)
            intake = WebhookProcessor(
                store, epoch_milliseconds, admission=admission, retain_revoked=retain_revoked
            )

            def take(step: "StepResult") -> None:
                settled.update(step.settled)
                passed_over.update(step.passed_over)

            _apply(intake, account_id, waiting, take)
        except KeyboardInterrupt:
            finished = False
    counts = ", ".join(f"{settled[state]:,} {state}" for state in ("applied", "ignored", "failed"))
    click.echo(f"replayed: {counts}")
    for line in unknown_channels(passed_over).values():
        click.echo(line)
    if not finished:
        click.echo("frontdesk: interrupted; the rest waits", err=True)
        context.exit(INTERRUPTED)
    if settled["failed"]:
        context.exit(ERROR)


@webhooks_group.subcommand(
    "purge",
    "frontdesk webhooks purge --database inbox.db",
    "frontdesk webhooks purge --days 7 --database inbox.db",
)
@database_option("Database of the service.")
@account_option
@click.option(
    "--days",
    type=WholeNumber(0, 3650),
    default=DEFAULT_RETENTION_DAYS,
    show_default=True,
    help="Delete webhooks older than this many days.",
)
def purge_command(database: str, account: str, days: int) -> None:
    """Delete old webhook bodies now.

    The service also does this by itself. Pending webhooks are kept.
    """
    from frontdesk.ingest.webhooks.retention import delete_old_webhooks

    with opened(database, upgrade=True) as store:
        dropped = delete_old_webhooks(
            store, _account_id(store, account), epoch_milliseconds(), days
        )
    click.echo(f"dropped: {dropped:,} webhook {'body' if dropped == 1 else 'bodies'}")


def _choose(store: "Database", account_id: int, state: str | None, since: int) -> None:
    """Reset the selected bodies to pending."""
    from frontdesk.store import raw_events
    from frontdesk.store.raw_events import BodyPosition

    last: BodyPosition | None = None

    def page(connection: "Connection") -> list[BodyPosition]:
        return raw_events.positions_after(
            connection, account_id, last, _PAGE, state=state, since=since
        )

    while some := store.read_latest(page):
        digests = [place.digest for place in some]
        store.write(
            lambda connection, digests=digests: raw_events.wait_again(  # type: ignore[misc]
                connection, account_id, digests
            )
        )
        last = some[-1]


def _waiting(store: "Database", account_id: int) -> int:
    """Count the pending bodies, selected ones included."""
    from frontdesk.store.raw_events import STORED, tallies

    counted = store.read_latest(lambda connection: tallies(connection, account_id))
    return sum(row["n"] for row in counted if row["state"] == STORED)


def _apply(
    intake: "WebhookProcessor", account_id: int, waiting: int, take: Callable[["StepResult"], None]
) -> None:
    """Apply pending bodies until none is left or another process applies them; `take` each step."""
    with progress("Replaying", waiting) as advance:
        moved = True
        while moved:
            # An interrupt takes effect after the step, so that the counts match what was applied.
            with whole():
                step = intake.step(account_id)
                take(step)
                moved = bool(step.moved)
                advance(step.settled.total())


def _account_id(store: "Database", slug: str) -> int:
    account_id: int = store.read(lambda connection: account_named(connection, slug)["id"])
    return account_id


def _moment(text: str | None) -> int | None:
    """Parse an ISO 8601 date or time to epoch milliseconds; UTC without an offset."""
    if text is None:
        return None
    moment = instant(text)
    if moment is None:
        raise click.BadParameter("give a date as 2026-03-01, or 2026-03-01T09:30")
    return int(moment.timestamp() * 1000)
