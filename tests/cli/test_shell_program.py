"""The program in a shell: exit codes, pipes, signals, imports, completion."""

import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tests.client.prepared_server import CONVERSATION
from tests.commands import output_of, run_command, run_on
from tests.fake_service import Query, Reply, fake_service
from tests.terminals import Terminal

from frontdesk.cli.exit_codes import DONE, ERROR, TRY_AGAIN, USAGE
from frontdesk.cli.main import frontdesk

BASH = shutil.which("bash")
PROGRAM = (sys.executable, "-m", "frontdesk")


COMMANDS = (
    ("list", "conversations"),
    ("counts",),
    ("show", "1"),
    ("report",),
    ("tail", "--once"),
    ("contact", "+15551234567"),
    ("completion", "fish"),
    ("--help",),
)
IMPORTED = """
import sys
from frontdesk.cli import main
for arguments in {commands!r}:
    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit:
        pass
    heavy = {{"textual", "granian", "keyring"}} & set(sys.modules)
    if heavy:
        sys.exit(f"{{arguments}} imports {{heavy}}")
"""


def test_no_command_of_the_shell_imports_textual_whatever_is_configured(
    inbox: Path, configuration_home: Path
):
    configuration_home.mkdir(parents=True)
    (configuration_home / "config.toml").write_text(
        f'[viewer]\ntheme = "light"\n[keys]\n"inbox.next" = "n"\n'
        f'[profiles.a]\ndatabase = "{inbox}"\ntheme = "dark"\n'
    )
    program = IMPORTED.format(commands=COMMANDS)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "LAST MESSAGE" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ["--url", "http://x", "--profile", "a"],
            "Use only one of --url, --database and --profile",
        ),
        (["--url=http://x", "--as", "7"], "--url does not go with --as"),
        (["--profile", "nobody"], "There is no profile"),
    ],
)
def test_a_mistake_in_the_place_to_open_is_named(arguments: list[str], error: str):
    done = run_command(*arguments)
    assert done.exit_code == USAGE
    assert error in done.stderr


def test_a_server_gives_what_its_database_gives(
    served: Callable[..., str], served_key: str, served_path: Path
):
    url = served()
    for arguments in (("list", "labels", "--format", "json"), ("counts", "--format", "csv")):
        asked = run_command(*arguments, "--url", url, FRONTDESK_API_KEY=served_key)
        assert (asked.exit_code, asked.stderr) == (DONE, "")
        assert asked.stdout == output_of(served_path, *arguments)


def test_a_key_that_is_refused_is_an_error(served: Callable[..., str]):
    done = run_command("counts", "--url", served(), FRONTDESK_API_KEY="fd_live_" + "a" * 54)
    assert (done.exit_code, done.stdout) == (ERROR, "")
    assert len(done.stderr.splitlines()) == 1
    assert "a" * 54 not in done.stderr


def test_without_a_key_it_says_where_one_belongs():
    done = run_command("counts", "--url", "http://127.0.0.1:9", FRONTDESK_API_KEY=None)
    assert (done.exit_code, done.stdout) == (USAGE, "")
    assert "FRONTDESK_API_KEY" in done.stderr


@pytest.mark.parametrize("command", [("list", "labels", "--all"), ("tail",), ("show", "1")])
def test_a_server_that_is_not_there_is_try_again(command: tuple[str, ...]):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        done = run_command(*command, "--url", url, FRONTDESK_API_KEY="k")
    assert (done.exit_code, done.stdout) == (TRY_AGAIN, "")
    assert done.stderr == "frontdesk: The server cannot be reached\n"


@pytest.mark.parametrize(
    "command",
    [("list", "conversations"), ("show", "1"), ("tail", "--once"), ("cache", "fill")],
)
def test_a_pause_that_a_server_asks_for_is_waited_for(command: tuple[str, ...]):
    pauses = [Reply(429, {}, {"Retry-After": "0"})] * 2

    def answer(path: str, query: Query) -> object:
        if pauses:
            return pauses.pop()
        rows = [CONVERSATION] if path.endswith("/conversations") else []
        return {"data": rows, "next_cursor": None, "has_more": False}

    with fake_service(answer) as there:
        done = run_command(*command, "--url", there.url, FRONTDESK_API_KEY="k")
    assert (done.exit_code, pauses) == (DONE, [])


@pytest.mark.parametrize("query", ["-#payment", "-sort:active"])
def test_a_query_that_looks_like_an_option_is_explained(inbox: Path, query: str):
    done = run_command("conversations", "list", "--database", inbox, query)
    assert (done.exit_code, done.stdout) == (USAGE, "")
    assert "A query that begins with - comes after the options and --." in done.stderr


def test_nowhere_to_ask_is_usage():
    done = run_command("counts")
    assert (done.exit_code, "--url" in done.stderr) == (USAGE, True)


def test_a_pipe_that_is_closed_early_ends_it_quietly(inbox: Path):
    command = [*PROGRAM, "list", "contacts", "--all", "--format", "jsonl", "--database", str(inbox)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert json.loads(first)["id"]
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
@pytest.mark.parametrize(
    "command",
    [
        ("list", "labels"),
        ("list", "conversations", "--all", "--format", "jsonl"),
        ("show", "1"),
        ("report",),
        ("export", "events"),
        ("keys", "list"),
    ],
    ids=" ".join,
)
def test_a_full_disk_under_standard_output_is_no_bug(inbox: Path, command: tuple[str, ...]):
    with open("/dev/full", "w") as full:
        result = run_command(*command, "--database", inbox, stdout=full)
    assert result.exit_code == ERROR
    assert result.stderr.splitlines()[-1] == (
        "frontdesk: The output cannot be written: No space left on device; "
        "make room, then run it again"
    )


def test_interrupted_it_says_nothing_more_and_ends_with_130(inbox: Path):
    command = [*PROGRAM, "tail", "--lines", "1", "--database", str(inbox)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate()
    assert (process.returncode, said, complained.strip()) == (130, "", "")


def test_a_character_set_without_the_letters_gets_question_marks(inbox: Path):
    with io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True) as ascii_output:
        done = run_on(inbox, "list", "channels", stdout=ascii_output)
        shown = ascii_output.buffer.getvalue()
    assert (done.exit_code, done.stderr) == (DONE, "")
    assert b"S?o Paulo" in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(shell: str):
    result = run_command("completion", shell)
    assert result.exit_code == DONE
    assert "_FRONTDESK_COMPLETE" in result.stdout
    assert f"{shell}_complete" in result.stdout


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
def test_bash_completes_words_and_quotes_names_with_blanks(inbox: Path, tmp_path: Path):
    program = tmp_path / "bin" / "frontdesk"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.argv[0] = 'frontdesk'\n"
        "from frontdesk.cli import main\nmain()\n"
    )
    program.chmod(0o755)
    (tmp_path / "temporary").mkdir()
    start = "import os; os.execvp('bash', ['bash', '--norc', '-i'])"
    variables = {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "PS1": "> ",
        "FRONTDESK_DATABASE": str(inbox),
    }
    bash = Terminal(start, tmp_path / "temporary", **variables)
    try:
        bash.press(b'eval "$(frontdesk completion bash)"; echo rea""dy\r')
        bash.wait_for(rb"[\r\n]ready")
        for typed, words in (
            ("conversations v", ["conversations", "view"]),
            ("conversations list in:Ne", ["conversations", "list", 'in:"New York"']),
            (
                "conversations list --channel=New\\ Y",
                ["conversations", "list", "--channel=New York"],
            ),
            ('counts --channel "New', ["counts", "--channel", "New York"]),
        ):
            # The words that the program would be called with.
            bash.press(b"frontdesk " + typed.encode() + b"\t\x01printf '<%s>' \x05\r")
            shown = "".join(f"<{word}>" for word in ["frontdesk", *words])
            bash.wait_for(re.escape(shown.encode()))
    finally:
        bash.close()


@pytest.mark.parametrize(
    ("typed", "at_cursor", "completed"),
    [
        ("conv", "conv", "conversations"),
        ("conversations v", "v", "view"),
        ("users list --fo", "--fo", "--format"),
        ("conversations list --label vi", "vi", "vip"),
        ("conversations list --assignee una", "una", "unassigned"),
        ("conversations list '#vi", "'#vi", "#vip"),
        # Bash ends words at a colon and at an equals sign.
        ("conversations list is:op", "op", "open"),
        ("conversations list in:Ne", "Ne", r"\"New\ York\""),
        ("conversations list --channel New", "New", r"New\ York"),
        (r"conversations list --channel=New\ Y", r"New\ Y", r"New\ York"),
        ('counts --channel "New', '"New', "New York"),
        ("users view Gra", "Gra", r"Grace\ Okafor"),
        ("keys cr", "cr", "create"),
        ("report last-w", "last-w", "last-week"),
    ],
)
def test_what_bash_is_given_to_complete_a_word(
    inbox: Path, typed: str, at_cursor: str, completed: str
):
    asked = run_command(
        FRONTDESK_DATABASE=str(inbox),
        _FRONTDESK_COMPLETE="bash_complete",
        COMP_LINE=f"frontdesk {typed}",
        COMP_WORD=at_cursor,
    )
    assert asked.stdout == f"plain,{completed}\n"


def test_on_a_terminal_lines_are_cut_progress_goes_and_more_rows_are_announced(
    inbox: Path, tmp_path: Path
):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    arguments = ["list", "conversations", "--limit", "120", "--database", str(inbox)]
    program = f"import sys\nsys.argv[1:] = {arguments!r}\nfrom frontdesk.cli import main\nmain()"
    terminal = Terminal(program, temporary)
    try:
        code, words = terminal.ending()
    finally:
        terminal.close()
    assert code == DONE
    assert re.search(r"100 conversations …", words)
    assert "frontdesk: more conversations: --all, or --limit 240\r\n" in words
    lines = [line for line in words.replace("\r\n", "\n").split("\n") if line[:1].isdigit()]
    assert len(lines) >= 120
    assert max(map(len, lines)) <= 120
    assert any("…" in line for line in lines)


def paths(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words that call a command, and those of all below it that help lists."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command, **command.context_settings)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from paths(found, (*path, name))


def test_help_fits_its_lines_and_ends_with_two_examples_of_the_command():
    wrong = {path: problem for path in paths(frontdesk) if (problem := _wrong_in_help(path))}
    assert wrong == {}


def _wrong_in_help(path: tuple[str, ...]) -> str:
    short, long = (
        CliRunner().invoke(frontdesk, [*path, option], terminal_width=78).stdout
        for option in ("-h", "--help")
    )
    text, _, examples = short.partition("\nExamples:\n")
    lines = [line.strip() for line in examples.splitlines()]
    if short != long:
        return "-h and --help differ"
    if max(map(len, text.splitlines())) > 80:
        return "a line is too long"
    if "..." in re.sub(r"(\]|[A-Z])\.\.\.", "", text):
        return "a text is cut"
    if len(lines) < 2 or not any(" ".join(["frontdesk", *path]) in line for line in lines):
        return "it lacks examples"
    return ""


def test_help_has_three_groups():
    help_text = run_command("--help").stdout
    places = [help_text.index(f"{name}:") for name in ("Your inbox", "This computer")]
    assert places == sorted(places)
    assert help_text.index("Running a service:") > places[-1]


@pytest.mark.parametrize(
    ("former", "now"),
    [
        (("list", "labels"), ("labels", "list")),
        (("list", "canned-responses"), ("replies", "list")),
        (("list", "custom-fields", "--format", "csv"), ("fields", "list", "--format", "csv")),
        (("show", "1"), ("conversations", "view", "1")),
        (("ingest", "status"), ("webhooks", "status")),
    ],
)
def test_a_former_name_does_what_the_new_one_does(
    inbox: Path, former: tuple[str, ...], now: tuple[str, ...]
):
    assert output_of(inbox, *former) == output_of(inbox, *now)


def test_the_target_may_stand_before_the_command_or_in_the_environment(inbox: Path):
    behind = output_of(inbox, "labels", "list")
    assert run_command("--database", inbox, "labels", "list").stdout == behind
    place = str(inbox)
    assert run_command("labels", "list", FRONTDESK_DATABASE=place).stdout == behind
    assert run_command("keys", "list", FRONTDESK_DATABASE=place).exit_code == DONE
    # An option goes first.
    other = run_command("labels", "list", "--database", "nowhere.db", FRONTDESK_DATABASE=place)
    assert other.exit_code == USAGE
    assert "nowhere.db" in other.stderr
    server = "http://127.0.0.1:9"
    both = run_command("labels", "list", FRONTDESK_DATABASE=place, FRONTDESK_URL=server)
    assert both.exit_code == USAGE
    assert "FRONTDESK_URL and FRONTDESK_DATABASE" in both.stderr


def test_a_command_for_databases_says_which_options_it_lacks():
    missing = run_command("keys", "list")
    assert (missing.exit_code, "--database" in missing.stderr) == (USAGE, True)


def test_every_command_has_a_man_page(tmp_path: Path):
    # In a process of its own, as click-man leaves commands without their own help option.
    program = [sys.executable, "-m", "tests.man_pages", str(tmp_path)]
    subprocess.run(program, check=True, cwd=Path(__file__).parents[2])
    pages = {page.stem for page in tmp_path.iterdir()}
    assert pages == {"-".join(["frontdesk", *path]) for path in paths(frontdesk)}
