"""The documents: links, commands, programs and examples work."""

import io
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import click
import pytest
from textual.keys import format_key

from frontdesk import wire
from frontdesk.cli.main import frontdesk
from frontdesk.cli.reader_settings import read_readers
from frontdesk.own_commands.command import OwnCommand
from frontdesk.query.terms import TABLE
from frontdesk.sample.demo import ME
from frontdesk.service.api_keys import SCOPES
from frontdesk.service.media.reader_table import FileReader
from frontdesk.service.problems import CODES, MCP_CODES, RECEIVER_CODES
from frontdesk.settings import TABLES, settings_of
from frontdesk.tui.key_validation import actions_by_id
from tests.commands import run_command
from tests.terminals import LEAVE, Terminal

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PAGES = sorted((ROOT / "docs").glob("*.md"))
DOCUMENTS = [README, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *PAGES]

PROGRAM = (sys.executable, "-m", "frontdesk")
# What has a server of its own here: the one that a reader has.
URL = "https://inbox.example.com"
PORTS = ("8080", "8081")
# Commands that go on until they are stopped; they print their addresses when they are ready.
SERVICES = re.compile(r"frontdesk (serve|web) ")
# Commands that need no shell: they are run in this process.
PLAIN = re.compile(
    r"(?P<variables>(?:[A-Z_]+=\S* )*)frontdesk (?P<arguments>[^|<>&$]+?)(?: > (?P<file>\S+))?"
)
# What follows the name of the program in a line of a shell.
ARGUMENTS = re.compile(r"""(?:^|[ /(])frontdesk((?: (?:[a-z]|--)(?:"[^"$]*"|[^|<>&$)"])*)?)""")
# Commands of the blocks that are marked `elsewhere`, and what they need or do that is not here.
ELSEWHERE = {
    r"# .*": "root",
    r"(pipx|uvx) .*|.*pip install .*": "a package index",
    r"python3 -m venv .venv|.venv/bin/.*": "a clone of its own",
    r"frontdesk profiles add work --url \S+": "the system's key store, and someone who types a key",
    r"frontdesk cache fill --keep 30d --profile work": "the profile that this adds",
    r"frontdesk import events backup.ndjson.gz --database postgresql:.*": "a server of PostgreSQL",
    r"(CHATWOOT|META)_TOKEN=.*": "another service",
    r"python to_spreadsheet.py --follow": "runs for ever",
    r"claude mcp add .*": "another program",
    r"curl https://inbox.example.com/mcp .*": "a service with --mcp",
}

_BLOCK = re.compile(
    r"^(?:<!-- file: (?P<file>\S+) -->\n)?```(?P<info>.*)\n(?P<text>(?:.*\n)*?)```$",
    re.MULTILINE,
)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


class Block(NamedTuple):
    """A fenced block. kind: the word after the fence; note: the words after that."""

    kind: str
    note: str
    text: str
    file: str | None


class Command(NamedTuple):
    """A line after a prompt, and the output shown below it; `…` in it is any text."""

    line: str
    shown: str
    prompt: str = "$"


def blocks(path: Path, kind: str) -> Iterator[Block]:
    """The blocks of a document with a word after their fence, "" for all."""
    for found in _BLOCK.finditer(path.read_text(encoding="utf-8")):
        word, _, note = found["info"].partition(" ")
        if kind in (word, ""):
            yield Block(word, note, found["text"], found["file"])


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block."""
    text = block.text.replace("\\\n", " ")
    _, *parts = re.split(r"^([$#]) ", text, flags=re.MULTILINE)
    for prompt, part in zip(parts[::2], parts[1::2], strict=True):
        line, _, shown = part.partition("\n")
        yield Command(line, shown.strip(), prompt)


def headings(path: Path) -> set[str]:
    """The anchors of a document, as GitHub makes them."""
    text = path.read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
    return slugs | set(re.findall(r'<a id="(\w+)">', text))


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_every_relative_link_leads_to_a_file_and_a_heading(path: Path) -> None:
    broken = []
    for link in _LINK.findall(path.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = (path.parent / place).resolve() if place else path
        if not target.is_file() or (anchor and anchor not in headings(target)):
            broken.append(link)
    assert broken == []


def test_the_readme_fits_200_lines_and_leads_to_every_page() -> None:
    text = README.read_text(encoding="utf-8")
    links = {link.partition("#")[0] for link in _LINK.findall(text)}
    assert {named(path) for path in PAGES} <= links
    assert len(text.splitlines()) <= 200


def test_the_readme_has_one_command_for_the_demo_and_one_for_the_tests() -> None:
    demo, tests = [line for block in blocks(README, "sh") for line in block.text.splitlines()]
    assert demo.endswith("frontdesk demo")
    assert tests.endswith("pytest -n auto")


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_files_and_modules_that_are_named_exist(path: Path) -> None:
    words = set(re.findall(r"`([\w./-]+)`", path.read_text(encoding="utf-8")))
    files = {word for word in words if re.match(r"(src|tests|docs|styles|screenshots)/", word)}
    modules = {word for word in words if re.fullmatch(r"[a-z_]+(/[\w]+)*(/|\.py)", word)}
    missing = [word for word in files if not (ROOT / word).exists()]
    package = ROOT / "src" / "frontdesk"
    missing += [word for word in modules - files if not (package / word).exists()]
    assert sorted(missing) == []


def test_no_document_names_a_package_index() -> None:
    places = [ROOT / "pyproject.toml", ROOT / ".ci" / "run", *DOCUMENTS]
    assert [named(path) for path in places if "index-url" in path.read_text("utf-8")] == []


def test_json_examples_are_what_they_are_called() -> None:
    read = 0
    for path in DOCUMENTS:
        for block in blocks(path, "json"):
            value = json.loads(block.text)
            if block.note:
                model = getattr(wire, block.note)
                written = model.model_validate(value).model_dump(mode="json", exclude_unset=True)
                assert written == value
                read += 1
    assert read >= 4


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with `frontdesk` and `python`, those that run these tests."""
    folder = tmp_path_factory.mktemp("bin")
    for name, options in {"frontdesk": "-m frontdesk", "python": ""}.items():
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {options} "$@"\n')
        program.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def served(
    sample_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, str]]:
    """The address of the service over the sample, in a process of its own, and a key to it."""
    path = tmp_path_factory.mktemp("served") / "inbox.db"
    shutil.copy(sample_file, path)
    keys = ("keys", "create", "--name", "x", "--user", ME, "--all-read", "--database", path)
    key = json.loads(run_command(*keys, "--json").stdout)["key"]
    command = [*PROGRAM, "serve", "--database", str(path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), key
        process.terminate()


class Reader:
    """Someone who follows a page from its beginning, in an empty directory with an empty home.

    starts: starts services, viewers and shells too; else what a page does there is only parsed.
    """

    def __init__(
        self, folder: Path, programs: Path, served: tuple[str, str], *, starts: bool
    ) -> None:
        self.folder = folder
        self._starts = starts
        url, key = served
        self.environment = {
            "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "xterm-256color",
            "FRONTDESK_API_KEY": key,
        }
        ports = dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
        self._program = ""
        self._words = {URL: url, "FRONTDESK_API_KEY=… ": "", **ports}

    def translated(self, text: str) -> str:
        """A text with the names of this place for those that documents use."""
        for word, own in self._words.items():
            text = text.replace(word, own)
        return text

    def follow(self, block: Block) -> None:
        """Do what a block says."""
        if block.file is not None:
            (self.folder / block.file).write_text(self.translated(block.text), encoding="utf-8")
        elif block.kind == "python":
            self._program = block.text
        elif (block.kind, block.note) == ("text", "output"):
            self._execute(block.text.strip())
        elif block.kind == "toml":
            self._configure(block.text)
        elif block.kind == "console":
            follow = {"": self.run, "viewer": self._view, "elsewhere": self._parse}
            for command in commands(block):
                follow[block.note](command)

    def run(self, command: Command) -> None:
        """Run a command to its end, and compare its output."""
        plain = None if SERVICES.search(command.line) else PLAIN.fullmatch(command.line)
        if command.line.startswith("export "):
            self.environment |= dict(word.split("=") for word in shlex.split(command.line)[1:])
        elif plain is not None:
            self._invoke(command, plain)
        elif not self._starts:
            self._parse(command)
        elif SERVICES.search(command.line):
            self._serve(command)
        elif shutil.which(command.line.split()[0], path=self.environment["PATH"]):
            done = self._process(command.line, stderr=subprocess.STDOUT)
            output, _ = done.communicate()
            assert done.returncode == 0, f"{command.line}\n{output}"
            self._compare(command, output)

    @contextmanager
    def _in_place(self, **variables: str) -> Iterator[None]:
        """Make this process one that the reader has started."""
        try:
            with patch.dict(os.environ, self.environment | variables, clear=True):
                time.tzset()
                yield
        finally:
            time.tzset()

    def _invoke(self, command: Command, parts: "re.Match[str]") -> None:
        """Run a command of the program in this process."""
        variables = dict(word.split("=") for word in parts["variables"].split())
        output = self._output_of(parts["arguments"], **variables)
        if parts["file"]:
            (self.folder / parts["file"]).write_text(output, encoding="utf-8")
        else:
            self._compare(command, output)

    def _output_of(self, arguments: str, **variables: str) -> str:
        with self._in_place(**variables):
            ended = run_command(*shlex.split(self.translated(arguments)))
        assert ended.exit_code == 0, f"frontdesk {arguments}\n{ended.output}"
        return ended.output

    def _execute(self, shown: str) -> None:
        """Execute a Python program in this process."""
        with self._in_place(), redirect_stdout(io.StringIO()) as output:
            exec(compile(self.translated(self._program), "program", "exec"), {})
        self._compare(Command(self._program, shown), output.getvalue().rstrip())

    def _serve(self, command: Command) -> None:
        """Start a service, read as many lines as are shown, and end it."""
        with self._process(f"exec {command.line}") as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in command.shown.splitlines()]
            process.send_signal(signal.SIGINT if " web " in command.line else signal.SIGTERM)
            assert process.wait() in (0, 130)
        self._compare(command, "".join(lines))

    def _view(self, command: Command) -> None:
        """Open the viewer in a terminal, and leave it."""
        if not self._starts:
            self._parse(command)
            return
        line = self.translated(command.line)
        program = f"import os; os.execvp('bash', ['bash', '-c', {line!r}])"
        folder = self.folder / "temporary"
        folder.mkdir(exist_ok=True)
        os.chdir(self.folder)
        terminal = Terminal(program, folder, **self.environment)
        try:
            terminal.wait_for(rb"\x1b\[[\d;]+m")
            terminal.press(LEAVE)
            assert terminal.ending()[0] == 0, command.line
        finally:
            terminal.close()

    def _parse(self, command: Command) -> None:
        """Check that the commands of the program that a line has exist, with their options."""
        for arguments in ARGUMENTS.findall(command.line):
            usage = self._output_of(f"{arguments} --help")
            assert usage.startswith("Usage: "), command.line

    def _configure(self, text: str) -> None:
        """Use a text as the configuration."""
        tomllib.loads(text)
        place = self.folder / "home" / ".config" / "frontdesk"
        place.mkdir(parents=True, exist_ok=True)
        (place / "config.toml").write_text(text, encoding="utf-8")
        self.run(Command("frontdesk config check", "…"))
        (place / "config.toml").unlink()

    def _process(self, line: str, stderr: int | None = None) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            ["bash", "-c", self.translated(line)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            cwd=self.folder,
            env=self.environment,
        )

    def _compare(self, command: Command, output: str) -> None:
        pattern = ".*".join(map(re.escape, self.translated(command.shown).split("…")))
        output = "\n".join(line.rstrip() for line in output.splitlines())
        if command.shown:
            assert re.fullmatch(pattern, output, re.DOTALL), f"{command.line}\n{output}"


def free_ports(count: int) -> list[str]:
    """Ports that nobody listens on now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [str(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports


@pytest.fixture
def read(
    tmp_path: Path,
    programs: Path,
    served: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., None]:
    """Follows a page; first the files that it shows are made."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir()

    def follow(path: Path, *, starts: bool) -> None:
        reader = Reader(tmp_path, programs, served, starts=starts)
        for block in sorted(blocks(path, ""), key=lambda block: block.file is None):
            reader.follow(block)

    return follow


def starts_programs(path: Path) -> bool:
    """Whether a page has what is more than a command in this process."""
    return any(
        block.note == "viewer"
        or (not block.note and (SERVICES.search(line) or not PLAIN.fullmatch(line)))
        for block in blocks(path, "console")
        for line, *_ in commands(block)
        if not line.startswith("export ")
    )


STARTING = [path for path in (README, *PAGES) if starts_programs(path)]


@pytest.mark.parametrize("path", [README, *PAGES], ids=named)
def test_every_example_on_a_page_works(path: Path, read: Callable[..., None]) -> None:
    read(path, starts=False)


def test_only_what_needs_another_place_is_marked_so() -> None:
    lines = [
        line if prompt == "$" else f"# {line}"
        for path in [README, ROOT / "CONTRIBUTING.md", *PAGES]
        for block in blocks(path, "console")
        for line, _, prompt in commands(block)
        if block.note == "elsewhere"
    ]
    unlisted = [line for line in lines if not any(re.fullmatch(one, line) for one in ELSEWHERE)]
    unused = [one for one in ELSEWHERE if not any(re.fullmatch(one, line) for line in lines)]
    assert (unlisted, unused) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize("path", STARTING, ids=named)
def test_every_service_viewer_and_shell_on_a_page_works(
    path: Path, read: Callable[..., None]
) -> None:
    read(path, starts=True)


def test_a_key_to_a_made_up_inbox_is_that_of_an_agent() -> None:
    keys = [
        command.line
        for path in [README, *PAGES]
        for block in blocks(path, "console")
        if "frontdesk db sample" in block.text
        for command in commands(block)
        if "frontdesk keys create" in command.line and "--all-read" in command.line
    ]
    assert keys
    assert [line for line in keys if f"--user {ME}" not in line] == []


def written(key: str) -> str:
    """A key as the pages write it."""
    return key if key == "enter" else format_key(key)


def test_the_page_of_keys_lists_every_action_by_group(pytestconfig: pytest.Config) -> None:
    tables: dict[str, list[str]] = {}
    for id, (keys, words, group) in actions_by_id().items():
        head = ["| does | keys | action |", "|---|---|---|"]
        shown = " ".join(f"`{written(key)}`" for key in keys.split(","))
        tables.setdefault(group, head).append(f"| {words} | {shown} | `{id}` |")
    text = "\n\n".join("\n".join([f"### {group}", "", *rows]) for group, rows in tables.items())
    assert_section(ROOT / "docs" / "keys.md", "actions", text, pytestconfig)


def test_the_page_of_the_viewer_lists_every_term(pytestconfig: pytest.Config) -> None:
    head = ["| term | conversations |", "|---|---|"]
    rows = [f"| {written} | {words} |" for kind in TABLE for written, words in kind.rows]
    assert all(kind.rows for kind in TABLE)
    assert_section(ROOT / "docs" / "viewer.md", "terms", "\n".join([*head, *rows]), pytestconfig)


OTHER_TABLES = {
    "commands": (OwnCommand, "[[commands]]", "own-commands.md"),
    "readers": (FileReader, "[readers.NAME]", "reading-files.md"),
}


@pytest.mark.parametrize("name", [*TABLES, *OTHER_TABLES])
def test_every_setting_is_in_the_page_of_its_table(name: str, pytestconfig: pytest.Config) -> None:
    of_configuration = (TABLES.get(name, FileReader), f"[{name}]", "configuration.md")
    table, written, page = OTHER_TABLES.get(name, of_configuration)
    head = [f"| `{written}` | default | |", "|---|---|---|"]
    rows = []
    for key, (member, setting) in settings_of(table).items():
        is_default = setting.shows_default(table, member)
        default, example = f"`{setting.shown}`", f" As `{setting.shown}`."
        cells = (default, "") if is_default else ("", example)
        rows.append(f"| `{key}` | {cells[0]} | {setting.sentence}{cells[1]} |")
    assert_section(ROOT / "docs" / page, name, "\n".join([*head, *rows]), pytestconfig)


def test_the_readers_of_the_page_are_valid(tmp_path: Path) -> None:
    written = [block.text for block in blocks(ROOT / "docs" / "reading-files.md", "toml")]
    path = tmp_path / "readers.toml"
    for text in written:
        path.write_text(text)
        path.chmod(0o600)
        assert read_readers(str(path))
    assert len(written) > 1


def test_config_keys_lists_the_same_actions(tmp_path: Path) -> None:
    listed = run_command("config", "keys", XDG_CONFIG_HOME=str(tmp_path)).stdout
    rows = [re.split(r"  +", line, maxsplit=2) for line in listed.splitlines()[1:]]
    actions = actions_by_id()
    assert {name: (keys, words) for name, keys, words in rows} == {
        name: action[:2] for name, action in actions.items()
    }


def assert_section(path: Path, name: str, text: str, config: pytest.Config) -> None:
    """Compare the part of a page between two marks; with --update-documents write it."""
    page = path.read_text(encoding="utf-8")
    start, end = f"<!-- {name} -->\n", "\n<!-- end -->"
    before, _, rest = page.partition(start)
    written, _, after = rest.partition(end)
    if config.getoption("--update-documents"):
        path.write_text(f"{before}{start}{text}{end}{after}", encoding="utf-8")
    else:
        assert written == text, "run with --update-documents"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="the system has no systemd")
def test_the_unit_file_is_sound_and_exposes_little(tmp_path: Path) -> None:
    (unit,) = (block.text for block in blocks(ROOT / "docs" / "server.md", "ini"))
    path = tmp_path / "frontdesk.service"
    # What the unit starts has to exist.
    path.write_text(unit.replace("/opt/frontdesk/bin/frontdesk", shutil.which("true") or ""))
    verified = subprocess.run(
        ["systemd-analyze", "verify", path], capture_output=True, text=True, check=False
    )
    assert (verified.returncode, verified.stderr) == (0, "")
    assert {"prlimit64", "setpriority"} <= allowed_calls(unit)
    tenths = "--threshold=15"
    command = ["systemd-analyze", "security", "--offline=true", tenths, path]
    assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0


def allowed_calls(unit: str) -> set[str]:
    """System calls that a unit allows, by its filters in their order."""
    allowed: set[str] = set()
    for value in re.findall("^SystemCallFilter=(.*)$", unit, re.MULTILINE):
        names = set().union(*map(calls_of, value.removeprefix("~").split()))
        allowed = allowed - names if value.startswith("~") else allowed | names
    return allowed


def calls_of(name: str) -> set[str]:
    """A system call, or those of a group."""
    if not name.startswith("@"):
        return {name}
    command = ["systemd-analyze", "syscall-filter", name]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    members = [line.strip() for line in lines[1:] if not line.strip().startswith("#")]
    return set().union(*map(calls_of, members))


def contract() -> str:
    return (ROOT / "docs" / "api-contract.md").read_text(encoding="utf-8")


def test_the_contract_lists_every_error_code_with_its_status() -> None:
    rows = re.findall(r"^\| ([\d, ]+) \| ((?:`\w+`(?:, )?)+) \|", contract(), re.MULTILINE)
    listed = set()
    for statuses, codes in rows:
        names = re.findall(r"\w+", codes)
        numbers = [int(one) for one in statuses.split(",")]
        listed |= set(zip(names, numbers * (len(names) // len(numbers)), strict=True))
    assert listed == {(code, status) for code, (status, _) in CODES.items()}
    others = (*RECEIVER_CODES, *MCP_CODES)
    assert [code for code in others if f"`{code}`" not in contract()] == []


def test_the_contract_lists_every_scope() -> None:
    assert [scope for scope in SCOPES if contract().count(f"`{scope}`") < 2] == []


def test_the_contract_lists_every_path_with_its_parameters() -> None:
    described = json.loads(run_command("openapi").stdout)
    rows = re.findall(r"^\| `(/\S+)` \| `\S+` \|([^|]*)\|", contract(), re.MULTILINE)
    listed = {f"/v1{path}": set(re.findall(r"\w+", names)) for path, names in rows}
    paths = {
        path: {one["name"] for one in members["get"].get("parameters", ()) if one["in"] == "query"}
        for path, members in described["paths"].items()
    }
    assert listed == paths


def test_the_page_of_the_configuration_lists_every_variable() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    sources = (ROOT / "src" / "frontdesk").rglob("*.py")
    used = {
        name
        for path in sources
        for name in re.findall(r'"(FRONTDESK_[A-Z_]*[A-Z])"', path.read_text(encoding="utf-8"))
    }
    assert used
    assert [name for name in sorted(used) if f"`{name}`" not in page] == []


def leaves(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """The path and the help of each command below a group, without the hidden ones."""
    if not isinstance(command, click.Group):
        yield context.command_path, command.get_help(context)
        for name, child in getattr(command, "nested", dict)().items():
            inner = click.Context(
                child, parent=context.parent, info_name=f"{context.info_name} {name}"
            )
            inner.terminal_width = 80
            yield from leaves(child, inner)
        return
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        assert child is not None
        if not child.hidden:
            settings = child.context_settings
            inner = click.Context(child, parent=context, info_name=name, **settings)
            inner.terminal_width = 80
            yield from leaves(child, inner)


def test_the_page_of_commands_has_the_help_of_each(pytestconfig: pytest.Config) -> None:
    settings = frontdesk.context_settings
    context = click.Context(frontdesk, info_name="frontdesk", terminal_width=80, **settings)
    parts = [("frontdesk", frontdesk.get_help(context)), *leaves(frontdesk, context)]
    sections = [f"## {path}\n\n```text\n{text}\n```" for path, text in parts]
    assert_section(ROOT / "docs" / "commands.md", "commands", "\n\n".join(sections), pytestconfig)


# What draws a screen, or needs an account at Meta or a Chatwoot server.
WITHOUT_OUTPUT = {"frontdesk demo", "frontdesk sync meta", "frontdesk import chatwoot"}


def test_every_command_is_shown_with_its_output() -> None:
    lines = [
        command.line
        for path in [README, *PAGES]
        for block in blocks(path, "console")
        for command in commands(block)
        if command.shown and not block.note
    ]
    context = click.Context(frontdesk, info_name="frontdesk", **frontdesk.context_settings)
    paths = {path for path, _ in leaves(frontdesk, context)}
    shown = {path for path in paths if any(f"{path} " in f"{line} " for line in lines)}
    assert sorted(paths - shown) == sorted(WITHOUT_OUTPUT)


def test_commands_have_the_names_that_help_lists() -> None:
    context = click.Context(frontdesk, info_name="frontdesk")
    pages = [README, ROOT / "CONTRIBUTING.md", *PAGES]
    text = "\n".join(path.read_text(encoding="utf-8") for path in pages)
    words = set(re.findall(r"frontdesk ([a-z]+)\b", text))
    commands = {word for word in words if frontdesk.get_command(context, word) is not None}
    assert sorted(commands - set(frontdesk.list_commands(context))) == []
