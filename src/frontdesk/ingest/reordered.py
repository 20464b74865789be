"""Computes conversations again whose messages of one time have another order since an upgrade."""

from frontdesk.ingest.apply.batch import fold_again
from frontdesk.store import reordered
from frontdesk.store.database import Connection, Database
from frontdesk.store.writes import lock_account


def fold_reordered(database: Database, *, now: int) -> int:
    """Fold what an upgrade marked, in several transactions; return the number of conversations."""
    if not database.read_latest(reordered.pending):
        return 0
    folded = 0

    def step(connection: Connection) -> int | None:
        some = reordered.following(connection)
        if some is not None and some.conversation_ids:
            lock_account(connection, some.account_id)
            fold_again(connection, some.account_id, some.conversation_ids, now=now)
        reordered.settle(connection, some)
        return None if some is None else len(some.conversation_ids)

    while (count := database.write(step)) is not None:
        folded += count
    return folded
