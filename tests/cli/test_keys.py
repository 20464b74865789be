"""`frontdesk keys`: keys are printed once, grant their scopes, and end when revoked."""

import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.commands import run_on

from frontdesk.cli.commands.accounts import accounts_group
from frontdesk.cli.commands.keys import KeyOrder, keys_group, make_key, rotate_key
from frontdesk.cli.exit_codes import USAGE
from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import UserUpsert
from frontdesk.service.api_keys import MASKED_SCOPE, SCOPES, is_well_formed, key_hash, key_id
from frontdesk.store.accounts import find_key
from frontdesk.store.sqlite import SQLiteDatabase

ALL = ("--all-read",)


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


def test_masked_contacts_go_with_all_scopes_and_with_some(path: Path):
    key = create(path, "--name", "agent", "--all-read", "--scope", MASKED_SCOPE).stdout.strip()
    assert kept(path, key)["scopes"].split() == [*SCOPES, MASKED_SCOPE]
    some = ("--scope", "conversations:read", "--scope", MASKED_SCOPE)
    key = create(path, "--name", "agent", *some).stdout.strip()
    assert kept(path, key)["scopes"].split() == ["conversations:read", MASKED_SCOPE]
    listed = run_on(path, "keys", "list").stdout
    assert f"all {MASKED_SCOPE}" in listed
    assert create(path, "--name", "agent", "--scope", MASKED_SCOPE).exit_code == USAGE


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
def test_missing_conflicting_or_invalid_options_are_refused(path: Path, options: tuple[str, ...]):
    result = create(path, *options)
    assert result.exit_code == 2
    assert result.stdout == ""


@pytest.mark.parametrize("options", [("--user", "nobody"), ("--account", "other")])
def test_an_unknown_user_or_account_is_refused(path: Path, options: tuple[str, ...]):
    result = create(path, "--name", "x", "--all-read", *options)
    assert isinstance(result.exception, BadSettings)
    assert result.stdout == ""


def test_for_an_unknown_user_those_that_there_are_are_named(inbox: Path):
    error = create(inbox, "--name", "x", "--all-read", "--user", "nobody").exception
    assert str(error).startswith("There is no user 'nobody': there is ")
    known = str(error).partition("there is ")[2].split(", ")[0]
    assert create(inbox, "--name", "x", "--all-read", "--user", known).exit_code == 0


def test_a_missing_database_is_not_made(tmp_path: Path):
    result = create(tmp_path / "none.db", "--name", "x", "--all-read")
    assert isinstance(result.exception, UnusableFile)
    assert list(tmp_path.iterdir()) == []


def test_the_program_says_so_in_one_line_and_ends_with_2(tmp_path: Path):
    ended = run_on(tmp_path / "none.db", "keys", "create", "--name=x", "--all-read")
    assert (ended.exit_code, ended.stdout) == (USAGE, "")
    assert len(ended.stderr.splitlines()) == 1
    assert "none.db" in ended.stderr


def run(path: Path, command: str, *options: str) -> Result:
    return CliRunner().invoke(keys_group, [command, "--database", str(path), *options])


def listed(path: Path, *options: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(run(path, "list", "--json", *options).stdout)
    return rows


def test_the_list_says_what_keys_are_for_and_never_what_they_are(path: Path):
    options = ("--name", "ana laptop", "--scope", "notes:read", "--user", "ana", "--expires", "1d")
    made = json.loads(create(path, *options, "--json").stdout)
    shown = run(path, "list").stdout
    assert "ana laptop" in shown
    assert made["key_id"] in shown
    assert "Ana Souza" in shown
    assert listed(path) == [
        {
            "key_id": made["key_id"],
            "account": "default",
            "name": "ana laptop",
            "last4": made["key"][-4:],
            "scopes": ["notes:read"],
            "user_id": "1",
            "user": "Ana Souza",
            "created_at": listed(path)[0]["created_at"],
            "last_used_at": None,
            "expires_at": made["expires_at"],
            "revoked_at": None,
            "state": "active",
        }
    ]
    output = shown + run(path, "list", "--json").stdout
    for secret in (made["key"][16:56], key_hash(made["key"]).hex(), repr(key_hash(made["key"]))):
        assert secret not in output


def test_a_list_is_in_the_order_of_making_and_may_be_of_one_account(path: Path):
    add_account(path, "shop")
    made = [
        json.loads(create(path, "--name", name, "--account", account, *ALL, "--json").stdout)
        for name, account in (("a", "default"), ("b", "shop"), ("c", "default"))
    ]
    assert [key["name"] for key in listed(path)] == ["a", "c", "b"]
    assert [key["key_id"] for key in listed(path, "--account", "shop")] == [made[1]["key_id"]]
    unknown = run(path, "list", "--account", "nope")
    assert isinstance(unknown.exception, BadSettings)


def test_a_revoked_key_stays_in_the_list(path: Path):
    key = create(path, "--name", "x", *ALL).stdout.strip()
    assert run(path, "revoke", key_id(key)).exit_code == 0
    assert listed(path)[0]["state"] == "revoked"
    assert kept(path, key)["revoked_at"] is not None


def test_to_revoke_twice_changes_nothing(path: Path):
    key = create(path, "--name", "x", *ALL).stdout.strip()
    run(path, "revoke", key_id(key))
    first = kept(path, key)["revoked_at"]
    again = run(path, "revoke", key_id(key))
    assert again.exit_code == 0
    assert "before" in again.stdout
    assert kept(path, key)["revoked_at"] == first


@pytest.mark.parametrize("command", ["revoke", "rotate"])
def test_an_unknown_key_is_refused_and_not_repeated(path: Path, command: str):
    key = create(path, "--name", "x", *ALL).stdout.strip()
    result = run(path, command, key)
    assert isinstance(result.exception, BadSettings)
    assert key not in str(result.exception)
    assert [row["state"] for row in listed(path)] == ["active"]


def test_a_rotated_key_keeps_its_name_user_scopes_and_length_of_life(path: Path):
    options = ("--name", "robot", "--user", "ana", "--scope", "notes:read", "--expires", "90d")
    old = json.loads(create(path, *options, "--json").stdout)
    result = run(path, "rotate", old["key_id"])
    key = result.stdout.strip()
    assert is_well_formed(key)
    assert key != old["key"]
    before, after = kept(path, old["key"]), kept(path, key)
    for column in ("account_id", "name", "user_id", "scopes"):
        assert after[column] == before[column]
    assert after["expires_at"] - after["created_at"] == 90 * 86_400_000
    assert before["revoked_at"] is not None
    assert old["key_id"] in result.stderr


def test_the_old_key_may_go_on_for_a_while(path: Path):
    old = create(path, "--name", "x", *ALL).stdout.strip()
    made = rotate_key(path, key_id(old), 3_600_000, now=50_000)
    assert kept(path, old)["revoked_at"] is None
    assert kept(path, old)["expires_at"] == 3_650_000
    assert made["old_key_id"] == key_id(old)
    assert made["old_ends_at"] == "1970-01-01T01:00:50.000Z"
    assert kept(path, str(made["key"]))["expires_at"] is None


def test_a_rotation_makes_no_life_longer(path: Path):
    order = KeyOrder("default", "x", None, SCOPES, 1_000)
    old = str(make_key(path, order, now=0)["key"])
    made = rotate_key(path, key_id(old), 3_600_000, now=500)
    assert kept(path, old)["expires_at"] == 1_000
    assert made["old_ends_at"] == "1970-01-01T00:00:01.000Z"
    assert made["expires_at"] == "1970-01-01T00:00:01.500Z"


def test_rotation_by_json_is_one_object(path: Path):
    old = create(path, "--name", "x", *ALL).stdout.strip()
    result = run(path, "rotate", key_id(old), "--overlap", "24h", "--json")
    made = json.loads(result.stdout)
    assert set(made) == {
        "key",
        "key_id",
        "name",
        "scopes",
        "user_id",
        "expires_at",
        "old_key_id",
        "old_ends_at",
    }
    assert result.stderr == ""


def test_revoked_and_expired_keys_cannot_be_rotated(path: Path):
    revoked = create(path, "--name", "x", *ALL).stdout.strip()
    run(path, "revoke", key_id(revoked))
    order = KeyOrder("default", "y", None, SCOPES, 1_000)
    expired = str(make_key(path, order, now=0)["key"])
    for key in (revoked, expired):
        result = run(path, "rotate", key_id(key))
        assert isinstance(result.exception, BadSettings)
        assert "keys create" in str(result.exception)
    assert len(listed(path)) == 2


def test_a_key_opens_its_own_account(path: Path):
    shop = add_account(path, "shop")
    key = create(path, "--name", "x", "--account", "shop", *ALL).stdout.strip()
    assert kept(path, key)["account_id"] == shop
    unknown = create(path, "--name", "x", "--account", "shop", "--user", "ana", *ALL)
    assert isinstance(unknown.exception, BadSettings)


def add_account(path: Path, slug: str) -> int:
    result = CliRunner().invoke(accounts_group, ["create", slug, "--database", str(path), "--json"])
    return int(json.loads(result.stdout)["id"])
