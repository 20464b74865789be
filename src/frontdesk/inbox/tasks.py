"""The running procedures: at most one of a kind, each waiting for an answer, a time or another.

An answer counts only if the task that asked for it still waits for it. That is the only place where
late answers are dropped.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from frontdesk.errors import InboxError
from frontdesk.inbox.requests import Ended, Kind, Request, RowsKnown, Steps, Until, Wait


@dataclass(eq=False, slots=True)
class Asked:
    """A request that was handed out; its answer is handed in with it.

    urgent: it is sent although the client may pause.
    """

    request: Request[Any]
    kind: Kind
    urgent: bool


class Stop(NamedTuple):
    """The answer is not needed any more."""

    asked: Asked


@dataclass(eq=False, slots=True)
class _Task:
    """steps: the procedure; since: its start; waits: what for, None while a step is done."""

    kind: Kind
    steps: Steps[None]
    since: float
    urgent: bool
    waits: Asked | Until | Ended | RowsKnown | None = None


class Tasks:
    """Running procedures by kind.

    now: seconds of a clock that never goes back.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._out: list[Asked | Stop] = []
        self._running: dict[Kind, _Task] = {}

    def take(self) -> list[Asked | Stop]:
        """Requests to send, and those to give up, in order."""
        out, self._out = self._out, []
        return out

    def __contains__(self, kind: Kind) -> bool:
        return kind in self._running

    def since(self, kind: Kind) -> float | None:
        """When the procedure of a kind began; None without one."""
        task = self._running.get(kind)
        return task.since if task is not None else None

    def waits_for_rows(self, kind: Kind) -> bool:
        """True if the procedure of a kind waits for the next answer for the view."""
        task = self._running.get(kind)
        return task is not None and isinstance(task.waits, RowsKnown)

    def start(self, kind: Kind, steps: Steps[None], *, urgent: bool = False) -> None:
        """Begin a procedure in place of that of its kind; its first step is done on return."""
        self.stop(kind)
        task = self._running[kind] = _Task(kind, steps, self._now(), urgent)
        self._resume(task, None)

    def stop(self, *kinds: Kind) -> bool:
        """End procedures; True if there was one."""
        stopped = [task for kind in kinds if (task := self._running.pop(kind, None))]
        for task in stopped:
            if isinstance(task.waits, Asked):
                self._out.append(Stop(task.waits))
            # One that does a step ends itself: see `_resume`.
            if task.waits is not None:
                task.steps.close()
        for task in stopped:
            self._go_on_after(task.kind)
        return bool(stopped)

    def answer(self, asked: Asked, value: object) -> None:
        """Hand in an answer; it is dropped if nobody waits for it any more."""
        task = self._waiting(asked)
        if task is not None:
            self._resume(task, value)

    def fail(self, asked: Asked, error: InboxError) -> None:
        """Hand in a failure, likewise."""
        task = self._waiting(asked)
        if task is not None:
            self._resume(task, error)

    def rows_known(self, known: bool) -> None:
        """Go on with what waits for the rows of the view."""
        for task in [*self._running.values()]:
            if isinstance(task.waits, RowsKnown):
                self._resume(task, known)

    def advance(self) -> None:
        """Go on with what waits for a time that has come."""
        for task in [*self._running.values()]:
            if isinstance(task.waits, Until) and task.waits.time <= self._now():
                self._resume(task, None)

    @property
    def wake_at(self) -> float | None:
        """When the next procedure goes on by itself."""
        waits = [task.waits for task in self._running.values()]
        return min((wait.time for wait in waits if isinstance(wait, Until)), default=None)

    def _waiting(self, asked: Asked) -> _Task | None:
        task = self._running.get(asked.kind)
        return task if task is not None and task.waits is asked else None

    def _resume(self, task: _Task, value: object) -> None:
        """Do the steps of a procedure until it waits for something that is not there yet."""
        task.waits = None
        wait = self._next_wait(task, value)
        while isinstance(wait, Ended) and wait.kind not in self._running:
            wait = self._next_wait(task, None)
        if wait is None:
            if self._running.get(task.kind) is task:
                del self._running[task.kind]
                self._go_on_after(task.kind)
        elif self._running.get(task.kind) is not task:
            # It was ended by its own step.
            task.steps.close()
        elif isinstance(wait, Until | Ended | RowsKnown):
            task.waits = wait
        else:
            task.waits = Asked(wait, task.kind, task.urgent)
            self._out.append(task.waits)

    def _next_wait(self, task: _Task, value: object) -> Wait | None:
        """What the procedure waits for next; None at its end."""
        try:
            if isinstance(value, InboxError):
                return task.steps.throw(value)
            return task.steps.send(value)
        except StopIteration:
            return None
        except BaseException:
            self._running.pop(task.kind, None)
            raise

    def _go_on_after(self, kind: Kind) -> None:
        """Go on with what waits for the end of the procedure of a kind."""
        for task in [*self._running.values()]:
            if task.waits == Ended(kind) and kind not in self._running:
                self._resume(task, None)
