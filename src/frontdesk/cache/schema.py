"""The layout of the cache file."""

# "fdpg": tells our cache from any other SQLite file.
APPLICATION_ID = 0x66647067
LAYOUT = 1

# entry is the order of a list; node is its counted directory: level 1 counts the entries of a
# block, level 2 the entries of a run of blocks. A node reaches from its key up to the next one's.
SCHEMA = (
    """CREATE TABLE IF NOT EXISTS object(
         origin INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, body BLOB NOT NULL,
         UNIQUE(origin, kind, id))""",
    """CREATE TABLE IF NOT EXISTS list(
         number INTEGER PRIMARY KEY, origin INTEGER NOT NULL, name TEXT NOT NULL,
         cursor TEXT, complete INTEGER NOT NULL DEFAULT 0, fetched_at INTEGER,
         UNIQUE(origin, name))""",
    """CREATE TABLE IF NOT EXISTS entry(
         list INTEGER NOT NULL, sort TEXT NOT NULL, size INTEGER NOT NULL,
         id TEXT NOT NULL, kind TEXT NOT NULL,
         PRIMARY KEY(list, sort, size, id, kind)) WITHOUT ROWID""",
    "CREATE UNIQUE INDEX IF NOT EXISTS entry_by_id ON entry(kind, id, list)",
    """CREATE TABLE IF NOT EXISTS node(
         list INTEGER NOT NULL, level INTEGER NOT NULL, sort TEXT NOT NULL, size INTEGER NOT NULL,
         id TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL,
         PRIMARY KEY(list, level, sort, size, id, kind)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS memory(
         origin INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
         PRIMARY KEY(origin, name)) WITHOUT ROWID""",
    f"PRAGMA application_id={APPLICATION_ID}",
    f"PRAGMA user_version={LAYOUT}",
)
