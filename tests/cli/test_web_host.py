"""Pages of `frontdesk web` have no access to the machine that serves them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import chromium
import httpx
import pytest
from test_web import Web, page_of, started
from tests.patience import HANG_SECONDS

from frontdesk.sample.demo import ME
from frontdesk.tui.dialogs.save_prompt import check_download

CTRL_O, CTRL_U, ENTER = "\x0f", "\x15", "\r"


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Web]]:
    """Starts servers in a directory of their own."""
    directory = tmp_path / "served"
    directory.mkdir()
    monkeypatch.chdir(directory)
    with started(tmp_path) as start:
        yield start


class Page:
    """A page without a browser: what was drawn on it, and the files that it was given."""

    def __init__(self, web: Web, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._web = web
        self._socket = socket
        self.drawn = b""
        self.files: list[str] = []

    async def send(self, *keys: str) -> None:
        """Keys, each by itself."""
        for key in keys:
            await self._socket.send_json(["stdin", key])

    async def until(self, claim: Callable[[], bool]) -> None:
        """Read until something holds."""
        async with asyncio.timeout(HANG_SECONDS):
            while not claim():
                message = await self._socket.receive()
                if message.type is aiohttp.WSMsgType.BINARY:
                    self.drawn += message.data
                else:
                    kind, value = message.json()
                    assert kind == "deliver_file_start"
                    self.files.append(value)

    async def shows(self, words: bytes) -> None:
        """Read until new words are drawn."""
        self.drawn = b""
        await self.until(lambda: words in self.drawn)

    async def file(self) -> httpx.Response:
        """The file that the page is given next, as a browser asks for it."""
        await self.until(lambda: bool(self.files))
        async with httpx.AsyncClient(timeout=HANG_SECONDS) as client:
            url = f"{self._web.url}/download/{self.files.pop()}"
            asking = asyncio.create_task(client.get(url, headers={"Cookie": self._web.cookie}))
            return await asking


@asynccontextmanager
async def opened(web: Web) -> AsyncIterator[Page]:
    """A page that shows the sample."""
    async with page_of(web) as socket:
        page = Page(web, socket)
        await page.until(lambda: b"Sam Whitcombe" in page.drawn and b"live" in page.drawn)
        yield page


def files_below(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}


async def test_a_page_is_given_its_files_as_downloads_and_names_no_directory_of_the_host(
    web: Callable[..., Web], inbox: Path, tmp_path: Path
) -> None:
    served = web("--database", str(inbox), "--as", ME)
    async with opened(served) as page:
        before = files_below(tmp_path)
        await page.send("E", CTRL_U, *"/tmp/x.csv")
        await page.shows(b"/tmp/x.csv")
        await page.send(ENTER)
        await page.shows(b"without a directory")
        assert page.files == []
        await page.send(CTRL_U, *'Ámbar; "x".csv', ENTER)
        answer = await page.file()
        assert files_below(tmp_path) == before
        again = await asyncio.to_thread(httpx.get, answer.url, headers={"Cookie": served.cookie})
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    assert answer.text.startswith("\ufeffid,status,")
    assert "Sam Whitcombe" in answer.text
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert again.status_code == 404


@pytest.mark.parametrize(
    "name",
    [
        *("../x.csv", "/tmp/x.csv", "~/x.csv", "a\\x.csv", "C:x.csv", "x.exe", "x", "a\nb.csv"),
        "a" * 197 + ".csv",
    ],
)
def test_a_name_that_is_more_than_a_name_is_refused_for_a_download(name: str) -> None:
    endings = ("csv", "json")
    assert check_download(endings, name)
    assert check_download(endings, "Ámbar; “x”.csv") is None


@pytest.fixture
def marker(tmp_path: Path, inbox: Path, configuration_home: Path) -> Path:
    """A file that the key command of the second of two profiles would make."""
    marker = tmp_path / "the key command ran"
    configuration_home.mkdir(parents=True)
    (configuration_home / "config.toml").write_text(
        f'profile = "first"\n[profiles.first]\ndatabase = "{inbox}"\nme = "{ME}"\n'
        f'[profiles.second]\nurl = "http://127.0.0.1:9"\nkey_command = ["touch", "{marker}"]\n',
        encoding="utf-8",
    )
    return marker


@pytest.mark.slow
async def test_a_page_stays_at_the_profile_that_was_in_use_and_runs_no_key_command_of_another(
    web: Callable[..., Web], marker: Path, configuration_home: Path
) -> None:
    served = web(XDG_CONFIG_HOME=str(configuration_home.parent))
    file = configuration_home / "config.toml"
    file.write_text(file.read_text().replace('profile = "first"', 'profile = "second"'))
    async with opened(served) as page:
        await page.send(CTRL_O)
        await page.shows(b"A page shows one inbox")
    served.end()
    assert not marker.exists()


@pytest.mark.slow
@pytest.mark.skipif(chromium.PROGRAM is None, reason="there is no Chromium on this machine")
async def test_a_browser_downloads_what_is_saved(
    web: Callable[..., Web], inbox: Path, tmp_path: Path
) -> None:
    downloads = tmp_path / "downloads"
    served = web("--database", str(inbox), "--as", ME)
    async with chromium.chromium(tmp_path / "chromium") as page:
        await page.command("Page.navigate", url=served.link)
        await page.until(lambda: "Sam Whitcombe" in page.words and "live" in page.words)
        await page.command(
            "Page.setDownloadBehavior", behavior="allow", downloadPath=str(downloads)
        )
        await page.press("E")
        await page.until(lambda: "save as" in page.words)
        await page.press("Enter")
        await page.until(lambda: "downloaded as" in page.words)
        await page.until(lambda: page.downloads == ["completed"])
        assert page.sockets_closed == 0
        assert page.faults == []
    (file,) = downloads.iterdir()
    assert file.suffix == ".csv"
    assert "Sam Whitcombe" in file.read_text(encoding="utf-8")
