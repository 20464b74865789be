"""`frontdesk serve`: the service over TCP, from start to shutdown."""

import json
import signal
import socket
import ssl
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
import trustme
from click.testing import CliRunner
from servers import Serve
from tests.commands import run_on

from frontdesk.cli.commands.serve import serve_command
from frontdesk.cli.exit_codes import USAGE
from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.service.api_keys import key_id, new_key
from frontdesk.store import message_search
from frontdesk.store.sqlite import SQLiteDatabase


def test_it_prints_where_it_is_once_it_can_be_asked(served: Callable[..., str], served_key: str):
    url = served()
    assert url.startswith("http://127.0.0.1:")
    response = httpx.get(f"{url}/v1/labels", headers={"Authorization": f"Bearer {served_key}"})
    assert [label["title"] for label in response.json()["data"]] == ["billing"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_and_it_has_said_nothing_else(
    serve: Serve, key: str, number: signal.Signals
):
    process, url = serve()
    with httpx.Client(headers={"Authorization": f"Bearer {key}"}) as client:
        assert client.get(f"{url}/v1/contacts", params={"q": "secret"}).status_code == 200
        process.send_signal(number)
        out, err = process.communicate()
    assert process.returncode == 0
    assert (out, err) == ("", "")


def test_the_same_answers_come_over_tcp_as_in_process(served: Callable[..., str], served_key: str):
    url = served()
    headers = {"Authorization": f"Bearer {served_key}"}
    refused = httpx.get(f"{url}/v1/labels?nope=1", headers=headers)
    assert refused.status_code == 400
    assert refused.json()["code"] == "invalid_parameter"
    head = httpx.head(f"{url}/v1/labels", headers=headers)
    assert head.status_code == 200
    same = httpx.get(f"{url}/v1/labels", headers={**headers, "If-None-Match": head.headers["ETag"]})
    assert same.status_code == 304
    encoded = httpx.get(f"{url}/v1/contacts/by-phone/%2B16505551234", headers=headers)
    assert encoded.json()["code"] == "contact_not_found"
    assert httpx.post(f"{url}/v1/labels", headers=headers).status_code == 405
    assert httpx.get(f"{url}/v1/labels").json()["code"] == "missing_credentials"


def test_a_port_that_is_taken_is_reported_in_one_line(path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        arguments = ["--database", str(path), "--port", str(port)]
        result = CliRunner().invoke(serve_command, arguments)
    assert isinstance(result.exception, BadSettings)
    assert str(port) in str(result.exception)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.com", "::"])
def test_no_key_travels_beyond_this_machine_unless_allowed(path: Path, host: str):
    arguments = ["--database", str(path), "--port", "0", "--host", host]
    result = CliRunner().invoke(serve_command, arguments)
    assert isinstance(result.exception, BadSettings)
    assert "--allow-plain-http" in str(result.exception)


class Certified(NamedTuple):
    """Files of a certificate for 127.0.0.1 with its key, and of the authority that signed it."""

    certificate: Path
    key: Path
    authority: Path


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    folder = tmp_path_factory.mktemp("certificate")
    files = Certified(*(folder / f"{name}.pem" for name in Certified._fields))
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    for number, blob in enumerate(issued.cert_chain_pems):
        blob.write_to_path(files.certificate, append=number > 0)
    issued.private_key_pem.write_to_path(files.key)
    authority.cert_pem.write_to_path(files.authority)
    return files


def test_with_a_certificate_it_serves_https_and_nothing_else(
    serve: Serve, key: str, certified: Certified
):
    options = ("--tls-certificate", str(certified.certificate), "--tls-key", str(certified.key))
    process, url = serve(*options)
    assert url.startswith("https://127.0.0.1:")
    trusting = ssl.create_default_context(cafile=str(certified.authority))
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        trusting.maximum_version = version
        with httpx.Client(verify=trusting, headers={"Authorization": f"Bearer {key}"}) as client:
            assert client.get(f"{url}/v1/labels").status_code == 200
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{url.replace('https', 'http')}/healthz")
    process.terminate()
    assert process.communicate() == ("", "")
    assert process.returncode == 0


def test_with_a_certificate_it_listens_beyond_this_machine(serve: Serve, certified: Certified):
    options = ("--tls-certificate", str(certified.certificate), "--tls-key", str(certified.key))
    _, url = serve("--host", "0.0.0.0", *options)
    assert url.startswith("https://0.0.0.0:")


def test_a_certificate_and_a_key_that_do_not_fit_are_reported_in_one_line(
    path: Path, tmp_path: Path, certified: Certified
):
    other = tmp_path / "other.pem"
    trustme.CA().issue_cert("127.0.0.1").private_key_pem.write_to_path(other)
    for key in (other, certified.authority, tmp_path / "none"):
        files = ("--tls-certificate", str(certified.certificate), "--tls-key", str(key))
        ended = run_on(path, "serve", "--port", "0", *files)
        assert ended.exit_code == USAGE
        (line,) = ended.stderr.splitlines()
        assert str(key) in line
    alone = run_on(path, "serve", "--port", "0", "--tls-key", str(certified.key))
    assert (alone.exit_code, "need each other" in alone.stderr) == (USAGE, True)


def test_a_missing_database_is_not_made(tmp_path: Path):
    arguments = ["--database", str(tmp_path / "none.db"), "--port", "0"]
    result = CliRunner().invoke(serve_command, arguments)
    assert isinstance(result.exception, UnusableFile)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_read_where_it_is_written(path: Path):
    arguments = ["--database", str(path), "--read-database", "postgresql:///x", "--port", "0"]
    result = CliRunner().invoke(serve_command, arguments)
    assert isinstance(result.exception, BadSettings)


def test_without_its_server_the_program_says_how_to_get_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "granian", None)
    ended = run_on(path, "serve", "--port", "0")
    assert ended.exit_code == USAGE
    assert len(ended.stderr.splitlines()) == 1
    assert "pip install 'frontdesk[serve]'" in ended.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--mcp-host", "inbox.example.com"), "--mcp-host goes with --mcp"),
        (("--mcp", "--mcp-host", "https://inbox.example.com"), "is no name of a host"),
        (("--mcp", "--mcp-host", ""), "is no name of a host"),
    ],
)
def test_the_names_that_models_reach_it_by_are_checked(
    path: Path, options: tuple[str, ...], words: str
):
    ended = run_on(path, "serve", "--port", "0", *options)
    assert (ended.exit_code, words in ended.stderr) == (USAGE, True)


def test_without_the_protocol_of_models_the_program_says_how_to_get_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "mcp", None)
    ended = run_on(path, "serve", "--port", "0", "--mcp")
    assert ended.exit_code == USAGE
    assert "pip install 'frontdesk[mcp]'" in ended.stderr


def test_it_says_whether_it_lives_and_is_ready(served: Callable[..., str]):
    url = served()
    assert httpx.get(f"{url}/healthz").json() == {"status": "alive"}
    assert httpx.get(f"{url}/readyz").json() == {"status": "ready"}


def test_without_secrets_no_webhooks_are_received(served: Callable[..., str]):
    assert httpx.post(f"{served()}/webhooks/whatsapp", json={}).status_code == 404


def test_the_log_of_what_was_asked_is_a_file_for_its_owner(serve: Serve, key: str, tmp_path: Path):
    log = tmp_path / "access.log"
    process, url = serve("--access-log", str(log))
    headers = {"Authorization": f"Bearer {key}"}
    httpx.get(f"{url}/v1/contacts/by-phone/+16505551234", headers=headers)
    httpx.get(f"{url}/v1/contacts?q=zebra", headers=headers)
    process.terminate()
    assert process.communicate() == ("", "")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["route"], line["status"]) for line in lines] == [
        ("/v1/contacts/by-phone/{}", 404),
        ("/v1/contacts", 200),
    ]
    assert {line["key_id"] for line in lines} == {key_id(key)}
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    for secret in (key, "16505551234", "zebra"):
        assert secret not in log.read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_a_full_disk_under_the_log_is_reported_once_and_stops_nothing(serve: Serve):
    process, url = serve("--access-log", "/dev/full")
    for _ in range(3):
        assert httpx.get(f"{url}/healthz").status_code == 200
    process.terminate()
    out, err = process.communicate()
    assert (process.returncode, out) == (0, "")
    (line,) = map(json.loads, err.splitlines())
    assert line["message"] == (
        "The access log cannot be written: No space left on device. The service goes on without it"
    )


def test_a_log_that_cannot_be_opened_is_reported_at_once(path: Path, tmp_path: Path):
    arguments = ["--database", str(path), "--port", "0", "--access-log", str(tmp_path)]
    result = CliRunner().invoke(serve_command, arguments)
    assert isinstance(result.exception, BadSettings)


def test_a_database_without_an_index_of_messages_is_reported(path: Path, tmp_path: Path):
    with closing(SQLiteDatabase(path)) as database:
        database.write(message_search.drop)
    # A directory for a log: it ends before it listens.
    arguments = ["--database", str(path), "--port", "0", "--access-log", str(tmp_path)]
    result = CliRunner().invoke(serve_command, arguments)
    assert "messages are not searched before `frontdesk db upgrade`" in result.stderr


def test_switches_of_the_operator_reach_the_service(serve: Serve, key: str):
    process, url = serve(
        *("--lenient-query", "--problem-base-uri", "https://example.com/problems/"),
        *("--rate-limit", "1", "--burst", "2", "--access-log", "-"),
    )
    with httpx.Client(headers={"Authorization": f"Bearer {key}"}) as client:
        answers = [
            client.get(f"{url}/v1/labels?{query}") for query in ("nope=1", "limit=0", "limit=1")
        ]
    assert [answer.status_code for answer in answers] == [200, 400, 429]
    assert answers[1].json()["type"] == "https://example.com/problems/invalid_limit"
    assert answers[0].headers["RateLimit-Policy"] == '"default";q=1;w=60'
    assert 1 <= int(answers[2].headers["Retry-After"]) <= 60
    process.terminate()
    out, err = process.communicate()
    assert out == ""
    assert [json.loads(line)["status"] for line in err.splitlines()] == [200, 400, 429]


@pytest.mark.parametrize("uri", ["problems", "https://example.com/a b", "https:", "1:x"])
def test_problems_have_absolute_addresses(path: Path, uri: str):
    arguments = ["--database", str(path), "--port", "0", "--problem-base-uri", uri]
    assert CliRunner().invoke(serve_command, arguments).exit_code == 2


@pytest.mark.parametrize(
    ("host", "proxy"),
    [("127.0.0.1", "::ffff:127.0.0.1"), ("::", "127.0.0.0/8")],
)
def test_the_client_address_that_a_named_proxy_gives_is_believed(
    serve: Serve, host: str, proxy: str
):
    # It listens beyond this machine where that is allowed.
    _, url = serve("--host", host, "--allow-plain-http", "--proxy", proxy)
    url = url.replace("[::]", "127.0.0.1")
    answers = bad_keys(url, [*["192.0.2.1"] * 21, "192.0.2.2"])
    assert answers == [*[401] * 20, 429, 401]


def test_the_client_address_that_anyone_else_gives_is_not_believed(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    _, url = serve("--proxy", "198.51.100.7")
    answers = bad_keys(url, [f"192.0.2.{number}" for number in range(21)])
    assert answers == [401] * 20 + [429]


@pytest.mark.parametrize("proxy", ["*", "localhost", "10.0.0.1/8", "127.0.0.1:80", ""])
def test_a_proxy_is_an_address_or_a_network(path: Path, proxy: str):
    arguments = ["--database", str(path), "--port", "0", "--proxy", proxy]
    result = CliRunner().invoke(serve_command, arguments)
    assert (result.exit_code, "such as 127.0.0.1 or 10.0.0.0/8" in result.output) == (2, True)


def bad_keys(url: str, addresses: list[str]) -> list[int]:
    """The statuses of requests with unknown keys, each forwarded for an address."""
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {new_key()}"}) as client:
        forwarded = [{"X-Forwarded-For": address} for address in addresses]
        return [client.get("/v1/labels", headers=headers).status_code for headers in forwarded]
