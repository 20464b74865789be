"""Files of messages leave the viewer: opened by another program, or saved.

Only types that `file_types` knows by their bytes are opened; what a sender says of a file decides
nothing.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from frontdesk.file_types import HEAD_BYTES, KNOWN_TYPES, SOUNDS, media_type, safe_name
from frontdesk.system import private_files, subprocess_environment
from frontdesk.tui.preferences import MediaSettings

_OPENED = "open"
# A program that ends with an error does so sooner; others run on.
_STARTS_WITHIN_SECONDS = 10.0
_MOST_NUMBERED = 1_000
_LEFT_SECONDS = 86_400.0


class FileAtHand(NamedTuple):
    """A file on this computer. type: by its bytes. name: safe to save, with the type's ending.

    plain_name: what programs get, without the sender's words: "photo.jpg".
    """

    path: Path
    type: str
    name: str
    plain_name: str

    @classmethod
    def of(cls, path: Path, name: str | None, kind: str) -> "FileAtHand":
        """name: what the sender called it; kind: how it is called without one.

        Raises: OSError.
        """
        with path.open("rb") as file:
            type = media_type(file.read(HEAD_BYTES))
        safe = safe_name(name, type, kind)
        ending = safe.rpartition(".")[2]
        # Types may be a server's words.
        stem = kind if kind.isascii() and kind.isalpha() else "file"
        plain_name = f"{stem}.{ending if ending.isalnum() else 'bin'}"
        return cls(path, type, safe, plain_name)

    @property
    def is_known(self) -> bool:
        """True if programs may open it."""
        return self.type in KNOWN_TYPES


def opener(file: FileAtHand, settings: MediaSettings, environment: Mapping[str, str]) -> list[str]:
    """Program with its arguments that opens a file, without the file; [] if there is none.

    Over ssh the system's programs draw on another screen.
    """
    if file.type in SOUNDS and settings.open_audio:
        return [*settings.open_audio]
    if settings.open_with:
        return [*settings.open_with]
    if environment.get("SSH_CONNECTION"):
        return []
    if sys.platform == "darwin":
        return ["open"]
    if sys.platform == "win32":
        return ["explorer"]
    has_screen = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return ["xdg-open"] if has_screen and shutil.which("xdg-open") else []


class OpenedFiles:
    """Copies of files that were handed to other programs, until the viewer ends.

    Each process has a directory of its own; what a killed one left is deleted a day later.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory / _OPENED / str(os.getpid())
        self._running: dict[Path, subprocess.Popen[bytes]] = {}
        for left in _older_than(self._directory.parent, _LEFT_SECONDS):
            shutil.rmtree(left, ignore_errors=True)

    def open(self, file: FileAtHand, program: list[str]) -> str:
        """Start a program with a file, and wait for an early end; returns why it failed, or "".

        Blocks for some seconds: call it in a thread.
        """
        try:
            process = subprocess.Popen(
                [*program, os.fspath(self.copy_of(file))],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=subprocess_environment.allowed(),
                start_new_session=True,
            )
        except OSError as error:
            return error.strerror or str(error)
        self._running[file.path] = process
        try:
            code = process.wait(_STARTS_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            return ""
        return f"it ended with {code}" if code > 0 else ""

    def copy_of(self, file: FileAtHand) -> Path:
        """Path of a copy of a file, without a word of its sender. Raises: OSError."""
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = Path(mkdtemp(dir=self._directory)) / file.plain_name
        _link(file.path, path)
        return path

    def stop(self, path: Path) -> bool:
        """End the program that has a file, such as a player; False if none is running."""
        process = self._running.pop(path, None)
        if process is None or process.poll() is not None:
            return False
        process.terminate()
        return True

    def clear(self) -> None:
        """Delete the copies."""
        shutil.rmtree(self._directory, ignore_errors=True)


def _older_than(directory: Path, seconds: float) -> list[Path]:
    """Directories that were made so long ago."""
    try:
        now = time.time()
        return [path for path in directory.iterdir() if now - path.stat().st_mtime > seconds]
    except OSError:
        return []


def _link(source: Path, target: Path) -> None:
    """Give a file another name; a copy where the file system has no links."""
    try:
        os.link(source, target)
    except OSError:
        save(source, target)


def save(source: Path, target: Path) -> None:
    """Copy a file; a new one is private. Raises: OSError."""
    with (
        source.open("rb") as file,
        open(target, "wb", opener=private_files.opener) as copy,
    ):
        shutil.copyfileobj(file, copy)


def suggested_path(name: str, downloads: Path) -> Path:
    """Where a file is saved: in the folder for downloads or beside it, under a name not taken."""
    directory = downloads if downloads.is_dir() else downloads.parent
    path = directory / name
    for number in range(2, _MOST_NUMBERED):
        if not path.exists():
            break
        path = directory / f"{Path(name).stem} ({number}){Path(name).suffix}"
    return path
