"""Builds sdist and wheel, checks their metadata, and installs the wheel in clean environments.

The wheel is built from the sdist. It is installed for each version of Python that is found on PATH
or by uv; versions that are not found are skipped with a message.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.packages.environments import ROOT, Environment, find_python, output, say, works

VERSIONS = ("3.11", "3.12", "3.13")
CONVERSATIONS = 30


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--python", action="append", default=[], help="another Python to try; may be repeated"
    )


def run(options: argparse.Namespace) -> None:
    """Build, and try out what was built."""
    with tempfile.TemporaryDirectory(prefix="frontdesk-packages-") as name:
        check(options.python, Path(name))


def check(pythons: Sequence[str], folder: Path) -> None:
    """Build in a folder, and install for each version of Python that there is."""
    wheel = build(folder)
    for version in VERSIONS:
        given = (python for python in pythons if works(python, version))
        python = next(given, None) or find_python(version)
        if python is None:
            say(f"Python {version}: skipped, there is none on PATH and uv finds none")
            continue
        environment = Environment(folder / version, python)
        environment.install(wheel)
        say(f"Python {version}: {try_out(environment.program('frontdesk'), folder / version)}")
    run_from_wheel(wheel, folder)


def build(folder: Path) -> Path:
    """Return the wheel, made from the sdist, after a check of both."""
    packages = folder / "packages"
    output(sys.executable, "-m", "build", "--no-isolation", "--outdir", packages, ROOT, cwd=folder)
    built = sorted(packages.iterdir())
    output(sys.executable, "-m", "twine", "check", "--strict", *built, cwd=folder)
    say(f"Built and checked: {', '.join(path.name for path in built)}")
    (wheel,) = packages.glob("*.whl")
    return wheel


def try_out(frontdesk: Path, folder: Path) -> str:
    """Make an inbox and list it; return the version that the program names."""
    home, database = folder / "home", folder / "inbox.db"
    home.mkdir()
    version = output(frontdesk, "--version", cwd=folder, home=home).strip()
    size = ("--conversations", str(CONVERSATIONS))
    output(frontdesk, "db", "sample", "--database", database, *size, cwd=folder, home=home)
    listing = ("conversations", "list", "--all", "--format", "csv", "--database", database)
    heading, *rows = output(frontdesk, *listing, cwd=folder, home=home).splitlines()
    if not heading.startswith("id,") or len(rows) != CONVERSATIONS:
        sys.exit(f"{frontdesk} lists {len(rows)} of {CONVERSATIONS} conversations: {heading}")
    return f"{version}, {len(rows)} conversations listed"


def run_from_wheel(wheel: Path, folder: Path) -> None:
    """Run the wheel without installing it, where pipx or uvx is there."""
    for name, option in (("pipx", ("run", "--spec")), ("uvx", ("--from",))):
        if shutil.which(name) is None:
            say(f"{name}: skipped, it is not on PATH")
        else:
            said = output(name, *option, wheel, "frontdesk", "--version", cwd=folder).strip()
            say(f"{name}: {said}")
