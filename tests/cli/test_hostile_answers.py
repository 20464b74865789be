"""Commands print nothing of hostile responses that a terminal would obey."""

import json
import os
from pathlib import Path

import pytest
from tests.commands import run_command
from tests.fake_service import Reply, fake_service

from frontdesk.cli.exit_codes import DONE, ERROR, NOT_FOUND, guarded
from frontdesk.errors import Refused
from frontdesk.text.clean import clean

# Sets the clipboard (OSC 52), sets the title with C1 controls, turns the line around.
ATTACK = "\x1b]52;c;aGFjaw==\x07 \u009d0;owned\u009c \u202egnp"
PROBLEM = json.dumps(
    {
        "title": ATTACK,
        "detail": ATTACK,
        "code": "bad\x1b[2J",
        "required_scope": ATTACK,
        "request_id": ATTACK,
        "error": {"message": ATTACK, "type": ATTACK, "code": ATTACK},
    },
    ensure_ascii=False,
)
# JSON has to escape what is below a space; an encoding that is not looked through hides it.
ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-32", "latin-1")
COMMANDS = {
    "list": ("list", "conversations"),
    "counts": ("counts",),
    "contacts": ("list", "contacts"),
    "show": ("show", "1"),
    "report": ("report",),
    "tail": ("tail", "--once"),
    "doctor": ("doctor",),
    "doctor as JSON": ("doctor", "--format", "json"),
    "profiles add": ("profiles", "add", "x", "--key-env", "FRONTDESK_API_KEY"),
    "sync meta": ("sync", "meta", "--waba", "1", "--token-env", "TOKEN", "--database", "x.db"),
    "import chatwoot": (
        *("import", "chatwoot", "--account-id", "1", "--token-env", "TOKEN"),
        *("--database", "x.db"),
    ),
}
ADDRESS_OPTION = {"sync meta": "--graph-url"}


def encoded(encoding: str) -> bytes:
    return PROBLEM.encode(encoding, "replace")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("FRONTDESK_API_KEY", "TOKEN"):
        monkeypatch.setenv(name, "some_key")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_no_control_characters_whatever_a_server_answers(name: str) -> None:
    for status in (200, 403):
        assert_harmless(name, status, "utf-8")


# Servers of inboxes and others are read by clients of their own.
@pytest.mark.parametrize("name", ["counts", "sync meta"])
@pytest.mark.parametrize("status", [200, 302, 400, 403, 404])
def test_no_status_and_no_encoding_gets_control_characters_printed(name: str, status: int) -> None:
    for encoding in ENCODINGS:
        assert_harmless(name, status, encoding)


def assert_harmless(name: str, status: int, encoding: str) -> None:
    headers = {
        "Content-Type": "application/problem+json",
        "X-Request-Id": "a\x9b2Jb",
        "Retry-After": "\x9b2J",
        "Link": '</v1/x?cursor=\x9b2J>; rel="next"',
        "Location": "https://evil.example/\x9b2J",
    }
    with fake_service(lambda path, query: Reply(status, encoded(encoding), headers)) as web:
        ended = run_command(*COMMANDS[name], ADDRESS_OPTION.get(name, "--url"), web.url)
    printed = ended.stdout + ended.stderr
    assert web.asked
    assert ended.exit_code in (DONE, ERROR, NOT_FOUND)
    assert "over a bug" not in printed
    assert clean(printed) == printed, encoding


def test_an_error_that_was_never_cleaned_is_cleaned_where_it_is_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail() -> None:
        raise Refused(f"{ATTACK}\nfrontdesk: all is well", code="x")

    assert guarded(fail) == 1
    printed = capsys.readouterr().err
    assert clean(printed) == printed
    assert printed.count(os.linesep) == 1
