"""Readers of the words of files, as the operator's file has them: which files, programs, limits."""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from frontdesk.settings import Setting, byte_count, number, one_of_each, yes_or_no
from frontdesk.store.database import Row
from frontdesk.text.times import parse_duration
from frontdesk.wire.values import DIRECTIONS, MEDIA_TYPES

PLACEHOLDERS = ("file", "mime", "language", "seconds")
PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
SENDERS: Mapping[str, str] = MappingProxyType({"contact": "inbound", "business": "outbound"})

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


class ReadableFile(NamedTuple):
    """What a reader is chosen by. account: slug. channel: id of the phone number."""

    row: Row
    account: str
    digest: str

    @property
    def channel(self) -> str:
        return self.row["phone_number_id"] or ""

    @property
    def mime(self) -> str:
        return self.row["mime"] or ""


class FileReader(NamedTuple):
    """A program, or steps of several, for files of some messages: a table `[readers.NAME]`.

    languages: by the id of the channel. accounts, channels: () for all. output: "" for the standard
    output of the last step. fallthrough: the next reader has a file in which it finds nothing.
    """

    name: str
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

    def takes(self, file: ReadableFile) -> bool:
        direction = file.row["direction"]
        return (
            file.row["kind"] in self.kinds
            and any(fnmatchcase(file.mime, pattern) for pattern in self.types)
            and direction is not None
            and DIRECTIONS[direction] in map(SENDERS.__getitem__, self.senders)
            and (not self.accounts or file.account in self.accounts)
            and (not self.channels or file.channel in self.channels)
        )

    def excess(self, file: ReadableFile) -> str:
        """Why a file is not read though it is of the right kind, or ""."""
        row = file.row
        if (row["size"] or 0) > self.most_bytes:
            return f"the file has more than {self.most_bytes:,} bytes"
        # Where no length is known, the size alone bounds it.
        if (row["duration_ms"] or 0) > 1000 * self.most_seconds:
            return f"the file is longer than {self.most_seconds:,} seconds"
        if file.mime.startswith("image/"):
            if not row["width"] or not row["height"]:
                return "the size of the picture in pixels is not known"
            if row["width"] * row["height"] > self.most_pixels:
                return f"the picture has more than {self.most_pixels:,} pixels"
        return ""

    def language_of(self, file: ReadableFile) -> str:
        return self.languages.get(file.channel, self.language)

    def signature(self, file: ReadableFile) -> str:
        """Name of the reader with a digest of what it runs: the same reads the same."""
        told = json.dumps([self.run, self.output, self.language_of(file)])
        return f"{self.name}@{hashlib.sha256(told.encode()).hexdigest()[:8]}"

    @property
    def programs(self) -> list[str]:
        return [step[0] for step in self.run]
