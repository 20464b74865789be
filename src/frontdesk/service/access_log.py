"""Access log in JSON, and events of the service to be counted.

The log has one object per response and line, without keys, phone numbers or queries, and
with the address of the client only if the operator asks for it.
"""

import io
import json
import logging
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple, TextIO, cast

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frontdesk.service.access_control import RequestContext, client_address
from frontdesk.system import private_files
from frontdesk.wire import timestamp

_log = logging.getLogger("frontdesk.service")


class LogTarget(NamedTuple):
    """Where a service logs. path: a file, None for standard error. addresses: log the clients'."""

    path: str | None
    addresses: bool = False


class AccessLog:
    """Writes whole lines to `stream`, so that several processes can append to one file.

    A failing stream never fails a request: the first failure and the recovery are logged.
    """

    def __init__(self, stream: TextIO, *, path: str | None = None, addresses: bool = False) -> None:
        """path: the file that `stream` is. addresses: log the address of each client."""
        self._stream = stream
        self._path = path
        self.addresses = addresses
        self._missing = 0

    @classmethod
    def open(cls, target: LogTarget) -> "AccessLog":
        """Open a log; a file is created readable by its owner only. Raises: OSError."""
        stream = sys.stderr if target.path is None else _appending(target.path)
        return cls(stream, path=target.path, addresses=target.addresses)

    def reopen(self) -> None:
        """Open the file again, which was moved to rotate it; if it cannot be, keep the old one."""
        if self._path is None:
            return
        try:
            stream = _appending(self._path)
        except OSError as error:
            _log.warning(
                "The access log %s cannot be opened again: %s. The file before is kept",
                self._path,
                error.strerror,
            )
        else:
            self.close()
            self._stream = stream

    def close(self) -> None:
        """Close the file; standard error stays open."""
        if self._path is not None:
            self._stream.close()

    def write(self, entry: dict[str, object]) -> None:
        line = json.dumps(entry) + "\n"
        try:
            # A newline first: the failed write may have left a partial line.
            self._stream.write(f"\n{line}" if self._missing else line)
            self._stream.flush()
        except OSError as error:
            if not self._missing:
                _log.warning(
                    "The access log cannot be written: %s. The service goes on without it",
                    error.strerror,
                )
            self._missing += 1
        else:
            if self._missing:
                _log.warning(
                    "The access log is written again; %d answers are missing", self._missing
                )
            self._missing = 0


def _appending(path: str) -> TextIO:
    # Unbuffered: on a full disk, a buffer would keep what it cannot write.
    file = open(path, "ab", buffering=0, opener=private_files.opener)  # noqa: SIM115
    return io.TextIOWrapper(cast(BinaryIO, file), encoding="utf-8", write_through=True)


class Telemetry:
    """Receives events and ignores them; `ServiceMetrics` in `prometheus_metrics.py` counts them."""

    def response(self, context: RequestContext, status: int, seconds: float) -> None:
        """A response was sent. seconds: since the request came, without those it was held for."""

    def read(self, mode: str) -> None:
        """The database was read: "inline" on the event loop, or in a "thread"."""

    @contextmanager
    def queued(self) -> Iterator[None]:
        """A request waits for a thread or is in one."""
        yield

    @contextmanager
    def held(self) -> Iterator[None]:
        """A request may be held until something changes."""
        yield

    def webhook(self, outcome: str) -> None:
        """A webhook body came: "stored", "duplicate", or the code of its problem."""

    def writable(self, writable: bool) -> None:
        """A webhook body was stored, or could not be."""

    def media(self, outcome: str, seconds: float) -> None:
        """A file was tried: its new state, "postponed" or "lost". seconds: how long it took."""

    def media_resting(self, reasons: Sequence[str]) -> None:
        """Numbers rest before more files are fetched, and why each."""

    def media_text(self, reader: str, outcome: str, seconds: float) -> None:
        """The words of a file were read: "read", "none", "failed", "postponed" or "lost"."""

    def media_texts_resting(self, readers: Mapping[str, bool]) -> None:
        """Which readers rest, by name."""

    def shed(self) -> None:
        """A request was refused because too many came at once."""


class ResponseObserver:
    """Middleware that logs and counts each response after its end; inside of ContextMiddleware."""

    def __init__(self, app: ASGIApp, log: AccessLog | None, telemetry: Telemetry) -> None:
        self._app = app
        self._log = log
        self._telemetry = telemetry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        context, started = RequestContext.of(scope), time.perf_counter()
        arrived_at = context.now
        status, size = 0, 0

        async def count(message: Message) -> None:
            nonlocal status, size
            status = message.get("status", status)
            size += len(message.get("body", b""))
            await send(message)

        await self._app(scope, receive, count)
        # Without a status, the client left before there was a response.
        if status:
            seconds = time.perf_counter() - started - context.held_seconds
            self._telemetry.response(context, status, seconds)
            if self._log is not None:
                # The server drops the body of a response to HEAD.
                sent = 0 if scope["method"] == "HEAD" else size
                entry = _entry(scope, arrived_at, status, round(seconds * 1000, 3), sent)
                if self._log.addresses:
                    entry["address"] = client_address(Request(scope))
                self._log.write(entry)


def _entry(
    scope: Scope, arrived_at: int, status: int, milliseconds: float, size: int
) -> dict[str, object]:
    context = RequestContext.of(scope)
    key_id = None if context.principal is None else context.principal.grant.key_id
    account_id, account = context.account or (None, None)
    return {
        "time": timestamp(arrived_at),
        "method": scope["method"],
        "route": context.route,
        "status": status,
        "code": context.problem,
        "duration_ms": milliseconds,
        **({"held_ms": round(context.held_seconds * 1000)} if context.held_seconds else {}),
        "bytes": size,
        "key_id": key_id,
        "account": account,
        "account_id": None if account_id is None else str(account_id),
        "request_id": context.id,
        **({} if context.trace_id is None else {"trace_id": context.trace_id}),
    }
