"""SQL schema of the cache file."""

# "fdpg": distinguishes the cache from other SQLite files.
APPLICATION_ID = 0x66647067
LAYOUT = 3

# entry: rows of a list in order, with the number of their object. Numbers are assigned in order of
# arrival, so that a block of rows is read from few database pages.
# node: index of a list; level 1 counts the entries of a block, level 2 those of a run of blocks. A
# node extends from its key to the next one's.
# bookmark: cursors of a list's pages, each for the rows below its key.
# said: case-folded text of an object, by its number; the last message of a conversation whose
# thread is not cached has the negated number of the conversation.
SCHEMA = (
    """CREATE TABLE IF NOT EXISTS origin(number INTEGER PRIMARY KEY, name TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS object(
         number INTEGER PRIMARY KEY,
         origin INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, body BLOB NOT NULL,
         UNIQUE(origin, kind, id))""",
    """CREATE TABLE IF NOT EXISTS list(
         number INTEGER PRIMARY KEY, origin INTEGER NOT NULL, name TEXT NOT NULL,
         cursor TEXT, complete INTEGER NOT NULL DEFAULT 0, fetched_at INTEGER, read_at INTEGER,
         UNIQUE(origin, name))""",
    """CREATE TABLE IF NOT EXISTS entry(
         list INTEGER NOT NULL, sort TEXT NOT NULL, size INTEGER NOT NULL,
         id TEXT NOT NULL, kind TEXT NOT NULL, object INTEGER,
         PRIMARY KEY(list, sort, size, id, kind)) WITHOUT ROWID""",
    "CREATE UNIQUE INDEX IF NOT EXISTS entry_by_id ON entry(kind, id, list)",
    """CREATE INDEX IF NOT EXISTS entry_notes ON entry(list, sort, size, id)
         WHERE kind = 'note'""",
    """CREATE TABLE IF NOT EXISTS node(
         list INTEGER NOT NULL, level INTEGER NOT NULL, sort TEXT NOT NULL, size INTEGER NOT NULL,
         id TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL,
         PRIMARY KEY(list, level, sort, size, id, kind)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS bookmark(
         list INTEGER NOT NULL, sort TEXT NOT NULL, size INTEGER NOT NULL,
         id TEXT NOT NULL, kind TEXT NOT NULL, cursor TEXT NOT NULL,
         PRIMARY KEY(list, sort, size, id, kind)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS said(
         number INTEGER PRIMARY KEY, origin INTEGER NOT NULL, kind TEXT NOT NULL,
         about TEXT, sort TEXT NOT NULL, text TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS said_by_time ON said(origin, sort)",
    "CREATE INDEX IF NOT EXISTS said_about ON said(origin, about)",
    """CREATE VIRTUAL TABLE IF NOT EXISTS found USING fts5(
         text, content='said', content_rowid='number',
         tokenize='trigram case_sensitive 1', detail=none, columnsize=0)""",
    """CREATE TABLE IF NOT EXISTS memory(
         origin INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
         PRIMARY KEY(origin, name)) WITHOUT ROWID""",
    f"PRAGMA application_id={APPLICATION_ID}",
    f"PRAGMA user_version={LAYOUT}",
)

# Tables to copy; the search index is rebuilt from them.
TABLES = ("origin", "object", "list", "entry", "node", "bookmark", "said", "memory")
