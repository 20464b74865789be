"""`frontdesk db init` and `frontdesk accounts`: databases and the accounts in them."""

import json
import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.commands import run_on
from tests.stores import PostgresServer

from frontdesk.cli.exit_codes import USAGE
from frontdesk.cli.main import frontdesk
from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.service.api_keys import SCOPES, is_well_formed, key_id
from frontdesk.store.accounts import find_key
from frontdesk.store.sqlite import SQLiteDatabase


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "inbox.db"


def run(path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(frontdesk, [*arguments, "--database", str(path)])


def test_init_makes_a_database_and_prints_its_first_key_once(path: Path):
    result = run(path, "init")
    assert result.exit_code == 0
    key = result.stdout.strip()
    assert is_well_formed(key)
    assert key not in result.stderr
    database = SQLiteDatabase(path)
    row = database.read(lambda connection: find_key(connection, key_id(key)))
    database.close()
    assert row is not None
    assert (row["account_id"], row["name"]) == (1, "first key")
    assert row["scopes"].split() == list(SCOPES)


def test_init_makes_the_database_and_its_directory_private(path: Path):
    before = os.umask(0)
    try:
        run(path, "init")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_an_account_keeps_messages_for_as_long_as_it_is_told(path: Path):
    run(path, "init")
    run(path, "accounts", "create", "shop", "--messages-keep-days", "90")

    def kept() -> list[int | None]:
        listed = json.loads(run(path, "accounts", "list", "--json").stdout)
        return [account["messages_keep_days"] for account in listed]

    assert kept() == [None, 90]
    changed = run(path, "accounts", "set", "shop", "--messages-keep-days", "365")
    assert "shop keeps the contents of messages for 365 days" in changed.stdout
    assert kept() == [None, 365]
    assert "for ever" in run(path, "accounts", "set", "shop", "--messages-keep-days", "0").stdout
    assert kept() == [None, None]
    assert run(path, "accounts", "set", "shop").exit_code == USAGE
    nobody = run(path, "accounts", "set", "nobody", "--messages-keep-days", "9")
    assert "no account 'nobody'" in str(nobody.exception)


def test_init_twice_makes_no_second_key(path: Path):
    run(path, "init")
    again = run(path, "init")
    assert isinstance(again.exception, BadSettings)
    assert again.stdout == ""
    assert len(json.loads(run(path, "keys", "list", "--json").stdout)) == 1


def test_a_database_that_was_imported_into_first_gets_its_key(path: Path):
    path.parent.mkdir()
    SQLiteDatabase(path, create=True).close()
    assert is_well_formed(run(path, "init").stdout.strip())


def test_init_by_json_is_one_object(path: Path):
    result = run(path, "init", "--json", "--name", "ops")
    made = json.loads(result.stdout)
    assert made["name"] == "ops"
    assert is_well_formed(made["key"])
    assert result.stderr == ""


def test_init_does_not_touch_what_is_not_ours(path: Path):
    path.parent.mkdir()
    path.write_text("my diary")
    result = run(path, "init")
    assert isinstance(result.exception, UnusableFile)
    assert path.read_text() == "my diary"


def test_init_says_in_one_line_that_it_may_not_write_there(tmp_path: Path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    ended = run_on(blocked / "inbox.db", "init")
    assert (ended.exit_code, ended.stdout) == (USAGE, "")
    assert len(ended.stderr.splitlines()) == 1


def test_accounts_are_listed_with_the_keys_that_open_them(path: Path):
    run(path, "init")
    assert run(path, "accounts", "create", "shop", "--name", "The Shop").exit_code == 0
    rows = json.loads(run(path, "accounts", "list", "--json").stdout)
    assert [(row["id"], row["slug"], row["name"], row["keys"]) for row in rows] == [
        ("1", "default", "Inbox", 1),
        ("2", "shop", "The Shop", 0),
    ]
    assert [row["disabled"] for row in rows] == [False, False]
    shown = run(path, "accounts", "list").stdout
    assert [line.split()[0] for line in shown.splitlines()] == ["SLUG", "default", "shop"]


def test_an_account_is_disabled_and_enabled_again(path: Path):
    run(path, "init")
    states = []
    for command in ("disable", "disable", "enable"):
        done = run(path, "accounts", command, "default")
        assert done.exit_code == 0
        state = "is enabled" if command == "enable" else "is disabled; to enable it: "
        assert f"The account default {state}" in done.stdout
        states.append(json.loads(run(path, "accounts", "list", "--json").stdout)[0]["disabled"])
    assert states == [True, True, False]


def test_whoever_reads_the_database_of_a_disabled_account_is_told_how_to_enable_it(path: Path):
    run(path, "init")
    run(path, "accounts", "disable", "default")
    refused = run_on(path, "counts").stderr
    assert "The account default is disabled; to enable it: frontdesk accounts enable" in refused


@pytest.mark.parametrize("command", ["disable", "enable"])
def test_an_account_that_is_not_there_is_not_disabled(path: Path, command: str):
    run(path, "init")
    assert isinstance(run(path, "accounts", command, "shop").exception, BadSettings)


def test_a_key_that_has_ended_opens_no_account(path: Path):
    key = run(path, "init").stdout.strip()
    run(path, "keys", "revoke", key_id(key))
    assert json.loads(run(path, "accounts", "list", "--json").stdout)[0]["keys"] == 0


def test_an_account_is_made_once(path: Path):
    run(path, "init")
    result = run(path, "accounts", "create", "default")
    assert isinstance(result.exception, BadSettings)
    assert len(json.loads(run(path, "accounts", "list", "--json").stdout)) == 1


@pytest.mark.parametrize("slug", ["", "Shop", "a b", "-a", "a-", "ä", "a" * 64, "a/b"])
def test_a_slug_is_plain(path: Path, slug: str):
    run(path, "init")
    arguments = ["accounts", "create", "--database", str(path), "--", slug]
    assert CliRunner().invoke(frontdesk, arguments).exit_code == 2
    assert len(json.loads(run(path, "accounts", "list", "--json").stdout)) == 1


@pytest.mark.parametrize("command", [("accounts", "list"), ("accounts", "create", "x")])
def test_a_missing_database_is_not_made(path: Path, command: tuple[str, ...]):
    result = run(path, *command)
    assert isinstance(result.exception, UnusableFile)
    assert not path.parent.exists()


def test_events_go_into_the_account_that_is_named(path: Path, tmp_path: Path):
    run(path, "init")
    run(path, "accounts", "create", "shop")
    events = tmp_path / "none.ndjson"
    events.write_text("")
    assert run(path, "import", "events", str(events), "--account", "shop").exit_code == 0
    unknown = run(path, "import", "events", str(events), "--account", "nope")
    assert isinstance(unknown.exception, BadSettings)


@pytest.mark.postgres
def test_a_database_on_a_server_is_set_up_with_the_same_commands(postgres: PostgresServer):
    def run(*arguments: str) -> Result:
        return CliRunner().invoke(frontdesk, [*arguments, "--database", address])

    with postgres.database() as address:
        key = run("init").stdout.strip()
        assert isinstance(run("init").exception, BadSettings)
        run("accounts", "create", "shop")
        rows = json.loads(run("accounts", "list", "--json").stdout)
        assert [(row["slug"], row["keys"]) for row in rows] == [("default", 1), ("shop", 0)]
        assert is_well_formed(run("keys", "rotate", key_id(key)).stdout.strip())
        keys = json.loads(run("keys", "list", "--json").stdout)
        assert [one["state"] for one in keys] == ["revoked", "active"]
