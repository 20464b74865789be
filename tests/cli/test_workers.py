"""Several worker processes on one port: start, replacement, shutdown."""

import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest
from servers import Serve, wait_until
from tests.stores import PostgresServer

from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.cli.exit_codes import ERROR, USAGE
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import LabelUpsert
from frontdesk.service.api_keys import SCOPES
from frontdesk.service.server import pass_on
from frontdesk.store.connect import open_database
from frontdesk.store.sqlite import SQLiteDatabase

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc"
)


def workers_of(process: "subprocess.Popen[str]") -> set[int]:
    """The processes that this one has started."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
            if parent == process.pid:
                found.add(int(entry.parent.name))
    return found


def opened_by(pid: int) -> set[str]:
    """The files that a process has open."""
    found = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        # It may be closed meanwhile.
        with suppress(FileNotFoundError):
            found.add(os.readlink(descriptor))
    return found


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def labels(url: str, key: str) -> int:
    """The status of a request over a connection of its own, which is one worker's."""
    request = Request(f"{url}/v1/labels", headers={"Authorization": f"Bearer {key}"})
    try:
        with urlopen(request) as response:
            return int(response.status)
    except HTTPError as error:
        return error.code


def test_all_workers_answer_on_one_port_with_one_limit_for_a_key_until_a_signal_ends_them(
    serve: Serve, key: str
):
    process, url = serve("--workers", "3", "--rate-limit", "1", "--burst", "5")
    workers = workers_of(process)
    assert len(workers) == 3
    assert sorted(labels(url, key) for _ in range(8)) == [200] * 5 + [429] * 3
    process.terminate()
    assert process.communicate() == ("", "")
    assert process.returncode == 0
    assert not [pid for pid in workers if runs(pid)]


@pytest.mark.postgres
@pytest.mark.slow
def test_workers_share_a_database_on_a_server(postgres: PostgresServer):
    order = KeyOrder("default", "x", None, SCOPES, None)
    with postgres.database() as address:
        open_database(address, create=True).close()
        key = str(make_key(address, order, now=0)["key"])
        command = ["serve", "--database", address, "--read-database", address, "--port", "0"]
        command += ["--workers", "2"]
        process = subprocess.Popen(
            [sys.executable, "-m", "frontdesk", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert [labels(url, key) for _ in range(8)] == [200] * 8
        process.terminate()
        assert process.communicate() == ("", "")
        assert process.returncode == 0


def test_a_signal_to_all_at_once_ends_them_as_well(path: Path):
    """As a terminal and systemd send it."""
    command = ["serve", "--database", str(path), "--port", "0", "--workers", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "frontdesk", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("http://")
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate() == ("", "")
    assert process.returncode == 0


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_worker_that_ends_is_replaced_and_none_outlives_what_started_it(
    serve: Serve, key: str, number: signal.Signals
):
    process, url = serve("--workers", "2", "--rate-limit", "0")
    before = workers_of(process)
    os.kill(min(before), number)

    def replaced() -> bool:
        # The one that ends may have accepted it.
        with suppress(URLError, ConnectionError):
            assert labels(url, key) == 200
        return len(workers_of(process) - before) == 1 and len(workers_of(process)) == 2

    wait_until(replaced)
    assert labels(url, key) == 200
    process.kill()
    killed = f"Worker {min(before)} was ended by signal 9; another is started"
    out, err = process.communicate()
    told = [json.loads(line)["message"] for line in err.splitlines()]
    assert (out, told) == ("", [killed] if number == signal.SIGKILL else [])
    with pytest.raises(ConnectionRefusedError):
        connect_for_ever(int(url.rpartition(":")[2]))


# A service in a script, whose database a test can hold up. Standard input of a worker is empty.
SERVICE = """
import os, pathlib, signal, socket, sys
from contextlib import contextmanager
from frontdesk.cli.exit_codes import guarded
from frontdesk.errors import BadSettings
from frontdesk.service import server
from frontdesk.service.app import Options
from frontdesk.service.webhooks.worker import WorkerSettings
from frontdesk.store.database import WouldBlock
from frontdesk.store.sqlite import SQLiteDatabase

gate = os.dup(0)

class Slow(SQLiteDatabase):
    def read(self, work):
        os.write(1, b"+")
        os.read(gate, 1)
        return super().read(work)

    def read_inline(self, work):
        raise WouldBlock

@contextmanager
def opened(target, **options):
    # Only that of /v1 has a limit of time.
    kind = Slow if "statement_seconds" in options else SQLiteDatabase
    database = kind(pathlib.Path(target))
    yield database
    database.close()

def serve(opened, workers=1):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    plan = server.Plan(opened, sys.argv[1], None, Options(), 10.0, (), None, WorkerSettings())
    where = server.Listener("127.0.0.1", port)
    announce = lambda: os.write(1, f"{port}\\n".encode())
    supervisor = server.Supervisor(plan, where, workers, guard=guarded, announce=announce)
    sys.exit(guarded(supervisor.run))
"""


def start(path: Path, script: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", SERVICE + script, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )


STOPPED_EARLY = """
@contextmanager
def stopping(target, **options):
    os.kill(os.getppid(), signal.SIGTERM)
    with opened(target) as database:
        yield database

serve(stopping)
"""


def test_a_signal_while_workers_start_ends_it_without_a_warning(path: Path):
    process = start(path, STOPPED_EARLY)
    _, err = process.communicate()
    assert (process.returncode, err) == (0, b"")


def test_workers_write_whole_lines_into_one_log(serve: Serve, key: str, tmp_path: Path):
    log = tmp_path / "access.log"
    process, url = serve("--workers", "2", "--access-log", str(log))
    threads = [
        threading.Thread(target=lambda: [labels(url, key) for _ in range(5)]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    process.terminate()
    process.communicate()
    lines = log.read_text().splitlines()
    assert len(lines) == 20
    assert all(line.startswith('{"time": ') and line.endswith('"}') for line in lines)


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_hang_up_opens_the_access_log_again_in_every_worker(
    serve: Serve, key: str, tmp_path: Path, workers: int
):
    log, rotated = tmp_path / "access.log", tmp_path / "access.log.1"
    process, url = serve("--workers", str(workers), "--access-log", str(log))
    assert labels(url, key) == 200
    wait_until(lambda: log.read_text().count("\n") == 1)
    processes = workers_of(process) or {process.pid}
    log.rename(rotated)
    process.send_signal(signal.SIGHUP)
    wait_until(lambda: all(str(log) in opened_by(pid) for pid in processes))
    assert workers_of(process) == processes or workers == 1
    for _ in range(6):
        assert labels(url, key) == 200
    process.terminate()
    assert process.communicate() == ("", "")
    assert process.returncode == 0
    assert len(rotated.read_text().splitlines()) == 1
    assert len(log.read_text().splitlines()) == 6


def test_a_signal_is_passed_on_past_a_worker_that_has_just_ended():
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=target) for target in (os.getpid, signal.pause)]
    ended, living = workers
    for worker in workers:
        worker.start()
    ended.join()
    pass_on(signal.SIGTERM, workers)
    living.join()
    assert (ended.exitcode, living.exitcode) == (0, -signal.SIGTERM)


ENDED_BEFORE = """
import asyncio, multiprocessing, threading
from contextlib import ExitStack
from frontdesk.service.middleware import HttpApplication
from frontdesk.service.server import Dispatcher, Worker

application = HttpApplication([], clock=lambda: 0, problem_base_uri="")
reader, writer = multiprocessing.Pipe(duplex=False)
worker = Worker(Dispatcher(application, None), ExitStack(), (), lambda: None, None, reader)

async def receive():
    return {}

async def send(message):
    pass

asyncio.run(worker({"type": "lifespan"}, receive, send))
writer.close()
for thread in set(threading.enumerate()) - {threading.current_thread()}:
    thread.join()
"""


def test_a_worker_that_ended_before_the_service_did_says_nothing():
    ended = subprocess.run([sys.executable, "-c", ENDED_BEFORE], capture_output=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_a_hang_up_without_a_log_ends_it(serve: Serve):
    process, _ = serve()
    process.send_signal(signal.SIGHUP)
    assert process.communicate() == ("", "")
    assert process.returncode == 0


def test_hang_ups_that_it_was_started_to_ignore_are_ignored(path: Path):
    command = [sys.executable, "-m", "frontdesk", "serve", "--database", str(path), "--port", "0"]
    with subprocess.Popen(["nohup", *command], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        status = Path(f"/proc/{process.pid}/status").read_text()
        ignored = next(line for line in status.splitlines() if line.startswith("SigIgn:"))
        assert int(ignored.split()[1], 16) & 1 << (signal.SIGHUP - 1)
        process.terminate()


FAILING = """
@contextmanager
def failing(target, **options):
    raise BadSettings("It cannot begin")
    yield

serve(failing, workers=2)
"""


def test_workers_that_cannot_begin_say_why_and_end_it(path: Path):
    process = start(path, FAILING)
    out, err = process.communicate()
    assert (process.returncode, out) == (USAGE, b"")
    assert set(err.splitlines()) == {
        b"frontdesk: It cannot begin",
        b"frontdesk: A worker did not start",
    }


def test_a_worker_that_is_started_again_and_dies_at_once_ends_it(serve: Serve):
    """So that whatever started the service says so, instead of a loop that nobody sees."""
    process, _ = serve("--workers", "2")
    before = workers_of(process)
    os.kill(min(before), signal.SIGKILL)
    wait_until(lambda: len(workers_of(process) - before) == 1)
    (again,) = workers_of(process) - before
    os.kill(again, signal.SIGKILL)
    _, err = process.communicate()
    assert process.returncode == ERROR
    assert "frontdesk: A worker that was started again died at once" in err.splitlines()


def request_of(key: str) -> bytes:
    return f"GET /v1/labels HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n".encode()


def connect_for_ever(port: int) -> None:
    while True:
        # What waits to be accepted when the port is closed is reset.
        with suppress(ConnectionResetError), socket.create_connection(("127.0.0.1", port)):
            pass


def test_requests_in_progress_are_answered_after_sigterm(path: Path, key: str):
    process = start(path, "serve(opened)")
    assert process.stdout is not None
    assert process.stdin is not None
    port = int(process.stdout.readline())
    connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
    for connection in connections:
        connection.sendall(request_of(key))
    assert b"".join(process.stdout.read(1) or b"" for _ in connections) == b"+++"
    process.terminate()
    with pytest.raises(ConnectionRefusedError):
        connect_for_ever(port)
    process.stdin.write(b"!!!")
    for connection in connections:
        with connection:
            answer = b"".join(iter(lambda connection=connection: connection.recv(65536), b""))
            assert answer.startswith(b"HTTP/1.1 200 ")
            assert answer.endswith(b"}")
    assert process.communicate()[1] == b""
    assert process.returncode == 0


def test_who_is_not_answered_before_it_ends_is_asked_to_retry(path: Path, key: str):
    process = start(path, "server.DRAIN_SECONDS = 0.1; serve(opened)")
    assert process.stdout is not None
    assert process.stdin is not None
    port = int(process.stdout.readline())
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(request_of(key))
        assert process.stdout.read(1) == b"+"
        process.terminate()
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 1" in head
    assert b"application/problem+json" in head
    assert b'"service_unavailable"' in body
    process.stdin.write(b"!")
    assert process.communicate()[1] == b""
    assert process.returncode == 0


class Asker(threading.Thread):
    """Asks over one connection, again and again, until it ends."""

    def __init__(self, url: str, request: bytes, going: threading.Semaphore) -> None:
        super().__init__()
        self._address = url.removeprefix("http://").split(":")
        self._request = request
        self._going = going
        self.whole = 0
        self.torn = b""

    def run(self) -> None:
        host, port = self._address
        with socket.create_connection((host, int(port))) as connection:
            try:
                while self._answered(connection):
                    self.whole += 1
                    if self.whole == 10:
                        self._going.release()
            except ConnectionError:
                pass

    def _answered(self, connection: socket.socket) -> bool:
        connection.sendall(self._request)
        received = b""
        while not _is_whole(received):
            self.torn = received
            part = connection.recv(4096)
            if not part:
                return False
            received += part
        self.torn = b""
        return True


def _is_whole(received: bytes) -> bool:
    head, end, body = received.partition(b"\r\n\r\n")
    if not end:
        return False
    length = next(
        int(line.partition(b":")[2])
        for line in head.lower().split(b"\r\n")
        if line.startswith(b"content-length:")
    )
    return len(body) == length


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_no_answer_is_torn_by_a_signal_under_load(serve: Serve, path: Path, key: str, workers: str):
    many = [LabelUpsert(f"label {number}", 0, description="x" * 200) for number in range(99)]
    database = SQLiteDatabase(path)
    database.write(lambda connection: apply_events(connection, 1, many, now=0))
    database.close()
    process, url = serve("--workers", workers, "--rate-limit", "0")
    going = threading.Semaphore(0)
    askers = [Asker(url, request_of(key), going) for _ in range(8)]
    for asker in askers:
        asker.start()
    for _ in askers:
        going.acquire()
    process.terminate()
    for asker in askers:
        asker.join()
    out, err = process.communicate()
    assert (process.returncode, out, err) == (0, "", "")
    assert [asker.torn for asker in askers] == [b""] * len(askers)
