"""`frontdesk web` in a real browser, and its access control."""

import asyncio
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import chromium
import httpx
import pytest
from tests.commands import run_on
from tests.patience import HANG_SECONDS

from frontdesk.cli.exit_codes import USAGE
from frontdesk.cli.web.auth import HEADERS
from frontdesk.sample.demo import ME, create_demo
from frontdesk.wire.values import epoch_milliseconds

PICTURE = Path(__file__).parents[2] / "screenshots" / "web.png"
KEY = "fdk_" + "a" * 40

# How many pixels of each line of the terminal are bright, and how many pixels a line has.
LIT = """
new Promise((resolve, reject) => {
  const image = new Image();
  image.onerror = reject;
  image.onload = () => {
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen.drawImage(image, 0, 0);
    const cells = document.querySelector(".xterm-screen").getBoundingClientRect();
    const height = cells.height / ROWS;
    const lit = (row) => {
      const top = Math.floor(cells.top + row * height);
      const { data } = pen.getImageData(cells.left, top, cells.width, Math.floor(height));
      let count = 0;
      for (let at = 0; at < data.length; at += 4) count += data[at] + data[at + 1] > 240;
      return count;
    };
    resolve([Array.from({ length: ROWS }, (_, row) => lit(row)), cells.width * height]);
  };
  image.src = "data:image/png;base64,PICTURE";
})
"""


class Web:
    """The program in a process of its own; `link` is what it printed."""

    def __init__(self, home: Path, *options: str, **variables: str) -> None:
        places = {name: str(home) for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "frontdesk", "web", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **places, **variables},
        )
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().strip()
        self.url, _, self.token = self.link.partition("/?token=")

    @property
    def cookie(self) -> str:
        return f"frontdesk-{urlsplit(self.url).port}={self.token}"

    def viewers(self) -> list[int]:
        """The processes that it has started."""
        found: list[int] = []
        for thread in Path(f"/proc/{self.process.pid}/task").iterdir():
            # It may have ended meanwhile.
            with suppress(OSError):
                found += map(int, (thread / "children").read_text().split())
        return found

    def end(self, number: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        """Exit code, standard output and error."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=HANG_SECONDS)
        return self.process.returncode, out, err


@contextmanager
def started(home: Path) -> Iterator[Callable[..., Web]]:
    """Starts servers, which end with it."""
    running: list[Web] = []

    def start(*options: str, **variables: str) -> Web:
        running.append(Web(home, *options, **variables))
        return running[-1]

    try:
        yield start
    finally:
        for one in running:
            one.process.kill()
            one.process.communicate()


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Callable[..., Web]]:
    with started(tmp_path) as start:
        yield start


def wait_for_end(process: int) -> None:
    """Wait until a process that is no child of ours has ended."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return
    try:
        assert select.select([handle], [], [], HANG_SECONDS)[0], f"{process} is still there"
    finally:
        os.close(handle)


@asynccontextmanager
async def page_of(web: Web) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """What a page has: a connection to a viewer."""
    headers = {"Origin": web.url, "Cookie": web.cookie}
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{web.url}/ws?width=120&height=40", headers=headers) as connection,
    ):
        yield connection


async def _drawn(page: aiohttp.ClientWebSocketResponse, wanted: bytes) -> bytes:
    """What is drawn, up to some words."""
    drawn = b""
    while wanted not in drawn:
        drawn += await page.receive_bytes(timeout=HANG_SECONDS)
    return drawn


@pytest.mark.slow
@pytest.mark.skipif(chromium.PROGRAM is None, reason="there is no Chromium on this machine")
async def test_a_browser_shows_the_inbox_reads_keys_and_asks_no_other_host(
    web: Callable[..., Web], tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    create_demo(tmp_path / "vistral.db", now=epoch_milliseconds())
    served = web("--database", str(tmp_path / "vistral.db"))
    async with chromium.chromium(tmp_path / "chromium") as page:
        await page.command("Page.navigate", url=served.link)
        await page.until(lambda: "Sam Whitcombe" in page.words and "Harry Patel" in page.words)
        await page.press("j")
        await page.press("Enter")
        await page.until(lambda: "Please throw the first one away" in page.words)
        await page.until(lambda: "esc back" in page.words and "live" in page.words)
        assert await page.value("document.querySelector('textarea') === document.activeElement")
        assert await page.value("location.href") == f"{served.url}/"
        await _assert_drawn(page)
        if pytestconfig.getoption("--update-screenshots"):
            PICTURE.write_bytes(await page.picture())
        hosts = {urlsplit(asked).netloc for asked in page.asked if not asked.startswith("data:")}
        assert hosts == {urlsplit(served.url).netloc}
        assert page.faults == []
        viewers = served.viewers()
        assert len(viewers) == 1
        assert served.end() == (0, "", "")
        wait_for_end(viewers[0])
        await page.until(lambda: page.sockets_closed == 1)
        assert "has ended" in await page.value("document.querySelector('.closed').innerText")


async def _assert_drawn(page: chromium.Page) -> None:
    """Where there are words, there are bright pixels; and not more than words have."""
    lines = page.words.splitlines()

    async def drawn() -> bool:
        picture = chromium.as_text(await page.picture())
        script = LIT.replace("ROWS", str(len(lines))).replace("PICTURE", picture)
        lit, pixels = await page.value(script)
        worded = [any(map(str.isalpha, line)) for line in lines]
        return all(
            20 < count < pixels / 3 for count, words in zip(lit, worded, strict=True) if words
        )

    # The terminal draws with the next frame.
    async with asyncio.timeout(HANG_SECONDS):
        while not await drawn():
            pass


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with httpx.Client() as client:
        yield client


def test_only_the_link_opens_and_the_token_leaves_the_address(
    client: httpx.Client, served: Web
) -> None:
    assert client.get(served.url).status_code == 403
    assert client.get(f"{served.url}/static/js/textual.js").status_code == 403
    assert client.get(f"{served.url}/?token=wrong").status_code == 403
    assert client.get(served.url, headers={"Cookie": served.cookie + "x"}).status_code == 403
    with httpx.Client() as browser:
        opened = browser.get(served.link)
        assert opened.status_code == 303
        assert opened.headers["Location"] == "/"
        assert "HttpOnly" in opened.headers["Set-Cookie"]
        assert "<title>frontdesk</title>" in browser.get(served.url).text


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:PORT", "Origin": "http://evil.example:PORT"},
        {"Host": "192.0.2.1:PORT"},
        {"Host": "localhost@evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost:PORT"},
        {"Origin": "https://127.0.0.1:PORT"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
    ],
)
def test_other_hosts_and_origins_are_refused_even_with_the_cookie(
    client: httpx.Client, served: Web, headers: dict[str, str]
) -> None:
    port = str(urlsplit(served.url).port)
    sent = {name: value.replace("PORT", port) for name, value in headers.items()}
    refused = client.get(served.url, headers={**sent, "Cookie": served.cookie})
    assert refused.status_code == 403
    assert "token" not in refused.text
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Origin": served.url,
        "Cookie": served.cookie,
    }
    assert client.get(f"{served.url}/ws", headers={**upgrade, **sent}).status_code == 403
    assert served.viewers() == []


def test_a_websocket_needs_an_origin_and_the_cookie(client: httpx.Client, served: Web) -> None:
    without_origin = client.get(f"{served.url}/ws", headers={"Cookie": served.cookie})
    without_cookie = client.get(f"{served.url}/ws", headers={"Origin": served.url})
    assert (without_origin.status_code, without_cookie.status_code) == (403, 403)


def test_a_link_on_another_site_may_lead_to_the_page(client: httpx.Client, served: Web) -> None:
    clicked = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    headers = {**clicked, "Cookie": served.cookie}
    assert client.get(served.url, headers=headers).status_code == 200


@pytest.mark.parametrize("path", ["/", "/page/page.js", "/static/js/textual.js", "/nowhere", "/ws"])
@pytest.mark.parametrize("known", [True, False])
def test_every_answer_has_the_headers_that_protect_it(
    client: httpx.Client, served: Web, path: str, known: bool
) -> None:
    headers = {"Cookie": served.cookie} if known else {}
    answer = client.get(f"{served.url}{path}", headers=headers)
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


def test_the_page_names_nothing_elsewhere(client: httpx.Client, served: Web) -> None:
    for path in ("/", "/page/page.css", "/page/page.js"):
        text = client.get(f"{served.url}{path}", headers={"Cookie": served.cookie}).text
        assert "http:" not in text
        assert "https://" not in text


@pytest.fixture(scope="module")
def served(sample_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """One server for all questions that start no viewer."""
    web = Web(tmp_path_factory.mktemp("served"), "--database", str(sample_file))
    yield web
    assert web.end() == (0, "", "")


async def test_the_key_is_in_the_environment_of_the_viewer_and_nowhere_else(
    web: Callable[..., Web],
) -> None:
    served = web("--url", "http://127.0.0.1:9", FRONTDESK_API_KEY=KEY)
    async with page_of(served) as connection:
        drawn = await _drawn(connection, b"127.0.0.1")
        (viewer,) = served.viewers()
        assert KEY not in Path(f"/proc/{viewer}/cmdline").read_text()
        assert KEY in Path(f"/proc/{viewer}/environ").read_text()
        assert KEY.encode() not in drawn
    wait_for_end(viewer)
    assert KEY not in "".join(map(str, served.end()))


@pytest.mark.slow
async def test_leaving_the_viewer_ends_the_page_and_closing_the_page_ends_the_viewer(
    web: Callable[..., Web], inbox: Path
) -> None:
    served = web("--database", str(inbox), "--as", ME)
    async with page_of(served) as left, page_of(served) as closed:
        await _drawn(closed, b"Sam Whitcombe")
        await _drawn(left, b"Sam Whitcombe")
        viewers = served.viewers()
        assert len(viewers) == 2
        message_text = Path(f"/proc/{viewers[0]}/cmdline").read_text().split("\0")
        assert message_text[-3:-1] == [f"--database={inbox}", f"--as={ME}"]
        await left.send_json(["stdin", "\x11"])
        async with asyncio.timeout(HANG_SECONDS):
            async for _ in left:
                pass
        await closed.close()
    for viewer in viewers:
        wait_for_end(viewer)
    assert served.end() == (0, "", "")


@pytest.mark.slow
async def test_a_viewer_ends_when_its_server_is_killed(
    web: Callable[..., Web], inbox: Path
) -> None:
    served = web("--database", str(inbox), "--as", ME)
    async with page_of(served) as connection:
        await _drawn(connection, b"Sam Whitcombe")
        (viewer,) = served.viewers()
        served.process.kill()
        wait_for_end(viewer)


def test_beyond_this_machine_it_warns_and_answers_to_addresses_only(
    client: httpx.Client, web: Callable[..., Web], path: Path
) -> None:
    served = web("--database", str(path), "--host", "0.0.0.0")
    port = urlsplit(served.url).port
    here = f"http://127.0.0.1:{port}"
    assert client.get(here).status_code == 403
    cookie = {"Cookie": served.cookie}
    assert client.get(here, headers=cookie).status_code == 200
    inside = client.get(here, headers={**cookie, "Host": f"192.0.2.7:{port}"})
    assert inside.status_code == 200
    rebound = client.get(here, headers={**cookie, "Host": f"evil.example:{port}"})
    assert rebound.status_code == 403
    code, _, err = served.end(signal.SIGTERM)
    assert code == 0
    assert "0.0.0.0 is reached from other machines" in err


def test_a_place_that_cannot_be_opened_is_reported_before_anything_is_served(
    tmp_path: Path,
) -> None:
    ended = run_on(tmp_path / "missing.db", "web")
    assert (ended.exit_code, ended.stdout) == (USAGE, "")
    assert "missing.db" in ended.stderr


def test_a_port_that_is_taken_is_reported_in_one_line(path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = run_on(path, "web", "--port", port)
    assert (ended.exit_code, ended.stdout) == (USAGE, "")
    assert port in ended.stderr
