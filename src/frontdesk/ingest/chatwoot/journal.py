"""Lines on their way from another system, in a file that an interrupted run goes on with."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from frontdesk import private
from frontdesk.errors import UnusableFile
from frontdesk.text import clean

_PROGRESS = ".progress"


class Journal:
    """A file of native lines, and beside it what of the other system is in it already.

    Each step is written with the length that the file then has: what follows the last whole step
    is cut off when a run goes on. source: what the lines are from; another begins anew.
    """

    def __init__(self, path: Path, source: Mapping[str, Any]) -> None:
        """Raises: UnusableFile: the files cannot be made, or are of something else."""
        self.path = path
        self._steps: dict[str, Mapping[str, int]] = {}
        self._beside = path.with_name(path.name + _PROGRESS)
        try:
            self._lines: IO[bytes] = open(path, "ab", opener=private.opener)  # noqa: SIM115
            self._progress: IO[bytes] = open(self._beside, "ab+", opener=private.opener)  # noqa: SIM115
            self._go_on(json.dumps(dict(source), sort_keys=True))
        except OSError as error:
            raise UnusableFile(clean(f"Cannot write {path}: {error.strerror}")) from error

    @property
    def resumed(self) -> int:
        """How many steps were done when it was opened."""
        return self._resumed

    def done(self, step: str) -> bool:
        """Whether the lines of a step are in the file."""
        return step in self._steps

    def counts(self, step: str) -> Mapping[str, int]:
        """What was counted in a step that is done."""
        return self._steps.get(step, {})

    def add(
        self,
        step: str,
        lines: Iterable[Mapping[str, Any]],
        counts: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Write the lines of a step, all of them or none, and what was counted in it."""
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        self._lines.write(text.encode())
        self._lines.flush()
        self._note([step, self._lines.tell(), dict(counts)])
        self._steps[step] = dict(counts)

    def close(self) -> None:
        """Leave it for a run to go on with."""
        self._lines.close()
        self._progress.close()

    def finish(self) -> None:
        """All lines are there: the next run begins anew."""
        self.close()
        self._beside.unlink(missing_ok=True)

    def _go_on(self, source: str) -> None:
        self._progress.seek(0)
        noted = [line for line in self._progress.read().split(b"\n") if line]
        steps = [json.loads(line) for line in noted[1:] if line.endswith(b"]")]
        if noted and noted[0].decode() == source:
            self._steps = {step: counts[0] if counts else {} for step, _, *counts in steps}
            self._lines.truncate(steps[-1][1] if steps else 0)
        else:
            self._lines.truncate(0)
            self._progress.truncate(0)
            self._progress.write(source.encode() + b"\n")
            self._progress.flush()
        self._lines.seek(0, os.SEEK_END)
        self._resumed = len(self._steps)

    def _note(self, step: list[Any]) -> None:
        self._progress.write(json.dumps(step).encode() + b"\n")
        self._progress.flush()
