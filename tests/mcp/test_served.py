"""`frontdesk serve --mcp` with two workers, asked by the client of the SDK over TCP."""

import asyncio
import json
import re
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from frontdesk.store.sqlite import SQLiteDatabase
from mcp import Client
from tests.cli.servers import serving
from tests.mcp.sessions import MODES, answer, cursor_in, definitions_of, refusal
from tests.service.stored_keys import keep

pytestmark = pytest.mark.slow

CLIENTS = 50


class Served:
    """A running service: the address of /mcp, a key, and its log."""

    def __init__(self, address: str, key: str, log: Path) -> None:
        self.address, self.key, self._log = f"{address}/mcp", key, log

    @asynccontextmanager
    async def session(self, mode: str = "auto") -> AsyncIterator[Client]:
        """A session of the SDK's client."""
        headers = {"Authorization": f"Bearer {self.key}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=300) as http,
            Client(streamable_http_client(self.address, http_client=http), mode=mode) as session,
        ):
            yield session

    def logged(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self._log.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def served(sample_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    directory = tmp_path_factory.mktemp("served")
    path, log = Path(shutil.copy(sample_file, directory / "inbox.db")), directory / "log"
    database = SQLiteDatabase(path)
    key = keep(database)
    database.close()
    options = ("--mcp", "--workers", "2", "--rate-limit", "0", "--access-log", str(log))
    with serving() as start:
        process, address = start("--database", str(path), *options)
        yield Served(address, key, log)
        process.send_signal(signal.SIGTERM)
        assert process.communicate() == ("", "")
        assert process.returncode == 0


@pytest.mark.parametrize("mode", MODES)
async def test_both_versions_of_the_protocol_are_spoken_over_http(
    served: Served, mode: str
) -> None:
    async with served.session(mode) as session:
        tools = (await session.list_tools()).tools
        assert definitions_of(tools) / 4 <= 1_700
        assert "labels: " in await answer(session, "overview")
        assert "No label fits" in await refusal(session, "list_conversations", query="#nothing")
        resource = await session.read_resource("frontdesk://query-language")
        assert "is:open" in str(resource.contents[0])
        prompt = await session.get_prompt("triage", {})
        assert "list_conversations" in str(prompt.messages[0].content)


async def test_a_walk_goes_through_both_workers(served: Served) -> None:
    found: list[str] = []
    more: dict[str, str] = {}
    while True:
        # A connection for each call: either worker accepts it.
        async with served.session() as session:
            text = await answer(session, "list_conversations", query="", limit=20, **more)
        found += re.findall(r"^#(\d+) · ", text, re.MULTILINE)
        cursor = cursor_in(text)
        if cursor is None:
            break
        more = {"cursor": cursor}
    assert len(found) == len({*found}) > 60


async def test_fifty_clients_at_once_are_each_answered(served: Served) -> None:
    async def ask(number: int) -> str:
        async with served.session(MODES[number % 2]) as session:
            return await answer(session, "list_conversations", limit=10, last=5)

    texts = await asyncio.gather(*(ask(number) for number in range(CLIENTS)))
    assert len({text.split("\n", 1)[1] for text in texts}) == 1


async def test_the_log_has_calls_and_what_they_read_but_no_words(served: Served) -> None:
    async with served.session() as session:
        await answer(session, "list_conversations", query="refund", limit=1)
    entries = [entry for entry in served.logged() if entry["status"] == 200]
    routes = {entry["route"] for entry in entries}
    assert {"/mcp", "/v1/conversations"} <= routes
    assert {entry["key_id"] for entry in entries} == {served.key[8:16]}
    assert "refund" not in json.dumps(entries)
