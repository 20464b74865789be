"""The viewer on a warm cache and an archive in memory, so that a key can bring messages.

`python -m tests.bench.programs.archived CACHE CONVERSATIONS ORIGIN`
"""

import sys
from pathlib import Path

from frontdesk.cache import Cache
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.inbox.screen import InboxScreen
from tests.bench import warm_cache

PAGE = 50


class Archived(FrontdeskApp):
    """f9 brings a page of older messages, f10 a new one."""

    BINDINGS = [("f9", "older", "Older"), ("f10", "arrive", "New")]

    def __init__(self, archive: warm_cache.Archive, cache: Cache) -> None:
        super().__init__(Mailbox(archive.connect, cache), title="archive")
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


def main(path: str, conversations: str, origin: str) -> None:
    """Run until it is left."""
    cache = Cache(Path(path), origin, limit_bytes=warm_cache.LIMIT_BYTES)
    try:
        Archived(warm_cache.Archive(int(conversations), PAGE), cache).run()
    finally:
        cache.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
