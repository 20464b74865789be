"""Validates hand-written catalogues (TOML or JSON) and converts them to events (pure)."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from frontdesk import toml
from frontdesk.ingest.events import (
    CannedResponseUpsert,
    ChannelUpsert,
    CustomFieldUpsert,
    DomainEvent,
    LabelUpsert,
    TeamUpsert,
    UserUpsert,
)
from frontdesk.ingest.native_catalogue import COLOR, FIELD_TYPES
from frontdesk.store.folding import label_key
from frontdesk.wire.words import CHANNEL_ID

_CHANNEL_ID = re.compile(CHANNEL_ID)
_FIELD_KEY = re.compile(r"[\w.\-]{1,64}")
_TITLE = re.compile(r"\S(?:[^\x00-\x1f]{0,98}\S)?")
_E_MAIL = re.compile(r"[^@\s]+@[^@\s]+")
_NAMES_SHOWN = 12
_VALUE_SHOWN = 60
# JSON escapes can encode lone surrogates, which databases reject.
_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_CHARACTER = "has an escape that is no character, such as \\ud800 alone; write the character"


@dataclass(frozen=True, slots=True)
class Problem:
    """Invalid value, with its path in the file, such as `teams[2].channels[0]`."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Known:
    """Existing rows that a file may refer to.

    channels: phone_number_id by id, alias and phone; users: keys.
    """

    channels: Mapping[str, str] = field(default_factory=dict)
    users: frozenset[str] = frozenset()


def parsed(text: str, *, is_json: bool) -> Mapping[str, Any]:
    """Parse a file. Raises: ValueError: invalid syntax."""
    contents = json.loads(text) if is_json else toml.loads(text)
    if not isinstance(contents, dict):
        raise ValueError("it is not an object")
    return contents


def events(
    contents: Mapping[str, Any], known: Known, at: int
) -> tuple[list[DomainEvent], list[Problem]]:
    """Convert a file's contents, valid as of `at`. Apply no events if there are problems."""
    reading = _Reading(known, at)
    reading.read(contents)
    return reading.events, reading.problems


class _Reading:
    """Conversion of one file; collects events and problems."""

    def __init__(self, known: Known, at: int) -> None:
        self.events: list[DomainEvent] = []
        self.problems: list[Problem] = []
        self.at = at
        self.channels = dict(known.channels)
        self.users = set(known.users)

    def read(self, contents: Mapping[str, Any]) -> None:
        for name in contents.keys() - _SECTIONS.keys():
            self.problems.append(Problem(name, f"not known; allowed: {', '.join(_SECTIONS)}"))
        for name, section in _SECTIONS.items():
            seen: set[str] = set()
            for entry in self._entries(name, contents.get(name, [])):
                before = len(self.problems)
                told, key = section(self, entry)
                if key in seen:
                    self.problems.append(Problem(entry.path, f"{_quoted(key)} is there before"))
                seen.add(key)
                entry.finish()
                if len(self.problems) == before:
                    self.events.append(told)

    def _entries(self, name: str, rows: Any) -> Iterator["_Entry"]:
        if not isinstance(rows, list):
            self.problems.append(Problem(name, f"not a list; in TOML, write [[{name}]]"))
            return
        for position, row in enumerate(rows):
            path = f"{name}[{position}]"
            if isinstance(row, dict):
                yield _Entry(path, row, self.problems)
            else:
                self.problems.append(Problem(path, "not a table of names and values"))


class _Entry:
    """Entry of a section; problems of its values are added to `problems`."""

    def __init__(self, path: str, row: Mapping[str, Any], problems: list[Problem]) -> None:
        self.path = path
        self._row = row
        self._problems = problems
        self._asked: list[str] = []

    def text(
        self,
        name: str,
        allowed: Sequence[str] | re.Pattern[str] | None = None,
        such_as: str = "",
    ) -> str | None:
        """Return an optional text; "" clears the stored value."""
        value = self._value(name)
        if value is None:
            return None
        if not isinstance(value, str) or "\x00" in value:
            self.refuse(name, "not a text")
        elif _SURROGATE.search(value):
            self.refuse(name, _NO_CHARACTER)
        elif isinstance(allowed, re.Pattern):
            if not allowed.fullmatch(value):
                self.refuse(name, f"{_quoted(value)} is not allowed; {such_as}")
        elif allowed is not None and value not in allowed:
            self.refuse(name, f"{_quoted(value)} is not known; allowed: {', '.join(allowed)}")
        return str(value)

    def needed(self, name: str, allowed: re.Pattern[str] | None = None, such_as: str = "") -> str:
        """Return a required, non-empty text."""
        text = self.text(name, allowed, such_as)
        if not text:
            self.refuse(name, "missing")
        return text or ""

    def flag(self, name: str) -> bool | None:
        value = self._value(name)
        if value is not None and not isinstance(value, bool):
            self.refuse(name, "not true or false")
        return None if value is None else bool(value)

    def number(self, name: str) -> int | None:
        value = self._value(name)
        if value is not None and (type(value) is not int or not 0 <= value < 10**6):
            self.refuse(name, "not a whole number from 0 to 999999")
            return None
        return value

    def texts(self, name: str) -> tuple[str, ...] | None:
        values = self._value(name)
        if values is None:
            return None
        if not isinstance(values, list):
            self.refuse(name, "not a list")
            return ()
        for position, value in enumerate(values):
            if not isinstance(value, str) or not value:
                self.refuse(f"{name}[{position}]", "not a text")
            elif _SURROGATE.search(value) or "\x00" in value:
                self.refuse(f"{name}[{position}]", _NO_CHARACTER)
        return tuple(value for value in values if isinstance(value, str) and value)

    def refuse(self, name: str, reason: str) -> None:
        self._problems.append(Problem(f"{self.path}.{name}", reason))

    def finish(self) -> None:
        """Report unknown members, which are misspelt or belong elsewhere."""
        for name in self._row.keys() - set(self._asked):
            self.refuse(name, f"not known; allowed: {', '.join(self._asked)}")

    def _value(self, name: str) -> Any:
        self._asked.append(name)
        return self._row.get(name)


def _quoted(value: str) -> str:
    """Quote a value for a message, truncated."""
    return repr(value if len(value) <= _VALUE_SHOWN else f"{value[:_VALUE_SHOWN]}…")


def _channel(reading: _Reading, entry: _Entry) -> tuple[DomainEvent, str]:
    number = entry.needed("id", _CHANNEL_ID, "the id of a number has 1 to 20 digits")
    alias = entry.text("alias")
    reading.channels[number] = number
    if alias:
        reading.channels[alias] = number
    return ChannelUpsert(number, reading.at, alias=alias), number


def _user(reading: _Reading, entry: _Entry) -> tuple[DomainEvent, str]:
    email = entry.text("email", _E_MAIL, "an e-mail address has an @")
    key = entry.text("external_id") or email
    name = entry.text("name") or key
    if not key:
        entry.refuse("email", "missing; without one, give external_id")
    event = UserUpsert(
        key=key or "",
        name=name or "",
        at=reading.at,
        email=email,
        role=entry.text("role", ("agent", "administrator")),
        availability=entry.text("availability", ("online", "busy", "offline", "")),
        active=entry.flag("active"),
        avatar_url=entry.text("avatar_url"),
    )
    reading.users.add(event.key)
    return event, event.key


def _label(reading: _Reading, entry: _Entry) -> tuple[DomainEvent, str]:
    title = entry.needed("title", _TITLE, "a title has one to 100 characters on a line").lower()
    color = entry.text("color")
    if color is not None and not COLOR.fullmatch(color.lower()):
        entry.refuse("color", f"{_quoted(color)} is not a colour such as #1f93ff")
    event = LabelUpsert(
        title, reading.at, color.lower() if color else None, entry.text("description")
    )
    return event, label_key(title)


def _team(reading: _Reading, entry: _Entry) -> tuple[DomainEvent, str]:
    name = entry.needed("name")
    channels = entry.texts("channels") or ()
    members = entry.texts("members") or ()
    _refuse_unknown(entry, "channels", channels, reading.channels, "channel")
    _refuse_unknown(entry, "members", members, reading.users, "user")
    event = TeamUpsert(
        name=name,
        at=reading.at,
        description=entry.text("description"),
        channels=tuple(reading.channels.get(channel, channel) for channel in channels),
        members=members,
        distribution=entry.text("distribution", ("round_robin", "off")),
    )
    return event, name


def _refuse_unknown(
    entry: _Entry, name: str, values: Sequence[str], known: Mapping[str, str] | set[str], kind: str
) -> None:
    for position, value in enumerate(values):
        if value not in known:
            names = sorted(known)
            more = f", and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
            told = f"{', '.join(names[:_NAMES_SHOWN])}{more}" if names else "none yet"
            entry.refuse(f"{name}[{position}]", f"no {kind} {_quoted(value)}; known: {told}")


def _custom_field(reading: _Reading, entry: _Entry) -> tuple[DomainEvent, str]:
    key = entry.needed("key", _FIELD_KEY, "a key has letters, digits, _ . and -")
    type_, options = entry.text("type", FIELD_TYPES), entry.texts("options")
    if type_ == "list" and not options:
        entry.refuse("options", "missing; a list is chosen from them")
    event = CustomFieldUpsert(
        key=key,
        name=entry.text("name") or key,
        at=reading.at,
        type=type_,
        description=entry.text("description"),
        options=options,
        position=entry.number("position"),
        pattern=entry.text("pattern"),
        pattern_hint=entry.text("pattern_hint"),
    )
    return event, key


def _canned_response(reading: _Reading, entry: _Entry) -> tuple[DomainEvent, str]:
    code = entry.needed("short_code")
    return CannedResponseUpsert(code, entry.needed("text"), reading.at), code


# In dependency order.
_SECTIONS: Mapping[str, Callable[[_Reading, _Entry], tuple[DomainEvent, str]]] = MappingProxyType(
    {
        "channels": _channel,
        "users": _user,
        "labels": _label,
        "custom_fields": _custom_field,
        "canned_responses": _canned_response,
        "teams": _team,
    }
)
