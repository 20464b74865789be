"""The program in a shell: exit codes, pipes, signals, imports, completion."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from servers import Serve
from shells import PROGRAM, output_of, run_program
from tests.terminals import Terminal

from frontdesk.cli.exit_codes import ERROR, exit_code
from frontdesk.cli.main import frontdesk
from frontdesk.errors import BadSettings, UnusableFile

BASH = shutil.which("bash")


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "conversations"),
        ("counts",),
        ("show", "1"),
        ("report",),
        ("tail", "--once"),
        ("contact", "+15551234567"),
        ("completion", "fish"),
        ("--help",),
    ],
)
def test_no_command_of_the_shell_imports_textual(inbox: Path, arguments: tuple[str, ...]):
    place = () if arguments[0] in ("completion", "--help") else ("--database", str(inbox))
    program = f"""
import sys
sys.argv[1:] = {[*arguments, *place]!r}
from frontdesk.cli import main
try:
    main()
except SystemExit:
    sys.exit(bool({{"textual", "uvicorn"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


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
def test_a_mistake_in_the_place_to_open_is_named(
    arguments: list[str], error: str, tmp_path: Path
) -> None:
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(
        [*PROGRAM, *arguments], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 2
    assert error in done.stderr


def test_a_server_gives_what_its_database_gives(serve: Serve, key: str, path: Path):
    _, url = serve()
    for arguments in (("list", "labels", "--format", "json"), ("counts", "--format", "csv")):
        asked = run_program(*arguments, "--url", url, FRONTDESK_API_KEY=key)
        assert (asked.returncode, asked.stderr) == (0, "")
        assert asked.stdout == output_of(path, *arguments)


def test_a_key_that_is_refused_is_an_error(serve: Serve):
    _, url = serve()
    done = run_program("counts", "--url", url, FRONTDESK_API_KEY="fd_live_" + "a" * 54)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert "a" * 54 not in done.stderr


def test_without_a_key_it_says_where_one_belongs():
    done = run_program("counts", "--url", "http://127.0.0.1:9")
    assert (done.returncode, done.stdout) == (2, "")
    assert "FRONTDESK_API_KEY" in done.stderr


@pytest.mark.parametrize("command", [("list", "labels", "--all"), ("tail",), ("show", "1")])
def test_a_server_that_is_not_there_is_try_again(command: tuple[str, ...]):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        done = run_program(*command, "--url", url, FRONTDESK_API_KEY="k")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "frontdesk: The server cannot be reached\n"


@pytest.mark.parametrize("query", ["-#payment", "-sort:active"])
def test_a_query_that_looks_like_an_option_is_explained(inbox: Path, query: str):
    done = run_program("conversations", "list", "--database", str(inbox), query)
    assert (done.returncode, done.stdout) == (2, "")
    assert "A query that begins with - comes after the options and --." in done.stderr


def test_nowhere_to_ask_is_usage():
    error = CliRunner().invoke(frontdesk, ["counts"]).exception
    assert isinstance(error, BadSettings)
    assert (exit_code(error), "--url" in str(error)) == (2, True)


def test_a_pipe_that_is_closed_early_ends_it_quietly(inbox: Path):
    command = [*PROGRAM, "list", "contacts", "--all", "--format", "jsonl", "--database", str(inbox)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert json.loads(first)["id"]
    assert process.returncode == 1


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
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            [*PROGRAM, *command, "--database", str(inbox)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == ERROR
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
    arguments = ("list", "channels", "--database", str(inbox))
    done = run_program(*arguments, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "S?o Paulo" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(shell: str):
    result = CliRunner().invoke(frontdesk, ["completion", shell])
    assert result.exit_code == 0
    assert "_FRONTDESK_COMPLETE" in result.stdout
    assert f"{shell}_complete" in result.stdout


@pytest.fixture
def bash(tmp_path: Path) -> Iterator[Terminal]:
    """An interactive bash that completes the program."""
    program = tmp_path / "bin" / "frontdesk"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.argv[0] = 'frontdesk'\n"
        "from frontdesk.cli import main\nmain()\n"
    )
    program.chmod(0o755)
    (tmp_path / "temporary").mkdir()
    start = "import os; os.execvp('bash', ['bash', '--norc', '-i'])"
    path = f"{program.parent}:{os.environ['PATH']}"
    terminal = Terminal(start, tmp_path / "temporary", PATH=path, PS1="> ")
    try:
        terminal.press(b'eval "$(frontdesk completion bash)"; echo rea""dy\r')
        terminal.wait_for(rb"[\r\n]ready")
        yield terminal
    finally:
        terminal.close()


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("conv", ["conversations"]),
        ("conversations v", ["conversations", "view"]),
        ("users list --fo", ["users", "list", "--format"]),
        ("conversations list --label vi", ["conversations", "list", "--label", "vip"]),
        (
            "conversations list --assignee una",
            ["conversations", "list", "--assignee", "unassigned"],
        ),
        ("conversations list '#vi", ["conversations", "list", "#vip"]),
        ("conversations list is:op", ["conversations", "list", "is:open"]),
        ("conversations list in:Ne", ["conversations", "list", 'in:"New York"']),
        ("conversations list --channel New", ["conversations", "list", "--channel", "New York"]),
        ("conversations list --channel=New\\ Y", ["conversations", "list", "--channel=New York"]),
        ('counts --channel "New', ["counts", "--channel", "New York"]),
        ("users view Gra", ["users", "view", "Grace Okafor"]),
        ("keys cr", ["keys", "create"]),
        ("report last-w", ["report", "last-week"]),
    ],
)
def test_bash_completes_words_and_quotes_names_with_blanks(
    inbox: Path, bash: Terminal, typed: str, words: list[str]
):
    bash.press(f"export FRONTDESK_DATABASE={inbox}\r".encode())
    # The words that the program would be called with.
    bash.press(b"frontdesk " + typed.encode() + b"\t\x01printf '<%s>' \x05\r")
    shown = "".join(f"<{word}>" for word in ["frontdesk", *words])
    bash.wait_for(re.escape(shown.encode()))


def test_on_a_terminal_lines_are_cut_and_progress_goes(inbox: Path, tmp_path: Path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    arguments = ["list", "conversations", "--all", "--database", str(inbox)]
    program = f"import sys\nsys.argv[1:] = {arguments!r}\nfrom frontdesk.cli import main\nmain()"
    terminal = Terminal(program, temporary)
    try:
        code, words = terminal.ending()
    finally:
        terminal.close()
    assert code == 0
    assert re.search(r"100 conversations …", words)
    lines = [line for line in words.replace("\r\n", "\n").split("\n") if line[:1].isdigit()]
    assert len(lines) > 100
    assert max(map(len, lines)) <= 120
    assert any("…" in line for line in lines)


def test_a_terminal_shows_one_line_if_there_are_more_rows(inbox: Path, tmp_path: Path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    arguments = ["conversations", "list", "--limit", "3", "--database", str(inbox)]
    program = f"import sys\nsys.argv[1:] = {arguments!r}\nfrom frontdesk.cli import main\nmain()"
    terminal = Terminal(program, temporary)
    try:
        code, words = terminal.ending()
    finally:
        terminal.close()
    assert code == 0
    assert "frontdesk: more conversations: --all, or --limit 6\r\n" in words


def paths(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words that call a command, and those of all below it that help lists."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command, **command.context_settings)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from paths(found, (*path, name))


@pytest.mark.parametrize("path", list(paths(frontdesk)), ids=" ".join)
def test_help_fits_its_lines_and_ends_with_two_examples_of_the_command(path: tuple[str, ...]):
    short, long = (
        CliRunner().invoke(frontdesk, [*path, option], terminal_width=78)
        for option in ("-h", "--help")
    )
    assert short.stdout == long.stdout
    text, examples = short.stdout.split("\nExamples:\n")
    assert max(map(len, text.splitlines())) <= 80
    assert "..." not in re.sub(r"(\]|[A-Z])\.\.\.", "", text)
    lines = [line.strip() for line in examples.splitlines()]
    assert len(lines) >= 2
    assert any(" ".join(["frontdesk", *path]) in line for line in lines)


def test_help_has_three_groups():
    help_text = CliRunner().invoke(frontdesk, ["--help"]).stdout
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
        (("check",), ("db", "check")),
        (("ingest", "status"), ("webhooks", "status")),
    ],
)
def test_a_former_name_does_what_the_new_one_does(
    inbox: Path, former: tuple[str, ...], now: tuple[str, ...]
):
    assert output_of(inbox, *former) == output_of(inbox, *now)


def test_the_target_may_stand_before_the_command_or_in_the_environment(inbox: Path):
    behind = output_of(inbox, "labels", "list")
    before = CliRunner().invoke(frontdesk, ["--database", str(inbox), "labels", "list"])
    assert before.stdout == behind
    variable = CliRunner(env={"FRONTDESK_DATABASE": str(inbox)})
    assert variable.invoke(frontdesk, ["labels", "list"]).stdout == behind
    assert variable.invoke(frontdesk, ["keys", "list"]).exit_code == 0
    # An option goes first.
    other = variable.invoke(frontdesk, ["labels", "list", "--database", "nowhere.db"])
    assert isinstance(other.exception, UnusableFile)
    both = {"FRONTDESK_DATABASE": str(inbox), "FRONTDESK_URL": "http://127.0.0.1:9"}
    error = CliRunner(env=both).invoke(frontdesk, ["labels", "list"]).exception
    assert isinstance(error, BadSettings)
    assert "FRONTDESK_URL and FRONTDESK_DATABASE" in str(error)


def test_a_command_for_databases_says_which_options_it_lacks(inbox: Path):
    missing = CliRunner().invoke(frontdesk, ["keys", "list"])
    assert (missing.exit_code, "--database" in missing.stderr) == (2, True)


def test_every_command_has_a_man_page(tmp_path: Path):
    program = [sys.executable, "-m", "tests.man_pages", str(tmp_path)]
    subprocess.run(program, check=True, cwd=Path(__file__).parents[2])
    pages = {page.stem for page in tmp_path.iterdir()}
    assert pages == {"-".join(["frontdesk", *path]) for path in paths(frontdesk)}
