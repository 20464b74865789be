"""The viewer on servers that deviate, with a clock that advances when it is read."""

from datetime import UTC

from frontdesk.cache import Cache, CacheUsage
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from tests.client.other_server import BASE, OtherServer
from tests.client.prepared_server import KEY, Pauses
from tests.conftest import NOW


class Ticking:
    """Seconds: each look at it is 12 ms later than the one before."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        self.seconds += 0.012
        return self.seconds


class Weighed(Cache):
    """A cache whose size does not depend on how far its writer has come."""

    async def usage(self) -> CacheUsage:
        kept = await super().usage()
        ours = kept.origin._replace(size_bytes=1_200_000)
        return kept._replace(size_bytes=3_400_000, origin=ours)


def client_of(server: OtherServer) -> InboxClient:
    """A client whose latency is the same on every machine."""
    return InboxClient(BASE, KEY, app=server, sleep=Pauses(), clock=Ticking(), now=lambda: NOW)


def viewer_of(server: OtherServer, cache: Cache) -> FrontdeskApp:
    """The whole viewer on a server."""
    mailbox = Mailbox(lambda: client_of(server), cache, clock=lambda: NOW)
    return FrontdeskApp(mailbox, title="elsewhere", clock=Clock(UTC, lambda: NOW))
