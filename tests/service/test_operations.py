"""What an operator sees of the service: its health, its log, its switches, its reads."""

import io
import json
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from small_inbox import CHANNELS, catalogue, conversations, person
from stored_keys import keep
from tests.stores import NeverAtOnce

from frontdesk.errors import Unreachable
from frontdesk.ingest.events import ConversationEvent
from frontdesk.service.access_log import AccessLog, LogTarget, ResponseObserver, Telemetry
from frontdesk.service.api_keys import key_id, new_ephemeral_key, new_key
from frontdesk.service.app import Options, create_app
from frontdesk.service.middleware import ContextMiddleware
from frontdesk.service.problems import CODES
from frontdesk.store.database import Connection, Database


class Down(NeverAtOnce):
    """A database that does not answer."""

    def read(self, work):
        raise Unreachable("The database is down", retry_after=7)

    def write(self, work):
        raise Unreachable("The database is down", retry_after=7)

    def close(self) -> None:
        pass


class Counted(NeverAtOnce):
    """A database that counts the statements that readers run."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.statements: list[str] = []

    def read(self, work: Callable[[Connection], Any]) -> Any:
        return self._database.read(lambda connection: work(self._counting(connection)))

    def write(self, work: Callable[[Connection], Any]) -> Any:
        return self._database.write(work)

    def close(self) -> None:
        pass

    def _counting(self, connection: Any) -> Any:
        statements = self.statements

        class Counting:
            def __getattr__(self, name: str) -> Any:
                return getattr(connection, name)

            def rows(self, sql: str, parameters: Mapping[str, object] | None = None) -> Any:
                statements.append(sql)
                return connection.rows(sql, parameters or {})

            def row(self, sql: str, parameters: Mapping[str, object] | None = None) -> Any:
                statements.append(sql)
                return connection.row(sql, parameters or {})

            def run(self, sql: str, parameters: Mapping[str, object] | None = None) -> Any:
                statements.append(sql)
                return connection.run(sql, parameters or {})

            def run_many(self, sql: str, parameters: Iterable[Mapping[str, object]]) -> None:
                statements.append(sql)
                connection.run_many(sql, parameters)

        return Counting()


@pytest.fixture
def log() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
async def logged(clients, database, now, log):
    """A client without a key of a service that logs."""
    app = create_app(database, clock=lambda: now, access_log=AccessLog(log))
    return await clients.client_of(app, None)


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


async def test_a_304_is_one_read_whoever_asks(clients, database, add_events, now):
    add_events([*catalogue(), *conversations(30)])
    snoozed_for_long = ConversationEvent(
        CHANNELS[0], person(0), "s", now, "snoozed", {"until": now + 1}
    )
    add_events([snoozed_for_long])
    counted = Counted(database)
    guest_key, guest = new_ephemeral_key(1)
    client = await clients.client_of(
        create_app(counted, ephemeral_keys=[guest], clock=lambda: now), None
    )
    for key in (keep(database), guest_key):
        for path in ("/v1/conversations?status=open", "/v1/conversations/1/messages"):
            first = await client.get(path, headers=bearer(key))
            tag = {"If-None-Match": first.headers["ETag"]}
            counted.statements.clear()
            again = await client.get(path, headers=bearer(key) | tag)
            assert again.status_code == 304
            assert len(counted.statements) == 1, counted.statements


async def test_health_needs_no_key_and_no_database(clients):
    client = await clients.client_of(create_app(Down()), None)
    response = await client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "alive"})
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Request-Id"]


async def test_it_is_ready_when_the_database_answers(clients, database, is_problem):
    client = await clients.client_of(create_app(database), None)
    response = await client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"status": "ready"})
    down = await clients.client_of(create_app(Down()), None)
    response = await down.get("/readyz")
    is_problem(response, 503, "service_unavailable")
    assert response.headers["Retry-After"] == "7"


class ReadOnly:
    """A database that counts what is tried to be written, and writes it unless it is full."""

    def __init__(self, database):
        self.database, self.full, self.tried = database, False, 0

    def write(self, work):
        self.tried += 1
        if self.full:
            raise Unreachable("The disk is full", retry_after=30)
        return self.database.write(work)


async def test_it_is_ready_while_what_it_receives_can_be_written(clients, database, is_problem):
    inbound, now = ReadOnly(database), [0]
    app = create_app(database, clock=lambda: now[0], inbound=inbound)
    client = await clients.client_of(app, None)
    for _ in range(3):
        assert (await client.get("/readyz")).status_code == 200
    assert inbound.tried == 1
    inbound.full = True
    now[0] += 2_000
    is_problem(await client.get("/readyz"), 503, "service_unavailable")
    is_problem(await client.get("/readyz"), 503, "service_unavailable")
    assert inbound.tried == 2
    inbound.full = False
    now[0] += 2_000
    assert (await client.get("/readyz")).status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
async def test_health_is_only_read(logged, is_problem, path):
    is_problem(await logged.post(path), 405, "method_not_allowed")
    assert (await logged.head(path)).status_code == 200
    is_problem(await logged.get(f"/v1{path}"), 401, "missing_credentials")
    is_problem(await logged.get(f"{path}/"), 404, "route_not_found")


async def test_a_line_of_the_log_has_the_key_and_the_request(logged, database, log, now):
    key = keep(database)
    response = await logged.get("/v1/labels", headers=bearer(key))
    line = json.loads(log.getvalue())
    assert line.pop("duration_ms") >= 0
    assert line == {
        "time": "2026-03-14T09:30:00.000Z",
        "method": "GET",
        "route": "/v1/labels",
        "status": 200,
        "code": None,
        "bytes": len(response.content),
        "key_id": key_id(key),
        "account": "default",
        "account_id": "1",
        "request_id": response.headers["X-Request-Id"],
    }


async def test_what_was_never_answered_is_not_in_the_log(log):
    async def left(scope, receive, send) -> None:
        """The client went before there was an answer."""

    app = ContextMiddleware(ResponseObserver(left, AccessLog(log), Telemetry()), lambda: 0)
    await app({"type": "http", "method": "GET", "headers": []}, None, None)
    assert log.getvalue() == ""


async def test_a_line_has_the_address_of_the_client_only_if_the_operator_asks_for_it(
    clients, database, log
):
    for addresses in (False, True):
        app = create_app(database, access_log=AccessLog(log, addresses=addresses))
        await (await clients.client_of(app, None)).get("/healthz")
    without, with_address = map(json.loads, log.getvalue().splitlines())
    assert "address" not in without
    assert with_address["address"] == "127.0.0.1"


async def test_a_log_that_was_moved_is_opened_again(tmp_path, caplog):
    path = tmp_path / "access.log"
    log = AccessLog.open(LogTarget(str(path)))
    log.write({"answer": 1})
    path.rename(tmp_path / "access.log.1")
    log.write({"answer": 2})
    log.reopen()
    log.write({"answer": 3})
    assert (tmp_path / "access.log.1").read_text() == '{"answer": 1}\n{"answer": 2}\n'
    assert path.read_text() == '{"answer": 3}\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.unlink()
    path.mkdir()
    log.reopen()
    log.write({"answer": 4})
    assert [record.getMessage() for record in caplog.records] == [
        f"The access log {path} cannot be opened again: Is a directory. The file before is kept"
    ]
    log.close()


async def test_each_answer_is_one_line(logged, database, log):
    key = keep(database)
    tag = (await logged.get("/v1/labels", headers=bearer(key))).headers["ETag"]
    await logged.get("/v1/labels", headers=bearer(key) | {"If-None-Match": tag})
    await logged.head("/v1/labels", headers=bearer(key))
    await logged.get("/v1/labels?limit=0", headers=bearer(key))
    await logged.get("/v1/conversations/1/messages", headers=bearer(new_key()))
    await logged.get("/v1/nope", headers=bearer(key))
    await logged.post("/wp-login.php")
    await logged.get("/healthz")
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    logged = [(line["route"], line["status"], line["code"]) for line in lines]
    assert logged == [
        ("/v1/labels", 200, None),
        ("/v1/labels", 304, None),
        ("/v1/labels", 200, None),
        ("/v1/labels", 400, "invalid_limit"),
        ("/v1/conversations/{}/messages", 401, "invalid_key"),
        (None, 404, "route_not_found"),
        (None, 404, "route_not_found"),
        ("/healthz", 200, None),
    ]
    assert [line["bytes"] for line in lines[1:3]] == [0, 0]
    assert lines[4]["key_id"] is None


async def test_the_log_knows_no_key_no_number_and_no_search(logged, database, log):
    key = keep(database)
    await logged.get("/v1/contacts/by-phone/+16505551234", headers=bearer(key))
    await logged.get("/v1/contacts?q=zebra&cursor=giraffe", headers=bearer(key))
    await logged.get("/v1/16505551234?q=zebra", headers=bearer(new_key()))
    await logged.get(f"/v1/labels?access_token={key}")
    assert len(log.getvalue().splitlines()) == 4
    for secret in (key, key[20:40], "16505551234", "zebra", "giraffe"):
        assert secret not in log.getvalue()


async def test_a_log_that_cannot_be_written_is_gone_on_with_when_there_is_room_again(
    clients, database, caplog
):
    class Disk(io.StringIO):
        full = False

        def write(self, text: str) -> int:
            if self.full:
                raise OSError(28, "No space left on device")
            return super().write(text)

    disk = Disk()
    client = await clients.client_of(create_app(database, access_log=AccessLog(disk)), None)
    for disk.full in (False, True, True, False, False):
        assert (await client.get("/healthz")).status_code == 200
    lines = [json.loads(line) for line in disk.getvalue().split("\n") if line]
    assert [line["route"] for line in lines] == ["/healthz"] * 3
    assert [record.getMessage() for record in caplog.records] == [
        "The access log cannot be written: No space left on device. The service goes on without it",
        "The access log is written again; 2 answers are missing",
    ]


async def test_unknown_parameters_are_ignored_where_the_operator_says_so(
    clients, database, add_events, now, is_problem
):
    add_events(catalogue())
    app = create_app(database, clock=lambda: now, options=Options(strict_query=False))
    client = await clients.client_of(app, keep(database))
    response = await client.get("/v1/labels?inbox=7&label[]=a&limit=1&nope")
    assert len(response.json()["data"]) == 1
    is_problem(await client.get("/v1/labels?limit=1&limit=1"), 400, "invalid_parameter")
    is_problem(await client.get("/v1/labels?limit=x"), 400, "invalid_limit")
    is_problem(await client.get("/v1/labels?%ff=x"), 400, "invalid_parameter")


async def test_the_type_of_a_problem_begins_as_the_operator_says(clients, database):
    options = Options(problem_base_uri="https://help.example.com/problems#")
    client = await clients.client_of(create_app(database, options=options), None)
    document = (await client.get("/v1/labels")).json()
    assert document["type"] == "https://help.example.com/problems#missing_credentials"


TESTS = "\n".join(
    path.read_text(encoding="utf-8")
    for path in Path(__file__).parents[1].rglob("test_*.py")
    if path != Path(__file__)
)


@pytest.mark.parametrize("code", CODES)
def test_every_code_of_the_catalogue_is_met_by_a_test(code):
    assert f'"{code}"' in TESTS
