"""The built-in sample inbox: five hundred believable conversations of an imaginary shop group."""

from collections.abc import Iterator
from itertools import chain, islice
from random import Random

from frontdesk.ingest.events import DomainEvent
from frontdesk.ingest.sample.catalogue import COLLEAGUES, catalogue
from frontdesk.ingest.sample.plan import LONG_PLACE, plans
from frontdesk.ingest.sample.theatre import Theatre

SEED = 20
# The key of the agent as whom the demo is run.
ME = COLLEAGUES[0].key

# The conversations above the long one: more than a screen shows, and quickly made.
_SCREENFUL = LONG_PLACE

__all__ = ["ME", "SEED", "events", "slices"]


def events(seed: int, now: int) -> list[DomainEvent]:
    """The whole sample. `now` is epoch milliseconds; nothing happens after it.

    The catalogues come first, then one conversation after the other, the most recently active
    first and each in the order of time. The same seed and now give equal events.
    """
    return list(chain.from_iterable(slices(seed, now)))


def slices(seed: int, now: int) -> Iterator[list[DomainEvent]]:
    """What `events` gives, in two: a small inbox as soon as it is asked for, and all the rest."""
    random = Random(seed)
    moment = now - now % 1000
    theatre = Theatre(random, moment)
    conversations = map(theatre.perform, plans(random))
    newest = chain.from_iterable(islice(conversations, _SCREENFUL))
    yield [*catalogue(moment), *newest]
    yield list(chain.from_iterable(conversations))
