"""Configuration file: profiles, viewer settings, network and key bindings.

`settings` says what there is. An invalid value is reported with its line and replaced by its
default; the rest of the file is used. tomlkit locates mistakes. `profiles.py` edits the file.
"""

import os
import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from frontdesk.errors import BadSettings
from frontdesk.settings import (
    MOST_MB,
    TABLES,
    AlertSettings,
    MirrorSettings,
    NetworkSettings,
    Profile,
    TargetSettings,
    ViewerSettings,
    ViewSettings,
    megabytes,
    settings_of,
)
from frontdesk.system import environment, private_files, toml
from frontdesk.text.clean import clean, one_line

if TYPE_CHECKING:
    from tomlkit.container import Container

    from frontdesk.own_commands.command import OwnCommand

_LONGEST_VALUE = 100
_LARGEST = 64 * 1024
_MEMBERS = ("profile", "views", "commands", *TABLES, "keys", "profiles")
PROFILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,39}")
# Path of a value: the names of its tables and its own.
Place = tuple[str, ...]

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
    viewer: ViewerSettings = ViewerSettings()
    mirror: MirrorSettings = MirrorSettings()
    alerts: AlertSettings = AlertSettings()
    network_settings: NetworkSettings = NetworkSettings()
    targets: TargetSettings = TargetSettings()
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
            self.check_readable()
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
        self.check_readable()
        if self.profile or len(self.profiles) == 1:
            return self.named(self.profile or next(iter(self.profiles)))
        if self.profiles:
            names = ", ".join(self.profiles)
            raise BadSettings(
                f"No profile is in use: frontdesk profiles use NAME; there is {names}"
            )
        return None

    @property
    def network(self) -> NetworkSettings:
        """Return the network settings.

        Raises: BadSettings: the file or its network section is invalid; trust and proxies never
        fall back to defaults.
        """
        self.check_readable()
        for mistake in self.mistakes:
            if mistake.place[:1] == ("network",):
                raise BadSettings(f"{self.path}, {mistake}")
        return self.network_settings

    def check_readable(self) -> None:
        """Raises: BadSettings: the file is not TOML, or cannot be read."""
        if any(not mistake.place for mistake in self.mistakes):
            raise BadSettings(f"{self.path}, {self.mistakes[0]}")


def configuration(*, whole: bool = True) -> Configuration:
    """Read the user's configuration; an empty one without a file.

    whole=False skips keys, views and commands, whose validation imports the viewer.
    """
    return read(environment.config_file(), whole=whole)


def cache_limit_bytes(settings: ViewerSettings) -> int:
    """Size limit of the cache, from the environment or else the configuration.

    Raises: BadSettings: the variable is not a number in the range.
    """
    said = environment.variables().get(environment.CACHE_LIMIT_VARIABLE, "").strip()
    try:
        return 1_000_000 * (megabytes(int(said)) if said else settings.cache_mb)
    except ValueError:
        raise BadSettings(
            f"{environment.CACHE_LIMIT_VARIABLE} is {said!r}: use the MB that the cache may take,"
            f" 1 to {MOST_MB}"
        ) from None


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


def in_force(configured: Configuration) -> str:
    """The settings of all tables as a file: what is not set is a comment.

    Raises: BadSettings: the file cannot be read.
    """
    import tomlkit

    from frontdesk.store.dsn import without_password

    configured.check_readable()
    written = (
        toml.loads(configured.path.read_text(encoding="utf-8")) if configured.path.exists() else {}
    )
    wrong = {mistake.place for mistake in configured.mistakes}
    lines = []
    for name, table in TABLES.items():
        lines.append(f"[{name}]")
        values = written.get(name, {}) if (name,) not in wrong else {}
        for key, (member, setting) in settings_of(table).items():
            if key in values and (name, key) not in wrong:
                value = values[key]
                shown = without_password(value) if isinstance(value, str) else value
                lines.append(f"{key} = {tomlkit.item(shown).as_string()}")
            else:
                remark = "" if setting.shows_default(table, member) else "  # not set; an example"
                lines.append(f"# {key} = {setting.shown}{remark}")
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


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


_OF_THE_VIEWER = ("keys", "views", "commands")


def _without_viewer(members: dict[str, Any]) -> dict[str, Any]:
    """Remove members that only the viewer uses; commands for alerts are used by `tail`."""
    rest = {name: value for name, value in members.items() if name not in _OF_THE_VIEWER}
    commands = members.get("commands")
    if isinstance(commands, list):
        rest["commands"] = [one for one in commands if "alert" in str(one)]
    return rest


class TableReader:
    """Validates the tables of a document, and collects mistakes with their lines."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: dict[Place, int] | None = None
        self.mistakes: list[Mistake] = []

    def read(self, table: type, place: Place, written: Mapping[str, Any]) -> dict[str, Any]:
        """Values of a table by member; mistakes are reported, and leave the default."""
        settings, values = settings_of(table), dict[str, Any]()
        for name, value in written.items():
            if name not in settings:
                words = _LEFT.get((place[0], name)) or _unknown(name, [*settings])
                self.report((*place, name), words)
                continue
            member, setting = settings[name]
            try:
                values[member] = setting.read(value)
            except ValueError as error:
                # Proxy URLs may contain a password.
                shown = "" if name == "proxy" else f" is {_repeated(value)}"
                self.report((*place, name), f"{name}{shown}: {error}")
        return values

    def table(self, place: Place, members: Mapping[str, Any]) -> Mapping[str, Any]:
        table = members.get(place[-1], {})
        if isinstance(table, dict):
            return table
        self.report(place, f"{place[-1]} is not a table: write [{'.'.join(place)}]")
        return {}

    def report(self, place: Place, words: str) -> None:
        if self._lines is None:
            self._lines = lines_of(self._text)
        line = _nearest(self._lines, place)
        self.mistakes.append(Mistake(line, one_line(clean(words)), place))


class _Reader(TableReader):
    """Validates the members of a configuration file."""

    def __init__(self, path: Path, text: str, *, is_trusted: bool) -> None:
        super().__init__(text)
        self._path, self._is_trusted = path, is_trusted

    def configuration(self, members: Mapping[str, Any]) -> Configuration:
        for name in members.keys() - set(_MEMBERS):
            self.report((name,), _LEFT.get((name,)) or _unknown(name, _MEMBERS))
        tables = self.table(("profiles",), members)
        read = {
            name: table(**self.read(table, (name,), self.table((name,), members)))
            for name, table in TABLES.items()
        }
        profiles = {name: self._profile(name, tables) for name in tables if self._is_name(name)}
        changed_keys = self._keys(self.table(("keys",), members))
        return Configuration(
            self._path,
            self._selected(members.get("profile"), profiles),
            profiles,
            read["viewer"],
            read["mirror"],
            read["alerts"],
            read["network"],
            read["targets"],
            changed_keys,
            self._views(members.get("views", [])),
            self._commands(members.get("commands", []), changed_keys),
            tuple(sorted(self.mistakes, key=lambda mistake: mistake.line)),
        )

    def _profile(self, name: str, profiles: Mapping[str, Any]) -> Profile:
        place = ("profiles", name)
        table = self.table(place, profiles)
        values = self.read(Profile, place, table)
        if len({"url", "database"} & table.keys()) == 1:
            return Profile(name, **values)
        self.report(place, f"the profile {name!r} needs either url or database")
        return Profile(name)

    def _is_name(self, name: str) -> bool:
        valid = PROFILE_NAME.fullmatch(name) is not None
        if not valid:
            self.report(("profiles", name), f"{name!r} is no name: letters, digits, - and _ are")
        return valid

    def _selected(self, name: object, profiles: Mapping[str, Profile]) -> str | None:
        if name is None:
            return None
        if isinstance(name, str) and name in profiles:
            return name
        words = f"there is no profile {name!r}{_suggestion(str(name), profiles)}"
        self.report(("profile",), words)
        return None

    def _keys(self, table: Mapping[str, Any]) -> dict[str, str]:
        """Return the valid key bindings."""
        texts = {}
        for name, keys in table.items():
            if isinstance(keys, str):
                texts[name] = keys
            else:
                words = f'{name}: put quotes around it: "{name}" = "j,ctrl+n"'
                self.report(("keys", name), words)
        if not texts:
            return {}
        from frontdesk.tui.key_validation import checked_keymap

        usable, problems = checked_keymap(texts)
        for name, words in problems:
            self.report(("keys", name), words)
        return usable

    def _views(self, tables: object) -> tuple[ViewSettings, ...]:
        """Return the valid views; one with a mistake is left out."""
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self.report(("views",), "views is not a list of tables: write [[views]]")
            return ()
        views: list[ViewSettings] = []
        for number, table in enumerate(tables):
            place, mistakes = ("views", str(number)), len(self.mistakes)
            values = ViewSettings(**self.read(ViewSettings, place, table))
            for name in {"name", "query"} - table.keys():
                self.report(place, f"a view needs a {name}")
            for member in ("name", "key"):
                value = getattr(values, member)
                if value and value in [getattr(view, member) for view in views]:
                    words = f"another view has the {member} {value} already"
                    self.report((*place, member), words)
            if len(self.mistakes) == mistakes:
                views.append(values)
        return tuple(views)

    def _commands(self, tables: object, keys: Mapping[str, str]) -> "tuple[OwnCommand, ...]":
        """Return the valid commands; one with a mistake is left out, and a taken key alone.

        keys: changed keys of actions.
        """
        if not tables:
            return ()
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self.report(("commands",), "commands is not a list of tables: write [[commands]]")
            return ()
        if not self._is_trusted:
            words = (
                f"others can change this file, so its commands are not run: chmod go-w {self._path}"
            )
            self.report(("commands",), words)
            return ()
        from frontdesk.cli.command_settings import (
            MOST_COMMANDS,
            key_taken,
            mistakes_of,
            with_key_name,
        )
        from frontdesk.own_commands.command import OwnCommand

        commands: list[OwnCommand] = []
        for number, table in enumerate(tables):
            place, mistakes = ("commands", str(number)), len(self.mistakes)
            if number >= MOST_COMMANDS:
                self.report(place, f"there are more than {MOST_COMMANDS} commands")
                break
            values = OwnCommand(**self.read(OwnCommand, place, table))
            if len(self.mistakes) == mistakes:
                for member, words in mistakes_of(values, table, commands):
                    self.report((*place, member), words)
            if len(self.mistakes) == mistakes:
                values = with_key_name(values)
                taken = key_taken(values, commands, keys)
                if taken:
                    self.report((*place, "key"), taken)
                commands.append(values._replace(key="" if taken else values.key))
        return tuple(commands)


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
