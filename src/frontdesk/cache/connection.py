"""Cache file: reader connection, writer thread, recovery from damage and disk errors."""

import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from frontdesk.cache import files
from frontdesk.cache.files import FileState
from frontdesk.system import first_frame_file, private_files

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

# Exceptions that damaged values may cause; as bugs do, which `recover` tells from them.
NONSENSE = (ValueError, TypeError, LookupError, ArithmeticError)


class Housekeeping(Protocol):
    """A housekeeping step, run while no job is waiting."""

    def __call__(self, connection: sqlite3.Connection, *, in_memory: bool) -> bool: ...


_CHECK_AFTER_SECONDS = 3.0
_CHECKED_BYTES = 256 * 2**20
_CHECKPOINT_AFTER_SECONDS = 1.0
_CHECKPOINT_EVERY = 200
_INTERRUPT_SECONDS = 0.05
_TRIES = 10


class CacheFile:
    """A cache file. `rows` is for one thread, `submit` for any; disk errors are not raised.

    A damaged file is deleted and begun again: all of it can be fetched. If nothing can be saved, or
    the file belongs to another program, the cache is kept in memory; `warning` says so.
    """

    def __init__(
        self, path: Path, tidy: Housekeeping, *, check_after_seconds: float = _CHECK_AFTER_SECONDS
    ) -> None:
        """`tidy` is one housekeeping step; it returns True if more is to do."""
        self.warning: str | None = None
        self._path = path
        self._tidy = tidy
        self._lock = threading.Lock()
        self._generation = 0
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]
        self._jobs = queue.SimpleQueue()
        self._closed = threading.Event()
        self._checking: sqlite3.Connection | None = None
        self._inode = 0
        self._damaged_generation = -1
        self._bug: Exception | None = None
        worth_a_check = self._worth_a_check()
        self._address, self._reader = self._open()
        self._connection: sqlite3.Connection | None = None
        self._threads = [threading.Thread(target=self._write, name="cache-writer", daemon=True)]
        if worth_a_check:
            check = threading.Thread(
                target=self._check, args=(check_after_seconds,), name="cache-check", daemon=True
            )
            self._threads.append(check)
        for thread in self._threads:
            thread.start()

    @property
    def persistent(self) -> bool:
        """False if the cache is kept in memory."""
        return not files.is_memory(self._address)

    def rows(self, sql: str, parameters: tuple[object, ...] = ()) -> list[Any]:
        """Run a query on the caller's thread; a damaged file is rebuilt and queried again."""
        generation = self._generation
        try:
            with self._lock:
                return self._reader.execute(sql, parameters).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if not files.broken(error):
                raise
        self._enqueue(lambda: self._rebuild(generation)).result()
        with self._lock:
            return self._reader.execute(sql, parameters).fetchall()

    def rows_aside(self, sql: str, parameters: tuple[object, ...] = ()) -> list[Any]:
        """Run a slow query on a connection of its own, from any thread; empty on errors."""
        try:
            with closing(files.reader(self._address)) as connection:
                return connection.execute(sql, parameters).fetchall()
        except (sqlite3.Error, UnicodeDecodeError):
            return []

    @property
    def generation(self) -> int:
        """Number of the present file: it grows when a damaged file is replaced."""
        return self._generation

    def recover(self, error: Exception, generation: int) -> None:
        """Rebuild the file in the background, if an error is due to damage of `generation`.

        Raises: error, if the file is sound: it is a bug.
        """
        if generation != self._generation or self._closed.is_set():
            return
        if not self._is_damage(error):
            raise error
        self._enqueue(lambda: self._rebuild(generation))

    def _is_damage(self, error: Exception) -> bool:
        """True if damage of the file may cause an error: a row is undecodable, or it has damage."""
        generation = self._generation
        if generation != self._damaged_generation:
            # Undecodable rows are what pydantic says: a value that is JSON, but no row.
            is_undecodable = isinstance(error, ValidationError)
            if not is_undecodable and not files.damaged(self._address):
                return False
            self._damaged_generation = generation
        return True

    def submit(self, work: Work[T]) -> Future[T]:
        """Run `work` in a transaction on the writer thread, after all earlier jobs."""
        return self._enqueue(lambda: self._perform(work))

    def save_first_frame(self, frame: first_frame_file.FirstFrame) -> None:
        """Store the first frame; any later write deletes it. Not for a cache in memory."""

        def keep(connection: sqlite3.Connection) -> None:
            if not files.is_memory(self._address):
                with suppress(OSError):
                    first_frame_file.save(self._path, frame)

        self.submit(keep)

    def close(self) -> None:
        """Finish pending jobs and close the file; it cannot be used afterwards."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._jobs.put(None)
        for thread in self._threads:
            while thread.is_alive():
                with self._lock:
                    if self._checking:
                        self._checking.interrupt()
                thread.join(_INTERRUPT_SECONDS)
        self._reader.close()

    def _enqueue(self, job: Callable[[], T]) -> Future[T]:
        if self._closed.is_set():
            raise RuntimeError("The cache is closed")
        future: Future[T] = Future()
        self._jobs.put((future, job))
        return future

    def _open(self, tries: int = _TRIES) -> tuple[str, sqlite3.Connection]:
        """URI and reader connection of a usable cache, whatever the state of the file.

        tries: as another process may remove the file at any step.
        """
        try:
            state = self._state()
        except OSError as error:
            return self._without_disk(error)
        if state in (FileState.FOREIGN, FileState.NEWER):
            self._warn(f"{self._path} is {state.value}: this session saves nothing on disk.")
            return self._in_memory()
        try:
            self._make_ready(state)
            return self._on_disk()
        except (OSError, sqlite3.DatabaseError) as error:
            if isinstance(error, OSError) or files.unwritable(error):
                is_removed = tries > 1 and not self._path.exists()
                return self._open(tries - 1) if is_removed else self._without_disk(error)
        except UnicodeDecodeError:
            # SQLite's error message contained the damaged bytes.
            pass
        try:
            self._delete()
            files.prepare(self._path)
            return self._on_disk()
        except (OSError, sqlite3.Error) as error:
            return self._without_disk(error)

    def _state(self) -> FileState:
        """State of the file, once one that is damaged or older is removed. Raises: OSError."""
        state = files.state(self._path)
        if state in (FileState.BROKEN, FileState.OLDER):
            with files.alone(self._path):
                # Another process may have made it anew meanwhile.
                state = files.state(self._path)
                if state is FileState.BROKEN:
                    self._delete()
                elif state is FileState.OLDER:
                    files.remove(self._path)
                state = files.state(self._path)
        return state

    def _make_ready(self, state: FileState) -> None:
        """Create a file of the current schema, if there is none."""
        if state is FileState.OURS:
            private_files.close_to_others(self._path)
        else:
            files.prepare(self._path)

    def _on_disk(self) -> tuple[str, sqlite3.Connection]:
        self._inode = self._path.stat().st_ino
        address = files.address_of(self._path)
        return address, files.reader(address)

    def _in_memory(self) -> tuple[str, sqlite3.Connection]:
        address = files.memory()
        return address, files.reader(address)

    def _without_disk(self, error: Exception) -> tuple[str, sqlite3.Connection]:
        self._warn(f"Nothing can be saved in {self._path} ({error}): Continuing without a cache.")
        address, reader = self._in_memory()
        files.copy(self._path, address)
        return address, reader

    def _delete(self) -> None:
        files.remove(self._path)
        self._warn("The cache was damaged. It was deleted, and fills again.")

    def _warn(self, sentence: str) -> None:
        self.warning = self.warning or sentence

    def _write(self) -> None:
        """Writer thread: runs jobs in order, checkpoints and housekeeping while idle.

        While housekeeping is unfinished, one step of it follows each job.
        """
        uncheckpointed, behind = 0, False
        while True:
            patience = _CHECKPOINT_AFTER_SECONDS if uncheckpointed else None
            try:
                job = self._jobs.get(timeout=0 if behind else patience)
            except queue.Empty:
                behind = self._tidied()
                uncheckpointed = uncheckpointed if behind else self._checkpoint()
                continue
            if job is None:
                self._checkpoint()
                if self._connection:
                    self._connection.close()
                return
            self._complete(*job)
            uncheckpointed += 1
            full = uncheckpointed >= _CHECKPOINT_EVERY
            behind = (behind or full) and self._tidied()
            uncheckpointed = self._checkpoint() if full else uncheckpointed

    def _tidied(self) -> bool:
        in_memory = files.is_memory(self._address)
        try:
            return self._transact(lambda connection: self._tidy(connection, in_memory=in_memory))
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if files.broken(error):
                self._rebuild(self._generation)
            # An oversized cache is better than none.
        except Exception as error:
            if self._is_damage(error):
                self._rebuild(self._generation)
            else:
                self._bug = error
        return False

    def _complete(self, future: "Future[Any]", job: Callable[[], Any]) -> None:
        if not future.set_running_or_notify_cancel():
            return
        bug, self._bug = self._bug, None
        try:
            if bug is not None:
                # Housekeeping has nobody else to tell.
                raise bug
            future.set_result(job())
        except BaseException as error:
            future.set_exception(error)

    def _checkpoint(self) -> int:
        """Copy committed pages from the log to the file, as far as no reader needs the log."""
        if self._connection:
            try:
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            except (sqlite3.Error, UnicodeDecodeError) as error:
                if not (files.broken(error) or files.unwritable(error)):
                    raise
        return 0

    def _perform(self, work: Work[T]) -> T:
        try:
            return self._transact(work)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if files.broken(error):
                self._rebuild(self._generation)
            elif files.unwritable(error):
                self._replace(partial(self._open_after, error))
            else:
                raise
        except NONSENSE as error:
            if not self._is_damage(error):
                raise
            self._rebuild(self._generation)
        return self._transact(work)

    def _transact(self, work: Work[T]) -> T:
        if self._connection is None:
            self._connection = files.writer(self._address)
        connection = self._connection
        # Upgrading a deferred transaction fails if another writer is active.
        connection.execute("BEGIN IMMEDIATE")
        first_frame_file.delete(self._path)
        try:
            outcome = work(connection)
            connection.execute("COMMIT")
            return outcome
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _rebuild(self, generation: int) -> None:
        """Replace the damaged file, unless that happened after `generation`."""
        if generation == self._generation:
            self._replace(self._open_anew)

    def _open_anew(self) -> tuple[str, sqlite3.Connection]:
        try:
            # Another process may have replaced the damaged file already; keep the new one.
            if self._path.stat().st_ino == self._inode:
                self._delete()
        except FileNotFoundError:
            pass
        except OSError as error:
            return self._without_disk(error)
        return self._open()

    def _open_after(self, error: Exception) -> tuple[str, sqlite3.Connection]:
        """Go on without a disk, unless another process has removed the file: that is made anew."""
        return self._without_disk(error) if self._path.exists() else self._open()

    def _replace(self, opening: Callable[[], tuple[str, sqlite3.Connection]]) -> None:
        """Close all connections and reopen with `opening`. Only on the writer thread."""
        with self._lock:
            self._reader.close()
            if self._connection:
                self._connection.close()
                self._connection = None
            self._address, self._reader = opening()
            self._generation += 1

    def _worth_a_check(self) -> bool:
        """True for a file up to 256 MiB, or one whose last process was killed."""
        if files.state(self._path) is not FileState.OURS:
            return False
        return files.has_wal(self._path) or files.size_of(self._path) <= _CHECKED_BYTES

    def _check(self, after_seconds: float) -> None:
        """Run an integrity check on a connection of its own; rebuild the file if it fails."""
        if self._closed.wait(after_seconds):
            return
        generation = self._generation
        try:
            connection = files.reader(self._address)
        except (sqlite3.Error, UnicodeDecodeError):
            return
        with self._lock:
            self._checking = connection
        try:
            damaged = connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok"
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            damaged = files.broken(error)
        finally:
            with self._lock:
                self._checking = None
            connection.close()
        if damaged:
            self._jobs.put((Future(), lambda: self._rebuild(generation)))
