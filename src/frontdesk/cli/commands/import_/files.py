"""Files of an import: opening, progress, rejected lines, summary; and the database it goes into."""

import io
import json
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import click

from frontdesk.cli.database import opened
from frontdesk.cli.progress import progress as count_progress
from frontdesk.errors import NothingRead, UnusableFile
from frontdesk.store.dsn import is_address
from frontdesk.system import private_files
from frontdesk.text.clean import clean, counted, one_line

if TYPE_CHECKING:
    from frontdesk.ingest.archive.importer import ImportOptions, ImportResult
    from frontdesk.ingest.archive.reader import RejectedLine
    from frontdesk.store.database import Database


REJECTED_SHOWN = 20
STANDARD_INPUT = "-"

# Called with the bytes read of the current file, and the lines imported from all files.
Advance = Callable[[int, int], object]


def check(files: tuple[str, ...]) -> None:
    """Check that all files can be opened, before anything is changed."""
    for name in files:
        if name != STANDARD_INPUT:
            path = Path(name)
            reason = None
            if not path.exists():
                reason = "there is no such file"
            elif path.is_dir():
                reason = "it is a directory"
            elif not os.access(path, os.R_OK):
                reason = "it may not be read"
            if reason:
                raise UnusableFile(clean(f"Cannot read {name}: {reason}"))


def refuse_foreign(files: tuple[str, ...]) -> None:
    """Check that regular files are archives, before anything is changed; streams are checked later.

    Raises: NothingRead.
    """
    from frontdesk.ingest.archive import reader

    for name in filter(is_regular, files):
        with stream(name) as opened:
            try:
                reader.check(opened)
            except reader.NotAnArchive as error:
                raise NothingRead(unread(name, error)) from None


def unread(name: str, reason: object) -> str:
    return clean(f"Cannot read {named(name)}: {reason}")


@contextmanager
def stream(name: str) -> Iterator[io.BufferedReader]:
    """Open a file, or standard input, which stays open."""
    if name == STANDARD_INPUT:
        yield cast(io.BufferedReader, sys.stdin.buffer)
        return
    try:
        opened = open(name, "rb")  # noqa: SIM115
    except OSError as error:
        raise UnusableFile(clean(f"Cannot read {name}: {error.strerror}")) from error
    with opened:
        yield opened


def digest(name: str, order: "ImportOptions") -> str | None:
    """Return the key of a file's checkpoint; None for a stream, which cannot be read again."""
    from frontdesk.ingest.archive.importer import digest_of

    return digest_of(Path(name), order) if is_regular(name) else None


def is_regular(name: str) -> bool:
    """Check for a regular file, which does not change while it is read."""
    return name != STANDARD_INPUT and stat.S_ISREG(os.stat(name).st_mode)


def named(name: str) -> str:
    """Return a file's name for messages."""
    return "standard input" if name == STANDARD_INPUT else clean(name)


@contextmanager
def progress(files: tuple[str, ...]) -> Iterator[Advance]:
    """Show a progress bar over bytes, or for streams the number of lines; on a terminal only."""
    total = sum(os.path.getsize(name) for name in files if is_regular(name))
    if not total and sys.stderr.isatty():
        try:
            yield _count
        finally:
            click.echo(err=True)
        return
    before = 0

    def advance(position: int, lines: int) -> None:
        nonlocal before
        step(max(position - before, 0))
        before = position

    with count_progress("Importing", total) as step:
        yield advance


def _count(position: int, lines: int) -> None:
    click.echo(f"\rImporting: {lines:,} lines", err=True, nl=False)


def position(name: str, opened: io.BufferedReader) -> int:
    """Return the number of bytes read of a file, 0 for a stream."""
    return opened.tell() if is_regular(name) else 0


class Rejects:
    """Rejected lines: the first are printed, all are written to a file next to each input.

    Each line of FILE.rejects.ndjson is {line, reason, body}; it can be imported, as its body.
    """

    def __init__(self, *, keep: bool) -> None:
        self._keep = keep
        self._lines: list[str] = []
        self._total = 0
        self._files: dict[str, IO[str]] = {}
        self._paths: list[str] = []

    def take(self, name: str, line: "RejectedLine", *, more: bool) -> None:
        """Add a rejected line. more: append to the rejects of an interrupted import."""
        self._total += 1
        if len(self._lines) < REJECTED_SHOWN:
            self._lines.append(one_line(clean(f"{named(name)}, {line.place}: {line.reason}")))
        if self._keep and is_regular(name):
            body = None if line.text is None else line.text.decode("utf-8", "replace").strip()
            row = {"line": line.line_number, "reason": line.reason, "body": body}
            self._file(name, "a" if more else "w").write(json.dumps(row, ensure_ascii=True) + "\n")

    def report(self) -> None:
        """Print rejected lines and their files to standard error."""
        for line in self._lines:
            click.echo(line, err=True)
        if self._total > len(self._lines):
            click.echo(f"… and {self._total - len(self._lines):,} more", err=True)
        for path in self._paths:
            click.echo(clean(f"rejected lines are in {path}"), err=True)

    def close(self) -> None:
        for file in self._files.values():
            file.close()
        self._files.clear()

    def _file(self, name: str, mode: str) -> IO[str]:
        if name not in self._files:
            path = f"{name}.rejects.ndjson"
            try:
                opened = open(path, mode, encoding="utf-8", opener=private_files.opener)  # noqa: SIM115
            except OSError as error:
                raise UnusableFile(clean(f"Cannot write {path}: {error.strerror}")) from error
            self._files[name] = opened
            self._paths.append(path)
        return self._files[name]


_ALWAYS = ("messages", "statuses", "conversations", "contacts", "channels")
# Shown only if not zero.
_IF_ANY = {
    "reactions": "reactions",
    "amendments": "edits and revocations",
    "notes": "notes",
    "events": "conversation events",
    "catalogue": "labels, users and other catalogues",
}


def summary(outcome: "ImportResult") -> Iterator[str]:
    """Yield the lines after the first: new, changed, known, ignored and rejected."""
    applied = outcome.applied
    for name in _ALWAYS:
        tally = getattr(applied, name)
        changed = f", {tally.changed:,} completed" if tally.changed else ""
        # Contacts and channels occur in every line, so known ones are not reported.
        counts_known = name in ("messages", "statuses")
        known = f", {tally.known:,} already known" if counts_known else ""
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

    messages = {}
    for kind, count in sorted(ignored.items()):
        name, _, number = kind.partition(" ")
        if name == UNKNOWN_CHANNEL:
            messages[kind] = f"{name}: {count:,} of {one_line(clean(number))}, which is no channel"
    return messages


@contextmanager
def importable(target: str, *, dry_run: bool) -> "Iterator[Database]":
    """Open the database, created if missing; for a dry run, a temporary one."""
    if dry_run and not is_address(target) and not Path(target).exists():
        with tempfile.TemporaryDirectory() as place, opened(f"{place}/inbox.db", create=True) as it:
            yield it
    else:
        with opened(target, create=not dry_run) as store:
            yield store
