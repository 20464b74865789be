"""Performs planned conversations: puts visits in their place in time and what surrounds them."""

from collections.abc import Sequence
from itertools import count
from operator import attrgetter
from random import Random
from typing import NamedTuple

from frontdesk.ingest.events import DomainEvent
from frontdesk.ingest.sample.catalogue import WHOLESALE
from frontdesk.ingest.sample.people import known
from frontdesk.ingest.sample.plan import DAY, HOUR, Plan
from frontdesk.ingest.sample.script import Line, Scene
from frontdesk.ingest.sample.stage import Stage, timetable
from frontdesk.ingest.sample.visits import ASIDES, Repertoire, cut, messages, repertoires, slots

# Conversations whose messages tell their delivery step by step; of the others only the last step.
CLOSELY_WATCHED = 60
LONG_THREAD = 3_000
# The share of a scene's notes that somebody took the time to write.
NOTED = 0.4
BY_TIME = attrgetter("at")


class Visit(NamedTuple):
    """Lines, when the first happens (epoch milliseconds) and how much later each of them does."""

    lines: Sequence[Line]
    start: int
    times: Sequence[int]

    @property
    def end(self) -> int:
        """When the last line happens."""
        return self.start + self.times[-1]


class Theatre:
    """All performances of one sample. moment: its now, epoch milliseconds of a whole second."""

    def __init__(self, random: Random, moment: int) -> None:
        self._random = random
        self._moment = moment
        self._numbers = count(1)
        self._repertoires = repertoires()

    def perform(self, plan: Plan) -> list[DomainEvent]:
        """Everything of one conversation, in the order of time."""
        stage = Stage(plan.shop, plan.customer, plan.agent, self._numbers)
        repertoire = self._repertoire(plan)
        programme = self._programme(plan, repertoire)
        visits = self._place(plan, programme)
        if not plan.known:
            stage.events.append(known(plan.customer, self._random, visits[0].start - 2000))
        for visit in visits[:-1]:
            self._play(stage, plan, repertoire, visit, fresh=False)
            stage.happen("resolved", visit.end + 600_000)
        self._play(stage, plan, repertoire, visits[-1], fresh=plan.place < CLOSELY_WATCHED)
        self._file(stage, plan, programme[-1][0], visits)
        self._settle(stage, plan, visits[-1])
        stage.events.sort(key=BY_TIME)
        return stage.events

    def _repertoire(self, plan: Plan) -> Repertoire:
        if plan.visits == 0:
            return self._repertoires["trade"]
        guest = plan.customer.guest >= 0
        return self._repertoires["guest" if guest else plan.customer.language]

    def _programme(self, plan: Plan, repertoire: Repertoire) -> list[tuple[Scene, Sequence[Line]]]:
        """The scenes of a conversation with the lines of them that are played, oldest first."""
        if plan.visits == 0:
            return self._long_programme(repertoire)
        if plan.customer.guest >= 0:
            scene = repertoire.scenes[plan.customer.guest]
            ending = "waiting" if plan.ending == "awaiting" else plan.ending
            return [(scene, cut(scene, ending, self._random))]
        stock = repertoire.scenes
        first = int(self._random.random() * len(stock))
        chosen = [stock[(first + 5 * number) % len(stock)] for number in range(plan.visits)]
        if plan.ending == "awaiting":
            chosen[-1] = self._random.choice(repertoire.with_handoff())
        whole: list[tuple[Scene, Sequence[Line]]] = [(scene, scene.lines) for scene in chosen]
        whole[-1] = chosen[-1], cut(chosen[-1], plan.ending, self._random)
        return whole

    def _long_programme(self, repertoire: Repertoire) -> list[tuple[Scene, Sequence[Line]]]:
        """Exactly `LONG_THREAD` messages; the oldest scene is joined in the middle."""
        stock, total = repertoire.scenes, 0
        latest_first: list[tuple[Scene, Sequence[Line]]] = []
        while total < LONG_THREAD:
            scene = stock[int(self._random.random() * len(stock))]
            latest_first.append((scene, scene.lines))
            total += messages(scene.lines)
        scene, lines = latest_first[-1]
        while total > LONG_THREAD or lines[0].mark in ASIDES:
            total -= lines[0].mark not in ASIDES
            lines = lines[1:]
        latest_first[-1] = scene, lines
        return latest_first[::-1]

    def _place(self, plan: Plan, programme: Sequence[tuple[Scene, Sequence[Line]]]) -> list[Visit]:
        """The visits in time, oldest first: the last ends `plan.age` seconds ago."""
        usual = 365 * DAY / len(programme) if plan.visits == 0 else 6 * DAY
        pace = 0.2 if plan.visits == 0 else 1.0
        visits, end = [], self._moment - plan.age * 1000
        for _, lines in reversed(programme):
            times = timetable(lines, self._random, pace)
            visits.append(Visit(lines, end - times[-1], times))
            gap = HOUR + int(usual * (0.1 + 1.7 * self._random.random()))
            end = visits[-1].start - 1000 * gap
        return visits[::-1]

    def _play(
        self, stage: Stage, plan: Plan, repertoire: Repertoire, visit: Visit, *, fresh: bool
    ) -> None:
        stage.happen("opened", visit.start - 1000)
        chance = self._random.random
        filled = slots(repertoire.choices, plan.customer, plan.agent, plan.shop, chance)
        for line, after in zip(visit.lines, visit.times, strict=True):
            if line.mark == "#" and chance() > NOTED:
                continue
            texts = line.texts
            text = texts[0] if len(texts) == 1 else texts[int(chance() * len(texts))]
            if "{" in text:
                text = text.format_map(filled)
            reached = "read" if chance() < 0.75 else "delivered"
            stage.play(line, visit.start + after, text, filled, None if fresh else reached)
            if fresh and line.mark not in ASIDES:
                stage.deliver(reached)

    def _file(self, stage: Stage, plan: Plan, scene: Scene, visits: Sequence[Visit]) -> None:
        """Give the conversation to its agent, and label it."""
        if plan.assigned:
            stage.happen("assigned", visits[0].start, user=plan.agent.key)
        titles = [title for title in scene.labels if self._random.random() < 0.85]
        rare = self._random.random()
        titles += ["vip"] if rare < 0.06 else ["press"] if rare > 0.98 else []
        titles += ["wholesale"] if plan.shop is WHOLESALE else []
        for title in titles:
            stage.happen("labelled", visits[-1].end, title=title, on=True)

    def _settle(self, stage: Stage, plan: Plan, visit: Visit) -> None:
        """Bring the conversation to where it stands now."""
        at = visit.end + 1000 * min(900, plan.age // 2)
        if plan.ending == "resolved":
            stage.happen("read_marker", at, until=visit.end)
            stage.happen("resolved", at)
        elif plan.ending == "snoozed":
            hours = 2 + int(self._random.random() * 90)
            until = None if plan.place % 3 == 0 else self._moment + hours * HOUR * 1000
            stage.happen("snoozed", at, until=until)
        elif plan.place % 5 < 2:
            stage.happen("read_marker", at, until=visit.end)
        elif plan.place % 5 < 4:
            stage.happen("read_marker", visit.start - 1000, until=visit.start - 1000)
