"""Database names: paths and addresses, printed without their password."""

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.cli.main import frontdesk
from frontdesk.errors import BadSettings
from frontdesk.store.dsn import checked, is_address, without_password

SECRETIVE = (
    "host=db dbname=inbox password=s3cret",
    "password=s3cret",
    "host=db password='s3cret word' user=ana",
    r"host=db password='it\'s s3cret' user=ana",
    r"host=db password=s3cret\ word",
    "host=db password = 's3cret and no end",
    "host=db\tsslpassword=s3cret",
    "postgresql://ana:s3cret@db/inbox",
    "postgresql://ana:s3cret@db1:5432,db2:5433/inbox?sslmode=require",
    "postgresql://db/inbox?user=ana&password=s3cret",
    "postgresql://db/inbox?password=s3cret&user=ana@company",
    "postgresql://db/inbox?p%61ssword=s3cret",
    "postgresql://db/inbox?sslpassword=s3cret",
    "postgresql://ana:wh@t?s3cret@db/inbox",
    "postgresql://ana:why?s3cret@db/inbox",
    "postgresql://ana:a/s3cret@db/inbox",
    "POSTGRESQL://ana:s3cret@db/inbox",
    "mysql://ana:s3cret@db/inbox",
)


@pytest.mark.parametrize("target", SECRETIVE)
def test_a_password_is_not_shown_in_any_form_of_an_address(target: str):
    assert "s3cret" not in without_password(target)
    assert "***" in without_password(target)


@given(password=st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=30))
def test_any_password_in_quotes_is_hidden_and_nothing_else_is(password: str):
    quoted = password.replace("\\", "\\\\").replace("'", "\\'")
    assert (
        without_password(f"host=db password='{quoted}' user=ana") == "host=db password=*** user=ana"
    )


@pytest.mark.parametrize("target", [one for one in SECRETIVE if "postgresql" not in one])
@pytest.mark.parametrize(
    "command",
    [
        ("list", "conversations"),
        ("init",),
        ("keys", "list"),
        ("export", "events"),
        ("sample",),
        ("search", "x"),
        ("serve", "--port", "0"),
        ("profiles", "add", "work"),
        (),
    ],
    ids=lambda command: " ".join(command) or "frontdesk",
)
def test_a_database_target_that_is_no_path_or_url_is_refused_without_its_password(
    command: tuple[str, ...],
    target: str,
    tmp_path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    result = CliRunner().invoke(frontdesk, [*command, "--database", target])
    assert isinstance(result.exception, BadSettings), result.output
    assert "postgresql://USER@HOST/NAME" in str(result.exception)
    assert "s3cret" not in f"{result.exception} {result.output}"
    assert not list(tmp_path.rglob("*s3cret*"))


@pytest.mark.parametrize(
    "target",
    ["inbox.db", "a=b.db", "/srv/hosts/inbox.db", "password.db", "C:/inboxes/port.db", "host.db"],
)
def test_a_path_is_a_path(target: str):
    assert not is_address(target)
    assert without_password(target) == target


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ana:why?s3cret@db/inbox",
        "postgresql://ana:s3cret/x@db/inbox",
        "postgresql://ana:s3@cret@db/inbox",
    ],
)
def test_a_password_that_ends_too_early_is_refused_before_a_host_is_asked(address: str):
    with pytest.raises(BadSettings) as refused:
        checked(address)
    assert "cret" not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://db/inbox",
        "postgresql:///inbox?host=/tmp&user=ana@company",
        "postgresql://ana:s%40cret@[::1]:5432/inbox",
        "postgresql://[fe80::1%25eth0]/inbox",
        "postgres://one:1,two:2/inbox?target_session_attrs=any",
    ],
)
def test_addresses_as_libpq_reads_them_are_taken(address: str):
    assert checked(address) == address
