"""Plays the conversations of a crowd: reels one after the other, as many messages as there are."""

from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Any, NamedTuple

from frontdesk.ingest.crowd.people import known, person
from frontdesk.ingest.crowd.places import colleagues, labels, shops
from frontdesk.ingest.crowd.reels import FIRST_NAME, Reel, Step, reels
from frontdesk.ingest.crowd.shape import (
    DAY,
    DAYS,
    MINUTE,
    Calendar,
    Choice,
    Size,
    fitted,
    gap,
    lengths,
)
from frontdesk.ingest.events import (
    Author,
    ConversationEvent,
    DomainEvent,
    MessageUpsert,
    NoteUpsert,
    Person,
    ReactionSet,
    StatusUpdate,
)
from frontdesk.ingest.sample.catalogue import Colleague, Shop
from frontdesk.ingest.sample.stage import AUTHOR_OF
from frontdesk.ingest.sample.visits import repertoires

PORTION = 1_000
# Days from one matter to the next, and the share of all activity that is in them.
BETWEEN = 9 / DAYS
# A thread of more matters than this began long ago.
OLD = 30
RETURNING = 0.07
RESOLVED_AFTER = 4 * MINUTE
AUTHORS = {author.kind: author for author in AUTHOR_OF.values()}


class _Customer(NamedTuple):
    person: Person
    first: str


class _Matter(NamedTuple):
    """A reel as it is played in a thread: its first steps, their moments; until: when it ends."""

    reel: Reel
    steps: tuple[Step, ...]
    moments: list[int]
    until: int


def portions(size: Size) -> Iterator[list[DomainEvent]]:
    """Every event but those of the catalogue; all about one person are in one portion.

    The conversations come in the order in which they began, but for very long ones.
    """
    random = Random(size.seed)
    company = _Company(size, random)
    own = lengths(size, random)
    for start in range(0, size.conversations, PORTION):
        some = own[start : start + PORTION]
        yield company.portion(start, some)


class _Company:
    """Who takes part, and how often."""

    def __init__(self, size: Size, random: Random) -> None:
        self._size = size
        self._random = random
        self._calendar = Calendar(size.until)
        own = shops()
        self._shops = Choice(own, 1.1)
        plays = repertoires()
        self._reels = {shop.id: reels(plays[shop.language], shop, random) for shop in own}
        staff = colleagues()
        self._staff = {shop.id: Choice([one for one in staff if shop in one.shops]) for shop in own}
        self._authors = {one.key: Author("user", one.key, one.name) for one in staff}
        self._labels = Choice(labels(), 0.9)
        self._numbers = count(1)
        self._customers = count(1)

    def portion(self, start: int, messages: list[int]) -> list[DomainEvent]:
        """The conversations from number `start` on, each with so many messages."""
        events: list[DomainEvent] = []
        before: list[tuple[_Customer, Shop]] = []
        for number, length in enumerate(messages, start=start):
            shop = self._shops.pick(self._random.random())
            customer = self._returning(before, shop)
            matters = self._matters(number, length, shop)
            if customer is None:
                customer = self._new(events, shop, matters[0].moments[0])
                before.append((customer, shop))
            events += _Thread(self, shop, customer, self._random).played(matters)
        return events

    def staff(self, shop: Shop) -> Colleague:
        return self._staff[shop.id].pick(self._random.random())

    def author(self, colleague: Colleague) -> Author:
        return self._authors[colleague.key]

    def label(self) -> str:
        return self._labels.pick(self._random.random())

    def number(self) -> int:
        return next(self._numbers)

    @property
    def until(self) -> int:
        return self._size.until

    def _returning(self, before: list[tuple[_Customer, Shop]], shop: Shop) -> _Customer | None:
        """Somebody who wrote to another number before, once more at most."""
        if len(before) < 20 or self._random.random() > RETURNING:
            return None
        place = int(self._random.random() * len(before))
        if before[place][1] is shop:
            return None
        return before.pop(place)[0]

    def _new(self, events: list[DomainEvent], shop: Shop, at: int) -> _Customer:
        reached, name, first = person(next(self._customers), shop.language, self._random)
        events.append(known(reached, name, first, at, self._random))
        return _Customer(reached, first)

    def _matters(self, number: int, length: int, shop: Shop) -> list[_Matter]:
        """What a thread is about, oldest first."""
        chosen: list[tuple[Reel, tuple[Step, ...]]] = []
        stock = self._reels[shop.id]
        while length > 0:
            reel = stock[int(self._random.random() * len(stock))]
            steps = reel.steps if reel.messages <= length else _first(reel, length)
            chosen.append((reel, steps))
            length -= reel.messages
        place = (number + self._random.random()) / self._size.conversations
        place *= 0.5 if len(chosen) > OLD else 1.0
        return self._timed(chosen, place)

    def _timed(self, chosen: list[tuple[Reel, tuple[Step, ...]]], place: float) -> list[_Matter]:
        between = min(BETWEEN, 0.9 * (1 - place) / len(chosen))
        moments: list[int] = []
        earliest = 0
        for _, steps in chosen:
            start = max(self._calendar.moment(place), earliest)
            moments += [start + step.at for step in steps]
            earliest = moments[-1] + RESOLVED_AFTER
            moments.append(earliest)
            earliest += MINUTE
            place += min(gap(self._random.random(), between), 0.7 * (1 - place))
        moments = fitted(moments, self._size.until)
        matters, at = [], 0
        for reel, steps in chosen:
            end = at + len(steps)
            matters.append(_Matter(reel, steps, moments[at:end], moments[end]))
            at = end + 1
        return matters


def _first(reel: Reel, messages: int) -> tuple[Step, ...]:
    """The steps of a reel up to so many messages; at least one is a message."""
    steps, said = [], 0
    for step in reel.steps:
        if said == messages:
            break
        said += step.kind == "message"
        steps.append(step)
    return tuple(steps)


class _Thread:
    """One conversation while it is played."""

    def __init__(self, company: _Company, shop: Shop, customer: _Customer, random: Random) -> None:
        self._company = company
        self._shop = shop
        self._customer = customer
        self._random = random
        self._events: list[DomainEvent] = []
        self._said: MessageUpsert | None = None
        self._agent = company.staff(shop)
        self._author = company.author(self._agent)

    def played(self, matters: list[_Matter]) -> list[DomainEvent]:
        """Everything that happens, in the order of time but for what follows at once."""
        chance = self._random.random
        first, last = matters[0], matters[-1]
        if chance() < 0.78:
            self._happen("assigned", first.moments[0] + 1, user=self._agent.key)
        for matter in matters[:-1]:
            self._play(matter)
            self._happen("resolved", matter.until)
        self._play(last)
        self._file(last)
        self._settle(last)
        return self._events

    def _play(self, matter: _Matter) -> None:
        for step, at in zip(matter.steps, matter.moments, strict=True):
            match step.kind:
                case "message":
                    self._say(step, at)
                case "handoff":
                    self._happen("bot_handoff", at)
                case "reaction" if self._said is not None and at % 3 == 0:
                    self._react(self._said, step.text or "", at)
                case "note" if at % 10 == 0:
                    self._note(step.text or "", at)

    def _say(self, step: Step, at: int) -> None:
        wamid = f"wamid.CROWD{self._company.number():08X}"
        text = step.text
        if text is not None and FIRST_NAME in text:
            text = text.replace(FIRST_NAME, self._customer.first)
        shop, reached = self._shop.id, self._customer.person
        status = None
        if step.outbound and step.failure is None:
            status = "read" if at % 4 else "delivered"
        author = self._author if step.author == "user" else AUTHORS[step.author]
        self._said = MessageUpsert(
            shop,
            reached,
            wamid,
            at,
            step.outbound,
            author,
            step.type,
            "echo" if step.author == "phone" else "webhook",
            text,
            step.content,
            step.media,
            status=status,
        )
        self._events.append(self._said)
        if step.failure is not None:
            self._events.append(StatusUpdate(shop, reached, wamid, at, "failed", step.failure))

    def _react(self, said: MessageUpsert, emoji: str, at: int) -> None:
        by_us = not said.outbound
        person = self._shop.id if by_us else self._customer.person.wa_id or "hidden"
        author = "user" if by_us else "contact"
        assert said.wamid is not None
        self._events.append(
            ReactionSet(self._shop.id, said.wamid, person, emoji, at, by_us, author)
        )

    def _note(self, text: str, at: int) -> None:
        text = text.replace(FIRST_NAME, self._customer.first)
        name = f"crowd-note-{self._company.number()}"
        self._events.append(
            NoteUpsert(self._shop.id, self._customer.person, name, at, text, self._author)
        )

    def _happen(self, name: str, at: int, **value: Any) -> None:
        name_of_it = f"crowd-{self._company.number()}"
        self._events.append(
            ConversationEvent(self._shop.id, self._customer.person, name_of_it, at, name, value)
        )

    def _file(self, last: _Matter) -> None:
        """Label the conversation: most are not."""
        chance = self._random.random
        titles = [title for title in last.reel.labels if chance() < 0.3]
        while chance() < 0.12:
            titles.append(self._company.label())
        for title in dict.fromkeys(titles):
            self._happen("labelled", last.moments[-1], title=title, on=True)

    def _settle(self, last: _Matter) -> None:
        """Bring the conversation to where it stands in the end."""
        chance = self._random.random
        age = (self._company.until - last.moments[-1]) / DAY
        opened = 0.5 if age < 2 else 0.2 if age < 10 else 0.015
        standing = chance()
        if standing < opened:
            if chance() < 0.12:
                self._happen("bot_handoff", last.until)
            elif chance() < 0.4:
                self._happen("read_marker", last.until, until=last.moments[-1])
        elif standing < opened + 0.007:
            hours = None if chance() < 0.3 else int(chance() * 720)
            until = None if hours is None else self._company.until + (24 + hours) * 60 * MINUTE
            self._happen("snoozed", last.until, until=until)
        else:
            self._happen("resolved", last.until)
            if chance() < 0.8:
                self._happen("read_marker", last.until, until=last.moments[-1])
