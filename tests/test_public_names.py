"""The code uses public names of libraries only, and declares what it imports.

A name with a leading underscore belongs to whoever defines it. Read from the syntax tree of each
module, of the class bodies around it, and of the library classes that ours derive from. Tests use
public names too, those of the program included.
"""

import ast
import importlib
import inspect
import re
import sys
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.source_trees import MODULES, ROOT, SOURCE, TESTS, nodes_of

# The one module that may use private names, which they are, and at most how many of them.
FENCED = "frontdesk/tui/textual_private.py"
ALLOWED = frozenset({"_handle_exception"})
MOST_ALLOWED = 5

# The module that documents each private name; and where the library of SQLite is.
FENCED_OF_TESTS = "tests/tui/textual_private.py"

# Documented although they begin with an underscore: members of named tuples, and os._exit.
PUBLIC_ALL_THE_SAME = frozenset(
    {"_asdict", "_fields", "_make", "_replace", "_field_defaults", "_exit"}
)
# Attributes of modules that are documented to be assigned.
HOOKS = frozenset({"threading.excepthook", "sys.excepthook"})
DISTRIBUTIONS = {
    "PIL": "pillow",
    "phonenumbers": "phonenumberslite",
    "prometheus_client": "prometheus-client",
}


def is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def module_name(path: Path) -> str:
    name = path.relative_to(SOURCE).with_suffix("").as_posix().replace("/", ".")
    return name.removesuffix(".__init__")


def own_names(nodes: Iterable[ast.AST]) -> set[str]:
    """The private names that a module defines: classes' members, functions, its own globals."""
    found = set()
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                found.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case ast.Attribute(attr=name, ctx=ast.Store(), value=ast.Name(id="self" | "cls")):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name)
            case _:
                continue
    return {name for name in found if is_private(name)}


def imported(path: Path) -> Iterator[tuple[str, str | None]]:
    """The modules that a module imports, with the names that it takes from each."""
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)


def is_ours(module: str) -> bool:
    return module.partition(".")[0] == "frontdesk"


@cache
def names_of_base(base: type) -> frozenset[str]:
    """The private names that a library class has, those that its methods assign included."""
    names = {name for name in vars(base) if is_private(name)}
    try:
        source = textwrap.dedent(inspect.getsource(base))
    except (OSError, TypeError):
        return frozenset(names)
    return frozenset(names | own_names(ast.walk(ast.parse(source))))


def library_names(cls: type) -> set[str]:
    """The private names of all library classes that a class derives from."""
    bases = [base for base in cls.__mro__ if not is_ours(base.__module__) and base is not object]
    return set().union(*map(names_of_base, bases)) - PUBLIC_ALL_THE_SAME


@pytest.fixture(scope="module")
def classes() -> list[type]:
    """All classes of the program. Importing everything takes longer than looking at it."""
    paths = [path for path in MODULES if path.name != "__main__.py"]
    modules = [importlib.import_module(module_name(path)) for path in paths]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__
    ]


@cache
def class_tree(cls: type) -> ast.AST:
    """The syntax tree of a class; empty for one that a library made, such as a generic model."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except OSError:
        return ast.Module([], [])


def private_attributes(paths: list[Path]) -> Iterator[str]:
    """Where a private name is read that neither the module nor a base class of ours defines."""
    ours = {path: own_names(nodes_of(path)) for path in paths}
    everywhere = set().union(*ours.values())
    for path in paths:
        for node in nodes_of(path):
            if not isinstance(node, ast.Attribute) or not is_private(node.attr):
                continue
            of_self = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            known = (everywhere if of_self else ours[path]) | PUBLIC_ALL_THE_SAME
            if node.attr not in known:
                top = SOURCE if path.is_relative_to(SOURCE) else ROOT
                yield f"{path.relative_to(top)}:{node.lineno} {ast.unparse(node)}"


def private_imports(path: Path) -> Iterator[str]:
    """The modules and names that a module imports and that are private."""
    for module, name in imported(path):
        if module != "__future__" and (
            any(map(is_private, module.split("."))) or (name and is_private(name))
        ):
            yield f"{module} {name or ''}".strip()


def test_no_private_name_of_a_library_is_read() -> None:
    assert beyond_the_fence(list(private_attributes(MODULES))) == []


def test_tests_read_no_private_name() -> None:
    found = [one for one in private_attributes(TESTS) if not one.startswith(FENCED_OF_TESTS)]
    assert found == []


def test_tests_import_no_private_name() -> None:
    found = {path.relative_to(ROOT).as_posix(): [*private_imports(path)] for path in TESTS}
    private = {path: names for path, names in found.items() if names}
    assert private == {FENCED_OF_TESTS: ["textual._wait"], "tests/stores.py": ["_sqlite3"]}


def test_no_class_uses_or_replaces_a_private_name_of_its_library_bases(
    classes: list[type],
) -> None:
    found = []
    for cls in classes:
        names = library_names(cls)
        for node in ast.walk(class_tree(cls)) if names else ():
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    used = name
                case ast.Attribute(attr=name, value=ast.Name(id="self" | "cls")):
                    used = name
                case _:
                    continue
            if used in names:
                found.append(f"{cls.__module__.replace('.', '/')}.py {cls.__name__}.{used}")
    assert beyond_the_fence(sorted(set(found))) == []


def test_no_private_module_or_name_is_imported() -> None:
    found = []
    for path in MODULES:
        for one in private_imports(path):
            if not is_ours(one):
                found.append(f"{path.relative_to(SOURCE)} {one}")
    assert beyond_the_fence(found) == []


def test_no_attribute_of_another_module_is_replaced() -> None:
    found = []
    for path in MODULES:
        modules = {name.partition(".")[0] for name, taken in imported(path) if taken is None}
        for node in nodes_of(path):
            stored = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            if stored and isinstance(node.value, ast.Name) and node.value.id in modules:
                if ast.unparse(node) in HOOKS:
                    continue
                found.append(f"{path.relative_to(SOURCE)}:{node.lineno} {ast.unparse(node)}")
            if (
                isinstance(node, ast.Attribute)
                and node.attr == "modules"
                and ast.unparse(node) == "sys.modules"
            ):
                found.append(f"{path.relative_to(SOURCE)}:{node.lineno} sys.modules")
    assert found == []


def test_few_private_names_are_allowed() -> None:
    assert len(ALLOWED) <= MOST_ALLOWED


def beyond_the_fence(found: list[str]) -> list[str]:
    return [
        one for one in found if not (one.startswith(FENCED) and one.rpartition(".")[2] in ALLOWED)
    ]


def test_whatever_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        declared += extra
    names = {re.split(r"[\[<>=!~; ]", one, maxsplit=1)[0].replace("-", "_") for one in declared}
    tops = {module.partition(".")[0] for path in MODULES for module, _ in imported(path)}
    tops = {DISTRIBUTIONS.get(top, top).replace("-", "_") for top in tops}
    undeclared = tops - names - sys.stdlib_module_names - {"frontdesk"}
    assert sorted(undeclared) == []


def test_a_class_name_is_used_once() -> None:
    """Messages that are nested in their sender may have the name of another widget's."""
    modules = [nodes_of(path) for path in MODULES]
    nested = {
        inner
        for nodes in modules
        for outer in nodes
        if isinstance(outer, ast.ClassDef)
        for inner in outer.body
    }
    names = Counter(
        node.name.lstrip("_")
        for nodes in modules
        for node in nodes
        if isinstance(node, ast.ClassDef) and node not in nested
    )
    assert [name for name, count in names.items() if count > 1] == []
