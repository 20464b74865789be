"""Limits of what the inbox loads, looks at and keeps, and how long it waits."""

from datetime import timedelta

# Pages that are loaded at most for one key: for the next unread or the longest waiting
# conversation, and to fill the window of a thread with a filter.
MOST_PAGES_LOADED = 20

# Rows among which the next unread or the longest waiting conversation is searched.
MOST_ROWS_SEARCHED = 1000

# Rows of a complete list among which those of a view are counted, and views that are counted.
MOST_ROWS_COUNTED = 500
MOST_VIEWS_COUNTED = 20
# Marks of this computer with which the server's number of unread conversations is put right.
MOST_MARKS_COUNTED = 2_000

# Queries whose plans are kept until names change.
MOST_PLANS_KEPT = 100

# Rows of a complete list that are counted by assignee and label with each refresh.
MOST_ROWS_TALLIED = 200

# Rows whose customers are offered to complete `from:`.
MOST_ROWS_COMPLETED = 200

# Views to which one can go back.
MOST_VISITS = 100

# Rows at the top in which new unread activity is looked for.
ROWS_AT_TOP = 50

# Between two refreshes that also detect rows further down that no longer match the filter, unless
# the server says what changes.
THOROUGH_SECONDS = 180.0

# Between two requests for counts after news.
COUNTS_SECONDS = 2.0

# Between a movement of the cursor and the load of the thread.
PREVIEW_SECONDS = 0.15

# A search, and a request for the next page, is said to be running after this time.
PATIENCE_SECONDS = 0.5

# A refresh by hand takes the place of one that has been running for this long.
REPLACED_SECONDS = 1.0

# Between two steps of a scan. The messages that a key causes follow each other in turns of the
# event loop: after a pause of no length each of them would wait for a step.
SCAN_PAUSE_SECONDS = 0.002

# After a key a scan makes no step until the key's frame can be there.
AFTER_KEY_SECONDS = 0.02

# Without input for this long, requests of the background are sent.
RESTED = timedelta(seconds=1)

# Between two requests for the list; where the server says what changes, for a view into which rows
# come by time alone, and for others.
POLL, AGED, FOLLOWED = timedelta(seconds=30), timedelta(minutes=5), timedelta(hours=1)

# Before the next try, after the first, second, … consecutive failure.
BACK_OFF = tuple(timedelta(seconds=seconds) for seconds in (5, 10, 20, 40, 60))

# Between two looks at the clock for conversations that are hidden until a time: clocks are set, and
# computers sleep. And the least time from one look to the next.
CLOCK_CHECK_SECONDS, LEAST_CHECK_SECONDS = 60.0, 1.0

# Customers whose names are said when their conversations come back.
MOST_NAMES_SAID = 3

# The longest pause of a server that is kept.
LONGEST_PAUSE = timedelta(hours=1)
