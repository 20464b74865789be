"""Leaves out of libraries what a start pays for and nothing here uses."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, cast

# Modules that import another only for the names of types in it. That takes longer than they do: of
# pydantic's core six times as long, and of Textual a tenth of all, for it has half of its widgets.
_TYPES = {"pydantic_core": "pydantic_core.core_schema", "textual.app": "textual.types"}


def lighten() -> None:
    """Call it before httpx is imported.

    It has a command line of its own that imports pygments and half of rich, and does without.
    """
    _modules().setdefault("httpx._main", None)


def without_types(name: str) -> None:
    """Import a module without the types that it names; who needs them finds them later."""
    modules, types = _modules(), _TYPES[name]
    if name not in modules and types not in modules:
        modules[types] = _Types(types)
        try:
            import_module(name)
        finally:
            del modules[types]


def _modules() -> dict[str, Any]:
    return cast(dict[str, Any], sys.modules)


class _Types(ModuleType):
    """Has every name."""

    def __getattr__(self, name: str) -> object:
        return Any
