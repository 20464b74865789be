"""`frontdesk import catalogue`: imports labels, users, teams etc. from a TOML or JSON file."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import command
from frontdesk.cli.commands.import_.files import STANDARD_INPUT, check, importable, named
from frontdesk.cli.database import account_named, account_option
from frontdesk.cli.options import database_option
from frontdesk.errors import UnusableFile
from frontdesk.text.clean import clean, counted, one_line
from frontdesk.wire.values import epoch_milliseconds

if TYPE_CHECKING:
    from frontdesk.ingest.catalogue_file import CatalogueProblem
    from frontdesk.store.database import Connection

_LARGEST = 16 * 1024 * 1024


@command(
    "catalogue",
    "frontdesk import catalogue desk.toml --database inbox.db",
    "frontdesk import catalogue desk.toml --database inbox.db --dry-run",
    short_help="Import labels, users and teams.",
)
@click.argument("file", metavar="FILE")
@database_option("Database to import into; created if missing.")
@account_option
@click.option("--dry-run", is_flag=True, help="Report the changes without making them.")
def catalogue_command(file: str, database: str, account: str, dry_run: bool) -> None:
    """Import labels, users, teams, canned responses, custom fields and channel aliases.

    FILE is TOML or JSON; - is standard input. If anything in it is invalid, nothing is imported.
    What it does not mention is not changed.
    """
    from frontdesk.ingest.archive.importer import run_import
    from frontdesk.ingest.catalogue_file import import_file, parse_file

    check((file,))
    text = _text(file)
    is_json = file.lower().endswith(".json") or text.lstrip().startswith("{")
    try:
        contents = parse_file(text, is_json=is_json)
    except (ValueError, RecursionError) as error:
        kind = "JSON" if is_json else "TOML"
        raise UnusableFile(clean(f"{named(file)} is not {kind}: {error}")) from error

    def put_in(connection: "Connection") -> "tuple[list[str], list[CatalogueProblem]]":
        account_id = account_named(connection, account)["id"]
        return import_file(connection, account_id, contents, epoch_milliseconds())

    with importable(database, dry_run=dry_run) as store:
        changes, problems = run_import(store, lambda all: all.write(put_in), dry_run=dry_run)
    for problem in problems:
        click.echo(one_line(clean(f"{named(file)}: {problem}")), err=True)
    if problems:
        wrong = counted(len(problems), "value")
        raise UnusableFile(f"{wrong} cannot be so; nothing was changed")
    for change in changes:
        click.echo(one_line(clean(change)))
    verb = "would change" if dry_run else "changed"
    click.echo(f"{len(changes):,} {verb}")


def _text(file: str) -> str:
    if file == STANDARD_INPUT:
        raw = sys.stdin.buffer.read(_LARGEST + 1)
    else:
        with Path(file).open("rb") as opened_file:
            raw = opened_file.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise UnusableFile(f"{named(file)} is larger than {_LARGEST // 2**20} MiB")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnusableFile(f"{named(file)} is not UTF-8") from error
