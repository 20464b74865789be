"""Virtual environments, and programs that must succeed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def say(line: str) -> None:
    """Write a line at once, also where the output is a file."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def output(*command: str | Path, cwd: Path, home: Path | None = None) -> str:
    """Run a program that must succeed; return what it writes to standard output.

    home: a home directory of its own, so that it finds no files of whoever runs it.
    """
    variables = {} if home is None else {"HOME": str(home), "XDG_CONFIG_HOME": "", "TERM": "dumb"}
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\n{' '.join(map(str, command))}: exit code {done.returncode}")
    return done.stdout


class Environment:
    """A virtual environment of one version of Python."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder = folder
        output(python, "-m", "venv", folder, cwd=folder.parent)

    def program(self, name: str) -> Path:
        return self.folder / "bin" / name

    def install(self, *arguments: str | Path) -> None:
        """Install with pip, from wherever pip is configured to install."""
        quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
        output(self.program("python"), "-m", "pip", "install", *quiet, *arguments, cwd=ROOT)


def find_python(version: str) -> str | None:
    """Return a Python of a version, such as "3.12": from PATH, or one that uv finds."""
    name = f"python{version}"
    if works(name, version):
        return name
    uv = shutil.which("uv")
    if uv is None:
        return None
    found = subprocess.run(
        [uv, "python", "find", version], capture_output=True, text=True, check=False
    )
    path = found.stdout.strip()
    return path if works(path, version) else None


def works(python: str, version: str) -> bool:
    """Check that a program is a Python of a version; a shim may have none behind it."""
    if shutil.which(python) is None:
        return False
    program = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version
