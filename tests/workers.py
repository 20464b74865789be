"""Waits for the background workers of an app."""

from contextlib import suppress
from typing import Any

from textual.app import App
from textual.worker import WorkerCancelled


async def all_ended(app: App[Any]) -> None:
    """Wait until every worker has ended; one that was cancelled for another has, too.

    Raises: WorkerFailed: one of them failed.
    """
    while not all(worker.is_finished for worker in app.workers):
        with suppress(WorkerCancelled):
            await app.workers.wait_for_complete()
