"""Whether the process lives and whether it can answer; for supervisors, without a key."""

from frontdesk.service.exchange import Response
from frontdesk.store.accounts import any_account
from frontdesk.store.database import Database

# Without the first slash.
PATHS = ("healthz", "readyz")

_HEADERS = (("Content-Type", "application/json"), ("Cache-Control", "no-store"))


def alive() -> Response:
    """The process lives."""
    return Response(200, _HEADERS, b'{"status":"alive"}')


def ready(database: Database) -> Response:
    """The database answers.

    Raises: Unreachable: it does not.
    """
    database.read(any_account)
    return Response(200, _HEADERS, b'{"status":"ready"}')
