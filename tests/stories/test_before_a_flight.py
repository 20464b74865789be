"""Before a flight: the shell loads the whole inbox; without a server it is read and searched."""

from pathlib import Path

import pytest

from tests.cli.servers import Serve, kill
from tests.stories.conftest import Shell
from tests.tui.recorded_terminal import viewer_at


@pytest.mark.slow
def test_before_a_flight(shell: Shell, serve: Serve, inbox: Path, key: str, tmp_path: Path) -> None:
    process, url = serve("--database", str(inbox), "--rate-limit", "0")
    here = {
        "FRONTDESK_API_KEY": key,
        "XDG_CACHE_HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path),
    }
    said = shell("cache", "fill", "--keep", "all", "--url", url, **here)
    assert said.startswith("This computer has all ")
    kill(process)
    terminal = viewer_at(url, tmp_path, key)
    try:
        terminal.until("offline")
        terminal.until("All open 60", "offline")
        # Nobody has opened this conversation here.
        terminal.send("scounting back from your photo")
        terminal.until("Counting back from your photo")
        terminal.send("\r")
        terminal.until("Oonagh Feeney", within="title")
        terminal.until("Counting back", within="thread")
    finally:
        terminal.close()
