"""`frontdesk doctor`: facts about a server and about this machine."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.commands import run_command
from tests.fake_service import Reply, fake_service

from frontdesk.cli.commands.doctor import doctor_command
from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.cli.exit_codes import ERROR, TRY_AGAIN, USAGE
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


def test_a_scope_missing_from_the_key_is_reported(
    served: Callable[..., str], served_path: Path
) -> None:
    order = KeyOrder("default", "y", None, ("conversations:read", "labels:read"), None)
    key = str(make_key(served_path, order, now=0)["key"])
    result = doctor("--url", served(), key=key)
    assert "The API key lacks the scope users:read." in result.output
    assert "Key: conversations:read, labels:read" in result.output
    assert "Clock: the same as here" in result.output
    assert key not in result.output
    assert "in the environment" in result.output


@pytest.mark.parametrize("style", ["text", "json"])
def test_a_server_that_does_not_answer_means_try_again(style: str) -> None:
    done = run_command(
        "doctor", "--url", NOBODY, "--format", style, FRONTDESK_API_KEY="some_live_key"
    )
    assert done.exit_code == TRY_AGAIN
    assert done.stderr == "frontdesk: The server cannot be reached\n"
    if style == "json":
        assert json.loads(done.stdout)["error"]["exit_code"] == TRY_AGAIN
    assert "some_live_key" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("url", "key", "code"),
    [
        ("served", "fd_live_nobody", ERROR),
        ("http://inbox.example", "some_live_key", USAGE),
        (NOBODY, None, USAGE),
    ],
)
def test_a_refused_key_is_an_error_and_a_bad_address_or_no_key_is_usage(
    served: Callable[..., str], url: str, key: str | None, code: int
) -> None:
    url = served() if url == "served" else url
    assert run_command("doctor", "--url", url, FRONTDESK_API_KEY=key).exit_code == code


def test_a_server_that_refuses_to_list_conversations_has_no_inbox() -> None:
    with fake_service(lambda path, query: Reply(400, {"detail": "no"})) as there:
        result = doctor("--url", there.url, key="some_live_key")
    assert result.exit_code == 1
