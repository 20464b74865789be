"""Log of the service: warnings and errors as lines of JSON on standard error."""

import json
import logging

from frontdesk.wire.values import timestamp

# Attribute of a log record: further members of its line.
MEMBERS = "members"


class JsonFormatter(logging.Formatter):
    """Formats a record as one line: time, level, message, members of the record, and a trace.

    plain: gives the text; what follows its first line is the trace.
    """

    def __init__(self, plain: logging.Formatter) -> None:
        super().__init__()
        self._plain = plain

    def format(self, record: logging.LogRecord) -> str:
        message, *trace = self._plain.format(record).split("\n")
        line: dict[str, object] = {
            "time": timestamp(int(record.created * 1000)),
            "level": record.levelname.lower(),
            "message": message,
        }
        members = getattr(record, MEMBERS, {})
        line |= {name: value for name, value in members.items() if value is not None}
        return json.dumps(line | ({"trace": trace} if trace else {}))


def log_as_json() -> None:
    """Write what this process logs, and no handler takes, as lines of JSON."""
    handler = logging.lastResort
    if handler is not None and not isinstance(handler.formatter, JsonFormatter):
        handler.setFormatter(JsonFormatter(handler.formatter or logging.Formatter()))
