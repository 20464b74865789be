"""Scenes of the sample, filled beforehand: played again and again, they cost little."""

from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

from frontdesk.ingest.events import Person
from frontdesk.ingest.sample.catalogue import COLLEAGUES, Shop
from frontdesk.ingest.sample.content import Part, contents, error
from frontdesk.ingest.sample.people import Customer
from frontdesk.ingest.sample.script import AUTHORS, Line, Scene
from frontdesk.ingest.sample.stage import timetable
from frontdesk.ingest.sample.visits import Repertoire, slots

# So many fillings of every scene.
TAKES = 6
# Stands for the customer's first name, which no reel knows.
FIRST_NAME = "\x01"
_ASIDES = {"#": "note", "+": "reaction", "!": "handoff"}


class Step(NamedTuple):
    """One thing that happens. at: milliseconds after the scene's beginning.

    kind: "message", "note", "reaction" (text is the emoji) or "handoff". author: as on the wire.
    """

    kind: str
    at: int
    author: str
    outbound: bool
    type: str
    text: str | None
    content: Mapping[str, Any] | None
    media: Mapping[str, Any] | None
    failure: Mapping[str, Any] | None


class Reel(NamedTuple):
    """A scene that can be played. messages: how many of its steps are messages."""

    labels: tuple[str, ...]
    steps: tuple[Step, ...]
    messages: int
    handoff: bool


def reels(repertoire: Repertoire, shop: Shop, random: Random) -> tuple[Reel, ...]:
    """Several takes of every scene that a number's customers play."""
    return tuple(
        _reel(scene, repertoire.choices, shop, random)
        for _ in range(TAKES)
        for scene in repertoire.scenes
    )


def _reel(
    scene: Scene, choices: Mapping[str, tuple[str, ...] | Any], shop: Shop, random: Random
) -> Reel:
    nobody = Customer(Person("+10"), None, FIRST_NAME, shop.language)
    filled = slots(choices, nobody, COLLEAGUES[0], shop, random.random)
    times = timetable(scene.lines, random, 1.0)
    steps = tuple(
        _step(line, at, filled, shop, random)
        for line, at in zip(scene.lines, times, strict=True)
        if line.kind != "reaction"
    )
    messages = sum(step.kind == "message" for step in steps)
    handoff = any(step.kind == "handoff" for step in steps)
    return Reel(scene.labels, steps, messages, handoff)


def _step(line: Line, at: int, filled: dict[str, str], shop: Shop, random: Random) -> Step:
    text = line.texts[int(random.random() * len(line.texts))].format_map(filled)
    kind = _ASIDES.get(line.mark, "message")
    if kind != "message":
        return Step(kind, at, "", False, "", text, None, None, None)
    type_, told, content, media = "text", text or None, None, None
    if line.kind:
        # What a template was filled with is part of its contents: there nobody is called by name.
        named = {**filled, "first": "👋"}
        part = Part(
            line.kind,
            line.argument.format_map(named),
            text,
            named,
            shop,
            int(random.random() * 1e6),
        )
        type_, told, content, media = contents(part)
    return Step(
        kind,
        at,
        AUTHORS[line.mark],
        line.mark not in ">~",
        type_,
        told,
        content,
        media,
        error(line.failure) if line.failure else None,
    )
