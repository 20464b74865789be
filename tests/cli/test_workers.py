"""Several worker processes on one port: start, replacement, shutdown."""

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
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import LabelUpsert
from frontdesk.service.api_keys import SCOPES
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
    killed = f"Worker {min(before)} was ended by signal 9; another is started\n"
    assert process.communicate() == ("", killed if number == signal.SIGKILL else "")
    with pytest.raises(ConnectionRefusedError):
        connect_for_ever(int(url.rpartition(":")[2]))


STOPPED_EARLY = """
import os, signal, socket, sys, threading
from frontdesk.service.server.worker import answer

def stop():
    while "uvicorn.loops.auto" not in sys.modules:
        pass
    os.kill(os.getpid(), signal.SIGTERM)

threading.Thread(target=stop, daemon=True).start()
with socket.create_server(("127.0.0.1", 0)) as listening:
    answer(None, [listening], lambda: None)
print("stopped")
"""


def test_a_signal_before_the_event_loop_runs_stops_the_server_without_a_warning():
    command = [sys.executable, "-c", STOPPED_EARLY]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "stopped\n", "")


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
    opened = [Path(f"/proc/{pid}/fd") for pid in processes]
    wait_until(lambda: all(str(log) in map(os.path.realpath, fd.iterdir()) for fd in opened))
    assert workers_of(process) == processes or workers == 1
    for _ in range(6):
        assert labels(url, key) == 200
    process.terminate()
    assert process.communicate() == ("", "")
    assert process.returncode == 0
    assert len(rotated.read_text().splitlines()) == 1
    assert len(log.read_text().splitlines()) == 6


FAILING = """
from frontdesk.cli.exit_codes import guarded
from frontdesk.errors import BadSettings
from frontdesk.service.server.supervisor import Supervisor

def work(ready):
    raise BadSettings("It cannot begin")

supervisor = Supervisor(2, lambda ready: guarded(lambda: work(ready)))
print(supervisor.run(lambda: print("begun"), lambda: print("stopping")))
"""


def test_workers_that_cannot_begin_say_why_and_end_it():
    ended = subprocess.run(
        [sys.executable, "-c", FAILING], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "stopping\nFalse\n"
    assert set(ended.stderr.splitlines()) == {"frontdesk: It cannot begin"}


DYING = """
import os, signal, sys
from frontdesk.service.server.supervisor import Supervisor

lives, life = os.pipe()
waits = 0

def count(frame, event, called):
    global waits
    waits += event == "c_call" and called.__name__ in ("poll", "select")

def work(ready):
    ready()
    if os.read(lives, 1) == b"-":
        os.kill(os.getppid(), signal.SIGTERM)

sys.setprofile(count)
Supervisor(1, work).run(lambda: os.write(life, b"+-"), stopping=lambda: None)
sys.setprofile(None)
print(waits)
"""


def test_a_supervisor_waits_and_does_not_spin_while_workers_die():
    ended = subprocess.run(
        [sys.executable, "-c", DYING], capture_output=True, text=True, check=True
    )
    # For each beginning and end of the two workers, until the second may be started, and for the
    # signal; some come at once.
    assert 4 <= int(ended.stdout) < 10


SLOW = """
import os, pathlib, socket, sys
from frontdesk.service.server.worker import answer
from frontdesk.service.app import create_app
from frontdesk.store.database import WouldBlock
from frontdesk.store.sqlite import SQLiteDatabase

class Slow(SQLiteDatabase):
    def read(self, work):
        os.write(1, b"+")
        os.read(0, 1)
        return super().read(work)

    def read_inline(self, work):
        raise WouldBlock

listening = socket.create_server(("127.0.0.1", 0))
database = Slow(pathlib.Path(sys.argv[1]))
app = create_app(database)

def ready():
    os.write(1, f"{listening.getsockname()[1]}\\n".encode())

try:
    answer(app, [listening], ready, draining=app.drain)
finally:
    app.close()
    database.close()
"""


def request_of(key: str) -> bytes:
    return f"GET /v1/labels HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n".encode()


def connect_for_ever(port: int) -> None:
    while True:
        # What waits to be accepted when the port is closed is reset.
        with suppress(ConnectionResetError), socket.create_connection(("127.0.0.1", port)):
            pass


def test_requests_in_progress_are_answered_after_sigterm(path: Path, key: str):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
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
    process.communicate()
    assert process.returncode == 0


IMPATIENT = f"""
from frontdesk.service.server import worker
worker.DRAIN_SECONDS = 0.1
{SLOW}
"""


def test_who_is_not_answered_before_it_ends_is_asked_to_retry(path: Path, key: str):
    process = subprocess.Popen(
        [sys.executable, "-c", IMPATIENT, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
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
    _, err = process.communicate()
    assert b"Traceback" not in err
    assert b"ASGI" not in err


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
