"""The index of messages: there from the beginning, completed, checked, erased."""

import sqlite3
from contextlib import closing
from pathlib import Path

from click.testing import CliRunner, Result
from tests.stores import bytes_of

from frontdesk.cli.main import frontdesk
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, MessageUpsert, Person
from frontdesk.store import message_search
from frontdesk.store.conversations import ConversationSelection, states_of
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.text.search import Terms

SIZE = ("--conversations", "30", "--messages", "120", "--until", "2026-03-14")
# Texts that are found, in each database: no sample has this word.
WORD = "xylophone"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(frontdesk, arguments)


def say(path: Path, number: str) -> None:
    """Tell the database of one message."""
    message = MessageUpsert(
        "106540352242922", Person(phone=number), f"wamid.{number}", 1_000_000, False,
        Author("contact"), "text", "webhook", f"A {WORD}, please",
    )  # fmt: skip
    with closing(SQLiteDatabase(path)) as database:
        database.write(lambda connection: apply_events(connection, 1, [message], now=2_000_000))


def found(path: Path) -> int | None:
    """How many conversations have the word; None without an index."""
    with closing(SQLiteDatabase(path)) as database:
        everything = ConversationSelection(states_of(range(3)))
        if not database.read(lambda connection: message_search.is_ready(connection, 1)):
            return None
        page = database.read(
            lambda connection: message_search.match_page(
                connection, 1, everything, Terms.of(WORD), None, 9
            )
        )
        return page.total


def test_a_new_database_has_it(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    assert run("db", "init", "--database", str(path)).exit_code == 0
    say(path, "+16505551234")
    assert found(path) == 1


def test_a_database_without_it_gets_it_by_an_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    assert run("db", "init", "--database", str(path)).exit_code == 0
    say(path, "+16505551234")
    with closing(SQLiteDatabase(path)) as database:
        database.write(message_search.drop)
    assert found(path) is None
    checked = run("db", "check", "--database", str(path))
    assert (checked.exit_code, checked.stdout) == (0, "Everything adds up.\n")
    assert "messages are not searched before `frontdesk db upgrade`" in checked.stderr
    built = run("db", "upgrade", "--database", str(path))
    assert (built.exit_code, built.stdout) == (0, f"{path} is up to date\n")
    assert "Messages indexed: 1, in" in built.stderr
    assert found(path) == 1
    again = run("db", "upgrade", "--database", str(path))
    assert (again.exit_code, again.stderr) == (0, "")


def test_a_sample_has_it_complete(tmp_path: Path) -> None:
    path = str(tmp_path / "inbox.db")
    made = run("db", "sample", "--database", path, *SIZE)
    assert made.exit_code == 0, made.output
    checked = run("db", "check", "--database", path)
    assert (checked.stdout, checked.stderr) == ("Everything adds up.\n", "")


def test_an_index_of_other_texts_is_removed_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    assert run("db", "init", "--database", str(path)).exit_code == 0
    say(path, "+16505551234")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO message_words(message_words) VALUES ('delete-all')")
        connection.commit()
    result = run("db", "check", "--database", str(path))
    assert (result.exit_code, result.stdout) == (
        1,
        "the index of messages differs from their texts\n",
    )
    assert "before `frontdesk db upgrade` has built their index" in result.stderr
    assert found(path) is None
    assert run("db", "upgrade", "--database", str(path)).exit_code == 0
    assert found(path) == 1


def test_nothing_of_somebody_who_is_erased_stays_in_it(tmp_path: Path) -> None:
    path = tmp_path / "inbox.db"
    assert run("db", "init", "--database", str(path)).exit_code == 0
    say(path, "+16505551234")
    assert WORD.encode() in bytes_of(path)
    assert run("erase", "+16505551234", "--database", str(path), "--yes").exit_code == 0
    assert found(path) == 0
    assert WORD.encode() not in bytes_of(path)
    assert b"xyl" not in bytes_of(path)
    assert run("db", "check", "--database", str(path)).output == "Everything adds up.\n"
