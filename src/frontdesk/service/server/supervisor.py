"""Pre-fork supervisor: starts worker processes together, restarts and stops them."""

import os
import selectors
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import NoReturn

from frontdesk.crash_trace import trace

_ENDING = (signal.SIGTERM, signal.SIGINT)

# Time limit of a shutdown, longer than a worker's own.
PATIENCE_SECONDS = 20.0
# Minimum interval between restarts of workers.
PAUSE_SECONDS = 1.0

# Worker function: calls its argument when ready, and returns its exit code (None for 0) after
# a termination signal.
Work = Callable[[Callable[[], None]], int | None]


@dataclass(slots=True)
class _State:
    """begun: all workers were ready once. end_by: deadline of the shutdown, None before it."""

    waiting: dict[int, int] = field(default_factory=dict)
    at_work: set[int] = field(default_factory=set)
    begun: bool = False
    end_by: float | None = None
    next_start: float = 0.0

    def count(self) -> int:
        return len(self.waiting) + len(self.at_work)


class Supervisor:
    """Keeps `count` forked workers running.

    passed_on: signals that are sent to each worker. ended: called with the id of each that ended,
    and with its exit code (negative for a signal) if it died by itself, else None.
    """

    def __init__(
        self,
        count: int,
        work: Work,
        ended: Callable[[int, int | None], None] = lambda pid, code: None,
        passed_on: Collection[signal.Signals] = (),
    ) -> None:
        self._count = count
        self._work = work
        self._ended = ended
        self._passed_on = passed_on
        self._state = _State()
        self._selector = selectors.DefaultSelector()
        # Workers read end of file when this process exits, for whatever reason.
        self._lifeline, self._life = os.pipe()

    def run(self, begun: Callable[[], None], stopping: Callable[[], None]) -> bool:
        """Run until SIGTERM or SIGINT, and until the last worker has exited.

        `begun` is called once all workers are ready, `stopping` before they are terminated. Returns
        False if a worker exited before all were ready, which stops the others.
        """
        state = self._state
        with _signals(self._passed_on) as signals:
            self._selector.register(signals, selectors.EVENT_READ)
            while state.end_by is None or state.count():
                self._start_missing()
                self._listen(signals, stopping)
                if not state.begun and len(state.at_work) == self._count:
                    state.begun = True
                    begun()
        self._selector.close()
        os.close(self._lifeline)
        os.close(self._life)
        return state.begun

    def _listen(self, signals: socket.socket, stopping: Callable[[], None]) -> None:
        """Wait for the next events and handle them."""
        for key, _ in self._selector.select(self._patience()):
            if key.fileobj is not signals:
                self._note_begun(key.fd, key.data)
                continue
            received = signals.recv(64)
            for number in self._passed_on:
                if number in received:
                    self._signal_workers(number)
            is_ending = any(sign in received for sign in _ENDING)
            self._reap(is_ending=is_ending or self._state.end_by is not None)
            failed_to_start = not self._state.begun and self._state.count() < self._count
            if self._state.end_by is None and (failed_to_start or is_ending):
                stopping()
                self._end()
        if self._state.end_by is not None and time.monotonic() >= self._state.end_by:
            self._signal_workers(signal.SIGKILL)

    def _patience(self) -> float | None:
        """Return seconds until the next deadline, None without one."""
        state = self._state
        if state.end_by is not None:
            return max(state.end_by - time.monotonic(), 0.1)
        if state.count() < self._count:
            return max(state.next_start - time.monotonic(), 0.0)
        return None

    def _start_missing(self) -> None:
        """Start all workers, or later at most one per interval."""
        state = self._state
        while state.end_by is None and state.count() < self._count:
            if state.begun and time.monotonic() < state.next_start:
                return
            state.next_start = time.monotonic() + PAUSE_SECONDS
            self._start()

    def _start(self) -> None:
        reader, writer = os.pipe()
        # Signals stay blocked until the child has installed its handlers.
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        pid = os.fork()
        if not pid:
            os.close(reader)
            self._be_worker(writer)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        os.close(writer)
        self._state.waiting[pid] = reader
        self._selector.register(reader, selectors.EVENT_READ, pid)

    def _be_worker(self, writer: int) -> NoReturn:
        """Run a worker in the child process; never returns."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in (*_ENDING, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
            os.close(self._life)
            threading.Thread(target=_end_with, args=(self._lifeline,), daemon=True).start()
            code = self._work(lambda: _say_begun(writer)) or 0
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else 0
        except BaseException as error:
            sys.stderr.write(f"{trace(error)}\n")
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _note_begun(self, reader: int, pid: int) -> None:
        """Mark a worker as ready, or ignore it if it has exited."""
        self._selector.unregister(reader)
        if os.read(reader, 1) and self._state.waiting.pop(pid, None) is not None:
            self._state.at_work.add(pid)
        os.close(reader)

    def _reap(self, *, is_ending: bool) -> None:
        """Reap workers that have exited. is_ending: they were asked to."""
        for pid in (*self._state.waiting, *self._state.at_work):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                self._state.waiting.pop(pid, None)
                self._state.at_work.discard(pid)
                code = os.waitstatus_to_exitcode(status)
                died = code != 0 and self._state.begun and not is_ending
                self._ended(pid, code if died else None)

    def _end(self) -> None:
        self._state.end_by = time.monotonic() + PATIENCE_SECONDS
        self._signal_workers(signal.SIGTERM)

    def _signal_workers(self, number: signal.Signals) -> None:
        for pid in (*self._state.waiting, *self._state.at_work):
            os.kill(pid, number)


@contextmanager
def _signals(passed_on: Collection[signal.Signals]) -> Iterator[socket.socket]:
    """Yield a socket that receives the numbers of signals."""
    arriving, sending = socket.socketpair()
    with arriving, sending:
        arriving.setblocking(False)
        sending.setblocking(False)
        watched = (*_ENDING, signal.SIGCHLD, *passed_on)
        before = {number: signal.signal(number, _ignore) for number in watched}
        signal.set_wakeup_fd(sending.fileno())
        try:
            yield arriving
        finally:
            signal.set_wakeup_fd(-1)
            for number, handler in before.items():
                signal.signal(number, handler)


def _ignore(number: int, frame: FrameType | None) -> None:
    """No-op: the signal's number is written to the socket."""


def _say_begun(writer: int) -> None:
    os.write(writer, b"!")
    os.close(writer)


def _end_with(lifeline: int) -> None:
    """Terminate this process when its parent has exited."""
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGTERM)
