"""JSON access log: one object per response and line, without keys, phone numbers or queries."""

import json
import logging
from typing import TextIO

from frontdesk.service.http import Response
from frontdesk.service.visits import Visit
from frontdesk.wire import timestamp

_log = logging.getLogger("frontdesk.service")


class AccessLog:
    """Writes whole lines to `stream`, so that several processes can append to one file.

    A failing stream never fails a request: the first failure and the recovery are logged.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._missing = 0

    def note(self, visit: Visit, response: Response, *, seconds: float, sent: int) -> None:
        """Log a response. seconds: time to the end of the response; sent: body bytes."""
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
