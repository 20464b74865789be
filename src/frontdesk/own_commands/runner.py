"""Runs one program with a time limit, in a session of its own that is ended with it."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from frontdesk.own_commands.output import KeptOutput
from frontdesk.system import subprocess_environment
from frontdesk.text.clean import clean

# After it, a program that was asked to end is killed, and pipes that nobody ends are closed.
GRACE_SECONDS = 1.0


class Job(NamedTuple):
    """What to run. environment None: what every program gets. timeout_seconds None: no limit.

    folder: its working directory, None for this process's. keeps_errors: standard error is part of
    the output; else it is kept apart. detached: the program may go on when its job has ended, and
    its output is dropped.
    """

    arguments: Sequence[str]
    stdin: bytes = b""
    environment: Mapping[str, str] | None = None
    timeout_seconds: float | None = None
    keeps_errors: bool = True
    detached: bool = False
    folder: str | None = None

    @property
    def variables(self) -> dict[str, str]:
        given = self.environment
        return subprocess_environment.allowed() if given is None else dict(given)


def exit_words(code: int | None) -> str:
    """What an exit code says of a failure, or ""; signals are negative."""
    if not code:
        return ""
    return f"exit code {code}" if code > 0 else f"ended by signal {-code}"


class ProgramRun(asyncio.SubprocessProtocol):
    """A run of a job. exit_code: None before its end; problem: why it has none of its own, or "".

    output, errors: what is kept of them.
    """

    def __init__(self, job: Job, changed: Callable[[], object] = lambda: None) -> None:
        self.job = job
        self.output, self.errors = KeptOutput(), KeptOutput()
        self.exit_code: int | None = None
        self.problem = ""
        self._changed = changed
        self._transport: asyncio.SubprocessTransport | None = None
        self._ended = asyncio.Event()
        self._closed = asyncio.Event()

    @property
    def is_running(self) -> bool:
        return not self._ended.is_set() and not self.problem and self.exit_code is None

    @property
    def failure(self) -> str:
        """Why it did not succeed, or ""."""
        return self.problem or exit_words(self.exit_code)

    async def run(self) -> None:
        """Start the program, and wait for its end. Cancelled, it ends the program first."""
        if not await self._start():
            return
        try:
            async with asyncio.timeout(self.job.timeout_seconds):
                await self._ended.wait()
        except TimeoutError:
            if not self.job.detached:
                self.problem = f"ended after {self.job.timeout_seconds:g} s"
                await self._end()
        except asyncio.CancelledError:
            self.problem = "cancelled"
            if not self.job.detached:
                await asyncio.shield(self._end())
            raise
        finally:
            await self._close()

    async def _start(self) -> bool:
        job = self.job
        pipe = asyncio.subprocess.DEVNULL if job.detached else asyncio.subprocess.PIPE
        try:
            transport, _ = await asyncio.get_running_loop().subprocess_exec(
                lambda: self,
                *job.arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=pipe,
                stderr=asyncio.subprocess.STDOUT if job.keeps_errors else pipe,
                env=job.variables,
                cwd=job.folder,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            words = getattr(error, "strerror", None) or str(error)
            self.problem = clean(f"{job.arguments[0]} cannot be run: {words}")
            self._ended.set()
            return False
        stdin = transport.get_pipe_transport(0)
        if isinstance(stdin, asyncio.WriteTransport):
            stdin.write(job.stdin)
            stdin.close()
        return True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        (self.output if fd == 1 else self.errors).add(data)
        self._changed()

    def process_exited(self) -> None:
        if self._transport is not None:
            self.exit_code = self._transport.get_returncode()
        if not self.job.detached:
            # What it left running keeps the pipes open.
            self._signal("SIGKILL")
        elif self._transport is not None:
            # Nobody waits for it any more.
            self._transport.close()
        self._ended.set()

    def connection_lost(self, error: Exception | None) -> None:
        self._closed.set()

    async def _end(self) -> None:
        self._signal("SIGTERM")
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE_SECONDS):
                    await self._ended.wait()
        finally:
            # Also when the viewer ends meanwhile.
            self._signal("SIGKILL")
        await self._ended.wait()

    async def _close(self) -> None:
        """Read the rest of the output, unless another session holds the pipes."""
        if self._ended.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE_SECONDS):
                    await self._closed.wait()
        if self._transport is not None and not self.job.detached:
            self._transport.close()
        self._changed()

    def _signal(self, name: str) -> None:
        """Send a signal to the program and all that it has started."""
        if self._transport is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._transport.kill()
            else:
                os.killpg(self._transport.get_pid(), getattr(signal, name))
