"""Which conversations the sample has, how long ago they were last touched, and where they stand."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from frontdesk.ingest.events import Person
from frontdesk.ingest.sample import wholesale
from frontdesk.ingest.sample.catalogue import (
    COLLEAGUES,
    LONDON,
    MADRID,
    NEW_YORK,
    SAO_PAULO,
    WHOLESALE,
    Colleague,
    Shop,
)
from frontdesk.ingest.sample.people import GUESTS, Customer, customers, guest

CONVERSATIONS = 500
OPEN, SNOOZED = 60, 15
TODAY = 30
# The place of the thread of 3,000 messages, newest first; a first slice is light without it.
LONG_PLACE = 27
HOUR, DAY = 3_600, 86_400
# Where the customers of a shop also write.
SECOND = {
    LONDON: NEW_YORK,
    NEW_YORK: LONDON,
    MADRID: LONDON,
    SAO_PAULO: MADRID,
    WHOLESALE: LONDON,
}


class Plan(NamedTuple):
    """A conversation to be played.

    age: seconds since the last thing said. ending: waiting, awaiting, answered, snoozed, resolved.
    visits: how many scenes; 0 for the one long thread. known: the customer came up before.
    """

    place: int
    age: int
    ending: str
    shop: Shop
    customer: Customer
    known: bool
    agent: Colleague
    assigned: bool
    visits: int


def plans(random: Random) -> Iterator[Plan]:
    """All conversations, the most recently active first."""
    endings = _endings(random)
    talkers = {language: customers(random, language) for language in ("en", "es", "pt")}
    regulars: dict[str, list[tuple[Customer, Shop]]] = {"en": [], "es": [], "pt": []}
    threads = set(random.sample(range(LONG_PLACE + 1, CONVERSATIONS), 13))
    for place, ending in enumerate(endings):
        age = _age(place)
        if place == LONG_PLACE:
            yield _long(place, age)
            continue
        shop, customer, known = _match(place, random, talkers, regulars)
        staff = [one for one in COLLEAGUES if shop in one.shops and (one.active or age > 60 * DAY)]
        agent = staff[int(random.random() ** 2.2 * len(staff))]
        visits = random.randint(8, 22) if place in threads else 1 + (random.random() < 0.1)
        assigned = random.random() < (0.9 if ending in {"resolved", "snoozed"} else 0.66)
        yield Plan(place, age, ending, shop, customer, known, agent, assigned, visits)


def _endings(random: Random) -> list[str]:
    """Most of what is open was touched in the last days."""
    endings = ["resolved"] * CONVERSATIONS
    recent, week = range(1, TODAY), range(TODAY, 140)
    places = [0, LONG_PLACE]
    places += random.sample([place for place in recent if place != LONG_PLACE], 20)
    places += random.sample(week, 28)
    places += random.sample(range(140, CONVERSATIONS), OPEN - len(places))
    for number, place in enumerate(places):
        endings[place] = ("waiting", "answered", "waiting", "awaiting", "answered")[number % 5]
    free = [place for place in range(10, 260) if endings[place] == "resolved"]
    for place in random.sample(free, SNOOZED):
        endings[place] = "snoozed"
    return endings


def _age(place: int) -> int:
    """Seconds: a minute for the first, a day for the thirtieth, most of a year for the last."""
    if place < TODAY:
        return 70 + int(82_000 * (place / TODAY) ** 1.8) + place * 61
    older = (place - TODAY) / (CONVERSATIONS - TODAY)
    return 90_000 + int(290 * DAY * older**1.7) + place * 37


def _match(
    place: int,
    random: Random,
    talkers: dict[str, Iterator[Customer]],
    regulars: dict[str, list[tuple[Customer, Shop]]],
) -> tuple[Shop, Customer, bool]:
    """A shop and somebody who writes to it; one in four wrote to another of the shops too."""
    if place % 60 == 17 and place < 60 * len(GUESTS):
        return LONDON, guest(place // 60), False
    chance = random.random()
    shop = LONDON if chance < 0.32 else MADRID if chance < 0.6 else SAO_PAULO
    shop = NEW_YORK if chance > 0.87 else WHOLESALE if chance > 0.81 else shop
    before = regulars[shop.language]
    if len(before) > 6 and random.random() < 0.24:
        customer, old_shop = before.pop(random.randrange(len(before)))
        if shop is old_shop:
            shop = SECOND[shop]
        return shop, customer, True
    customer = next(talkers[shop.language])
    before.append((customer, shop))
    return shop, customer, False


def _long(place: int, age: int) -> Plan:
    person = Person(wholesale.PHONE, wholesale.PHONE[1:])
    customer = Customer(person, wholesale.NAME, "Oonagh", "en")
    grace = COLLEAGUES[0]
    return Plan(place, age, "answered", WHOLESALE, customer, False, grace, True, 0)
