"""`frontdesk serve` receives webhooks: from a signed body to a message, whatever happens."""

import hashlib
import hmac
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from servers import Serve

from frontdesk.cli.checking import check_command
from frontdesk.store.sqlite import SQLiteDatabase

SECRET, TOKEN = "an app's secret", "a verify token"
ENVIRONMENT = {"FRONTDESK_WHATSAPP_APP_SECRET": SECRET, "FRONTDESK_WHATSAPP_VERIFY_TOKEN": TOKEN}
PATH = "/webhooks/whatsapp"
PATIENCE_SECONDS = 60


def message(number: int) -> dict[str, object]:
    """A text of one of seven customers."""
    return {
        "from": f"1650555000{number % 7}",
        "id": f"wamid.{number}",
        "timestamp": str(1_773_480_000 + number),
        "type": "text",
        "text": {"body": f"message {number}"},
    }


def body(*numbers: int) -> bytes:
    """A webhook body with these messages."""
    metadata = {"display_phone_number": "15550001111", "phone_number_id": "106540352242922"}
    value = {"metadata": metadata, "messages": [message(number) for number in numbers]}
    change = {"field": "messages", "value": value}
    entry = {"id": "1", "changes": [change]}
    return json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode()


def post(client: httpx.Client, url: str, content: bytes) -> int:
    signature = "sha256=" + hmac.new(SECRET.encode(), content, hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", "X-Hub-Signature-256": signature}
    return client.post(url + PATH, content=content, headers=headers).status_code


def wamids(path: Path) -> set[str]:
    database = SQLiteDatabase(path)
    rows = database.read(lambda connection: connection.rows("SELECT wamid FROM message"))
    database.close()
    return {row["wamid"] for row in rows}


def wait_until(holds: Callable[[], bool]) -> None:
    """Look again and again, and fail after a long time."""
    until = time.monotonic() + PATIENCE_SECONDS
    pause = threading.Event()
    while not holds():
        assert time.monotonic() < until, "It did not come true in time"
        pause.wait(0.02)


def workers_of(process: "subprocess.Popen[str]") -> list[int]:
    """The processes that it started."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return [int(pid) for pid in children.read_text().split()] if children.exists() else []


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("secrets")
def test_a_message_that_was_posted_can_be_read_at_once(serve: Serve, key: str):
    _, url = serve()
    with httpx.Client() as client:
        challenge = {"hub.mode": "subscribe", "hub.verify_token": TOKEN, "hub.challenge": "7"}
        assert client.get(url + PATH, params=challenge).text == "7"
        assert post(client, url, body(1)) == 200

        def shown() -> bool:
            headers = {"Authorization": f"Bearer {key}"}
            page = client.get(f"{url}/v1/conversations", headers=headers).json()
            return [row["contact"]["phone"] for row in page["data"]] == ["+16505550001"]

        wait_until(shown)


@pytest.mark.usefixtures("secrets")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_no_message_that_was_acknowledged_is_lost_to_a_kill(serve: Serve, path: Path, workers: str):
    process, url = serve("--workers", workers)
    acknowledged: set[str] = set()
    enough = threading.Event()

    def send(first: int) -> None:
        with httpx.Client(timeout=30) as client, suppress(httpx.TransportError):
            for number in range(first, 100_000, 4):
                if post(client, url, body(number)) == 200:
                    acknowledged.add(f"wamid.{number}")
                if len(acknowledged) > 60:
                    enough.set()

    senders = [threading.Thread(target=send, args=(first,)) for first in range(4)]
    for sender in senders:
        sender.start()
    assert enough.wait(PATIENCE_SECONDS)
    for worker in workers_of(process):
        os.kill(worker, signal.SIGKILL)
    process.kill()
    process.wait()
    for sender in senders:
        sender.join()
    serve("--workers", workers)
    wait_until(lambda: acknowledged <= wamids(path))
    assert CliRunner().invoke(check_command, ["--database", str(path)]).exit_code == 0


@pytest.mark.usefixtures("secrets")
def test_webhooks_may_have_an_address_of_their_own(serve: Serve, key: str):
    process, url = serve("--webhooks", "127.0.0.1:0")
    assert process.stdout is not None
    own = process.stdout.readline().strip()
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client() as client:
        assert post(client, own, body(1)) == 200
        assert client.get(f"{own}/v1/labels", headers=headers).status_code == 404
        assert client.get(f"{url}/v1/labels", headers=headers).status_code == 200
        assert post(client, url, body(2)) == 404


def test_without_secrets_no_webhooks_are_received(serve: Serve):
    _, url = serve()
    with httpx.Client() as client:
        assert post(client, url, body(1)) == 404
