"""`python -m tests.bench.served hello` or `… inbox DATABASE`: serves one application, for a bench.

Both are served in the same way, on a free port, which is printed once requests are taken. The key
to the inbox is in FRONTDESK_BENCH_KEY. `h11` before them: by the parser of HTTP that is all Python.
"""

import os
import socket
import sys
from contextlib import closing
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from frontdesk.service.api_keys import SCOPES, EphemeralKey, KeyGrant, key_hash, key_id
from frontdesk.service.app import Application, Options, create_app
from frontdesk.service.rate_limit import RateLimit
from frontdesk.service.server.worker import answer
from frontdesk.store.connect import open_database
from frontdesk.store.database import Database

KEY_VARIABLE = "FRONTDESK_BENCH_KEY"
UNLIMITED = Options(rate_limit=RateLimit(requests=0))


def inbox(database: Database, key: str) -> Application:
    """The service over a database, open to one key, which asks as often as it likes."""
    guest = EphemeralKey(key_hash(key), KeyGrant(key_id(key), 1, frozenset(SCOPES), 1))
    return create_app(database, ephemeral_keys=[guest], options=UNLIMITED)


def hello() -> Starlette:
    """The least that an application can do."""

    def greet(request: Request) -> PlainTextResponse:
        return PlainTextResponse("Hello, world")

    async def greet_at_once(request: Request) -> PlainTextResponse:
        return greet(request)

    return Starlette(routes=[Route("/", greet_at_once)])


def _serve(app: Any, parser: str) -> None:
    # Named as TCP, or asyncio leaves answers waiting for those before them to be acknowledged.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(128)

    def ready() -> None:
        sys.stdout.write(f"{listening.getsockname()[1]}\n")
        sys.stdout.flush()

    if parser == "h11":
        ready()
        config = uvicorn.Config(
            app, http="h11", access_log=False, log_level="error", lifespan="off"
        )
        uvicorn.Server(config).run(sockets=[listening])
    else:
        answer(cast(Application, app), [listening], ready)


def main() -> None:
    """Serve until a signal."""
    parser = "h11" if sys.argv[1] == "h11" else "httptools"
    what, *where = sys.argv[2:] if parser == "h11" else sys.argv[1:]
    if what == "hello":
        _serve(hello(), parser)
        return
    with closing(open_database(where[0])) as database:
        app = inbox(database, os.environ[KEY_VARIABLE])
        try:
            _serve(app, parser)
        finally:
            app.close()


if __name__ == "__main__":
    main()
