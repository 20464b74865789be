"""`frontdesk doctor`: facts about a server and about this machine."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.client.prepared_server import CONVERSATION
from tests.commands import Terminal, run_command
from tests.fake_service import FakeService, Query, Reply, fake_service

from frontdesk.cli.commands.doctor import doctor_command
from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.cli.exit_codes import ERROR, TRY_AGAIN, USAGE
from frontdesk.store import message_search
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.system.environment import KEY_VARIABLE, config_file

NOBODY = "http://127.0.0.1:9"


def doctor(*arguments: str, key: str | None = None) -> Result:
    return CliRunner().invoke(doctor_command, arguments, env={KEY_VARIABLE: key or ""})


def test_without_a_server_it_reports_about_this_machine() -> None:
    result = doctor()
    assert result.exit_code == 0
    for words in ("cache", "pages.db", "debug.log", "terminal", "not set"):
        assert words in result.output


def test_pictures_are_as_they_are_configured() -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text('[viewer]\npictures = "off"\n', encoding="utf-8")
    machine = json.loads(doctor("--format=json").output)["machine"]
    assert machine["pictures"] == "off: the configuration says so"


def test_a_database_has_all_that_the_contract_has(sample_file: Path, tmp_path: Path) -> None:
    inbox = shutil.copy(sample_file, tmp_path / "sample.db")
    result = doctor("--database", str(inbox), "--format", "json")
    assert result.exit_code == 0
    server = json.loads(result.output)["server"]
    states = {name: feature["state"] for name, feature in server["features"].items()}
    assert {name for name, state in states.items() if state != "present"} == {"me"}
    assert "no user" in server["features"]["me"]["detail"]
    assert server["differences"] == []


def test_a_database_without_an_index_of_messages_says_who_can_build_it(
    sample_database: SQLiteDatabase, tmp_path: Path
) -> None:
    sample_database.write(message_search.drop)
    output = doctor("--database", str(tmp_path / "inbox.db")).output
    assert "before `frontdesk db upgrade` has built their index" in output


def test_the_document_is_indented_and_its_fields_are_chosen() -> None:
    assert doctor("--format=json").output.startswith('{\n  "machine": {\n    "frontdesk": "')
    assert doctor("--json=error,server").output == '{"error":null,"server":null}\n'


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


def page(*rows: object) -> dict[str, object]:
    return {"data": rows, "next_cursor": None, "has_more": False}


@contextmanager
def inbox_with(**answers: object) -> Iterator[FakeService]:
    """A server with one conversation and a few lists; `answers` by the last part of the path."""
    lists = {"conversations": page(CONVERSATION), "messages": page(), "labels": page(), **answers}

    def answer(path: str, query: Query) -> Any:
        return None if "/reports/" in path else lists.get(path.rsplit("/", 1)[-1])

    with fake_service(answer) as there:
        yield there


LABEL = {
    "id": "1",
    "title": "vip",
    "description": None,
    "color": "#ff0000",
    "created_at": "2026-03-14T09:26:53.000Z",
    "updated_at": "2026-03-14T09:26:53.000Z",
}
FORBIDDEN = Reply(403, {"code": "missing_scope"})


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ({}, 0),
        ({"messages": FORBIDDEN}, ERROR),
        ({"messages": Reply(200, b"<html>")}, ERROR),
        ({"conversations": FORBIDDEN}, ERROR),
        ({"conversations": None}, ERROR),
        # There is none whose messages could be read.
        ({"conversations": page()}, 0),
        ({"labels": FORBIDDEN}, 0),
    ],
)
def test_an_inbox_is_there_whose_conversations_and_messages_can_be_read(
    answers: dict[str, object], code: int
) -> None:
    with inbox_with(**answers) as there:
        assert doctor("--url", there.url, key="some_live_key").exit_code == code


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({}, "may read conversations:read, messages:read, labels:read"),
        (
            {"labels": FORBIDDEN, "users": FORBIDDEN, "conversations": page()},
            "may read conversations:read; it lacks labels:read, users:read",
        ),
        ({"conversations": Reply(400, {}), "labels": None}, "may read nothing that was asked for"),
    ],
)
def test_scopes_that_a_server_does_not_say_are_those_that_were_seen(
    answers: dict[str, object], words: str
) -> None:
    with inbox_with(**answers) as there:
        assert f"\nKey: {words}\n" in doctor("--url", there.url, key="some_live_key").output
        named = json.loads(doctor("--url", there.url, "--format=json", key="some_live_key").output)
    seen = words.partition(";")[0].removeprefix("may read ").split(", ")
    assert named["server"]["key_scopes"] == ([] if "nothing" in words else seen)


@pytest.mark.parametrize(
    ("lacking", "heading"),
    [
        ((), ": in nothing that was seen\n"),
        (("updated_at",), " in 1 way:\n  Label: there is no updated_at\n"),
        (
            ("color", "updated_at"),
            " in 2 ways:\n  Label: there is no color\n  Label: there is no updated_at\n",
        ),
    ],
)
def test_differences_from_the_contract_are_counted_and_listed(
    lacking: tuple[str, ...], heading: str
) -> None:
    label = {name: value for name, value in LABEL.items() if name not in lacking}
    with inbox_with(conversations=page(), labels=page(label)) as there:
        output = doctor("--url", there.url, key="some_live_key").output
    assert f"Differs from the contract{heading}" in output


def test_a_feature_has_its_state_and_the_reason_on_one_line_however_narrow_the_terminal() -> None:
    terminal = Terminal()
    with inbox_with(messages=FORBIDDEN) as there:
        run_command(
            "doctor", "--url", there.url, stdout=terminal, FRONTDESK_API_KEY="k", COLUMNS="30"
        )
    lines = [" ".join(line.split()) for line in terminal.getvalue().split("\n")]
    assert "conversations yes" in lines
    assert "messages not allowed The key may not read this." in lines
    assert "counts of conversations no The server does not have this." in lines
    assert "notes no This server lists no notes." in lines


def test_a_server_that_cannot_be_reached_has_no_features() -> None:
    done = run_command("doctor", "--url", NOBODY, FRONTDESK_API_KEY="some_live_key")
    assert done.stdout.startswith(f"Server {NOBODY}\n\nNothing could be learnt of it.\n")


def test_a_terminal_shows_what_is_asked_for_and_clears_it() -> None:
    terminal = Terminal()
    with inbox_with() as there:
        run_command("doctor", "--url", there.url, stderr=terminal, FRONTDESK_API_KEY="k")
    first, *others, last = terminal.getvalue().split("\r")[1:]
    assert first == "asking for conversations …"
    assert "asking for messages …" in others
    assert last in ("", "\x1b[K")


def machine(*, stdout: Terminal | None = None, **variables: str | None) -> dict[str, str]:
    done = run_command("doctor", "--format", "json", stdout=stdout, **variables)
    return json.loads(stdout.getvalue() if stdout else done.stdout)["machine"]


@pytest.mark.parametrize(
    ("variables", "colours"),
    [
        ({"COLORTERM": "truecolor"}, "16 million"),
        ({"COLORTERM": "24bit"}, "16 million"),
        ({"TERM": "xterm-256color"}, "256"),
        ({"TERM": "xterm"}, "16 or fewer"),
        ({"COLORTERM": "truecolor", "NO_COLOR": "1"}, "none (NO_COLOR)"),
    ],
)
def test_the_colours_are_those_that_the_terminal_says(
    variables: dict[str, str], colours: str
) -> None:
    unset = dict.fromkeys(("NO_COLOR", "COLORTERM", "TERM"))
    assert machine(**{**unset, **variables})["colours"] == colours


def test_the_size_is_that_of_the_terminal_if_there_is_one() -> None:
    assert machine(stdout=Terminal(), COLUMNS="99", LINES="33")["terminal_size"] == "99x33"
    assert machine()["terminal_size"] == "no terminal"


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (0o600, "(22 bytes); "),
        (0o640, "(22 bytes, readable by others); "),
        (0o604, "(22 bytes, readable by others); "),
    ],
)
def test_a_configuration_has_its_size_its_readers_and_its_mistakes(mode: int, words: str) -> None:
    file = config_file()
    assert machine()["configuration"] == f"{file} (not there)"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[viewer]\nmark_reads=3\n".ljust(22, "\n"))
    file.chmod(mode)
    found = machine()
    assert found["configuration"].startswith(f"{file} {words}")
    assert "mark_reads" in found["configuration"]


def test_a_mistake_in_the_network_stands_in_place_of_its_settings() -> None:
    file = config_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[network]\nproxy = false\n")
    found = machine()
    assert found["certificates"] == found["proxy"]
    assert "proxy" in found["proxy"]
    assert "none" in found["proxy"]
