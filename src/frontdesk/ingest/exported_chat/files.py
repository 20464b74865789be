"""The text of an exported chat out of its file: plain, or in a zip with what was sent beside it."""

import stat
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from frontdesk.errors import UnusableFile
from frontdesk.text import clean

# The longest chats that phones write have 40,000 messages, or 10,000 with their files.
TEXT_LIMIT = 128 * 1024 * 1024
FILES_LIMIT = 50_000

_PREFERRED = "_chat.txt"


@dataclass(frozen=True, slots=True)
class Export:
    """A text, and the sizes of the files beside it by name."""

    text: str
    sizes: Mapping[str, int] = field(default_factory=dict)


def read(path: Path) -> Export:
    """The export in a .txt or a .zip.

    Raises: UnusableFile: it is neither, too large, or packed as no phone packs it.
    """
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return _unpacked(path, archive)
        with path.open("rb") as file:
            return Export(_decoded(path, file.read(TEXT_LIMIT + 1)))
    except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError) as error:
        raise UnusableFile(f"{_named(path)} cannot be unpacked") from error
    except OSError as error:
        raise UnusableFile(f"Cannot read {_named(path)}: {error.strerror}") from error


def _unpacked(path: Path, archive: zipfile.ZipFile) -> Export:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > FILES_LIMIT:
        raise UnusableFile(f"{_named(path)} has more than {FILES_LIMIT:,} files")
    for entry in entries:
        _refuse_trap(path, entry)
    texts = [entry for entry in entries if entry.filename.lower().endswith(".txt")]
    preferred = [entry for entry in texts if PurePosixPath(entry.filename).name == _PREFERRED]
    chosen = preferred or texts
    if len(chosen) != 1:
        found = f"{len(chosen)} texts" if chosen else "no text"
        raise UnusableFile(f"{_named(path)} has {found}; an export has one, {_PREFERRED} or *.txt")
    with archive.open(chosen[0]) as file:
        # What the entry says of its size may be a lie: no more than the limit is unpacked.
        text = _decoded(path, file.read(TEXT_LIMIT + 1))
    sizes = {PurePosixPath(entry.filename).name: entry.file_size for entry in entries}
    return Export(text, sizes)


def _refuse_trap(path: Path, entry: zipfile.ZipInfo) -> None:
    """Nothing is written anywhere, but what tries to leave its place is no export."""
    name = entry.filename.replace("\\", "/")
    if name.startswith("/") or ".." in name.split("/") or ":" in name.split("/")[0]:
        raise UnusableFile(f"{_named(path)} has a file outside of it: {clean(entry.filename)!r}")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise UnusableFile(f"{_named(path)} has a link in it: {clean(entry.filename)!r}")
    if entry.flag_bits & 1:
        raise UnusableFile(f"{_named(path)} is encrypted")


def _decoded(path: Path, raw: bytes) -> str:
    if len(raw) > TEXT_LIMIT:
        raise UnusableFile(f"The text in {_named(path)} is larger than {TEXT_LIMIT // 2**20} MiB")
    encoding = "utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnusableFile(f"{_named(path)} is not text in UTF-8") from error


def _named(path: Path) -> str:
    return clean(str(path))
