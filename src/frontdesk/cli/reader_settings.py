"""The file of `serve --media-readers`: tables `[readers.NAME]`, validated with their lines.

Imported when such a file is named.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from frontdesk.cli.config import PROFILE_NAME, TableReader
from frontdesk.cli.media import byte_count
from frontdesk.errors import BadSettings
from frontdesk.service.media.readers import PLACEHOLDER, PLACEHOLDERS, SENDERS, FileReader
from frontdesk.settings import Setting, number, one_of_each, yes_or_no
from frontdesk.system import private_files, toml
from frontdesk.text.times import parse_duration
from frontdesk.wire.values import MEDIA_TYPES

_LONGEST_SECONDS = 1_800
_MIME_TYPE = re.compile(r"[a-z]+/([a-z0-9][a-z0-9.+-]*|\*)")
_FILE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9_+.-]{0,39}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RUN_EXAMPLE = 'use a program and its arguments, ["tesseract", "{file}", "-"], or a list of such'


def _types(value: object) -> tuple[str, ...]:
    found = _texts(value)
    if not found or not all(map(_MIME_TYPE.fullmatch, found)):
        raise ValueError('use a list of MIME types: ["audio/*"], ["image/jpeg", "image/png"]')
    return found


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise ValueError("use a list of texts in quotes")
    return tuple(value)


def _run(value: object) -> tuple[tuple[str, ...], ...]:
    steps = value if isinstance(value, list) and value else [[]]
    if all(isinstance(one, str) for one in steps):
        steps = [steps]
    for step in steps:
        if not isinstance(step, list) or not all(isinstance(word, str) for word in step):
            raise ValueError(_RUN_EXAMPLE)
        if not step or not step[0].strip() or any("\0" in word for word in step):
            raise ValueError(_RUN_EXAMPLE)
        if PLACEHOLDER.search(step[0]):
            raise ValueError("the name of a program has no placeholder")
        if "/" in step[0] and not os.path.isabs(step[0]):
            raise ValueError(f"{step[0]} is run in another folder: use its name, or its whole path")
        for found in (found for word in step for found in PLACEHOLDER.findall(word)):
            if found not in PLACEHOLDERS:
                allowed = ", ".join(f"{{{one}}}" for one in PLACEHOLDERS)
                raise ValueError(f"there is no {{{found}}}: use {allowed}")
    return tuple(map(tuple, steps))


def _seconds(value: object) -> float:
    length = parse_duration(value, "smh") if isinstance(value, str) else None
    if length is None or not 0 < length.total_seconds() <= _LONGEST_SECONDS:
        raise ValueError('use a time like "90s" or "2m", up to "30m"')
    return length.total_seconds()


def _language(value: object) -> str:
    if not isinstance(value, str) or not _LANGUAGE.fullmatch(value):
        raise ValueError('use the name that the program knows it by, such as "es" or "spa+eng"')
    return value


def _languages(value: object) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise ValueError('use a table of channels: 106540352242922 = "pt"')
    return {channel: _language(language) for channel, language in value.items()}


def _environment(value: object) -> Mapping[str, str]:
    values: dict[str, Any] = value if isinstance(value, dict) else {"": None}
    for name, one in values.items():
        if not _VARIABLE.fullmatch(name) or not isinstance(one, str) or "\0" in one:
            raise ValueError('use a table of texts: { OMP_THREAD_LIMIT = "1" }')
    return values


def _output(value: object) -> str:
    if not isinstance(value, str) or not _FILE_NAME.fullmatch(value):
        raise ValueError("use the name of a file, without a folder")
    return value


class ReaderTable(NamedTuple):
    """A table `[readers.NAME]`: the members of `FileReader` besides its name."""

    kinds: Annotated[
        tuple[str, ...],
        Setting(one_of_each(*MEDIA_TYPES), "Types of messages. Needed.", '["audio"]', "for"),
    ] = ()
    types: Annotated[
        tuple[str, ...],
        Setting(
            _types,
            "MIME types by the first bytes of the file, whatever its sender said. Needed.",
            '["audio/*"]',
        ),
    ] = ()
    run: Annotated[
        tuple[tuple[str, ...], ...],
        Setting(
            _run,
            "A program and its arguments, or a list of such: steps, of which the last one writes"
            " the text. `{file}`, `{mime}`, `{language}` and `{seconds}` are filled in. Needed.",
            '["tesseract", "{file}", "-"]',
        ),
    ] = ()
    language: Annotated[
        str, Setting(_language, "What `{language}` is; the text is marked with it.", '"es"')
    ] = ""
    languages: Annotated[
        Mapping[str, str],
        Setting(_languages, "Other languages, by the id of the channel.", '{ 1065 = "pt" }'),
    ] = {}
    timeout: Annotated[
        float, Setting(_seconds, "Time for all steps; they are ended then.", '"2m"')
    ] = 120.0
    at_once: Annotated[
        int, Setting(number(1, 64, "use a number, 1 to 64"), "Runs at once of each worker.", "1")
    ] = 1
    most_bytes: Annotated[
        int, Setting(byte_count, "Files that are larger are not read.", '"25MB"')
    ] = 25_000_000
    most_seconds: Annotated[
        int,
        Setting(
            number(1, 86_400, "use a number of seconds, 1 to 86400"),
            "Sounds that are longer are not read.",
            "1200",
        ),
    ] = 1_200
    most_pixels: Annotated[
        int,
        Setting(
            number(1, 1_000_000_000, "use a number of pixels, up to 1000000000"),
            "Pictures with more pixels, and those whose size is not known, are not read.",
            "40000000",
        ),
    ] = 40_000_000
    memory: Annotated[int, Setting(byte_count, "Memory of each step (address space).", '"2GB"')] = (
        2_000_000_000
    )
    senders: Annotated[
        tuple[str, ...],
        Setting(one_of_each(*SENDERS), "Whose files: `contact`, `business`.", '["contact"]'),
    ] = ("contact",)
    accounts: Annotated[
        tuple[str, ...], Setting(_texts, "Only of these accounts.", '["shop"]')
    ] = ()
    channels: Annotated[
        tuple[str, ...], Setting(_texts, "Only of the channels with these ids.", '["1065"]')
    ] = ()
    environment: Annotated[
        Mapping[str, str],
        Setting(
            _environment,
            "Variables of the program, besides PATH, HOME, LANG, LC_*, TZ and TMPDIR.",
            '{ OMP_THREAD_LIMIT = "1" }',
        ),
    ] = {}
    output: Annotated[
        str,
        Setting(
            _output, "The file that the last step writes; its standard output otherwise.", '"a.txt"'
        ),
    ] = ""
    fallthrough: Annotated[
        bool,
        Setting(yes_or_no, "Where it finds no words, the next reader has the file.", "false"),
    ] = False


def read_readers(name: str) -> tuple[FileReader, ...]:
    """Readers of a file, the first match first. Raises: BadSettings: each mistake with its line."""
    path = Path(name)
    try:
        with path.open("rb") as file:
            written = file.read()
            others = private_files.can_be_written_by_others(os.fstat(file.fileno()))
        document = written.decode()
        members = toml.loads(document)
    except OSError as error:
        raise BadSettings(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadSettings(f"{path} is not TOML: {error}") from error
    if others:
        raise BadSettings(
            f"Others can change {path}, so its programs are not run: chmod go-w {path}"
        )
    reader = TableReader(document)
    for other in members.keys() - {"readers"}:
        reader.report((other,), f"{other!r} means nothing here: write [readers.NAME]")
    found = []
    tables = reader.table(("readers",), members)
    for key in tables:
        place = ("readers", key)
        written_table = reader.table(place, tables)
        before = len(reader.mistakes)
        values = ReaderTable(**reader.read(ReaderTable, place, written_table))
        if len(reader.mistakes) == before:
            for member, words in _mistakes_of(key, values, written_table):
                reader.report((*place, member) if member in written_table else place, words)
        found.append(FileReader(key, **values._asdict()))
    if not tables and not reader.mistakes:
        reader.report((), "there is no reader: write [readers.NAME]")
    if reader.mistakes:
        raise BadSettings("\n".join(f"{path}, {mistake}" for mistake in reader.mistakes))
    return tuple(found)


def _mistakes_of(
    name: str, table: ReaderTable, written: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Mistakes between members: pairs of member and words."""
    if not PROFILE_NAME.fullmatch(name):
        yield "", f"{name!r} is no name: letters, digits, - and _ are"
    for member in ("for", "types", "run"):
        if member not in written:
            yield member, f"a reader needs {member}"
    asks = any("{language}" in word for step in table.run for word in step)
    if asks and not table.language:
        yield "run", '{language} needs a language: write language = "es"'


def checked_readers(name: str) -> tuple[FileReader, ...]:
    """Readers of a file, whose programs are there; nothing is run. Raises: BadSettings."""
    readers = read_readers(name)
    missing = [
        f"{name}: the reader {reader.name} runs {program}, which is not there"
        for reader in readers
        for program in dict.fromkeys(reader.programs)
        if shutil.which(program) is None
    ]
    if missing:
        raise BadSettings("\n".join(missing))
    return readers
