"""Leaves out of libraries what a start pays for and nothing here uses."""

import sys
from types import ModuleType
from typing import Any, cast


def lighten() -> None:
    """Call it before httpx is imported and before a wire value is first read.

    httpx has a command line of its own that imports pygments and half of rich, and does without.
    pydantic looks for plugins, which no installation of this program has, with importlib.metadata.
    """
    modules = cast(dict[str, Any], sys.modules)
    modules.setdefault("httpx._main", None)
    loader = ModuleType("pydantic.plugin._loader")
    loader.get_plugins = tuple  # type: ignore[attr-defined]
    modules.setdefault(loader.__name__, loader)
