"""`frontdesk media read` and `media texts`: has the words of files read, here or elsewhere."""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from frontdesk.cli.base import WholeNumber, command, group
from frontdesk.cli.database import account_named, account_option, opened
from frontdesk.cli.options import database_option
from frontdesk.errors import BadSettings
from frontdesk.text.clean import compact_json, counted
from frontdesk.wire.values import epoch_milliseconds

if TYPE_CHECKING:
    from frontdesk.store.database import Connection
    from frontdesk.store.media_texts import FileText

_DAY = 24 * 60 * 60 * 1000
_LONGEST_LINE = 1 << 20
_DIGEST = re.compile("[0-9a-f]{64}")


@command(
    "read",
    "frontdesk media read --days 30 --database inbox.db",
    "frontdesk media read --failed --database inbox.db",
)
@database_option("Database of the service, which may be running.")
@account_option
@click.option("--days", type=WholeNumber(1, 36500), help="Of messages of the last so many days.")
@click.option("--conversation", type=WholeNumber(1), metavar="ID", help="Only of this one.")
@click.option("--message", type=WholeNumber(1), metavar="ID", help="Of this message, read or not.")
@click.option("--failed", is_flag=True, help="Those that failed.")
@click.option("--all", "every", is_flag=True, help="Those that were read too.")
def read_command(
    database: str,
    account: str,
    days: int | None,
    conversation: int | None,
    message: int | None,
    failed: bool,
    every: bool,
) -> None:
    """Mark files whose words are to be read.

    Of stored files that no reader has tried. The service reads them, newest first, by its
    --media-readers; what the same reader, run the same way, has read already is left as it is.
    """
    from frontdesk.store import media_texts

    if not (days or conversation or message or failed or every):
        raise click.UsageError(
            "Say which files: --days, --conversation, --message, --failed or --all"
        )
    states: list[str | None] = [media_texts.FAILED] if failed else [None]
    if every or message:
        states = [None, media_texts.READ, media_texts.NONE, media_texts.FAILED]
    after = epoch_milliseconds() - days * _DAY if days else 0

    def mark(connection: "Connection") -> int:
        return media_texts.mark_again(
            connection,
            account_named(connection, account)["id"],
            after=after,
            conversation_id=conversation,
            message_id=message,
            states=states,
        )

    with opened(database, upgrade=True) as store:
        count = store.write(mark)
    click.echo(f"to be read: {counted(count, 'file')}")


@group(
    "texts",
    "frontdesk media texts export --database inbox.db",
    "frontdesk media texts import texts.jsonl --database inbox.db",
)
def texts_group() -> None:
    """Carry the words of files to and from other machines.

    Each line is a JSON object: `sha256` of the file, `text`, `by` (which program read it), and
    `language` if it is known.
    """


@texts_group.subcommand(
    "export",
    "frontdesk media texts export --database inbox.db > texts.jsonl",
    "frontdesk media texts export --database inbox.db --account shop | head",
)
@database_option("Database of the service.")
@account_option
def export_command(database: str, account: str) -> None:
    """Print the words of all files, a line for each."""
    from frontdesk.store import media_texts

    with opened(database) as store:
        account_id = store.read(lambda c: account_named(c, account)["id"])
        after = ""
        while rows := store.read(partial(media_texts.texts, account_id=account_id, after=after)):
            for row in rows:
                line = {"sha256": row["digest"], "text": row["text"], "by": row["text_by"]}
                if row["text_language"]:
                    line["language"] = row["text_language"]
                click.echo(compact_json(line))
            after = rows[-1]["digest"]


@texts_group.subcommand(
    "import",
    "frontdesk media texts import texts.jsonl --database inbox.db",
    "ssh gpu read-all | frontdesk media texts import - --database inbox.db",
)
@click.argument("file")
@database_option("Database of the service, which may be running.")
@account_option
def import_command(file: str, database: str, account: str) -> None:
    """Store the words of files that another machine has read.

    FILE has lines as of `media texts export`; - reads standard input. A text replaces that of
    before; an empty one does not. A file that is not here is counted, and nothing else.
    """
    count, absent = 0, 0
    with opened(database, upgrade=True) as store, _lines(file) as lines:
        account_id = store.read(lambda c: account_named(c, account)["id"])
        for digest, result in _parsed(lines):
            done = store.write(partial(_save, account_id, digest, result))
            count += done
            absent += not done
    click.echo(f"stored: {counted(count, 'text')}, {counted(absent, 'line')} of files not here")


def _save(account_id: int, digest: str, result: "FileText", connection: "Connection") -> int:
    from frontdesk.store import media, media_texts
    from frontdesk.store.writes import bump_revision

    now = epoch_milliseconds()
    ids = media_texts.set_for_digest(connection, account_id, digest, result, now)
    if ids:
        found = media.conversations_with(connection, account_id, ids)
        bump_revision(connection, account_id, found)
    return len(ids)


def _lines(file: str) -> "nullcontext[BinaryIO] | BinaryIO":
    """Raises: BadSettings: the file cannot be opened."""
    if file == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise BadSettings(f"{file} cannot be read: {error.strerror}") from error


def _parsed(lines: BinaryIO) -> "Iterator[tuple[str, FileText]]":
    """Digests with texts. Raises: BadSettings: which line is none, and what is expected."""
    from frontdesk.store.media_texts import FileText

    number = 0
    while line := lines.readline(_LONGEST_LINE):
        number += 1
        try:
            members = json.loads(line)
            digest, text, by = (members[name] for name in ("sha256", "text", "by"))
            language = members.get("language")
        except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
            digest = text = by = language = None
        is_known = isinstance(language, str | None) and isinstance(by, str) and bool(by)
        if not (is_known and isinstance(text, str) and _DIGEST.fullmatch(str(digest))):
            raise BadSettings(
                f'Line {number} is no text: write {{"sha256": "…", "text": "…", "by": "…"}}'
            )
        if text.strip():
            yield digest, FileText.of(text, by[:100], language and language[:40])
