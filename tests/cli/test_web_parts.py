"""The parts of `frontdesk web` by themselves: access rules, and the extra it needs."""

import socket
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from frontdesk.cli.commands.web import web_command
from frontdesk.cli.sockets import bound_to
from frontdesk.cli.web.auth import AccessRules
from frontdesk.errors import BadSettings


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
