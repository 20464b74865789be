"""How the reader wants the viewer to be: plain values, from whoever starts it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Preferences(NamedTuple):
    """theme: by its name. density: lines of a conversation; 0 is by the terminal's size.

    keys: an action's id, and the keys for it instead of its own. profiles: names of inboxes that
    can be gone to, and where each is; `profile` is the one that is open. notices: said once, at
    the start.
    """

    theme: str | None = None
    density: int = 0
    bell: bool = False
    quiet_unfocused: bool = False
    keys: Mapping[str, str] = MappingProxyType({})
    profiles: Mapping[str, str] = MappingProxyType({})
    profile: str | None = None
    notices: tuple[str, ...] = ()


class Switch(NamedTuple):
    """The reader left for another profile."""

    profile: str


PLAIN = Preferences()
