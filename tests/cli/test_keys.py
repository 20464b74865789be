"""`frontdesk keys create`: a key is printed once, and opens what it was made for."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from frontdesk.cli.keys import keys_group
from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.ingest.apply import apply_events
from frontdesk.ingest.events import UserUpsert
from frontdesk.service.auth import SCOPES, is_well_formed, key_hash, key_id
from frontdesk.store.keys import find_key
from frontdesk.store.sqlite import SQLiteDatabase


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with one user."""
    path = tmp_path / "inbox.db"
    database = SQLiteDatabase(path, create=True)
    ana = UserUpsert("ana", "Ana Souza", 0, email="ana@example.com")
    database.write(lambda connection: apply_events(connection, 1, [ana], now=0))
    database.close()
    return path


def create(path: Path, *options: str) -> Result:
    return CliRunner().invoke(keys_group, ["create", "--database", str(path), *options])


def kept(path: Path, key: str):
    database = SQLiteDatabase(path)
    try:
        return dict(database.read(lambda connection: find_key(connection, key_id(key))))
    finally:
        database.close()


def test_the_key_alone_is_on_standard_output(path: Path):
    result = create(path, "--name", "ana laptop", "--all-read")
    assert result.exit_code == 0
    key = result.stdout.strip()
    assert is_well_formed(key)
    assert key not in result.stderr
    assert "ana laptop" in result.stderr


def test_the_database_keeps_the_hash_and_what_the_key_is_for(path: Path):
    key = create(path, "--name", "ana laptop", "--all-read").stdout.strip()
    row = kept(path, key)
    assert row["secret_hash"] == key_hash(key)
    assert row["name"] == "ana laptop"
    assert row["last4"] == key[-4:]
    assert row["scopes"].split() == list(SCOPES)
    assert row["expires_at"] is None
    assert key.encode() not in path.read_bytes()


@pytest.mark.parametrize("user", ["ana", "ana@example.com", "ANA@example.com", "1", "ana souza"])
def test_a_user_is_named_by_key_address_id_or_name(path: Path, user: str):
    result = create(path, "--name", "x", "--all-read", "--user", user)
    assert kept(path, result.stdout.strip())["user_id"] == 1


def test_json_is_one_object_with_the_key_in_it(path: Path):
    options = ("--name", "x", "--scope", "notes:read", "--scope", "labels:read", "--json")
    result = create(path, *options)
    made = json.loads(result.stdout)
    assert made == {
        "key": made["key"],
        "key_id": key_id(made["key"]),
        "name": "x",
        "scopes": ["notes:read", "labels:read"],
        "user_id": None,
        "expires_at": None,
    }
    assert result.stderr == ""


@pytest.mark.parametrize(("lifetime", "hours"), [("12h", 12), ("90d", 2160), ("2w", 336)])
def test_a_key_may_end(path: Path, lifetime: str, hours: int):
    before = time.time_ns() // 1_000_000
    key = create(path, "--name", "x", "--all-read", "--expires", lifetime).stdout.strip()
    after = time.time_ns() // 1_000_000
    assert before <= kept(path, key)["expires_at"] - hours * 3_600_000 <= after


@pytest.mark.parametrize(
    "options",
    [
        ("--name", "x"),
        ("--name", "x", "--all-read", "--scope", "notes:read"),
        ("--name", "x", "--scope", "notes:write"),
        ("--name", "x", "--all-read", "--expires", "soon"),
        ("--name", "x", "--all-read", "--expires", "0d"),
        ("--all-read",),
    ],
)
def test_what_is_asked_must_be_clear(path: Path, options: tuple[str, ...]):
    result = create(path, *options)
    assert result.exit_code == 2
    assert result.stdout == ""


@pytest.mark.parametrize("options", [("--user", "nobody"), ("--account", "other")])
def test_an_unknown_user_or_account_is_refused(path: Path, options: tuple[str, ...]):
    result = create(path, "--name", "x", "--all-read", *options)
    assert isinstance(result.exception, BadSettings)
    assert result.stdout == ""


def test_a_missing_database_is_not_made(tmp_path: Path):
    result = create(tmp_path / "none.db", "--name", "x", "--all-read")
    assert isinstance(result.exception, UnusableFile)
    assert list(tmp_path.iterdir()) == []


def test_the_program_says_so_in_one_line_and_ends_with_2(tmp_path: Path):
    command = ["keys", "create", "--database", str(tmp_path / "none.db"), "--name=x", "--all-read"]
    ended = subprocess.run(
        [sys.executable, "-m", "frontdesk", *command], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert len(ended.stderr.splitlines()) == 1
    assert "none.db" in ended.stderr
