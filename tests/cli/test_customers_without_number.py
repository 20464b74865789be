"""Customers who hide their number: found, viewed and erased by user id, @username and name."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from frontdesk.cli.main import frontdesk
from frontdesk.errors import BadSettings, NotFound
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import (
    PROFILE_NAME,
    Author,
    ContactUpsert,
    IdentityChange,
    MessageUpsert,
    Person,
)
from frontdesk.store.sqlite import SQLiteDatabase

Command = Callable[..., Result]
NOW = 1_780_000_000_000
IDA, BO = Person(wa_user_id="PE.41000007"), Person(wa_user_id="KE.41000008")
IDA_BEFORE = Person(wa_user_id="PE.41000001")


def wrote(person: Person, wamid: str, text: str) -> MessageUpsert:
    return MessageUpsert(
        "101", person, wamid, NOW, False, Author("contact"), "text", "webhook", text=text
    )


@pytest.fixture
def command(tmp_path: Path) -> Command:
    path = tmp_path / "inbox.db"
    database = SQLiteDatabase(path, create=True)
    events = [
        wrote(IDA, "w1", "is it open?"),
        wrote(BO, "w2", "thanks"),
        ContactUpsert(IDA, NOW, "Ida Wren", PROFILE_NAME, "Ida Wren", username="ida.w7"),
        ContactUpsert(BO, NOW, username="bo.k"),
        IdentityChange(IDA_BEFORE, IDA, NOW),
    ]
    database.write(lambda connection: apply_events(connection, 1, events, now=NOW))
    database.close()
    runner = CliRunner()

    def run(*arguments: str) -> Result:
        return runner.invoke(frontdesk, [*arguments, "--database", str(path)])

    return run


NAMES = ["PE.41000007", "@ida.w7", "@IDA.W7"]


@pytest.mark.parametrize("name", [*NAMES, "Ida Wren", "ida", "ida.w7", "id:1", "1"])
def test_a_customer_is_viewed_by_each_name(command: Command, name: str) -> None:
    result = command("contacts", "view", name, "--json", "name")
    assert json.loads(result.stdout) == {"name": "Ida Wren"}


@pytest.mark.parametrize("name", NAMES)
def test_a_search_finds_who_has_the_id_or_the_username(command: Command, name: str) -> None:
    result = command("contacts", "search", name, "--json", "id")
    assert json.loads(result.stdout) == [{"id": "1"}]


@pytest.mark.parametrize("name", NAMES)
def test_conversations_of_the_customer_are_listed_and_viewed(command: Command, name: str) -> None:
    listed = command("conversations", "list", f"from:{name}", "--json", "id")
    assert json.loads(listed.stdout) == [{"id": "1"}]
    transcript = command("conversations", "view", name).stdout
    assert "Ida Wren · @ida.w7" in transcript
    assert "is it open?" in transcript


def test_the_username_stands_where_the_number_would(command: Command) -> None:
    table = command("conversations", "list").stdout.splitlines()
    assert [line for line in table if "Ida Wren" in line and "@ida.w7" in line]
    assert [line for line in table if line.count("@bo.k") == 2]
    assert "Customer:     @bo.k" in command("conversations", "view", "2").stdout
    people = command("contacts", "list").stdout.splitlines()
    assert [line for line in people if "Ida Wren" in line and "@ida.w7" in line]
    assert [line for line in people if "@bo.k" in line]
    rows = command("report", "conversations", "--from", "2026-01-01", "--to", "2026-12-31").stdout
    # As text: a spreadsheet takes an @ for the start of a formula.
    assert [line for line in rows.splitlines() if line.startswith("2,2,'@bo.k,")]


@pytest.mark.parametrize("name", [*NAMES, "PE.41000001", "Ida Wren", "ida.w7"])
def test_who_is_erased_by_a_name_leaves_nothing_and_others_stay(
    command: Command, name: str
) -> None:
    assert "1 contact, 1 conversation, 1 message" in command("erase", name, "--yes").stdout
    listed = json.loads(command("contacts", "list", "--json", "username").stdout)
    assert listed == [{"username": "bo.k"}]
    assert isinstance(command("contacts", "view", "@ida.w7").exception, NotFound)


def test_nobody_and_several_are_said(command: Command) -> None:
    assert isinstance(command("erase", "@nobody", "--yes").exception, NotFound)
    assert isinstance(command("contacts", "view", "@nobody").exception, NotFound)
    assert isinstance(command("contacts", "view", "7").exception, NotFound)
    assert isinstance(command("contacts", "view", " ").exception, BadSettings)


def test_of_several_with_one_name_none_is_taken(command: Command, tmp_path: Path) -> None:
    database = SQLiteDatabase(tmp_path / "inbox.db")
    other = Person("+254700000009", "254700000009")
    events = [wrote(other, "w3", "hi"), ContactUpsert(other, NOW, "Ida Wren", PROFILE_NAME)]
    database.write(lambda connection: apply_events(connection, 1, events, now=NOW))
    database.close()
    for arguments in (("contacts", "view", "Ida Wren"), ("erase", "Ida Wren", "--yes")):
        error = command(*arguments).exception
        assert isinstance(error, BadSettings)
        assert "Several customers" in str(error)
    assert "1 contact" in command("erase", "id:1", "--yes").stdout
