"""Own commands in the configuration: mistakes, and what would be run."""

import json
import shlex
from datetime import timedelta
from pathlib import Path

import pytest
from tests.commands import output_of, run_on

from frontdesk.cli.config import parsed, read
from frontdesk.own_commands.command import AskedField

PATH = Path("config.toml")
GOOD = """\
[[commands]]
name = "Open in the CRM"
letter = "c"
run = ["xdg-open", "https://crm.example.com/search?phone={contact.phone|url}"]
output = "none"

[[commands]]
name = "Translate"
for = ["message"]
run = "trans -b ':en x'"
stdin = "message"
confirm = "Send {contact.name?}'s message?"
timeout = "90s"
platforms = ["linux", "macos"]
"""


def table(*lines: str) -> str:
    return "\n".join(["[[commands]]", 'name = "A"', 'run = ["true"]', *lines])


def test_commands_are_read_in_their_order() -> None:
    configured = parsed(PATH, GOOD)
    assert not configured.mistakes
    crm, translate = configured.commands
    assert (crm.name, crm.letter, crm.output) == ("Open in the CRM", "c", "none")
    assert translate.run == ("trans", "-b", ":en x")
    assert translate.is_offered("work", "darwin")
    assert not translate.is_offered("work", "win32")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[commands]]\nname = "A"', "line 1: a command needs a run"),
        ('[[commands]]\nrun = ["true"]', "line 1: a command needs a name"),
        (table('letter = "ab"'), "line 4: letter is 'ab': use one letter or digit"),
        (table('for = ["thread"]'), 'use a list of "conversation", "message", "contact", "marked"'),
        (table('stdin = "all"'), 'use "none", "thread", "thread-json", "message", "message-json"'),
        (table('key = "ctrl+hyper"'), 'use one key in quotes, such as "ctrl+g"'),
        (table('key = "j"'), "line 4: the key is that of list.next, which keeps it"),
        (table('key = "f"', 'for = ["report"]'), "the key is that of report."),
        (table('ask = [{ name = "a b" }]'), "a field needs a name of small letters"),
        (table('ask = [{ name = "a" }, { name = "a" }]'), "two fields have the same name"),
        (table('ask = [{ name = "a", choices = ["x"], default = "y" }]'), "one of the choices"),
        (table('confirm = "In {ask.tone}?"'), "{ask.tone} is not asked for: there is none"),
        (table("extract = 'VD-['", 'confirm = "{match}?"'), "this is no regular expression"),
        (table("extract = '(a+)+'", 'confirm = "{match}?"'), "can take forever"),
        (table('confirm = "{match}?"'), "a match needs extract"),
        (table('when = "is:opne"'), "is: takes open, snoozed"),
        (table('when = "is:open"', 'for = ["report"]'), "when needs a conversation"),
        (table("hold = true"), 'hold needs output = "terminal"'),
        (
            table('for = ["marked"]', 'confirm = "{contact.name}?"'),
            'no {contact.name} for "marked"',
        ),
        (
            table('for = ["contact"]', 'stdin = "thread"'),
            'stdin = "thread" is not there for "contact"',
        ),
        (table('for = ["report"]', 'stdin = "selection"'), 'is not there for "report"'),
        (table('output = "window"'), 'use "pane", "terminal", "notify", "clipboard", "none"'),
        (table('timeout = "soon"'), 'use a time like "90s" or "10m"'),
        (table('timeout = "9s"', 'output = "none"'), 'with output = "none" has no timeout'),
        (table("last = 3"), 'line 4: last needs stdin = "thread"'),
        (table("last = -1", 'stdin = "thread"'), "use a number of messages"),
        (table('stdin = "message"'), 'needs for = ["message"]'),
        (table('confirm = "Send {contact.mail}?"'), "there is no {contact.mail}"),
        (table('cwd = "here"'), "use a path that begins with / or ~"),
        (table('environment = { FRONTDESK_API_KEY = "x" }'), "do not begin with FRONTDESK_"),
        (table('platforms = ["beos"]'), 'use a list of "linux", "macos", "windows"'),
        (table('shell = "x"'), "line 4: 'shell' means nothing here"),
        (table() + "\n" + table(), "line 5: another command has the name A already"),
        ('[[commands]]\nname = "A"\nrun = ["sh", "x.sh", "{contact.name}"]', "line 3: run is"),
        ('[[commands]]\nname = "A"\nrun = "crm {labels}"', "the program reads $FRONTDESK_LABELS"),
        ("commands = 3", "line 1: commands is not a list of tables: write [[commands]]"),
        ("\n".join(table().replace("A", f"A{at}") for at in range(101)), "more than 100 commands"),
    ],
)
def test_a_mistake_is_said_with_its_line(text: str, words: str) -> None:
    mistakes = [str(mistake) for mistake in parsed(PATH, text).mistakes]
    assert len(mistakes) == 1
    assert words in mistakes[0]


@pytest.mark.parametrize(
    ("line", "member", "value"),
    [
        (f'name = "{"x" * 80}"', "name", "x" * 80),
        ('letter = "7"', "letter", "7"),
        ('letter = "Z"', "letter", "Z"),
        ("last = 0", "last", 0),
        ('last = 100000\nstdin = "thread-json"', "last", 100_000),
        ('timeout = "1s"', "timeout", timedelta(seconds=1)),
        ('timeout = "24h"', "timeout", timedelta(days=1)),
        ("confirm = true", "confirm", "Run this command?"),
        ("confirm = false", "confirm", ""),
        ('confirm = " Now? "', "confirm", "Now?"),
        ('hold = true\noutput = "terminal"', "holds", True),
        ('hold = false\noutput = "terminal"', "holds", False),
        ('cwd = "/tmp"', "directory", "/tmp"),
        ("", "directory", str(Path("~").expanduser())),
        ('environment = { A = "1" }', "environment", {"A": "1"}),
        ('when = "  is:open   #vip"', "condition", "is:open #vip"),
        ('for = ["message", "contact"]', "places", ("message", "contact")),
        ("", "places", ("conversation",)),
        ('profiles = ["work"]', "profiles", ("work",)),
        ('key = "f6"', "key", "f6"),
        ('ask = [{ name = "a1_" }]', "fields", (AskedField("a1_", "a1_"),)),
        (
            'ask = [{ name = "a", title = "T", default = "x", choices = ["x", "y"] }]',
            "fields",
            (AskedField("a", "T", "x", ("x", "y")),),
        ),
        (f'ask = [{{ name = "a", title = "{"x" * 60}" }}]', "fields", (AskedField("a", "x" * 60),)),
        (f'ask = [{{ name = "{"a" * 30}", title = "T" }}]', "fields", (AskedField("a" * 30, "T"),)),
    ],
)
def test_a_member_of_a_command_is_read(line: str, member: str, value: object) -> None:
    text = table(line)
    if member == "name":
        text = text.replace('name = "A"\n', "")
    configured = parsed(PATH, text)
    assert configured.mistakes == ()
    assert getattr(configured.commands[0], member) == value


FIELD = '{ name = "a" }'


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f'name = "{"x" * 81}"', "use 1 to 80 characters"),
        ('name = " "', "use 1 to 80 characters"),
        ('letter = "é"', "use one letter or digit"),
        ('letter = ""', "use one letter or digit"),
        ('letter = "-"', "use one letter or digit"),
        ('last = 100001\nstdin = "thread"', "use a number of messages, 0 for all"),
        ('last = true\nstdin = "thread"', "use a number of messages, 0 for all"),
        ('timeout = "0s"', 'use a time like "90s" or "10m"'),
        ('timeout = "25h"', 'use a time like "90s" or "10m"'),
        ('timeout = "1d"', 'use a time like "90s" or "10m"'),
        ("timeout = 9", 'use a time like "90s" or "10m"'),
        ('confirm = " "', "use true, false or a question in quotes"),
        ("confirm = 1", "use true, false or a question in quotes"),
        ('hold = 1\noutput = "terminal"', "use true or false"),
        ('hold = false\noutput = "pane"', 'hold needs output = "terminal"'),
        ("extract = ''", "use a regular expression in single quotes"),
        ('when = " "', "use a query in quotes"),
        ("ask = []", "use a list of 1 to 5 tables"),
        (f"ask = [{', '.join([FIELD] * 6)}]", "1 to 5 tables"),
        ('ask = [{ name = "a", titel = "T" }]', "use tables like"),
        (f'ask = [{{ name = "{"a" * 31}" }}]', "a field needs a name of small letters"),
        ('ask = [{ name = "a", title = "" }]', "a title of 1 to 60 characters"),
        (f'ask = [{{ name = "a", title = "{"x" * 61}" }}]', "a title of 1 to 60 characters"),
        ('ask = [{ name = "a", default = 1 }]', "title and default are texts"),
        ('ask = [{ name = "a", choices = [1] }]', "choices is a list of up to 50 texts"),
        (
            f'ask = [{{ name = "a", choices = {["x"] * 51} }}]',
            "choices is a list of up to 50 texts",
        ),
        ('ask = ["a"]', "use tables like"),
        ("environment = { A = 1 }", "use names and texts"),
        ('environment = { "A=B" = "1" }', "names have no ="),
        ('environment = { "" = "1" }', "names have no ="),
        ('environment = { A = "\\u0000" }', "names have no ="),
        ("profiles = []", "use a list of texts in quotes"),
        ("profiles = [1]", "use a list of texts in quotes"),
        ('timeout = "9s"\noutput = "terminal"', 'output = "terminal" has no timeout'),
        ('extract = \'a\'\nfor = ["contact"]\nconfirm = "{match}?"', "no {match} for"),
        ('when = "is:open"\nfor = ["everywhere"]', "when needs a conversation"),
        ('confirm = "{message.id}?"', 'needs for = ["message"]'),
        ('stdin = "message"\nfor = ["message", "contact"]', 'needs for = ["message"]'),
    ],
)
def test_a_member_that_is_not_allowed_is_a_mistake(line: str, words: str) -> None:
    text = table(line)
    if line.startswith("name"):
        text = text.replace('name = "A"\n', "")
    configured = parsed(PATH, text)
    assert len(configured.mistakes) == 1
    assert words in str(configured.mistakes[0])
    assert configured.commands == ()


def test_there_may_be_a_hundred_commands() -> None:
    text = "\n".join(table().replace('"A"', f'"A{at}"') for at in range(100))
    assert (len(parsed(PATH, text).commands), parsed(PATH, text).mistakes) == (100, ())


def test_of_two_commands_with_a_letter_the_second_is_a_mistake() -> None:
    first = table('letter = "a"')
    text = "\n".join([first, first.replace('"A"', '"B"')])
    configured = parsed(PATH, text)
    assert [one.name for one in configured.commands] == ["A"]
    assert str(configured.mistakes[0]) == "line 8: another command has the letter a already"


@pytest.mark.parametrize(
    ("place", "other", "is_free"),
    [
        ("conversation", "contact", False),
        ("conversation", "report", True),
        ("report", "report", False),
        ("everywhere", "report", False),
        ("report", "everywhere", False),
        ("contact", "everywhere", False),
    ],
)
def test_a_key_may_be_that_of_a_command_for_another_screen(
    place: str, other: str, is_free: bool
) -> None:
    first, second = (table('key = "ctrl+g"', f'for = ["{one}"]') for one in (place, other))
    configured = parsed(PATH, "\n".join([first, second.replace('"A"', '"B"')]))
    assert [one.key for one in configured.commands] == ["ctrl+g", "ctrl+g" if is_free else ""]


def test_a_command_with_a_mistake_is_left_out_and_the_others_stay() -> None:
    configured = parsed(PATH, f"{table('letter = 1')}\n{GOOD}")
    assert [one.name for one in configured.commands] == ["Open in the CRM", "Translate"]


def test_a_file_that_others_can_change_gives_no_commands(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(GOOD)
    path.chmod(0o644)
    assert len(read(path).commands) == 2
    path.chmod(0o664)
    configured = read(path)
    assert not configured.commands
    assert "others can change this file" in str(configured.mistakes[0])


def test_a_taken_key_is_a_mistake_and_the_command_stays_without_it() -> None:
    text = "\n".join([table('key = "j"'), table('key = "ctrl+g"').replace("A", "B")])
    configured = parsed(PATH, text)
    assert len(configured.mistakes) == 1
    assert [one.key for one in configured.commands] == ["", "ctrl+g"]


def test_a_key_that_an_action_was_moved_from_is_free() -> None:
    text = "\n".join(["[keys]", '"inbox.zoom" = "Z"', table('key = "+"')])
    configured = parsed(PATH, text)
    assert not configured.mistakes
    assert configured.commands[0].key == "plus"


def test_of_two_commands_with_a_key_in_one_place_the_first_has_it() -> None:
    first, second = table('key = "ctrl+g"'), table('key = "ctrl+g"').replace("A", "B")
    elsewhere = table('key = "ctrl+g"', 'for = ["report"]').replace("A", "C")
    configured = parsed(PATH, "\n".join([first, second, elsewhere]))
    assert [one.key for one in configured.commands] == ["ctrl+g", "", "ctrl+g"]
    assert str(configured.mistakes[0]).endswith("the key is that of the command A")


@pytest.fixture
def configured(configuration_home: Path) -> Path:
    path = configuration_home / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(GOOD)
    return path


@pytest.mark.usefixtures("configured")
def test_config_commands_lists_them(inbox: Path) -> None:
    lines = output_of(inbox, "config", "commands").splitlines()
    assert lines[0].split() == ["NAME", "KEY", "LETTER", "FOR", "STDIN", "OUTPUT", "RUN"]
    assert lines[1].startswith("Open in the CRM")


@pytest.mark.usefixtures("configured")
def test_try_prints_the_arguments_for_a_conversation_and_runs_nothing(inbox: Path) -> None:
    listed = output_of(inbox, "conversations", "list", "--all", "--format", "jsonl")
    row = json.loads(listed.splitlines()[0])
    tried = ("config", "commands", "--try", "Open in the CRM", "--conversation", row["id"])
    number = row["contact"]["phone"].replace("+", "%2B")
    address = f"https://crm.example.com/search?phone={number}"
    assert json.loads(output_of(inbox, *tried).splitlines()[0]) == ["xdg-open", address]


def test_try_fills_in_stand_ins_for_what_is_asked_and_found(inbox: Path, configured: Path) -> None:
    configured.write_text(
        table('ask = [{ name = "tone", title = "Tone" }]', "extract = 'VD-[0-9]+'").replace(
            '["true"]', '["x", "$FRONTDESK_MATCH", "{contact.id}"]'
        )
    )
    listed = output_of(inbox, "conversations", "list", "--all", "--format", "jsonl")
    row = json.loads(listed.splitlines()[0])
    tried = output_of(inbox, "config", "commands", "--try", "A", "--conversation", row["id"])
    arguments, *variables = tried.splitlines()
    assert json.loads(arguments) == ["x", "$FRONTDESK_MATCH", row["contact"]["id"]]
    assert {"FRONTDESK_ASK_TONE='<Tone>'", "FRONTDESK_MATCH='<match>'"} <= {*variables}
    assert f"FRONTDESK_CONTACT_NAME={shlex.quote(row['contact']['name'])}" in variables


def test_try_of_a_command_for_everywhere_needs_no_conversation(
    inbox: Path, configured: Path
) -> None:
    configured.write_text(table('for = ["report"]').replace('["true"]', '["x", "{report.file}"]'))
    tried = output_of(inbox, "config", "commands", "--try", "A").splitlines()
    assert json.loads(tried[0]) == ["x", "<report.file>"]


@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--try", "Crm"), "There is no command 'Crm'; there is 'Open in the CRM', 'Translate'"),
        (("--try", "Translate"), "--try needs --conversation ID"),
    ],
)
def test_try_says_what_is_missing(inbox: Path, options: tuple[str, ...], words: str) -> None:
    ended = run_on(inbox, "config", "commands", *options)
    assert ended.exit_code != 0
    assert words in ended.stderr


def test_try_of_a_command_with_a_mistake_says_the_mistake(inbox: Path, configured: Path) -> None:
    configured.write_text(table('letter = "ab"'))
    ended = run_on(inbox, "config", "commands", "--try", "A")
    assert "line 4: letter is 'ab'" in ended.stderr
