"""Generates the demo: five hundred conversations of an imaginary shop group."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, count, islice
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from frontdesk.business_hours import parse_hours
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import DomainEvent
from frontdesk.sample.catalogue import (
    AGENTS,
    LONDON,
    MADRID,
    NEW_YORK,
    SAO_PAULO,
    TABLES,
    WHOLESALE,
    Agent,
    Shop,
    catalogue,
)
from frontdesk.sample.conversation import ConversationBuilder, ScriptStep, render, schedule
from frontdesk.sample.people import GUESTS, WHOLESALER, Customer, contact, customers, guest
from frontdesk.sample.script import NOTE, Script, ScriptLine, ScriptScene, load_scripts
from frontdesk.store.business_hours import set_hours
from frontdesk.store.database import Connection, Database
from frontdesk.store.sqlite import SQLiteDatabase

SEED = 20
_ACCOUNT = 1
# The key of the agent as whom the demo is run.
ME = AGENTS[0].key

CONVERSATIONS = 500
OPEN, SNOOZED = 60, 15
TODAY = 30
LONG_THREAD = 3_000
# The long thread comes after all that a screen shows, so that the first part is made apply_entry.
_LONG_POSITION = 27
# The messages of so many conversations have each delivery status; of the others only the last.
_WITH_EVERY_STATUS = 60
# The share of a scene's notes that are kept.
_NOTES = 0.4
_HOUR, _DAY = 3_600, 86_400
# Seconds since the first conversation's scene, and since each line of `scripts/first.txt`: it waits
# for a person, its reply window closes within the hour, and a campaign makes it the newest.
_FIRST_SCENE = 84_400
_FIRST_LINES = (84_300, 84_290, 84_100, 84_098, 83_950, 82_700, 70)
# Where the customers of a shop also write.
_SECOND_SHOP = {
    LONDON: NEW_YORK,
    NEW_YORK: LONDON,
    MADRID: LONDON,
    SAO_PAULO: MADRID,
    WHOLESALE: LONDON,
}


class ConversationPlan(NamedTuple):
    """A conversation that is to be generated.

    age: seconds since the last line of its scenes. ending: "waiting", "awaiting", "answered",
    "snoozed" or "resolved". visits: how many scenes; 0 for the long thread. known: the customer
    came up before.
    """

    position: int
    age: int
    ending: str
    shop: Shop
    customer: Customer
    known: bool
    agent: Agent
    assigned: bool
    visits: int


class PlannedVisit(NamedTuple):
    """Lines, when the first happens (epoch milliseconds) and how much later each of them does."""

    lines: Sequence[ScriptLine]
    start: int
    times: Sequence[int]

    @property
    def end(self) -> int:
        """Time of the last line."""
        return self.start + self.times[-1]


def create_demo(path: Path, *, now: int) -> None:
    """Create a database with the demo as it is at `now` (epoch milliseconds).

    It is not written durably: a power failure may damage it.
    """
    database = SQLiteDatabase(path, create=True, durable=False)
    try:
        for _ in add_demo(database, now=now):
            pass
    finally:
        database.close()


def set_demo_hours(database: Database) -> None:
    """Give the account of the demo business hours, and one of its channels some of its own."""
    table: Any = TABLES["business_hours"]
    database.write(partial(set_hours, account_id=_ACCOUNT, hours=parse_hours(table)))


def add_demo(database: Database, *, now: int) -> Iterator[None]:
    """Write the demo into an empty database, part by part: after each, it is a whole inbox."""
    for events in demo_parts(SEED, now):
        database.write(partial(_apply, events, now))
        yield


def _apply(events: Sequence[DomainEvent], now: int, connection: Connection) -> None:
    apply_events(connection, _ACCOUNT, events, now=now)


def demo_parts(seed: int, now: int) -> Iterator[list[DomainEvent]]:
    """The demo in two parts: a small inbox that fills a screen, and the rest.

    `now` is epoch milliseconds; nothing happens after it. The catalogues come first, then one
    conversation after the other, the most recently active first and each in the order of time. The
    same seed and now give equal events.
    """
    random = Random(seed)
    now -= now % 1000
    generator = _DemoGenerator(random, now)
    conversations = map(generator.conversation, plans(random))
    newest = chain.from_iterable(islice(conversations, _LONG_POSITION))
    yield [*catalogue(now), *newest]
    yield list(chain.from_iterable(conversations))


def plans(random: Random) -> Iterator[ConversationPlan]:
    """All conversations, the most recently active first."""
    endings = _endings(random)
    strangers = {language: customers(random, language) for language in ("en", "es", "pt")}
    regulars: dict[str, list[tuple[Customer, Shop]]] = {"en": [], "es": [], "pt": []}
    threads = set(random.sample(range(_LONG_POSITION + 1, CONVERSATIONS), 13))
    for position, ending in enumerate(endings):
        age = _age(position)
        if position == _LONG_POSITION:
            yield ConversationPlan(
                position, age, "answered", WHOLESALE, WHOLESALER, False, AGENTS[0], True, 0
            )
            continue
        shop, customer, known = _pair(position, random, strangers, regulars)
        staff = [
            agent for agent in AGENTS if shop in agent.shops and (agent.active or age > 60 * _DAY)
        ]
        agent = staff[int(random.random() ** 2.2 * len(staff))]
        visits = random.randint(8, 22) if position in threads else 1 + (random.random() < 0.1)
        assigned = random.random() < (0.9 if ending in {"resolved", "snoozed"} else 0.66)
        yield ConversationPlan(
            position, age, ending, shop, customer, known, agent, assigned, visits
        )


def _endings(random: Random) -> list[str]:
    """The ending of each conversation; most of the open ones were active in the last days."""
    endings = ["resolved"] * CONVERSATIONS
    recent, week = range(1, TODAY), range(TODAY, 140)
    positions = [0, _LONG_POSITION]
    positions += random.sample([position for position in recent if position != _LONG_POSITION], 20)
    positions += random.sample(week, 28)
    positions += random.sample(range(140, CONVERSATIONS), OPEN - len(positions))
    for number, position in enumerate(positions):
        endings[position] = ("waiting", "answered", "waiting", "awaiting", "answered")[number % 5]
    free = [position for position in range(10, 260) if endings[position] == "resolved"]
    for position in random.sample(free, SNOOZED):
        endings[position] = "snoozed"
    return endings


def _age(position: int) -> int:
    """Seconds: a day for the first and the thirtieth, most of a year for the last."""
    if not position:
        return _FIRST_SCENE
    if position < TODAY:
        return 70 + int(82_000 * (position / TODAY) ** 1.8) + position * 61
    older = (position - TODAY) / (CONVERSATIONS - TODAY)
    return 90_000 + int(290 * _DAY * older**1.7) + position * 37


def _pair(
    position: int,
    random: Random,
    strangers: dict[str, Iterator[Customer]],
    regulars: dict[str, list[tuple[Customer, Shop]]],
) -> tuple[Shop, Customer, bool]:
    """A shop and a customer who writes to it; one in four wrote to another of the shops too."""
    if position % 60 == 17 and position < 60 * len(GUESTS):
        return LONDON, guest(position // 60), False
    chance = random.random()
    shop = LONDON if chance < 0.32 else MADRID if chance < 0.6 else SAO_PAULO
    shop = NEW_YORK if chance > 0.87 else WHOLESALE if chance > 0.81 else shop
    before = regulars[shop.language]
    if len(before) > 6 and random.random() < 0.24:
        customer, old_shop = before.pop(random.randrange(len(before)))
        return _SECOND_SHOP[shop] if shop is old_shop else shop, customer, True
    customer = next(strangers[shop.language])
    before.append((customer, shop))
    return shop, customer, False


class _DemoGenerator:
    """Generates planned conversations. now: epoch milliseconds of a whole second."""

    def __init__(self, random: Random, now: int) -> None:
        self._random = random
        self._now = now
        self._numbers = count(1)
        self._scripts = load_scripts()

    def conversation(self, plan: ConversationPlan) -> list[DomainEvent]:
        """All events of one conversation, in the order of time."""
        builder = ConversationBuilder(plan.shop, plan.customer, plan.agent, self._numbers)
        script = self._script(plan)
        scenes = self._scenes(plan, script)
        visits = self._visits(plan, scenes)
        if not plan.known:
            builder.events.append(contact(plan.customer, self._random, visits[0].start - 2000))
        for visit in visits[:-1]:
            builder.add_event("opened", visit.start - 1000)
            builder.play(self._steps(plan, script, visit))
            builder.add_event("resolved", visit.end + 600_000)
        builder.add_event("opened", visits[-1].start - 1000)
        every_status = plan.position < _WITH_EVERY_STATUS
        builder.play(self._steps(plan, script, visits[-1]), every_status=every_status)
        self._assign_and_label(builder, plan, scenes[-1][0], visits)
        self._end(builder, plan, visits[-1])
        if not plan.position:
            self._play_first_lines(builder, plan)
        return sorted(builder.events, key=attrgetter("at"))

    def _script(self, plan: ConversationPlan) -> Script:
        if plan.visits == 0:
            return self._scripts["wholesale"]
        return self._scripts["guests" if plan.customer.guest >= 0 else plan.customer.language]

    def _scenes(
        self, plan: ConversationPlan, script: Script
    ) -> list[tuple[ScriptScene, Sequence[ScriptLine]]]:
        """The scenes of a conversation with those of their lines that are used, oldest first."""
        if plan.visits == 0:
            return self._long_thread(script)
        if plan.customer.guest >= 0:
            scene = script.scenes[plan.customer.guest]
            ending = "waiting" if plan.ending == "awaiting" else plan.ending
            return [(scene, scene.until(ending, self._random))]
        first = int(self._random.random() * len(script.scenes))
        chosen = [
            script.scenes[(first + 5 * number) % len(script.scenes)]
            for number in range(plan.visits)
        ]
        if plan.ending == "awaiting":
            chosen[-1] = self._random.choice(script.with_handoff())
        scenes: list[tuple[ScriptScene, Sequence[ScriptLine]]] = [
            (scene, scene.lines) for scene in chosen
        ]
        scenes[-1] = chosen[-1], chosen[-1].until(plan.ending, self._random)
        return scenes

    def _long_thread(self, script: Script) -> list[tuple[ScriptScene, Sequence[ScriptLine]]]:
        """Scenes of exactly `LONG_THREAD` messages; the oldest begins in its middle."""
        total = 0
        newest_first: list[tuple[ScriptScene, Sequence[ScriptLine]]] = []
        while total < LONG_THREAD:
            scene = script.scenes[int(self._random.random() * len(script.scenes))]
            newest_first.append((scene, scene.lines))
            total += sum(line.is_message for line in scene.lines)
        scene, lines = newest_first[-1]
        while total > LONG_THREAD or not lines[0].is_message:
            total -= lines[0].is_message
            lines = lines[1:]
        newest_first[-1] = scene, lines
        return newest_first[::-1]

    def _visits(
        self, plan: ConversationPlan, scenes: Sequence[tuple[ScriptScene, Sequence[ScriptLine]]]
    ) -> list[PlannedVisit]:
        """The visits in time, oldest first: the last ends `plan.age` seconds ago."""
        usual = 365 * _DAY / len(scenes) if plan.visits == 0 else 6 * _DAY
        pace = 0.2 if plan.visits == 0 else 1.0
        visits, end = [], self._now - plan.age * 1000
        for _, lines in reversed(scenes):
            times = schedule(lines, self._random, pace)
            visits.append(PlannedVisit(lines, end - times[-1], times))
            gap = _HOUR + int(usual * (0.1 + 1.7 * self._random.random()))
            end = visits[-1].start - 1000 * gap
        return visits[::-1]

    def _steps(
        self, plan: ConversationPlan, script: Script, visit: PlannedVisit
    ) -> Iterator[ScriptStep]:
        chance = self._random.random
        slots = script.values(plan.customer, plan.agent, plan.shop, chance)
        for line, after in zip(visit.lines, visit.times, strict=True):
            if line.mark == NOTE and chance() > _NOTES:
                continue
            text = line.text(chance, slots)
            number = next(self._numbers) if line.is_message else 0
            step = render(line, visit.start + after, text, slots, plan.shop, number)
            yield step._replace(status="read" if chance() < 0.75 else "delivered")

    def _play_first_lines(self, builder: ConversationBuilder, plan: ConversationPlan) -> None:
        """Hand the first conversation over to a person who has not answered yet.

        Its chance is its own, so that all other conversations are the same without it.
        """
        script, chance = self._scripts["first"], Random(SEED).random
        slots = script.values(plan.customer, plan.agent, plan.shop, chance)
        (scene,) = script.scenes
        for line, age in zip(scene.lines, _FIRST_LINES, strict=True):
            number = next(self._numbers) if line.is_message else 0
            at, text = self._now - age * 1000, line.text(chance, slots)
            builder.play([render(line, at, text, slots, plan.shop, number)])
        for title in scene.labels:
            builder.add_event("labelled", self._now - _FIRST_LINES[0] * 1000, title=title, on=True)

    def _assign_and_label(
        self,
        builder: ConversationBuilder,
        plan: ConversationPlan,
        scene: ScriptScene,
        visits: Sequence[PlannedVisit],
    ) -> None:
        if plan.assigned:
            builder.add_event("assigned", visits[0].start, user=plan.agent.key)
        titles = [title for title in scene.labels if self._random.random() < 0.85]
        rare = self._random.random()
        titles += ["vip"] if rare < 0.06 else ["press"] if rare > 0.98 else []
        titles += ["wholesale"] if plan.shop is WHOLESALE else []
        for title in titles:
            builder.add_event("labelled", visits[-1].end, title=title, on=True)

    def _end(
        self, builder: ConversationBuilder, plan: ConversationPlan, visit: PlannedVisit
    ) -> None:
        """Resolve or snooze the conversation, or read some of it."""
        at = visit.end + 1000 * min(900, plan.age // 2)
        if plan.ending == "resolved":
            builder.add_event("read_marker", at, until=visit.end)
            builder.add_event("resolved", at)
        elif plan.ending == "snoozed":
            hours = 2 + int(self._random.random() * 90)
            until = None if plan.position % 3 == 0 else self._now + hours * _HOUR * 1000
            builder.add_event("snoozed", at, until=until)
        elif plan.position % 5 < 2:
            builder.add_event("read_marker", at, until=visit.end)
        elif plan.position % 5 < 4:
            builder.add_event("read_marker", visit.start - 1000, until=visit.start - 1000)
