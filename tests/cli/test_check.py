"""`frontdesk db check`: differences between counters and a recount."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from frontdesk.cli.main import frontdesk
from frontdesk.store.accounts import add_account
from frontdesk.store.sqlite import SQLiteDatabase


def check(path: Path) -> Result:
    return CliRunner().invoke(frontdesk, ["check", "--database", str(path)])


def changed(database: SQLiteDatabase, sql: str) -> None:
    assert database.write(lambda connection: connection.run(sql)) > 0


@pytest.fixture
def path(sample_database: SQLiteDatabase, tmp_path: Path) -> Path:
    return tmp_path / "inbox.db"


def test_the_sample_adds_up(path: Path, sample_database: SQLiteDatabase) -> None:
    sample_database.write(lambda connection: add_account(connection, "empty", "Empty", 0))
    result = check(path)
    assert result.exit_code == 0
    assert result.output == "Everything adds up.\n"


@pytest.mark.parametrize(
    ("damage", "printed"),
    [
        ("UPDATE cell SET n = n + 1 WHERE label_id = 0", "default: cell of label_id 0"),
        ("DELETE FROM entry WHERE conversation_id = 7 AND label_id = 0", "conversation 7: listed"),
        ("DELETE FROM metric_event WHERE conversation_id = 5", "measure counted of conversation 5"),
        (
            "UPDATE metric_event SET ended_at = ended_at + 1 WHERE conversation_id = 5",
            "measure stored of conversation 5",
        ),
        (
            "UPDATE metric_event SET user_id = user_id + 1 WHERE conversation_id = 5",
            "measure stored of conversation 5",
        ),
        ("UPDATE rollup SET n = n + 1 WHERE grain = 1440", "roll-up stored: grain 1440"),
        ("DELETE FROM rollup WHERE grain = 15", "roll-up counted: grain 15"),
        ("UPDATE label_rollup SET n = n + 1 WHERE label_id = 1", "part stored: name "),
        ("DELETE FROM label_rollup WHERE name = 'incoming'", "part counted: name 'incoming'"),
        ("UPDATE message SET author = 'nobody' WHERE id = 1", "author 'nobody'"),
        ("UPDATE pricing_rollup SET n = n + 1 WHERE grain = 15", "pricing stored: grain 15"),
        ("DELETE FROM pricing_rollup WHERE grain = 1440", "pricing counted: grain 1440"),
    ],
)
def test_inconsistencies_are_reported(
    path: Path, sample_database: SQLiteDatabase, damage: str, printed: str
) -> None:
    changed(sample_database, damage)
    result = check(path)
    assert result.exit_code == 1
    assert printed in result.output
    assert "Everything adds up" not in result.output


def test_of_many_differences_the_first_are_shown(
    path: Path, sample_database: SQLiteDatabase
) -> None:
    changed(sample_database, "UPDATE rollup SET total = total + 1")
    lines = check(path).output.splitlines()
    assert len(lines) == 51
    assert lines[-1].startswith("… and ")


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    result = check(tmp_path / "nothing.db")
    assert result.exception is not None
    assert not (tmp_path / "nothing.db").exists()
