"""Archives are read line by line, whatever is in them."""

import gzip
import io
import json
from typing import Any

import pytest

from frontdesk.ingest import archive
from frontdesk.ingest.archive import Line, Native, Reading, Rejected, read
from frontdesk.ingest.events import MessageUpsert

VALUE = {
    "metadata": {"display_phone_number": "15550783881", "phone_number_id": "106540352242922"},
    "messages": [
        {
            "from": "16505551234",
            "id": "wamid.1",
            "timestamp": "1740000000",
            "type": "text",
            "text": {"body": "Hello"},
        }
    ],
}
BODY = {
    "object": "whatsapp_business_account",
    "entry": [{"id": "1", "changes": [{"field": "messages", "value": VALUE}]}],
}
GOOD = json.dumps(BODY).encode()


def lines(contents: bytes, **reading: Any) -> list[Line | Native | Rejected]:
    return list(read(io.BufferedReader(io.BytesIO(contents)), Reading(**reading)))


def said(line: Line | Native | Rejected) -> MessageUpsert:
    assert isinstance(line, Line)
    message = line.events[-1]
    assert isinstance(message, MessageUpsert)
    return message


def text(body: bytes) -> str | None:
    """The text of a message whose body is written as `body` in JSON."""
    (line,) = lines(GOOD.replace(b'"Hello"', b'"' + body + b'"'))
    return said(line).text


def test_a_line_gives_its_events_as_back_fill() -> None:
    (line,) = lines(GOOD)
    assert (line.number, said(line).text, said(line).live) == (1, "Hello", False)


def test_lines_may_be_live() -> None:
    assert said(lines(GOOD, live=True)[0]).live


def test_blank_lines_are_passed_over_but_counted() -> None:
    assert [line.number for line in lines(b"\n" + GOOD + b"\r\n \t\n" + GOOD + b"\n")] == [2, 4]


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert isinstance(lines(b"\xef\xbb\xbf" + GOOD)[0], Line)


@pytest.mark.parametrize("member", ["body", "payload"])
@pytest.mark.parametrize("written", [BODY, json.dumps(BODY)], ids=["object", "string"])
def test_a_wrapped_body_is_unwrapped(member: str, written: Any) -> None:
    wrapped = {"received_at": "2026-03-14T09:26:53Z", "headers": {}, member: written}
    assert said(lines(json.dumps(wrapped).encode())[0]).wamid == "wamid.1"


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (b"\xff\xfe", "it is not UTF-8"),
        (b"[1]", "it is not a JSON object"),
        (b'"text"', "it is not a JSON object"),
        (b"{nonsense", "it is not JSON from character 2 on"),
        (b'{"a": NaN}', "it is not JSON: NaN is not a number there"),
        (b'{"a": 1e999}', "it holds a number that is too large"),
        (b'{"a": ' + b"1" * 5000 + b"}", "it holds a number that is too long"),
        (b'{"a": ' + b"[" * 200_000, "it is nested too deeply"),
        (b'{"body": "{"}', "it is not JSON from character 2 on"),
        (b'{"a": 1}', "it is not a WhatsApp webhook body"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_what_cannot_be_read_is_rejected_with_its_reason(written: bytes, reason: str) -> None:
    rejected, good = lines(written + b"\n" + GOOD)
    assert isinstance(rejected, Rejected)
    assert rejected.number == 1
    assert rejected.reason.startswith(reason)
    assert isinstance(good, Line)


def test_a_line_too_long_to_hold_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LINE_LIMIT", len(GOOD))
    good, rejected, last = lines(GOOD + b"\n" + b"x" * 3 * len(GOOD) + b"\n" + GOOD)
    assert isinstance(good, Line)
    assert isinstance(last, Line)
    assert rejected.number == 2
    assert isinstance(rejected, Rejected)
    assert rejected.reason.startswith("it is longer than")


def test_halves_of_characters_and_nul_become_replacements() -> None:
    assert text(b"a\\ud83dz \\u0000 \\ud83d\\ude2e") == "a\ufffdz \ufffd \U0001f62e"


def test_gzip_is_known_by_its_first_byte() -> None:
    assert len(lines(gzip.compress(GOOD + b"\n") + gzip.compress(GOOD))) == 2


def test_gzip_that_ends_early_gives_what_was_there() -> None:
    packed = gzip.compress(b"".join(b"%d\n" % number for number in range(50_000)))
    found = lines(packed[: len(packed) // 2])
    assert len(found) > 10_000
    assert found[-1] == Rejected(len(found), "the gzip data ends early, nothing more can be read")


def test_damaged_gzip_is_reported() -> None:
    packed = bytearray(gzip.compress(GOOD + b"\n"))
    packed[len(packed) // 2] ^= 0xFF
    last = lines(bytes(packed))[-1]
    assert isinstance(last, Rejected)


def test_an_empty_archive_has_no_lines() -> None:
    assert lines(b"") == []
