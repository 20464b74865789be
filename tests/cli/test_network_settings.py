"""Certificates and proxies of commands, from the environment or the configuration."""

import asyncio
import json
import os
from pathlib import Path

import pytest
from tests.client.authorities import Authority
from tests.client.prepared_server import EMPTY, KEY
from tests.client.proxies import proxying
from tests.client.sockets import Scripted, raw, serving
from tests.commands import Ended, run_command

INBOX = "https://inbox.example"
LIST = ("list", "labels", "--format", "json")


async def run(*arguments: str, **variables: str) -> Ended:
    """A command, with no other variables for the network than these."""
    inherited: dict[str, str | None] = {
        name: None
        for name in os.environ
        if name.lower().endswith("_proxy") or name.startswith("SSL_CERT_")
    }
    given = inherited | {"FRONTDESK_API_KEY": KEY, "TOKEN": KEY} | variables
    return await asyncio.to_thread(run_command, *arguments, **given)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def configured(configuration_home: Path) -> Path:
    configuration_home.mkdir(parents=True)
    return configuration_home / "config.toml"


COMMANDS = {
    "list": LIST,
    "doctor": ("doctor",),
    "tail": ("tail", "--once"),
    "profiles add": ("profiles", "add", "x", "--key-env", "TOKEN"),
    "sync meta": ("sync", "meta", "--waba", "1", "--token-env", "TOKEN", "--database", "x.db"),
    "import chatwoot": (
        *("import", "chatwoot", "--account-id", "1", "--token-env", "TOKEN"),
        *("--database", "x.db"),
    ),
}


@pytest.mark.parametrize("name", COMMANDS)
async def test_a_refused_certificate_is_a_mistake_of_the_configuration_and_says_why(
    name: str, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Scripted(raw(EMPTY))
    monkeypatch.chdir(tmp_path)
    arguments = COMMANDS[name]
    option = "--graph-url" if name == "sync meta" else "--url"
    async with serving(server, authority.server("127.0.0.1")) as url:
        done = await run(*arguments, option, url)
    assert done.exit_code == 2
    assert "authority that this machine does not trust" in done.stderr
    assert "ca_file under [network]" in done.stderr
    assert not server.requests


async def test_the_configuration_names_authorities_and_a_proxy_and_doctor_says_what_holds(
    authority: Authority, configured: Path
) -> None:
    async with (
        serving(Scripted(raw(EMPTY)), authority.server("inbox.example")) as backend,
        proxying(backend) as proxy,
    ):
        address = proxy.url.replace("//", "//amy:secret@")
        configured.write_text(f'[network]\nca_file = "{authority.file}"\nproxy = "{address}"\n')
        done = await run(*LIST, "--url", INBOX, SSL_CERT_FILE="/nowhere", HTTPS_PROXY="http://x:1")
        assert (done.exit_code, done.output) == (0, "[]\n")
        output = await run("doctor", "--url", INBOX)
        direct = await run("doctor", "--url", INBOX, NO_PROXY="inbox.example")
    assert all(head.startswith(b"CONNECT inbox.example:443 ") for head in proxy.heads)
    assert f"those in {authority.file} alone ([network] in the configuration)" in output.stdout
    assert f"{proxy.url} ([network] in the configuration)" in output.stdout
    assert "none for this server (NO_PROXY)" in direct.stdout
    assert "secret" not in output.stdout + output.stderr + direct.stdout


async def test_the_environment_names_authorities_and_a_proxy_that_the_configuration_switches_off(
    authority: Authority, configured: Path
) -> None:
    variables = {"SSL_CERT_FILE": str(authority.file), "SSLKEYLOGFILE": str(configured)}
    async with (
        serving(Scripted(raw(EMPTY)), authority.server("inbox.example")) as backend,
        proxying(backend) as proxy,
    ):
        variables["HTTPS_PROXY"] = proxy.url
        assert (await run(*LIST, "--url", INBOX, **variables)).exit_code == 0
        output = await run("doctor", "--format", "json", **variables)
        asked = len(proxy.heads)
        assert not configured.exists()
        configured.write_text('[network]\nproxy = ""\n')
        assert (await run(*LIST, "--url", INBOX, **variables)).exit_code == 3
        off = await run("doctor", "--format", "json", **variables)
    assert asked == len(proxy.heads) == 1
    machine = json.loads(output.stdout)["machine"]
    assert machine["certificates"] == f"those in {authority.file} alone (SSL_CERT_FILE)"
    assert machine["proxy"] == f"{proxy.url} (HTTPS_PROXY)"
    assert machine["SSLKEYLOGFILE"] == "set, and ignored: no session key is written"
    assert json.loads(off.stdout)["machine"]["proxy"] == "none ([network] in the configuration)"


async def test_without_settings_the_system_is_trusted_and_no_proxy_asked() -> None:
    machine = json.loads((await run("doctor", "--format", "json")).stdout)["machine"]
    assert machine["certificates"] == "those that this system trusts"
    assert machine["proxy"] == "none"
    assert "SSLKEYLOGFILE" not in machine


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('proxy = "socks5://amy:secret@proxy.example"', "socks5:// proxies are not supported"),
        ('proxy = "http://amy:secret@proxy.example/path"', "scheme, host and port only"),
        ("proxy = false", 'or "" for none'),
        ('ca_file = "certificates.pem"', "a path that begins with"),
        ('ca_file = ""', "a text in quotes"),
        ('ca-file = "/x"', "did you mean 'ca_file'?"),
    ],
)
async def test_a_mistake_in_the_network_s_settings_is_reported_and_nothing_is_asked(
    line: str, words: str, configured: Path
) -> None:
    configured.write_text(f"[network]\n{line}\n")
    server = Scripted(raw(EMPTY))
    async with serving(server) as url:
        done = await run(*LIST, "--url", url)
    assert done.exit_code == 2
    assert "config.toml, line 2: " in done.stderr
    assert words in done.stderr
    assert "secret" not in done.stderr
    assert not server.requests


async def test_certificates_that_are_not_there_are_named(tmp_path: Path) -> None:
    done = await run(*LIST, "--url", INBOX, SSL_CERT_FILE=str(tmp_path / "missing.pem"))
    assert done.exit_code == 2
    assert f"SSL_CERT_FILE: {tmp_path}/missing.pem cannot be used: No such file" in done.stderr
