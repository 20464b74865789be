"""Files inside of the .zip of an exported chat, found by the names that the chat gives them."""

import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType

from frontdesk.errors import UnusableFile
from frontdesk.ingest.whatsapp_export.files import DAMAGES, name_key, spellings

CHUNK_BYTES = 65_536
# A member that unpacks to more than so many times its size is a bomb: pictures do not shrink.
MOST_RATIO = 200


class ZipMembers:
    """Members of an archive. Use as a context.

    A name matches without its folder, in any Unicode form, without direction marks, and in the last
    resort in any case. A name that two members have finds neither, rather than the wrong one.
    """

    def __init__(self, path: Path) -> None:
        """Raises: UnusableFile: no zip, or damaged."""
        try:
            self._archive = zipfile.ZipFile(path)
        except (*DAMAGES, OSError) as error:
            raise UnusableFile(f"The files in {path} cannot be read") from error
        self._exact: defaultdict[str, set[str]] = defaultdict(set)
        self._folded: defaultdict[str, set[str]] = defaultdict(set)
        for entry in self._archive.infolist():
            if entry.is_dir():
                continue
            for name in spellings(entry):
                self._exact[name_key(name)].add(entry.filename)
                self._folded[name_key(name).casefold()].add(entry.filename)

    def __enter__(self) -> "ZipMembers":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._archive.close()

    def find(self, name: str) -> str | None:
        """Name of the member that the chat calls `name`; None if there is none, or more than one.

        Members of one name with the same contents are one.
        """
        found = self._named(name)
        entries = [self._archive.getinfo(member) for member in found]
        same = {(entry.CRC, entry.file_size) for entry in entries}
        return min(found) if len(same) == 1 else None

    def without_message(self, names: Iterable[str]) -> list[str]:
        """Names of the members that none of `names` means, in their order."""
        named = set().union(*map(self._named, names))
        return [
            entry.filename
            for entry in self._archive.infolist()
            if not entry.is_dir() and entry.filename not in named
        ]

    def _named(self, name: str) -> set[str]:
        key = name_key(name)
        return self._exact.get(key) or self._folded.get(key.casefold()) or set()

    def read(self, member: str) -> Iterator[bytes]:
        """Yield a member's bytes in chunks.

        Raises: UnusableFile: it is damaged, encrypted, or unpacks to far more than it should.
        """
        entry = self._archive.getinfo(member)
        left = MOST_RATIO * max(entry.compress_size, CHUNK_BYTES)
        try:
            with self._archive.open(entry) as file:
                while chunk := file.read(CHUNK_BYTES):
                    left -= len(chunk)
                    if left < 0:
                        raise UnusableFile("It unpacks to far more than its size")
                    yield chunk
        except (*DAMAGES, OSError, NotImplementedError) as error:
            raise UnusableFile("It is damaged in the archive") from error
