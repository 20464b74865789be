"""Scenes: little scripts of conversations, read into lines that can be played.

A scene opens with `== Title | label, label`. Every other line is one thing that happens, and its
first character says who does it:

    > the customer       < the agent         @ the AI agent      ^ the Business app on a phone
    % a campaign         $ the API           & an automation     = an in-store kiosk
    ~ the system         # a note            + a reaction to the line before, by the other side
    ! something that happens to the conversation

A digit after the mark quotes the message so many messages back. Words in square brackets make the
message something else than text: `[image photo.jpg]`, `[failed 131026]`, `[forwarded]`, `[ad]`.
` // ` separates texts of which one is taken. `{slots}` are filled anew for every visit.
"""

from typing import NamedTuple

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

FLAGS = frozenset(("forwarded", "ad"))


class Line(NamedTuple):
    """One thing that happens. kind is "" for plain text; back counts messages, 0 quotes nothing."""

    mark: str
    back: int
    kind: str
    argument: str
    texts: tuple[str, ...]
    failure: int = 0
    forwarded: bool = False
    from_ad: bool = False


class Scene(NamedTuple):
    """What happens during one visit."""

    title: str
    labels: tuple[str, ...]
    lines: tuple[Line, ...]

    @property
    def handoff(self) -> int:
        """The position of the line in which a bot hands over to a person, or -1."""
        return next((i for i, line in enumerate(self.lines) if line.mark == "!"), -1)


def scenes(script: str) -> tuple[Scene, ...]:
    """All scenes of a script, in their order."""
    return tuple(_scene(part) for part in script.split("\n== ")[1:])


def _scene(part: str) -> Scene:
    heading, _, body = part.partition("\n")
    title, _, labels = heading.partition(" | ")
    lines = tuple(_line(text) for text in body.splitlines() if text)
    return Scene(title, tuple(labels.split(", ")) if labels else (), lines)


def _line(text: str) -> Line:
    mark, rest = text[0], text[1:]
    back = int(rest[0]) if rest[:1].isdigit() else 0
    words = rest[1 if back else 0 :].strip()
    kind = argument = ""
    failure, flags = 0, set()
    while words.startswith("["):
        inside, _, words = words[1:].partition("]")
        words = words.lstrip()
        name, _, value = inside.partition(" ")
        if name == "failed":
            failure = int(value)
        elif name in FLAGS:
            flags.add(name)
        else:
            kind, argument = name, value
    texts = tuple(words.split(" // "))
    return Line(mark, back, kind, argument, texts, failure, "forwarded" in flags, "ad" in flags)
