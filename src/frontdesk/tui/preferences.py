"""Values that the command line passes into the viewer."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from frontdesk.query import SavedView
from frontdesk.settings import AlertSettings, TargetSettings, ViewerSettings

if TYPE_CHECKING:
    from frontdesk.own_commands.command import OwnCommand


class Preferences(NamedTuple):
    """Tables of the configuration as they are, and what else the command line knows of a start.

    terminal_theme: where the configuration names no theme; None: the dark one. keys: changed keys
    by binding id. profiles: name and location of the available profiles; `profile` is the open
    one. views: those of the configuration. notices: shown once after the start. media_directory:
    where files are kept; None: nowhere. downloads: where they are saved. commands: programs of the
    user. is_demo: nothing is remembered.
    """

    viewer: ViewerSettings = ViewerSettings()
    terminal_theme: str | None = None
    keys: Mapping[str, str] = MappingProxyType({})
    profiles: Mapping[str, str] = MappingProxyType({})
    profile: str | None = None
    views: tuple[SavedView, ...] = ()
    notices: tuple[str, ...] = ()
    targets: TargetSettings = TargetSettings()
    alerts: AlertSettings = AlertSettings()
    media_directory: Path | None = None
    downloads: Path = Path()
    commands: "tuple[OwnCommand, ...]" = ()
    is_demo: bool = False


class Switch(NamedTuple):
    """Result of the application: open another profile."""

    profile: str


PLAIN = Preferences()
