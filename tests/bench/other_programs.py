"""Other programs of this kind, each installed in an environment of its own."""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.bench.sessions import Program, Stroke

LINES = 5_000
NUMBER = "line of the log number "


@dataclass(frozen=True)
class OtherProgram:
    """What is installed and what is run; `arguments` are files in its environment.

    key: does something small at once, which `answer` shows.
    """

    name: str
    requirements: tuple[str, ...]
    command: str
    content: str
    key: bytes
    answer: str
    arguments: tuple[str, ...] = ()

    @property
    def stroke(self) -> Stroke:
        """Its key, pressed again and again."""
        return Stroke("key", self.key, 20)

    def program(self, environment: Path) -> Program:
        """As it is installed there."""
        command = (
            str(environment / "bin" / self.command),
            *(str(environment / name) for name in self.arguments),
        )
        return Program(self.name, command, self.content, key=self.key, answer=self.answer)


PEERS = (
    # Its grammars are made for this version of the parser.
    OtherProgram(
        "posting",
        ("posting", "tree-sitter==0.25.1"),
        "posting",
        content="Collection is empty",
        key=b"a",
        answer=r"GET +▼ +▌?a",
    ),
    OtherProgram(
        "harlequin",
        ("harlequin",),
        "harlequin",
        content="Query Editor",
        key=b"a",
        answer=r"│ 1  a",
    ),
    OtherProgram(
        "toolong",
        ("toolong",),
        "tl",
        content=f"{NUMBER}{LINES}",
        key=b"\x1b[5~",
        answer=rf"{NUMBER}{LINES - 60}\b",
        arguments=("lines.log",),
    ),
)


def installed(directory: Path) -> Mapping[str, str]:
    """Make the environments that are not there; by the name of a peer why it cannot be had."""
    return {peer.name: _install(peer, directory / peer.name) for peer in PEERS}


def _install(peer: OtherProgram, environment: Path) -> str:
    if (environment / "bin" / peer.command).exists():
        return ""
    pip = (str(environment / "bin" / "pip"), "install", "--quiet", *peer.requirements)
    for command in ((sys.executable, "-m", "venv", str(environment)), pip):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            return f"cannot be installed: {said[-1] if said else done.returncode}"
    log = (f"2026-01-01 10:00:00 INFO {NUMBER}{number + 1}\n" for number in range(LINES))
    (environment / "lines.log").write_text("".join(log))
    return ""
