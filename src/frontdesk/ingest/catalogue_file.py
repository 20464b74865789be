"""Imports hand-written catalogues (TOML or JSON): validates a file, applies it, lists differences.

pydantic validates the values; names of channels and users are looked up in the file and the
database. A file is applied completely, or not at all.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Annotated, Any, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import ErrorDetails

from frontdesk.business_hours import BusinessHours, parse_hours
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.archive import native_lines
from frontdesk.ingest.archive.native_lines import COLOR
from frontdesk.ingest.events import DomainEvent
from frontdesk.ingest.json_reader import Malformed
from frontdesk.store import dump
from frontdesk.store.business_hours import hours_of, set_hours
from frontdesk.store.contacts import label_key
from frontdesk.store.database import Connection, Row
from frontdesk.system import toml
from frontdesk.wire.values import CHANNEL_ID, FIELD_TYPES

BUSINESS_HOURS = "business_hours"
_NAMES_SHOWN = 12
_VALUE_SHOWN = 60
_LONGEST = 120
# JSON escapes can encode lone surrogates, which databases reject.
_NO_CHARACTER = "has an escape that is no character, such as \\ud800 alone; write the character"
# Messages by the type of pydantic's error.
_REASONS = {
    "missing": "missing",
    **dict.fromkeys(("string_too_short", "too_short"), "missing"),
    "string_type": "not a text",
    "string_unicode": _NO_CHARACTER,
    "bool_type": "not true or false",
    "list_type": "not a list",
    "model_type": "not a table of names and values",
    **dict.fromkeys(
        ("int_type", "greater_than_equal", "less_than"), "not a whole number from 0 to 999999"
    ),
}

# Display name and key column of each kind.
_KINDS: Mapping[str, tuple[str, str]] = {
    "channel": ("channel", "phone_number_id"),
    "user": ("user", "key"),
    "label": ("label", "title"),
    "custom_field": ("custom field", "key"),
    "canned_response": ("canned response", "short_code"),
    "template": ("template", "id"),
    "team": ("team", "name"),
}
# Columns that a file does not set.
_HIDDEN = frozenset(
    (
        *("account_id", "id", "times_json", "name_key", "title_key", "created_at", "updated_at"),
        *("last_assigned", "synced_at"),
    )
)

# Rows by kind and key.
Catalogues = Mapping[tuple[str, str], Mapping[str, Any]]


def _storable(value: str) -> str:
    if "\x00" in value:
        raise ValueError("not a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(_NO_CHARACTER) from None
    return value


def _not_empty(value: str) -> str:
    if not value:
        raise ValueError("not a text")
    return value


def _color(value: str) -> str:
    if not COLOR.fullmatch(value.lower()):
        raise ValueError(f"{_quoted(value)} is not a colour such as #1f93ff")
    return value.lower()


def _one_of(*allowed: str) -> AfterValidator:
    def check(value: str) -> str:
        if value not in allowed:
            raise ValueError(f"{_quoted(value)} is not known; allowed: {', '.join(allowed)}")
        return value

    return AfterValidator(check)


def _matching(pattern: str) -> StringConstraints:
    return StringConstraints(min_length=1, pattern=f"^(?:{pattern})$")


# "" clears the stored value.
_Text = Annotated[str, AfterValidator(_storable)]
_NeededText = Annotated[_Text, StringConstraints(min_length=1)]
_Texts = list[Annotated[_Text, AfterValidator(_not_empty)]]


class _Entry(BaseModel):
    """Entry of a section. The description of a field says what its pattern allows."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", defer_build=True)


class _ChannelEntry(_Entry):
    id: Annotated[str, _matching(CHANNEL_ID)] = Field(
        description="the id of a number has 1 to 20 digits"
    )
    alias: _Text | None = None

    @property
    def key(self) -> str:
        return self.id


class _UserEntry(_Entry):
    external_id: _Text | None = None
    email: Annotated[_Text, _matching(r"[^@\s]+@[^@\s]+")] | None = Field(
        default=None, validate_default=True, description="an e-mail address has an @"
    )
    name: _Text | None = None
    role: Annotated[_Text, _one_of("agent", "administrator")] | None = None
    availability: Annotated[_Text, _one_of("online", "busy", "offline", "")] | None = None
    active: bool | None = None
    avatar_url: _Text | None = None

    @field_validator("email")
    @classmethod
    def _has_key(cls, email: str | None, entry: ValidationInfo) -> str | None:
        if not email and not entry.data.get("external_id"):
            raise ValueError("missing; without one, give external_id")
        return email

    @property
    def key(self) -> str:
        return self.external_id or self.email or ""


class _LabelEntry(_Entry):
    title: Annotated[_Text, _matching(r"\S(?:[^\x00-\x1f]{0,98}\S)?")] = Field(
        description="a title has one to 100 characters on a line"
    )
    color: Annotated[str, AfterValidator(_color)] | None = None
    description: _Text | None = None

    @property
    def key(self) -> str:
        return label_key(self.title.lower())


class _CustomFieldEntry(_Entry):
    key: Annotated[str, _matching(r"[\w.\-]{1,64}")] = Field(
        description="a key has letters, digits, _ . and -"
    )
    type: Annotated[_Text, _one_of(*FIELD_TYPES)] | None = None
    options: _Texts | None = Field(default=None, validate_default=True)
    name: _Text | None = None
    description: _Text | None = None
    position: Annotated[int, Field(ge=0, lt=10**6)] | None = None
    pattern: _Text | None = None
    pattern_hint: _Text | None = None

    @field_validator("options")
    @classmethod
    def _has_options(cls, options: list[str] | None, entry: ValidationInfo) -> list[str] | None:
        if not options and entry.data.get("type") == "list":
            raise ValueError("missing; a list is chosen from them")
        return options


class _CannedResponseEntry(_Entry):
    short_code: _NeededText
    text: _NeededText

    @property
    def key(self) -> str:
        return self.short_code


class _TeamEntry(_Entry):
    name: _NeededText
    channels: _Texts = []
    members: _Texts = []
    description: _Text | None = None
    distribution: Annotated[_Text, _one_of("round_robin", "off")] | None = None

    @property
    def key(self) -> str:
        return self.name


class _CatalogueFile(_Entry):
    channels: list[_ChannelEntry] = []
    users: list[_UserEntry] = []
    labels: list[_LabelEntry] = []
    custom_fields: list[_CustomFieldEntry] = []
    canned_responses: list[_CannedResponseEntry] = []
    teams: list[_TeamEntry] = []


@dataclass(frozen=True, slots=True)
class CatalogueProblem:
    """Invalid value, with its path in the file, such as `teams[2].channels[0]`."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True, slots=True)
class References:
    """Existing rows that a file may refer to.

    channels: phone_number_id by id, alias and phone; users: keys.
    """

    channels: Mapping[str, str] = field(default_factory=dict)
    users: frozenset[str] = frozenset()


def parse_file(text: str, *, is_json: bool) -> Mapping[str, Any]:
    """Parse a file. Raises: ValueError: invalid syntax."""
    contents = json.loads(text) if is_json else toml.loads(text)
    if not isinstance(contents, dict):
        raise ValueError("it is not an object")
    return contents


def events(
    contents: Mapping[str, Any], references: References, at: int
) -> tuple[list[DomainEvent], list[CatalogueProblem]]:
    """Convert a file's contents, valid as of `at`. Apply no events if there are problems."""
    try:
        file = _CatalogueFile.model_validate(contents)
    except ValidationError as error:
        return [], [_problem(fault, contents) for fault in error.errors(include_url=False)]
    channels = {**references.channels, **{row.id: row.id for row in file.channels}}
    channels |= {row.alias: row.id for row in file.channels if row.alias}
    users = references.users | {row.key for row in file.users}
    problems = [*_repeated(file), *_unknown_references(file, channels, users)]
    if problems:
        return [], problems
    rows: list[DomainEvent] = []
    for name, entries in file:
        for position, entry in enumerate(entries):
            line = {"kind": name.removesuffix("s"), **entry.model_dump(exclude_none=True)}
            if name == "teams":
                line["channels"] = [channels[channel] for channel in entry.channels]
            try:
                rows += native_lines.convert(line, at)
            except Malformed as error:
                problems.append(CatalogueProblem(f"{name}[{position}]", str(error)))
    return ([], problems) if problems else (rows, [])


def _problem(fault: ErrorDetails, contents: Mapping[str, Any]) -> CatalogueProblem:
    """Convert an error of pydantic."""
    location, reason = fault["loc"], _REASONS.get(fault["type"])
    model: type[BaseModel] = _CatalogueFile
    if len(location) > 1:
        (model,) = get_args(_CatalogueFile.model_fields[str(location[0])].annotation)
    if fault["type"] == "extra_forbidden":
        reason = f"not known; allowed: {', '.join(model.model_fields)}"
    elif fault["type"] == "string_pattern_mismatch":
        description = model.model_fields[str(location[-1])].description
        reason = f"{_quoted(fault['input'])} is not allowed; {description}"
    elif fault["type"] == "list_type" and len(location) == 1:
        reason = f"not a list; in TOML, write [[{location[0]}]]"
    elif fault["type"] == "string_unicode" and isinstance(_value_at(contents, location), dict):
        # The name of a member, which pydantic leaves out of the location.
        location = (*location, fault["input"])
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return CatalogueProblem(path.removeprefix("."), reason or str(fault["ctx"]["error"]))


def _value_at(contents: Any, location: tuple[int | str, ...]) -> Any:
    return reduce(lambda value, part: value[part], location, contents)


def _repeated(file: _CatalogueFile) -> Iterator[CatalogueProblem]:
    for name, rows in file:
        keys: set[str] = set()
        for position, row in enumerate(rows):
            if row.key in keys:
                yield CatalogueProblem(f"{name}[{position}]", f"{_quoted(row.key)} is there before")
            keys.add(row.key)


def _unknown_references(
    file: _CatalogueFile, channels: Collection[str], users: Collection[str]
) -> Iterator[CatalogueProblem]:
    for position, team in enumerate(file.teams):
        path = f"teams[{position}]"
        yield from _unknown(f"{path}.channels", team.channels, channels, "channel")
        yield from _unknown(f"{path}.members", team.members, users, "user")


def _unknown(
    path: str, values: Sequence[str], names: Collection[str], kind: str
) -> Iterator[CatalogueProblem]:
    for position, value in enumerate(values):
        if value not in names:
            more = f", and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
            listed = f"{', '.join(sorted(names)[:_NAMES_SHOWN])}{more}" if names else "none yet"
            yield CatalogueProblem(
                f"{path}[{position}]", f"no {kind} {_quoted(value)}; known: {listed}"
            )


def _quoted(value: str) -> str:
    """Quote a value for a message, truncated."""
    return repr(value if len(value) <= _VALUE_SHOWN else f"{value[:_VALUE_SHOWN]}…")


def references(connection: Connection, account_id: int) -> References:
    """Return the channels and users that a file may refer to."""
    channels: dict[str, str] = {}
    for row in dump.rows_of(connection, account_id, "channel"):
        number = row["phone_number_id"]
        for name in (row["alias"], row["phone"]):
            if name:
                channels.setdefault(name, number)
        channels[number] = number
    users = (row["key"] for row in dump.rows_of(connection, account_id, "user"))
    return References(channels, frozenset(users))


def catalogues(connection: Connection, account_id: int) -> Catalogues:
    """Return all catalogue rows by kind and key, with their user-visible columns."""
    rows: dict[tuple[str, str], Mapping[str, Any]] = {}
    names: dict[tuple[str, int], str] = {}
    channels = dump.links(connection, account_id, "team_channel")
    members = dump.links(connection, account_id, "team_member")
    for kind, (_, key) in _KINDS.items():
        for row in dump.rows_of(connection, account_id, kind):
            names[kind, row["id"]] = row[key]
            rows[kind, row[key]] = _visible(row, key)
            if kind == "team":
                linked = {
                    "channels": [names["channel", each] for each in channels.get(row["id"], ())],
                    "members": [names["user", each] for each in members.get(row["id"], ())],
                }
                rows[kind, row[key]] = {**rows[kind, row[key]], **linked}
    return rows


def import_file(
    connection: Connection, account_id: int, contents: Mapping[str, Any], now: int
) -> tuple[list[str], list[CatalogueProblem]]:
    """Apply a file completely, or not at all if it has any problem.

    Returns the resulting differences, and the problems.
    """
    lists = {name: value for name, value in contents.items() if name != BUSINESS_HOURS}
    rows, problems = events(lists, references(connection, account_id), now)
    hours: BusinessHours | None = None
    if BUSINESS_HOURS in contents:
        try:
            hours = parse_hours(contents[BUSINESS_HOURS])
        except (AttributeError, ValueError) as error:
            problems.append(CatalogueProblem(BUSINESS_HOURS, str(error)))
    if problems:
        return [], problems
    changes = apply_catalogue(connection, account_id, rows, now)
    if hours is not None and hours != hours_of(connection, account_id):
        set_hours(connection, account_id, hours)
        changes.append("~ business hours")
    return changes, []


def apply_catalogue(
    connection: Connection, account_id: int, events: Sequence[DomainEvent], now: int
) -> list[str]:
    """Apply catalogue events; return the resulting differences."""
    before = catalogues(connection, account_id)
    apply_events(connection, account_id, events, now=now)
    return list(differences(before, catalogues(connection, account_id)))


def differences(before: Catalogues, after: Catalogues) -> Iterator[str]:
    """Yield a line for each new (`+`) or changed (`~`) row."""
    for (kind, name), row in after.items():
        noun = _KINDS[kind][0]
        old = before.get((kind, name))
        if old is None:
            members = ", ".join(
                f"{_heading(column)} {_value_text(value)}"
                for column, value in row.items()
                if value not in (None, "", [])
            )
            yield f"+ {noun} {name}{': ' if members else ''}{members}"
        elif old != row:
            changes = (
                f"{_heading(column)} {_value_text(old.get(column))} → {_value_text(value)}"
                for column, value in row.items()
                if old.get(column) != value
            )
            yield f"~ {noun} {name}: {', '.join(changes)}"


def _visible(row: Row, key: str) -> dict[str, Any]:
    return {
        name: json.loads(row[name]) if name.endswith("_json") else row[name]
        for name in dict(row)
        if name != key and name not in _HIDDEN
    }


def _heading(column: str) -> str:
    return column.removesuffix("_json").replace("_", " ")


def _value_text(value: Any) -> str:
    if value in (None, "", []):
        return "nothing"
    if isinstance(value, list) and not any(isinstance(each, dict) for each in value):
        text = "[" + ", ".join(map(_value_text, value)) + "]"
    elif isinstance(value, dict | list):
        text = json.dumps(value, ensure_ascii=False)
    else:
        text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
