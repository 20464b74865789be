"""Plays scenes: lines of a script become the events of one conversation, in the order of time."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from frontdesk.ingest.events import (
    Author,
    ConversationEvent,
    DomainEvent,
    MessageUpsert,
    NoteUpsert,
    ReactionSet,
    StatusUpdate,
)
from frontdesk.ingest.sample.catalogue import Colleague, Shop
from frontdesk.ingest.sample.content import Contents, Part, contents, error
from frontdesk.ingest.sample.people import Customer
from frontdesk.ingest.sample.script import AUTHORS, Line

NAMES = {"ai_agent": "Luma", "campaign": "Spring arrivals", "kiosk": "Riverside lockers"}
AUTHOR_OF = {mark: Author(kind, None, NAMES.get(kind)) for mark, kind in AUTHORS.items()}
REFERRAL = {
    "source_type": "ad",
    "source_id": "120210000000042",
    "source_url": "https://ads.example/veldrano-spring",
    "headline": "Made for weather",
    "body": "The new season is in the shops and online.",
}

# Seconds that pass before a line: at least, and at most that many more.
PACE = {
    ">": (25, 700),
    "<": (70, 900),
    "@": (4, 6),
    "^": (120, 1500),
    "%": (60, 600),
    "$": (60, 600),
    "&": (3, 20),
    "=": (1800, 7200),
    "#": (40, 200),
    "+": (15, 90),
    "~": (20, 60),
    "!": (2, 3),
}
SAME_SPEAKER = (12, 60)
# Milliseconds from a message to each of its delivery steps.
STEPS = (("sent", 1000), ("delivered", 2000), ("read", 9000))


def timetable(lines: Sequence[Line], chance: Random, pace: float) -> list[int]:
    """When each line happens: milliseconds after the first, strictly rising, in whole seconds."""
    times = [0]
    for before, line in pairwise(lines):
        least, more = SAME_SPEAKER if line.mark == before.mark else PACE[line.mark]
        gap = 1 + int((least + more * chance.random() ** 2) * pace)
        times.append(times[-1] + 1000 * gap)
    return times


class Stage:
    """One conversation while it is played; `events` is what has happened, oldest first."""

    def __init__(
        self, shop: Shop, customer: Customer, agent: Colleague, numbers: Iterator[int]
    ) -> None:
        self.shop = shop
        self.customer = customer
        self.agent = agent
        self.events: list[DomainEvent] = []
        self._numbers = numbers
        self._author = Author("user", agent.key, agent.name)
        self._said: list[MessageUpsert] = []
        self._lost: set[str] = set()

    def play(
        self,
        line: Line,
        at: int,
        text: str,
        slots: Mapping[str, str],
        status: str | None,
    ) -> None:
        """Let one line happen. status: how far it came if it is a message of ours; None untold."""
        match line.mark:
            case "#":
                self._note(text, at)
            case "+":
                self._react(text, at, outbound=not self._said[-1].outbound)
            case "!":
                self.happen("bot_handoff", at)
            case _:
                self._say(line, at, text, slots, status)

    def happen(self, name: str, at: int, **value: Any) -> None:
        """Something happened to the conversation besides messages."""
        name_of_it = f"sample-event-{next(self._numbers)}"
        self.events.append(
            ConversationEvent(self.shop.id, self.customer.person, name_of_it, at, name, value)
        )

    def deliver(self, reached: str) -> None:
        """Tell every delivery step of the newest message, up to `reached`, if it is ours."""
        message = self._said[-1]
        if not message.outbound or message.wamid is None or message.wamid in self._lost:
            return
        for step, delay in STEPS:
            self._status(message.wamid, message.at + delay, step)
            if step == reached:
                return

    def _note(self, text: str, at: int) -> None:
        name = f"sample-note-{next(self._numbers)}"
        person = self.customer.person
        self.events.append(NoteUpsert(self.shop.id, person, name, at, text, self._author))

    def _react(self, emoji: str, at: int, *, outbound: bool) -> None:
        target = self._said[-1].wamid or ""
        person = self.shop.id if outbound else self.customer.person.wa_id or "hidden"
        author = "user" if outbound else "contact"
        self.events.append(ReactionSet(self.shop.id, target, person, emoji, at, outbound, author))

    def _say(
        self, line: Line, at: int, text: str, slots: Mapping[str, str], status: str | None
    ) -> None:
        number = next(self._numbers)
        wamid = f"wamid.SAMPLE{number:08X}"
        outbound = line.mark not in ">~"
        type_, text_or_none, content, media = self._contents(line, text, slots, number)
        quoted = self._said[-line.back].wamid if 0 < line.back <= len(self._said) else None
        message = MessageUpsert(
            self.shop.id,
            self.customer.person,
            wamid,
            at,
            outbound,
            self._author if line.mark == "<" else AUTHOR_OF[line.mark],
            type_,
            "echo" if line.mark == "^" else "webhook",
            text_or_none,
            content,
            media,
            quoted,
            "once" if line.forwarded else None,
            REFERRAL if line.from_ad else None,
            status if outbound and not line.failure else None,
            live=False,
        )
        self._said.append(message)
        self.events.append(message)
        if line.failure:
            self._lost.add(wamid)
            self._status(wamid, at + 1000, "failed", error(line.failure))
        elif type_ == "reaction":
            self._fold(message)

    def _contents(
        self, line: Line, text: str, slots: Mapping[str, str], number: int
    ) -> Contents | tuple[str, str, None, None]:
        if not line.kind:
            return "text", text, None, None
        argument = line.argument
        if "{" in argument:
            argument = argument.format_map(slots)
        if line.kind == "reaction":
            return self._reaction(argument)
        return contents(Part(line.kind, argument, text, slots, self.shop, number))

    def _reaction(self, emoji: str) -> Contents:
        """A reaction as a row of its own; see `_fold` for its other half."""
        target = self._said[-1].wamid
        content = {"emoji": emoji, "removed": False}
        return Contents(
            "reaction", None, {**content, "target_message_id": None, "target_wamid": target}
        )

    def _fold(self, reaction: MessageUpsert) -> None:
        self._said.pop()
        emoji = (reaction.content or {})["emoji"]
        self._react(emoji, reaction.at, outbound=reaction.outbound)

    def _status(
        self, wamid: str, at: int, status: str, why: Mapping[str, Any] | None = None
    ) -> None:
        person = self.customer.person
        self.events.append(StatusUpdate(self.shop.id, person, wamid, at, status, why, live=False))
