"""`frontdesk import catalogue`: imports labels, users, teams etc. from a TOML or JSON file."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import command
from frontdesk.cli.commands.import_.files import STANDARD_INPUT, check, named
from frontdesk.cli.commands.import_.source import ImportSource, import_from
from frontdesk.cli.database import account_named, account_option
from frontdesk.cli.options import database_option
from frontdesk.errors import UnusableFile
from frontdesk.text.clean import clean, counted, one_line
from frontdesk.wire.values import epoch_milliseconds

if TYPE_CHECKING:
    from frontdesk.ingest.archive.importer import Transactions
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
    import_from(_CatalogueSource(file, account, dry_run), database, dry_run=dry_run)


@dataclass
class _CatalogueSource(ImportSource):
    """A file of catalogues, of which all or nothing is imported."""

    consequence = "nothing was changed"

    file: str
    account: str
    dry_run: bool
    lines: list[str] = field(default_factory=list)

    def prepare(self) -> None:
        from frontdesk.ingest.catalogue_file import parse_file

        check((self.file,))
        text = _text(self.file)
        is_json = self.file.lower().endswith(".json") or text.lstrip().startswith("{")
        try:
            self._contents = parse_file(text, is_json=is_json)
        except (ValueError, RecursionError) as error:
            kind = "JSON" if is_json else "TOML"
            raise UnusableFile(clean(f"{named(self.file)} is not {kind}: {error}")) from error

    def events(self, database: "Transactions") -> None:
        from frontdesk.ingest.catalogue_file import import_file

        def put_in(connection: "Connection") -> "tuple[list[str], list[CatalogueProblem]]":
            account_id = account_named(connection, self.account)["id"]
            return import_file(connection, account_id, self._contents, epoch_milliseconds())

        changes, problems = database.write(put_in)
        for problem in problems:
            click.echo(one_line(clean(f"{named(self.file)}: {problem}")), err=True)
        if problems:
            wrong = counted(len(problems), "value")
            raise UnusableFile(f"{wrong} cannot be so; nothing was changed")
        verb = "would change" if self.dry_run else "changed"
        self.lines = [*changes, f"{len(changes):,} {verb}"]

    def summary(self) -> list[str]:
        return self.lines


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
