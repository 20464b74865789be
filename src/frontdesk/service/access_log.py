"""The access log: one JSON object a line for each answer, without secrets, numbers or searches."""

import json
import logging
from typing import TextIO

from frontdesk.service.exchange import Response
from frontdesk.service.visits import Visit
from frontdesk.wire import timestamp

_log = logging.getLogger("frontdesk.service")


class AccessLog:
    """Writes to `stream`, a line at a time, so that several processes may write to one file."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

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
        try:
            self._stream.write(json.dumps(line) + "\n")
            self._stream.flush()
        except OSError as error:
            # A full disk is no reason to stop answering.
            _log.warning("The access log cannot be written: %s", error)
