"""Does later, or never, what libraries do when they are imported and a start does not need."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, cast

# Half of OpenSSL for connections that are opened after the first paint; names of types, which take
# longer than all that names them (of pydantic's core six times as long; of Textual a tenth of all,
# for it has half of its widgets); what is told of mistakes; markup, and what reads it; themes and
# commands to choose from.
_LATER = (
    "asyncio.sslproto",
    "decimal",
    "difflib",
    "ipaddress",
    "mimetypes",
    "pickle",
    "pydantic_core.core_schema",
    "rich.markup",
    "rich.table",
    "shutil",
    "ssl",
    "tempfile",
    "textual.command",
    "textual.css._help_text",
    "textual.markup",
    "textual.types",
    "textwrap",
    "tokenize",
    "urllib.parse",
    "uuid",
)
_OF_PATTERNS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


@contextmanager
def lightly() -> Iterator[None]:
    """What is imported in here gets some modules, and compiles its patterns, at their first use."""
    absent = {name: _Module(name) for name in _LATER if name not in sys.modules}
    compiler = re.compile
    sys.modules.update(absent)
    cast(Any, re).compile = lambda pattern, flags=0: _Pattern(lambda: compiler(pattern, flags))
    try:
        yield
    finally:
        cast(Any, re).compile = compiler
        for name, module in absent.items():
            _make_way(name)
            package, _, within = name.rpartition(".")
            if package in sys.modules:
                vars(sys.modules[package]).setdefault(within, module)


def without_command_line() -> None:
    """Call it before httpx is imported.

    It has a command line of its own that imports pygments and half of rich, and does without.
    """
    cast(dict[str, Any], sys.modules).setdefault("httpx._main", None)


def _make_way(name: str) -> None:
    """The next who imports this module gets the module."""
    if isinstance(sys.modules.get(name), _Module):
        del sys.modules[name]


class _Module(ModuleType):
    """Stands for a module: has every name while others import it, and then what the module has."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            return _Value(lambda: getattr(_imported(self.__name__), name))
        module = _imported(self.__name__)
        vars(self).update(vars(module))
        return getattr(module, name)


def _imported(name: str) -> ModuleType:
    _make_way(name)
    return import_module(name)


class _Value:
    """Stands for a value that is made when it is called or asked for something.

    As the base of a class it is none: of Textual's choice of themes, for which there is ours.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._made(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._made, name)

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        return ()

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self._made)

    @cached_property
    def _made(self) -> Any:
        return self._make()


class _Pattern:
    """Stands for a pattern, and is compiled when it is used."""

    def __init__(self, make: Callable[[], "re.Pattern[Any]"]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        if name in _OF_PATTERNS:
            return _Value(lambda: getattr(self._compiled, name))
        return getattr(self._compiled, name)

    @cached_property
    def _compiled(self) -> "re.Pattern[Any]":
        pattern = self._make()
        # From now on nothing is between.
        vars(self).update((name, getattr(pattern, name)) for name in _OF_PATTERNS)
        return pattern
