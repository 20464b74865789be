"""Commands of the program, in a subprocess or in this process."""

import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from frontdesk.cli.main import frontdesk

PROGRAM = (sys.executable, "-m", "frontdesk")


def invoke(database: Path, *arguments: str) -> Result:
    """A command that reads a database, in this process."""
    return CliRunner().invoke(frontdesk, [*arguments, "--database", str(database)])


def output_of(database: Path, *arguments: str) -> str:
    """What a command that must succeed writes to standard output."""
    result = invoke(database, *arguments)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def run_program(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """The program, run to its end with this environment alone."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin", **environment},
    )
