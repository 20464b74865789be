"""Argument lists of the user's commands."""

import json
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.errors import BadSettings
from frontdesk.own_commands.arguments import MOST_BYTES, check, filled, filled_text, names_in

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


@pytest.mark.parametrize(
    "template",
    [
        # After a script come its arguments.
        ["bash", "-l", "-c", "echo", "{query}"],
        # These options have no script, and what is no option is the name of a file.
        ["bash", "-e", "{query}"],
        ["python3", "--check", "{query}"],
        ["python3", "tool.py", "-c", "{query}"],
        ["perl", "-n", "tool", "{query}"],
        ["crm", "-c", "{query}"],
        ["crm.bat", "{{query}}"],
        ["cmd.exe", "/c", "crm"],
        ["less", "{{", "}}"],
    ],
)
def test_values_are_allowed_where_nothing_executes_them(template: list[str]) -> None:
    check(template)


@pytest.mark.parametrize(
    "template",
    [
        ["perl", "-E", "{query}"],
        ["perl", "-ne", "{query}"],
        ["node", "-p", "{query}"],
        ["node", "-e", "{query}"],
        ["ruby", "-e", "{query}"],
        ["php", "-r", "{query}"],
        ["C:\\Windows\\BASH.EXE", "-c", "{query}"],
        ["sudo", "/usr/bin/dash", "-c", "{query}"],
        ["pwsh", "-NoProfile", "-File", "x.ps1", "{query}"],
    ],
)
def test_a_value_is_never_part_of_what_an_interpreter_executes(template: list[str]) -> None:
    with pytest.raises(ValueError, match="is executed"):
        check(template)


@pytest.mark.parametrize("template", [[" "], [""], ["x", "{contact.name"], ["x", "{}"]])
def test_what_is_no_argument_list_is_refused(template: list[str]) -> None:
    with pytest.raises(ValueError, match=r"use a program|is no placeholder"):
        check(template)


def test_placeholders_are_named_once_and_in_order() -> None:
    texts = ["{query}", "{{query}}", "{contact.name?|line} {query}", "{contact.fields.a-B}"]
    assert names_in([*texts, "{ask.tone}"]) == [
        *("query", "contact.name", "contact.fields.a-B", "ask.tone"),
    ]
    assert names_in([]) == []


def test_doubled_braces_are_braces_and_a_value_is_none() -> None:
    assert filled_text("{{{query}}}", {"query": "{contact.name}"}) == "{{contact.name}}"
    assert filled(["x", "{{-a", "-b"], {}) == ["x", "{-a", "-b"]


def test_a_value_may_begin_with_a_dash_within_an_argument_or_behind_two() -> None:
    values = {"query": "-x"}
    assert filled(["x", "--name={query}"], values) == ["x", "--name=-x"]
    assert filled(["x", "--", "{query}"], values) == ["x", "--", "-x"]
    for template in (["x", "{query}", "--"], ["x", "{query}y"]):
        with pytest.raises(BadSettings, match=r"x would take '-x.?' for an option"):
            filled(template, values)


def test_the_longest_argument_has_32_kib() -> None:
    assert MOST_BYTES == 32 * 1024
    assert filled(["x", "{query}"], {"query": "é" * 16_384})[1] == "é" * 16_384
    with pytest.raises(BadSettings, match="has more than 32 KiB"):
        filled(["x", "a{query}"], {"query": "é" * 16_384})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{labels}", "There is no label here for {labels}"),
        ("{contact.fields.plan}", "There is no value of plan here for {contact.fields.plan}"),
        ("{ask.tone}", "There is no value of tone here for {ask.tone}"),
        ("{contact.phone|digits}", "There is no customer's number here for {contact.phone|digits}"),
    ],
)
def test_a_value_that_is_blank_behind_its_filter_is_named(text: str, words: str) -> None:
    with pytest.raises(BadSettings, match=re.escape(words)):
        filled_text(text, {"contact.phone": "none", "labels": " "})


def test_digits_are_those_of_ascii() -> None:
    assert filled_text("{query|digits}", {"query": "+4٤4²-0"}) == "440"
