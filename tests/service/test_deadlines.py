"""A query that takes too long ends, with a problem that says when to try again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import create_app
from frontdesk.store.connect import open_database
from frontdesk.store.database import Connection, Database

ENDLESS = """
  WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000000)
  SELECT COUNT(*) FROM number
"""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "inbox.db")
    else:
        with request.getfixturevalue("postgres").database() as address:
            yield address


@pytest.fixture
def database(target: str) -> Iterator[Database]:
    """A store whose labels take for ever to read."""
    database = open_database(target, create=True)
    database.write(make_labels_endless)
    database.close()
    database = open_database(target, statement_seconds=0.3)
    yield database
    database.close()


def make_labels_endless(connection: Connection) -> None:
    connection.run("ALTER TABLE label RENAME TO stored_label")
    connection.run(f"CREATE VIEW label AS SELECT * FROM stored_label WHERE ({ENDLESS}) = id")
    connection.run(
        """
        INSERT INTO stored_label(account_id, id, title, title_key, created_at, updated_at)
        VALUES (1, 1, 'x', 'x', 0, 0)
        """
    )


async def test_a_query_beyond_its_deadline_is_a_problem_and_the_next_is_not(
    clients, database, is_problem
):
    key, guest = new_ephemeral_key(1)
    client = await clients.client_of(create_app(database, ephemeral_keys=[guest]), key)
    response = await client.get("/v1/labels")
    problem = is_problem(response, 503, "query_timeout")
    assert problem["retry_after"] == 5
    assert response.headers["Retry-After"] == "5"
    assert "SELECT" not in response.text
    assert (await client.get("/v1/users")).status_code == 200
