"""`frontdesk cache`: shows and clears the local cache of pages."""

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from frontdesk import settings
from frontdesk.cli.base import Group
from frontdesk.cli.output import moment, print_table
from frontdesk.errors import BadSettings
from frontdesk.text import file_size, parse_duration
from frontdesk.wire.values import utc_now

if TYPE_CHECKING:
    from frontdesk.cache.stats import OriginUsage

_HEADINGS = (
    *("SERVER", "SIZE", "CONVERSATIONS", "MESSAGES", "NOTES", "CONTACTS"),
    *("OLDEST", "NEWEST", "LAST READ"),
)


@click.group(
    cls=Group,
    name="cache",
    examples=(
        "frontdesk cache info",
        "frontdesk cache clear --older-than 30d",
    ),
)
def cache_group() -> None:
    """Show or empty the cache of this computer."""


@cache_group.command(
    "info",
    examples=(
        "frontdesk cache info",
        "frontdesk cache info --url https://inbox.example.com",
    ),
)
def info_command() -> None:
    """Say where the cache is and what it holds."""
    from frontdesk.cache.stats import contents

    path = settings.cache_file()
    found = contents(path)
    limit = file_size(settings.cache_limit_bytes())
    click.echo(f"{path}: {file_size(found.size_bytes)} of at most {limit}")
    if found.origins:
        print_table(_HEADINGS, [_row(shelf) for shelf in found.origins])
    for aside, size in found.set_aside:
        click.echo(f"{aside}: {file_size(size)}, set aside; `frontdesk cache clear` removes it")


@cache_group.command(
    "clear",
    examples=(
        "frontdesk cache clear",
        "frontdesk cache clear --older-than 30d",
    ),
)
@click.option(
    "--server", metavar="SERVER", help="Only what is kept of this one, as `info` says it."
)
@click.option(
    "--older-than",
    metavar="TIME",
    help="Only what was not read for so long: 12h, 30d or 8w.",
)
@click.option("--yes", is_flag=True, help="Do not ask first.")
def clear_command(server: str | None, older_than: str | None, yes: bool) -> None:
    """Remove cached pages from this computer.

    Servers themselves are not touched."""
    from frontdesk.cache.stats import clear, clear_origins, contents

    path = settings.cache_file()
    since = _before(older_than, utc_now()) if older_than is not None else None
    if server is None and since is None:
        _confirm(f"Remove everything in {path}?", yes)
        clear(path)
        click.echo(f"{path} is empty")
        return
    origins = [one for one in contents(path).origins if server in (None, one.name)]
    if server is not None and not origins:
        raise BadSettings(f"Nothing is kept of {server!r}. {_kept(path)}")
    what = f"of {server}" if server is not None else f"in {path}"
    when = f" that was not read for {older_than}" if older_than is not None else ""
    _confirm(f"Remove what is kept {what}{when}?", yes)
    before = contents(path).size_bytes
    clear_origins(path, [shelf.origin for shelf in origins], not_read_since=since)
    freed = max(0, before - contents(path).size_bytes)
    click.echo(f"{file_size(freed)} freed")


def _row(shelf: "OriginUsage") -> tuple[str, ...]:
    return (
        shelf.name,
        file_size(shelf.size_bytes),
        *(f"{count:,}" for count in (shelf.conversations, shelf.messages)),
        *(f"{count:,}" for count in (shelf.notes, shelf.contacts)),
        *(_moment(one) for one in (shelf.oldest, shelf.newest, shelf.read_at)),
    )


def _moment(time: datetime | None) -> str:
    return moment(int(time.timestamp() * 1000) if time else None)


def _before(age: str, now: datetime) -> datetime:
    """Subtract an age such as "30d" from `now`."""
    age_limit = parse_duration(age, "hdw")
    if age_limit is None:
        raise BadSettings(f"--older-than {age!r} is no length of time: say 12h, 30d or 8w")
    return now - age_limit


def _kept(path: Path) -> str:
    from frontdesk.cache.stats import contents

    names = sorted({shelf.name for shelf in contents(path).origins})
    return f"There is {', '.join(names)}" if names else "The cache is empty"


def _confirm(question: str, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError(f"{question} Say --yes")
    click.confirm(question, abort=True)
