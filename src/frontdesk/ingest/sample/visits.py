"""Visits: scenes chosen, cut where they are to end, and filled with names, numbers and amounts."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from frontdesk.ingest.sample import english, portuguese, spanish, wholesale
from frontdesk.ingest.sample.catalogue import Colleague, Shop
from frontdesk.ingest.sample.people import Customer
from frontdesk.ingest.sample.script import Line, Scene, scenes

SIZES = ("XS", "S", "M", "L", "XL", "38", "40", "42")
# Lines that are no message of their own.
ASIDES = "#+!"
# Whose line a conversation ends with that is not over.
ENDS = {"waiting": ">", "answered": "<@"}


class Repertoire(NamedTuple):
    """What can be played in a language, and what fills the slots."""

    scenes: tuple[Scene, ...]
    choices: Mapping[str, Sequence[str]]

    def with_handoff(self) -> tuple[Scene, ...]:
        """The scenes in which a bot hands over to a person."""
        return tuple(scene for scene in self.scenes if scene.handoff >= 0)


def repertoires() -> dict[str, Repertoire]:
    """By language; `trade` is the long thread, `guest` those who write in other languages."""
    return {
        "en": Repertoire(scenes(english.SCENES), english.CHOICES),
        "es": Repertoire(scenes(spanish.SCENES), spanish.CHOICES),
        "pt": Repertoire(scenes(portuguese.SCENES), portuguese.CHOICES),
        "trade": Repertoire(scenes(wholesale.SCENES), wholesale.CHOICES),
        "guest": Repertoire(scenes(wholesale.OTHERS), english.CHOICES),
    }


def messages(lines: Sequence[Line]) -> int:
    """How many messages lines make."""
    return sum(line.mark not in ASIDES for line in lines)


def cut(scene: Scene, ending: str, random: Random) -> tuple[Line, ...]:
    """The scene up to where the conversation stands now.

    waiting ends with the customer, answered with us, awaiting with a bot that asks for a person.
    """
    lines = scene.lines
    if ending == "awaiting":
        return lines[: scene.handoff + 1]
    if ending not in ENDS:
        return lines
    places = [i for i, line in enumerate(lines) if line.mark in ENDS[ending] and not line.failure]
    if not places:
        return lines
    # Rather late than early in the scene, so that there is something to read.
    return lines[: places[int(random.random() ** 0.4 * len(places))] + 1]


def slots(
    choices: Mapping[str, Sequence[str]],
    customer: Customer,
    agent: Colleague,
    shop: Shop,
    chance: Callable[[], float],
) -> dict[str, str]:
    """One filling of all slots, for one visit."""
    filled = {name: values[int(chance() * len(values))] for name, values in choices.items()}
    number, size = int(chance() * 90_000), int(chance() * 7)
    euros, cents = 9 + number % 160, ("00", "50", "90")[number % 3]
    point = "." if shop.language == "en" else ","
    filled["first"] = customer.first
    filled["agent"] = agent.name
    filled["order"] = f"VD-{10_000 + number}"
    filled["tracking"] = f"LX{1_000_000 + number * 97}"
    filled["code"] = f"{1000 + number % 9000}"
    filled["amount"] = shop.money.format(f"{euros}{point}{cents}")
    filled["time"] = f"{12 + number % 8}:{('00', '15', '30')[number % 3]}"
    filled["qty"] = str(6 + number % 11 * 3)
    filled["qty2"] = str(2 + number % 7)
    filled["size"], filled["size2"] = SIZES[size], SIZES[size + 1]
    return filled
