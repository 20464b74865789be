"""Trigram indexes of PostgreSQL, which need two extensions; without them there is no search.

SQLite has what its indexes need.
"""

from frontdesk.store.database import Connection
from frontdesk.store.rows import statements

EXTENSIONS = ("pg_trgm", "btree_gin")
_GIN = "USING gin"


def missing_extensions(connection: Connection) -> list[str]:
    """Return the extensions that the database lacks."""
    if connection.dialect == "sqlite":
        return []
    present = {row["extname"] for row in connection.rows("SELECT extname FROM pg_extension")}
    return [name for name in EXTENSIONS if name not in present]


def add_extensions(connection: Connection) -> bool:
    """Add the extensions that are missing; False if the user may not, or the server has not."""
    missing = missing_extensions(connection)
    if missing:
        # A failure of the block leaves the transaction as it was before it.
        orders = " ".join(f"CREATE EXTENSION IF NOT EXISTS {name};" for name in missing)
        connection.run(f"DO $$ BEGIN {orders} EXCEPTION WHEN OTHERS THEN NULL; END $$")
    return not missing or not missing_extensions(connection)


def needs_extensions(statement: str) -> bool:
    """Check for a statement of the schema that makes an index of trigrams."""
    return _GIN in statement


def create_contact_indexes(connection: Connection) -> None:
    """Create the trigram indexes of contacts, unless they are there."""
    for statement in filter(needs_extensions, statements(connection.dialect)):
        connection.run(statement.replace("CREATE INDEX", "CREATE INDEX IF NOT EXISTS"))


def drop_contact_indexes(connection: Connection) -> None:
    """Remove the trigram indexes of contacts; `create_contact_indexes` makes them again."""
    if connection.dialect == "postgresql":
        for name in ("contact_search", "contact_behind"):
            connection.run(f"DROP INDEX IF EXISTS {name}")
