"""The body of every import: checks, transactions, files, summary and exit codes."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

import click

from frontdesk.cli.commands.import_.files import importable
from frontdesk.cli.media import stored_words
from frontdesk.cli.progress import interruptible
from frontdesk.text.clean import clean, one_line

if TYPE_CHECKING:
    from frontdesk.ingest.archive.importer import Transactions
    from frontdesk.store.database import Database


class ImportSource:
    """What is imported, in the order in which it is asked. Raises: InboxError.

    consequence: what an interruption leaves, or how to go on.
    """

    consequence: ClassVar[str]

    def prepare(self) -> None:
        """Read and check what can be, before anything is changed."""

    @abstractmethod
    def events(self, database: "Transactions") -> None:
        """Import; an interruption comes between transactions."""

    def files(self, store: "Database") -> Counter[str] | None:
        """Store the files of messages; None if nobody asked for them."""
        return None

    @abstractmethod
    def summary(self) -> Iterable[str]:
        """Lines of what was imported, also by an import that was interrupted."""

    def finish(self) -> None:
        """Say what is missing. Raises: click.exceptions.Exit: with the status of that."""


def import_from(source: ImportSource, database: str, *, dry_run: bool = False) -> None:
    """Import a source; a dry run is rolled back, and has no files."""
    from frontdesk.ingest.archive.importer import run_import

    source.prepare()
    attached = None
    with interruptible("nothing was changed" if dry_run else source.consequence):
        try:
            with importable(database, dry_run=dry_run) as store:
                run_import(store, source.events, dry_run=dry_run)
                attached = None if dry_run else source.files(store)
        finally:
            for line in source.summary():
                click.echo(one_line(clean(line)))
    if attached is not None:
        click.echo(f"files: {stored_words(attached) or 'none'}")
    source.finish()
