"""The parts of `frontdesk web` by themselves: access rules, viewers, and the extra it needs."""

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
from click.testing import CliRunner
from textual_serve.download_manager import DownloadManager

from frontdesk.cli.commands.web import web_command
from frontdesk.cli.sockets import base_url, bound_to
from frontdesk.cli.web.auth import AccessRules
from frontdesk.cli.web.server import MOST_VIEWERS, BrowserServer, on_termination
from frontdesk.cli.web.viewers import BrowserViewer
from frontdesk.errors import BadSettings


class Hesitant(DownloadManager):
    """Delays the second request until the event is set."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.opened_event = asyncio.Event()

    async def cancel_app_downloads(self, app_service_id: str) -> None:
        self.asked += 1
        if self.asked == 2:
            await self.opened_event.wait()


def viewer_of(
    *program: str, patience_seconds: float, downloads: DownloadManager | None = None
) -> BrowserViewer:
    """A viewer that is another program, on a page that takes everything."""

    async def nothing(*_: object) -> None: ...

    return BrowserViewer(
        program,
        patience_seconds=patience_seconds,
        write_bytes=nothing,
        write_str=nothing,
        close=nothing,
        download_manager=downloads or DownloadManager(),
    )


async def test_a_viewer_that_does_not_end_is_killed() -> None:
    viewer = viewer_of("sleep", "1000", patience_seconds=0.01)
    await viewer.start(80, 24)
    process = viewer.process
    assert process is not None
    await viewer.stop()
    assert process.returncode == -signal.SIGKILL


async def test_processes_started_by_a_killed_viewer_are_killed_too(tmp_path: Path) -> None:
    """A fake key command, which holds a pipe open."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    viewer = viewer_of("sh", "-c", f"sleep 1000 > {pipe} & wait", patience_seconds=0.01)
    await viewer.start(80, 24)
    # Opens when the command has opened it, and ends when nobody has it open any more.
    held = await asyncio.to_thread(open, pipe, "rb")
    await viewer.stop()
    assert await asyncio.to_thread(held.read) == b""
    held.close()


async def test_a_viewer_may_be_ended_by_its_page_and_by_the_server_at_once() -> None:
    downloads = Hesitant()
    viewer = viewer_of("head", "-c1", patience_seconds=20.0, downloads=downloads)
    await viewer.start(80, 24)
    process = viewer.process
    assert process is not None
    by_its_page, by_the_server = (asyncio.create_task(viewer.stop()) for _ in range(2))
    await by_its_page
    downloads.opened_event.set()
    await by_the_server
    assert process.returncode == 0


async def test_there_is_a_bound_to_the_viewers() -> None:
    """`head` ends with the first byte that it is sent, as a viewer ends when it is asked to."""
    access = AccessRules("127.0.0.1")
    with bound_to("127.0.0.1", 0) as listening:
        server = BrowserServer(["head", "-c1"], access, listening)
        started = asyncio.Event()
        running = asyncio.create_task(server.run(started.set))
        await started.wait()
        url = base_url(*listening.getsockname()[:2])
        cookie = f"frontdesk-{urlsplit(url).port}={access.token}"
        headers = {"Origin": url, "Cookie": cookie}
        try:
            async with aiohttp.ClientSession(headers=headers) as session:
                pages = [await session.ws_connect(f"{url}/ws") for _ in range(MOST_VIEWERS)]
                with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                    await session.ws_connect(f"{url}/ws")
                assert refused.value.status == 503
                for page in pages:
                    await page.close()
        finally:
            os.kill(os.getpid(), signal.SIGINT)
            await running


def test_a_port_can_be_taken_again_at_once_by_the_next_start() -> None:
    with bound_to("127.0.0.1", 0) as first:
        first.listen()
        address = first.getsockname()
        with socket.create_connection(address) as client:
            served, _ = first.accept()
            # The side that ends first keeps the port for a minute.
            served.close()
            assert client.recv(1) == b""
    with bound_to(*address) as second:
        assert second.getsockname() == address
        second.listen()
        with pytest.raises(BadSettings, match=f"Cannot listen on 127.0.0.1, port {address[1]}"):
            bound_to(*address).__enter__()


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_on_loopback_nothing_but_loopback_is_answered_to(host: str) -> None:
    access = AccessRules(host)
    for ours in ("127.0.0.1:80", "localhost:9000", "[::1]:1", "LOCALHOST"):
        assert access.refusal({"Host": ours}) is None
    for other in ("", "192.0.2.1", "localhost.evil.example", "[::1", "a@localhost", "127.0.0.1/x"):
        assert access.refusal({"Host": other}) is not None


def test_each_start_has_a_token_of_its_own_that_is_not_shown() -> None:
    one, other = AccessRules("127.0.0.1"), AccessRules("127.0.0.1")
    assert one.accepts_token(one.token)
    assert not one.accepts_token(other.token)
    assert not one.accepts_token("")
    assert not one.accepts_token(None)
    assert one.token not in repr(one)


def test_without_the_extra_it_says_how_to_get_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "textual_serve.server", None)
    result = CliRunner().invoke(web_command, ["--database", str(path)])
    assert isinstance(result.exception, BadSettings)
    assert "pip install 'frontdesk[web]'" in str(result.exception)


def test_a_second_ctrl_c_while_it_ends_is_no_bug() -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}

    async def ended() -> list[str]:
        opened_event: list[str] = []
        on_termination(lambda: opened_event.append("end"))
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(0)
        return opened_event

    try:
        assert asyncio.run(ended()) == ["end"]
        signal.raise_signal(signal.SIGINT)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
