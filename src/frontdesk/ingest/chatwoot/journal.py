"""Append-only output file with a progress file, from which an interrupted import resumes."""

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
    """File of native lines, and next to it a record of finished steps.

    Each step is recorded with the resulting file length; on resume, anything after the last
    complete step is truncated. source: identifies the input; a different one starts over.
    """

    def __init__(self, path: Path, source: Mapping[str, Any]) -> None:
        """Raises: UnusableFile: the files cannot be created, or belong to something else."""
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
        """Number of steps finished by earlier runs."""
        return self._resumed

    def done(self, step: str) -> bool:
        return step in self._steps

    def counts(self, step: str) -> Mapping[str, int]:
        """Return the counts recorded with a finished step."""
        return self._steps.get(step, {})

    def add(
        self,
        step: str,
        lines: Iterable[Mapping[str, Any]],
        counts: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Append a step's lines atomically, with its counts."""
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        self._lines.write(text.encode())
        self._lines.flush()
        self._note([step, self._lines.tell(), dict(counts)])
        self._steps[step] = dict(counts)

    def close(self) -> None:
        """Close the files, keeping the progress for the next run."""
        self._lines.close()
        self._progress.close()

    def finish(self) -> None:
        """Close the files and delete the progress: the output is complete."""
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
