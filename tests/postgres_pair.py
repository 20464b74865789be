"""A PostgreSQL primary with a standby, for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import psycopg

from frontdesk.store.postgres import PostgresDatabase
from tests.postgres_servers import Server, Servers

IN_STEP = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"


class Pair(NamedTuple):
    primary: Server
    standby: Server

    @property
    def address(self) -> str:
        """Both, the standby first: what reads prefer."""
        return self.primary.address() + (
            f",{self.standby.host}&target_session_attrs=prefer-standby&load_balance_hosts=random"
        )


@contextmanager
def running_pair(servers: Servers) -> Iterator[Pair]:
    """What the primary acknowledges, the standby has applied."""
    number = len(list(servers.directory.glob("primary*")))
    pair = Pair(Server(servers, f"primary{number}"), Server(servers, f"standby{number}"))
    pair.primary.make()
    pair.primary.start(synchronous_commit="remote_apply")
    try:
        PostgresDatabase(pair.primary.address(), create=True).close()
        pair.standby.copy(pair.primary)
        pair.standby.start(synchronous_commit="remote_apply")
        with psycopg.connect(pair.primary.address(), autocommit=True) as session:
            session.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            session.execute("SELECT pg_reload_conf()")
            while not session.execute(IN_STEP).fetchone():
                pass
            # Commits wait for the standby once the checkpointer has read the setting too.
            session.execute("CHECKPOINT")
        yield pair
    finally:
        pair.standby.stop()
        pair.primary.stop()
