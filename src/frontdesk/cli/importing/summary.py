"""Formats an import's result as text."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from frontdesk.text import clean, one_line

if TYPE_CHECKING:
    from frontdesk.ingest.archive.importer import Outcome

_ALWAYS = ("messages", "statuses", "conversations", "contacts", "channels")
# Shown only if not zero; "happenings" are called events.
_IF_ANY = {
    "reactions": "reactions",
    "amendments": "edits and revocations",
    "notes": "notes",
    "happenings": "conversation events",
    "catalogue": "labels, users and other catalogues",
}


def summary(outcome: "Outcome") -> Iterator[str]:
    """Yield the lines after the first: new, changed, known, ignored and rejected."""
    applied = outcome.applied
    for name in _ALWAYS:
        tally = getattr(applied, name)
        changed = f", {tally.changed:,} completed" if tally.changed else ""
        # Contacts and channels occur in every line, so known ones are not reported.
        told = name in ("messages", "statuses")
        known = f", {tally.known:,} already known" if told else ""
        yield f"{name}: {tally.new:,} new{changed}{known}"
    for name, words in _IF_ANY.items():
        tally = getattr(applied, name)
        if tally.new or tally.changed or tally.known:
            changed = f", {tally.changed:,} changed" if tally.changed else ""
            yield f"{words}: {tally.new:,} new{changed}, {tally.known:,} already known"
    passed_over = set(unknown_channels(outcome.ignored))
    ignored = {kind: n for kind, n in outcome.ignored.items() if kind not in passed_over}
    if applied.ignored:
        ignored["status of no known message"] = applied.ignored
    if ignored:
        kinds = (f"{count:,} {clean(kind)}" for kind, count in sorted(ignored.items()))
        yield f"ignored: {', '.join(kinds)}"
    yield from unknown_channels(outcome.ignored).values()
    partly = f", {outcome.partly:,} of them in part" if outcome.partly else ""
    yield f"rejected: {counted(outcome.rejected, 'line')}{partly}"


def unknown_channels(ignored: Mapping[str, int]) -> dict[str, str]:
    """Return {kind: message} for skipped elements of unknown channels."""
    from frontdesk.ingest.admission import UNKNOWN_CHANNEL

    found = {}
    for kind, count in sorted(ignored.items()):
        name, _, number = kind.partition(" ")
        if name == UNKNOWN_CHANNEL:
            found[kind] = f"{name}: {count:,} of {one_line(clean(number))}, which is no channel"
    return found


def counted(count: int, noun: str) -> str:
    """
    >>> counted(1, "line"), counted(2000, "line")
    ('1 line', '2,000 lines')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
