"""`frontdesk db check`: differences between counters and a recount."""

from pathlib import Path

import pytest
from tests.commands import output_of, run_on

from frontdesk.cli.exit_codes import ERROR, USAGE
from frontdesk.cli.target import ACCOUNT
from frontdesk.ingest.audit import differences
from frontdesk.store.accounts import add_account
from frontdesk.store.sqlite import SQLiteDatabase


def changed(database: SQLiteDatabase, sql: str) -> None:
    assert database.write(lambda connection: connection.run(sql)) > 0


@pytest.fixture
def path(sample_database: SQLiteDatabase, tmp_path: Path) -> Path:
    return tmp_path / "inbox.db"


def test_the_sample_adds_up(path: Path, sample_database: SQLiteDatabase) -> None:
    sample_database.write(lambda connection: add_account(connection, "empty", "Empty", 0))
    # By its former name.
    assert output_of(path, "check") == "Everything adds up.\n"


# Each breaks what no other of its group does; what the measures count are the roll-ups too.
DAMAGES = (
    {
        "UPDATE cell SET n = n + 1 WHERE label_id = 0": "cell of label_id 0",
        "DELETE FROM entry WHERE conversation_id = 7 AND label_id = 0": "conversation 7: listed",
        "UPDATE message SET author = 'nobody' WHERE id = 1": "author 'nobody'",
    },
    {
        "DELETE FROM metric_event WHERE conversation_id = 5": "measure counted of conversation 5",
        "UPDATE metric_event SET ended_at = ended_at + 1 WHERE conversation_id = 6": (
            "measure stored of conversation 6"
        ),
        "UPDATE metric_event SET user_id = user_id + 1 WHERE conversation_id = 8": (
            "measure stored of conversation 8"
        ),
    },
    {
        "UPDATE rollup SET n = n + 1 WHERE grain = 1440": "roll-up stored: grain 1440",
        "DELETE FROM rollup WHERE grain = 15": "roll-up counted: grain 15",
        "UPDATE label_rollup SET n = n + 1 WHERE label_id = 1": "part stored: name ",
        "DELETE FROM label_rollup WHERE name = 'incoming'": "part counted: name 'incoming'",
        "UPDATE pricing_rollup SET n = n + 1 WHERE grain = 15": "pricing stored: grain 15",
        "DELETE FROM pricing_rollup WHERE grain = 1440": "pricing counted: grain 1440",
    },
)


@pytest.mark.parametrize("damages", DAMAGES)
def test_every_inconsistency_is_found(
    sample_database: SQLiteDatabase, damages: dict[str, str]
) -> None:
    for sql in damages:
        changed(sample_database, sql)
    found = "\n".join(
        sample_database.read(lambda connection: list(differences(connection, ACCOUNT)))
    )
    assert [words for words in damages.values() if words not in found] == []


def test_a_difference_is_reported_and_the_exit_code_says_so(
    path: Path, sample_database: SQLiteDatabase
) -> None:
    changed(sample_database, "DELETE FROM entry WHERE conversation_id = 7 AND label_id = 0")
    result = run_on(path, "db", "check")
    assert result.exit_code == ERROR
    assert "default: conversation 7: listed" in result.stdout
    assert "Everything adds up" not in result.stdout


def test_of_many_differences_the_first_are_shown(
    path: Path, sample_database: SQLiteDatabase
) -> None:
    changed(sample_database, "UPDATE rollup SET total = total + 1")
    lines = run_on(path, "db", "check").stdout.splitlines()
    assert len(lines) == 51
    assert lines[-1].startswith("… and ")


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    result = run_on(tmp_path / "nothing.db", "db", "check")
    assert result.exit_code == USAGE
    assert not (tmp_path / "nothing.db").exists()
