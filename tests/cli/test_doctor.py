"""`frontdesk doctor`: facts about a server and about this machine."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from servers import Serve
from tests.fake_service import Reply, fake_service

from frontdesk.cli.commands.doctor import doctor_command
from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.environment import KEY_VARIABLE

NOBODY = "http://127.0.0.1:9"


def doctor(*arguments: str, key: str | None = None) -> Result:
    return CliRunner().invoke(doctor_command, arguments, env={KEY_VARIABLE: key or ""})


def test_without_a_server_it_reports_about_this_machine() -> None:
    result = doctor()
    assert result.exit_code == 0
    for words in ("cache", "pages.db", "debug.log", "terminal", "not set"):
        assert words in result.output


def test_a_database_has_all_that_the_contract_has(sample_file: Path, tmp_path: Path) -> None:
    inbox = shutil.copy(sample_file, tmp_path / "sample.db")
    result = doctor("--database", str(inbox), "--format", "json")
    assert result.exit_code == 0
    server = json.loads(result.output)["server"]
    states = {name: feature["state"] for name, feature in server["features"].items()}
    assert {name for name, state in states.items() if state != "present"} == {
        "me",
        "search_messages",
    }
    assert "no user" in server["features"]["me"]["detail"]
    assert server["differences"] == []


def test_a_scope_missing_from_the_key_is_reported(path: Path, serve: Serve) -> None:
    order = KeyOrder("default", "y", None, ("conversations:read", "labels:read"), None)
    key = str(make_key(path, order, now=0)["key"])
    _, url = serve()
    result = doctor("--url", url, key=key)
    assert "The API key lacks the scope users:read." in result.output
    assert "Key: conversations:read, labels:read" in result.output
    assert "Clock: the same as here" in result.output
    assert key not in result.output
    assert "in the environment" in result.output


def program(*arguments: str, key: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "frontdesk", "doctor", *arguments],
        env={**os.environ, KEY_VARIABLE: key},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("style", ["text", "json"])
def test_a_server_that_does_not_answer_means_try_again(style: str) -> None:
    done = program("--url", NOBODY, "--format", style, key="some_live_key")
    assert done.returncode == 3
    assert done.stderr == "frontdesk: The server cannot be reached\n"
    if style == "json":
        assert json.loads(done.stdout)["error"]["exit_code"] == 3
    assert "some_live_key" not in done.stdout + done.stderr


def test_a_refused_key_is_an_error_and_a_bad_address_is_usage(serve: Serve) -> None:
    _, url = serve()
    assert program("--url", url, key="fd_live_nobody").returncode == 1
    assert program("--url", "http://inbox.example", key="some_live_key").returncode == 2
    assert program("--url", NOBODY, key="").returncode == 2


def test_a_server_that_refuses_to_list_conversations_has_no_inbox() -> None:
    with fake_service(lambda path, query: Reply(400, {"detail": "no"})) as there:
        result = doctor("--url", there.url, key="some_live_key")
    assert result.exit_code == 1
