"""Metrics: those of requests and files, and those that are read from the database."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from frontdesk.errors import Unreachable
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import create_app
from frontdesk.service.prometheus_metrics import DatabaseMetrics, ServiceMetrics
from frontdesk.store import media, media_texts, raw_events
from frontdesk.store.accounts import add_account
from frontdesk.store.database import Connection, Database
from frontdesk.store.media import MediaRequest, StoredFile
from frontdesk.store.media_directory import MediaDirectory
from frontdesk.store.raw_events import ReceivedBody

NOW = 1_773_480_413_000


def samples(metrics: DatabaseMetrics) -> dict[tuple[str, ...], float]:
    """Values by the name of the metric and its labels."""
    return {
        (sample.name.removeprefix("frontdesk_"), *sample.labels.values()): sample.value
        for family in metrics.collect()
        for sample in family.samples
    }


def metrics_of(database: Database, files: MediaDirectory | None = None) -> DatabaseMetrics:
    @contextmanager
    def opened() -> Iterator[Database]:
        yield database

    return DatabaseMetrics(opened, lambda: NOW, files)


def test_an_empty_inbox_has_nothing_that_waits(database: Database) -> None:
    assert samples(metrics_of(database)) == {
        ("database_up",): 1,
        ("webhooks_pending", "default"): 0,
        ("webhooks_failed", "default"): 0,
        ("webhooks_lag_seconds", "default"): 0,
        ("media_pending", "default"): 0,
        ("media_lag_seconds", "default"): 0,
        ("media_bytes", "default"): 0,
        ("media_texts_due", "default"): 0,
        ("media_texts_lag_seconds", "default"): 0,
    }


def test_what_waits_is_counted_for_each_account_with_the_age_of_the_oldest(
    database: Database,
) -> None:
    other = database.write(lambda c: add_account(c, "other", "Other", NOW))
    bodies = [ReceivedBody(1, bytes([65 + n]), NOW - 5_000 + n * 1_000) for n in range(3)]
    for body in bodies:
        database.write(lambda c, body=body: raw_events.keep(c, body))
    database.write(
        lambda c: raw_events.set_final_state(c, 1, bodies[2].digest, "failed", reason="odd", done=0)
    )
    requests = [
        MediaRequest(f"k{n}", n, 1, "image", media.WHATSAPP, str(n), NOW - n * 1_500)
        for n in (1, 2, 3)
    ]
    stored = StoredFile("a" * 64, 70, "image/png")

    def store(connection: Connection) -> None:
        media.add(connection, other, requests)
        media.add_stored(connection, other, requests[2], stored, NOW, lambda: True)
        media_texts.mark_again(connection, other, after=0)

    database.write(store)
    found = samples(metrics_of(database))
    assert {name: value for name, value in found.items() if value} == {
        ("database_up",): 1,
        ("webhooks_pending", "default"): 2,
        ("webhooks_failed", "default"): 1,
        ("webhooks_lag_seconds", "default"): 5,
        ("media_pending", "other"): 2,
        ("media_lag_seconds", "other"): 3,
        ("media_bytes", "other"): 70,
        ("media_texts_due", "other"): 1,
        ("media_texts_lag_seconds", "other"): 4.5,
    }


def test_the_free_space_is_that_of_the_directory_of_files(
    database: Database, tmp_path: Path
) -> None:
    files = MediaDirectory(tmp_path / "media", least_free_bytes=0)
    assert samples(metrics_of(database, files))["media_free_bytes",] > 0


def test_a_database_that_cannot_be_read_is_down_and_nothing_else_is_said() -> None:
    def opened() -> AbstractContextManager[Database]:
        raise Unreachable("No answer")

    assert samples(DatabaseMetrics(opened, lambda: NOW)) == {("database_up",): 0}


async def test_requests_are_counted_by_route_status_and_problem(
    clients: Any, database: Database
) -> None:
    metrics = ServiceMetrics()
    key, guest = new_ephemeral_key(1, 1)
    app = create_app(database, ephemeral_keys=[guest], telemetry=metrics)
    client = await clients.client_of(app, key)
    for path in ("/v1/labels", "/v1/labels", "/v1/labels?limit=0", "/v1/nope"):
        await client.get(path)
    counted = {
        tuple(sample.labels.values()): sample.value
        for family in metrics.registry.collect()
        for sample in family.samples
        if sample.name == "frontdesk_requests_total"
    }
    assert counted == {
        ("/v1/labels", "200", ""): 2,
        ("/v1/labels", "400", "invalid_limit"): 1,
        ("unknown", "404", "route_not_found"): 1,
    }


def test_what_happens_to_files_and_bodies_is_counted() -> None:
    metrics = ServiceMetrics()
    value = metrics.registry.get_sample_value
    assert (value("frontdesk_workers"), value("frontdesk_database_writable")) == (1, 1)
    metrics.media("stored", 1.5)
    metrics.media_resting(["token", "budget", "token"])
    metrics.webhook("duplicate")
    metrics.writable(False)
    metrics.shed()
    metrics.read("inline")
    with metrics.queued():
        assert value("frontdesk_queue") == 1
    assert value("frontdesk_queue") == 0
    assert value("frontdesk_media_total", {"outcome": "stored"}) == 1
    assert value("frontdesk_media_seconds_sum") == 1.5
    paused = [
        value("frontdesk_media_paused", {"why": why}) for why in ("token", "rate", "room", "budget")
    ]
    assert paused == [2, 0, 0, 1]
    assert value("frontdesk_webhooks_total", {"outcome": "duplicate"}) == 1
    assert value("frontdesk_database_writable") == 0
    assert value("frontdesk_shed_total") == 1
    assert value("frontdesk_reads_total", {"mode": "inline"}) == 1
