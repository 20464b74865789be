"""Files of messages leave the viewer: opened by another program, or saved.

Only types that `file_types` knows by their bytes are opened; what a sender says of a file decides
nothing.
"""

import os
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from frontdesk.file_types import HEAD_BYTES, KNOWN_TYPES, media_type, safe_name
from frontdesk.system import private_files

_OPENED = "open"
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


def opener(environment: Mapping[str, str]) -> list[str]:
    """The system's program that opens files; [] if there is none.

    Over ssh it draws on another screen.
    """
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
        for left in _older_than(self._directory.parent, _LEFT_SECONDS):
            shutil.rmtree(left, ignore_errors=True)

    def copy_of(self, file: FileAtHand) -> Path:
        """Path of a copy of a file, without a word of its sender. Raises: OSError."""
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = Path(mkdtemp(dir=self._directory)) / file.plain_name
        _link(file.path, path)
        return path

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
