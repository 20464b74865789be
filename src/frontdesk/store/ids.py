"""Sequences of row ids, per account and kind of row."""

from frontdesk.store.accounts import take_turn
from frontdesk.store.database import Connection


class Ids:
    """Allocates ids within one write transaction; they take effect with `save`.

    The account's row is locked, so that no concurrent transaction allocates the same ids.
    """

    def __init__(self, connection: Connection, account_id: int) -> None:
        self._connection = connection
        self._account_id = account_id
        take_turn(connection, account_id)
        rows = connection.rows(
            "SELECT kind, value FROM last_id WHERE account_id=:account_id",
            {"account_id": account_id},
        )
        self._last: dict[str, int] = {row["kind"]: row["value"] for row in rows}
        self._saved = dict(self._last)

    def next(self, kind: str) -> int:
        """Allocate the next id of a kind; the first is 1."""
        value = self._last[kind] = self._last.get(kind, 0) + 1
        return value

    def any(self, kind: str) -> bool:
        """Check if an id of that kind was ever saved."""
        return kind in self._saved

    def last(self) -> dict[str, int]:
        """Return the last id of each kind, allocated ones included."""
        return dict(self._last)

    def skip(self, kind: str, value: int) -> None:
        """Reserve ids up to `value`."""
        self._last[kind] = max(value, self._last.get(kind, 0))

    def save(self) -> None:
        self._connection.run_many(
            """
            INSERT INTO last_id(account_id, kind, value) VALUES (:account_id, :kind, :value)
            ON CONFLICT(account_id, kind) DO UPDATE SET value = excluded.value
            """,
            [
                {"account_id": self._account_id, "kind": kind, "value": value}
                for kind, value in sorted(self._last.items())
                if self._saved.get(kind) != value
            ],
        )
