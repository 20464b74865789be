"""Every sentence that the program can say: read together, and checked for style."""

import ast
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import frontdesk
from frontdesk.inbox import sentences as of_inbox
from frontdesk.tui import sentences
from tests.source_trees import nodes_of

SOURCE = Path(frontdesk.__file__).parent

# Words that people who work in support do not use for what is meant, and what they say.
UNIDIOMATIC = {
    r"\btold\b|\btells?\b": "say, send, show",
    r"\bnobody's\b|\bnobody\b(?! is “me”)": "unassigned, no one, no customer",
    r"\banybody\b|\bsomebody\b": "anyone, a user",
    r"\banew\b": "again, re-…",
    r"\b[Aa]sk(s|ed|ing)? (the|this) server\b": "refresh, request",
    r"\bgo(es|ing) on\b": "continue",
    r"\bstands? (in|on|under|at)\b": "is in",
    r"\btake off\b|\bonto this machine\b": "remove",
    r"\bkept here\b|\bseen here\b|\bseen so far\b": "on this computer",
    r"\bnothing of (this|that)\b": "not loaded yet",
    r"\bspeaks? of\b": "mentions",
}


# What people may type to find an entry.
SYNONYMS = {"nobody no one", "anybody anyone"}


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Texts of a module with at least two words, that are neither docstrings nor SQL."""
    skipped: set[int] = set()
    for node in nodes_of(path):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            skipped.add(id(body[0].value))
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            yield node.lineno, "".join(map(str, parts))
    for node in nodes_of(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            skip = id(node) in skipped or not re.search(r"[a-z] +\w", node.value)
            yield from () if skip else [(node.lineno, node.value)]


@cache
def spoken() -> list[tuple[str, str]]:
    """Places and texts of the areas that speak to people: viewer, shell, client and cache."""
    return [
        (f"{path.relative_to(SOURCE)}:{line}", text)
        for area in ("inbox", "tui", "cli", "client", "cache", "mailbox", "query")
        for path in sorted((SOURCE / area).rglob("*.py"))
        for line, text in texts(path)
        if not re.match(r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|said|found)\b", text)
        and text not in SYNONYMS
    ]


@pytest.mark.parametrize("words", UNIDIOMATIC, ids=lambda words: words.split("|")[0].strip("\\b"))
def test_user_facing_texts_are_idiomatic(words: str) -> None:
    found = [f"{place}: {text}" for place, text in spoken() if re.search(words, text)]
    assert not found, f"rather {UNIDIOMATIC[words]}:\n" + "\n".join(found)


def of_viewer() -> dict[str, str]:
    """Sentences of the viewer by name."""
    named = {name: value for name, value in (vars(of_inbox) | vars(sentences)).items()
             if name.isupper()}  # fmt: skip
    several = {f"{name}.{key}": text for name, texts in named.items()
               if isinstance(texts, dict) for key, text in texts.items()}  # fmt: skip
    return {name: text for name, text in (named | several).items() if isinstance(text, str)}


def test_a_sentence_of_the_viewer_begins_as_one_and_is_used() -> None:
    # Shown inside of a field or after other words.
    fragments = {
        name
        for name in of_viewer()
        if name.startswith(("FIND_", "SEARCH_HINT", "GO_TO", "PIPE_HINT", "FOLLOW_UP_IN_"))
    }
    fragments |= {
        "SAVED_AS",
        "DOWNLOADED_AS",
        "MORE_MATCHES",
    }
    areas = (SOURCE / "inbox", SOURCE / "tui")
    code = "".join(path.read_text("utf-8") for area in areas for path in area.rglob("*.py"))
    for name, text in of_viewer().items():
        begins = text[:1].isupper() or text.startswith("{") or name in fragments
        assert begins, text
        assert not re.search(r" {2}|\s$", text.rstrip(" ") if text.endswith(": ") else text), text
        constant = name.partition(".")[0]
        used = rf"sentences\.{constant}\b|(?<!^)\b{constant}\b(?! =)"
        assert re.search(used, code, re.MULTILINE), name


def test_all_sentences_can_be_read_together(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        if os.environ.get("PRINT_SENTENCES"):
            sys.stdout.write("\n".join(f"{place:44} {text}" for place, text in spoken()))
    assert len(of_viewer()) > 80
