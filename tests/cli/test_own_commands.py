"""Own commands in the configuration: mistakes, and their list."""

from pathlib import Path

import pytest
from tests.commands import run_command

from frontdesk.cli.config import parsed, read

PATH = Path("config.toml")
GOOD = """\
[[commands]]
name = "Open in the CRM"
letter = "c"
run = 'xdg-open "https://crm.example.com/customers/$FRONTDESK_CONTACT_ID"'
output = "none"

[[commands]]
name = "Translate"
for = ["message"]
run = ["trans", "-b", ":en x"]
stdin = "message"
output = "under"
confirm = "Send the message?"
"""


def table(*lines: str) -> str:
    return "\n".join(["[[commands]]", 'name = "A"', 'run = ["true"]', *lines])


def test_commands_are_read_in_their_order() -> None:
    configured = parsed(PATH, GOOD)
    assert not configured.mistakes
    crm, translate = configured.commands
    assert (crm.name, crm.letter, crm.output) == ("Open in the CRM", "c", "none")
    assert crm.arguments[:2] == ("sh", "-c")
    assert translate.arguments == ("trans", "-b", ":en x")
    assert (translate.places, translate.confirm) == (("message",), "Send the message?")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[commands]]\nname = "A"', "line 1: a command needs a run"),
        ('[[commands]]\nrun = ["true"]', "line 1: a command needs a name"),
        (table('letter = "ab"'), "line 4: letter is 'ab': use one letter or digit"),
        (table('for = ["thread"]'), 'use a list of "conversation", "message", "link", "file"'),
        (table('for = ["link:a"]'), '"alert", "file:audio"'),
        (table('for = ["file:"]'), '"alert", "file:audio"'),
        (table("for = []"), '"alert", "file:audio"'),
        (table('for = "message"'), "use a list of"),
        (table('stdin = "all"'), 'use "none", "thread", "message", "rows"'),
        (table('key = "ctrl+hyper"'), 'use one key in quotes, such as "ctrl+g"'),
        (table('key = "j"'), "line 4: the key is that of list.next, which keeps it"),
        (table('key = "f"', 'for = ["report"]'), "the key is that of report."),
        (table('stdin = "thread"', 'for = ["alert"]'), 'stdin = "thread" is not there for "alert"'),
        (table('stdin = "message"'), 'for "conversation": use "none", "thread", "rows"'),
        (table('output = "under"', 'for = ["report"]'), 'output = "under" is not there for'),
        (table('output = "window"'), 'use "pane", "under", "clipboard", "notice", "terminal", "n'),
        (table('shell = "x"'), "line 4: 'shell' means nothing here"),
        (table() + "\n" + table(), "line 5: another command has the name A already"),
        ('[[commands]]\nname = "A"\nrun = "crm {labels}"', "line 3: run is"),
        ('[[commands]]\nname = "A"\nrun = []', "use a line for the shell, or a program"),
        ('[[commands]]\nname = "A"\nrun = " "', "use a line for the shell, or a program"),
        ('[[commands]]\nname = "A"\nrun = [1]', "use a line for the shell, or a program"),
        ('[[commands]]\nname = "A"\nrun = "a\\u0000"', "cannot have a NUL character"),
        ("commands = 3", "line 1: commands is not a list of tables: write [[commands]]"),
        ("\n".join(table().replace("A", f"A{at}") for at in range(101)), "more than 100 commands"),
        (f'[[commands]]\nname = "{"x" * 81}"\nrun = "a"', "use 1 to 80 characters"),
        (table('letter = "é"'), "use one letter or digit"),
        (table('confirm = " "'), "use true, false or a question in quotes"),
        (table("confirm = 1"), "use true, false or a question in quotes"),
    ],
)
def test_a_mistake_is_said_with_its_line(text: str, words: str) -> None:
    mistakes = [str(mistake) for mistake in parsed(PATH, text).mistakes]
    assert len(mistakes) == 1
    assert words in mistakes[0]


@pytest.mark.parametrize(
    ("written", "variable"),
    [
        ("{contact.phone}", "CONTACT_PHONE"),
        ("{contact.fields.plan?|url}", "CONTACT_FIELDS_PLAN"),
        ("{web_inbox}", "WEB_INBOX"),
    ],
)
def test_a_placeholder_of_an_earlier_version_is_said_with_its_variable(
    written: str, variable: str
) -> None:
    for run in (f'"crm {written}"', f'["crm", "{written}"]'):
        [mistake] = parsed(PATH, f'[[commands]]\nname = "A"\nrun = {run}').mistakes
        assert f"{written} is not filled in" in mistake.words
        assert f"$FRONTDESK_{variable}" in mistake.words
    assert not parsed(PATH, table().replace('["true"]', "\"awk '{print $1}' {a,b}\"")).mistakes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[open]\nconversation = "https://a.example/{id}"', "line 1: the table [open] left: write"),
        ('[viewer]\nopen_with = "zathura"', "line 2: open_with left: write [[commands]]"),
        ('[viewer]\nopen_audio = "mpv"', 'for = ["file:audio"]'),
        ('[alerts]\nrun = "notify-send"', 'line 2: run left: write [[commands]] with for = ["ale'),
        *(
            (table(f"{member} = 1"), f"line 4: {member} left: ")
            for member in (
                *("ask", "extract", "when", "hold", "platforms", "profiles"),
                *("environment", "timeout", "last", "cwd"),
            )
        ),
    ],
)
def test_a_member_that_left_is_said_with_what_is_written_instead(text: str, words: str) -> None:
    [mistake] = parsed(PATH, text).mistakes
    assert words in str(mistake)


@pytest.mark.parametrize(
    ("line", "member", "value"),
    [
        ('letter = "7"', "letter", "7"),
        ('letter = "Z"', "letter", "Z"),
        ("confirm = true", "confirm", "Run this command?"),
        ("confirm = false", "confirm", ""),
        ('confirm = " Now? "', "confirm", "Now?"),
        ('for = ["message", "file:audio"]', "places", ("message", "file:audio")),
        ("", "places", ("conversation",)),
        ('key = "f6"', "key", "f6"),
        ('key = "o"', "key", "o"),
        ('for = ["report"]\nstdin = "rows"', "stdin", "rows"),
        ('for = ["alert"]\nstdin = "message"', "stdin", "message"),
    ],
)
def test_a_member_of_a_command_is_read(line: str, member: str, value: object) -> None:
    configured = parsed(PATH, table(line))
    assert configured.mistakes == ()
    assert getattr(configured.commands[0], member) == value


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
    ("key", "place", "other", "is_free"),
    [
        ("ctrl+g", "conversation", "message", False),
        ("ctrl+g", "conversation", "report", True),
        ("ctrl+g", "report", "report", False),
        ("o", "file:audio", "file", True),
    ],
)
def test_a_key_may_be_that_of_a_command_for_another_screen(
    key: str, place: str, other: str, is_free: bool
) -> None:
    first, second = (table(f'key = "{key}"', f'for = ["{one}"]') for one in (place, other))
    configured = parsed(PATH, "\n".join([first, second.replace('"A"', '"B"')]))
    assert [one.key for one in configured.commands] == [key, key if is_free else ""]


def test_a_command_with_a_mistake_is_left_out_and_the_others_stay() -> None:
    configured = parsed(PATH, f"{table('letter = 1')}\n{GOOD}")
    assert [one.name for one in configured.commands] == ["Open in the CRM", "Translate"]


def test_a_shell_that_only_alerts_reads_the_commands_for_them() -> None:
    text = "\n".join([GOOD, table('for = ["alert"]')])
    assert [one.name for one in parsed(PATH, text, whole=False).commands] == ["A"]


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


def test_config_commands_lists_them(configuration_home: Path) -> None:
    path = configuration_home / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(GOOD)
    lines = run_command("config", "commands").stdout.splitlines()
    assert lines[0].split() == ["NAME", "KEY", "LETTER", "FOR", "STDIN", "OUTPUT", "RUN"]
    assert lines[1].startswith("Open in the CRM")
    assert lines[2].endswith("trans -b ':en x'")
