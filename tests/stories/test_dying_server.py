"""A server dies while a user reads: cached data stays, and the viewer recovers."""

from pathlib import Path

import pytest

from tests.cli.servers import Serve, kill
from tests.tui.recorded_terminal import viewer_at


@pytest.mark.slow
def test_reading_goes_on_without_the_server_and_with_it_again(
    inbox: Path, key: str, serve: Serve, tmp_path: Path
) -> None:
    server, url = serve("--database", str(inbox))
    terminal = viewer_at(url, tmp_path, key)
    try:
        terminal.until("All open 60", "live")
        # The next key ends the request for a thread that is not there yet.
        terminal.until("It has been six days", within="thread")
        terminal.send("j")
        terminal.until("Harry Patel", within="title")
        kill(server)
        terminal.send("\x12")
        terminal.until("offline", "retrying in")
        # What was read is there: rows, threads, and a search.
        terminal.send("k")
        terminal.until("Sam Whitcombe", within="title")
        terminal.until("It has been six days", within="thread")
        port = url.rpartition(":")[2]
        serve("--database", str(inbox), "--port", port)
        terminal.send("\x12")
        terminal.until("live", gone="offline")
        terminal.send("vr")
        terminal.until("REPORTS", "First response")
    finally:
        terminal.close()


def test_a_start_without_the_server_shows_what_was_read(
    inbox: Path, key: str, serve: Serve, tmp_path: Path
) -> None:
    server, url = serve("--database", str(inbox))
    first = viewer_at(url, tmp_path, key)
    try:
        first.until("All open 60", "live")
        first.until("It has been six days", within="thread")
        first.send("qq")
        assert first.ended() == 0
    finally:
        first.close()
    kill(server)
    second = viewer_at(url, tmp_path, key)
    try:
        second.until("Sam Whitcombe", "offline")
        second.until("It has been six days", within="thread")
    finally:
        second.close()
