"""`frontdesk import catalogue`: all or nothing, with a list of changes."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.commands import run_on, stored

from frontdesk.cli.commands.import_ import import_group
from frontdesk.cli.exit_codes import USAGE, exit_code
from frontdesk.errors import BadSettings, InboxError, UnusableFile

WHOLE = """
[[channels]]
id = "106540352242922"
alias = "Support EU"

[[users]]
email = "ana@example.com"
name = "Ana Souza"
role = "administrator"

[[labels]]
title = "VIP"
color = "#FF8800"

[[teams]]
name = "night shift"
channels = ["Support EU"]
members = ["ana@example.com"]

[[custom_fields]]
key = "plan"
type = "list"
options = ["free", "gold"]

[[canned_responses]]
short_code = "hours"
text = "We are open 9–18 CET."
"""
MADE = [
    "+ channel 106540352242922: name Support EU, alias Support EU",
    "+ user ana@example.com: name Ana Souza, email ana@example.com, role administrator, active 1",
    "+ label vip: color #ff8800",
    "+ custom field plan: name plan, type list, options [free, gold], position 0",
    "+ canned response hours: text We are open 9–18 CET.",
    "+ team night shift: distribution round_robin, channels [106540352242922], "
    "members [ana@example.com]",
]


def run(tmp_path: Path, contents: str, *options: str, name: str = "desk.toml") -> Result:
    file = tmp_path / name
    file.write_text(contents)
    database = ("--database", str(tmp_path / "inbox.db"))
    return CliRunner().invoke(import_group, ["catalogue", str(file), *database, *options])


def test_a_whole_catalogue_is_imported_and_counted(tmp_path: Path) -> None:
    assert run(tmp_path, WHOLE).stdout.splitlines() == [*MADE, "6 changed"]
    assert stored(tmp_path, "SELECT title, color FROM label") == [("vip", "#ff8800")]
    assert stored(tmp_path, "SELECT count(*) FROM team_channel, team_member") == [(1,)]


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    run(tmp_path, WHOLE)
    assert run(tmp_path, WHOLE).stdout == "0 changed\n"


def test_json_says_the_same(tmp_path: Path) -> None:
    contents = json.dumps({"labels": [{"title": "vip"}]})
    assert run(tmp_path, contents, name="desk.json").stdout == (
        "+ label vip: color #1f93ff\n1 changed\n"
    )


def test_omitted_fields_are_kept_and_empty_ones_are_cleared(tmp_path: Path) -> None:
    run(tmp_path, '[[labels]]\ntitle = "vip"\ncolor = "#ff8800"\ndescription = "Handle first"')
    assert run(tmp_path, '[[labels]]\ntitle = "vip"').stdout == "0 changed\n"
    assert run(tmp_path, '[[labels]]\ntitle = "vip"\ndescription = ""').stdout.splitlines() == [
        "~ label vip: description Handle first → nothing",
        "1 changed",
    ]


def test_a_dry_run_shows_the_difference_and_changes_nothing(tmp_path: Path) -> None:
    assert run(tmp_path, WHOLE, "--dry-run").stdout.splitlines() == [*MADE, "6 would change"]
    assert not (tmp_path / "inbox.db").exists()
    run(tmp_path, WHOLE)
    changed = WHOLE.replace("Ana Souza", "Ana S.").replace('channels = ["Support EU"]', "")
    assert run(tmp_path, changed, "--dry-run").stdout.splitlines() == [
        "~ user ana@example.com: name Ana Souza → Ana S.",
        "~ team night shift: channels [106540352242922] → nothing",
        "2 would change",
    ]
    assert stored(tmp_path, "SELECT name FROM app_user") == [("Ana Souza",)]


WRONG = [
    ("colour = 1", "colour: not known; allowed: channels, users, labels, custom_fields, "),
    ("labels = 1", "labels: not a list; in TOML, write [[labels]]"),
    ("labels = [1]", "labels[0]: not a table of names and values"),
    ("[[labels]]", "labels[0].title: missing"),
    (f'[[teams]]\nname = "{"x" * 600}"', "teams[0]: name is too long"),
    ('[[labels]]\ntitle = "a"\ncolour = "x"', "labels[0].colour: not known; allowed: title, color"),
    ('[[labels]]\ntitle = "a"\ncolor = "red"', "labels[0].color: 'red' is not a colour such as"),
    ('[[labels]]\ntitle = "a"\n[[labels]]\ntitle = "A"', "labels[1]: 'a' is there before"),
    ('[[users]]\nname = "Ana"', "users[0].email: missing; without one, give external_id"),
    (
        '[[users]]\nemail = "ana"',
        "users[0].email: 'ana' is not allowed; an e-mail address has an @",
    ),
    (
        '[[users]]\nemail = "a@b"\nrole = "boss"',
        "users[0].role: 'boss' is not known; allowed: agent, administrator",
    ),
    ('[[users]]\nemail = "a@b"\nactive = "yes"', "users[0].active: not true or false"),
    ('[[teams]]\nname = "x"\nchannels = "106"', "teams[0].channels: not a list"),
    ('[[teams]]\nname = "x"\nchannels = [106]', "teams[0].channels[0]: not a text"),
    (
        '[[teams]]\nname = "x"\nchannels = ["Support US"]',
        "teams[0].channels[0]: no channel 'Support US'; known: 106540352242922, Support EU",
    ),
    (
        '[[teams]]\nname = "y"\n[[teams]]\nname = "x"\nmembers = ["bo@example.com"]',
        "teams[1].members[0]: no user 'bo@example.com'; known: ana@example.com",
    ),
    (
        '[[custom_fields]]\nkey = "plan"\ntype = "dropdown"',
        "custom_fields[0].type: 'dropdown' is not known; allowed: text, number, currency, percent",
    ),
    ('[[custom_fields]]\nkey = "plan"\ntype = "list"', "custom_fields[0].options: missing; a list"),
    ('[[custom_fields]]\nkey = "a b"', "custom_fields[0].key: 'a b' is not allowed; a key has"),
    (
        '[[custom_fields]]\nkey = "a"\nposition = -1',
        "custom_fields[0].position: not a whole number",
    ),
    ('[[canned_responses]]\nshort_code = "x"', "canned_responses[0].text: missing"),
    (
        '[[canned_responses]]\nshort_code = ""\ntext = "x"',
        "canned_responses[0].short_code: missing",
    ),
    ('[[channels]]\nid = "eu"', "channels[0].id: 'eu' is not allowed; the id of a number has"),
]


@pytest.mark.parametrize(("contents", "problem"), WRONG)
def test_mistakes_are_reported_with_their_path_and_nothing_is_imported(
    tmp_path: Path, contents: str, problem: str
) -> None:
    run(tmp_path, WHOLE)
    result = run(
        tmp_path, contents + '\n[[labels]]\ntitle = "new"\n' * ("labels =" not in contents)
    )
    assert isinstance(result.exception, UnusableFile)
    assert exit_code(result.exception) == 2
    (printed,) = result.stderr.splitlines()
    assert printed.removeprefix(f"{tmp_path / 'desk.toml'}: ").startswith(problem)
    assert stored(tmp_path, "SELECT title FROM label") == [("vip",)]


@pytest.mark.parametrize(
    ("contents", "name", "sentence"),
    [
        ("[[labels", "desk.toml", "is not TOML"),
        ("[1]", "desk.json", "is not JSON: it is not an object"),
        ("{", "desk.json", "is not JSON"),
    ],
)
def test_a_file_of_another_format_is_refused(
    tmp_path: Path, contents: str, name: str, sentence: str
) -> None:
    error = run(tmp_path, contents, name=name).exception
    assert isinstance(error, UnusableFile)
    assert sentence in str(error)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "desk.toml"
    ended = run_on(tmp_path / "inbox.db", "import", "catalogue", str(missing))
    assert ended.exit_code == USAGE
    assert ended.stderr == f"frontdesk: Cannot read {missing}: there is no such file\n"
    assert not (tmp_path / "inbox.db").exists()


def test_an_unknown_account_is_refused(tmp_path: Path) -> None:
    error = run(tmp_path, WHOLE, "--account", "other").exception
    assert isinstance(error, InboxError)
    assert isinstance(error, BadSettings)


SURROGATES = (
    {"labels": [{"title": "a\ud800"}]},
    {"labels": [{"title": "a", "description": "\udfff"}]},
    {"labels": [{"title": "a", "\ud800": "x"}]},
    {"labels\ud800": []},
    {"users": [{"email": "ana@example.com", "name": "\ud83d"}]},
    {"channels": [{"id": "106540352242922", "alias": "\ude00\ud83d"}]},
    {"custom_fields": [{"key": "plan", "type": "list", "options": ["a", "\ud800"]}]},
    {"canned_responses": [{"short_code": "\ud800", "text": "x"}]},
    {"canned_responses": [{"short_code": "x", "text": "a\ud800b"}]},
    {"teams": [{"name": "x", "members": ["\ud800"]}]},
)


@pytest.mark.parametrize("contents", SURROGATES, ids=lambda one: json.dumps(one)[:50])
def test_half_of_a_character_is_refused_wherever_it_stands(tmp_path: Path, contents: Any):
    result = run(tmp_path, json.dumps(contents), name="desk.json")
    assert isinstance(result.exception, UnusableFile), result.output
    assert "cannot be so; nothing was changed" in str(result.exception)
    assert next(iter(contents)).rstrip("\ud800") in result.stderr


def test_a_long_value_is_not_printed_whole(tmp_path: Path):
    result = run(tmp_path, json.dumps({"labels": [{"title": "x" * 100_000}]}), name="desk.json")
    assert "labels[0].title: 'xxx" in result.stderr
    assert len(result.stderr) < 300
