"""`frontdesk cache`: shows, fills and clears the local cache of pages."""

import asyncio
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from frontdesk.cache import Cache, Coverage
from frontdesk.cli.base import group
from frontdesk.cli.config import cache_limit_bytes, configuration
from frontdesk.cli.exit_codes import ERROR
from frontdesk.cli.options import confirm, target_options, yes_option
from frontdesk.cli.output import Output, moment, output_options, print_table
from frontdesk.cli.progress import Progress, interruptible
from frontdesk.cli.target import Target, cache_origin, client_of
from frontdesk.errors import BadSettings, CacheBusy
from frontdesk.settings import KeepRule
from frontdesk.system import environment
from frontdesk.text.clean import file_size
from frontdesk.text.times import parse_duration
from frontdesk.wire.values import utc_now

if TYPE_CHECKING:
    from frontdesk.cache.stats import OriginUsage
    from frontdesk.client import InboxClient
    from frontdesk.mailbox.mirror import Mirror

_HEADINGS = (
    *("SERVER", "SIZE", "CONVERSATIONS", "MESSAGES", "NOTES", "CONTACTS"),
    *("OLDEST", "NEWEST", "LAST READ"),
)


@group(
    "cache",
    "frontdesk cache info",
    "frontdesk cache fill --keep open",
    "frontdesk cache clear --older-than 30d",
)
def cache_group() -> None:
    """Show, fill or clear the local cache."""


@cache_group.subcommand(
    "info", "frontdesk cache info", "frontdesk cache info --url https://inbox.example.com"
)
def info_command() -> None:
    """Show the location and contents of the cache."""
    from frontdesk.cache import kept_files
    from frontdesk.cache.stats import contents

    path = environment.cache_file()
    usage = contents(path)
    limit = file_size(cache_limit_bytes(configuration(whole=False).viewer))
    click.echo(f"{path}: {file_size(usage.size_bytes)} of at most {limit}")
    if usage.origins:
        print_table(_HEADINGS, [_row(origin) for origin in usage.origins])
    for origin in usage.origins:
        if origin.coverage is not None:
            click.echo(f"{origin.name}: {origin.coverage.words} are cached whole")
    files, size = kept_files.usage(environment.media_directory(path))
    if files:
        bound = file_size(configuration().viewer.media_mb * 1_000_000)
        click.echo(f"Files of messages: {files:,}, {file_size(size)} of at most {bound}")
    for aside, size in usage.set_aside:
        click.echo(f"{aside}: {file_size(size)}, set aside; `frontdesk cache clear` removes it")


@cache_group.subcommand("clear", "frontdesk cache clear", "frontdesk cache clear --older-than 30d")
@click.option(
    "--server", metavar="SERVER", help="Only the data of this server, as listed by `info`."
)
@click.option(
    "--older-than",
    metavar="TIME",
    help="Only data not read for this long: 12h, 30d or 8w.",
)
@yes_option
def clear_command(server: str | None, older_than: str | None, yes: bool) -> None:
    """Delete cached data.

    Data on servers is not affected, nor are saved views and marks of what was read.
    """
    from frontdesk.cache import kept_files
    from frontdesk.cache.stats import clear, clear_origins, contents

    path = environment.cache_file()
    since = _before(older_than, utc_now()) if older_than is not None else None
    if server is None and since is None:
        confirm(f"Remove everything in {path}?", yes)
        clear(path)
        kept_files.clear(environment.media_directory(path))
        click.echo(f"{path} is empty")
        return
    origins = [origin for origin in contents(path).origins if server in (None, origin.name)]
    if server is not None and not origins:
        raise BadSettings(f"Nothing is kept of {server!r}. {_mirror_text(path)}")
    what = f"of {server}" if server is not None else f"in {path}"
    when = f" that was not read for {older_than}" if older_than is not None else ""
    confirm(f"Remove what is kept {what}{when}?", yes)
    before = contents(path).size_bytes
    clear_origins(path, [origin.origin for origin in origins], not_read_since=since)
    if since is None:
        for origin in origins:
            kept_files.clear(environment.media_directory(path, origin.name))
    freed = max(0, before - contents(path).size_bytes)
    click.echo(f"{file_size(freed)} freed")


# Share of the server's rate limit that filling takes.
_SHARE = 0.9

_REQUESTS = ("requests", "unchanged", "received_bytes")


def _keep(context: click.Context, option: click.Parameter, text: str | None) -> KeepRule | None:
    if text is None:
        return None
    try:
        keep = KeepRule.parse(text)
    except ValueError:
        keep = None
    if keep is None:
        raise click.BadParameter("use open, all or a number of days, like 30d")
    return keep


@cache_group.subcommand(
    "fill", "frontdesk cache fill", "frontdesk cache fill --keep 30d --profile work"
)
@target_options
@click.option(
    "--keep",
    metavar="WHAT",
    callback=_keep,
    help="Conversations to load: open, all, or those of the last days, like "
    "30d. Default: as configured, or open.",
)
@output_options("text", "json", default="text", members=(*Coverage._fields, *_REQUESTS))
def fill_command(target: Target, keep: KeepRule | None, output: Output) -> None:
    """Load whole conversations into the cache.

    Makes them available for search and without a network. Uses a share of the rate limit. Ctrl-C
    stops it, and the next run continues from there. Nothing is marked as read. The exit status is 1
    if something did not fit or could not be read.
    """
    configured = configuration()
    keep = keep or KeepRule.parse(configured.mirror.keep or "open") or KeepRule.parse("open")
    assert keep is not None
    progress = Progress(shown=True)
    with ExitStack() as resources:
        client = client_of(target, resources, waits=True)
        limit_bytes = cache_limit_bytes(configured.viewer)
        cache = Cache(
            environment.cache_file(),
            cache_origin(target),
            state_path=environment.state_file(),
            limit_bytes=limit_bytes,
        )
        resources.callback(cache.close)
        resources.callback(progress.clear)
        with interruptible("what was loaded stays; run it again to go on"):
            coverage = asyncio.run(_fill(client, cache, keep, progress))
        progress.clear()
        server = client.server
    if output.format == "json":
        requests = {name: getattr(server, name) for name in _REQUESTS}
        as_of = coverage.as_of and coverage.as_of.isoformat()
        output.write_value({**coverage._asdict(), "as_of": as_of, "filling": False, **requests})
    else:
        click.echo(f"This computer has {coverage.words}")
    if not coverage.whole:
        raise click.exceptions.Exit(ERROR)


async def _fill(
    client: "InboxClient", cache: Cache, keep: KeepRule, progress: Progress
) -> Coverage:
    from frontdesk.mailbox import Mailbox
    from frontdesk.mailbox.mirror import Mirror

    mailbox = Mailbox(lambda: client, cache)
    await mailbox.connect()
    try:
        mirror = Mirror(
            mailbox,
            keep,
            mailbox.pace(_SHARE),
            on_progress=lambda state: progress.say(f"{state.words} …"),
        )
        return await _filled(mirror, progress)
    finally:
        await mailbox.close()


async def _filled(mirror: "Mirror", progress: Progress) -> Coverage:
    """Fill the cache; wait while another process fills it. Raises: InboxError."""
    while True:
        try:
            return await mirror.fill()
        except CacheBusy as busy:
            progress.say(f"{busy}: waiting …")
        await asyncio.sleep(1.0)


def _row(origin: "OriginUsage") -> tuple[str, ...]:
    return (
        origin.name,
        file_size(origin.size_bytes),
        *(f"{count:,}" for count in (origin.conversations, origin.messages)),
        *(f"{count:,}" for count in (origin.notes, origin.contacts)),
        *(_moment(time) for time in (origin.oldest, origin.newest, origin.read_at)),
    )


def _moment(time: datetime | None) -> str:
    return moment(int(time.timestamp() * 1000) if time else None)


def _before(age: str, now: datetime) -> datetime:
    """Subtract an age such as "30d" from `now`."""
    age_limit = parse_duration(age, "hdw")
    if age_limit is None:
        raise BadSettings(f"--older-than {age!r} is not a length of time: use 12h, 30d or 8w")
    return now - age_limit


def _mirror_text(path: Path) -> str:
    from frontdesk.cache.stats import contents

    names = sorted({origin.name for origin in contents(path).origins})
    return f"There is {', '.join(names)}" if names else "The cache is empty"
