"""`python -m tests.bench.served hello` or `… inbox DATABASE`: serves one application, for a bench.

Both are served in the same way, on a free port, which is printed once requests are taken. The key
to the inbox is in FRONTDESK_BENCH_KEY.
"""

import os
import socket
import sys
from contextlib import closing
from typing import Any, cast

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from frontdesk.cli.worker import answer
from frontdesk.service.app import Application, create_app
from frontdesk.service.auth import SCOPES, Grant, Guest, key_hash, key_id
from frontdesk.service.options import Options, RateLimit
from frontdesk.store.database import Database
from frontdesk.store.opening import open_database

KEY_VARIABLE = "FRONTDESK_BENCH_KEY"
UNLIMITED = Options(rate_limit=RateLimit(requests=0))


def inbox(database: Database, key: str) -> Application:
    """The service over a database, open to one key, which asks as often as it likes."""
    guest = Guest(key_hash(key), Grant(key_id(key), 1, frozenset(SCOPES), 1))
    return create_app(database, guests=[guest], options=UNLIMITED)


def hello() -> Starlette:
    """The least that an application can do."""

    def greet(request: Request) -> PlainTextResponse:
        return PlainTextResponse("Hello, world")

    async def greet_at_once(request: Request) -> PlainTextResponse:
        return greet(request)

    return Starlette(routes=[Route("/", greet_at_once)])


def _serve(app: Any) -> None:
    # Named as TCP, or asyncio leaves answers waiting for those before them to be acknowledged.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(128)

    def ready() -> None:
        sys.stdout.write(f"{listening.getsockname()[1]}\n")
        sys.stdout.flush()

    answer(cast(Application, app), [listening], ready)


def main() -> None:
    """Serve until a signal."""
    if sys.argv[1] == "hello":
        _serve(hello())
        return
    with closing(open_database(sys.argv[2])) as database:
        app = inbox(database, os.environ[KEY_VARIABLE])
        try:
            _serve(app)
        finally:
            app.close()


if __name__ == "__main__":
    main()
