"""Copies text to the system clipboard with an installed program."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence

from frontdesk import outside

# A hanging program must not block the worker.
_DEADLINE_SECONDS = 2.0

_WAYLAND, _X11 = "WAYLAND_DISPLAY", "DISPLAY"


def programs(platform: str, environment: Mapping[str, str]) -> list[Sequence[str]]:
    """Clipboard commands for a platform, in order of preference; they read standard input."""
    if platform == "darwin":
        return [("pbcopy",)]
    if platform == "win32":
        return [("clip",)]
    commands: list[Sequence[str]] = []
    if environment.get(_WAYLAND):
        commands.append(("wl-copy",))
    if environment.get(_X11):
        commands += [("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")]
    return commands


def copy_natively(text: str) -> bool:
    """Run the first installed command that succeeds; False if none does."""
    for command in programs(sys.platform, os.environ):
        if shutil.which(command[0]) is None:
            continue
        encoding = "utf-16-le" if command[0] == "clip" else "utf-8"
        try:
            subprocess.run(
                command,
                input=text.encode(encoding, "surrogatepass"),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_DEADLINE_SECONDS,
                env=outside.environment(),
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            continue
        return True
    return False
