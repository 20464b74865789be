"""Files inside of the .zip of an exported chat, found by the names that the chat gives them."""

import contextlib
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from types import TracebackType

from frontdesk.errors import UnusableFile
from frontdesk.ingest.whatsapp_export.files import DAMAGES

CHUNK_BYTES = 65_536
# A member that unpacks to more than so many times its size is a bomb: pictures do not shrink.
MOST_RATIO = 200
_UTF8_FLAG = 0x800
_IGNORED = ("Cf", "Cc")


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
            for name in _spellings(entry):
                self._exact[_key(name)].add(entry.filename)
                self._folded[_key(name).casefold()].add(entry.filename)

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
        key = _key(name)
        found = self._exact.get(key) or self._folded.get(key.casefold()) or set()
        entries = [self._archive.getinfo(member) for member in found]
        same = {(entry.CRC, entry.file_size) for entry in entries}
        return min(found) if len(same) == 1 else None

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


def _spellings(entry: zipfile.ZipInfo) -> set[str]:
    """Names of a member; one without the flag of UTF-8 may be in it all the same."""
    names = {entry.filename}
    if not entry.flag_bits & _UTF8_FLAG:
        with contextlib.suppress(UnicodeError):
            names.add(entry.filename.encode("cp437").decode())
    return {PurePosixPath(name.replace("\\", "/")).name for name in names}


def _key(name: str) -> str:
    composed = unicodedata.normalize("NFC", name)
    return "".join(c for c in composed if unicodedata.category(c) not in _IGNORED).strip()
