"""A provider of files that misbehaves: the two requests of the Cloud API, over HTTP."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "EAAG-secret-token"


@dataclass
class FakeProvider:
    """Files by id, and how each misbehaves.

    behaviour: "gone", "500", "500 twice", "429", "401", "404 once", "404 always", "foreign",
    "redirect", "corrupt", "cut", "empty", "not json", "not a dictionary" or "lying length".
    """

    files: dict[str, bytes] = field(default_factory=dict)
    behaviour: dict[str, str] = field(default_factory=dict)
    resolved: list[str] = field(default_factory=list)
    downloaded: Counter[str] = field(default_factory=Counter)
    tokens: set[str | None] = field(default_factory=set)
    address: str = ""

    def answer(self, path: str, token: str | None) -> tuple[int, dict[str, str], bytes]:
        self.tokens.add(token)
        is_file = path.startswith("/whatsapp_business/attachments/")
        remote = path.rpartition("/")[2].partition("?")[0]
        how = self.behaviour.get(remote, "")
        return self._file(remote, how) if is_file else self._resolve(remote, how)

    def _resolve(self, remote: str, how: str) -> tuple[int, dict[str, str], bytes]:
        self.resolved.append(remote)
        count = self.resolved.count(remote)
        refusals: dict[str, tuple[int, dict[str, str], bytes]] = {
            "gone": (400, {}, b'{"error": {"code": 100, "error_subcode": 33}}'),
            "500": (500, {}, b""),
            "401": (401, {}, b'{"error": {"code": 190}}'),
            "not json": (200, {}, b"<html>"),
            "not a dictionary": (200, {}, b"[]"),
        }
        if how in refusals:
            return refusals[how]
        if how == "500 twice" and count <= 2:
            return 500, {}, b""
        if how == "429" and count == 1:
            return 429, {"Retry-After": "30"}, b""
        place = f"/whatsapp_business/attachments/{remote}?hash=x"
        host = "https://evil.example" if how == "foreign" else self.address
        return 200, {}, json.dumps({"url": host + place, "id": remote}).encode()

    def _file(self, remote: str, how: str) -> tuple[int, dict[str, str], bytes]:
        self.downloaded[remote] += 1
        body = self.files.get(remote, b"")
        if how == "404 always" or (how == "404 once" and self.downloaded[remote] == 1):
            return 404, {}, b""
        if how == "redirect":
            return 302, {"Location": f"{self.address}/elsewhere"}, b""
        if how == "corrupt":
            body = body[:-1] + b"?"
        if how == "empty":
            body = b""
        if how == "cut":
            return 200, {"Content-Length": str(len(body) + 10)}, body
        if how == "lying length":
            return 200, {"Content-Length": str(10**12)}, body
        return 200, {}, body


@contextmanager
def serving(provider: FakeProvider) -> Iterator[FakeProvider]:
    """Serve a provider on this machine; sets its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            token = self.headers.get("Authorization") or self.headers.get("D360-API-KEY")
            status, headers, body = provider.answer(self.path, token)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            # A client that wants no more of it goes.
            with suppress(ConnectionError):
                self.wfile.write(body)

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.address = f"http://127.0.0.1:{server.server_address[1]}"
    # Short polls, so that the server ends as soon as it is asked to.
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
