"""Programs of the operator that read the words of files: which one has a file, and its run."""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from frontdesk.errors import InboxError, Unreachable
from frontdesk.file_types import safe_name
from frontdesk.own_commands.output import KeptOutput
from frontdesk.own_commands.runner import Job, ProgramRun
from frontdesk.service.media import limits
from frontdesk.service.media.reader_table import PLACEHOLDER, FileReader, ReadableFile
from frontdesk.store.incoming_files import abandoned
from frontdesk.store.media_files import FileDeleted, MediaFiles, chunks
from frontdesk.store.media_texts import FileText
from frontdesk.system import subprocess_environment

# Exit code of a program that is to be run again later (EX_TEMPFAIL of sysexits).
LATER = 75
FOLDER = "frontdesk-reading-"

_ENVIRONMENT = ("PATH", "HOME", "LANG", "TZ", "SYSTEMROOT")
_LONGEST_OUTPUT = 1 << 20
_GONE = "the file is not there any more"


class NotRead(InboxError):
    """A program failed on a file. later: it is to be run again, and this does not count."""

    def __init__(self, message: str, *, later: bool = False) -> None:
        super().__init__(message)
        self.later = later


def readers_of(readers: Sequence[FileReader], file: ReadableFile) -> Iterator[FileReader]:
    """The reader of a file, and those that follow where one finds nothing."""
    for reader in readers:
        if reader.takes(file):
            yield reader
            if not reader.fallthrough:
                return


def copied(files: MediaFiles, account_id: int, file: ReadableFile, folder: Path) -> str:
    """Copy a file into a folder; returns its name there.

    Raises: FileGone: it is not there. Unreachable, FilesUnusable: it cannot be read or copied.
    """
    name = safe_name(None, file.mime, "file")
    source = files.open(account_id, file.digest)
    if source is None:
        raise FileGone(_GONE)
    try:
        with (folder / name).open("xb") as copy:
            for chunk in chunks(source):
                copy.write(chunk)
    except FileDeleted as error:
        raise FileGone(_GONE) from error
    except OSError as error:
        raise Unreachable(f"The file cannot be copied: {error.strerror}") from error
    finally:
        source.close()
    return name


class FileGone(InboxError):
    """A file was removed before it could be read."""


@contextmanager
def private_folder(token: str) -> Iterator[Path]:
    """A folder that only its owner reads, and that is deleted with all that programs left.

    token: of the claim, in its name with the id of this process.
    """
    prefix = f"{FOLDER}{os.getpid()}-{token}-"
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def remove_abandoned_folders() -> Iterator[str]:
    """Delete what killed processes of this machine left; yields the tokens of their claims."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER}*"):
        pid, _, rest = folder.name.removeprefix(FOLDER).partition("-")
        if pid.isdecimal() and (not _is_running(int(pid)) or any(abandoned([folder]))):
            shutil.rmtree(folder, ignore_errors=True)
            yield rest.partition("-")[0]


def _is_running(pid: int) -> bool:
    """True for a process of this machine; on Windows, of which that cannot be asked, always."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        # Of another user, or no id.
        return True
    return True


async def words_of(reader: FileReader, file: ReadableFile, name: str, folder: Path) -> FileText:
    """Run a reader on the file `name` in a folder.

    Raises: NotRead.
    """
    values = {
        "file": name,
        "mime": file.mime,
        "language": reader.language_of(file),
        "seconds": str((file.row["duration_ms"] or 0) // 1000),
    }
    run, ends_at = None, time.monotonic() + reader.timeout
    for step in reader.run:
        job = _job(reader, step, values, folder)
        left = max(ends_at - time.monotonic(), 0.0)
        run = ProgramRun(job._replace(timeout_seconds=left))
        await run.run()
        if run.exit_code == LATER:
            raise NotRead(_reason(step, run), later=True)
        if run.failure:
            raise NotRead(_reason(step, run))
    assert run is not None
    output = _written(folder / reader.output) if reader.output else run.output
    return FileText.of(output.beginning, reader.signature(file), values["language"] or None)


def _job(reader: FileReader, step: Sequence[str], values: Mapping[str, str], folder: Path) -> Job:
    program, *arguments = step
    filled = [PLACEHOLDER.sub(lambda found: values[found[1]], one) for one in arguments]
    seconds = max(1, round(reader.timeout)) * (os.cpu_count() or 1)
    shim = (
        ()
        if sys.platform == "win32"
        else (
            *(sys.executable, "-I", limits.__file__),
            *map(str, (os.getpid(), reader.memory, seconds)),
        )
    )
    allowed = subprocess_environment.allowed()
    environment = {
        **{
            key: value
            for key, value in allowed.items()
            if key.upper() in _ENVIRONMENT or key.startswith("LC_")
        },
        "TMPDIR": str(folder),
        **reader.environment,
    }
    return Job(
        (*shim, program, *filled), environment=environment, keeps_errors=False, folder=str(folder)
    )


def _reason(step: Sequence[str], run: ProgramRun) -> str:
    said = run.errors.last_line
    words = f"{Path(step[0]).name}: {run.failure}"
    return f"{words}: {said}" if said else words


def _written(path: Path) -> KeptOutput:
    """What a program wrote into a file. Raises: NotRead: it is no file of this folder."""
    kept = KeptOutput()
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        if not path.is_file() or path.is_symlink():
            raise NotRead(f"{path.name} was not written")
        with open(os.open(path, flags), "rb") as file:
            kept.add(file.read(_LONGEST_OUTPUT))
    except OSError as error:
        raise NotRead(f"{path.name} was not written: {error.strerror}") from error
    return kept
