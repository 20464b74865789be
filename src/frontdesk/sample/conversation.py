"""Turns lines of a script into the events of one conversation."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any, Literal, NamedTuple

from frontdesk.ingest.events import (
    Author,
    ConversationEvent,
    DomainEvent,
    MessageUpsert,
    NoteUpsert,
    ReactionSet,
    StatusUpdate,
)
from frontdesk.sample.catalogue import Agent, Shop
from frontdesk.sample.contents import FilledLine, SampleContents, contents, error
from frontdesk.sample.people import Customer
from frontdesk.sample.script import AS_WHATSAPP, AUTHORS, INBOUND, NOTE, REACTION, ScriptLine

_NAMES = {"ai_agent": "Luma", "campaign": "Spring arrivals", "kiosk": "Riverside lockers"}
_AUTHORS = {kind: Author(kind, None, _NAMES.get(kind)) for kind in AUTHORS.values()}
# Category, whether billable, model and type of what is sent, by author.
_PRICING = {
    "campaign": ("marketing", True, "PMP", "regular"),
    "automation": ("utility", True, "PMP", "regular"),
}
_SERVICE = ("service", False, "PMP", "free_customer_service")
_REFERRAL = {
    "source_type": "ad",
    "source_id": "120210000000042",
    "source_url": "https://ads.example/veldrano-spring",
    "headline": "Made for weather",
    "body": "The new season is in the shops and online.",
}

# Seconds before a line: the least, and the most that chance adds.
_PAUSES = {
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
_SAME_SPEAKER = (12, 60)
# Milliseconds from a message to each of its delivery statuses.
_STATUSES = (("sent", 1000), ("delivered", 2000), ("read", 9000))


class ScriptStep(NamedTuple):
    """A line with its slots filled in, and when it happens.

    at: milliseconds, since the beginning of the scene or of the epoch. text: of a reaction, its
    emoji. number: of the message, or 0 where it gets one when it is added to a conversation.
    status: of an outbound message, how far its delivery came.
    """

    kind: Literal["message", "note", "reaction", "handoff"]
    at: int
    text: str
    author: str = ""
    outbound: bool = False
    contents: SampleContents | None = None
    failure: Mapping[str, Any] | None = None
    back: int = 0
    forwarded: bool = False
    from_ad: bool = False
    number: int = 0
    status: str = "read"


def schedule(lines: Sequence[ScriptLine], random: Random, pace: float = 1.0) -> list[int]:
    """Times of the lines: milliseconds after the first, strictly rising, in whole seconds."""
    times = [0]
    for before, line in pairwise(lines):
        least, more = _SAME_SPEAKER if line.mark == before.mark else _PAUSES[line.mark]
        gap = 1 + int((least + more * random.random() ** 2) * pace)
        times.append(times[-1] + 1000 * gap)
    return times


def render(
    line: ScriptLine, at: int, text: str, slots: Mapping[str, str], shop: Shop, number: int
) -> ScriptStep:
    """The step of a line. `text` is the one of its texts that was chosen."""
    if line.mark == NOTE:
        return ScriptStep("note", at, text)
    if line.mark == REACTION:
        return ScriptStep("reaction", at, text)
    if not line.is_message:
        return ScriptStep("handoff", at, "")
    is_json = line.kind == AS_WHATSAPP or "{" not in line.argument
    argument = line.argument if is_json else line.argument.format_map(slots)
    return ScriptStep(
        "message",
        at,
        text,
        AUTHORS[line.mark],
        line.mark not in INBOUND,
        _contents(FilledLine(line.kind, argument, text, slots, shop, number)),
        error(line.failure) if line.failure else None,
        line.back,
        line.forwarded,
        line.from_ad,
        number,
    )


def _contents(part: FilledLine) -> SampleContents:
    if not part.kind:
        return SampleContents("text", part.text)
    if part.kind == "reaction":
        return SampleContents("reaction", None, {"emoji": part.argument, "removed": False})
    return contents(part)


class ConversationBuilder:
    """Collects the events of one conversation in `events`, oldest first.

    live: messages arrive as they happen, so that one of the customer's opens a resolved
    conversation again; otherwise they are history.
    """

    def __init__(
        self,
        shop: Shop,
        customer: Customer,
        agent: Agent,
        numbers: Iterator[int],
        *,
        live: bool = False,
    ) -> None:
        self.events: list[DomainEvent] = []
        self._channel = shop.id
        self._customer = customer
        self._agent = Author("user", agent.key, agent.name)
        self._numbers = numbers
        self._live = live
        self._messages: list[MessageUpsert] = []

    def play(self, steps: Iterable[ScriptStep], *, every_status: bool = False) -> None:
        """Add steps whose times are epoch milliseconds.

        every_status: messages go through all delivery statuses; otherwise they have the last one.
        """
        for step in steps:
            match step.kind:
                case "message":
                    self._add_message(step, every_status=every_status)
                case "note":
                    self._add_note(step.text, step.at)
                case "reaction":
                    last = self._messages[-1]
                    self._react(step.text, step.at, last.wamid, outbound=not last.outbound)
                case "handoff":
                    self.add_event("bot_handoff", step.at)

    def add_event(self, name: str, at: int, **value: Any) -> None:
        """Add an event of the conversation itself, such as "assigned" or "resolved"."""
        event_id = f"sample-event-{next(self._numbers)}"
        person = self._customer.person
        self.events.append(ConversationEvent(self._channel, person, event_id, at, name, value))

    def _add_note(self, text: str, at: int) -> None:
        note_id = f"sample-note-{next(self._numbers)}"
        person = self._customer.person
        self.events.append(NoteUpsert(self._channel, person, note_id, at, text, self._agent))

    def _react(self, emoji: str, at: int, target: str | None, *, outbound: bool) -> None:
        person = self._channel if outbound else self._customer.person.wa_id or "hidden"
        author = "user" if outbound else "contact"
        self.events.append(
            ReactionSet(self._channel, target or "", person, emoji, at, outbound, author)
        )

    def _add_message(self, step: ScriptStep, *, every_status: bool) -> None:
        message = self._message(step, every_status=every_status)
        self.events.append(message)
        if message.type == "reaction":
            # The row of the reaction, and the reaction to its message.
            content = message.content or {}
            self._react(content["emoji"], step.at, content["target_wamid"], outbound=step.outbound)
            return
        self._messages.append(message)
        if step.failure:
            self._add_status(message, step.at + 1000, "failed", step.failure)
        elif every_status and step.outbound:
            for status, delay in _STATUSES:
                self._add_status(message, step.at + delay, status)
                if status == step.status:
                    break

    def _message(self, step: ScriptStep, *, every_status: bool) -> MessageUpsert:
        assert step.contents is not None
        type_, text, content, media = step.contents
        wamid = f"wamid.SAMPLE{step.number or next(self._numbers):08X}"
        quoted = self._messages[-step.back].wamid if 0 < step.back <= len(self._messages) else None
        if type_ == "reaction":
            target, quoted = quoted or self._messages[-1].wamid, None
            content = {**(content or {}), "target_message_id": None, "target_wamid": target}
        return MessageUpsert(
            self._channel,
            self._customer.person,
            wamid,
            step.at,
            step.outbound,
            self._agent if step.author == "user" else _AUTHORS[step.author],
            type_,
            "echo" if step.author == "phone" else "webhook",
            text,
            content,
            media,
            quoted,
            "once" if step.forwarded else None,
            _REFERRAL if step.from_ad else None,
            step.status if step.outbound and not step.failure and not every_status else None,
            live=self._live,
        )

    def _add_status(
        self, message: MessageUpsert, at: int, status: str, why: Mapping[str, Any] | None = None
    ) -> None:
        assert message.wamid is not None
        person = self._customer.person
        self.events.append(
            StatusUpdate(
                self._channel,
                person,
                message.wamid,
                at,
                status,
                why,
                self._live,
                *_PRICING.get(message.author.kind, _SERVICE),
            )
        )
