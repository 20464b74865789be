"""`frontdesk import chatwoot`: imports a Chatwoot account through its API."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from frontdesk.cli.base import WholeNumber, command
from frontdesk.cli.commands.import_.events import Archives
from frontdesk.cli.commands.import_.source import import_from
from frontdesk.cli.database import account_named, account_option
from frontdesk.cli.exit_codes import ERROR, say
from frontdesk.cli.media import file_target, media_option, named_files
from frontdesk.cli.options import database_option
from frontdesk.cli.progress import Progress, interruptible
from frontdesk.cli.progress import progress as count_progress
from frontdesk.cli.target import network
from frontdesk.errors import BadResponse, BadSettings
from frontdesk.system import environment
from frontdesk.text.clean import clean, one_line
from frontdesk.wire.values import CHANNEL_ID, epoch_milliseconds

if TYPE_CHECKING:
    from frontdesk.ingest.chatwoot.crawler import Crawler, CrawlOptions, Journal
    from frontdesk.store.database import Database
    from frontdesk.store.incoming_files import IncomingFile
    from frontdesk.store.media_files import MediaFiles

_INTERRUPTED = "the same command continues"


@command(
    "chatwoot",
    "frontdesk import chatwoot --url https://chat.example.com --account-id 1",
    "frontdesk import chatwoot --url https://app.chatwoot.com --account-id 1 --fetch-only",
    short_help="Import a Chatwoot account through its API.",
)
@click.option("--url", required=True, help="Address of Chatwoot, such as https://app.chatwoot.com.")
@click.option("--account-id", required=True, type=WholeNumber(1), help="Account in Chatwoot.")
@click.option(
    "--token-env", required=True, metavar="NAME", help="Environment variable that holds the token."
)
@database_option("Database to import into; created if missing.")
@account_option
@click.option(
    "--inbox",
    "inboxes",
    multiple=True,
    metavar="ID",
    help="Import only this inbox; may be repeated.",
)
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Import nothing older than this.")
@click.option(
    "--map",
    "mapped",
    multiple=True,
    metavar="INBOX=ID",
    help="phone_number_id of an inbox that lacks one.",
)
@click.option(
    "--keep-urls", is_flag=True, help="Keep the URLs of attachments, which point to Chatwoot."
)
@click.option(
    "--files", "with_files", is_flag=True, help="Also fetch files, whose URLs are kept then."
)
@click.option(
    "--files-host",
    "hosts",
    multiple=True,
    metavar="URL",
    help="Other server of Chatwoot's files, such as https://bucket.s3.amazonaws.com.",
)
@media_option
@click.option("--lines", metavar="FILE", help="Also write the imported lines to this file.")
@click.option("--fetch-only", is_flag=True, help="Only write the file of lines; import nothing.")
def chatwoot_command(
    url: str,
    account_id: int,
    token_env: str,
    database: str,
    account: str,
    inboxes: tuple[str, ...],
    since: datetime | None,
    mapped: tuple[str, ...],
    keep_urls: bool,
    with_files: bool,
    hosts: tuple[str, ...],
    media: str | None,
    lines: str | None,
    fetch_only: bool,
) -> None:
    """Import a Chatwoot account: inboxes, contacts, conversations, notes, labels and events.

    Sends only GET requests, at most ten per second. The data is written as native lines, which are
    then imported; the same command continues after an interruption. Files are fetched without the
    token, from Chatwoot and the servers of --files-host alone. Use an administrator's token
    to see everything.
    """
    from frontdesk.client.address import base_url
    from frontdesk.ingest.archive.importer import ImportOptions
    from frontdesk.ingest.chatwoot.crawler import CrawlOptions, Journal

    token = environment.token(token_env)
    start = None if since is None else int(since.replace(tzinfo=UTC).timestamp() * 1000)
    keep_urls = keep_urls or with_files
    order = CrawlOptions(str(account_id), frozenset(inboxes), start, _mapped(mapped), keep_urls)
    files = named_files(media, database) if with_files else None
    origins = [base_url(address, in_process=False) for address in (url, *hosts)]
    path = Path(lines or f"chatwoot-{account_id}.ndjson")
    journal = Journal(path, _source(url, order))
    fetch = partial(_fetched, url, token, order, journal)
    lines_of = ImportOptions(epoch_milliseconds, account, "auto")
    source = _Crawled((str(path),), lines_of, journal=journal, fetch=fetch)
    if files is not None:
        source.attach = partial(_attach_files, files, account, origins)
    if fetch_only:
        source.prepare()
        source.finish()
    else:
        import_from(source, database)


@dataclass
class _Crawled(Archives):
    """A Chatwoot account, of which a file of lines is made first."""

    consequence = _INTERRUPTED

    journal: "Journal" = field(kw_only=True)
    fetch: "Callable[[], Crawler]" = field(kw_only=True)

    def prepare(self) -> None:
        place = clean(self.names[0])
        if self.journal.resumed:
            click.echo(f"continuing after {self.journal.resumed:,} steps that are in {place}")
        try:
            with interruptible(_INTERRUPTED):
                self.walked = self.fetch()
        finally:
            self.journal.close()
        _report(self.walked, place)

    def finish(self) -> None:
        self.journal.finish()
        for words in self.walked.differences:
            say(clean(f"Chatwoot counts {words}; what is missing may come with another import"))
        if self.walked.differences:
            raise click.exceptions.Exit(ERROR)


def _fetched(url: str, token: str, order: "CrawlOptions", journal: "Journal") -> "Crawler":
    """Export everything to native lines. Raises: InboxError."""
    from frontdesk.client.external import ForeignApi, RequestPolicy
    from frontdesk.ingest.chatwoot.crawler import PER_SECOND, Crawler
    from frontdesk.ingest.json_reader import Malformed

    progress = Progress(shown=True)

    def report(stage: str, count: int, total: int | None) -> None:
        progress.say(f"Reading {stage}: {count:,}" + (f" of {total:,}" if total else ""))

    async def walk() -> Crawler:
        secrets = {"api_access_token": token}
        async with ForeignApi(url, secrets, RequestPolicy(PER_SECOND), network()) as api:
            walking = Crawler(api, order, journal, report, epoch_milliseconds)
            await walking.walk()
        return walking

    try:
        return asyncio.run(walk())
    except Malformed as error:
        raise BadResponse(one_line(clean(f"Chatwoot cannot be read: {error}"))) from error
    finally:
        progress.clear()


def _report(walked: "Crawler", place: str) -> None:
    counts = ", ".join(f"{count:,} {kind}" for kind, count in sorted(walked.counts.items()))
    click.echo(f"read from Chatwoot: {counts or 'nothing new'}; in {place}")
    for reason, count in sorted(walked.skipped.items()):
        click.echo(one_line(clean(f"skipped: {count:,} {reason}")))
    for words in walked.unchecked:
        click.echo(one_line(clean(f"not compared with Chatwoot's own count: {words}")))


def _attach_files(
    files: "MediaFiles", account: str, origins: list[str], store: "Database"
) -> Counter[str]:
    """Fetch the files of imported messages."""
    from frontdesk.client.downloads import LinkedFiles
    from frontdesk.client.external import RequestPolicy
    from frontdesk.ingest.chatwoot.attachments import attach_files
    from frontdesk.ingest.chatwoot.crawler import PER_SECOND

    with asyncio.Runner() as runner:
        account_id = store.read(lambda connection: account_named(connection, account)["id"])
        links = LinkedFiles(origins, RequestPolicy(PER_SECOND), network())

        def download(url: str, incoming: "IncomingFile") -> None:
            runner.run(links.save(url, incoming))

        try:
            with (
                file_target(files, store) as target,
                count_progress("Fetching files", 0) as advance,
            ):
                return attach_files(target, account_id, download, advance)
        finally:
            runner.run(links.__aexit__(None, None, None))


def _mapped(pairs: tuple[str, ...]) -> dict[str, str]:
    channels: dict[str, str] = {}
    for pair in pairs:
        inbox, _, channel = pair.partition("=")
        if not (re.fullmatch("[0-9]{1,18}", inbox) and re.fullmatch(CHANNEL_ID, channel)):
            raise BadSettings(f"--map {pair!r} is not INBOX=ID, both of at most 20 digits")
        channels[inbox] = channel
    return channels


def _source(url: str, order: "CrawlOptions") -> dict[str, object]:
    """Identify the source of lines; those of another source are not resumed."""
    return {
        "chatwoot": urlsplit(url).netloc,
        "account": order.account,
        "inboxes": sorted(order.inboxes),
        "since": order.since,
        "mapped": dict(order.mapped),
        "keep_urls": order.keep_urls,
    }
