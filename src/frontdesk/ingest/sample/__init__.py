"""The built-in sample inbox: five hundred believable conversations of an imaginary shop group."""

from collections.abc import Iterator
from random import Random

from frontdesk.ingest.events import DomainEvent
from frontdesk.ingest.sample.catalogue import COLLEAGUES, catalogue
from frontdesk.ingest.sample.plan import plans
from frontdesk.ingest.sample.theatre import Theatre

SEED = 20
# The key of the agent as whom the demo is run.
ME = COLLEAGUES[0].key

__all__ = ["ME", "SEED", "events", "stream"]


def events(seed: int, now: int) -> list[DomainEvent]:
    """The whole sample. `now` is epoch milliseconds; nothing happens after it.

    The catalogues come first, then one conversation after the other, the most recently active
    first and each in the order of time; so any first slice of it makes a whole, smaller inbox.
    The same seed and now give equal events.
    """
    return list(stream(seed, now))


def stream(seed: int, now: int) -> Iterator[DomainEvent]:
    """What `events` gives, made as it is asked for."""
    random = Random(seed)
    moment = now - now % 1000
    yield from catalogue(moment)
    theatre = Theatre(random, moment)
    for plan in plans(random):
        yield from theatre.perform(plan)
