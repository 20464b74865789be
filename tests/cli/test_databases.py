"""`--database` is a path or an address: the same commands, the same words, and never a password."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.stores import PostgresServer

from frontdesk.cli.program import frontdesk
from frontdesk.errors import BadSettings, Unreachable, UnusableFile
from frontdesk.store.layout import Layout
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


def test_a_database_of_a_newer_program_is_not_upgraded(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    SQLiteDatabase(path, create=True, layout=Layout(version=1000)).close()
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
def test_a_server_that_does_not_answer_is_told_without_the_password(
    command: tuple[str, ...],
) -> None:
    result = run(*command, NOWHERE)
    assert isinstance(result.exception, Unreachable)
    assert str(result.exception).startswith(
        "postgresql://ana:***@127.0.0.1:1/inbox does not answer"
    )
    assert "s3cret" not in str(result.exception) + result.output
