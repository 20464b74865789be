"""`frontdesk serve` receives webhooks: from a signed body to a message."""

import hashlib
import hmac
import json
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from servers import Serve, wait_until

from frontdesk.cli.commands.serve import serve_command
from frontdesk.errors import BadSettings

SECRET, TOKEN = "an app's secret", "a verify token"
ENVIRONMENT = {"FRONTDESK_WHATSAPP_APP_SECRET": SECRET, "FRONTDESK_WHATSAPP_VERIFY_TOKEN": TOKEN}
PATH = "/webhooks/whatsapp"


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


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("secrets")
def test_a_message_that_was_posted_can_be_read_at_once(serve: Serve, key: str):
    _, url = serve()
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client() as client:
        challenge = {"hub.mode": "subscribe", "hub.verify_token": TOKEN, "hub.challenge": "7"}
        assert client.get(url + PATH, params=challenge).text == "7"
        assert post(client, url, body(1)) == 200

        def shown() -> bool:
            page = client.get(f"{url}/v1/conversations", headers=headers).json()
            return [row["contact"]["phone"] for row in page["data"]] == ["+16505550001"]

        wait_until(shown)


FILE = f"""
app_secret = "{SECRET}"
verify_token = "{TOKEN}"

[accounts.shop]
app_secret = "the shop's"
verify_token = "its token"
"""


def secrets_file(directory: Path, text: str = FILE, mode: int = 0o600) -> Path:
    file = directory / "secrets.toml"
    file.write_text(text)
    file.chmod(mode)
    return file


def test_webhooks_with_secrets_of_a_file_take_nothing_from_the_limit_of_a_key(
    serve: Serve, key: str, tmp_path: Path
):
    secrets = ("--webhook-secrets", str(secrets_file(tmp_path)))
    _, url = serve(*secrets, "--rate-limit", "1", "--burst", "2")
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(headers=headers) as client:
        for number in range(5):
            assert post(client, url, body(number)) == 200
        asked = [client.get(f"{url}/v1/labels").status_code for _ in range(3)]
    assert asked == [200, 200, 429]


def refusal(path: Path, *options: str) -> str:
    """Why the program does not start."""
    arguments = ["--database", str(path), "--port", "0", *options]
    error = CliRunner().invoke(serve_command, arguments).exception
    assert isinstance(error, BadSettings)
    return str(error)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o700 | 0o020])
def test_a_file_that_others_can_read_is_refused(path: Path, tmp_path: Path, mode: int):
    file = secrets_file(tmp_path, mode=mode)
    assert "chmod 600" in refusal(path, "--webhook-secrets", str(file))


def test_a_file_is_not_followed_elsewhere(path: Path, tmp_path: Path):
    link = tmp_path / "link"
    link.symlink_to(secrets_file(tmp_path))
    assert "symbolic link" in refusal(path, "--webhook-secrets", str(link))
    assert "No such file" in refusal(path, "--webhook-secrets", str(tmp_path / "none"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        f'app_secret = "{SECRET}"',
        f'app_secret = "{SECRET}"\nverify_token = ""',
        f'app_secret = "{SECRET}"\nverify_token = "x"\nother = 1',
        f'[accounts.shop]\napp_secret = "{SECRET}"',
        f'accounts = "{SECRET}"',
        f"app_secret = {SECRET}",
    ],
)
def test_a_file_that_lacks_something_is_reported_without_what_is_in_it(
    path: Path, tmp_path: Path, text: str
):
    printed = refusal(path, "--webhook-secrets", str(secrets_file(tmp_path, text)))
    assert "secrets.toml" in printed
    assert SECRET not in printed


def test_half_of_the_secrets_are_none(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FRONTDESK_WHATSAPP_APP_SECRET", SECRET)
    printed = refusal(path)
    assert "FRONTDESK_WHATSAPP_VERIFY_TOKEN" in printed
    assert SECRET not in printed


def test_without_signatures_only_this_machine_is_listened_to(serve: Serve, path: Path):
    beyond = ("--insecure-no-signature", "--allow-plain-http")
    assert "this machine alone" in refusal(path, "--host", "0.0.0.0", *beyond)
    _, url = serve("--insecure-no-signature")
    headers = {"Content-Type": "application/json"}
    with httpx.Client() as client:
        response = client.post(url + PATH, content=body(1), headers=headers)
    assert response.status_code == 200
