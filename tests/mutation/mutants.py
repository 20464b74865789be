"""Finds the places of a source file that can be mutated, and the text that replaces each."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "//",
    ast.FloorDiv: "*",
    ast.Div: "*",
}


@dataclass(frozen=True)
class Mutant:
    """One change: the text between two byte offsets of a file is replaced."""

    path: str  # below src, with slashes
    function: str  # qualified name; "" at the level of the module or a class
    line: int
    start: int
    end: int
    before: str
    after: str

    def apply(self, source: bytes) -> bytes:
        """The source with the change made."""
        return source[: self.start] + self.after.encode() + source[self.end :]

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" + (f" {self.function}" if self.function else "")
        return f"{place}: {_one_line(self.before)} -> {_one_line(self.after)}"


def mutants(root: Path) -> list[Mutant]:
    """Every mutant of every file below `root`, by path and place."""
    return [
        mutant
        for path in sorted(root.rglob("*.py"))
        for mutant in _Finder(path.relative_to(root).as_posix(), path.read_bytes()).find()
    ]


def functions(source: bytes) -> list[tuple[str, int, int]]:
    """Qualified name, first and last line of each function, outer ones first."""
    return list(_functions(ast.parse(source), ""))


def names_made(source: bytes, line: int) -> set[str]:
    """Names of what a module makes once in a line, and of all that it makes of that.

    They are its constants, and functions whose results are cached.
    """
    found = set[str]()
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            names = {name.id for name in ast.walk(node) if _is_assigned(name)}
        elif isinstance(node, ast.FunctionDef) and "cache" in map(ast.unparse, node.decorator_list):
            names = {node.name}
        else:
            continue
        read = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        if node.lineno <= line <= (node.end_lineno or line) or read & found:
            found |= names
    return found


def _is_assigned(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, int, int]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{child.name}"
            if not isinstance(child, ast.ClassDef):
                yield name, child.lineno, child.end_lineno or child.lineno
            yield from _functions(child, f"{name}.")
        else:
            yield from _functions(child, prefix)


class _Finder:
    """Mutants of one file. Annotations, docstrings and decorators are left alone."""

    def __init__(self, path: str, source: bytes) -> None:
        self._path = path
        self._source = source
        self._tree = ast.parse(source)
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def find(self) -> list[Mutant]:
        return sorted(self._visit(self._tree, ""), key=lambda mutant: (mutant.start, mutant.after))

    def _visit(self, node: ast.AST, function: str) -> Iterator[Mutant]:
        for child in _executed(node):
            inside = function
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inside = f"{function}.{child.name}" if function else child.name
            yield from self._changes(child, function)
            yield from self._visit(child, inside)

    def _changes(self, node: ast.AST, function: str) -> Iterator[Mutant]:
        if isinstance(node, ast.stmt):
            yield from self._changed_statement(node, function)
        elif isinstance(node, ast.expr):
            yield from self._changed_expression(node, function)

    def _changed_statement(self, node: ast.stmt, function: str) -> Iterator[Mutant]:
        match node:
            case ast.If() | ast.While():
                yield self._negated(node.test, function)
            case ast.Expr(value=ast.Call() | ast.Await()):
                yield self._replace(node, "pass", function)
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield self._replace(value, "None", function)

    def _changed_expression(self, node: ast.expr, function: str) -> Iterator[Mutant]:
        match node:
            case ast.Compare(ops=[operator]):
                word = _COMPARISONS[type(operator)]
                yield self._between(node.left, node.comparators[0], word, function)
            case ast.BinOp() if type(node.op) in _ARITHMETIC and not _is_text(node):
                yield self._between(node.left, node.right, _ARITHMETIC[type(node.op)], function)
            case ast.BoolOp():
                word = "or" if isinstance(node.op, ast.And) else "and"
                yield self._between(node.values[0], node.values[1], word, function)
            case ast.UnaryOp(op=ast.Not()):
                yield self._replace(node, self._text(node.operand), function)
            case ast.IfExp():
                yield self._negated(node.test, function)
            case ast.Constant():
                yield from self._changed_constant(node, function)

    def _changed_constant(self, node: ast.Constant, function: str) -> Iterator[Mutant]:
        if isinstance(node.value, bool):
            yield self._replace(node, str(not node.value), function)
        elif isinstance(node.value, int):
            yield self._replace(node, str(node.value + 1), function)

    def _negated(self, test: ast.expr, function: str) -> Mutant:
        return self._replace(test, f"not ({self._text(test)})", function)

    def _between(self, left: ast.expr, right: ast.expr, after: str, function: str) -> Mutant:
        start, end = self._span(left)[1], self._span(right)[0]
        gap = self._source[start:end]
        # Parentheses around an operand belong to it and stay.
        closing = len(gap) - len(gap.lstrip(b") \n"))
        opening = len(gap) - len(gap.rstrip(b"( \n"))
        inner = slice(start + closing, end - opening)
        return self._mutant(left.lineno, inner.start, inner.stop, after, function)

    def _replace(self, node: ast.expr | ast.stmt, after: str, function: str) -> Mutant:
        start, end = self._span(node)
        return self._mutant(node.lineno, start, end, after, function)

    def _mutant(self, line: int, start: int, end: int, after: str, function: str) -> Mutant:
        before = self._source[start:end].decode()
        return Mutant(self._path, function, line, start, end, before, after)

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._lines[node.lineno - 1] + node.col_offset,
            self._lines[node.end_lineno - 1] + node.end_col_offset,
        )

    def _text(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return self._source[start:end].decode()


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """The children of a node but for annotations, decorators and blocks for type checkers.

    Python before 3.12 gives no true positions inside an f-string: its parts are left out.
    """
    if isinstance(node, ast.JoinedStr):
        return
    left_out = {"annotation", "returns", "decorator_list", "type_params"}
    for name, value in ast.iter_fields(node):
        if name in left_out:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_for_type_checkers(child):
                yield child


def _is_for_type_checkers(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def _is_text(node: ast.BinOp) -> bool:
    """True if an operand is text or a sequence, which have no other operator than `+`."""
    texts = (ast.JoinedStr, ast.List, ast.Tuple)
    return any(
        isinstance(side, texts) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in (node.left, node.right)
    )


def _one_line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 70 else f"{text[:69]}…"
