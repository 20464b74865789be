"""`frontdesk serve --metrics`: Prometheus metrics of one worker and of several."""

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from servers import Serve

PATIENCE_SECONDS = 20
METRICS = ("--metrics", "127.0.0.1:0")
WEBHOOK = b'{"object": "whatsapp_business_account", "entry": []}'

Samples = Mapping[tuple[str, ...], float]


def started(serve: Serve, *options: str) -> tuple[int, str, str]:
    """The process of a service, its address, and that of its metrics."""
    process, url = serve(*METRICS, *options)
    assert process.stdout is not None
    return process.pid, url, process.stdout.readline().strip()


def samples(url: str) -> Samples:
    """The values of the metrics, by name and the values of the labels in their order."""
    text = httpx.get(f"{url}/metrics").raise_for_status().text
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


def expect(url: str, expected: Samples) -> None:
    """Wait for these values: a response is counted after it was sent."""
    ends = time.monotonic() + PATIENCE_SECONDS
    found: Samples = {}
    while time.monotonic() < ends:
        everything = samples(url)
        found = {name: everything.get(name, 0) for name in expected}
        if found == expected:
            return
    assert found == expected


@pytest.mark.parametrize("workers", [1, 3])
def test_requests_are_counted_over_all_workers(serve: Serve, key: str, workers: int):
    _, url, metrics = started(serve, "--workers", str(workers))
    bearer = {"Authorization": f"Bearer {key}"}
    for _ in range(12):
        assert httpx.get(f"{url}/v1/labels", headers=bearer).status_code == 200
    for _ in range(3):
        httpx.get(f"{url}/v1/conversations/1/messages?limit=0", headers=bearer)
    httpx.get(f"{url}/v1/labels")
    httpx.get(f"{url}/wp-login.php")
    expect(
        metrics,
        {
            ("requests_total", "", "/v1/labels", "200"): 12,
            ("requests_total", "missing_credentials", "/v1/labels", "401"): 1,
            ("requests_total", "invalid_limit", "/v1/conversations/{}/messages", "400"): 3,
            ("requests_total", "route_not_found", "unknown", "404"): 1,
            ("request_seconds_count", "/v1/labels"): 13,
            ("queue",): 0,
            ("workers",): workers,
            ("database_up",): 1,
        },
    )


def test_webhooks_are_counted_by_outcome(serve: Serve):
    _, url, metrics = started(serve, "--insecure-no-signature")
    headers = {"Content-Type": "application/json"}
    for content in (WEBHOOK, WEBHOOK, b"[]"):
        httpx.post(f"{url}/webhooks/whatsapp", content=content, headers=headers)
    expect(
        metrics,
        {
            ("webhooks_total", "stored"): 1,
            ("webhooks_total", "duplicate"): 1,
            ("webhooks_total", "invalid_json"): 1,
            ("webhooks_pending", "default"): 0,
            ("webhooks_lag_seconds", "default"): 0,
        },
    )


def test_a_worker_that_died_is_counted_no_more(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    pid, _, metrics = started(serve, "--workers", "2")
    expect(metrics, {("workers",): 2})
    (directory,) = tmp_path.glob("frontdesk-metrics-*")
    dead = int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
    os.kill(dead, signal.SIGKILL)
    ends = time.monotonic() + PATIENCE_SECONDS
    while len(living(directory)) < 2 or str(dead) in living(directory):
        assert time.monotonic() < ends
    expect(metrics, {("workers",): 2, ("workers_died_total",): 1, ("database_up",): 1})


def living(directory: Path) -> set[str]:
    return {file.stem.rpartition("_")[2] for file in directory.glob("gauge_live*.db")}


@pytest.mark.parametrize("options", [(), ("--insecure-no-signature",)])
def test_metrics_are_at_their_own_address_alone(serve: Serve, options: tuple[str, ...]):
    _, url, metrics = started(serve, *options)
    for path in ("/metrics", "/v1/metrics", "/webhooks/metrics"):
        response = httpx.get(url + path)
        assert response.status_code in (401, 404)
        assert "frontdesk_" not in response.text
    for path in ("/v1/labels", "/healthz", "/webhooks/whatsapp"):
        assert httpx.get(metrics + path).status_code == 404
    assert httpx.post(f"{metrics}/metrics").status_code == 405
