"""Parses the scripts of sample conversations.

A script is a text file in `scripts/`. It begins with the values of its slots, of which one is
drawn for each conversation:

    hi: Hello | Good morning

A scene opens with `== Title | label, label`. Each other line is one thing that happens. The first
character says who does it:

    > the customer       < the agent         @ the AI agent      ^ the Business app on a phone
    % a campaign         $ the API           & an automation     = an in-store kiosk
    ~ the system         # a note            + a reaction to the line before, by the other side
    ! an event of the conversation

A digit after this mark quotes the message that many messages back; a reaction is to that message,
without a digit to the last one. Square brackets hold the type of a message that is not text, with
its argument, or a flag: `[image photo.jpg]`, `[forwarded]`, `[ad]`, `[failed 131026]`. A message as
WhatsApp describes it is in them as JSON. ` // ` separates texts of which one is chosen. `{slots}`
are filled in, but in JSON.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from random import Random
from typing import NamedTuple

from frontdesk.sample.catalogue import Agent, Shop
from frontdesk.sample.people import Customer

AUTHORS = {
    ">": "contact",
    "<": "user",
    "@": "ai_agent",
    "^": "phone",
    "%": "campaign",
    "$": "api",
    "&": "automation",
    "=": "kiosk",
    "~": "system",
}
NOTE, REACTION, EVENT = "#", "+", "!"
# Marks of lines that are not messages.
ANNOTATIONS = NOTE + REACTION + EVENT
INBOUND = ">~"

# Kind of a message that is described as WhatsApp does, in JSON.
AS_WHATSAPP = "whatsapp"
_JSON = json.JSONDecoder()
_FLAGS = frozenset(("forwarded", "ad"))
_SIZES = ("XS", "S", "M", "L", "XL", "38", "40", "42")
# The authors of the last line of a conversation that is still open.
_LAST_AUTHORS = {"waiting": ">", "answered": "<@"}


def address(text: str, first: str, slot: str = "{first}") -> str:
    """A text with the customer's first name in place of `slot`; without one, it addresses nobody.

    >>> address("Updated, {first}.", ""), address("{first}, here it is", "")
    ('Updated.', 'Here it is')
    """
    if first or slot not in text:
        return text.replace(slot, first)
    if text.startswith(f"{slot}, "):
        text = text.removeprefix(f"{slot}, ")
        text = text[:1].upper() + text[1:]
    return text.replace(f", {slot}", "").replace(f" {slot}", "")


class ScriptLine(NamedTuple):
    """One line of a scene. kind: "" for plain text. back: messages back that it quotes, or 0."""

    mark: str
    back: int
    kind: str
    argument: str
    texts: tuple[str, ...]
    failure: int = 0
    forwarded: bool = False
    from_ad: bool = False

    @property
    def is_message(self) -> bool:
        """True unless it is a note, a reaction or an event."""
        return self.mark not in ANNOTATIONS

    def text(self, chance: Callable[[], float], values: Mapping[str, str]) -> str:
        """One of the texts with its slots filled in."""
        texts = self.texts
        text = texts[0] if len(texts) == 1 else texts[int(chance() * len(texts))]
        return address(text, values["first"]).format_map(values) if "{" in text else text


class ScriptScene(NamedTuple):
    """One visit of a customer, from the first message to the end of the matter."""

    title: str
    labels: tuple[str, ...]
    lines: tuple[ScriptLine, ...]

    @property
    def handoff(self) -> int:
        """The position of the line in which a bot hands over to a person, or -1."""
        return next((i for i, line in enumerate(self.lines) if line.mark == EVENT), -1)

    def until(self, ending: str, random: Random) -> tuple[ScriptLine, ...]:
        """The lines up to where the conversation is now.

        ending: "waiting" ends with the customer, "answered" with the shop, "awaiting" with a bot
        that asks for a person; all others play the whole scene.
        """
        if ending == "awaiting":
            return self.lines[: self.handoff + 1]
        authors = _LAST_AUTHORS.get(ending, "")
        ends = [
            position
            for position, line in enumerate(self.lines)
            if line.mark in authors and not line.failure
        ]
        if not ends:
            return self.lines
        # Late rather than early in the scene, so that there is something to read.
        return self.lines[: ends[int(random.random() ** 0.4 * len(ends))] + 1]


class Script(NamedTuple):
    """The scenes of a file and the values of its slots."""

    scenes: tuple[ScriptScene, ...]
    slots: Mapping[str, Sequence[str]]

    def with_handoff(self) -> tuple[ScriptScene, ...]:
        """The scenes in which a bot hands over to a person."""
        return tuple(scene for scene in self.scenes if scene.handoff >= 0)

    def values(
        self, customer: Customer, agent: Agent, shop: Shop, chance: Callable[[], float]
    ) -> dict[str, str]:
        """One value for each slot, for one visit."""
        values = {name: texts[int(chance() * len(texts))] for name, texts in self.slots.items()}
        number, size = int(chance() * 90_000), int(chance() * 7)
        units, cents = 9 + number % 160, ("00", "50", "90")[number % 3]
        point = "." if shop.language == "en" else ","
        values["first"] = customer.first
        values["agent"] = agent.name
        values["order"] = f"VD-{10_000 + number}"
        values["tracking"] = f"LX{1_000_000 + number * 97}"
        values["code"] = f"{1000 + number % 9000}"
        values["amount"] = shop.money.format(f"{units}{point}{cents}")
        values["cents"] = f"{units}{cents}"
        values["time"] = f"{12 + number % 8}:{('00', '15', '30')[number % 3]}"
        values["qty"] = str(6 + number % 11 * 3)
        values["qty2"] = str(2 + number % 7)
        values["size"], values["size2"] = _SIZES[size], _SIZES[size + 1]
        return values


def load_scripts() -> dict[str, Script]:
    """All scripts by the names of their files; guests write to a shop that speaks English."""
    folder = files(__package__) / "scripts"
    scripts = {
        name: parse((folder / f"{name}.txt").read_text(encoding="utf-8"))
        for name in ("en", "es", "pt", "wholesale", "guests", "first")
    }
    for name in ("guests", "first"):
        scripts[name] = scripts[name]._replace(slots=scripts["en"].slots)
    return scripts


def parse(script: str) -> Script:
    """The scenes and slots of a script, in their order."""
    head, *scenes = script.split("\n== ")
    slots: dict[str, Sequence[str]] = {}
    for line in head.splitlines():
        name, separator, values = line.partition(": ")
        if separator and not line.startswith("#"):
            slots[name] = tuple(values.split(" | "))
    return Script(tuple(map(_scene, scenes)), slots)


def _scene(part: str) -> ScriptScene:
    heading, _, body = part.partition("\n")
    title, _, labels = heading.partition(" | ")
    lines = tuple(_line(text) for text in body.splitlines() if text)
    return ScriptScene(title, tuple(labels.split(", ")) if labels else (), lines)


def _line(text: str) -> ScriptLine:
    mark, rest = text[0], text[1:]
    back = int(rest[0]) if rest[:1].isdigit() else 0
    words = rest[1 if back else 0 :].strip()
    kind = argument = ""
    failure, flags = 0, set()
    if words.startswith("[{"):
        described, end = _JSON.raw_decode(words, 1)
        kind, argument = AS_WHATSAPP, json.dumps(described)
        words = words[end + 1 :].lstrip()
    while words.startswith("["):
        inside, _, words = words[1:].partition("]")
        words = words.lstrip()
        name, _, value = inside.partition(" ")
        if name == "failed":
            failure = int(value)
        elif name in _FLAGS:
            flags.add(name)
        else:
            kind, argument = name, value
    texts = tuple(words.split(" // "))
    return ScriptLine(
        mark, back, kind, argument, texts, failure, "forwarded" in flags, "ad" in flags
    )
