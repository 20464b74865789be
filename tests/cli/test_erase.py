"""`frontdesk erase` removes a person; `frontdesk webhooks` manages stored webhooks."""

import itertools
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.stores import bytes_of, without_secure_delete

from frontdesk.cli.commands import erase
from frontdesk.cli.exit_codes import TRY_AGAIN
from frontdesk.cli.main import frontdesk
from frontdesk.errors import BadSettings, NotFound
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.audit import differences
from frontdesk.ingest.events import (
    Author,
    ConversationEvent,
    DomainEvent,
    MessageUpsert,
    NoteUpsert,
    Person,
    ReactionSet,
)
from frontdesk.ingest.webhooks.processor import WebhookProcessor
from frontdesk.store import raw_events
from frontdesk.store.accounts import add_account
from frontdesk.store.database import Connection, Database
from frontdesk.store.raw_events import ReceivedBody
from frontdesk.store.sqlite import SQLiteDatabase

CHANNEL, NUMBER, OTHER = "101", "+16505551234", "+16505555678"
Command = Callable[..., Result]


def now() -> int:
    return time.time_ns() // 1_000_000


def text(wamid: str, phone: str, **members: Any) -> dict[str, Any]:
    return {
        "from": phone.removeprefix("+"),
        "id": wamid,
        "timestamp": str(now() // 1000 - 100),
        "type": "text",
        "text": {"body": f"words of {wamid}"},
        **members,
    }


def body(*messages: dict[str, Any], channel: str = CHANNEL) -> bytes:
    metadata = {"display_phone_number": "15550001111", "phone_number_id": channel}
    contacts = [{"wa_id": one["from"], "profile": {"name": "Zoë Quince"}} for one in messages]
    value = {"metadata": metadata, "messages": messages, "contacts": contacts}
    changes = [{"field": "messages", "value": value}]
    entry = [{"id": "1", "changes": changes}]
    return json.dumps({"object": "whatsapp_business_account", "entry": entry}).encode()


def keep(database: Database, *bodies: bytes) -> None:
    for one in bodies:
        arrival = ReceivedBody(1, one, now())
        database.write(lambda connection, arrival=arrival: raw_events.keep(connection, arrival))  # type: ignore[misc]


def apply(database: Database) -> None:
    intake = WebhookProcessor(database, now)
    while intake.step(1).moved:
        pass


def besides(phone: str) -> list[DomainEvent]:
    """What webhooks do not bring of a conversation."""
    who, at = Person(phone=phone), now()
    return [
        NoteUpsert(CHANNEL, who, f"note-{phone}", at, "a note", Author("user", name="Ana")),
        ConversationEvent(
            CHANNEL, who, f"label-{phone}", at, "labelled", {"title": "vip", "on": True}
        ),
        ConversationEvent(CHANNEL, who, f"resolved-{phone}", at, "resolved"),
        MessageUpsert(CHANNEL, who, None, at, True, Author("user"), "text", "archive", "bye"),
        ReactionSet(CHANNEL, f"w-{phone}", phone, "👍", at, False, "contact"),
        ReactionSet(CHANNEL, "unknown", phone, "👍", at, False, "contact"),
    ]


def everything(connection: Connection) -> str:
    """Every row of every table, as text."""
    tables = connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
    rows = (
        repr(tuple(row.values()))
        for table in tables
        if not table["name"].startswith("contact_words")
        for row in connection.rows(f"SELECT * FROM {table['name']}")
    )
    return "\n".join(rows)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An inbox in which two people wrote on two channels, one body holding words of both."""
    path = tmp_path / "inbox.db"
    database = SQLiteDatabase(path, create=True)
    both = body(text(f"w-{NUMBER}", NUMBER), text(f"w-{OTHER}", OTHER))
    elsewhere = body(text("w-2", NUMBER), channel="102")
    keep(database, both, elsewhere, body(text("w-3", OTHER)))
    apply(database)
    events = [*besides(NUMBER), *besides(OTHER)]
    database.write(lambda connection: apply_events(connection, 1, events, now=now()))
    keep(database, body(text("w-late", NUMBER), text("w-late-other", OTHER)))
    database.close()
    return path


@pytest.fixture
def command(path: Path) -> Command:
    def run(*arguments: str, answer: str = "") -> Result:
        given = [*arguments, "--database", str(path)]
        return CliRunner().invoke(frontdesk, given, input=answer)

    return run


def test_a_person_is_removed_from_everywhere_and_nobody_else(command: Command, path: Path):
    result = command("erase", "+1 (650) 555-1234", "--yes")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("erased: 1 contact, 2 conversations, 3 messages, 1 note, ")
    assert "2 reactions" in result.stdout
    assert "1 webhook, their part of 2 webhooks more" in result.stdout
    database = SQLiteDatabase(path)
    report = database.read(everything)
    assert NUMBER.removeprefix("+") not in report
    assert "w-2" not in report
    assert OTHER in report
    assert f"words of w-{OTHER}" in report
    assert database.read(lambda connection: list(differences(connection, 1))) == []
    apply(database)
    report = database.read(everything)
    assert "words of w-late-other" in report
    assert NUMBER.removeprefix("+") not in report
    assert database.read(lambda connection: list(differences(connection, 1))) == []
    database.close()


@pytest.fixture
def shop(path: Path) -> int:
    """The id of another account, in which the same person wrote."""
    database = SQLiteDatabase(path)
    id = database.write(lambda connection: add_account(connection, "shop", "Shop", now()))
    events = [MessageUpsert("9", Person(phone=NUMBER), "w-shop", now(), False, Author("contact"),
                            "text", "archive", "shop words")]  # fmt: skip
    database.write(lambda connection: apply_events(connection, id, events, now=now()))
    database.close()
    return id


def test_other_accounts_that_have_the_person_are_named(command: Command, shop: int, path: Path):
    result = command("erase", NUMBER, "--yes")
    assert result.exit_code == 0
    assert result.stdout.startswith("erased: 1 contact, ")
    assert f"the account shop has {NUMBER} too: frontdesk erase {NUMBER} --all-accounts" in (
        result.stderr
    )
    assert NUMBER.encode() in bytes_of(path)
    missing = command("erase", NUMBER, "--yes")
    assert isinstance(missing.exception, NotFound)
    assert "the account shop has it" in str(missing.exception)
    assert "no copy" not in str(missing.exception)


def test_a_person_is_erased_from_all_accounts(command: Command, shop: int, path: Path):
    asked = command("erase", NUMBER, "--all-accounts", answer="n\n")
    assert "messages in default; 1 contact, 1 conversation, 1 message in shop." in asked.output
    result = command("erase", NUMBER, "--all-accounts", "--yes")
    assert result.exit_code == 0, result.output
    assert "erased in default: 1 contact, 2 conversations," in result.stdout
    assert "erased in shop: 1 contact, 1 conversation, 1 message" in result.stdout
    assert result.stderr == ""
    assert NUMBER.removeprefix("+").encode() not in bytes_of(path)
    assert "no copy" in str(command("erase", NUMBER, "--all-accounts", "--yes").exception)


def test_an_account_whose_webhooks_alone_mention_the_person_is_named(command: Command, path: Path):
    database = SQLiteDatabase(path)
    id = database.write(lambda connection: add_account(connection, "spa", "Spa", now()))
    arrival = ReceivedBody(id, body(text("w-spa", NUMBER)), now())
    database.write(lambda connection: raw_events.keep(connection, arrival))
    database.close()
    assert "the account spa has" in command("erase", NUMBER, "--yes").stderr
    assert "spa" not in command("erase", OTHER, "--yes").stderr
    assert "erased in spa: 1 webhook" in command("erase", NUMBER, "--all-accounts", "--yes").stdout


def test_all_accounts_do_not_go_with_one(command: Command):
    assert command("erase", NUMBER, "--yes", "--all-accounts", "--account=default").exit_code == 2


def test_replaying_webhooks_does_not_restore_an_erased_person(command: Command, path: Path):
    assert command("erase", NUMBER, "--yes").exit_code == 0
    replayed = command("ingest", "replay", "--all")
    assert replayed.exit_code == 0, replayed.output
    assert replayed.stdout == "replayed: 3 applied, 0 ignored, 0 failed\n"
    database = SQLiteDatabase(path)
    assert NUMBER.removeprefix("+") not in database.read(everything)
    database.close()


def test_it_asks_first_and_takes_no_for_an_answer(command: Command, path: Path):
    result = command("erase", NUMBER, answer="n\n")
    assert result.exit_code == 1
    assert "1 contact, 2 conversations, 3 messages. Erase for good?" in result.output
    database = SQLiteDatabase(path)
    assert NUMBER in database.read(everything)
    database.close()
    assert "erased:" in command("erase", NUMBER, answer="y\n").output


def test_an_unknown_number_is_not_found(command: Command):
    assert isinstance(command("erase", "+34600000000", "--yes").exception, NotFound)


@pytest.mark.parametrize("number", ["16505551234", "+", "+0123456789", "+1650", "+1650x5551234"])
def test_a_number_that_is_none_is_refused(command: Command, number: str):
    result = command("erase", number, "--yes")
    assert result.exit_code == 2
    assert "+16505551234" in result.output


def test_a_number_of_the_business_is_nobody(command: Command):
    assert isinstance(command("erase", "+15550001111", "--yes").exception, BadSettings)


def test_status_counts_what_became_of_what_came_and_why(command: Command, path: Path):
    database = SQLiteDatabase(path)
    group = text("w-g", OTHER, group_id="g")
    keep(database, b'{"none": "of ours\\u001b[2J"}', body(group, text("w-x", OTHER)))
    database.close()
    assert command("ingest", "replay").exit_code == 1
    report = command("ingest", "status").stdout
    lines = [line.split() for line in report.splitlines()]
    assert [line[:2] for line in lines[1:5]] == [
        ["stored", "0"],
        ["applied", "5"],
        ["failed", "1"],
        ["ignored", "0"],
    ]
    assert "ignored: 1 group message" in report
    assert "it is not a WhatsApp webhook body" in report


def test_replay_takes_what_is_asked_for(command: Command):
    assert command("ingest", "replay").stdout == "replayed: 1 applied, 0 ignored, 0 failed\n"
    assert command("ingest", "replay").stdout == "replayed: 0 applied, 0 ignored, 0 failed\n"
    assert command("ingest", "replay", "--all").stdout.startswith("replayed: 4 applied")
    assert command("ingest", "replay", "--since", "2020-01-01").stdout.startswith(
        "replayed: 4 applied"
    )
    assert command("ingest", "replay", "--since", "2100-01-01").stdout.startswith(
        "replayed: 0 applied"
    )
    refused = command("ingest", "replay", "--since", "yesterday")
    assert (refused.exit_code, "2026-03-01" in refused.output) == (2, True)


def test_purge_drops_what_is_applied_and_old_enough(command: Command):
    assert command("ingest", "purge").stdout == "dropped: 0 webhook bodies\n"
    assert command("ingest", "purge", "--days", "0").stdout == "dropped: 3 webhook bodies\n"
    assert command("ingest", "replay").stdout == "replayed: 1 applied, 0 ignored, 0 failed\n"


def test_no_file_has_a_copy_of_who_was_erased_while_the_service_runs(tmp_path: Path):
    path = tmp_path / "inbox.db"
    numbers = [f"+1650555{number:04}" for number in range(30)]
    wamids, chance = itertools.count(), random.Random(5)
    with without_secure_delete():
        service = SQLiteDatabase(path, create=True)
        for _ in range(10):
            for _ in range(12):
                some = chance.choices(numbers, k=chance.randint(1, 3))
                texts = [{"body": f"from {one}{' ' * chance.randint(0, 800)}"} for one in some]
                report = zip(some, texts, strict=True)
                keep(service, body(*(text(f"w-{next(wamids)}", one, text=t) for one, t in report)))
            apply(service)
        for number in numbers[:8]:
            digits = number.removeprefix("+").encode()
            assert digits in bytes_of(path)
            result = CliRunner().invoke(
                frontdesk, ["erase", number, "--yes", "--database", str(path)]
            )
            assert (result.exit_code, result.stderr) == (0, "")
            assert digits not in bytes_of(path)
        assert b"from " + numbers[-1].encode() in bytes_of(path)
        service.close()


def test_a_reader_that_keeps_copies_in_the_log_is_reported(
    command: Command, path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(erase, "LOG_PATIENCE_SECONDS", 0.0)
    reader = SQLiteDatabase(path)

    def read(connection: Connection) -> Result:
        connection.row("SELECT 1 AS one FROM contact")
        return command("erase", NUMBER, "--yes")

    result = reader.read(read)
    assert result.stdout.startswith("erased: ")
    assert "write-ahead log still holds copies" in result.stderr
    assert result.exit_code == TRY_AGAIN
    assert NUMBER.removeprefix("+").encode() in bytes_of(path)
    again = command("erase", NUMBER, "--yes")
    assert isinstance(again.exception, NotFound)
    assert NUMBER.removeprefix("+").encode() not in bytes_of(path)
    reader.close()
