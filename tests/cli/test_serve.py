"""`frontdesk serve`: the service over TCP, from a start to a clean end."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from frontdesk.cli.keys import KeyOrder, make_key
from frontdesk.cli.serving import serve_command
from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.ingest.apply import apply_events
from frontdesk.ingest.events import LabelUpsert
from frontdesk.service.auth import SCOPES
from frontdesk.store.sqlite import SQLiteDatabase

Serve = Callable[..., tuple["subprocess.Popen[str]", str]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with one label."""
    path = tmp_path / "inbox.db"
    database = SQLiteDatabase(path, create=True)
    labels = [LabelUpsert("billing", 0)]
    database.write(lambda connection: apply_events(connection, 1, labels, now=0))
    database.close()
    return path


@pytest.fixture
def key(path: Path) -> str:
    return str(make_key(path, KeyOrder("default", "x", None, SCOPES, None), now=0)["key"])


@pytest.fixture
def serve(path: Path) -> Iterator[Serve]:
    """Starts the program on a free port; gives the process and the address that it prints."""
    started: list[subprocess.Popen[str]] = []

    def start(*options: str) -> tuple["subprocess.Popen[str]", str]:
        command = ["serve", "--database", str(path), "--port", "0", *options]
        process = subprocess.Popen(
            [sys.executable, "-m", "frontdesk", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        return process, process.stdout.readline().strip()

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_it_prints_where_it_is_once_it_can_be_asked(serve: Serve, key: str):
    _, url = serve()
    assert url.startswith("http://127.0.0.1:")
    response = httpx.get(f"{url}/v1/labels", headers={"Authorization": f"Bearer {key}"})
    assert [label["title"] for label in response.json()["data"]] == ["billing"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_and_it_has_said_nothing_else(
    serve: Serve, key: str, number: signal.Signals
):
    process, url = serve()
    with httpx.Client(headers={"Authorization": f"Bearer {key}"}) as client:
        assert client.get(f"{url}/v1/contacts", params={"q": "secret"}).status_code == 200
        process.send_signal(number)
        out, err = process.communicate()
    assert process.returncode == 0
    assert (out, err) == ("", "")


def test_the_same_answers_come_over_tcp_as_in_process(serve: Serve, key: str):
    _, url = serve()
    headers = {"Authorization": f"Bearer {key}"}
    refused = httpx.get(f"{url}/v1/labels?nope=1", headers=headers)
    assert refused.status_code == 400
    assert refused.json()["code"] == "invalid_parameter"
    head = httpx.head(f"{url}/v1/labels", headers=headers)
    assert head.status_code == 200
    same = httpx.get(f"{url}/v1/labels", headers={**headers, "If-None-Match": head.headers["ETag"]})
    assert same.status_code == 304
    encoded = httpx.get(f"{url}/v1/contacts/by-phone/%2B16505551234", headers=headers)
    assert encoded.json()["code"] == "contact_not_found"
    assert httpx.post(f"{url}/v1/labels", headers=headers).status_code == 405
    assert httpx.get(f"{url}/v1/labels").json()["code"] == "missing_credentials"


def test_a_port_that_is_taken_is_told_in_one_line(path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        arguments = ["--database", str(path), "--port", str(port)]
        result = CliRunner().invoke(serve_command, arguments)
    assert isinstance(result.exception, BadSettings)
    assert str(port) in str(result.exception)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.com", "::"])
def test_no_key_travels_beyond_this_machine_unless_told_to(path: Path, host: str):
    arguments = ["--database", str(path), "--port", "0", "--host", host]
    result = CliRunner().invoke(serve_command, arguments)
    assert isinstance(result.exception, BadSettings)
    assert "--allow-plain-http" in str(result.exception)


def test_it_listens_beyond_this_machine_when_told_to(serve: Serve, key: str):
    _, url = serve("--host", "0.0.0.0", "--allow-plain-http")
    port = url.rpartition(":")[2]
    response = httpx.get(
        f"http://127.0.0.1:{port}/v1/labels", headers={"Authorization": f"Bearer {key}"}
    )
    assert response.status_code == 200


def test_a_missing_database_is_not_made(tmp_path: Path):
    arguments = ["--database", str(tmp_path / "none.db"), "--port", "0"]
    result = CliRunner().invoke(serve_command, arguments)
    assert isinstance(result.exception, UnusableFile)
    assert list(tmp_path.iterdir()) == []


def test_without_its_server_the_program_says_how_to_get_it(path: Path, tmp_path: Path):
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "uvicorn.py").write_text("raise ImportError('not here')\n")
    ended = subprocess.run(
        [sys.executable, "-m", "frontdesk", "serve", "--database", str(path), "--port", "0"],
        env={**os.environ, "PYTHONPATH": str(blocked)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1
    assert "pip install 'frontdesk[serve]'" in ended.stderr
