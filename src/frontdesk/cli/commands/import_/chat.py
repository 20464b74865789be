"""`frontdesk import chat`: imports chats exported by WhatsApp on a phone."""

import re
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from frontdesk.cli.base import command
from frontdesk.cli.commands.import_.files import named
from frontdesk.cli.commands.import_.source import ImportSource, import_from
from frontdesk.cli.database import account_named, account_option
from frontdesk.cli.media import file_target, media_files, media_option, stored_words
from frontdesk.cli.options import database_option
from frontdesk.cli.progress import progress
from frontdesk.errors import BadSettings
from frontdesk.text.clean import clean, counted, one_line, shortened
from frontdesk.wire.values import CHANNEL_ID, epoch_milliseconds, utc_now

if TYPE_CHECKING:
    from frontdesk.ingest.apply.batch import InitialStatus
    from frontdesk.ingest.archive.importer import Transactions
    from frontdesk.ingest.whatsapp_export.date_order import Order
    from frontdesk.ingest.whatsapp_export.importer import ChatImportResult, ChatPlace
    from frontdesk.ingest.whatsapp_export.parser import Chat
    from frontdesk.store.database import Connection, Database
    from frontdesk.store.media_files import MediaFiles

# Approximate limits of WhatsApp's export, without media and with them.
_MOST, _MOST_WITH_FILES = 40_000, 10_000
# Names and words that a line of the report quotes.
_MOST_SHOWN = 5
_NEVER_IN_IT = "reactions, replies, delivery states, message ids and what was said before an edit"


@command(
    "chat",
    "frontdesk import chat chat.zip --channel 'Support EU' --contact +16505551234 --me Ana",
    "frontdesk import chat chat.txt --channel 1 --contact +16505551234 --me Ana --dry-run",
    short_help="Import chats exported by a phone.",
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@database_option("Database to import into; created if missing.")
@media_option
@account_option
@click.option(
    "--channel", required=True, metavar="ID", help="Channel of the chat: id, alias or phone number."
)
@click.option("--contact", required=True, metavar="+NUMBER", help="The customer's phone number.")
@click.option("--me", required=True, metavar="NAME", help="Name of the business in the export.")
@click.option("--tz", metavar="ZONE", help="Time zone of the phone, such as Europe/Madrid.")
@click.option(
    "--date-order",
    type=click.Choice(["dmy", "mdy", "ymd"]),
    help="Order of day, month and year, if the export leaves it open.",
)
@click.option(
    "--initial-status",
    type=click.Choice(["auto", "open", "resolved"]),
    default="auto",
    show_default=True,
    help="Status of a new conversation; auto: resolved if inactive for more than a week.",
)
@click.option("--dry-run", is_flag=True, help="Report the result without changing anything.")
def chat_command(
    files: tuple[str, ...],
    database: str,
    media: str | None,
    account: str,
    channel: str,
    contact: str,
    me: str,
    tz: str | None,
    date_order: "Order | None",
    initial_status: "InitialStatus",
    dry_run: bool,
) -> None:
    """Import chats with one person, exported by a phone as .txt, or .zip with files.

    Messages that are known from webhooks or an earlier export are skipped. Files of a .zip are kept
    with their messages. If dates are ambiguous,
    the command asks for their order. Group chats are refused.
    """
    zone_name = tz or f"this machine's ({', '.join(time.tzname)})"
    target = (account, channel, contact, me, initial_status)
    place = partial(media_files, media, database)
    chats = _Chats(files, *target, _zone(tz), zone_name, date_order, place, dry_run)
    import_from(chats, database, dry_run=dry_run)


@dataclass(frozen=True, slots=True)
class _ChatFile:
    """Parsed export. unmatched: files of a zip that no message names."""

    name: str
    chat: "Chat"
    unmatched: Sequence[str] = ()


@dataclass
class _Chats(ImportSource):
    """Exported chats. media: returns where their files are stored, None for nowhere."""

    consequence = "import it again to go on"

    names: Sequence[str]
    account: str
    channel: str
    contact: str
    me: str
    initial_status: "InitialStatus"
    zone: tzinfo | None
    zone_name: str
    order: "Order | None"
    media: "Callable[[], MediaFiles | None]"
    dry_run: bool
    chats: list[_ChatFile] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def prepare(self) -> None:
        self.chats = [self._read(Path(name)) for name in self.names]

    def summary(self) -> list[str]:
        return self.lines

    def finish(self) -> None:
        if self.dry_run:
            click.echo("nothing was changed")

    def _read(self, path: Path) -> _ChatFile:
        """Parse a file. Raises: BadSettings, UnusableFile, with the file's name."""
        from frontdesk.ingest.whatsapp_export import files, parser
        from frontdesk.ingest.whatsapp_export.members import ZipMembers

        today = utc_now().date()
        reading = parser.ChatOptions(self.me, self.zone, self.order, today)
        export = files.read(path)
        try:
            chat = parser.read(export, reading)
        except BadSettings as error:
            raise BadSettings(clean(f"{path}: {error}")) from error
        if export.member is None:
            return _ChatFile(str(path), chat)
        with ZipMembers(path) as members:
            rest = members.without_message(chat.named_files)
        return _ChatFile(str(path), chat, [each for each in rest if each != export.member])

    def events(self, database: "Transactions") -> None:
        from frontdesk.ingest.whatsapp_export.importer import import_chat

        place = database.write(self._place)
        with progress("Importing", sum(len(file.chat.entries) for file in self.chats)) as advance:
            for file in self.chats:
                outcome = import_chat(database, file.chat, place, epoch_milliseconds, advance)
                self.lines += self._report(file, outcome)

    def files(self, store: "Database") -> None:
        """Store the files of zips beside their messages, with a line for each zip."""
        from frontdesk.ingest.whatsapp_export.attachments import attach_files
        from frontdesk.ingest.whatsapp_export.members import ZipMembers

        place = self.media()
        if place is None:
            return
        where = store.read_latest(self._place)
        zips = [(file.name, file.chat) for file in self.chats if zipfile.is_zipfile(file.name)]
        with file_target(place, store) as target:
            for name, chat in zips:
                named_files = sum(entry.contents.media is not None for entry in chat.entries)
                with (
                    ZipMembers(Path(name)) as members,
                    progress("Storing files", named_files) as advance,
                ):
                    outcome = attach_files(target, chat, where, members, advance)
                if outcome.total():
                    self.lines.append(f"{named(name)}: files: {stored_words(outcome)}")

    def _place(self, connection: "Connection") -> "ChatPlace":
        from frontdesk.ingest.catalogue_file import references
        from frontdesk.ingest.events import Person
        from frontdesk.ingest.json_reader import phone_of
        from frontdesk.ingest.whatsapp_export.importer import ChatPlace

        account_id = account_named(connection, self.account)["id"]
        channels = references(connection, account_id).channels
        number = channels.get(self.channel)
        if number is None and channels:
            known_ones = shortened(", ".join(sorted(channels)), 600)
            raise BadSettings(f"No channel {shortened(self.channel)!r}; known: {known_ones}")
        if number is None and not re.fullmatch(CHANNEL_ID, self.channel):
            raise BadSettings(
                f"No channel {shortened(self.channel)!r}:"
                " give a new one by its id, of at most 20 digits"
            )
        phone = phone_of(self.contact) if self.contact.startswith("+") else None
        if phone is None:
            raise BadSettings(f"{shortened(self.contact)!r} is no number such as +34600111222")
        person = Person.of_phone(phone)
        return ChatPlace(account_id, number or self.channel, person, self.me, self.initial_status)

    def _report(self, file: _ChatFile, outcome: "ChatImportResult") -> Iterator[str]:
        """Yield the report: what was imported, how it was parsed, and what exports lack."""
        from frontdesk.ingest.whatsapp_export.date_order import NAMES

        name, chat = file.name, file.chat
        counts, files = outcome.messages, outcome.files
        other, me = shortened(chat.other or "the contact"), shortened(self.me)
        yield f"{named(name)}: {counted(len(chat.entries), 'message')} in the {chat.family} form"
        yield (
            f"taken: {counts['received']:,} of {other}, {counts['sent']:,} of {me},"
            f" {counts['notices']:,} of WhatsApp; {outcome.edited:,} edited,"
            f" {outcome.deleted:,} deleted"
        )
        if outcome.filled:
            yield f"of these fill in messages whose contents were unknown: {outcome.filled:,}"
        yield f"skipped: {outcome.skipped:,} known already"
        if files:
            yield f"files: {files['named']:,} by name, {files['left out']:,} left out by the phone"
        if file.unmatched:
            files_of_zip = counted(len(file.unmatched), "file")
            yield (
                f"not matched: {files_of_zip} of the zip that no message names:"
                f" {_some(file.unmatched)}"
            )
        if chat.unrecognised:
            lines = counted(chat.unrecognised.total(), "line")
            yield (
                f"not recognised: {lines} that the phone wrote in a person's name, kept as messages"
                f" of that person: {_some(list(chat.unrecognised))}"
            )
        if chat.before:
            yield f"refused: {counted(chat.before, 'line')} before the first message"
        if chat.unread:
            lines = counted(len(chat.unread), "line")
            verbs = "begins" if len(chat.unread) == 1 else "begin"
            yield (
                f"not read: {lines} that {verbs} as messages do, with a date and a time that cannot"
                f" be read, kept in the message before; the first is line {chat.unread[0]:,}"
            )
        misdated = sum(entry.stamped_at is not None for entry in chat.entries)
        if misdated:
            yield (
                f"misdated: {counted(misdated, 'message')} dated after today or before 2009, put"
                " beside the message before"
            )
        decision = chat.decision
        yield f"dates: {NAMES[decision.order]} ({decision.reason}); zone: {self.zone_name}"
        yield f"such an export never has: {_NEVER_IN_IT}"
        most = _MOST_WITH_FILES if files["named"] else _MOST
        if len(chat.entries) >= most * 0.98:
            yield f"it has about {most:,} messages, where phones stop: older ones are missing"


def _some(texts: Sequence[str]) -> str:
    """The first of some texts, each in quotes."""
    shown = ", ".join(repr(shortened(one_line(text))) for text in texts[:_MOST_SHOWN])
    return shown if len(texts) <= _MOST_SHOWN else f"{shown} and others"


def _zone(name: str | None) -> tzinfo | None:
    """Raises: BadSettings: unknown time zone."""
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise BadSettings(
            f"No time zone is called {shortened(name)!r}; try one such as Europe/Madrid"
        ) from error
