"""Where the demo's two processes meet: files in the directory that they share."""

DATABASE = "inbox.db"
CACHE = "pages.db"
# The name of the sample in the cache.
ORIGIN = "sample"
