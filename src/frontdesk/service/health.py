"""Liveness and readiness endpoints for supervisors; no key needed."""

from frontdesk.service.http import Response
from frontdesk.store.accounts import any_account
from frontdesk.store.database import Database

# Without the first slash.
PATHS = ("healthz", "readyz")

_HEADERS = (("Content-Type", "application/json"), ("Cache-Control", "no-store"))


def alive() -> Response:
    """Liveness: the process responds."""
    return Response(200, _HEADERS, b'{"status":"alive"}')


def ready(database: Database) -> Response:
    """Readiness: the database can be read.

    Raises: Unreachable: it cannot.
    """
    database.read(any_account)
    return Response(200, _HEADERS, b'{"status":"ready"}')
