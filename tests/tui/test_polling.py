"""How often a viewer asks its server, on a clock that runs by itself."""

import asyncio
from datetime import UTC
from pathlib import Path

import pytest
from textual import events

from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from tests.client.other_server import OtherServer, Question, Reply
from tests.soak.virtual_loop import VirtualLoop
from tests.tui.deviating_servers import client_of
from tests.tui.memory_inbox import WaitedCache, virtual_time


class Tagged(OtherServer):
    """A server whose answers carry a tag, and that says when it still holds."""

    def _reply(self, question: Question) -> Reply:
        status, headers, body = super()._reply(question)
        tag = f'W/"{hash((question.name, question.id, tuple(question.query.items())))}"'
        if question.headers.get("if-none-match") == tag:
            return 304, {"etag": tag}, b""
        return status, {**headers, "etag": tag}, body


@pytest.mark.parametrize(("server", "wait"), [(OtherServer, 20), (Tagged, 10)])
def test_the_viewer_asks_a_server_half_as_often_that_sends_everything_each_time(
    server: type[OtherServer], wait: int, tmp_path: Path
) -> None:
    async def use(loop: VirtualLoop) -> None:
        elsewhere = server()
        cache = WaitedCache(tmp_path / "pages.db", "elsewhere")
        mailbox = Mailbox(lambda: client_of(elsewhere), cache, clock=loop.now)
        app = FrontdeskApp(mailbox, title="elsewhere", clock=Clock(UTC, loop.now))
        async with app.run_test():
            await asyncio.sleep(1.0)
            app.post_message(events.Key("ctrl+r", None))
            await asyncio.sleep(wait / 2)
            before = elsewhere.times_asked("conversations")
            await asyncio.sleep(3.0 * wait)
            assert elsewhere.times_asked("conversations") - before == 3
        cache.close()

    with virtual_time(0) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        runner.run(use(loop))
