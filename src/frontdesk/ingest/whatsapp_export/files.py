"""Reads an exported chat from a .txt file, or from a .zip with media files."""

import codecs
import contextlib
import errno
import lzma
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from frontdesk.errors import UnusableFile
from frontdesk.ingest.whatsapp_export.message_headers import family_of
from frontdesk.text.clean import clean, shortened

# Phones export at most 40,000 messages, or 10,000 with files.
TEXT_LIMIT = 128 * 1024 * 1024
LINES_LIMIT = 2_000_000
FILES_LIMIT = 50_000
_CHUNK = 1 << 20
# Enough to see whether a text begins as a chat does.
_BEGINNING = 16_384
_MOST_CHATS = 8
# Lines ends in a row that are kept, and the runs that may be longer.
_MOST_BLANK = 1_000
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")
# What browsers append to the name of a file that is there already.
_COPY = re.compile(r" ?\(\d{1,3}\)$")

_UTF8_FLAG = 0x800
_IGNORED = ("Cf", "Cc")
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
    """Text of an export, and sizes of its media files by `name_key`.

    member: the zip's member that the text is; None without a zip.
    """

    text: str
    sizes: Mapping[str, int] = field(default_factory=dict)
    member: str | None = None


def read(path: Path) -> ExportFiles:
    """Read a .txt or .zip export.

    Raises: UnusableFile: neither, too large, damaged, or with an unusual compression.
    """
    try:
        with path.open("rb") as file:
            zipped = file.peek(4).startswith(_ZIP_BEGINS) or zipfile.is_zipfile(file)
            file.seek(0)
            if not zipped:
                return ExportFiles(_plain_text(path, file))
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
    chosen, text = _chat(path, archive, entries)
    sizes = {
        name_key(name): entry.file_size
        for entry in entries
        if entry is not chosen
        for name in spellings(entry)
    }
    return ExportFiles(text, sizes, chosen.filename)


def _chat(
    path: Path, archive: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo]
) -> tuple[zipfile.ZipInfo, str]:
    """Return the chat and its text.

    It is the text that begins as a chat. Of several it is the one with the zip's name, the one that
    iOS names, or the only one that no other mentions: chats can be sent in chats.
    """
    texts = [entry for entry in entries if entry.filename.lower().endswith(".txt")]
    chats = [entry for entry in texts if _begins_as_chat(archive, entry)] or texts
    stem = _COPY.sub("", path.stem)
    for name in (f"{stem}.txt", _PREFERRED):
        named = [entry for entry in chats if name_key(name) in map(name_key, spellings(entry))]
        chats = named or chats
    if not 0 < len(chats) <= _MOST_CHATS:
        raise UnusableFile(_no_single_text(path, len(chats)))
    read = [(entry, _member_text(path, archive, entry)) for entry in chats]
    sent = {
        number
        for number, (entry, _) in enumerate(read)
        for other, text in read
        if other is not entry and PurePosixPath(entry.filename).name in text
    }
    left = [pair for number, pair in enumerate(read) if number not in sent]
    if len(left) != 1:
        raise UnusableFile(_no_single_text(path, len(chats)))
    return left[0]


def _no_single_text(path: Path, count: int) -> str:
    contents = f"{count} texts" if count else "no text"
    return (
        f"{_named(path)} has {contents} that may be the chat; an export has one, {_PREFERRED} or"
        " one with the name of the zip"
    )


def _begins_as_chat(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bool:
    with archive.open(entry) as file:
        start = file.read(_BEGINNING)
    return family_of(start.decode(_encoding(start), "replace").splitlines()) is not None


def _member_text(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> str:
    # The declared size is not trusted: no more than the limit is unpacked.
    with archive.open(entry) as file:
        return _decoded(f"The text in {_named(path)}", file)


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


def _plain_text(path: Path, file: IO[bytes]) -> str:
    try:
        return _decoded(_named(path), file)
    except UnusableFile as error:
        # A zip that lost its beginning is recognised only by its name.
        if path.suffix.lower() == ".zip":
            raise UnusableFile(
                f"{_named(path)} is damaged: it is no zip, and is not text in UTF-8 or UTF-16;"
                " copy it from the phone again, or export the chat again"
            ) from error
        raise


def _decoded(subject: str, file: IO[bytes]) -> str:
    """Read a text piece by piece, with long runs of blank lines shortened.

    Raises: UnusableFile: it is too long, or no text.
    """
    chunk = file.read(_CHUNK)
    decoder = codecs.getincrementaldecoder(_encoding(chunk))()
    parts: list[str] = []
    size = 0
    try:
        while chunk:
            size += len(chunk)
            if size > TEXT_LIMIT:
                raise UnusableFile(f"{subject} is larger than {TEXT_LIMIT // 2**20} MiB")
            parts.append(_BLANK_LINES.sub(_shortened_run, decoder.decode(chunk)))
            chunk = file.read(_CHUNK)
        parts.append(decoder.decode(b"", final=True))
    except UnicodeDecodeError as error:
        raise UnusableFile(f"{subject} is not text in UTF-8 or UTF-16") from error
    text = _BLANK_LINES.sub(_shortened_run, "".join(parts))
    if text.count("\n") > LINES_LIMIT:
        raise UnusableFile(f"{subject} has more than {LINES_LIMIT:,} lines")
    return text


def _encoding(start: bytes) -> str:
    return "utf-16" if start.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"


def _shortened_run(match: re.Match[str]) -> str:
    run = match[0]
    return run if run.count("\n") <= _MOST_BLANK else "\n" * _MOST_BLANK


def _named(path: Path) -> str:
    return clean(str(path))


def spellings(entry: zipfile.ZipInfo) -> set[str]:
    """Names of a member; one without the flag of UTF-8 may be in it all the same."""
    names = {entry.filename}
    if not entry.flag_bits & _UTF8_FLAG:
        with contextlib.suppress(UnicodeError):
            names.add(entry.filename.encode("cp437").decode())
    return {PurePosixPath(name.replace("\\", "/")).name for name in names}


def name_key(name: str) -> str:
    """A file's name in composed form without direction marks, as chats and zips are compared."""
    composed = unicodedata.normalize("NFC", name)
    return "".join(c for c in composed if unicodedata.category(c) not in _IGNORED).strip()
