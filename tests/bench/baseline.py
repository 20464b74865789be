"""The ways not taken: the same questions asked of plain tables, with the usual indexes on them."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import psycopg
from psycopg.rows import dict_row

from frontdesk.store.conversations import ConversationSelection, Position
from frontdesk.store.dsn import is_address
from frontdesk.store.postgres import translate

_TABLES = (
    "CREATE {temporary} TABLE plain AS SELECT * FROM conversation WHERE account_id = 1",
    "CREATE {temporary} TABLE plain_label AS SELECT conversation_id, label_id FROM entry"
    " WHERE account_id = 1 AND label_id <> 0",
    "CREATE UNIQUE INDEX {schema}plain_id ON plain(id)",
    "CREATE INDEX {schema}plain_activity ON plain(last_activity_at, id)",
    "CREATE INDEX {schema}plain_status ON plain(status, last_activity_at, id)",
    "CREATE INDEX {schema}plain_assignee ON plain(assignee_id, last_activity_at, id)",
    "CREATE INDEX {schema}plain_channel ON plain(channel_id, last_activity_at, id)",
    "CREATE UNIQUE INDEX {schema}plain_label_id ON plain_label(conversation_id, label_id)",
    "CREATE INDEX {schema}plain_label_label ON plain_label(label_id, conversation_id)",
)


class Session(Protocol):
    """Reads by any SQL, as the store's connections do."""

    def rows(self, sql: str, parameters: Mapping[str, Any] = ...) -> Sequence[Any]:
        """All rows."""


class _SQLite:
    def __init__(self, session: sqlite3.Connection) -> None:
        self.session = session

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[sqlite3.Row]:
        return self.session.execute(sql, parameters or {}).fetchall()


class _Postgres:
    def __init__(self, session: "psycopg.Connection[dict[str, Any]]") -> None:
        self.session = session

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        return self.session.execute(translate(sql), parameters or {}).fetchall()


@contextmanager
def plain(target: str, directory: Path) -> Iterator[Session]:
    """A session that sees the store, and plain tables of its own that go with it."""
    if is_address(target):
        with psycopg.connect(target, row_factory=dict_row) as server:
            for statement in _TABLES:
                server.execute(statement.format(temporary="TEMPORARY", schema="").encode())
            server.execute("ANALYZE plain")
            server.execute("ANALYZE plain_label")
            yield _Postgres(server)
            server.rollback()
        return
    file = sqlite3.connect(f"{Path(target).absolute().as_uri()}?mode=ro", uri=True)
    try:
        file.row_factory = sqlite3.Row
        file.execute("PRAGMA cache_size=-65536")
        file.execute("ATTACH ? AS beside", (str(directory / "plain.db"),))
        for statement in _TABLES:
            made = statement.format(temporary="", schema="beside.")
            file.execute(made.replace("TABLE plain", "TABLE beside.plain"))
        file.execute("ANALYZE beside")
        file.commit()
        yield _SQLite(file)
    finally:
        file.close()


def page(
    session: Session,
    asked: ConversationSelection,
    after: Position | None,
    count: int,
) -> Sequence[Mapping[str, Any]]:
    """What `queries.conversation_page` gives, from plain tables."""
    statuses = sorted({state // 2 for state in asked.states})
    parameters: dict[str, Any] = {"label": asked.label_id, "count": count}
    parameters |= {"channel": asked.channel_id, "assignee": asked.assignee_id}
    conditions = [f"p.status IN ({', '.join(map(str, statuses))})"] if len(statuses) < 3 else []
    if asked.label_id:
        conditions.append(
            "EXISTS (SELECT 1 FROM plain_label AS l"
            " WHERE l.conversation_id = p.id AND l.label_id = :label)"
        )
    if asked.channel_id is not None:
        conditions.append("p.channel_id = :channel")
    if asked.assignee_id is not None:
        conditions.append("p.assignee_id = :assignee")
    if after is not None:
        conditions.append("(p.last_activity_at, p.id) < (:after_activity, :after_id)")
        parameters |= {"after_activity": after[0], "after_id": after[1]}
    return session.rows(
        f"""
        SELECT p.*, channel.phone_number_id, channel.name AS channel_name,
          contact.name AS contact_name, contact.phone AS contact_phone, app_user.name AS assignee
        FROM plain AS p
        JOIN channel ON channel.account_id = 1 AND channel.id = p.channel_id
        JOIN contact ON contact.account_id = 1 AND contact.id = p.contact_id
        LEFT JOIN app_user ON app_user.account_id = 1 AND app_user.id = p.assignee_id
        {"WHERE" if conditions else ""} {" AND ".join(conditions)}
        ORDER BY p.last_activity_at DESC, p.id DESC LIMIT :count
        """,
        parameters,
    )


def offset_page(session: Session, state: int, skipped: int, count: int) -> object:
    """A page of a state from our own index, by how many conversations are before it."""
    return session.rows(
        """
        SELECT c.*, channel.phone_number_id, channel.name AS channel_name,
          contact.name AS contact_name, contact.phone AS contact_phone, app_user.name AS assignee
        FROM (SELECT conversation_id FROM entry WHERE account_id = 1 AND label_id = 0
              AND state = :state ORDER BY last_activity_at DESC, conversation_id DESC
              LIMIT :count OFFSET :skipped) AS page
        JOIN conversation AS c ON c.account_id = 1 AND c.id = page.conversation_id
        JOIN channel ON channel.account_id = 1 AND channel.id = c.channel_id
        JOIN contact ON contact.account_id = 1 AND contact.id = c.contact_id
        LEFT JOIN app_user ON app_user.account_id = 1 AND app_user.id = c.assignee_id
        ORDER BY c.last_activity_at DESC, c.id DESC
        """,
        {"state": state, "skipped": skipped, "count": count},
    )


def counts(session: Session) -> object:
    """What `queries.counts` sums, counted from the conversations."""
    return session.rows(
        """
        SELECT channel_id, status, CASE WHEN assignee_id <> 0 THEN 1 ELSE 0 END AS assigned,
          CASE WHEN assignee_id = 1 THEN 1 ELSE 0 END AS mine, awaiting_human,
          CASE WHEN unread_count IS NULL THEN 2 WHEN unread_count > 0 THEN 1 ELSE 0 END AS unread,
          COUNT(*) AS n
        FROM conversation WHERE account_id = 1 GROUP BY 1, 2, 3, 4, 5, 6
        """
    )


def report(session: Session, start: int, end: int) -> object:
    """What `reports.figures` sums of a period, counted from the facts."""
    period = {"start": start, "end": end}
    return (
        session.rows(
            """
            SELECT channel_id, direction, author, COUNT(*) AS n FROM message
            WHERE account_id = 1 AND created_at >= :start AND created_at < :end
              AND type NOT IN ('reaction', 'system') GROUP BY 1, 2, 3
            """,
            period,
        ),
        session.rows(
            """
            SELECT channel_id, name, COUNT(DISTINCT conversation_id) AS conversations,
              COUNT(*) AS n, COUNT(started_at) AS samples, SUM(ended_at - started_at) AS total
            FROM metric_event WHERE account_id = 1 AND ended_at >= :start AND ended_at < :end
            GROUP BY 1, 2
            """,
            period,
        ),
        session.rows(
            """
            SELECT channel_id, COUNT(*) AS n FROM conversation
            WHERE account_id = 1 AND created_at >= :start AND created_at < :end GROUP BY 1
            """,
            period,
        ),
    )


def contacts(session: Session, condition: str, parameters: Mapping[str, Any], count: int) -> object:
    """A page of contacts in order of names, each compared."""
    # An expression that no index is of.
    unindexed = condition.replace("contact.search LIKE", "(contact.search || '') LIKE")
    return session.rows(
        f"""
        SELECT contact.*, CASE WHEN name_key = '' THEN 1 ELSE 0 END AS nameless FROM contact
        WHERE {unindexed} ORDER BY nameless, name_key, id LIMIT :count
        """,
        {**parameters, "count": count},
    )
