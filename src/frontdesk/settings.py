"""The settings of the configuration: name, type, default, and a sentence for each.

A class is a table of the file, and a member of it a setting. `cli/config.py` reads by them; a new
file, `config show` and the page of the documents list them; who needs one gets the whole table.
"""

import re
import shlex
import textwrap
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, time, timedelta
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_type_hints
from zoneinfo import ZoneInfo

from frontdesk.system.proxy_address import check_proxy
from frontdesk.text.times import parse_duration

Read: TypeAlias = Callable[[object], Any]

ReadAfter: TypeAlias = float | Literal["open", "never"]
# Kinds of alerts.
MINE, WAITING, WINDOW = "message", "waiting", "window"

# Themes of frontdesk, and those of Textual that can be chosen.
OWN_THEMES = ("dark", "light", "high-contrast", "16-colours", "greys")
OTHER_THEMES = (
    *("nord", "gruvbox", "dracula", "tokyo-night", "catppuccin-mocha", "monokai", "rose-pine"),
    *("solarized-dark", "solarized-light"),
)
_AUTO_THEME = "auto"
_PICTURES = ("auto", "large", "blocks", "kitty", "off")
_UNITS = {"": 1, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000}
# What a cache may take, in MB.
MOST_MB = 1_000_000
# Seconds.
_LONGEST_REST = 3600
_LONGEST_TARGET = timedelta(days=30)


class Setting(NamedTuple):
    """What is known of a setting besides its type and its default.

    read: from a value of TOML; raises ValueError with what is allowed. shown: as it is written, the
    default or else an example. name: in the file, if that is another one.
    """

    read: Read
    sentence: str
    shown: str
    name: str = ""

    def shows_default(self, table: type[NamedTuple], member: str) -> bool:
        """True if what is shown is the default of a member, and no example."""
        from frontdesk.system import toml

        value = self.read(toml.loads(f"value = {self.shown}")["value"])
        default = table._field_defaults.get(member)
        return bool(value == default)


@cache
def settings_of(table: type) -> Mapping[str, tuple[str, Setting]]:
    """Settings of a table by their name in the file, each with the name of the member."""
    hints = get_type_hints(table, include_extras=True)
    found: dict[str, tuple[str, Setting]] = {}
    for member, hint in hints.items():
        for setting in getattr(hint, "__metadata__", ()):
            found[setting.name or member] = (member, setting)
    return found


# Types of values


class QuietHours(NamedTuple):
    """Times of day without alerts, also over midnight. zone: "" is that of the computer."""

    start: time
    end: time
    zone: str = ""

    @classmethod
    def parse(cls, text: str) -> "QuietHours":
        """Raises: ValueError: it is not written as "19:00-08:30" or "19:00-08:30 Europe/London"."""
        try:
            hours, _, zone = text.strip().partition(" ")
            start, end = map(time.fromisoformat, hours.split("-"))
            if start == end or start.tzinfo or end.tzinfo:
                raise ValueError
            return cls(start, end, ZoneInfo(zone.strip()).key if zone.strip() else "")
        except (ValueError, KeyError, OSError) as error:
            raise ValueError('use "19:00-08:30" or "19:00-08:30 Europe/London"') from error

    def cover(self, moment: datetime) -> bool:
        at = moment.astimezone(ZoneInfo(self.zone) if self.zone else None).time()
        if self.start <= self.end:
            return self.start <= at < self.end
        return at >= self.start or at < self.end


class KeepRule(NamedTuple):
    """Conversations to keep. status: None for all. days: since the last activity; 0 for any."""

    name: str
    status: str | None = None
    days: int = 0

    @classmethod
    def parse(cls, text: str) -> "KeepRule | None":
        """Conversations by "open", "all" or a number of days as "30d"; None for "off".

        Raises: ValueError: another text.
        """
        age = parse_duration(text, "d")
        if text == "off":
            return None
        if text == "open":
            return cls(text, status="open")
        if text != "all" and not (age and age <= timedelta(days=3650)):
            raise ValueError('use "off", "open", "all" or a number of days, as "30d"')
        return cls(text, days=age.days if age else 0)

    def since(self, now: datetime) -> datetime | None:
        """The earliest last activity of the conversations; None for any."""
        return now - timedelta(days=self.days) if self.days else None

    @property
    def noun(self) -> str:
        """Plural of the conversations, for a sentence."""
        noun = "open conversations" if self.status else "conversations"
        return f"{noun} of the last {self.days} days" if self.days else noun


def text(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ValueError("use a text in quotes")
    return value.strip()


def one_of(*allowed: str) -> Read:
    def read(value: object) -> object:
        if value not in allowed:
            raise ValueError(f"use {quoted(allowed)}")
        return value

    return read


def one_of_each(*allowed: str) -> Read:
    def read(value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or not value or any(one not in allowed for one in value):
            raise ValueError(f"use a list of {quoted(allowed)}")
        return tuple(value)

    return read


def quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def program(value: object) -> tuple[str, ...]:
    words = shlex.split(value) if isinstance(value, str) else value
    if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
        raise ValueError('use a program and its arguments: ["pass", "show", "frontdesk"]')
    return tuple(words)


def yes_or_no(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("use true or false")
    return value


def number(least: int, most: int, words: str, *, auto: int | None = None) -> Read:
    """Reads a number. auto: what "auto" stands for, if it is allowed."""

    def read(value: object) -> int:
        if auto is not None and value == "auto":
            return auto
        if type(value) is not int or not least <= value <= most:
            raise ValueError(words)
        return value

    return read


def byte_count(value: object) -> int:
    """Number of bytes of a text such as 100MB. Raises: ValueError: what is allowed."""
    if type(value) is int:
        return value
    match = re.fullmatch(r"([0-9]{1,12}) ?([KMGT]B)?", str(value).strip().upper())
    if match is None:
        raise ValueError("give a number with KB, MB, GB or TB, such as 100MB")
    return int(match[1]) * _UNITS[match[2] or ""]


megabytes = number(1, MOST_MB, f"use a number of MB, 1 to {MOST_MB}")


def theme_names() -> dict[str, str]:
    """Names of themes in the configuration and the palette, and those in Textual."""
    return {**{name: f"frontdesk-{name}" for name in OWN_THEMES}, **{n: n for n in OTHER_THEMES}}


def _theme(value: object) -> str | None:
    names, name = theme_names(), text(value)
    if name == _AUTO_THEME:
        return None
    if name not in names:
        near = get_close_matches(name, names, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"there is {', '.join([_AUTO_THEME, *names])}{hint}")
    return names[name]


def _file(value: object) -> str:
    path = Path(text(value)).expanduser()
    if not path.is_absolute():
        raise ValueError("use a path that begins with / or ~")
    return str(path)


def _proxy(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError('use an address in quotes, or "" for none')
    if value.strip():
        check_proxy(value.strip())
    return value.strip()


def _read_after(value: object) -> object:
    if value in ("open", "never"):
        return value
    if type(value) not in (int, float) or not 0 <= float(str(value)) <= _LONGEST_REST:
        raise ValueError(f'use "open", "never" or seconds up to {_LONGEST_REST}')
    return float(str(value))


def _length(value: object) -> timedelta:
    length = parse_duration(value, "smhd") if isinstance(value, str) else None
    if length is None or not timedelta(0) < length <= _LONGEST_TARGET:
        raise ValueError(f'use a time like "15m", "1h" or "2d", up to "{_LONGEST_TARGET.days}d"')
    return length


def _keep(value: object) -> str:
    keep = text(value)
    KeepRule.parse(keep)
    return keep


def _query(value: object) -> str:
    from frontdesk.query import parse

    if not isinstance(value, str):
        raise ValueError("use a text in quotes")
    parse(value)
    return value


def _view_key(value: object) -> object:
    from frontdesk.query import VIEW_KEYS

    if value not in VIEW_KEYS:
        raise ValueError(f"use one of the keys {', '.join(VIEW_KEYS)} in quotes")
    return value


# Tables


class ViewerSettings(NamedTuple):
    """The viewer. density: lines per conversation, and picture_lines: height of a picture; 0
    adapts to the terminal.
    """

    theme: Annotated[
        str | None,
        Setting(
            _theme,
            'Theme: "auto" (light or dark as the background of the terminal), "dark", "light",'
            ' "high-contrast", "16-colours", "nord", "gruvbox", "dracula" and others.',
            f'"{_AUTO_THEME}"',
        ),
    ] = None
    density: Annotated[
        int,
        Setting(
            number(1, 3, 'use "auto", 1, 2 or 3', auto=0),
            'Lines for each conversation: "auto" (two), 1, 2 or 3.',
            '"auto"',
        ),
    ] = 0
    bell: Annotated[
        bool, Setting(yes_or_no, "Ring the terminal's bell when a message arrives.", "false")
    ] = False
    quiet_unfocused: Annotated[
        bool,
        Setting(yes_or_no, "Send no requests while the terminal does not have the focus.", "false"),
    ] = False
    mark_read_after: Annotated[
        ReadAfter,
        Setting(
            _read_after,
            "When a conversation counts as read on this computer: after so many seconds under the"
            ' cursor beside its thread, "open" for only when it is opened, or "never".',
            "3",
        ),
    ] = 3.0
    mouse: Annotated[
        bool,
        Setting(yes_or_no, "Handle the mouse. If false, the terminal selects text.", "true"),
    ] = True
    cache_mb: Annotated[
        int,
        Setting(megabytes, "What the pages already seen may take on this computer, in MB.", "512"),
    ] = 512
    pictures: Annotated[
        str,
        Setting(
            one_of(*_PICTURES),
            'Pictures in threads: "auto" looks at the terminal\'s environment, "blocks" and'
            ' "kitty" do not, "large" shows them in their dialog only, "off" nowhere.',
            '"auto"',
        ),
    ] = "auto"
    picture_lines: Annotated[
        int,
        Setting(
            number(4, 40, 'use "auto" or a number of lines, 4 to 40', auto=0),
            'Height of pictures in threads, in lines: "auto" (ten; 14 in kitty; six over ssh), or'
            " 4 to 40.",
            '"auto"',
        ),
    ] = 0
    media_mb: Annotated[
        int,
        Setting(megabytes, "What pictures and files may take on this computer, in MB.", "512"),
    ] = 512


class MirrorSettings(NamedTuple):
    """Conversations to keep whole in the cache. keep: None leaves it to the viewer's user."""

    keep: Annotated[
        str | None,
        Setting(
            _keep,
            'Conversations to keep whole on this computer: "off", "open", those of the last days'
            ' as "30d", or "all". They are loaded while the viewer is open.',
            '"open"',
        ),
    ] = None


class AlertSettings(NamedTuple):
    """What is alerted by the viewer and by `tail`, and how; `alerts` decides by it."""

    mine: Annotated[
        bool,
        Setting(yes_or_no, "Alert when a customer writes in your conversations.", "false"),
    ] = False
    waiting: Annotated[
        timedelta | None,
        Setting(
            _length, "Alert when an open conversation without an assignee waits longer.", '"15m"'
        ),
    ] = None
    window: Annotated[
        timedelta | None,
        Setting(
            _length,
            "Alert when a customer waits and the reply window closes within this time.",
            '"2h"',
        ),
    ] = None
    quiet: Annotated[
        QuietHours | None,
        Setting(
            lambda value: QuietHours.parse(str(value)),
            "No alerts at these times; a time zone may follow.",
            '"19:00-08:30"',
        ),
    ] = None
    terminal: Annotated[
        bool,
        Setting(
            yes_or_no,
            "Notify by the terminal too: iTerm2, kitty, WezTerm, Ghostty, foot, rxvt.",
            "false",
        ),
    ] = False

    @property
    def kinds(self) -> tuple[str, ...]:
        chosen = {MINE: self.mine, WAITING: self.waiting, WINDOW: self.window}
        return tuple(kind for kind, on in chosen.items() if on)

    def is_quiet(self, moment: datetime) -> bool:
        return self.quiet is not None and self.quiet.cover(moment)


class NetworkSettings(NamedTuple):
    """Network settings; None uses the environment. proxy: "" for none."""

    ca_file: Annotated[
        str | None,
        Setting(
            _file,
            "PEM file of the certificate authorities to trust, and of no others. Default:"
            " SSL_CERT_FILE, SSL_CERT_DIR, or the system's.",
            '"/etc/ssl/certs/company.pem"',
        ),
    ] = None
    proxy: Annotated[
        str | None,
        Setting(
            _proxy,
            'Proxy for https; "" means none. Default: HTTPS_PROXY. NO_PROXY lists hosts that'
            " bypass it.",
            '"http://proxy.example.com:3128"',
        ),
    ] = None


class TargetSettings(NamedTuple):
    """Times within which customers are to be answered, for reports; None: no target."""

    first_response: Annotated[
        timedelta | None,
        Setting(_length, "How soon customers get their first response: s, m, h or d.", '"15m"'),
    ] = None
    reply: Annotated[
        timedelta | None, Setting(_length, "How soon later replies are due.", '"1h"')
    ] = None

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of reports, in seconds."""
        return {
            f"target_{name}": None if length is None else round(length.total_seconds())
            for name, length in self._asdict().items()
        }


class Profile(NamedTuple):
    """Named inbox: a server (`url`) or a database. user: the user meant by "me" in a database.

    key_command: program and arguments that print the API key on the first line.
    """

    name: str
    url: Annotated[str | None, Setting(text, "", "")] = None
    database: Annotated[str | None, Setting(text, "", "")] = None
    user: Annotated[str | None, Setting(text, "", "", "me")] = None
    theme: Annotated[str | None, Setting(_theme, "", "")] = None
    key_command: Annotated[tuple[str, ...], Setting(program, "", "")] = ()

    @property
    def members(self) -> dict[str, Any]:
        """What is written of a profile that is added: all but its theme."""
        values = {name: getattr(self, member) for name, (member, _) in settings_of(Profile).items()}
        return {
            name: [*value] if isinstance(value, tuple) else value
            for name, value in values.items()
            if value and name != "theme"
        }


class ViewSettings(NamedTuple):
    """View of the viewer: name, query, and the key that shows it, or ""."""

    name: Annotated[str, Setting(text, "The name of a view.", '"Billing"')] = ""
    query: Annotated[
        str, Setting(_query, "The query that it shows.", '"is:open #billing sort:waiting"')
    ] = ""
    key: Annotated[
        str, Setting(_view_key, "5 to 9; without a key it is in the menu under v.", '"8"')
    ] = ""


DEFAULTS_OF_VIEWER, ENVIRONMENT_ALONE, NO_TARGETS = (
    ViewerSettings(),
    NetworkSettings(),
    TargetSettings(),
)
TABLES: Mapping[str, type] = {
    "viewer": ViewerSettings,
    "mirror": MirrorSettings,
    "alerts": AlertSettings,
    "network": NetworkSettings,
    "targets": TargetSettings,
}


def lines_of_table(name: str, table: type) -> Iterator[str]:
    """Lines of a table in a new file: each setting off, with its sentence."""
    yield f"[{name}]"
    for key, (_, setting) in settings_of(table).items():
        yield from (f"# {line}" for line in textwrap.wrap(setting.sentence, 98))
        yield f"# {key} = {setting.shown}"
    yield ""


def new_file() -> str:
    """A configuration file in which every setting is off."""
    tables = "\n".join(line for name, one in TABLES.items() for line in lines_of_table(name, one))
    return f"{_HEAD}{tables}\n{_REST}"


_HEAD = """\
# Configuration of frontdesk. `frontdesk config check` lists mistakes in this file.
# Lines that begin with # are comments; they show the defaults or an example.

# The profile that is opened by default: frontdesk profiles use NAME
# profile = "work"

"""
_REST = """\
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
