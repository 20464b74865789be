"""Attaches files from an import to messages that are stored already."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from frontdesk.errors import FileTooLarge, InboxError, NoRoom, NotFound, UnusableFile
from frontdesk.ingest.media import facts
from frontdesk.ingest.media.requests import import_request
from frontdesk.pictures import PictureDecoder
from frontdesk.store import media
from frontdesk.store.database import Connection, Database
from frontdesk.store.incoming_files import FilesUnusable, IncomingFile
from frontdesk.store.media import MediaRequest, StoredFile
from frontdesk.store.media_files import MediaFiles
from frontdesk.store.rows import MessageRow
from frontdesk.store.writes import bump_revision

Write = Callable[[IncomingFile], object]


@dataclass(frozen=True, slots=True)
class FileTarget:
    """Where imported files go. most_bytes: limit of each."""

    database: Database
    files: MediaFiles
    decoder: PictureDecoder
    most_bytes: int
    clock: Callable[[], int]


def attach(
    target: FileTarget,
    account_id: int,
    found: Iterable[tuple[MessageRow, str | None, Write]],
    advance: Callable[[int], object],
) -> Counter[str]:
    """Store files of messages; return how many were `stored`, `too large`, `damaged` or not had.

    found: messages with the name of their file, and what writes its bytes, which raises
    UnusableFile if it is damaged, and another InboxError if it cannot be had. `advance` is called
    with 1 for each.

    Raises: NoRoom, FilesUnusable: the rest is not stored; the import can be repeated.
    """
    outcome: Counter[str] = Counter()
    changed: set[int] = set()
    for row, name, write in found:
        try:
            result = _attach(target, account_id, row, name, write)
            outcome[result] += 1
            if result == "stored":
                changed.add(row["conversation_id"])
        except FileTooLarge:
            outcome["too large"] += 1
        except (NoRoom, FilesUnusable):
            raise
        except UnusableFile:
            outcome["damaged"] += 1
        except NotFound:
            outcome["gone"] += 1
        except InboxError:
            outcome["not reached"] += 1
        advance(1)
    if changed:
        target.database.write(lambda connection: bump_revision(connection, account_id, changed))
    return outcome


def _attach(
    target: FileTarget, account_id: int, row: MessageRow, name: str | None, write: Write
) -> str:
    with target.files.receive(account_id, target.most_bytes) as incoming:
        write(incoming)
        file = facts.keep(target.files, account_id, incoming, target.decoder)
    request = import_request(row, name)
    return "stored" if _settle(target, account_id, request, file) else "known"


def _settle(target: FileTarget, account_id: int, request: MediaRequest, file: StoredFile) -> bool:
    def work(connection: Connection) -> bool:
        added = media.add_stored(
            connection, account_id, request, file, target.clock(),
            lambda: target.files.has(account_id, file.digest),
        )  # fmt: skip
        if not added:
            media.discard(connection, account_id, [file.digest])
        return added

    return target.database.write(work)
