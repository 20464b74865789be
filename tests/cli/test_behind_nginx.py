"""News through nginx with TLS, set up as the documents say."""

import json
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.cli.servers import serving, wait_until
from tests.cli.test_following_changes import customers, environment, write
from tests.client.authorities import Authority

from frontdesk.store.sqlite import SQLiteDatabase

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
PAGE = Path(__file__).parents[2] / "docs" / "server.md"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NGINX is None, reason="there is no nginx on this machine"),
]


@contextmanager
def nginx(directory: Path, service: str, settings: str) -> Iterator[str]:
    """Serves HTTPS in front of a service, with the settings of the documents and more."""
    found = re.search(r"```nginx\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    location = found[1].replace("http://127.0.0.1:8080", "http://service")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    temporary = "".join(
        f"{name}_temp_path {directory}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (directory / "nginx.conf").write_text(
        f"""
        daemon off; master_process off; pid {directory}/pid; error_log stderr;
        events {{}}
        http {{
            access_log off; {temporary} {settings}
            upstream service {{ server {service.removeprefix("http://")}; keepalive 8; }}
            server {{
                listen 127.0.0.1:{port} ssl;
                ssl_certificate {directory}/server.pem; ssl_certificate_key {directory}/server.pem;
                {location}
            }}
        }}
        """
    )
    command = [str(NGINX), "-p", str(directory), "-e", "stderr", "-c", f"{directory}/nginx.conf"]
    with subprocess.Popen(command) as process:

        def answers() -> bool:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                return True
            return process.poll() is not None

        try:
            wait_until(answers)
            assert process.poll() is None
            yield f"https://localhost:{port}"
        finally:
            process.terminate()


@pytest.mark.parametrize(
    "settings", ["", "proxy_read_timeout 1s;"], ids=["as documented", "cuts off"]
)
def test_what_changes_is_told_and_nothing_is_lost(tmp_path: Path, settings: str) -> None:
    authority = Authority(tmp_path)
    authority.server_file(tmp_path / "server.pem", "localhost")
    database = SQLiteDatabase(tmp_path / "inbox.db", create=True)
    with serving() as serve:
        _, service = serve("--database", str(tmp_path / "inbox.db"), "--proxy", "127.0.0.1")
        with nginx(tmp_path, service, settings) as url:
            variables = environment(url, tmp_path) | {"SSL_CERT_FILE": str(authority.file)}
            command = [
                sys.executable,
                "-m",
                "frontdesk",
                "changes",
                "--follow",
                "--format",
                "jsonl",
            ]
            with subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables
            ) as program:
                assert program.stdout is not None
                assert program.stderr is not None
                assert json.loads(program.stdout.readline())["kind"] == "position"
                for number in (1, 2, 3):
                    if settings:
                        # A request was cut off while nothing changed.
                        assert program.stderr.readline()
                    write(database, number)
                    rows = map(json.loads, iter(program.stdout.readline, ""))
                    row = next(row["conversation"] for row in rows if row["kind"] != "names")
                    assert {row["contact"]["phone"]} == customers(number)
                    if settings:
                        assert program.stderr.readline() == "frontdesk: the server answers again\n"
                program.terminate()
    database.close()
