"""What every import does, whatever it imports."""

from collections import Counter
from pathlib import Path

import click
import pytest
from tests.commands import stored

from frontdesk.cli.commands.import_.source import ImportSource, import_from
from frontdesk.ingest.archive.importer import Transactions
from frontdesk.store.database import Connection, Database


class Accounts(ImportSource):
    """Renames the default account, and notes what it was asked. interrupted: ends so."""

    consequence = "run it again"

    def __init__(self, *, interrupted: bool = False) -> None:
        self.asked: list[str] = []
        self._interrupted = interrupted

    def prepare(self) -> None:
        self.asked.append("prepare")

    def events(self, database: Transactions) -> None:
        def rename(connection: Connection) -> None:
            connection.run("UPDATE account SET name = 'renamed'")

        self.asked.append("events")
        database.write(rename)
        if self._interrupted:
            raise KeyboardInterrupt

    def files(self, store: Database) -> Counter[str] | None:
        self.asked.append("files")
        return Counter()

    def summary(self) -> list[str]:
        return ["one\x1b line"]

    def finish(self) -> None:
        self.asked.append("finish")


def names(directory: Path) -> list[tuple[str]]:
    return stored(directory, "SELECT name FROM account")


def test_an_import_goes_from_checks_to_files_and_its_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = Accounts()
    import_from(source, str(tmp_path / "inbox.db"))
    assert source.asked == ["prepare", "events", "files", "finish"]
    out = capsys.readouterr().out.splitlines()
    assert (len(out), out[1], "\x1b" in out[0]) == (2, "files: none", False)
    assert names(tmp_path) == [("renamed",)]


def test_a_dry_run_changes_nothing_and_has_no_files(tmp_path: Path) -> None:
    import_from(Accounts(), str(tmp_path / "inbox.db"))
    source = Accounts()
    import_from(source, str(tmp_path / "other.db"), dry_run=True)
    assert source.asked == ["prepare", "events", "finish"]
    assert not (tmp_path / "other.db").exists()


@pytest.mark.parametrize(
    ("dry_run", "words"), [(False, "interrupted; run it again"), (True, "nothing was changed")]
)
def test_an_interrupted_import_says_what_it_did_and_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], dry_run: bool, words: str
) -> None:
    source = Accounts(interrupted=True)
    with pytest.raises(click.exceptions.Exit) as ended:
        import_from(source, str(tmp_path / "inbox.db"), dry_run=dry_run)
    assert ended.value.exit_code == 130
    assert source.asked == ["prepare", "events"]
    shown = capsys.readouterr()
    assert "line" in shown.out
    assert words in shown.err
