"""`frontdesk profiles`: keys are tested before they are stored, readable by their owner only."""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.commands import run_command

from frontdesk.cli.config import configuration
from frontdesk.cli.exit_codes import DONE
from frontdesk.cli.key_store import delete_key, load_key, store_key
from frontdesk.cli.main import frontdesk
from frontdesk.cli.target import Target, api_key_of
from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.settings import Profile

NOBODY = "http://127.0.0.1:9"
KEY = "fdk_" + "k" * 40

# A key store as the extra brings one, but in memory.
KEYRING = """
from types import SimpleNamespace
from keyring import errors
held = {}
priority = 5
def get_keyring(): return SimpleNamespace(priority=priority)
def set_password(service, name, key): held[service, name] = key
def get_password(service, name): return held.get((service, name))
def delete_password(service, name):
    if (service, name) not in held:
        raise errors.PasswordDeleteError
    del held[service, name]
"""
KEYRING_ERRORS = """
class KeyringError(Exception): pass
class PasswordDeleteError(KeyringError): pass
"""


@pytest.fixture
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    package = tmp_path / "modules" / "keyring"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(KEYRING)
    (package / "errors.py").write_text(KEYRING_ERRORS)
    monkeypatch.syspath_prepend(str(package.parent))
    for name in ("keyring", "keyring.errors"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield
    for name in ("keyring", "keyring.errors"):
        sys.modules.pop(name, None)


def run(*arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(frontdesk, arguments, input=typed)


def done(*arguments: str, typed: str | None = None) -> str:
    result = run(*arguments, typed=typed)
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.output


def refused(*arguments: str, typed: str | None = None) -> str:
    result = run(*arguments, typed=typed)
    assert result.exit_code
    return f"{result.exception} {result.output}"


def test_a_server_is_added_used_by_commands_and_removed(
    served: Callable[..., str], served_key: str, configuration_home: Path
) -> None:
    url, key = served(), served_key
    said = done("profiles", "add", "work", "--url", url, typed=f"{key}\n")
    assert "It answers: 0 open conversations" in said
    kept = configuration_home / "keys" / "work"
    assert kept.read_text().strip() == key
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    config = configuration_home / "config.toml"
    assert config.stat().st_mode & 0o777 == 0o600
    listed = done("profiles", "list")
    assert listed.split() == ["NAME", "WHERE", "ME", "*", "work", url]
    for printed in (said, config.read_text(), listed):
        assert key not in printed
    assert "billing" in done("list", "labels")
    assert "billing" in done("list", "labels", "--profile", "work")
    assert "billing" in done("list", "labels", "--url", url)
    assert f"Server {url}" in done("doctor")
    assert "confirm with --yes" in refused("profiles", "remove", "work").lower()
    done("profiles", "remove", "work", "--yes")
    assert not kept.exists()
    assert "No inbox is given" in refused("list", "labels")


def test_a_key_that_is_refused_is_not_kept(
    served: Callable[..., str], configuration_home: Path
) -> None:
    assert "key" in refused("profiles", "add", "work", "--url", served(), typed=f"{KEY}\n")
    assert "cannot be reached" in refused("profiles", "add", "x", "--url", NOBODY, typed=KEY)
    assert not configuration_home.exists()


def test_databases_are_profiles_too(inbox: Path, configuration_home: Path) -> None:
    assert "It answers: " in done("profiles", "add", "sample", "--database", str(inbox))
    assert "no user 'nobody'" in refused(
        "profiles", "add", "other", "--database", str(inbox), "--as", "nobody"
    )
    assert done("counts").startswith("CONVERSATIONS")
    assert not (configuration_home / "keys").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("a b", "--url", NOBODY), "is no name"),
        (("../a", "--url", NOBODY), "is no name"),
        (("a",), "Give --url"),
        (("a", "--url", NOBODY, "--database", "x"), "Give --url"),
        (("a", "--url", NOBODY, "--key-env", "NO_SUCH_KEY"), "the variable NO_SUCH_KEY"),
        (("a", "--url", NOBODY), "no key in standard input"),
        (("a", "--url", "http://inbox.example.com", "--key-env", "A_KEY"), "Plain http"),
    ],
)
def test_adding_an_invalid_profile_is_refused_with_a_reason(
    arguments: tuple[str, ...],
    words: str,
    configuration_home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("A_KEY", KEY)
    assert words in refused("profiles", "add", *arguments)
    assert not configuration_home.exists()


def test_the_first_is_in_use_others_when_it_is_said() -> None:
    for name in ("one", "two"):
        done("profiles", "add", name, "--url", NOBODY, "--no-check", typed=KEY)
    assert configuration().profile == "one"
    assert "two is in use" in done("profiles", "use", "two")
    assert configuration().profile == "two"
    done("profiles", "add", "three", "--url", NOBODY, "--no-check", "--use", typed=KEY)
    assert configuration().profile == "three"
    assert "did you mean 'three'" in refused("profiles", "use", "thre")
    assert "give --replace" in refused("profiles", "add", "one", "--url", NOBODY, typed=KEY)
    moved = "http://127.0.0.1:10"
    done("profiles", "add", "one", "--url", moved, "--no-check", "--replace", typed="k2")
    assert configuration().profiles["one"].url == moved
    assert api_key_of(Target(url=moved, profile="one")) == "k2"


def test_a_configuration_that_is_not_toml_is_left_as_it_is(configuration_home: Path) -> None:
    configuration_home.mkdir(parents=True)
    path = configuration_home / "config.toml"
    path.write_text("viewer = [\n")
    assert "not TOML" in refused("profiles", "add", "a", "--url", NOBODY, typed=KEY)
    assert path.read_text() == "viewer = [\n"


def test_a_linked_configuration_is_written_where_it_is(
    configuration_home: Path, tmp_path: Path
) -> None:
    configuration_home.mkdir(parents=True)
    mine = tmp_path / "dotfiles.toml"
    mine.write_text("[viewer]\nbell = true\n")
    (configuration_home / "config.toml").symlink_to(mine)
    done("profiles", "add", "a", "--url", NOBODY, "--no-check", typed=KEY)
    assert (configuration_home / "config.toml").is_symlink()
    assert "bell = true" in mine.read_text()
    assert "[profiles.a]" in mine.read_text()


def test_the_environment_goes_first_for_an_address_and_last_for_a_profile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done("profiles", "add", "a", "--url", NOBODY, "--no-check", typed=KEY)
    assert api_key_of(Target(url=NOBODY)) == KEY
    monkeypatch.setenv("FRONTDESK_API_KEY", "other")
    assert api_key_of(Target(url=NOBODY)) == "other"
    assert api_key_of(Target(url=NOBODY, profile="a")) == KEY
    delete_key("a")
    assert api_key_of(Target(url=NOBODY, profile="a")) == "other"
    monkeypatch.delenv("FRONTDESK_API_KEY")
    with pytest.raises(BadSettings, match="No key is kept for the profile 'a'"):
        api_key_of(Target(url=NOBODY, profile="a"))


def test_a_key_that_others_can_read_is_not_used(configuration_home: Path, tmp_path: Path) -> None:
    profile = Profile(name="a", url=NOBODY)
    store_key("a", KEY)
    kept = configuration_home / "keys" / "a"
    kept.chmod(0o640)
    with pytest.raises(BadSettings, match="can be read by others: chmod 600"):
        load_key(profile)
    kept.rename(tmp_path / "elsewhere")
    kept.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadSettings, match="symbolic link"):
        load_key(profile)
    with pytest.raises(UnusableFile, match="symbolic link"):
        store_key("a", KEY)


def test_a_command_says_the_key_each_time(configuration_home: Path) -> None:
    command = f"{sys.executable} -c 'print(\"{KEY}\")'"
    done("profiles", "add", "a", "--url", NOBODY, "--no-check", "--key-command", command)
    assert not (configuration_home / "keys").exists()
    assert api_key_of(Target(url=NOBODY, profile="a")) == KEY


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("false",), "it ended with 1"),
        (("true",), "it wrote nothing"),
        (("/no/such/program",), "No such file"),
    ],
)
def test_a_command_that_gives_no_key_is_reported(command: tuple[str, ...], words: str) -> None:
    with pytest.raises(BadSettings, match=words):
        load_key(Profile(name="a", url=NOBODY, key_command=command))


def test_the_systems_key_store_is_taken_where_there_is_one(
    keyring: None, configuration_home: Path
) -> None:
    profile = Profile(name="a", url=NOBODY)
    assert load_key(profile) is None
    assert store_key("a", KEY) == "the system's key store"
    assert not (configuration_home / "keys").exists()
    assert load_key(profile) == KEY
    delete_key("a")
    assert load_key(profile) is None


def test_a_key_store_that_keeps_nothing_is_not_taken(
    keyring: None, configuration_home: Path
) -> None:
    import_module("keyring").priority = 0  # type: ignore[attr-defined]
    assert store_key("a", KEY) == str(configuration_home / "keys" / "a")


def test_a_key_that_is_typed_is_in_no_log(
    served: Callable[..., str], served_key: str, tmp_path: Path
) -> None:
    add = ("profiles", "add", "a", "--url", served(), "--debug")
    added = run_command(*add, stdin=served_key.encode())
    assert added.exit_code == DONE
    assert served_key not in added.stdout + added.stderr
    (log,) = tmp_path.rglob("debug.log")
    assert served_key not in log.read_text()
