"""Matches of a user's regular expression in texts of customers, found by a child process.

A hostile text can keep an expression with nested repeats busy for years, and the interpreter with
it; the process is ended after some seconds.
"""

import json
import re
import sys
from collections.abc import Iterable, Sequence

from frontdesk.errors import BadSettings
from frontdesk.own_commands.runner import Job, ProgramRun
from frontdesk.text.clean import clean, one_line

# Characters of a text that are looked at, texts, and different matches that are returned.
_LONGEST_TEXT, _MOST_TEXTS, MOST_MATCHES = 4_000, 500, 20
_SECONDS = 2.0
_LONGEST_MATCH = 200

# Prints one match a line: the first group, if the expression has any, without line breaks.
_PROGRAM = """
import json, re, sys
expression, most, longest, texts = json.load(sys.stdin)
pattern = re.compile(expression)
found = {}
for text in texts:
    for match in pattern.finditer(text):
        words = " ".join(((match[1] if pattern.groups else match[0]) or "").split())
        if words and len(words) <= longest:
            found[words] = None
        if len(found) >= most:
            break
print(json.dumps(list(found)[:most]))
"""
# A repeated group with a repeat at its end, such as (a+)+ or (x*y*)*.
_NESTED_REPEAT = re.compile(r"\((?:[^()\\]|\\.)*(?<!\\)[+*}]\??\)(?:[+*]|\{[0-9]*,)")


def check_expression(pattern: str) -> None:
    """Check a regular expression. Raises: ValueError: with what is wrong."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"this is no regular expression: {error}") from None
    if _NESTED_REPEAT.search(pattern):
        raise ValueError("a repeat in a repeated group, as in (a+)+, can take forever: write a+")


async def matches(pattern: str, texts: Iterable[str]) -> Sequence[str]:
    """Different matches in texts, in their order, each in one line.

    Raises: BadSettings: the expression takes too long for them.
    """
    looked_at = [text[:_LONGEST_TEXT] for _, text in zip(range(_MOST_TEXTS), texts, strict=False)]
    job = Job(
        [sys.executable, "-I", "-S", "-c", _PROGRAM],
        json.dumps([pattern, MOST_MATCHES, _LONGEST_MATCH, looked_at]).encode(),
        timeout_seconds=_SECONDS,
        keeps_errors=False,
    )
    program = ProgramRun(job)
    await program.run()
    if program.failure:
        raise BadSettings(f"The expression {pattern!r} cannot be used here: {program.failure}")
    return [one_line(clean(one)) for one in json.loads(program.output.text())]
