"""`frontdesk serve --metrics`: Prometheus metrics of one worker and of several."""

import os
import signal
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from servers import Serve, serving, wait_until
from tests.commands import run_on

from frontdesk.cli.exit_codes import USAGE

METRICS = ("--metrics", "127.0.0.1:0")
WEBHOOK = b'{"object": "whatsapp_business_account", "entry": []}'

Samples = Mapping[tuple[str, ...], float]


class Served(NamedTuple):
    """A service with metrics: its process, its address, and theirs."""

    pid: int
    url: str
    metrics: str


def started(serve: Serve, *options: str) -> Served:
    process, url = serve(*METRICS, *options)
    assert process.stdout is not None
    return Served(process.pid, url, process.stdout.readline().strip())


@pytest.fixture(scope="module")
def one_worker(served_path: Path) -> Iterator[Served]:
    """A service of one worker that tests share."""
    with serving() as serve:
        yield started(serve, "--database", str(served_path), "--insecure-no-signature")


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with httpx.Client() as client:
        yield client


def samples(client: httpx.Client, url: str) -> Samples:
    """The values of the metrics, by name and the values of the labels in their order."""
    text = client.get(f"{url}/metrics").raise_for_status().text
    types = [line for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(types) == len(set(types))
    assert "pid=" not in text
    return {
        (
            sample.name.removeprefix("frontdesk_"),
            *(value for _, value in sorted(sample.labels.items())),
        ): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def expect(client: httpx.Client, url: str, expected: Samples, before: Samples) -> None:
    """Wait for these values more than `before`: a response is counted after it was sent."""

    def holds() -> bool:
        now = samples(client, url)
        return {name: now.get(name, 0) - before.get(name, 0) for name in expected} == expected

    wait_until(holds)


def ask(client: httpx.Client, url: str, key: str) -> Samples:
    """Ask for some things, and return what is counted of that."""
    bearer = {"Authorization": f"Bearer {key}"}
    for _ in range(12):
        assert client.get(f"{url}/v1/labels", headers=bearer).status_code == 200
    for _ in range(3):
        client.get(f"{url}/v1/conversations/1/messages?limit=0", headers=bearer)
    client.get(f"{url}/v1/labels")
    client.get(f"{url}/wp-login.php")
    return {
        ("requests_total", "", "/v1/labels", "200"): 12,
        ("requests_total", "missing_credentials", "/v1/labels", "401"): 1,
        ("requests_total", "invalid_limit", "/v1/conversations/{}/messages", "400"): 3,
        ("requests_total", "route_not_found", "unknown", "404"): 1,
        ("request_seconds_count", "/v1/labels"): 13,
    }


def test_requests_are_counted(client: httpx.Client, one_worker: Served, served_key: str):
    before = samples(client, one_worker.metrics)
    expect(client, one_worker.metrics, ask(client, one_worker.url, served_key), before)
    state = {("queue",): 0, ("workers",): 1, ("database_up",): 1}
    expect(client, one_worker.metrics, state, {})


def test_requests_are_counted_over_all_workers(client: httpx.Client, serve: Serve, key: str):
    _, url, metrics = started(serve, "--workers", "3")
    times = 3
    for _ in range(times):
        # A connection of its own, which is one worker's.
        with httpx.Client() as other:
            once = ask(other, url, key)
    counted = {name: times * value for name, value in once.items()}
    expect(client, metrics, {**counted, ("workers",): 3, ("database_up",): 1}, {})


def test_webhooks_are_counted_by_outcome(client: httpx.Client, one_worker: Served):
    before = samples(client, one_worker.metrics)
    headers = {"Content-Type": "application/json"}
    for content in (WEBHOOK, WEBHOOK, b"[]"):
        client.post(f"{one_worker.url}/webhooks/whatsapp", content=content, headers=headers)
    counted = {
        ("webhooks_total", "stored"): 1,
        ("webhooks_total", "duplicate"): 1,
        ("webhooks_total", "invalid_json"): 1,
    }
    expect(client, one_worker.metrics, counted, before)
    state = {("webhooks_pending", "default"): 0, ("webhooks_lag_seconds", "default"): 0}
    expect(client, one_worker.metrics, state, {})


@pytest.mark.slow
def test_a_worker_that_died_is_counted_no_more(
    client: httpx.Client, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    pid, _, metrics = started(serve, "--workers", "2")
    expect(client, metrics, {("workers",): 2}, {})
    (directory,) = tmp_path.glob("frontdesk-metrics-*")
    dead = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0]
    os.kill(int(dead), signal.SIGKILL)
    wait_until(lambda: len(living(directory)) == 2 and dead not in living(directory))
    expected = {("workers",): 2, ("workers_died_total",): 1, ("database_up",): 1}
    expect(client, metrics, expected, {})


def living(directory: Path) -> set[str]:
    return {file.stem.rpartition("_")[2] for file in directory.glob("gauge_live*.db")}


def test_metrics_are_at_their_own_address_alone(client: httpx.Client, one_worker: Served):
    _, url, metrics = one_worker
    for path in ("/metrics", "/v1/metrics", "/webhooks/metrics"):
        response = client.get(url + path)
        assert response.status_code in (401, 404)
        assert "frontdesk_" not in response.text
    for path in ("/v1/labels", "/healthz", "/webhooks/whatsapp"):
        # Every path of that address has the metrics, and nothing else.
        assert client.get(metrics + path).text.startswith("# HELP ")
    assert client.post(f"{metrics}/metrics").status_code == 405


@pytest.mark.parametrize("address", ["8081", ":8081", "localhost:", "localhost:x", "h:70000"])
def test_an_address_without_its_port_is_refused(path: Path, address: str):
    ended = run_on(path, "serve", "--port", "0", "--metrics", address)
    assert (ended.exit_code, "HOST:PORT" in ended.stderr) == (USAGE, True)


def test_an_address_of_metrics_that_is_taken_is_reported_in_one_line(path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = run_on(path, "serve", "--port", "0", "--metrics", address)
    assert ended.exit_code == USAGE
    (line,) = ended.stderr.splitlines()
    assert line.startswith("frontdesk: Cannot listen on 127.0.0.1, port ")
