"""Errors of the service as lines of JSON."""

import json
import logging
from datetime import UTC, datetime

import pytest
from tests.service.test_endpoint import Failing

from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import create_app
from frontdesk.service.error_log import MEMBERS, JsonFormatter

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def line_of(record: logging.LogRecord) -> dict[str, object]:
    text = JsonFormatter(logging.Formatter()).format(record)
    assert "\n" not in text
    line: dict[str, object] = json.loads(text)
    return line


def test_a_record_is_one_line_with_its_time_and_its_trace() -> None:
    words = "Worker %d ended\nZeroDivisionError\n  a.py"
    record = logging.LogRecord("frontdesk", logging.WARNING, "", 0, words, (7,), None)
    line = line_of(record)
    at = datetime.fromisoformat(str(line.pop("time")))
    assert abs(at - datetime.fromtimestamp(record.created, UTC)).total_seconds() < 0.01
    assert line == {
        "level": "warning",
        "message": "Worker 7 ended",
        "trace": ["ZeroDivisionError", "  a.py"],
    }


def test_members_of_a_record_are_members_of_its_line() -> None:
    record = logging.makeLogRecord({"msg": "failed", MEMBERS: {"code": "x", "trace_id": None}})
    line = line_of(record)
    assert (line["code"], "trace_id" in line) == ("x", False)


@pytest.mark.parametrize(
    ("parent", "expected"),
    [
        (f"00-{TRACE}-00f067aa0ba902b7-01", TRACE),
        (f"cc-{TRACE}-00f067aa0ba902b7-01-more", TRACE),
        (f"00-{TRACE}-0000000000000000-01", None),
        (f"00-{'0' * 32}-00f067aa0ba902b7-01", None),
        (f"ff-{TRACE}-00f067aa0ba902b7-01", None),
        (f"00-{TRACE.upper()}-00f067aa0ba902b7-01", None),
        ("nonsense", None),
    ],
)
async def test_an_error_names_its_request_and_the_trace_that_it_belongs_to(
    clients, caplog, parent, expected
) -> None:
    key, guest = new_ephemeral_key(1)
    app = create_app(Failing(ZeroDivisionError("a secret")), ephemeral_keys=[guest])
    client = await clients.client_of(app, key)
    headers = {"X-Request-Id": "abc-1", "traceparent": parent}
    await client.get("/v1/labels", headers=headers)
    (record,) = caplog.records
    line = line_of(record)
    assert (line["request_id"], line.get("trace_id")) == ("abc-1", expected)
    assert (line["method"], line["route"], line["code"]) == ("GET", "/v1/labels", "internal_error")
    assert "ZeroDivisionError" in str(line["trace"])
    assert "secret" not in str(line)
