"""Fake third-party service: answers GETs on this machine and records them."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

Query = Mapping[str, str]


@dataclass(frozen=True)
class Reply:
    """An answer that is more than JSON with 200."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class FakeService:
    """A service. answer: what it says to a path and its query; asked: the requests it had."""

    answer: Callable[[str, Query], Any]
    asked: list[tuple[str, Query]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    methods: set[str] = field(default_factory=set)
    url: str = ""


@contextmanager
def fake_service(answer: Callable[[str, Query], Any]) -> Iterator[FakeService]:
    """A service for the length of a test."""
    service = FakeService(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # An answer in two packets would wait for the first to be acknowledged.
        wbufsize = 65_536

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = dict(parse_qsl(parts.query))
            service.methods.add(self.command)
            service.asked.append((parts.path, query))
            service.headers.append({name.lower(): value for name, value in self.headers.items()})
            reply = service.answer(parts.path, query)
            if not isinstance(reply, Reply):
                reply = Reply(404 if reply is None else 200, reply)
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            self.send_header("Content-Length", str(len(body)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
