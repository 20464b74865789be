"""Configuration file: profiles, viewer settings, network and key bindings, with validation.

An invalid value is reported and replaced by its default; the rest of the file is used.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from frontdesk import settings, toml
from frontdesk.errors import BadSettings
from frontdesk.proxy_address import check_proxy
from frontdesk.text import clean, one_line

_LONGEST_VALUE = 100
_LARGEST = 64 * 1024
_LINES_TRIED = 20
_STATEMENT = re.compile(r"\s*+(?:\[|[\w\"'.\- \t]++=|[\"'].*=)")
PROFILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,39}")
Place = tuple[str, ...]


class Profile(NamedTuple):
    """Named inbox: a server (`url`) or a database. user: the user meant by "me" in a database.

    key_command: program and arguments that print the API key on the first line.
    """

    name: str
    url: str | None = None
    database: str | None = None
    user: str | None = None
    theme: str | None = None
    key_command: tuple[str, ...] = ()


class Look(NamedTuple):
    """Viewer settings. density: lines per conversation; 0 adapts to the terminal's size."""

    theme: str | None = None
    density: int = 0
    bell: bool = False
    quiet_unfocused: bool = False
    mouse: bool = True
    cache_mb: int | None = None


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """Network settings; None uses the environment.

    ca_file: trusted certificate authorities. proxy: URL, "" for none.
    """

    ca_file: str | None = None
    proxy: str | None = field(default=None, repr=False)


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
    look: Look = Look()
    network_settings: NetworkSettings = NetworkSettings()
    keys: Mapping[str, str] = MappingProxyType({})
    mistakes: tuple[Mistake, ...] = ()

    def named(self, name: str) -> Profile:
        """Return a profile by name.

        Raises: BadSettings: it does not exist or is invalid.
        """
        found = self.profiles.get(name)
        if found is None:
            self._check_readable()
            raise BadSettings(f"There is no profile {name!r}{_or(name, self.profiles)}")
        for mistake in self.mistakes:
            if mistake.place[:2] == ("profiles", name) and not found.url and not found.database:
                raise BadSettings(f"{self.path}, {mistake}")
        return found

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
    return read(settings.config_file(), whole=whole)


def read(path: Path, *, whole: bool = True) -> Configuration:
    """Read a file. Never fails: errors are in `mistakes`."""
    try:
        with path.open("rb") as file:
            written = file.read(_LARGEST + 1)
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
    return parsed(path, text, whole=whole)


def parsed(path: Path, text: str, *, whole: bool = True) -> Configuration:
    """Parse a text. path: used in error messages."""
    try:
        members = toml.loads(text)
    except ValueError as error:
        return Configuration(path, mistakes=(_syntax(text, str(error)),))
    if not whole:
        members = _without_looks(members)
    return _Reader(path, text).configuration(members)


def line_of(text: str, place: Place) -> int:
    """Return the line of valid TOML that defines the value at a place."""
    return _nearest(lines_of(text), place)


def _nearest(lines: Mapping[Place, int], place: Place) -> int:
    """Return the line of a place, or of the nearest table around it that is written."""
    while place not in lines:
        place = place[:-1]
    return lines[place]


def lines_of(text: str) -> dict[Place, int]:
    """Return the line on which each place of valid TOML is defined.

    Parses one statement at a time. The lines of a very long value are skipped.
    """
    lines = text.splitlines()
    found: dict[Place, int] = {(): 1}
    table: Place = ()
    start = 0
    while start < len(lines):
        end, members = _statement(lines, start)
        if lines[start].lstrip().startswith("[") and members:
            table = next(_places((), members, deepest=True), table)
            for depth in range(1, len(table) + 1):
                found.setdefault(table[:depth], start + 1)
        else:
            for place in _places(table, members):
                found.setdefault(place, start + 1)
        start = end
    return found


def _statement(lines: Sequence[str], start: int) -> tuple[int, dict[str, Any]]:
    """Return the index of the line after a statement, and the members that it sets."""
    if _STATEMENT.match(lines[start]) is None:
        return start + 1, {}
    for end in range(start + 1, min(start + _LINES_TRIED, len(lines)) + 1):
        try:
            return end, toml.loads("\n".join(lines[start:end]))
        except ValueError:
            continue
    return start + 1, _members_of_key(lines[start])


def _members_of_key(line: str) -> dict[str, Any]:
    """Return the member whose long value begins on a line."""
    try:
        return toml.loads(f"{line.partition('=')[0]}= 0")
    except ValueError:
        return {}


def _places(above: Place, members: Mapping[str, Any], *, deepest: bool = False) -> Iterator[Place]:
    """Yield the places of members; with `deepest`, only that of the table that a header names."""
    for name, value in members.items():
        place = (*above, name)
        inner = value[0] if deepest and isinstance(value, list) and value else value
        inside = inner if isinstance(inner, dict) else {}
        if not (deepest and inside):
            yield place
        yield from _places(place, inside, deepest=deepest)


def _without_looks(members: dict[str, Any]) -> dict[str, Any]:
    """Remove members that only the viewer uses."""
    rest = {name: value for name, value in members.items() if name not in ("viewer", "keys")}
    profiles = rest.get("profiles")
    for profile in profiles.values() if isinstance(profiles, dict) else ():
        if isinstance(profile, dict):
            profile.pop("theme", None)
    return rest


class _Reader:
    """Validates a document's members and collects errors."""

    def __init__(self, path: Path, text: str) -> None:
        self._path, self._text = path, text
        self._lines: dict[Place, int] | None = None
        self._mistakes: list[Mistake] = []

    def configuration(self, members: Mapping[str, Any]) -> Configuration:
        tables = ("viewer", "network", "keys", "profiles")
        self._known_only((), members, ("profile", *tables))
        viewer, network, keys, profiles = (self._table((name,), members) for name in tables)
        look = Look(**self._values(("viewer",), viewer, _LOOK))
        named = {name: self._profile(name, profiles) for name in profiles if self._names(name)}
        return Configuration(
            self._path,
            self._chosen(members.get("profile"), named),
            named,
            look,
            NetworkSettings(**self._values(("network",), network, _NETWORK)),
            self._keys(keys),
            tuple(sorted(self._mistakes, key=lambda mistake: mistake.line)),
        )

    def _profile(self, name: str, profiles: Mapping[str, Any]) -> Profile:
        place = ("profiles", name)
        table = self._table(place, profiles)
        values = self._values(place, table, _PROFILE)
        if len({"url", "database"} & table.keys()) == 1:
            return Profile(name, **values)
        self._wrong(place, f"the profile {name!r} needs either url or database")
        return Profile(name)

    def _names(self, name: str) -> bool:
        sound = PROFILE_NAME.fullmatch(name) is not None
        if not sound:
            self._wrong(("profiles", name), f"{name!r} is no name: letters, digits, - and _ are")
        return sound

    def _chosen(self, name: object, profiles: Mapping[str, Profile]) -> str | None:
        if name is None:
            return None
        if isinstance(name, str) and name in profiles:
            return name
        self._wrong(("profile",), f"there is no profile {name!r}{_or(str(name), profiles)}")
        return None

    def _keys(self, table: Mapping[str, Any]) -> dict[str, str]:
        """Return the valid key bindings."""
        texts = {}
        for name, keys in table.items():
            if isinstance(keys, str):
                texts[name] = keys
            else:
                self._wrong(("keys", name), f'{name}: put quotes around it: "{name}" = "j,ctrl+n"')
        if not texts:
            return {}
        from frontdesk.tui.keymap import checked_keymap

        usable, problems = checked_keymap(texts)
        for name, words in problems:
            self._wrong(("keys", name), words)
        return usable

    def _values(
        self, place: Place, table: Mapping[str, Any], checks: Mapping[str, "Check"]
    ) -> dict[str, Any]:
        self._known_only(place, table, tuple(checks))
        values = {}
        for name in checks.keys() & table.keys():
            try:
                values[name] = checks[name](table[name])
            except ValueError as error:
                # Proxy URLs may contain a password.
                value = "" if name == "proxy" else f" is {_repeated(table[name])}"
                self._wrong((*place, name), f"{name}{value}: {error}")
        return {_FIELDS.get(name, name): value for name, value in values.items()}

    def _table(self, place: Place, members: Mapping[str, Any]) -> Mapping[str, Any]:
        table = members.get(place[-1], {})
        if isinstance(table, dict):
            return table
        self._wrong(place, f"{place[-1]} is not a table: write [{'.'.join(place)}]")
        return {}

    def _known_only(self, place: Place, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
        for name in table:
            if name not in known:
                self._wrong((*place, name), f"{name!r} means nothing here{_or(name, known)}")

    def _wrong(self, place: Place, words: str) -> None:
        self._mistakes.append(Mistake(self._line(place), one_line(clean(words)), place))

    def _line(self, place: Place) -> int:
        if self._lines is None:
            self._lines = lines_of(self._text)
        return _nearest(self._lines, place)


def _repeated(value: object) -> str:
    """Quote a value for an error message, truncated and without passwords."""
    from frontdesk.store.addresses import shown

    text = repr(shown(value) if isinstance(value, str) else value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


Check = Callable[[object], object]


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("say true or false")
    return value


def _density(value: object) -> int:
    if value == "auto":
        return 0
    if isinstance(value, bool) or value not in (1, 2, 3):
        raise ValueError('say "auto", 1, 2 or 3')
    return int(str(value))


def _megabytes(value: object) -> int:
    sound = isinstance(value, int) and not isinstance(value, bool)
    if not sound or not 1 <= int(str(value)) <= settings.MOST_CACHE_MB:
        raise ValueError(f"say a number of MB, 1 to {settings.MOST_CACHE_MB}")
    return int(str(value))


def _theme(value: object) -> str:
    from frontdesk.tui.theme import THEMES as themes

    names = {theme.name.removeprefix("frontdesk-"): theme.name for theme in themes}
    if not isinstance(value, str) or value not in names:
        near = _or(str(value), names)
        raise ValueError(f"there is {', '.join(names)}{near if near.startswith(';') else ''}")
    return names[value]


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ValueError("say a text in quotes")
    return value.strip()


def _command(value: object) -> tuple[str, ...]:
    import shlex

    words = shlex.split(value) if isinstance(value, str) else value
    if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
        raise ValueError('say a program and its arguments: ["pass", "show", "frontdesk"]')
    return tuple(words)


def _file(value: object) -> str:
    path = Path(_text(value)).expanduser()
    if not path.is_absolute():
        raise ValueError("say the whole path, from / or ~ on")
    return str(path)


def _proxy(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError('say an address in quotes, or "" for none')
    if value.strip():
        check_proxy(value.strip())
    return value.strip()


_LOOK: Mapping[str, Check] = {
    "theme": _theme,
    "density": _density,
    "bell": _truth,
    "quiet_unfocused": _truth,
    "mouse": _truth,
    "cache_mb": _megabytes,
}
_NETWORK: Mapping[str, Check] = {"ca_file": _file, "proxy": _proxy}
_PROFILE: Mapping[str, Check] = {
    "url": _text,
    "database": _text,
    "me": _text,
    "theme": _theme,
    "key_command": _command,
}
_FIELDS = {"me": "user"}


def _syntax(text: str, words: str) -> Mistake:
    found = re.search(r" \(at (?:line ([0-9]+), column [0-9]+|end of document)\)", words)
    line = int(found[1]) if found and found[1] else max(1, len(text.splitlines()))
    return Mistake(line, f"this is not TOML: {words[: found.start()] if found else words}")


def _or(name: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    """Return a hint: the closest known name, or all names."""
    near = get_close_matches(name, known, n=1)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; there is {', '.join(known)}" if known else ""
