"""The file of `serve --media-readers`: tables of `FileReader`, validated with their lines.

Imported when such a file is named.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from frontdesk.cli.config import PROFILE_NAME, TableReader
from frontdesk.errors import BadSettings
from frontdesk.service.media.reader_table import FileReader
from frontdesk.system import private_files, toml


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
        values = FileReader(key, **reader.read(FileReader, place, written_table))
        if len(reader.mistakes) == before:
            for member, words in _mistakes_of(values, written_table):
                reader.report((*place, member) if member in written_table else place, words)
        found.append(values)
    if not tables and not reader.mistakes:
        reader.report((), "there is no reader: write [readers.NAME]")
    if reader.mistakes:
        raise BadSettings("\n".join(f"{path}, {mistake}" for mistake in reader.mistakes))
    return tuple(found)


def _mistakes_of(table: FileReader, written: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Mistakes between members: pairs of member and words."""
    if not PROFILE_NAME.fullmatch(table.name):
        yield "", f"{table.name!r} is no name: letters, digits, - and _ are"
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
