"""Output of a program as lines: bounded, and without anything that controls a terminal."""

import re
from collections import deque
from collections.abc import Iterable, Iterator

from frontdesk.text.clean import clean

HEAD_BYTES, TAIL_BYTES = 256 * 1024, 1024 * 1024
HEAD_LINES, TAIL_LINES = 5_000, 15_000
_LONGEST_LINE = 4_000

# Operating system commands and their like, up to the end of the line at the latest; then control
# sequences; then other escapes.
_SEQUENCES = re.compile(
    "\x1b[\\]PX^_].*?(?:\x07|\x1b\\\\|$)|[\x90\x98\x9d-\x9f].*?(?:\x07|\x9c|$)"
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?"
    "|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]"
)


def plain_line(line: bytes) -> str:
    """A line as text that is safe on a terminal; of a line that was written over, the last text."""
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    # A carriage return goes back to the start of the line, as progress bars do.
    return clean(_SEQUENCES.sub("", text).rpartition("\r")[2])


class KeptOutput:
    """The first and the last lines of an output.

    Lines include their line feed; a longer line is kept in parts without one. total: bytes seen.
    left_out: bytes between the first and the last lines.
    """

    def __init__(self) -> None:
        self.total = self.left_out = 0
        self._head: list[bytes] = []
        self._tail: deque[bytes] = deque()
        self._head_bytes = self._tail_bytes = 0
        self._is_head_full = False
        self._dropped = 0
        self._partial = b""

    def add(self, data: bytes) -> None:
        self.total += len(data)
        *lines, self._partial = (self._partial + data).split(b"\n")
        for line in lines:
            self._keep_parts(line + b"\n")
        if len(self._partial) > _LONGEST_LINE:
            self._partial = self._keep_parts(self._partial, whole=False)

    def _keep_parts(self, line: bytes, *, whole: bool = True) -> bytes:
        """Keep a line in parts; returns the last part, which is kept only of a whole line."""
        start = 0
        while len(line) - start > _LONGEST_LINE:
            end = _boundary(line, start)
            self._keep(line[start:end])
            start = end
        if whole:
            self._keep(line[start:])
        return line[start:]

    def _keep(self, line: bytes) -> None:
        is_room = len(self._head) < HEAD_LINES and self._head_bytes + len(line) <= HEAD_BYTES
        if is_room and not self._is_head_full:
            self._head.append(line)
            self._head_bytes += len(line)
            return
        self._is_head_full = True
        self._tail.append(line)
        self._tail_bytes += len(line)
        while self._tail_bytes > TAIL_BYTES or len(self._tail) > TAIL_LINES:
            size = len(self._tail.popleft())
            self._dropped += 1
            self._tail_bytes -= size
            self.left_out += size

    @property
    def lines(self) -> "KeptLines":
        """The kept lines as text, with one for what is left out; does not change any more."""
        return KeptLines(
            list(self._head),
            list(self._tail) + ([self._partial] if self._partial else []),
            self._gap(),
            self._dropped,
        )

    def text(self) -> str:
        """What is kept, with the parts of lines put together again."""
        end = _lines_of([*self._tail, self._partial]) if self.left_out else ()
        return "\n".join([self.beginning, *self._gap(), *end])

    @property
    def beginning(self) -> str:
        """What is kept before anything is left out."""
        rest = () if self.left_out else (*self._tail, self._partial)
        return "\n".join(_lines_of([*self._head, *rest]))

    def _gap(self) -> list[str]:
        return [f"… {self.left_out:,} bytes left out …"] if self.left_out else []

    @property
    def last_line(self) -> str:
        """The last line that is not blank, or ""."""
        newest_first = (self._partial, *reversed(self._tail), *reversed(self._head))
        lines = map(plain_line, newest_first)
        return next((line.strip() for line in lines if line.strip()), "")


class KeptLines:
    """Rows of an output: the first lines, a line for `dropped` ones, the last lines.

    Lines are decoded when they are read: thousands come between two frames. Keys are numbers of
    lines.
    """

    def __init__(self, head: list[bytes], tail: list[bytes], gap: list[str], dropped: int) -> None:
        self._head, self._tail, self._gap, self._dropped = head, tail, gap, dropped

    def __len__(self) -> int:
        return len(self._head) + len(self._gap) + len(self._tail)

    def __getitem__(self, position: int, /) -> str:
        if position < len(self._head):
            return plain_line(self._head[position])
        beyond = position - len(self._head) - len(self._gap)
        return plain_line(self._tail[beyond]) if beyond >= 0 else self._gap[0]

    def key(self, position: int, /) -> str:
        beyond = position - len(self._head) - len(self._gap)
        if position < len(self._head):
            return str(position)
        return str(len(self._head) + self._dropped + beyond) if beyond >= 0 else "gap"

    def find(self, key: str, /) -> int | None:
        first = len(self._head)
        if key == "gap":
            return first if self._gap else None
        if int(key) < first:
            return int(key)
        beyond = int(key) - first - self._dropped
        return first + len(self._gap) + beyond if 0 <= beyond < len(self._tail) else None


def _lines_of(parts: Iterable[bytes]) -> Iterator[str]:
    return map(plain_line, b"".join(parts).split(b"\n"))


def _boundary(line: bytes, start: int) -> int:
    """Where a long line is cut: not within a character of UTF-8."""
    end = start + _LONGEST_LINE
    while end > start + _LONGEST_LINE - 4 and line[end] & 0xC0 == 0x80:
        end -= 1
    return end
