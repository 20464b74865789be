"""Keys and messages of customers appear in no log, error or argument list."""

import json
import os
import re
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any, cast

import pytest
from servers import Serve
from tests.terminals import Terminal

from frontdesk.cli.commands.demo import start_demo
from frontdesk.cli.key_store import load_key
from frontdesk.client import InboxClient
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, ChannelUpsert, ContactUpsert, MessageUpsert, Person
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import Parameters
from frontdesk.service.routes import ENDPOINTS
from frontdesk.service.webhooks.receiver import WebhookSecret
from frontdesk.settings import Profile
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.system import subprocess_environment
from frontdesk.tui.setup_form import SetupValues

WORDS, NAME, PHONE = "the aubergine ledger", "Zebedee Quux", "+16505550123"
NUMBER = "106540352242922"
# What nobody may read in any log, report or list of processes.
PRIVATE = ("aubergine", "ledger", "Zebedee", "Quux", "6505550123")

on_linux = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looked up in /proc")

# A bug that says all that is secret, in its own words and in the values around it.
FAILURE = """
import os, sys

def fail(*arguments, **more):
    key, words = os.environ["SECRET_KEY"], os.environ["SECRET_WORDS"]
    try:
        raise KeyError(f"{key} of {words}")
    except KeyError as error:
        raise ValueError(f"{key} of {words}") from error
"""

PROGRAM = f"""{FAILURE}
from frontdesk.tui.app import FrontdeskApp

FrontdeskApp.action_profiles = fail
from frontdesk.cli import main
main()
"""

SERVICE = f"""{FAILURE}
import dataclasses
from frontdesk.service import app

app.ENDPOINTS = [
    dataclasses.replace(endpoint, handler=fail) if endpoint.name == "labels" else endpoint
    for endpoint in app.ENDPOINTS
]
from frontdesk.cli import main
main()
"""


def secrets(key: str, home: Path) -> dict[str, str]:
    """The environment of a program that may fail so, and where it keeps its files."""
    said = {"SECRET_KEY": key, "SECRET_WORDS": f"{WORDS} {NAME} {PHONE}"}
    return said | {name: str(home / name) for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME")}


@pytest.fixture
def output(path: Path) -> Path:
    """The database with a customer who says something."""
    person = Person(phone=PHONE, wa_id=PHONE[1:])
    now = time.time_ns() // 1_000_000
    events = [
        ChannelUpsert(NUMBER, now, phone="+15550783881"),
        ContactUpsert(person, now, name=NAME, name_rank=1),
        MessageUpsert(
            NUMBER, person, "wamid.1", now, False, Author("contact"), "text", "live", text=WORDS
        ),
    ]
    with closing(SQLiteDatabase(path)) as database:
        database.write(lambda connection: apply_events(connection, 1, events, now=now))
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "temporary").mkdir(parents=True)
    return home


@pytest.fixture
def viewer(output: Path, serve: Serve, key: str, home: Path) -> Iterator[Terminal]:
    """The viewer on a server, with the customer's message on the screen."""
    _, url = serve()
    program = f"import sys; sys.argv[1:] = ['--url', {url!r}, '--debug']\n{PROGRAM}"
    variables = secrets(key, home)
    terminal = Terminal(program, home / "temporary", FRONTDESK_API_KEY=key, **variables)
    try:
        terminal.wait_for(NAME.encode())
        terminal.press(b"\r")
        terminal.wait_for(WORDS.encode())
        yield terminal
    finally:
        terminal.close()


def written_below(home: Path) -> dict[str, bytes]:
    """Everything that the program wrote but its cache, which is there to hold messages."""
    files = [file for file in home.rglob("*") if file.is_file() and "pages.db" not in file.name]
    return {str(file.relative_to(home)): file.read_bytes() for file in files}


def assert_private(said: bytes, key: str) -> None:
    for secret in (key, key[-40:], *PRIVATE):
        assert secret.encode() not in said


@on_linux
def test_neither_a_crash_nor_the_list_of_processes_says_anything_that_is_secret(
    viewer: Terminal, key: str, home: Path
):
    assert_no_process_has(key, viewer.process.pid)
    viewer.press(b"\x0f")
    code, _ = viewer.ending()
    assert code == 1
    assert key.encode() not in viewer.said
    # Beyond the viewer's own screen.
    left = viewer.said.rpartition(b"\x1b[?1049l")[2]
    assert_private(left, key)
    (line,) = [line for line in left.decode().splitlines() if "stopped over a bug" in line]
    report = Path(re.findall(r"\S+crash-\S+\.txt", line)[0])
    assert report.parent == home / "XDG_STATE_HOME" / "frontdesk" / "crashes"
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert stat.S_IMODE(report.parent.stat().st_mode) == 0o700
    text = report.read_text(encoding="utf-8")
    assert re.search(r"^frontdesk \S+ stopped over a bug$", text, re.MULTILINE)
    assert re.search(r"^python: CPython 3\.\d+\.\d+$", text, re.MULTILINE)
    assert re.search(r"^libraries: textual [\d.]+, .*pydantic [\d.]+", text, re.MULTILINE)
    assert re.search(r"^system: \S+", text, re.MULTILINE)
    assert re.search(r"^terminal: .*TERM=xterm-256color", text, re.MULTILINE)
    assert re.search(r"^size: 120x40$", text, re.MULTILINE)
    assert re.search(r"^screens: InboxScreen$", text, re.MULTILINE)
    assert re.search(r"^actions: .*\.profiles$", text, re.MULTILINE)
    assert re.search(r"^  textual/app\.py:\d+:run_action$", text, re.MULTILINE)
    assert text.rstrip().endswith(":fail")
    assert text.index("builtins.KeyError") < text.index("which led to")
    assert text.index("which led to") < text.index("builtins.ValueError")
    written = written_below(home)
    assert any(name.endswith("debug.log") for name in written)
    for name, contents in written.items():
        assert_private(name.encode() + contents, key)


def assert_no_process_has(key: str, leader: int) -> None:
    """Of a group, nothing that is secret is in the list of processes, or would be in a core."""
    group = [process for process in Path("/proc").glob("[0-9]*") if _group(process) == leader]
    assert group
    for process in group:
        assert_private((process / "cmdline").read_bytes(), key)
        limit = re.search(r"^Max core file size\s+(\d+)", (process / "limits").read_text(), re.M)
        assert limit is not None
        assert int(limit[1]) <= 1


def _group(process: Path) -> int | None:
    try:
        return os.getpgid(int(process.name))
    except ProcessLookupError:
        return None


@pytest.mark.parametrize("debug", [False, True])
def test_a_failure_of_the_service_is_reported_without_words_in_log_problem_and_traceback(
    output: Path, key: str, tmp_path: Path, home: Path, debug: bool
):
    log = tmp_path / "access.log"
    command = ["serve", "--database", str(output), "--port", "0", "--access-log", str(log)]
    process = subprocess.Popen(
        [sys.executable, "-c", SERVICE, *command, *["--debug"] * debug],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **secrets(key, home)},
    )
    assert process.stdout is not None
    url = process.stdout.readline().decode().strip()
    answers = [asked(url, path, key) for path in ("labels", f"contacts?q={NAME}", "nothing")]
    cmdline = Path(f"/proc/{process.pid}/cmdline")
    shown = cmdline.read_bytes() if cmdline.exists() else b""
    process.terminate()
    out, err = process.communicate()
    assert [status for status, _ in answers] == [500, 200, 404]
    assert b"internal_error" in answers[0][1]
    logged = b"".join(written_below(home).values()) if debug else err
    trace = logged.decode().splitlines() if debug else json.loads(err)["trace"]
    assert any(line.endswith("builtins.ValueError") for line in trace)
    assert any(line.endswith(":fail") for line in trace)
    for said in (answers[0][1], answers[2][1], url.encode(), out, err, log.read_bytes(), shown):
        assert_private(said + logged, key)


def asked(url: str, path: str, key: str) -> tuple[int, bytes]:
    import httpx

    response = httpx.get(f"{url}/v1/{path}", headers={"Authorization": f"Bearer {key}"})
    return response.status_code, response.content


SECRET_VARIABLES = (
    subprocess_environment.KEY_VARIABLE,
    subprocess_environment.APP_SECRET_VARIABLE,
    subprocess_environment.VERIFY_TOKEN_VARIABLE,
)


def test_a_command_that_says_a_key_gets_none(monkeypatch: pytest.MonkeyPatch):
    for name in SECRET_VARIABLES:
        monkeypatch.setenv(name, "a secret")
    program = "import os; print([name for name in os.environ if os.environ[name] == 'a secret'])"
    profile = Profile(name="shop", url="https://shop", key_command=(sys.executable, "-c", program))
    assert load_key(profile) == "[]"


def children() -> set[str]:
    """The processes that this one has started."""
    found: set[str] = set()
    for thread in Path("/proc/self/task").iterdir():
        # It may have ended meanwhile.
        with suppress(OSError):
            found.update((thread / "children").read_text().split())
    return found


@on_linux
def test_the_process_that_makes_the_demo_gets_no_secrets(monkeypatch: pytest.MonkeyPatch):
    for name in SECRET_VARIABLES:
        monkeypatch.setenv(name, "a secret")
    before = children()
    with ExitStack() as resources:
        start_demo(resources).wait_for_first_page()
        (maker,) = children() - before
        environment = Path(f"/proc/{maker}/environ").read_bytes()
        assert b"PYTHONPATH=" in environment
        assert b"a secret" not in environment


def test_no_value_that_holds_a_key_shows_it(key: str):
    _, guest = new_ephemeral_key(1)
    parameters = Parameters(b"q=aubergine", ("q",))
    asked = EndpointRequest(cast(Any, None), guest.grant, ENDPOINTS[0], PHONE, parameters, 1)
    wanted = SetupValues("https://shop", key, "", "shop")
    holding = (InboxClient("https://shop", key), asked, wanted, guest, WebhookSecret(key, key))
    for value in holding:
        assert_private(repr(value).encode(), key)
