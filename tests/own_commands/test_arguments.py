"""Argument lists of the user's commands."""

import json
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.errors import BadSettings
from frontdesk.own_commands.arguments import MOST_BYTES, check, filled

PRINT = [sys.executable, "-c", "import json, sys; print(json.dumps(sys.argv[1:]))"]
HOSTILE = [
    "--help",
    "-rf",
    "$(id)",
    "`id`",
    "'\"",
    "; id",
    "a\nb",
    "a\0b",
    "\x1b[2J",
    "é😀",
    "\ud800",
]
ELEMENTS = st.sampled_from(
    ["plain", "{contact.name}", "{contact.name?}", "--title={contact.name}", "x{labels?}", "{{a}}"]
)


@given(
    st.lists(ELEMENTS, max_size=6),
    st.dictionaries(st.sampled_from(["contact.name", "labels"]), st.text()),
)
def test_a_value_never_becomes_two_arguments_nor_an_option(
    rest: list[str], values: dict[str, str]
) -> None:
    template = ["program", *rest]
    check(template)
    try:
        arguments = filled(template, values)
    except BadSettings:
        return
    assert len(arguments) == len(template)
    assert arguments[0] == "program"
    for element, argument in zip(template, arguments, strict=True):
        assert not argument.startswith("-") or element.startswith("-")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_program_gets_a_hostile_value_as_one_argument(name: str) -> None:
    arguments = filled([*PRINT, "a", "--", "{contact.name}"], {"contact.name": name})
    got = json.loads(subprocess.run(arguments, capture_output=True, check=True).stdout)
    assert got[:2] == ["a", "--"]
    assert len(got) == 3
    assert not set(got[2]) & set("\0\x1b\ud800")


def test_a_value_that_looks_like_an_option_is_refused_with_what_to_write() -> None:
    template = ["gh", "issue", "create", "--title", "{contact.name}"]
    with pytest.raises(BadSettings, match=r"for an option.*--name=\{contact.name\}"):
        filled(template, {"contact.name": "--repo=evil/x"})


def test_a_blank_value_is_refused_unless_it_may_be_blank() -> None:
    with pytest.raises(BadSettings, match="no customer's number here"):
        filled(["crm", "{contact.phone}"], {"contact.phone": " "})
    assert filled(["crm", "{contact.phone?}"], {}) == ["crm", ""]


def test_filters_write_a_value_for_its_place() -> None:
    values = {"contact.name": "a\n b&c", "contact.phone": "+57 (1) 23"}
    template = ["x", "{contact.name|line}", "?q={contact.name|url}", "{contact.phone|digits}"]
    assert filled(template, values) == ["x", "a b&c", "?q=a%0A%20b%26c", "57123"]


def test_a_value_that_is_too_long_is_refused() -> None:
    with pytest.raises(BadSettings, match="use standard input"):
        filled(["x", "{message.text}"], {"message.text": "é" * MOST_BYTES})


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ([], "use a program"),
        (["{contact.name}"], "cannot be a placeholder"),
        (["x", "{contact.nam}"], "there is no {contact.nam}: there is conversation.id"),
        (["x", "{contact.name|shout}"], "there is no filter |shout: there is line, url, digits"),
        (["awk", "{print $1}"], "write {{ and }} for braces"),
        (["x", "a}"], "write {{ and }} for braces"),
        (["sh", "-c", "crm {contact.phone}"], "is executed"),
        (["/bin/bash", "-e", "-lc", "crm {contact.phone}"], "is executed"),
        (["env", "A=1", "sh", "-c", "{query}"], "is executed"),
        (["python3", "-c", "print('{contact.name}')"], "is executed"),
        (["cmd.exe", "/c", "crm", "{contact.phone}"], "is executed"),
        (["crm.bat", "{contact.phone}"], "batch file"),
        (["x", "a\0"], "NUL"),
    ],
)
def test_a_mistake_in_an_argument_list_says_what_is_allowed(
    template: list[str], words: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        check(template)


def test_a_shell_gets_values_as_arguments_of_its_script() -> None:
    template = ["sh", "-c", 'printf %s "$1"', "sh", "{contact.name}"]
    check(template)
    arguments = filled(template, {"contact.name": "$(echo hello)"})
    assert subprocess.run(arguments, capture_output=True).stdout == b"$(echo hello)"
