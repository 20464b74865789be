"""Configuration file: profiles, viewer settings, network and key bindings.

pydantic validates the document. An invalid value is reported with its line and replaced by its
default; the rest of the file is used. tomlkit locates mistakes. `profiles.py` edits the file.
"""

import os
import re
import shlex
from collections.abc import Collection, Mapping
from datetime import time, timedelta
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from frontdesk.alert_settings import AlertSettings, QuietHours
from frontdesk.errors import BadSettings
from frontdesk.inbox.limits import READ_AFTER_SECONDS
from frontdesk.system import environment, private_files, toml
from frontdesk.system.proxy_address import check_proxy
from frontdesk.text.clean import clean, one_line
from frontdesk.text.times import parse_duration

if TYPE_CHECKING:
    from tomlkit.container import Container

    from frontdesk.own_commands.command import OwnCommand

_LONGEST_VALUE = 100
_LARGEST = 64 * 1024
_TABLES = ("viewer", "mirror", "alerts", "network", "targets", "keys", "profiles")
_MEMBERS = ("profile", "views", "commands", *_TABLES)
PROFILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,39}")
# Path of a value: the names of its tables and its own.
Place = tuple[str, ...]
T = TypeVar("T", bound=BaseModel)

NEW_FILE = """\
# Configuration of frontdesk. `frontdesk config check` lists mistakes in this file.
# Lines that begin with # are comments; they show the defaults or an example.

# The profile that is opened by default: frontdesk profiles use NAME
# profile = "work"

[viewer]
# Theme: "dark", "light", "high-contrast", "16-colours", "nord", "gruvbox", "dracula" and others.
# theme = "dark"
# Lines for each conversation: "auto" (two), 1, 2 or 3.
# density = "auto"
# Ring the terminal's bell when a message arrives.
# bell = false
# Send no requests while the terminal does not have the focus.
# quiet_unfocused = false
# When a conversation counts as read on this computer: after so many seconds under the cursor,
# "open" for only when it is opened, or "never".
# mark_read_after = 3
# Handle the mouse. If false, the terminal selects text as usual.
# mouse = true
# Maximum size of the local cache in MB.
# cache_mb = 512
# Pictures in threads: "auto" looks at the terminal's environment, "blocks" and "kitty" do not,
# "large" shows them in their dialog only, "off" nowhere.
# pictures = "auto"
# Height of pictures in threads, in lines: "auto" (ten; 14 in kitty; six over ssh), or 4 to 40.
# picture_lines = "auto"
# What pictures and files of messages may take on this computer, in MB.
# media_mb = 512

[mirror]
# Conversations to keep whole on this computer, for searching and for working offline: "off",
# "open", those of the last days as "30d", or "all". They are loaded while the viewer is open.
# keep = "open"

[alerts]
# Alert, in the viewer and in frontdesk tail --alerts, when a customer writes in your
# conversations, waits unassigned for longer than this, or waits while the reply window closes
# within this.
# mine = true
# waiting = "15m"
# window = "2h"
# No alerts at these times; a time zone may follow.
# quiet = "19:00-08:30"
# Use the terminal's notifications too (iTerm2, kitty, WezTerm, Ghostty, foot, rxvt).
# terminal = false

[network]
# PEM file of the certificate authorities to trust. Default: SSL_CERT_FILE, SSL_CERT_DIR, or the
# system's.
# ca_file = "/etc/ssl/certs/company.pem"
# Proxy for https; "" means none. Default: HTTPS_PROXY. NO_PROXY lists hosts that bypass it.
# proxy = "http://proxy.example.com:3128"

[targets]
# How soon customers should be answered: s, m, h or d. Reports count how many were answered in
# time, and how many are waiting longer now.
# first_response = "15m"
# reply = "1h"

[keys]
# Other keys for an action: `frontdesk config keys` lists actions and their keys.
# "inbox.next" = "J,ctrl+n"

# Views on the keys 5 to 9 of the viewer; without a key, in the menu under v.
# [[views]]
# name = "Billing"
# query = "is:open #billing sort:waiting"
# key = "8"

# Programs of your own, run on what is selected with "x" in the viewer; with the key "o", a program
# opens conversations, links or files.
# [[commands]]
# name = "Read in less"
# letter = "l"
# run = "less -R"
# stdin = "thread"
# output = "terminal"
# [[commands]]
# name = "Open in the web inbox"
# key = "o"
# run = 'xdg-open "https://inbox.example.com/c/$FRONTDESK_CONVERSATION_ID"'
# output = "none"

# Profiles: frontdesk profiles add|list|use|remove. API keys are not kept in this file.
# key_command is a program that writes the key, and can be set in the profile of a server:
# key_command = ["pass", "show", "frontdesk"]
"""


_OPENS = 'write [[commands]] with key = "o", for = ["file"] and run = \'mpv "$FRONTDESK_FILE"\''
_IN_SCRIPT = "left: a script that the command runs can do this"
# Members of earlier versions, with what is written in their place.
_LEFT: Mapping[Place, str] = MappingProxyType(
    {
        ("open",): 'the table [open] left: write [[commands]] with key = "o" and run ='
        " 'xdg-open \"https://inbox.example.com/c/$FRONTDESK_CONVERSATION_ID\"'",
        ("viewer", "open_with"): f"open_with left: {_OPENS}",
        ("viewer", "open_audio"): 'open_audio left: write [[commands]] with key = "o", for ='
        ' ["file:audio"] and run = \'mpv "$FRONTDESK_FILE"\'',
        ("alerts", "run"): 'run left: write [[commands]] with for = ["alert"]; it reads'
        " $FRONTDESK_ALERT_TEXT",
        ("commands", "ask"): f'ask {_IN_SCRIPT}, with output = "terminal"',
        ("commands", "extract"): f"extract {_IN_SCRIPT}: grep -oE on the thread or the message",
        ("commands", "when"): f"when {_IN_SCRIPT}: it reads $FRONTDESK_LABELS and the like",
        ("commands", "hold"): f"hold {_IN_SCRIPT}; after a failure the terminal waits",
        ("commands", "platforms"): f"platforms {_IN_SCRIPT}: uname says where it runs",
        ("commands", "profiles"): f"profiles {_IN_SCRIPT}: it reads $FRONTDESK_PROFILE",
        ("commands", "environment"): f"environment {_IN_SCRIPT}: A=1 before the program's name",
        ("commands", "timeout"): "timeout left: a program has ten minutes, or runs under timeout",
        ("commands", "last"): f"last {_IN_SCRIPT}: tail on what it reads",
        ("commands", "cwd"): f"cwd {_IN_SCRIPT}: cd, as the first thing",
    }
)


def _theme(value: str) -> str:
    from frontdesk.tui.theme import theme_names

    names = theme_names()
    if value not in names:
        raise ValueError(f"there is {', '.join(names)}{_nearest_name(value, names)}")
    return names[value]


def _text(value: str) -> str:
    if not value.strip() or not value.isprintable():
        raise ValueError("use a text in quotes")
    return value.strip()


def _file(value: str) -> str:
    path = Path(_text(value)).expanduser()
    if not path.is_absolute():
        raise ValueError("use a path that begins with / or ~")
    return str(path)


def _proxy(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError('use an address in quotes, or "" for none')
    if value.strip():
        check_proxy(value.strip())
    return value.strip()


def _density(value: object) -> object:
    if value == "auto":
        return 0
    if type(value) is not int or value not in (1, 2, 3):
        raise ValueError('use "auto", 1, 2 or 3')
    return value


def _read_after(value: object) -> object:
    if value in ("open", "never"):
        return value
    if type(value) not in (int, float) or not 0 <= float(str(value)) <= _LONGEST_REST:
        raise ValueError(f'use "open", "never" or seconds up to {_LONGEST_REST}')
    return float(str(value))


def _target(value: object) -> object:
    if type(value) is timedelta:
        return value
    length = parse_duration(value, "smhd") if isinstance(value, str) else None
    if length is None or not timedelta(0) < length <= _LONGEST_TARGET:
        raise ValueError(f'use a time like "15m", "1h" or "2d", up to "{_LONGEST_TARGET.days}d"')
    return length


def _quiet(value: object) -> object:
    if isinstance(value, QuietHours):
        return value
    try:
        hours, _, zone = str(value).strip().partition(" ")
        start, end = map(time.fromisoformat, hours.split("-"))
        if start == end or start.tzinfo or end.tzinfo:
            raise ValueError
        return QuietHours(start, end, ZoneInfo(zone.strip()).key if zone.strip() else "")
    except (ValueError, KeyError, OSError) as error:
        raise ValueError('use "19:00-08:30" or "19:00-08:30 Europe/London"') from error


def _command(value: object) -> object:
    if isinstance(value, tuple):
        return value
    words = shlex.split(value) if isinstance(value, str) else value
    if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
        raise ValueError('use a program and its arguments: ["pass", "show", "frontdesk"]')
    return tuple(words)


def _keep(value: str) -> str:
    from frontdesk.cache.coverage import KeepRule

    KeepRule.parse(value)
    return value


def _query(value: str) -> str:
    from frontdesk.query import parse

    parse(value)
    return value


def _view_key(value: str) -> str:
    from frontdesk.query import VIEW_KEYS

    if value not in VIEW_KEYS:
        raise ValueError(f"use one of the keys {', '.join(VIEW_KEYS)} in quotes")
    return value


_Text = Annotated[str, AfterValidator(_text)]
_Theme = Annotated[str, AfterValidator(_theme)]
_ReadAfter: TypeAlias = Annotated[float | Literal["open", "never"], BeforeValidator(_read_after)]
_Megabytes = Annotated[int, Field(ge=1, le=environment.MOST_CACHE_MB)]
_MEGABYTES = f"use a number of MB, 1 to {environment.MOST_CACHE_MB}"
# Allowed values, by the type of pydantic's error.
_ALLOWED = {
    "bool_type": "use true or false",
    "string_type": "use a text in quotes",
    "int_type": _MEGABYTES,
    "greater_than_equal": _MEGABYTES,
    "less_than_equal": _MEGABYTES,
}


_PICTURES = ("auto", "large", "blocks", "kitty", "off")
# Seconds.
_LONGEST_REST = 3600
_LONGEST_TARGET = timedelta(days=30)


def _picture_lines(value: object) -> int:
    """Convert "auto" to 0."""
    if value == "auto":
        return 0
    if isinstance(value, int) and not isinstance(value, bool) and 4 <= value <= 40:
        return value
    raise ValueError('use "auto" or a number of lines, 4 to 40')


def _pictures(value: object) -> object:
    if value not in _PICTURES:
        raise ValueError(f"use {', '.join(map(repr, _PICTURES))}".replace("'", '"'))
    return value


class _Strict(BaseModel):
    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", defer_build=True, validate_by_name=True
    )


class ViewerSettings(_Strict):
    """Viewer settings.

    density: lines per conversation, and picture_lines: height of a picture; 0 adapts to the
    terminal.
    """

    theme: _Theme | None = None
    density: Annotated[int, BeforeValidator(_density)] = 0
    bell: bool = False
    quiet_unfocused: bool = False
    mark_read_after: _ReadAfter = READ_AFTER_SECONDS
    mouse: bool = True
    cache_mb: _Megabytes | None = None
    pictures: Annotated[str, BeforeValidator(_pictures)] = "auto"
    picture_lines: Annotated[int, BeforeValidator(_picture_lines)] = 0
    media_mb: _Megabytes = 512


class MirrorSettings(_Strict):
    """Conversations to keep whole in the cache. keep: None leaves it to the viewer's user."""

    keep: Annotated[str, AfterValidator(_keep)] | None = None


_Target = Annotated[timedelta, BeforeValidator(_target)]


class AlertsTable(_Strict):
    """Alerts of the viewer and of `tail`, see `AlertSettings`."""

    mine: bool = False
    waiting: _Target | None = None
    window: _Target | None = None
    quiet: Annotated[QuietHours, BeforeValidator(_quiet)] | None = None
    terminal: bool = False


class NetworkSettings(_Strict):
    """Network settings; None uses the environment.

    ca_file: trusted certificate authorities. proxy: URL, "" for none.
    """

    ca_file: Annotated[str, AfterValidator(_file)] | None = None
    proxy: Annotated[str, BeforeValidator(_proxy)] | None = Field(default=None, repr=False)


class TargetSettings(_Strict):
    """Times within which customers are to be answered, for reports; None: no target."""

    first_response: _Target | None = None
    reply: _Target | None = None


class _ProfileTable(_Strict):
    url: _Text | None = None
    database: _Text | None = None
    user: _Text | None = Field(default=None, validation_alias="me", serialization_alias="me")
    theme: _Theme | None = None
    key_command: Annotated[tuple[str, ...], BeforeValidator(_command)] = ()


class Profile(_ProfileTable):
    """Named inbox: a server (`url`) or a database. user: the user meant by "me" in a database.

    key_command: program and arguments that print the API key on the first line.
    """

    name: str


class ViewSettings(_Strict):
    """View of the viewer: name, query, and the key that shows it, or ""."""

    name: _Text = ""
    query: Annotated[str, AfterValidator(_query)] = ""
    key: Annotated[str, AfterValidator(_view_key)] = ""


class Mistake(NamedTuple):
    """Error with its line, from 1. place: path of tables and the name."""

    line: int
    words: str
    place: Place = ()

    def __str__(self) -> str:
        return f"line {self.line}: {self.words}"


class Configuration(NamedTuple):
    """Parsed configuration. profile: name of the default profile."""

    path: Path
    profile: str | None = None
    profiles: Mapping[str, Profile] = MappingProxyType({})
    viewer: ViewerSettings = ViewerSettings.model_construct()
    mirror: MirrorSettings = MirrorSettings.model_construct()
    alerts: AlertsTable = AlertsTable.model_construct()
    network_settings: NetworkSettings = NetworkSettings.model_construct()
    targets: TargetSettings = TargetSettings.model_construct()
    keys: Mapping[str, str] = MappingProxyType({})
    views: tuple[ViewSettings, ...] = ()
    commands: "tuple[OwnCommand, ...]" = ()
    mistakes: tuple[Mistake, ...] = ()

    def named(self, name: str) -> Profile:
        """Return a profile by name.

        Raises: BadSettings: it does not exist or is invalid.
        """
        profile = self.profiles.get(name)
        if profile is None:
            self._check_readable()
            raise BadSettings(f"There is no profile {name!r}{_suggestion(name, self.profiles)}")
        for mistake in self.mistakes:
            if mistake.place[:2] == ("profiles", name) and not profile.url and not profile.database:
                raise BadSettings(f"{self.path}, {mistake}")
        return profile

    @property
    def in_use(self) -> Profile | None:
        """Return the default profile: the selected one, or the only one.

        Raises: BadSettings: the file is unreadable, or none of several profiles is selected.
        """
        self._check_readable()
        if self.profile or len(self.profiles) == 1:
            return self.named(self.profile or next(iter(self.profiles)))
        if self.profiles:
            names = ", ".join(self.profiles)
            raise BadSettings(
                f"No profile is in use: frontdesk profiles use NAME; there is {names}"
            )
        return None

    @property
    def alert_settings(self) -> AlertSettings:
        return AlertSettings(**dict(self.alerts))

    @property
    def network(self) -> NetworkSettings:
        """Return the network settings.

        Raises: BadSettings: the file or its network section is invalid; trust and proxies never
        fall back to defaults.
        """
        self._check_readable()
        for mistake in self.mistakes:
            if mistake.place[:1] == ("network",):
                raise BadSettings(f"{self.path}, {mistake}")
        return self.network_settings

    def _check_readable(self) -> None:
        if any(not mistake.place for mistake in self.mistakes):
            raise BadSettings(f"{self.path}, {self.mistakes[0]}")


def configuration(*, whole: bool = True) -> Configuration:
    """Read the user's configuration; an empty one without a file.

    whole=False skips viewer settings, whose validation imports the viewer.
    """
    return read(environment.config_file(), whole=whole)


def read(path: Path, *, whole: bool = True) -> Configuration:
    """Read a file. Never fails: errors are in `mistakes`."""
    try:
        with path.open("rb") as file:
            written = file.read(_LARGEST + 1)
            is_trusted = not private_files.can_be_written_by_others(os.fstat(file.fileno()))
    except FileNotFoundError:
        return Configuration(path)
    except OSError as error:
        return Configuration(path, mistakes=(Mistake(1, f"cannot be read: {error.strerror}"),))
    if len(written) > _LARGEST:
        words = f"this is larger than {_LARGEST // 1024} KiB"
        return Configuration(path, mistakes=(Mistake(1, words),))
    try:
        text = written.decode()
    except UnicodeDecodeError as error:
        line = written[: error.start].count(b"\n") + 1
        return Configuration(path, mistakes=(Mistake(line, "this is not UTF-8"),))
    return parsed(path, text, whole=whole, is_trusted=is_trusted)


def parsed(path: Path, text: str, *, whole: bool = True, is_trusted: bool = True) -> Configuration:
    """Parse a text. path: used in error messages. is_trusted: commands in it may be run."""
    try:
        members = toml.loads(text)
    except ValueError as error:
        return Configuration(path, mistakes=(_syntax(text, str(error)),))
    if not whole:
        members = _without_viewer(members)
    return _Reader(path, text, is_trusted=is_trusted).configuration(members)


def line_of(text: str, place: Place) -> int:
    """Return the line of valid TOML that defines the value at a place."""
    return _nearest(lines_of(text), place)


def _nearest(lines: Mapping[Place, int], place: Place) -> int:
    """Return the line of a place, or of the nearest table around it that is written."""
    while place not in lines:
        place = place[:-1]
    return lines[place]


def lines_of(text: str) -> dict[Place, int]:
    """Return the line on which each place of valid TOML is defined first."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    lines: dict[Place, int] = {(): 1}
    try:
        _locate(tomlkit.parse(text), (), 1, lines)
    except (TOMLKitError, RecursionError):
        # tomlkit takes less deeply nested values than tomllib.
        return {(): 1}
    return lines


def _locate(container: "Container", above: Place, line: int, lines: dict[Place, int]) -> int:
    """Add the lines of a container that begins on a line; return the line after it."""
    from tomlkit.items import AoT, InlineTable, Table

    for key, item in container.body:
        place = (*above, key.key) if key else above
        lines.setdefault(place, line)
        if isinstance(item, Table | AoT):
            for number, table in enumerate(item.body if isinstance(item, AoT) else (item,)):
                header = 0 if table.is_super_table() or (key and key.is_dotted()) else 1
                inner = (*place, str(number)) if isinstance(item, AoT) else place
                lines.setdefault(inner, line)
                line = _locate(table.value, inner, line + header, lines)
            continue
        if isinstance(item, InlineTable):
            inside: dict[Place, int] = {}
            _locate(item.value, place, line, inside)
            lines.update(dict.fromkeys(inside, line))
        line += item.as_string().count("\n") + (1 if key else 0)
    return line


_OF_THE_VIEWER = ("viewer", "keys", "views", "commands")


def _without_viewer(members: dict[str, Any]) -> dict[str, Any]:
    """Remove members that only the viewer uses; commands for alerts are used by `tail`."""
    rest = {name: value for name, value in members.items() if name not in _OF_THE_VIEWER}
    commands = members.get("commands")
    if isinstance(commands, list):
        rest["commands"] = [one for one in commands if "alert" in str(one)]
    profiles = rest.get("profiles")
    for profile in profiles.values() if isinstance(profiles, dict) else ():
        if isinstance(profile, dict):
            profile.pop("theme", None)
    return rest


class _Reader:
    """Validates a document's members and collects errors."""

    def __init__(self, path: Path, text: str, *, is_trusted: bool) -> None:
        self._path, self._text, self._is_trusted = path, text, is_trusted
        self._lines: dict[Place, int] | None = None
        self._mistakes: list[Mistake] = []

    def configuration(self, members: Mapping[str, Any]) -> Configuration:
        for name in members.keys() - set(_MEMBERS):
            self._report((name,), _LEFT.get((name,)) or _unknown(name, _MEMBERS))
        viewer, mirror, alerts, network, targets, keys, tables = (
            self._table((name,), members) for name in _TABLES
        )
        profiles = {name: self._profile(name, tables) for name in tables if self._is_name(name)}
        changed_keys = self._keys(keys)
        return Configuration(
            self._path,
            self._selected(members.get("profile"), profiles),
            profiles,
            self._validated(ViewerSettings, ("viewer",), viewer),
            self._validated(MirrorSettings, ("mirror",), mirror),
            self._validated(AlertsTable, ("alerts",), alerts),
            self._validated(NetworkSettings, ("network",), network),
            self._validated(TargetSettings, ("targets",), targets),
            changed_keys,
            self._views(members.get("views", [])),
            self._commands(members.get("commands", []), changed_keys),
            tuple(sorted(self._mistakes, key=lambda mistake: mistake.line)),
        )

    def _profile(self, name: str, profiles: Mapping[str, Any]) -> Profile:
        place = ("profiles", name)
        table = self._table(place, profiles)
        values = self._validated(_ProfileTable, place, table)
        if len({"url", "database"} & table.keys()) == 1:
            return Profile.model_construct(name=name, **dict(values))
        self._report(place, f"the profile {name!r} needs either url or database")
        return Profile(name=name)

    def _is_name(self, name: str) -> bool:
        valid = PROFILE_NAME.fullmatch(name) is not None
        if not valid:
            self._report(("profiles", name), f"{name!r} is no name: letters, digits, - and _ are")
        return valid

    def _selected(self, name: object, profiles: Mapping[str, Profile]) -> str | None:
        if name is None:
            return None
        if isinstance(name, str) and name in profiles:
            return name
        words = f"there is no profile {name!r}{_suggestion(str(name), profiles)}"
        self._report(("profile",), words)
        return None

    def _keys(self, table: Mapping[str, Any]) -> dict[str, str]:
        """Return the valid key bindings."""
        texts = {}
        for name, keys in table.items():
            if isinstance(keys, str):
                texts[name] = keys
            else:
                words = f'{name}: put quotes around it: "{name}" = "j,ctrl+n"'
                self._report(("keys", name), words)
        if not texts:
            return {}
        from frontdesk.tui.key_validation import checked_keymap

        usable, problems = checked_keymap(texts)
        for name, words in problems:
            self._report(("keys", name), words)
        return usable

    def _views(self, tables: object) -> tuple[ViewSettings, ...]:
        """Return the valid views; one with a mistake is left out."""
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self._report(("views",), "views is not a list of tables: write [[views]]")
            return ()
        views: list[ViewSettings] = []
        for number, table in enumerate(tables):
            place, mistakes = ("views", str(number)), len(self._mistakes)
            values = self._validated(ViewSettings, place, table)
            for name in {"name", "query"} - table.keys():
                self._report(place, f"a view needs a {name}")
            for member in ("name", "key"):
                value = getattr(values, member)
                if value and value in [getattr(view, member) for view in views]:
                    words = f"another view has the {member} {value} already"
                    self._report((*place, member), words)
            if len(self._mistakes) == mistakes:
                views.append(values)
        return tuple(views)

    def _commands(self, tables: object, keys: Mapping[str, str]) -> "tuple[OwnCommand, ...]":
        """Return the valid commands; one with a mistake is left out, and a taken key alone.

        keys: changed keys of actions.
        """
        if not tables:
            return ()
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self._report(("commands",), "commands is not a list of tables: write [[commands]]")
            return ()
        if not self._is_trusted:
            words = (
                f"others can change this file, so its commands are not run: chmod go-w {self._path}"
            )
            self._report(("commands",), words)
            return ()
        from frontdesk.cli.command_settings import (
            MOST_COMMANDS,
            CommandTable,
            key_taken,
            mistakes_of,
        )

        commands: list[OwnCommand] = []
        for number, table in enumerate(tables):
            place, mistakes = ("commands", str(number)), len(self._mistakes)
            if number >= MOST_COMMANDS:
                self._report(place, f"there are more than {MOST_COMMANDS} commands")
                break
            values = self._validated(CommandTable, place, table)
            if len(self._mistakes) == mistakes:
                for member, words in mistakes_of(values, table, commands):
                    self._report((*place, member), words)
            if len(self._mistakes) == mistakes:
                taken = key_taken(values, commands, keys)
                if taken:
                    self._report((*place, "key"), taken)
                commands.append(values.command._replace(key="" if taken else values.key))
        return tuple(commands)

    def _validated(self, model: type[T], place: Place, table: Mapping[str, Any]) -> T:
        """Validate a table; invalid values are reported, and their defaults taken."""
        try:
            return model.model_validate(table, by_alias=True, by_name=False)
        except ValidationError as error:
            names = [
                str(field.validation_alias or name) for name, field in model.model_fields.items()
            ]
            valid = dict(table)
            for fault in error.errors(include_url=False):
                name = str(fault["loc"][0])
                value = valid.pop(name, None)
                if fault["type"] == "extra_forbidden":
                    words = _LEFT.get((place[0], name)) or _unknown(name, names)
                else:
                    allowed = _ALLOWED.get(fault["type"]) or str(fault["ctx"]["error"])
                    # Proxy URLs may contain a password.
                    shown = "" if name == "proxy" else f" is {_repeated(value)}"
                    words = f"{name}{shown}: {allowed}"
                self._report((*place, name), words)
            return model.model_validate(valid, by_alias=True, by_name=False)

    def _table(self, place: Place, members: Mapping[str, Any]) -> Mapping[str, Any]:
        table = members.get(place[-1], {})
        if isinstance(table, dict):
            return table
        self._report(place, f"{place[-1]} is not a table: write [{'.'.join(place)}]")
        return {}

    def _report(self, place: Place, words: str) -> None:
        if self._lines is None:
            self._lines = lines_of(self._text)
        line = _nearest(self._lines, place)
        self._mistakes.append(Mistake(line, one_line(clean(words)), place))


def _repeated(value: object) -> str:
    """Quote a value for an error message, truncated and without passwords."""
    from frontdesk.store.dsn import without_password

    text = repr(without_password(value) if isinstance(value, str) else value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _syntax(text: str, words: str) -> Mistake:
    """Take the position out of the parser's message."""
    reason, _, position = words.rpartition(" (at ")
    line = position.removeprefix("line ").partition(",")[0]
    at = int(line) if line.isdecimal() else max(1, len(text.splitlines()))
    return Mistake(at, f"this is not TOML: {reason or words}")


def _unknown(name: str, names: Collection[str]) -> str:
    return f"{name!r} means nothing here{_suggestion(name, names)}"


def _suggestion(name: str, names: Collection[str]) -> str:
    """Return a hint: the closest name, or all names."""
    listed = f"; there is {', '.join(names)}" if names else ""
    return _nearest_name(name, names) or listed


def _nearest_name(name: str, names: Collection[str]) -> str:
    near = get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
