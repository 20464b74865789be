"""Viewer settings as plain values, passed in by the command line."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from frontdesk.alert_settings import AlertSettings
from frontdesk.inbox.limits import READ_AFTER_SECONDS
from frontdesk.query import SavedView

if TYPE_CHECKING:
    from frontdesk.own_commands.command import OwnCommand

ReadAfter: TypeAlias = float | Literal["open", "never"]


class Targets(NamedTuple):
    """Times within which customers are to be answered; None: no target."""

    first_response: timedelta | None = None
    reply: timedelta | None = None


class MediaSettings(NamedTuple):
    """How pictures and files of messages are shown and opened.

    pictures: "auto", "large" (only in the dialog), "blocks", "kitty" or "off". lines: height of
    pictures in a thread; 0: that of the terminal. directory: where files are kept; None: nowhere.
    downloads: where they are saved; most_bytes: what they may take.
    """

    pictures: str = "auto"
    lines: int = 0
    directory: Path | None = None
    downloads: Path = Path()
    most_bytes: int = 0


class Preferences(NamedTuple):
    """theme: a name, None for that of the terminal. terminal_theme: which that is; None: the dark
    one. density: lines per conversation; 0 depends on the terminal's size.

    mark_read_after: seconds on a conversation until it is read; "open": only when it is opened.

    keys: changed keys by binding id. profiles: name and location of the available profiles;
    `profile` is the open one. views: those of the configuration. notices: shown once after
    the start. is_demo: nothing is remembered.
    commands: programs of the user.
    """

    theme: str | None = None
    terminal_theme: str | None = None
    density: int = 0
    bell: bool = False
    quiet_unfocused: bool = False
    mark_read_after: ReadAfter = READ_AFTER_SECONDS
    keys: Mapping[str, str] = MappingProxyType({})
    profiles: Mapping[str, str] = MappingProxyType({})
    profile: str | None = None
    views: tuple[SavedView, ...] = ()
    notices: tuple[str, ...] = ()
    targets: Targets = Targets()
    alerts: AlertSettings = AlertSettings()
    media: MediaSettings = MediaSettings()
    commands: "tuple[OwnCommand, ...]" = ()
    is_demo: bool = False


class Switch(NamedTuple):
    """Result of the application: open another profile."""

    profile: str


PLAIN = Preferences()
