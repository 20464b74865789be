"""Runs the child process that decodes pictures: start, deadline, restart after a death."""

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from frontdesk.errors import UnusableFile
from frontdesk.system import subprocess_environment

DEADLINE_SECONDS = 5.0
_START_SECONDS = 30.0
# A file on which the child died so often is not tried again.
MOST_DEATHS = 3
_MOST_REMEMBERED = 1_000
# Pixels of an answer: a little more than a screen of 4K.
MOST_ANSWERED = 9_000_000

_WORKER = Path(__file__).with_name("worker.py")
_DAMAGED = "The picture is damaged"
_PROBLEMS = {
    "too_large": "The picture has too many pixels to be shown",
    "unknown_format": "The file is no picture of a kind that can be shown: JPEG, PNG, WebP or GIF",
    "memory": "The picture needs too much memory to be shown",
    "damaged": _DAMAGED,
    "unreadable": "The file of the picture cannot be read",
}

Format = Literal["WEBP", "PNG"]


@dataclass(frozen=True, slots=True)
class PictureFacts:
    """Format (JPEG, PNG, WEBP or GIF) and size in pixels, upright as EXIF says."""

    format: str
    width: int
    height: int
    animated: bool


@dataclass(frozen=True, slots=True)
class PixelGrid:
    """A decoded picture: `rgb` has `height` rows from top to bottom, of three bytes a pixel."""

    picture: PictureFacts
    width: int
    height: int
    rgb: bytes


@dataclass(frozen=True, slots=True)
class EncodedPicture:
    """A smaller picture as a file of its own, and its size in pixels."""

    picture: PictureFacts
    width: int
    height: int
    content: bytes


def is_available() -> bool:
    """Check if pictures can be decoded: Pillow is installed. It is not imported here."""
    return find_spec("PIL") is not None


class PictureDecoder:
    """One child process, started with the first job and again after each death.

    Its methods block, for at most `deadline_seconds` a job beside its start, and may be called by
    any thread; jobs run one after another. From asyncio, call them in a thread
    (`asyncio.to_thread`). An animated picture is its first frame, transparent pixels are grey.

    Every method raises UnusableFile: not a JPEG, PNG, WebP or GIF; damaged; more than 40 million
    pixels; over the deadline; the child died; Pillow is not installed.
    """

    def __init__(self, *, deadline_seconds: float = DEADLINE_SECONDS) -> None:
        self._deadline_seconds = deadline_seconds
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._deaths: Counter[str] = Counter()

    def __enter__(self) -> "PictureDecoder":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def process_id(self) -> int | None:
        """Process id of the child; None while there is none."""
        return self._child.pid if self._child else None

    def facts(self, path: Path) -> PictureFacts:
        """Format and size, without decoding; a PNG is decoded, as its rotation may come last."""
        answer, _ = self._answer(path, 1, 1, "facts")
        return _facts(answer)

    def pixels(self, path: Path, width: int, height: int) -> PixelGrid:
        """The picture in exactly width x height pixels, whatever its shape.

        The caller chooses the shape, since a quarter of a terminal's cell is no square.
        """
        answer, rgb = self._answer(path, width, height, "rgb")
        return PixelGrid(_facts(answer), width, height, rgb)

    def encode(self, path: Path, width: int, height: int, format: Format) -> EncodedPicture:
        """The picture in its own shape within width x height, never enlarged; no metadata."""
        answer, content = self._answer(path, width, height, format)
        size = answer["pixel_width"], answer["pixel_height"]
        return EncodedPicture(_facts(answer), *size, content)

    def close(self) -> None:
        """End the child; the next job starts another."""
        with self._lock:
            self._end()

    def _answer(
        self, path: Path, width: int, height: int, output: str
    ) -> tuple[Mapping[str, Any], bytes]:
        if width < 1 or height < 1 or width * height > MOST_ANSWERED:
            raise ValueError(f"{width} x {height} pixels: 1 to {MOST_ANSWERED:,} are possible")
        job = {"path": str(path), "width": width, "height": height, "output": output}
        with self._lock:
            if self._deaths[str(path)] >= MOST_DEATHS:
                raise UnusableFile(_DAMAGED)
            answer, body = self._exchange(job)
        if "problem" in answer:
            raise UnusableFile(_PROBLEMS.get(answer["problem"], _DAMAGED))
        return answer, body

    def _exchange(self, job: Mapping[str, Any]) -> tuple[Mapping[str, Any], bytes]:
        """Send a job and read its answer. Raises: UnusableFile: the child died or was ended."""
        child = self._running()
        timer = threading.Timer(self._deadline_seconds, child.kill)
        timer.start()
        try:
            assert child.stdin is not None
            child.stdin.write(json.dumps(job).encode() + b"\n")
            child.stdin.flush()
            return _read(child)
        except (OSError, ValueError) as error:
            self._end()
            if len(self._deaths) >= _MOST_REMEMBERED:
                self._deaths.clear()
            self._deaths[str(job["path"])] += 1
            raise UnusableFile("The picture could not be decoded in time") from error
        finally:
            timer.cancel()

    def _running(self) -> subprocess.Popen[bytes]:
        """The child, started if there is none. Raises: UnusableFile: it does not start."""
        if self._child is not None and self._child.poll() is None:
            return self._child
        self._end()
        if not is_available():
            raise UnusableFile("Pictures cannot be shown: Pillow is not installed")
        child = subprocess.Popen(
            [sys.executable, "-I", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=subprocess_environment.allowed(),
            # Signals of the terminal are for this process alone.
            start_new_session=True,
        )
        self._child = child
        timer = threading.Timer(_START_SECONDS, child.kill)
        timer.start()
        try:
            _read(child)
        except ValueError as error:
            self._end()
            raise UnusableFile("Pictures cannot be shown: Pillow does not start") from error
        finally:
            timer.cancel()
        return child

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        # Closes the pipes, and collects the process.
        try:
            child.communicate()
        except (OSError, ValueError):
            child.wait()


def _read(child: subprocess.Popen[bytes]) -> tuple[Mapping[str, Any], bytes]:
    """Read a line of JSON and its bytes. Raises: ValueError: the child ended before."""
    assert child.stdout is not None
    answer: dict[str, Any] = json.loads(child.stdout.readline())
    length = answer.get("length", 0)
    body = child.stdout.read(length)
    if len(body) != length:
        raise ValueError("the answer is cut short")
    return answer, body


def _facts(answer: Mapping[str, Any]) -> PictureFacts:
    return PictureFacts(
        answer["format"], answer["width"], answer["height"], bool(answer["animated"])
    )
