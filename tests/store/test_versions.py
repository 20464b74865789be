"""A database of another version: upgraded whole, refused in words, or left as it is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.stores import PostgresServer

from frontdesk.errors import UnusableFile
from frontdesk.store.database import SCHEMA_VERSION, Connection, Database
from frontdesk.store.layout import Layout
from frontdesk.store.postgres import PostgresDatabase
from frontdesk.store.sqlite import SQLiteDatabase

Opening = Callable[..., Any]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def opening(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opening]:
    """Opens the same database again and again, as a context."""
    if request.param == "sqlite":
        yield closing_after(SQLiteDatabase, tmp_path / "inbox.db")
        return
    postgres: PostgresServer = request.getfixturevalue("postgres")
    with postgres.database() as address:
        yield closing_after(PostgresDatabase, address)


def closing_after(engine: Callable[..., Database], target: Path | str) -> Opening:
    @contextmanager
    def opened(**options: Any) -> Iterator[Database]:
        database = engine(target, **options)
        try:
            yield database
        finally:
            database.close()

    return opened


def slugs(connection: Connection) -> list[str]:
    return [row["slug"] for row in connection.rows("SELECT slug FROM account ORDER BY id")]


def rename(connection: Connection) -> None:
    """An upgrade: what version 0 called "default" is "first" from then on."""
    connection.run("CREATE TABLE addition(id BIGINT)")
    connection.run("UPDATE account SET slug = 'first'")


def fail(connection: Connection) -> None:
    connection.run("UPDATE account SET slug = 'second'")
    raise ZeroDivisionError


OLD = Layout(version=0)
NEW = Layout(version=1, upgrades={0: rename})
NEWEST = Layout(version=3, upgrades={0: rename, 1: lambda c: None, 2: lambda c: None})


@pytest.fixture
def old(opening: Opening) -> Opening:
    """A database of a made-up version 0."""
    with opening(create=True, layout=OLD):
        pass
    return opening


@pytest.mark.parametrize("how", ["create", "upgrade"])
@pytest.mark.parametrize("layout", [NEW, NEWEST])
def test_a_writing_command_upgrades_an_older_database(old: Opening, how: str, layout: Layout):
    with old(layout=layout, **{how: True}) as database:
        assert database.read(slugs) == ["first"]
    with old(layout=layout) as database:
        assert database.read(slugs) == ["first"]
        assert database.read(lambda c: c.rows("SELECT id FROM addition")) == []


def test_a_reading_command_refuses_it_and_says_what_to_run(old: Opening):
    with pytest.raises(UnusableFile) as refused, old(layout=NEW):
        pass
    assert "made by an older frontdesk (layout 0, now 1)" in str(refused.value)
    assert "`frontdesk upgrade --database " in str(refused.value)
    with old(layout=OLD) as database:
        assert database.read(slugs) == ["default"]


def test_an_upgrade_that_fails_leaves_the_old_database(old: Opening):
    broken = Layout(version=2, upgrades={0: rename, 1: fail})
    with pytest.raises(ZeroDivisionError), old(upgrade=True, layout=broken):
        pass
    with old(layout=OLD) as database:
        assert database.read(slugs) == ["default"]
    with old(upgrade=True, layout=NEW) as database:
        assert database.read(slugs) == ["first"]


def test_a_version_that_nothing_leads_from_is_refused(old: Opening):
    with (
        pytest.raises(UnusableFile, match="too old"),
        old(upgrade=True, layout=Layout(version=2, upgrades={1: rename})),
    ):
        pass


@pytest.mark.parametrize("options", [{}, {"upgrade": True}, {"create": True}])
def test_a_newer_database_is_refused(opening: Opening, options: dict[str, bool]):
    newer = Layout(version=SCHEMA_VERSION + 1)
    with opening(create=True, layout=newer):
        pass
    with pytest.raises(UnusableFile, match="newer frontdesk"), opening(**options):
        pass
    with opening(layout=newer) as database:
        assert database.read(slugs) == ["default"]
