"""A service that reads from a standby and writes to the primary, after failovers too."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psycopg
import pytest
from servers import serving, wait_until
from tests.patience import HANG_SECONDS
from tests.postgres_pair import Pair, running_pair
from tests.postgres_servers import server_directory

from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.service.api_keys import SCOPES

pytestmark = [pytest.mark.postgres, pytest.mark.slow]

SECRET = "an app's secret"


@pytest.fixture
def pair() -> Iterator[Pair]:
    with server_directory() as servers, running_pair(servers) as pair:
        yield pair


def said(number: int) -> bytes:
    """A text of a customer of its own."""
    metadata = {"display_phone_number": "15550001111", "phone_number_id": "106540352242922"}
    message = {"from": f"1650555000{number}", "id": f"w{number}", "type": "text"}
    message |= {"timestamp": str(1_773_480_000 + number)}
    value = {"metadata": metadata, "messages": [{**message, "text": {"body": "hello"}}]}
    entry = [{"id": "1", "changes": [{"field": "messages", "value": value}]}]
    return json.dumps({"object": "whatsapp_business_account", "entry": entry}).encode()


class Asked:
    """A running service, as Meta and as a viewer see it."""

    def __init__(self, client: httpx.Client, url: str, key: str) -> None:
        self._client = client
        self._url = url
        self._reader = {"Authorization": f"Bearer {key}"}

    def post(self, number: int) -> int:
        body = said(number)
        signature = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        headers = {"Content-Type": "application/json", "X-Hub-Signature-256": signature}
        place = f"{self._url}/webhooks/whatsapp"
        return self._client.post(place, content=body, headers=headers).status_code

    def shown(self) -> int:
        answer = self._client.get(f"{self._url}/v1/conversations", headers=self._reader)
        assert answer.status_code == 200, answer.text
        return len(answer.json()["data"])

    def changes(self, after: str | None = None) -> dict[str, Any]:
        """What changed since a position, waited for; without one, the position of now."""
        query = {} if after is None else {"after": after}
        headers = {**self._reader, "Prefer": "wait=50"}
        answer = self._client.get(f"{self._url}/v1/changes", params=query, headers=headers)
        assert answer.status_code == 200, answer.text
        page: dict[str, Any] = answer.json()
        return page


def test_reads_come_from_the_standby_while_what_is_received_goes_to_the_primary(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRONTDESK_WHATSAPP_APP_SECRET", SECRET)
    monkeypatch.setenv("FRONTDESK_WHATSAPP_VERIFY_TOKEN", "a verify token")
    primary = pair.primary.address()
    key = str(make_key(primary, KeyOrder("default", "x", None, SCOPES, None), now=0)["key"])
    with (
        serving() as serve,
        ThreadPoolExecutor(1) as threads,
        httpx.Client(timeout=HANG_SECONDS) as client,
    ):
        _, url = serve("--database", primary, "--read-database", pair.address)
        service = Asked(client, url, key)
        position = service.changes()["next"]
        news = threads.submit(service.changes, position)
        assert service.post(1) == 200
        assert [row["id"] for row in news.result(HANG_SECONDS)["data"]] == ["1"]
        assert service.shown() == 1

        pair.primary.stop()
        assert service.post(2) == 503
        assert service.shown() == 1

        pair.primary.start(synchronous_commit="remote_apply")
        wait_until(lambda: service.post(2) == 200)
        wait_until(lambda: service.shown() == 2)

        pair.standby.kill()
        forget_the_standby(primary)
        wait_until(lambda: service.post(3) == 200)
        wait_until(lambda: service.shown() == 3)


def forget_the_standby(primary: str) -> None:
    """Have the primary acknowledge alone."""
    with psycopg.connect(primary, autocommit=True) as session:
        session.execute("ALTER SYSTEM RESET synchronous_standby_names")
        session.execute("SELECT pg_reload_conf()")
