"""The commands as a shell runs them: exit codes, pipes, signals, what is imported, completion."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from servers import Serve
from shells import PROGRAM, ended, told
from tests.terminals import Terminal

from frontdesk.cli.exit_codes import ERROR, exit_code
from frontdesk.cli.main import frontdesk
from frontdesk.errors import BadSettings

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
        (["--url", "http://x", "--profile", "a"], "Say one of --url, --database and --profile"),
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
        asked = ended(*arguments, "--url", url, FRONTDESK_API_KEY=key)
        assert (asked.returncode, asked.stderr) == (0, "")
        assert asked.stdout == told(path, *arguments)


def test_a_key_that_is_refused_is_an_error(serve: Serve):
    _, url = serve()
    done = ended("counts", "--url", url, FRONTDESK_API_KEY="fd_live_" + "a" * 54)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert "a" * 54 not in done.stderr


def test_without_a_key_it_says_where_one_belongs():
    done = ended("counts", "--url", "http://127.0.0.1:9")
    assert (done.returncode, done.stdout) == (2, "")
    assert "FRONTDESK_API_KEY" in done.stderr


@pytest.mark.parametrize("command", [("list", "labels", "--all"), ("tail",), ("show", "1")])
def test_a_server_that_is_not_there_is_try_again(command: tuple[str, ...]):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        done = ended(*command, "--url", url, FRONTDESK_API_KEY="k")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "frontdesk: The server cannot be reached\n"


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
    done = ended(*arguments, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "S?o Paulo" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(shell: str):
    result = CliRunner().invoke(frontdesk, ["completion", shell])
    assert result.exit_code == 0
    assert "_FRONTDESK_COMPLETE" in result.stdout
    assert f"{shell}_complete" in result.stdout


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (("li",), {"list"}),
        (
            ("list", "c"),
            {"canned-responses", "channels", "contacts", "conversations", "custom-fields"},
        ),
        (("list", "users", "--fo"), {"--format"}),
        (("list", "users", "--format", "js"), {"json", "jsonl"}),
        (("keys", "cr"), {"create"}),
        (("report", "last-"), {"last-week", "last-month"}),
    ],
)
def test_bash_completes(tmp_path: Path, words: tuple[str, ...], completed: set[str]):
    program = tmp_path / "frontdesk"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.argv[0] = 'frontdesk'\n"
        "from frontdesk.cli import main\nmain()\n"
    )
    program.chmod(0o755)
    script = f"""
eval "$(frontdesk completion bash)"
COMP_WORDS=(frontdesk {" ".join(words)})
COMP_CWORD={len(words)}
_frontdesk_completion frontdesk
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        [str(BASH), "--norc", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.stderr == ""
    assert set(done.stdout.split()) == completed


def test_on_a_terminal_lines_are_cut_and_progress_goes(inbox: Path, tmp_path: Path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    arguments = ["list", "conversations", "--all", "--limit", "50", "--database", str(inbox)]
    program = f"import sys\nsys.argv[1:] = {arguments!r}\nfrom frontdesk.cli import main\nmain()"
    terminal = Terminal(program, temporary)
    try:
        code, words = terminal.ending()
    finally:
        terminal.close()
    assert code == 0
    assert re.search(r"50 conversations …", words)
    lines = [line for line in words.replace("\r\n", "\n").split("\n") if line[:1].isdigit()]
    assert len(lines) > 100
    assert max(map(len, lines)) <= 120
    assert any("…" in line for line in lines)
