"""An operator receives webhooks of an unknown number, sets it up, and replays what was left out."""

import hashlib
import hmac
import json
from pathlib import Path

import httpx
import pytest

from tests.cli.servers import Serve
from tests.stories.conftest import Shell

SECRET = "an app's secret"
NUMBER = "106540352242922"
CHANNEL = f'[[channels]]\nid = "{NUMBER}"\nalias = "Front door"\n'


@pytest.mark.slow
def test_an_operator_receives_webhooks_and_replays_what_was_left_out(
    serve: Serve, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRONTDESK_WHATSAPP_APP_SECRET", SECRET)
    monkeypatch.setenv("FRONTDESK_WHATSAPP_VERIFY_TOKEN", "a verify token")
    place = ("--database", str(tmp_path / "inbox.db"))
    shell("db", "init", *place)
    server, url = serve(*place, "--no-auto-create-channels")
    assert post(url, "Is anybody there?", secret="another") == 401
    assert post(url, "Is anybody there?") == 200
    # Ended in order, it applies what it has accepted first.
    server.terminate()
    assert server.wait() == 0
    assert json.loads(shell("conversations", "list", *place, "--json")) == []

    (tmp_path / "desk.toml").write_text(CHANNEL, encoding="utf-8")
    shell("import", "catalogue", str(tmp_path / "desk.toml"), *place)
    assert "replayed: 1 applied" in shell("webhooks", "replay", "--all", *place)
    (row,) = json.loads(shell("conversations", "list", *place, "--json"))
    assert (row["contact"]["phone"], row["channel"]["name"]) == ("+16505550001", "Front door")
    thread = shell("conversations", "view", row["id"], *place)
    assert "Is anybody there?" in thread

    shell("webhooks", "replay", "--all", *place)
    assert shell("conversations", "view", row["id"], *place) == thread
    shell("db", "check", *place)


def post(url: str, text: str, secret: str = SECRET) -> int:
    message = {"from": "16505550001", "id": "wamid.1", "timestamp": "1773480001", "type": "text"}
    metadata = {"display_phone_number": "15550001111", "phone_number_id": NUMBER}
    value = {"metadata": metadata, "messages": [{**message, "text": {"body": text}}]}
    entry = {"id": "1", "changes": [{"field": "messages", "value": value}]}
    content = json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode()
    signature = "sha256=" + hmac.new(secret.encode(), content, hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", "X-Hub-Signature-256": signature}
    return httpx.post(f"{url}/webhooks/whatsapp", content=content, headers=headers).status_code
