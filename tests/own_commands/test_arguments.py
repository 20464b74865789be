"""Argument lists of the user's commands, and the variables that carry what others wrote."""

import os
import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.errors import BadSettings
from frontdesk.own_commands.arguments import (
    IN_ARGUMENTS,
    MOST_BYTES,
    MOST_ENVIRONMENT,
    PLACEHOLDERS,
    check,
    filled,
    filled_text,
    names_in,
    variable,
    variables,
)

# Placeholders of what customers, colleagues and other servers write.
WORDS = [
    *("contact.name", "contact.email", "channel.name", "assignee.name", "labels"),
    *("message.text", "media.name", "match", "query", "contact.fields.plan", "ask.tone"),
]
AROUND = [
    *("{}", "x{}", "--name={}", "Customer {} waits", "{}?x", "https://{}/", "https://a{}/?q"),
    *("print('{}')", "-cprint('{}')", "sh -c 'echo {}'", "/{}/"),
]
PROGRAMS = [
    *(["crm"], ["bash", "-euo", "pipefail", "-c"], ["python3.13", "-X", "dev", "-c"]),
    *(["env", "-S"], ["su", "-c"], ["watch"], ["ssh", "host"], ["awk"], ["sh", "script.sh"]),
]
ELEMENTS = st.sampled_from(
    ["plain", "{conversation.id}", "{contact.phone?}", "--to={contact.phone}", "x{message.id?}"]
)


@pytest.mark.parametrize("name", WORDS)
def test_words_of_others_stand_in_no_argument_of_any_program(name: str) -> None:
    for program in PROGRAMS:
        for around in AROUND:
            for placeholder in ("{%s}", "{%s?}"):
                with pytest.raises(ValueError, match=rf"the program reads \${variable(name)}"):
                    check([*program, around.replace("{}", placeholder % name)])


def test_every_value_is_either_of_our_own_making_or_a_word() -> None:
    assert {*PLACEHOLDERS} == {*IN_ARGUMENTS, *WORDS} - {"contact.fields.plan", "ask.tone"}


@pytest.mark.parametrize("name", IN_ARGUMENTS)
def test_values_of_our_own_making_stand_in_any_argument(name: str) -> None:
    for program in PROGRAMS:
        check([*program, f"x {{{name}}}", f"{{{name}?}}"])


@pytest.mark.parametrize(
    "element",
    [
        "https://crm.example.com/search?q={contact.name|url}&l={labels|url}",
        "myapp://find/{query|url}",
        "mailto:{contact.email|url}?subject={match|url}",
        "sms:{contact.name|digits}",
        "--data=q={contact.name|url}",
        "xdg-open https://crm.example.com/{contact.name|url}",
    ],
)
def test_an_address_has_words_in_percents_behind_its_host(element: str) -> None:
    check(["xdg-open", element])


@pytest.mark.parametrize(
    "element",
    [
        "{contact.name|url}",
        "https://{contact.name|url}/",
        "https://crm.example.com{contact.name|url}",
        "x='https://crm.example.com/' {contact.name|url}",
        "print({contact.name|url})",
        "--{contact.name|url}",
        "/bin/{contact.name|url}",
    ],
)
def test_words_in_percents_are_no_more_than_a_part_of_an_address(element: str) -> None:
    with pytest.raises(ValueError, match="FRONTDESK_CONTACT_NAME"):
        check(["sh", "-c", element])


@given(
    st.lists(ELEMENTS, max_size=6),
    st.dictionaries(
        st.sampled_from(["conversation.id", "contact.phone", "message.id"]),
        st.text() | st.from_regex("[a-z0-9+.=-]+", fullmatch=True),
    ),
)
def test_a_value_never_becomes_two_arguments_nor_an_option_nor_code(
    rest: list[str], values: dict[str, str]
) -> None:
    template = ["program", *rest]
    check(template)
    try:
        arguments = filled(template, values)
    except BadSettings:
        return
    assert len(arguments) == len(template)
    for element, argument in zip(template, arguments, strict=True):
        assert not argument.startswith("-") or element.startswith("-")
        assert re.fullmatch("[A-Za-z0-9._:@=+/-]*", argument)


@pytest.mark.parametrize("id", ["-rf", "$(id)", "a b", "a;b", "é", "1\n", "x" * 257])
def test_an_id_of_a_server_that_is_more_than_an_id_is_refused(id: str) -> None:
    with pytest.raises(BadSettings, match=r"can read \$FRONTDESK_CONVERSATION_ID"):
        filled(["crm", "{conversation.id}"], {"conversation.id": id})


def test_a_number_is_its_digits_behind_a_plus() -> None:
    values = {"contact.phone": "+57 (1) `23`", "channel.phone": "0044-20"}
    assert filled(["x", "{contact.phone}", "{channel.phone}"], values) == ["x", "+57123", "004420"]
    template = ["x", "https://crm.example.com/?p={contact.phone|url}", "{contact.phone|digits}"]
    assert filled(template, values) == ["x", "https://crm.example.com/?p=%2B57123", "57123"]


@pytest.mark.skipif(os.name == "nt", reason="runs a program of POSIX")
@pytest.mark.parametrize("name", ["$(echo run)", "`id`", "'\"; id", "--help", "\x1b[2Ja\nb\0"])
def test_a_shell_prints_a_hostile_name_from_its_variable_as_it_is(name: str) -> None:
    script = 'printf "%s" "$FRONTDESK_CONTACT_NAME"'
    environment = {**os.environ, **variables({"contact.name": name})}
    printed = subprocess.run(["sh", "-c", script], env=environment, capture_output=True).stdout
    shown = name.translate(str.maketrans("\x1b\0\n", "\ufffd\ufffd "))
    assert printed.decode() == shown


def test_the_text_of_a_message_keeps_its_lines_and_a_name_has_one() -> None:
    values = {"message.text": "a\nb", "contact.name": "a\nb", "contact.fields.v-i.p": "1"}
    assert variables(values) == {
        "FRONTDESK_MESSAGE_TEXT": "a\nb",
        "FRONTDESK_CONTACT_NAME": "a b",
        "FRONTDESK_CONTACT_FIELDS_V_I_P": "1",
    }


def test_what_is_too_long_for_a_variable_is_cut_and_too_many_are_left_out() -> None:
    most = MOST_ENVIRONMENT // MOST_BYTES
    long = {f"contact.fields.f{at}": "é" * MOST_BYTES for at in range(most + 1)}
    environment = variables({"message.text": "", **long})
    assert len(environment) == 1 + most
    assert environment["FRONTDESK_CONTACT_FIELDS_F0"] == "é" * (MOST_BYTES // 2)


def test_a_blank_value_is_refused_unless_it_may_be_blank() -> None:
    with pytest.raises(BadSettings, match="no customer's number here"):
        filled(["crm", "{contact.phone}"], {"contact.phone": " "})
    assert filled(["crm", "{contact.phone?}"], {}) == ["crm", ""]


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ([], "use a program"),
        (["{conversation.id}"], "cannot be a placeholder"),
        (["x", "{contact.nam}"], "there is no {contact.nam}: there is conversation.id"),
        (["x", "{contact.name|line}"], "there is no filter |line: there is url, digits"),
        (["awk", "{print $1}"], "write {{ and }} for braces"),
        (["x", "a}"], "write {{ and }} for braces"),
        (["x", "a\0"], "NUL"),
    ],
)
def test_a_mistake_in_an_argument_list_says_what_is_allowed(
    template: list[str], words: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        check(template)


@pytest.mark.parametrize("template", [[" "], [""], ["x", "{contact.name"], ["x", "{}"]])
def test_what_is_no_argument_list_is_refused(template: list[str]) -> None:
    with pytest.raises(ValueError, match=r"use a program|is no placeholder"):
        check(template)


def test_placeholders_are_named_once_and_in_order() -> None:
    texts = ["{query}", "{{query}}", "{contact.name?|url} {query}", "{contact.fields.a-B}"]
    assert names_in([*texts, "{ask.tone}"]) == [
        *("query", "contact.name", "contact.fields.a-B", "ask.tone"),
    ]
    assert names_in([]) == []


def test_doubled_braces_are_braces_and_a_value_is_none() -> None:
    assert filled_text("{{{query}}}", {"query": "{contact.name}"}) == "{{contact.name}}"
    assert filled(["x", "{{-a", "-b"], {}) == ["x", "{-a", "-b"]


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
