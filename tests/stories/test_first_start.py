"""A first start: the user connects to an inbox, and the next start opens it."""

from pathlib import Path

import pytest

from tests.cli.servers import Serve
from tests.stories.conftest import Shell
from tests.tui.recorded_terminal import Recorded, viewer_with


@pytest.mark.slow
def test_a_first_start_connects_and_the_second_opens_the_inbox(
    inbox: Path, key: str, serve: Serve, shell: Shell, tmp_path: Path
) -> None:
    _, url = serve("--database", str(inbox))
    connect(viewer_with(tmp_path), url, key)
    again = viewer_with(tmp_path)
    try:
        again.until("INBOX server", "All open 60", "live")
    finally:
        again.close()
    assert key not in (tmp_path / "frontdesk" / "config.toml").read_text(encoding="utf-8")
    configured = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert shell("conversations", "list", "--limit", "1", **configured).startswith("ID  STATUS")


def connect(first: Recorded, url: str, key: str) -> None:
    mistyped = "fd_live_mistyped"
    try:
        first.until("Connect to an inbox", "F2 demo")
        first.send(url)
        first.until(url, "Name     server")
        first.send("\r")
        first.until("A server needs an API key.")
        first.send(mistyped)
        first.until("•" * len(mistyped), gone="needs an API key")
        first.send("\r")
        first.until("The API key is malformed or unknown.")
        first.send("\x15" + key)
        first.until("•" * len(key), gone="malformed")
        first.send("\r")
        first.until("It answers:", "saves it as “server” and opens it")
        first.send("\r")
        first.until("INBOX server", "All open 60", "live")
        first.send("qq")
        assert first.ended() == 0
    finally:
        first.close()
