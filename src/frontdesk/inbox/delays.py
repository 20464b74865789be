"""Delays before the inbox opens, says, requests or repeats something."""

from datetime import timedelta

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

# Between two requests for the list: while the viewer is used, rests, is idle, and sleeps.
IN_USE = timedelta(seconds=10)
RESTING = timedelta(seconds=30)
IDLE = timedelta(minutes=1)
ASLEEP = timedelta(minutes=5)

# The interval, and up to which time since the last input it is used; beyond the last: ASLEEP.
POLL_INTERVALS = (
    (timedelta(minutes=1), IN_USE),
    (timedelta(minutes=10), RESTING),
    (timedelta(hours=1), IDLE),
)

# Factor for a server that does not answer 304 and sends every response in full.
SLOWER = 2

# Before the next try, after the first, second, … consecutive failure.
BACK_OFF = tuple(timedelta(seconds=seconds) for seconds in (5, 10, 20, 40, 60))

# The longest pause of a server that is kept.
LONGEST_PAUSE = timedelta(hours=1)
