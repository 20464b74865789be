"""Limits of what the inbox loads, looks at and keeps."""

# Pages that are loaded at most for one key: for the next unread or the longest waiting
# conversation, and to fill the window of a thread with a filter.
MOST_PAGES_LOADED = 20

# Rows among which the next unread or the longest waiting conversation is searched.
MOST_ROWS_SEARCHED = 1000

# The scan for a local filter ends with the list, or after this many rows; "last" extends it.
MOST_ROWS_SCANNED = 5000

# Rows that stay in a view although they do not match any more: opened ones, and ones that were in
# the window.
MOST_OPENED_KEPT, MOST_SEEN_KEPT = 50, 300

# Rows of a complete list among which those of a view are counted, and views that are counted.
MOST_ROWS_COUNTED = 500
MOST_VIEWS_COUNTED = 20

# Rows whose customers are offered to complete `from:`.
MOST_ROWS_COMPLETED = 200

# Views to which one can go back.
MOST_VISITS = 100

# Rows at the top in which new unread activity is looked for.
ROWS_AT_TOP = 50

# Every sixth refresh also detects rows further down that no longer match the filter.
REFRESHES_UNTIL_THOROUGH = 6
