"""A server with the interface of S3, in this process."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from moto.server import ThreadedMotoServer

BUCKET = "shop-files"


@contextmanager
def bucket_server() -> Iterator[str]:
    """Run a server that has one empty bucket; yield its address."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        address = f"http://{host}:{port}"
        httpx.post(f"{address}/moto-api/reset").raise_for_status()
        httpx.put(f"{address}/{BUCKET}").raise_for_status()
        yield address
    finally:
        server.stop()


def use(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """Set the variables that say where S3 is."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_REGION", "eu-south-2")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "an-id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret")
