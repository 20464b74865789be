"""`frontdesk mcp` as a program: three tasks in three calls, standard output, its options."""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from frontdesk.cli.exit_codes import USAGE
from mcp import Client, StdioServerParameters
from tests.commands import run_command, run_on
from tests.mcp.sessions import answer, definitions_of, estimated_tokens

NOBODY = "http://127.0.0.1:9"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def command_of(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "frontdesk", "mcp", *arguments]


@asynccontextmanager
async def session_on(database: Path, home: Path, *options: str) -> AsyncIterator[Client]:
    """A session over standard input and output."""
    program, *arguments = command_of("--database", str(database), "--zone", "UTC", *options)
    server = StdioServerParameters(command=program, args=arguments, env=dict(os.environ), cwd=home)
    async with Client(server) as session:
        yield session


@pytest.mark.slow
async def test_three_tasks_take_three_calls_and_few_tokens(inbox_file: Path, home: Path) -> None:
    """Who waits longest unassigned; what a customer wrote; first responses by team."""
    async with session_on(inbox_file, home) as session:
        definitions = definitions_of((await session.list_tools()).tools)
        waiting = await answer(
            session,
            "list_conversations",
            query="is:open @unassigned sort:waiting",
            limit=10,
            last=10,
        )
        number = next(word for word in waiting.split() if word.startswith("+"))
        line = next(line for line in waiting.split("\n") if number in line)
        phone = number + line.split(number)[1].split(" · ")[0].replace(" ", "").replace("-", "")
        wrote = await answer(
            session,
            "read_threads",
            conversations=[phone],
            who="customer",
            after="2025-01-01",
            before="2026-03-15",
        )
        teams = await answer(
            session,
            "report",
            period="2026-03-09..2026-03-14",
            by="team",
            figures=["first_response"],
        )
    assert waiting.count("\n#") > 3
    assert "\n| " in wrote
    assert "\nall | " in teams
    assert sum(map(estimated_tokens, (waiting, wrote, teams))) <= 3_500
    assert definitions / 4 <= 1_700


@pytest.mark.slow
def test_standard_output_is_the_protocol_and_nothing_is_left_behind(
    inbox_file: Path, home: Path
) -> None:
    calls = [
        HELLO,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "overview"}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "nothing"}},
    ]
    with subprocess.Popen(
        command_of("--database", str(inbox_file)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ),
        cwd=home,
        text=True,
        encoding="utf-8",
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        assert program.stderr is not None
        for call in calls:
            program.stdin.write(json.dumps(call) + "\n")
        program.stdin.flush()
        answers = [json.loads(program.stdout.readline()) for _ in range(3)]
        program.stdin.close()
        assert program.stdout.read() == ""
        assert program.wait() == 0
        errors = program.stderr.read()
    by_id = {one["id"]: one["result"] for one in answers}
    assert by_id[1]["serverInfo"]["name"] == "frontdesk"
    assert "labels: " in by_id[2]["content"][0]["text"]
    assert by_id[3]["isError"]
    assert "fd_live_" not in errors + json.dumps(answers)
    assert [path for path in home.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("client", "read"),
    [
        ("claude", lambda text: json.loads(text)["mcpServers"]["frontdesk"]),
        ("vscode", lambda text: json.loads(text)["servers"]["frontdesk"]),
        ("codex", lambda text: tomllib.loads(text)["mcp_servers"]["frontdesk"]),
    ],
)
def test_a_configuration_starts_this_program_from_any_directory(
    tmp_path: Path, client: str, read: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = run_on("some inbox.db", "mcp", "--print-config", client, "--as", "ana@example.com")
    assert (ended.exit_code, ended.stderr) == (0, "")
    server = read(ended.stdout)  # type: ignore[operator]
    assert Path(server["command"]).is_absolute()
    database = str(tmp_path / "some inbox.db")
    expected = ["mcp", "--database", database, "--as", "ana@example.com"]
    assert server["args"][-5:] == expected
    masked = run_on("some inbox.db", "mcp", "--print-config", client, "--mask").stdout
    assert read(masked)["args"][-1] == "--mask"  # type: ignore[operator]


def test_a_configuration_never_has_a_key_or_a_password() -> None:
    address = "postgresql://ana:secret@db.example.com/inbox"
    told = run_on(address, "mcp", "--print-config", "claude").stdout
    assert "db.example.com" in told
    assert "secret" not in told
    ended = run_command(
        "mcp", "--print-config", "codex", "--url", NOBODY, FRONTDESK_API_KEY="fd_live_secret"
    )
    assert NOBODY in ended.stdout
    assert "secret" not in ended.output
    assert "a profile keeps the key" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "No inbox is given"),
        (("--database", "missing.db"), "missing.db"),
        (("--zone", "Mars/Base"), "no time zone 'Mars/Base'"),
        (("--profile", "nobody"), "nobody"),
        (("--print-config", "emacs"), "'emacs' is not one of"),
    ],
)
def test_what_cannot_be_served_is_said_before_anything_is_read(
    arguments: tuple[str, ...], words: str
) -> None:
    ended = run_command("mcp", *arguments)
    assert (ended.exit_code, ended.stdout) == (USAGE, "")
    assert words in ended.stderr


@pytest.mark.slow
async def test_the_program_masks_customers_of_a_database(inbox_file: Path, home: Path) -> None:
    async with session_on(inbox_file, home, "--mask") as session:
        listed = await answer(session, "list_conversations", limit=5)
    assert listed.count(" · customer ") == 5
    assert "+" not in listed
