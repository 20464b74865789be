"""Reads an exported chat from a .txt file, or from a .zip with media files."""

import errno
import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from frontdesk.errors import UnusableFile
from frontdesk.text.clean import clean, shortened

# Phones export at most 40,000 messages, or 10,000 with files.
TEXT_LIMIT = 128 * 1024 * 1024
FILES_LIMIT = 50_000

_PREFERRED = "_chat.txt"
# Signatures of a zip with and without files.
_ZIP_BEGINS = (b"PK\x03\x04", b"PK\x05\x06")
# Exceptions of the standard library for corrupt or unsupported archives.
DAMAGES = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, RuntimeError, ValueError, OverflowError, MemoryError),
)


@dataclass(frozen=True, slots=True)
class ExportFiles:
    """Text of an export, and sizes of its media files by name."""

    text: str
    sizes: Mapping[str, int] = field(default_factory=dict)


def read(path: Path) -> ExportFiles:
    """Read a .txt or .zip export.

    Raises: UnusableFile: neither, too large, damaged, or with an unusual compression.
    """
    try:
        with path.open("rb") as file:
            zipped = file.peek(4).startswith(_ZIP_BEGINS) or zipfile.is_zipfile(file)
            file.seek(0)
            if not zipped:
                return ExportFiles(_plain_text(path, file.read(TEXT_LIMIT + 1)))
            with zipfile.ZipFile(file) as archive:
                return _unpacked(path, archive)
    except NotImplementedError as error:
        raise UnusableFile(
            f"{_named(path)} is packed in a way that cannot be read here ({error}): unpack it with"
            " another program and import the text in it"
        ) from error
    except DAMAGES as error:
        raise UnusableFile(_damaged(path)) from error
    except OSError as error:
        # Raised by bzip2, and for offsets outside the file.
        if error.errno in (None, errno.EINVAL):
            raise UnusableFile(_damaged(path)) from error
        raise UnusableFile(f"Cannot read {_named(path)}: {error.strerror}") from error


def _damaged(path: Path) -> str:
    return (
        f"{_named(path)} is a zip that is damaged or cut off: copy it from the phone again, or"
        " export the chat again"
    )


def _unpacked(path: Path, archive: zipfile.ZipFile) -> ExportFiles:
    entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
    if len(entries) > FILES_LIMIT:
        raise UnusableFile(f"{_named(path)} has more than {FILES_LIMIT:,} files")
    for entry in entries:
        _refuse_trap(path, entry)
    texts = [entry for entry in entries if entry.filename.lower().endswith(".txt")]
    preferred = [entry for entry in texts if PurePosixPath(entry.filename).name == _PREFERRED]
    chosen = preferred or texts
    if len(chosen) != 1:
        contents = f"{len(chosen)} texts" if chosen else "no text"
        raise UnusableFile(
            f"{_named(path)} has {contents}; an export has one, {_PREFERRED} or *.txt"
        )
    with archive.open(chosen[0]) as file:
        # The declared size is not trusted: no more than the limit is unpacked.
        text = _decoded(f"The text in {_named(path)}", file.read(TEXT_LIMIT + 1))
    sizes = {PurePosixPath(entry.filename).name: entry.file_size for entry in entries}
    return ExportFiles(text, sizes)


def _refuse_trap(path: Path, entry: zipfile.ZipInfo) -> None:
    """Refuse paths outside the archive, links and encrypted files. Nothing is extracted to disk."""
    name = entry.filename.replace("\\", "/")
    if name.startswith("/") or ".." in name.split("/") or ":" in name.split("/")[0]:
        raise UnusableFile(
            f"{_named(path)} has a file outside of it: {shortened(clean(entry.filename))!r}"
        )
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise UnusableFile(f"{_named(path)} has a link in it: {shortened(clean(entry.filename))!r}")
    if entry.flag_bits & 1:
        raise UnusableFile(
            f"{_named(path)} is encrypted: unpack it with its password and import the text in it"
        )


def _plain_text(path: Path, raw: bytes) -> str:
    try:
        return _decoded(_named(path), raw)
    except UnusableFile as error:
        # A zip that lost its beginning is recognised only by its name.
        if path.suffix.lower() == ".zip":
            raise UnusableFile(
                f"{_named(path)} is damaged: it is no zip, and is not text in UTF-8 or UTF-16;"
                " copy it from the phone again, or export the chat again"
            ) from error
        raise


def _decoded(subject: str, raw: bytes) -> str:
    if len(raw) > TEXT_LIMIT:
        raise UnusableFile(f"{subject} is larger than {TEXT_LIMIT // 2**20} MiB")
    encoding = "utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnusableFile(f"{subject} is not text in UTF-8 or UTF-16") from error


def _named(path: Path) -> str:
    return clean(str(path))
