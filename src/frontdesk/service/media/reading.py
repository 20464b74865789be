"""Reads the words of stored files by programs of the operator, in slots beside the fetcher.

Newest first, at most `at_once` of a reader; a claim in the database keeps several workers apart. A
webhook never waits for a file.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial

from frontdesk.errors import InboxError, Unreachable, UnusableFile
from frontdesk.ingest.media.fetching import (
    BUDGET,
    BUDGET_REST,
    HOUR,
    MINUTE,
    RATE,
    ROOM,
    ROOM_REST,
    TOKEN_REST,
    Failure,
    Rest,
    Rests,
)
from frontdesk.service.access_log import Telemetry
from frontdesk.service.media.lanes import ChangedMessages, Lanes, slugs_of
from frontdesk.service.media.reader_table import FileReader, ReadableFile
from frontdesk.service.media.readers import (
    FileGone,
    NotRead,
    copied,
    private_folder,
    readers_of,
    remove_abandoned_folders,
    words_of,
)
from frontdesk.store import media, media_texts
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.media import Claim
from frontdesk.store.media_files import MediaFiles
from frontdesk.store.media_texts import FAILED, NONE, READ, FileText

# Pauses before the second and later attempts; the last failure after them is final.
RETRY_MILLISECONDS = (MINUTE, 10 * MINUTE, HOUR)
# Different files that fail, or say the same, one after the other, after which a reader rests.
MOST_ALIKE = 5
# Files that are due and looked through for one that a reader may begin.
LOOKED_THROUGH = 100

_log = logging.getLogger("frontdesk.service")


@dataclass(frozen=True, slots=True)
class _ClaimedText:
    account_id: int
    file: ReadableFile
    reader: FileReader
    token: str

    @property
    def key(self) -> str:
        key: str = self.file.row["key"]
        return key

    def begin(self, claim: Claim, connection: Connection) -> bool:
        return media_texts.claim(connection, self.account_id, self.key, claim)


class MediaReading:
    """Reads files in the slots of `lanes`. clock: now in epoch milliseconds."""

    def __init__(
        self,
        database: Database,
        files: MediaFiles,
        readers: Sequence[FileReader],
        clock: Callable[[], int],
        telemetry: Telemetry,
    ) -> None:
        self._database = database
        self._files = files
        self._readers = readers
        self._clock = clock
        self._telemetry = telemetry
        self._slots = {one.name: asyncio.Semaphore(one.at_once) for one in readers}
        self._rests = Rests()
        # What the last files of a reader had in common, and their digests.
        self._streaks: dict[str, tuple[str, set[str]]] = {}
        self._under_way: set[tuple[int, str]] = set()
        self._slugs: dict[int, str] = {}
        self._changed = ChangedMessages(database)
        slots = sum(one.at_once for one in readers)
        self.lanes: Lanes[_ClaimedText] = Lanes("Reading of files", self, slots)

    def mark(self, connection: Connection, account_id: int, key: str) -> None:
        """Mark a file that was just stored as due, if a reader takes it."""
        slug = dict(slugs_of(connection))[account_id]
        media_texts.mark(connection, account_id, key, lambda row: bool(self._readers_of(row, slug)))

    def _readers_of(self, row: Row, slug: str) -> list[FileReader]:
        return list(readers_of(self._readers, ReadableFile(row, slug, row["digest"] or "")))

    # What the lanes do

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        tokens = list(remove_abandoned_folders())
        if tokens:
            # While that cannot be written, they end by themselves.
            with suppress(Unreachable, UnusableFile):
                self._database.write(lambda c: media_texts.release(c, tokens))
        yield

    def accounts(self) -> Iterable[int]:
        if self._rests.is_resting(self._clock()):
            return ()
        self._slugs = dict(self._database.read_latest(slugs_of))
        return self._slugs

    def claim(self, account_id: int) -> _ClaimedText | None:
        now, token = self._clock(), secrets.token_hex(8)
        if not self._database.read_latest(lambda c: media_texts.any_due(c, account_id, now)):
            return None
        resting = self._rests.resting(0, now)
        for place, reader in enumerate(self._readers):
            if place in resting or self._slots[reader.name].locked():
                continue
            for file in self._due(account_id, reader, now):
                claimed = _ClaimedText(account_id, file, reader, token)
                until = now + round(1000 * reader.timeout) + MINUTE
                if self._database.write(partial(claimed.begin, Claim(token, now, until))):
                    self._under_way.add((account_id, file.digest))
                    return claimed
        self._forgo_strays(account_id, now)
        return None

    def _due(self, account_id: int, reader: FileReader, now: int) -> Iterable[ReadableFile]:
        """Files that are due and whose first reader this is, the newest first."""
        rows = self._database.read_latest(
            lambda c: media_texts.candidates(c, account_id, _condition(reader), now, LOOKED_THROUGH)
        )
        files = [ReadableFile(row, self._slugs[account_id], row["digest"]) for row in rows]
        own = [file for file in files if next(readers_of(self._readers, file), None) is reader]
        read = [one.row["key"] for one in own if one.row["text_by"] == reader.signature(one)]
        if read:
            self._database.write(lambda c: media_texts.forgo(c, account_id, read, now))
            self.lanes.look()
        # The same bytes are read once, and copied then.
        return (
            file
            for file in own
            if file.row["key"] not in read and (account_id, file.digest) not in self._under_way
        )

    def _forgo_strays(self, account_id: int, now: int) -> None:
        """Unmark files that no reader takes: an operator marked them, or readers have changed."""
        rows = self._database.read_latest(
            lambda c: media_texts.candidates(c, account_id, "1 = 1", now, LOOKED_THROUGH)
        )
        strays = [row["key"] for row in rows if not self._readers_of(row, self._slugs[account_id])]
        if strays:
            self._database.write(lambda c: media_texts.forgo(c, account_id, strays, now))
            self.lanes.look()

    async def run(self, claimed: _ClaimedText) -> None:
        """Read a file and settle its claim."""
        began = time.monotonic()
        try:
            outcome = await self._read(claimed)
        except asyncio.CancelledError:
            self._postpone(claimed, Failure("the service was stopped", counted=False))
            raise
        finally:
            self._under_way.discard((claimed.account_id, claimed.file.digest))
        self._telemetry.media_text(claimed.reader.name, outcome, time.monotonic() - began)

    def publish(self) -> None:
        self._telemetry.media_texts_resting(
            {
                reader.name: place in self._rests.resting(0, self._clock())
                for place, reader in enumerate(self._readers)
            }
        )
        self._changed.publish()

    async def _read(self, claimed: _ClaimedText) -> str:
        account_id, file, result = claimed.account_id, claimed.file, None
        reader = claimed.reader
        try:
            for reader in readers_of(self._readers, file):
                if excess := reader.excess(file):
                    return self._settle(claimed, result, excess)
                result = self._known(account_id, file, reader)
                if result is None:
                    async with self._slots[reader.name]:
                        result = await self._run(claimed, reader)
                    self._note(reader, file, result.text)
                if result.text:
                    break
        except FileGone as error:
            return self._settle(claimed, None, str(error))
        except NotRead as error:
            return self._failed(claimed, reader, error)
        except InboxError as error:
            # The files cannot be reached, or the disk is full: that of all readers.
            rest = Rest(ROOM_REST, ROOM, everywhere=True)
            return self._rest(claimed, reader, str(error), rest)
        return self._settle(claimed, result)

    def _known(self, account_id: int, file: ReadableFile, reader: FileReader) -> FileText | None:
        """What the reader has read in the same bytes."""
        by = reader.signature(file)
        return self._database.read_latest(
            lambda c: media_texts.copy_of(c, account_id, file.digest, by)
        )

    async def _run(self, claimed: _ClaimedText, reader: FileReader) -> FileText:
        file = claimed.file
        with private_folder(claimed.token) as folder:
            name = await asyncio.to_thread(copied, self._files, claimed.account_id, file, folder)
            return await words_of(reader, file, name, folder)

    def _settle(
        self, claimed: _ClaimedText, result: FileText | None, reason: str | None = None
    ) -> str:
        account_id, now = claimed.account_id, self._clock()
        message_id = self._database.write(
            lambda c: media_texts.settle(
                c, account_id, claimed.key, claimed.token, result, now, reason
            )
        )
        if message_id is None:
            return "lost"
        self._changed.add(account_id, message_id)
        return FAILED if result is None else READ if result.text else NONE

    def _failed(self, claimed: _ClaimedText, reader: FileReader, error: NotRead) -> str:
        attempts, reason = claimed.file.row["attempts"] + 1, str(error)
        if error.later:
            return self._rest(claimed, reader, reason, Rest(TOKEN_REST, RATE))
        if self._note(reader, claimed.file, None):
            # Something is wrong with the program: that is no fault of the file.
            return self._rest(claimed, reader, reason, Rest(BUDGET_REST, BUDGET))
        if attempts > len(RETRY_MILLISECONDS):
            _log.warning("The words of a file are given up: %s", reason)
            return self._settle(claimed, None, reason)
        due_at = self._clock() + RETRY_MILLISECONDS[attempts - 1]
        return self._postpone(claimed, Failure(reason, due_at=due_at))

    def _note(self, reader: FileReader, file: ReadableFile, text: str | None) -> bool:
        """Note what was read, None for a failure; True if a reader is to rest.

        Many files in a row that fail, or say the same, are no coincidence: a model is missing, or
        an error is printed as if it were words. It rests until one that is otherwise.
        """
        if text == "":
            self._streaks.pop(reader.name, None)
            return False
        alike, digests = self._streaks.get(reader.name, ("", set()))
        kind = FAILED if text is None else f"{READ} {text}"
        digests = digests if alike == kind else set()
        digests.add(file.digest)
        self._streaks[reader.name] = kind, digests
        is_over = len(digests) >= MOST_ALIKE
        if is_over and text is not None:
            _log.warning("%s reads the same in all files: it rests", reader.name)
            self._rest_reader(reader, Failure("", rest=Rest(BUDGET_REST, BUDGET)))
        return is_over

    def _rest(self, claimed: _ClaimedText, reader: FileReader, reason: str, rest: Rest) -> str:
        _log.warning("Reading of files rests: %s", reason)
        due_at = self._clock() + rest.milliseconds
        result = Failure(reason, due_at=due_at, counted=False, rest=rest)
        self._rest_reader(reader, result)
        return self._postpone(claimed, result)

    def _rest_reader(self, reader: FileReader, result: Failure) -> None:
        self._rests.failed((0, self._readers.index(reader)), result, self._clock())

    def _postpone(self, claimed: _ClaimedText, result: Failure) -> str:
        account_id = claimed.account_id
        self._database.write(
            lambda c: media.postpone(
                c, account_id, claimed.key, claimed.token,
                due_at=result.due_at, reason=result.reason, counted=result.counted,
                text=True,
            )
        )  # fmt: skip
        return "postponed"


def _condition(reader: FileReader) -> str:
    """Condition of `media` for the files that a reader may take, by type of message and of file."""
    kinds = ", ".join(f"'{kind}'" for kind in reader.kinds)
    types = " OR ".join(f"media.mime LIKE '{type.replace('*', '%')}'" for type in reader.types)
    return f"media.kind IN ({kinds}) AND ({types})"
