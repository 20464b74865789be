"""`--database` as a path or a URL: same commands and messages, and no passwords."""

import json
import lzma
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner, Result
from servers import Serve
from tests.commands import run_on
from tests.stores import PostgresServer

from frontdesk.cli.exit_codes import USAGE
from frontdesk.cli.main import frontdesk
from frontdesk.errors import BadSettings, Unreachable, UnusableFile
from frontdesk.store.changes import mark
from frontdesk.store.migrations import Schema
from frontdesk.store.sqlite import SQLiteDatabase

# Nobody listens on the first port.
NOWHERE = "postgresql://ana:s3cret@127.0.0.1:1/inbox"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(frontdesk, arguments)


def test_a_database_that_is_up_to_date_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    SQLiteDatabase(path, create=True).close()
    before = path.read_bytes()
    result = run("upgrade", "--database", str(path))
    assert (result.exit_code, result.stdout) == (0, f"{path} is up to date\n")
    assert path.read_bytes() == before


def test_an_upgrade_says_how_many_contacts_it_merges(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    old = Path(__file__).parents[1] / "store" / "inbox-0.2.0.db.xz"
    path.write_bytes(lzma.decompress(old.read_bytes()))
    first, again = (run("upgrade", "--database", str(path)) for _ in range(2))
    assert "Contacts merged: 1, which" in first.stderr
    assert first.stdout.endswith("inbox.db was upgraded\n")
    assert "merged" not in again.stderr
    assert again.stdout.endswith("inbox.db is up to date\n")


def test_a_database_that_was_put_back_gets_another_mark(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    SQLiteDatabase(path, create=True).close()

    def marked(*options: str) -> str:
        assert run("upgrade", "--database", str(path), *options).exit_code == 0
        database = SQLiteDatabase(path)
        found = database.read(mark)
        database.close()
        return found

    before = marked()
    assert marked() == before
    assert marked("--restored") != before


def test_a_database_of_a_newer_program_is_not_upgraded(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    SQLiteDatabase(path, create=True, schema=Schema(version=1000)).close()
    assert isinstance(run("upgrade", "--database", str(path)).exception, UnusableFile)


@pytest.mark.postgres
def test_the_viewer_asks_a_server_who_me_is(postgres: PostgresServer) -> None:
    with postgres.database() as address:
        assert run("init", "--database", address).exit_code == 0
        error = run("--database", address, "--as", "nobody@example.com").exception
    assert isinstance(error, BadSettings)
    assert "no user 'nobody@example.com'" in str(error)


@pytest.mark.parametrize(
    "command",
    [
        ("--database",),
        ("init", "--database"),
        ("upgrade", "--database"),
        ("keys", "list", "--database"),
        ("serve", "--port", "0", "--database"),
    ],
)
def test_a_server_that_does_not_answer_is_reported_without_the_password(
    command: tuple[str, ...],
) -> None:
    result = run(*command, NOWHERE)
    assert isinstance(result.exception, Unreachable)
    assert str(result.exception).startswith(
        "postgresql://ana:***@127.0.0.1:1/inbox does not answer"
    )
    assert "s3cret" not in str(result.exception) + result.output


COMMANDS = (
    ("list", "conversations", "--all"),
    ("show", "1"),
    ("counts",),
    ("contact", "+16505551234"),
    ("keys", "list"),
    ("accounts", "create", "other"),
    ("export", "events"),
    ("erase", "+16505551234", "--yes"),
    ("ingest", "replay", "--all"),
    ("init",),
    ("serve", "--port", "0"),
)


def damage(path: Path) -> None:
    """Put zeros where all tables are; the header stays, and so does the length at all times."""
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(bytes(path.stat().st_size - 4096))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_says_that_a_file_is_damaged_and_what_to_do(
    path: Path, command: tuple[str, ...]
) -> None:
    damage(path)
    error = run(*command, "--database", str(path)).exception
    assert isinstance(error, UnusableFile)
    assert f"The database {path} is damaged (" in str(error)
    assert "put a backup in its place" in str(error)


def test_an_unusable_file_is_one_line_of_a_shell_and_its_exit_code(path: Path) -> None:
    damage(path)
    result = run_on(path, "counts")
    (printed,) = result.stderr.splitlines()
    assert printed.startswith(f"frontdesk: The database {path} is damaged (")
    assert (result.exit_code, result.stdout) == (USAGE, "")


def test_a_file_that_is_damaged_while_it_is_served_is_reported_to_operator_and_client(
    path: Path, key: str, serve: Serve
) -> None:
    process, url = serve()
    damage(path)
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(f"{url}/v1/labels", headers={"Authorization": f"Bearer {key}"}))
    problem = json.load(refused.value)
    assert (problem["status"], problem["code"]) == (500, "internal_error"), problem
    assert "The database is damaged" in problem["detail"]
    assert str(path) not in problem["detail"]
    assert urlopen(f"{url}/healthz").status == 200
    process.terminate()
    _, log = process.communicate()
    assert f"The database {path} is damaged (" in log
    assert "sqlite3.DatabaseError" not in log
