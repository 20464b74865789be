"""`--config FILE`: options of a command from a file."""

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from servers import Serve

from frontdesk.cli.option_file import option_file


@click.command()
@option_file
@click.option("--database", default="none")
@click.option("--port", type=click.IntRange(0, 65535), required=True)
@click.option("--seconds", type=click.FloatRange(0.1, 300), default=10.0)
@click.option("--strict/--lenient", default=True)
@click.option("--proxy", "proxies", multiple=True)
def show(**options: Any) -> None:
    for name, value in sorted(options.items()):
        click.echo(f"{name}={value!r}")


def run(path: Path, text: str, *arguments: str) -> Result:
    path.write_text(text)
    return CliRunner().invoke(show, ["--config", str(path), *arguments])


def test_options_are_those_of_the_file_and_those_of_the_command_line_go_first(
    tmp_path: Path,
) -> None:
    text = """
        port = 8080
        seconds = 2
        strict = false
        proxy = ["127.0.0.1", "10.0.0.0/8"]
    """
    result = run(tmp_path / "serve.toml", text, "--port", "9090")
    assert result.output.split("\n")[:-1] == [
        "database='none'",
        "port=9090",
        "proxies=('127.0.0.1', '10.0.0.0/8')",
        "seconds=2.0",
        "strict=False",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prot = 1", "there is no option 'prot'; there are database, port, proxy, seconds, strict"),
        ("config = 'other.toml'", "there is no option 'config'"),
        ("port = true", "port is not a whole number"),
        ("port = '8080'", "port is not a whole number"),
        ("port = 70000", "port: 70000 is not in the range 0<=x<=65535"),
        ("seconds = '2'", "seconds is not a number"),
        ("strict = 1", "strict is not true or false"),
        ("proxy = '127.0.0.1'", "proxy is not a list of texts"),
        ("proxy = [1]", "proxy is not a list of texts"),
        ("database = 1", "database is not a text"),
        ("port = ", "is not TOML"),
        ("[port]", "port is not a whole number"),
    ],
)
def test_a_file_with_a_mistake_is_refused_with_what_is_allowed(
    tmp_path: Path, text: str, words: str
) -> None:
    result = run(tmp_path / "serve.toml", text)
    assert words in str(result.exception)


def test_a_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(show, ["--config", str(tmp_path / "none.toml")])
    assert "cannot be read: No such file" in str(result.exception)


def test_a_file_with_a_password_must_be_its_owner_s_alone(tmp_path: Path) -> None:
    path = tmp_path / "serve.toml"
    text = 'port = 1\ndatabase = "postgresql://ana:s3cret@localhost/inbox"'
    result = run(path, text)
    assert "can be read by others: chmod 600" in str(result.exception)
    path.chmod(0o600)
    assert "port=1" in run(path, text).output


def test_a_service_is_started_from_a_file(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "serve.toml"
    path.write_text('host = "127.0.0.2"\n')
    _, url = serve("--config", str(path))
    assert url.startswith("http://127.0.0.2:")
