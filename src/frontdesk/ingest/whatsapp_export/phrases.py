"""Reads the phrases of WhatsApp's exports, in many languages, from `phrases.txt`."""

from collections import defaultdict
from collections.abc import Mapping
from importlib.resources import files


def _read() -> Mapping[str, list[str]]:
    phrases: defaultdict[str, list[str]] = defaultdict(list)
    text = (files(__package__) / "phrases.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        kind, _, listed = line.partition(": ")
        if listed and not line.startswith("#"):
            phrases[kind] += listed.split(" | ")
    return phrases


PHRASES = _read()
