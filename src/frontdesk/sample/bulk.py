"""Generates an inbox of any size, spread over time, threads, channels and agents as real ones are.

Scenes are rendered a few times beforehand and used again and again, so that a message costs
microseconds.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate, count, pairwise
from math import log
from random import Random
from typing import Generic, NamedTuple, TypeVar

from frontdesk.ingest.events import DomainEvent, Person
from frontdesk.sample.catalogue import AGENTS, Shop, all_agents, all_labels, all_shops
from frontdesk.sample.conversation import ConversationBuilder, ScriptStep, render, schedule
from frontdesk.sample.people import Customer, contact, random_customer
from frontdesk.sample.script import Script, ScriptScene, address, load_scripts

T = TypeVar("T")

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
# The oldest conversation began so many days ago.
DAYS = 400

# Threads have a long tail: most are a few messages, one in a million thousands.
_TAIL = 1.5
_LONGEST = 4_000.0
# Activity of the hours of a day, UTC, and of the days of a week from Monday on.
_HOURS = (4, 3, 2, 2, 2, 4, 8, 18, 38, 60, 72, 74, 66, 62, 70, 74, 72, 66, 56, 48, 40, 28, 16, 8)
_WEEKDAYS = (1.15, 1.1, 1.0, 1.0, 1.05, 0.6, 0.35)
# The growth of activity from the first to the last day.
_GROWTH = 1.2
# The mean distance of two scenes of a thread, as a share of all activity.
_BETWEEN = 9 / DAYS
# A thread of more scenes than this began in the first half.
_MANY_SCENES = 30
_RETURNING = 0.07
_RESOLVED_AFTER = 4 * MINUTE
_PORTION = 1_000
# Number of renderings of each scene.
_TAKES = 6
# Replaced by the customer's first name, which is not known when a scene is rendered.
_FIRST_NAME = "\x01"


@dataclass(frozen=True, slots=True)
class Size:
    """A size of an inbox. until: epoch milliseconds, a midnight of UTC; nothing is later."""

    conversations: int
    messages: int
    seed: int
    until: int


class ActivityCalendar:
    """Turns shares of all activity into times: equal distances have equally much activity."""

    def __init__(self, until: int) -> None:
        self.start = until - DAYS * DAY
        hours = range(DAYS * 24)
        self._sums = (0.0, *accumulate(self._weight(hour) for hour in hours))

    def time(self, share: float) -> int:
        """Epoch milliseconds; later for a higher share, which is between 0 and 1."""
        weight = share * self._sums[-1]
        hour = bisect_right(self._sums, weight) - 1
        before, after = self._sums[hour], self._sums[hour + 1]
        return self.start + hour * HOUR + int(HOUR * (weight - before) / (after - before))

    def _weight(self, hour: int) -> float:
        time = datetime.fromtimestamp((self.start + hour * HOUR) / 1000, UTC)
        growth = 1 + _GROWTH * hour / (DAYS * 24)
        return _HOURS[time.hour] * _WEEKDAYS[time.weekday()] * growth


class ZipfChoice(Generic[T]):
    """Picks the first of some items most often and the last most seldom, by Zipf's law."""

    def __init__(self, items: Sequence[T], exponent: float = 1.0) -> None:
        self._items = items
        self._sums = list(accumulate((n + 1) ** -exponent for n in range(len(items))))

    def pick(self, chance: float) -> T:
        """The item for a chance between 0 and 1."""
        return self._items[bisect_right(self._sums, chance * self._sums[-1])]


def thread_lengths(size: Size, random: Random) -> list[int]:
    """The number of messages of each thread; their sum is `size.messages`."""
    chance = random.random
    weights = [min((1 - chance()) ** (-1 / _TAIL) - 1, _LONGEST) for _ in range(size.conversations)]
    scale = (size.messages - size.conversations) / (sum(weights) or 1)
    lengths = [1 + int(weight * scale) for weight in weights]
    missing = size.messages - sum(lengths)
    for number in range(missing):
        lengths[number * size.conversations // missing] += 1
    return lengths


def compress(times: list[int], until: int) -> list[int]:
    """Rising times, drawn together where they would go beyond `until`."""
    first, last = times[0], times[-1]
    if last < until:
        return times
    scale = max(until - 1 - first, 1) / (last - first)
    compressed = [first + int((time - first) * scale) for time in times]
    if all(a <= b for a, b in pairwise(compressed)):
        return compressed
    return sorted(compressed)


class RenderedScene(NamedTuple):
    """A scene whose slots are filled in; times are milliseconds after its beginning."""

    labels: tuple[str, ...]
    steps: tuple[ScriptStep, ...]
    messages: int

    def first(self, messages: int) -> tuple[ScriptStep, ...]:
        """The steps up to this many messages; at least one."""
        if messages >= self.messages:
            return self.steps
        steps, count = [], 0
        for step in self.steps:
            if count == messages:
                break
            count += step.kind == "message"
            steps.append(step)
        return tuple(steps)


class _ScheduledScene(NamedTuple):
    """Steps of a scene in a thread, their times (epoch milliseconds), and when it is resolved."""

    labels: tuple[str, ...]
    steps: Sequence[ScriptStep]
    times: Sequence[int]
    end: int


def bulk_events(size: Size) -> Iterator[list[DomainEvent]]:
    """The events of an inbox without its catalogue, by about a thousand conversations.

    All events of one person are in one portion. Conversations come in the order in which they
    began, but for very long ones. The same size gives equal events.
    """
    random = Random(size.seed)
    generator = _BulkGenerator(size, random)
    lengths = thread_lengths(size, random)
    for start in range(0, size.conversations, _PORTION):
        yield generator.portion(start, lengths[start : start + _PORTION])


class _BulkGenerator:
    """Generates portions of conversations."""

    def __init__(self, size: Size, random: Random) -> None:
        self._size = size
        self._random = random
        self._calendar = ActivityCalendar(size.until)
        shops, agents, scripts = all_shops(), all_agents(), load_scripts()
        self._shops = ZipfChoice(shops, 1.1)
        self._scenes = {
            shop.id: _render_all(scripts[shop.language], shop, random) for shop in shops
        }
        self._staff = {
            shop.id: ZipfChoice([agent for agent in agents if shop in agent.shops])
            for shop in shops
        }
        self._labels = ZipfChoice(all_labels(), 0.9)
        self._numbers = count(1)
        self._customers = count(1)

    def portion(self, start: int, lengths: Sequence[int]) -> list[DomainEvent]:
        """The conversations from number `start` on, each with its number of messages."""
        events: list[DomainEvent] = []
        before: list[tuple[Customer, Shop]] = []
        for number, length in enumerate(lengths, start=start):
            shop = self._shops.pick(self._random.random())
            customer = self._returning(before, shop)
            scenes = self._schedule(number, length, shop)
            if customer is None:
                customer = random_customer(next(self._customers), shop.language, self._random)
                events.append(contact(customer, self._random, scenes[0].times[0]))
                before.append((customer, shop))
            events += self._conversation(shop, customer, scenes)
        return events

    def _returning(self, before: list[tuple[Customer, Shop]], shop: Shop) -> Customer | None:
        """A customer who wrote to another shop before; each returns once at most."""
        if len(before) < 20 or self._random.random() > _RETURNING:
            return None
        position = int(self._random.random() * len(before))
        if before[position][1] is shop:
            return None
        return before.pop(position)[0]

    def _schedule(self, number: int, length: int, shop: Shop) -> list[_ScheduledScene]:
        """Scenes of a thread with `length` messages together, oldest first."""
        chosen: list[tuple[RenderedScene, tuple[ScriptStep, ...]]] = []
        stock = self._scenes[shop.id]
        while length > 0:
            scene = stock[int(self._random.random() * len(stock))]
            chosen.append((scene, scene.first(length)))
            length -= scene.messages
        share = (number + self._random.random()) / self._size.conversations
        share *= 0.5 if len(chosen) > _MANY_SCENES else 1.0
        # A message that fails does so a second later.
        until = self._size.until - 1_000
        times = compress(self._times([steps for _, steps in chosen], share), until)
        scheduled, at = [], 0
        for scene, steps in chosen:
            end = at + len(steps)
            scheduled.append(_ScheduledScene(scene.labels, steps, times[at:end], times[end]))
            at = end + 1
        return scheduled

    def _times(self, scenes: Sequence[Sequence[ScriptStep]], share: float) -> list[int]:
        """The time of each step, and after those of a scene the time of its end."""
        between = min(_BETWEEN, 0.9 * (1 - share) / len(scenes))
        times: list[int] = []
        earliest = 0
        for steps in scenes:
            start = max(self._calendar.time(share), earliest)
            times += [start + step.at for step in steps]
            times.append(times[-1] + _RESOLVED_AFTER)
            earliest = times[-1] + MINUTE
            # The distance of events that happen independently of each other.
            gap = -between * log(1 - self._random.random())
            share += min(gap, 0.7 * (1 - share))
        return times

    def _conversation(
        self, shop: Shop, customer: Customer, scenes: Sequence[_ScheduledScene]
    ) -> list[DomainEvent]:
        """The events of a thread, in the order of time but for what follows at once."""
        agent = self._staff[shop.id].pick(self._random.random())
        builder = ConversationBuilder(shop, customer, agent, self._numbers, live=True)
        if self._random.random() < 0.78:
            builder.add_event("assigned", scenes[0].times[0] + 1, user=agent.key)
        for scene in scenes[:-1]:
            builder.play(_steps(scene, customer))
            builder.add_event("resolved", scene.end)
        builder.play(_steps(scenes[-1], customer))
        self._label(builder, scenes[-1])
        self._end(builder, scenes[-1])
        return builder.events

    def _label(self, builder: ConversationBuilder, last: _ScheduledScene) -> None:
        """Label the conversation; most have no label."""
        chance = self._random.random
        titles = [title for title in last.labels if chance() < 0.3]
        while chance() < 0.12:
            titles.append(self._labels.pick(chance()))
        for title in dict.fromkeys(titles):
            builder.add_event("labelled", last.times[-1], title=title, on=True)

    def _end(self, builder: ConversationBuilder, last: _ScheduledScene) -> None:
        """Resolve or snooze the conversation or leave it open; the recent ones are rather open."""
        chance = self._random.random
        age = (self._size.until - last.times[-1]) / DAY
        open_share = 0.5 if age < 2 else 0.2 if age < 10 else 0.015
        ending = chance()
        if ending < open_share:
            if chance() < 0.12:
                # A bot does not hand over what a person has just answered.
                if not _is_answered(last.steps):
                    builder.add_event("bot_handoff", last.end)
            elif chance() < 0.4:
                builder.add_event("read_marker", last.end, until=last.times[-1])
        elif ending < open_share + 0.007:
            hours = None if chance() < 0.3 else int(chance() * 720)
            until = None if hours is None else self._size.until + (24 + hours) * HOUR
            builder.add_event("snoozed", last.end, until=until)
        else:
            builder.add_event("resolved", last.end)
            if chance() < 0.8:
                builder.add_event("read_marker", last.end, until=last.times[-1])


def _is_answered(steps: Sequence[ScriptStep]) -> bool:
    """True if the last message is a person's."""
    authors = [step.author for step in steps if step.kind == "message"]
    return authors[-1:] in (["user"], ["phone"])


def _steps(scene: _ScheduledScene, customer: Customer) -> Iterator[ScriptStep]:
    """The steps as they are played: with few notes and reactions, and the customer's name."""
    for step, at in zip(scene.steps, scene.times, strict=True):
        if (step.kind == "note" and at % 10) or (step.kind == "reaction" and at % 3):
            continue
        contents = step.contents
        if contents is not None and contents.text is not None and _FIRST_NAME in contents.text:
            text = address(contents.text, customer.first, _FIRST_NAME)
            contents = contents._replace(text=text)
        text = address(step.text, customer.first, _FIRST_NAME)
        status = "read" if at % 4 else "delivered"
        yield step._replace(at=at, text=text, contents=contents, status=status)


def _render_all(script: Script, shop: Shop, random: Random) -> tuple[RenderedScene, ...]:
    return tuple(
        _render(scene, script, shop, random) for _ in range(_TAKES) for scene in script.scenes
    )


def _render(scene: ScriptScene, script: Script, shop: Shop, random: Random) -> RenderedScene:
    customer = Customer(Person("+10"), None, _FIRST_NAME, shop.language)
    slots = script.values(customer, AGENTS[0], shop, random.random)
    # The values of a template are part of its contents, in which no name is replaced.
    nameless = {**slots, "first": ""}
    steps: list[ScriptStep] = []
    for line, at in zip(scene.lines, schedule(scene.lines, random), strict=True):
        text = line.text(random.random, slots)
        number = random.randrange(1_000_000)
        steps.append(render(line, at, text, nameless, shop, number)._replace(number=0))
    return RenderedScene(scene.labels, tuple(steps), sum(step.kind == "message" for step in steps))
