"""A service of two workers that holds requests: changes by another process, who goes, its end."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from servers import serving, wait_until
from tests.patience import HANG_SECONDS

from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.service.api_keys import SCOPES
from frontdesk.store.connect import open_database
from frontdesk.store.database import Database
from frontdesk.store.writes import bump_revision

pytestmark = pytest.mark.slow

WAIT = {"Prefer": "wait=50"}


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[tuple[Path, str, Database]]:
    """A database of another process than the service's, with a key of it."""
    path = tmp_path / "inbox.db"
    open_database(str(path), create=True).close()
    key = str(make_key(str(path), KeyOrder("default", "x", None, SCOPES, None), now=0)["key"])
    database = open_database(str(path))
    yield path, key, database
    database.close()


def held(metrics: str) -> float:
    text = httpx.get(metrics).text
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "frontdesk_held"
    )


def test_a_service_holds_requests_until_another_process_writes_or_it_ends(
    stored: tuple[Path, str, Database],
) -> None:
    path, key, database = stored
    with (
        serving() as serve,
        ThreadPoolExecutor(40) as threads,
        httpx.Client(headers={"Authorization": f"Bearer {key}"}, timeout=HANG_SECONDS) as client,
    ):
        process, url = serve(
            "--database",
            str(path),
            "--workers",
            "2",
            "--metrics",
            "127.0.0.1:0",
            "--rate-limit",
            "0",
        )
        assert process.stdout is not None
        metrics = process.stdout.readline().strip()

        def ask(after: str) -> httpx.Response:
            return client.get(f"{url}/v1/changes", params={"after": after}, headers=WAIT)

        after = client.get(f"{url}/v1/changes").json()["next"]
        # Twice, so that connections are used again after a hold.
        for number in (7, 8):
            asked = [threads.submit(ask, after) for _ in range(20)]
            wait_until(lambda: held(metrics) == 20)
            database.write(lambda connection, number=number: bump_revision(connection, 1, [number]))
            answers = [one.result(HANG_SECONDS) for one in asked]
            assert {answer.headers["Preference-Applied"] for answer in answers} == {"wait=50"}
            assert [answer.json()["gone"] for answer in answers] == [[str(number)]] * 20
            (after,) = {answer.json()["next"] for answer in answers}
            wait_until(lambda: held(metrics) == 0)

        gone = [httpx.Client(headers=client.headers, timeout=HANG_SECONDS) for _ in range(5)]
        left = threading.Barrier(6)

        def leave(client: httpx.Client) -> None:
            query = {"after": after}
            # For the answer alone: to connect may take its time.
            timeout = httpx.Timeout(HANG_SECONDS, read=0.5)
            with pytest.raises(httpx.ReadTimeout):
                client.get(f"{url}/v1/changes", params=query, headers=WAIT, timeout=timeout)
            client.close()
            left.wait(HANG_SECONDS)

        for one in gone:
            threads.submit(leave, one)
        left.wait(HANG_SECONDS)
        wait_until(lambda: held(metrics) == 0)

        asked = [threads.submit(ask, after) for _ in range(20)]
        wait_until(lambda: held(metrics) == 20)
        process.terminate()
        for answer in (one.result(HANG_SECONDS) for one in asked):
            assert (answer.status_code, answer.json()["next"]) == (200, after)
        assert process.wait(HANG_SECONDS) == 0
