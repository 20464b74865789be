"""The access log: one JSON object a line for each answer, without secrets, numbers or searches."""

import json
import logging
from typing import TextIO

from frontdesk.service.exchange import Response
from frontdesk.service.visits import Visit
from frontdesk.wire import timestamp

_log = logging.getLogger("frontdesk.service")


class AccessLog:
    """Writes to `stream`, a line at a time, so that several processes may write to one file.

    Where it cannot be written, answers go on without it. That is told once, as is that it goes on.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._missing = 0

    def note(self, visit: Visit, response: Response, *, seconds: float, sent: int) -> None:
        """Tell of an answer. seconds: from the request to the end of the answer; sent: bytes."""
        caller = visit.caller
        line = {
            "time": timestamp(visit.now),
            "method": visit.request.method,
            "route": visit.route,
            "status": response.status,
            "code": visit.problem,
            "duration_ms": round(seconds * 1000, 3),
            "bytes": sent,
            "key_id": None if caller is None else caller.grant.key_id,
            "account": None if caller is None else str(caller.grant.account_id),
            "request_id": visit.id,
        }
        self._write(json.dumps(line) + "\n")

    def _write(self, line: str) -> None:
        try:
            # What was cut off before must not run into this line.
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
