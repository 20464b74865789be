"""Metrics that are read from the database with each scrape."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from frontdesk.errors import Unreachable
from frontdesk.service.prometheus_metrics import DatabaseMetrics
from frontdesk.store import media, raw_events
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
