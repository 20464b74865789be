"""`frontdesk media`: status, requests, removal and check of the files of messages."""

from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import WholeNumber, group
from frontdesk.cli.database import account_named, account_option, opened
from frontdesk.cli.exit_codes import ERROR
from frontdesk.cli.media import media_files, media_option, named_files, place_words
from frontdesk.cli.options import confirm as confirmed
from frontdesk.cli.options import database_option, yes_option
from frontdesk.cli.output import moment, print_table
from frontdesk.cli.progress import progress
from frontdesk.errors import InboxError
from frontdesk.text.clean import clean, counted, file_size, one_line
from frontdesk.wire.values import MEDIA_TYPES, epoch_milliseconds

if TYPE_CHECKING:
    from frontdesk.store.database import Connection, Database, Row
    from frontdesk.store.media_files import MediaFiles

REASONS_SHOWN = 10
_DAY = 24 * 60 * 60 * 1000


@group(
    "media",
    "frontdesk media status --database inbox.db",
    "frontdesk media check --database inbox.db",
    lazy={
        "read": "frontdesk.cli.commands.media_texts:read_command",
        "texts": "frontdesk.cli.commands.media_texts:texts_group",
    },
)
def media_group() -> None:
    """Manage the files of messages."""


@media_group.subcommand(
    "status",
    "frontdesk media status --database inbox.db",
    "frontdesk media status --database inbox.db --account shop",
)
@database_option("Database of the service.")
@media_option
@account_option
def status_command(database: str, media: str | None, account: str) -> None:
    """Count files by state.

    Also shows how long the oldest pending file has waited, why files are missing, and the free
    space.
    """
    from frontdesk.store import media as rows
    from frontdesk.store import media_texts

    with opened(database) as store:

        def look(connection: "Connection") -> "tuple[list[Row], int | None, list[Row], list[Row]]":
            account_id = account_named(connection, account)["id"]
            return (
                rows.tallies(connection, account_id),
                rows.oldest_pending(connection, account_id),
                rows.failures(connection, account_id, REASONS_SHOWN),
                media_texts.tallies(connection, account_id),
            )

        tallies, oldest, failures, texts = store.read(look)
    known = {row["state"]: row for row in tallies}
    table = [
        (state, f"{known[state]['n']:,}" if state in known else "0", _size(known.get(state)))
        for state in rows.STATES
    ]
    print_table(("STATE", "FILES", "SIZE"), table)
    if texts:
        counts = ", ".join(f"{row['n']:,} {row['state']}" for row in texts)
        click.echo(f"words of files: {counts}")
    if oldest is not None:
        days = max(0, epoch_milliseconds() - oldest) / _DAY
        lost = f"lost after {rows.PROVIDER_DAYS} days"
        click.echo(f"oldest pending: {moment(oldest)}, {days:.1f} days ago ({lost})")
    for row in failures:
        reason = one_line(clean(row["reason"]))
        click.echo(f"{row['state']}: {counted(row['n'], 'file')}: {reason}")
    click.echo(_place(media_files(media, database)))


def _size(row: "Row | None") -> str:
    return file_size(row["bytes"]) if row is not None and row["bytes"] else "–"


def _place(files: "MediaFiles | None") -> str:
    if files is None:
        return "no place: name it with --media"
    try:
        return place_words(files)
    except InboxError as error:
        return f"{files.place}: {error}"


@media_group.subcommand(
    "fetch",
    "frontdesk media fetch --database inbox.db",
    "frontdesk media fetch --failed --database inbox.db",
)
@database_option("Database of the service, which may be running.")
@account_option
@click.option("--failed", is_flag=True, help="Also try failed and refused files again.")
@click.option(
    "--days",
    type=WholeNumber(1, 7),
    default=7,
    show_default=True,
    help="Request files of messages of the last so many days.",
)
@click.option("--conversation", type=WholeNumber(1), metavar="ID", help="Only of this one.")
def fetch_command(
    database: str, account: str, failed: bool, days: int, conversation: int | None
) -> None:
    """Request files that are missing.

    Of messages that were stored before files were fetched, or imported. The service fetches them,
    newest first. WhatsApp gives files out for seven days.
    """
    from frontdesk.ingest.media.requests import request_missing
    from frontdesk.store import media as rows

    now = epoch_milliseconds()
    after = now - days * _DAY

    def request(connection: "Connection") -> tuple[int, int, int]:
        account_id = account_named(connection, account)["id"]
        added = request_missing(connection, account_id, after, conversation, now)
        again = 0
        if failed:
            again = rows.retry(connection, account_id, after=after, conversation_id=conversation)
        return added, again, rows.hurry(connection, account_id, conversation)

    with opened(database, upgrade=True) as store:
        added, again, due = store.write(request)
    tried = f", {again:,} to be tried again" if failed else ""
    click.echo(f"requested: {counted(added, 'file')}{tried}; {due:,} pending")


@media_group.subcommand(
    "purge",
    "frontdesk media purge --days 365 --database inbox.db",
    "frontdesk media purge --kind video --yes --database inbox.db",
)
@database_option("Database of the service, which may be running.")
@media_option
@account_option
@click.option("--days", type=WholeNumber(0, 36500), help="Of messages older than this.")
@click.option("--kind", type=click.Choice(MEDIA_TYPES), help="Of messages of this type.")
@yes_option
def purge_command(
    database: str,
    media: str | None,
    account: str,
    days: int | None,
    kind: str | None,
    yes: bool,
) -> None:
    """Remove stored files.

    The messages stay, and say that their file was removed. This cannot be undone.
    """
    from frontdesk.store import media as rows
    from frontdesk.store.writes import bump_revision

    if days is None and kind is None:
        raise click.UsageError("Say which files: --days, --kind or both")
    files = named_files(media, database)
    before = None if days is None else epoch_milliseconds() - days * _DAY
    which = "files" if kind is None else f"files of {kind} messages"
    age = "" if days is None else f" older than {days:,} days"
    confirmed(f"Remove all {which}{age} for good?", yes)

    def remove(connection: "Connection") -> int:
        account_id = account_named(connection, account)["id"]
        removed = rows.purge(connection, account_id, before=before, kind=kind)
        if removed:
            ids = rows.conversations_with(connection, account_id, removed)
            bump_revision(connection, account_id, ids)
        return len(removed)

    with opened(database, upgrade=True) as store:
        count = store.write(remove)
        delete_discarded(store, files, _account_id(store, account))
    click.echo(f"removed: {counted(count, 'file')}")


@media_group.subcommand(
    "check",
    "frontdesk media check --database inbox.db",
    "frontdesk media check --deep --database inbox.db",
)
@database_option("Database of the service.")
@media_option
@account_option
@click.option("--deep", is_flag=True, help="Also compare the SHA-256 of each file.")
@click.pass_context
def check_command(
    context: click.Context, database: str, media: str | None, account: str, deep: bool
) -> None:
    """Compare files with the database.

    Reports stored files that are missing or damaged, and files that no message has; nothing is
    changed.
    """
    from frontdesk.store import media as rows

    files = named_files(media, database)
    with opened(database) as store:
        account_id = _account_id(store, account)

        def used() -> dict[str, int]:
            return store.read(lambda connection: rows.stored_digests(connection, account_id))

        present, expected, faults = {*files.digests(account_id)}, used(), {}
        with progress("Reading files", len(expected) if deep else 0) as advance:
            for digest, size in sorted(expected.items()):
                faults[digest] = _fault(files, account_id, digest, size, deep=deep)
                advance(1 if deep else 0)
        # The service may have stored and removed others meanwhile.
        by_now = used()
    wrong = [fault for digest, fault in faults.items() if fault and digest in by_now]
    strays = sorted(present - expected.keys() - by_now.keys())
    for line in [*wrong, *(f"unused: {digest}" for digest in strays)]:
        click.echo(line)
    click.echo(
        f"{counted(len(expected), 'file')} checked, {len(wrong):,} missing or damaged, "
        f"{len(strays):,} unused"
    )
    if wrong:
        context.exit(ERROR)


def _fault(files: "MediaFiles", account_id: int, digest: str, size: int, *, deep: bool) -> str:
    """What is wrong with a stored file, or ""."""
    found = files.size(account_id, digest)
    if found is None:
        return f"missing: {digest}"
    if found != size:
        return f"damaged: {digest} has {found} bytes, not {size}"
    return f"damaged: {digest}" if deep and files.hash(account_id, digest) != digest else ""


def delete_discarded(store: "Database", files: "MediaFiles", account_id: int) -> None:
    """Delete files that no message has any more."""
    from frontdesk.service.media.upkeep import NO_LIMITS, MediaUpkeep

    MediaUpkeep(store, files, epoch_milliseconds, NO_LIMITS).collect(account_id)


def _account_id(store: "Database", slug: str) -> int:
    account_id: int = store.read(lambda connection: account_named(connection, slug)["id"])
    return account_id
