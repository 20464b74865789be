"""The viewer on a warm cache and an archive in memory, so that a key can bring messages.

`python -m tests.bench.programs.archived CACHE CONVERSATIONS ORIGIN`
"""

import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from frontdesk.cache import Cache
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.inbox.screen import InboxScreen
from tests.bench import warm_cache


class Archived(FrontdeskApp):
    """f9 brings a page of older messages, f10 a new one."""

    BINDINGS = [("f9", "older", "Older"), ("f10", "arrive", "New")]

    def __init__(self, archive: Any, cache: Cache) -> None:
        super().__init__(Mailbox(lambda: archive, cache), title="archive")
        self._archive = archive

    async def action_older(self) -> None:
        """As when the reader comes near the top of the thread."""
        assert isinstance(self.screen, InboxScreen)
        await self.screen.thread.fetch_older()

    async def action_arrive(self) -> None:
        """As when the server is asked and has one more."""
        assert isinstance(self.screen, InboxScreen)
        self._archive.arrived += 1
        await self.screen.thread.fetch()


if __name__ == "__main__":
    path, conversations, origin = sys.argv[1:]
    with closing(Cache(Path(path), origin, limit_bytes=warm_cache.LIMIT_BYTES)) as cache:
        Archived(warm_cache.Archive(int(conversations), message_limit=50), cache).run()
