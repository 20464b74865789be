"""A bucket that is missing, refuses keys or does not answer; what a killed process left."""

import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests import buckets

from frontdesk.errors import Unreachable
from frontdesk.store.media_bucket import MediaBucket

DIGEST = "ab" * 32


@contextmanager
def answers_of(status: int) -> Iterator[str]:
    """A server that answers every request so; yield its address."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_HEAD = do_PUT = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *connection: object) -> None:
            """A client that has its answer goes before it has sent its file."""

    with Server(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_a_missing_bucket_differs_from_a_missing_file(monkeypatch: pytest.MonkeyPatch) -> None:
    with buckets.bucket_server() as address:
        buckets.use(monkeypatch, address)
        missing = MediaBucket("s3://another-bucket", least_free_bytes=0, allow_http=True)
        for attempt in (missing.size, missing.open, missing.delete):
            with pytest.raises(Unreachable, match="s3://another-bucket"):
                attempt(1, DIGEST)
        with pytest.raises(Unreachable):
            list(missing.digests(1))


def test_refused_keys_are_told_and_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    with answers_of(403) as address:
        buckets.use(monkeypatch, address)
        files = MediaBucket("s3://shop-files", least_free_bytes=0, allow_http=True)
        with pytest.raises(Unreachable) as refused:
            files.size(1, DIGEST)
    message = "s3://shop-files refuses the keys of AWS_* or of this machine"
    assert str(refused.value) == message


def test_an_endpoint_without_tls_is_used_only_where_it_is_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with buckets.bucket_server() as address:
        buckets.use(monkeypatch, address)
        with pytest.raises(Unreachable, match="cannot be reached"):
            MediaBucket(f"s3://{buckets.BUCKET}", least_free_bytes=0).size(1, DIGEST)


def test_a_file_that_cannot_be_stored_leaves_nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    with answers_of(400) as address:
        buckets.use(monkeypatch, address)
        files = MediaBucket(f"s3://{buckets.BUCKET}", least_free_bytes=0, allow_http=True)
        with files.receive(1, 100) as incoming:
            incoming.write(b"photo")
            with pytest.raises(Unreachable, match="cannot be reached, or answers errors"):
                incoming.keep()
        assert not incoming.path.parent.exists()


def test_what_a_killed_process_left_is_swept_after_an_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    files = MediaBucket("s3://never-asked", least_free_bytes=0)
    with files.receive(1, 100) as incoming:
        folder = incoming.path.parent
        assert folder.parent == tmp_path
        old = folder.with_name(folder.name + "-of-another")
        old.mkdir()
        (old / "file").write_bytes(b"half of a file")
        os.utime(old, (time.time() - 4_000,) * 2)
        assert files.sweep() == 1
        assert folder.exists()
    assert list(tmp_path.iterdir()) == []
