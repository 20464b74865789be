"""Archives are read line by line, whatever their lines contain."""

import gzip
import io
import json
from typing import Any

import pytest

from frontdesk.ingest.archive import native_lines, reader
from frontdesk.ingest.archive.reader import (
    ArchiveLine,
    NativeLine,
    NotAnArchive,
    RejectedLine,
    check,
    foreign_format,
    read,
)
from frontdesk.ingest.events import MessageUpsert
from frontdesk.ingest.json_reader import Malformed

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


def lines(contents: bytes, **reading: Any) -> list[ArchiveLine | NativeLine | RejectedLine]:
    return list(read(io.BufferedReader(io.BytesIO(contents)), **reading))


def said(line: ArchiveLine | NativeLine | RejectedLine) -> MessageUpsert:
    assert isinstance(line, ArchiveLine)
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


def test_blank_lines_are_passed_over_but_counted() -> None:
    assert [line.number for line in lines(b"\n" + GOOD + b"\r\n \t\n" + GOOD + b"\n")] == [2, 4]


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert isinstance(lines(b"\xef\xbb\xbf" + GOOD)[0], ArchiveLine)


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
def test_an_unreadable_line_is_rejected_with_its_reason(written: bytes, reason: str) -> None:
    rejected, good = lines(written + b"\n" + GOOD)
    assert isinstance(rejected, RejectedLine)
    assert rejected.number == 1
    assert rejected.reason.startswith(reason)
    assert isinstance(good, ArchiveLine)


def test_a_line_too_long_to_hold_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LINE_LIMIT", len(GOOD))
    good, rejected, last = lines(GOOD + b"\n" + b"x" * 3 * len(GOOD) + b"\n" + GOOD)
    assert isinstance(good, ArchiveLine)
    assert isinstance(last, ArchiveLine)
    assert rejected.number == 2
    assert isinstance(rejected, RejectedLine)
    assert rejected.reason.startswith("it is longer than")


def test_halves_of_characters_and_nul_become_replacements() -> None:
    assert text(b"a\\ud83dz \\u0000 \\ud83d\\ude2e") == "a\ufffdz \ufffd \U0001f62e"


def test_gzip_is_known_by_its_first_byte() -> None:
    assert len(lines(gzip.compress(GOOD + b"\n") + gzip.compress(GOOD))) == 2


def test_gzip_that_ends_early_gives_what_was_there() -> None:
    packed = gzip.compress(b"".join(b"%d\n" % number for number in range(50_000)))
    found = lines(packed[: len(packed) // 2])
    assert len(found) > 10_000
    assert found[-1] == RejectedLine(
        len(found), "the gzip data ends early, nothing more can be read"
    )


def test_damaged_gzip_is_reported() -> None:
    packed = bytearray(gzip.compress(GOOD + b"\n"))
    packed[len(packed) // 2] ^= 0xFF
    last = lines(bytes(packed))[-1]
    assert isinstance(last, RejectedLine)


def test_an_empty_archive_has_no_lines() -> None:
    assert lines(b"") == []


def test_blank_lines_are_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "BLANK_LIMIT", 5_000)
    few, many = b"\n" * 4_000, b" \n" * 4_000
    assert [type(one) for one in lines(few + GOOD + b"\n" + few + GOOD)] == [
        ArchiveLine,
        ArchiveLine,
    ]
    good, bound = lines(GOOD + b"\n" + many + GOOD)
    assert said(good).text == "Hello"
    assert isinstance(bound, RejectedLine)
    assert bound.reason.endswith("of blank lines, nothing more is read")


NATIVE = {"kind": "channel", "id": "101", "display_phone_number": "+1 555 078 3881"}
SENT = {
    "kind": "cloud_api_send",
    "at": "2026-03-14T09:00:00Z",
    "phone_number_id": "101",
    "request": {"to": "16505551234", "type": "text", "text": {"body": "Hello"}},
    "response": {"messages": [{"id": "wamid.1"}]},
}


@pytest.mark.parametrize("id", ["sales", "10a", "١٢٣", "1" * 21, "9" * 200, "-1", "1.0", " 1"])
def test_an_id_of_a_channel_has_digits_and_not_too_many(id: str) -> None:
    webhook = GOOD.replace(b"106540352242922", id.encode())
    (one,) = lines(webhook)
    assert isinstance(one, RejectedLine)
    assert "is no phone_number_id, which has 1 to 20 digits" in one.reason
    with pytest.raises(Malformed, match="is no phone_number_id"):
        native_lines.convert({**NATIVE, "id": id}, 0)
    with pytest.raises(Malformed, match="is no phone_number_id"):
        native_lines.convert({"kind": "note", "channel": id, "created_at": 0}, 0)
    (sent,) = lines(json.dumps({**SENT, "phone_number_id": id}).encode())
    assert isinstance(sent, RejectedLine)
    assert "is no phone_number_id" in sent.reason


def test_a_display_number_is_not_longer_than_numbers_are_written() -> None:
    long = "1" * 5_000
    (one,) = lines(GOOD.replace(b"15550783881", long.encode()))
    assert isinstance(one, RejectedLine)
    assert "display_phone_number has more than 40 characters" in one.reason
    with pytest.raises(Malformed, match="display_phone_number has more than 40 characters"):
        native_lines.convert({**NATIVE, "display_phone_number": long}, 0)
    assert native_lines.convert(NATIVE, 0)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"PK\x03\x04...", "a zip archive"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"BZh9", "bzip2"),
        (b"\xfd7zXZ\0", "xz"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"%PDF-1.4", "a PDF"),
        (b"\x89PNG\r\n", "a picture"),
        (b"\xff\xd8\xff\xe0", "a picture"),
        (b"GIF89a", "a picture"),
        ('{"a": 1}\n'.encode("utf-16"), "UTF-16"),
        ('{"a": 1}\n'.encode("utf-16-le"), "UTF-16"),
        ('{"a": 1}\n'.encode("utf-16-be"), "UTF-16"),
        (("x" + "退款" * 5).encode("utf-16"), "UTF-16"),
        (bytes(range(16)), "binary data"),
        (b" \n<html>", "HTML or XML"),
        (b"\xef\xbb\xbf<?xml", "HTML or XML"),
    ],
)
def test_another_format_is_named(head: bytes, words: str) -> None:
    sentence = foreign_format(head)
    assert sentence is not None
    assert words in sentence
    stream = io.BufferedReader(io.BytesIO(head))
    with pytest.raises(NotAnArchive, match=words):
        check(stream)
    with pytest.raises(NotAnArchive, match=words):
        list(read(stream))
    with pytest.raises(NotAnArchive, match=words):
        check(io.BufferedReader(io.BytesIO(gzip.compress(head))))


@pytest.mark.parametrize(
    "head",
    [
        b"",
        GOOD,
        b"\xef\xbb\xbf{",
        b'\0\0\0\0\0\0\n{"a": 1}',
        b'{"a": "\0"}' + b"x" * 40,
        b"\xff\xfe no text",
        b"PK",
        b"\x1f\x8b",
    ],
)
def test_what_may_be_an_archive_is_not_named(head: bytes) -> None:
    assert foreign_format(head) is None


def test_a_check_reads_nothing_and_leaves_damage_to_the_import() -> None:
    stream = io.BufferedReader(io.BytesIO(GOOD))
    check(stream)
    assert stream.read() == GOOD
    check(io.BufferedReader(io.BytesIO(gzip.compress(GOOD)[:12])))


def test_lines_of_an_earlier_import_are_passed_over() -> None:
    archive = b"\n".join([GOOD] * 4)
    assert [line.number for line in lines(archive, after=2)] == [3, 4]
    assert lines(archive, after=4) == []


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("blank", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_an_array_has_a_value_for_each_element(indent: int | None, blank: bytes) -> None:
    array = json.dumps([BODY, BODY, {"kind": "label"}], indent=indent).encode()
    found = lines(blank + array)
    kinds = [ArchiveLine, ArchiveLine, NativeLine]
    assert [(line.number, type(line)) for line in found] == list(enumerate(kinds, start=1))
    assert [line.number for line in lines(blank + array, after=2)] == [3]


def test_objects_over_several_lines_are_counted_and_named_by_both() -> None:
    archive = json.dumps(BODY, indent=2) + "\n" + json.dumps({"a": 1}, indent=2)
    first, second = lines(archive.encode())
    assert isinstance(first, ArchiveLine)
    assert isinstance(second, RejectedLine)
    start = json.dumps(BODY, indent=2).count("\n") + 2
    assert (second.number, second.line_number) == (2, start)
    assert second.place == f"value 2, in line {start}"


def test_a_rejected_line_is_named_by_its_number() -> None:
    _, rejected = lines(GOOD + b'\n{"a": 1}')
    assert isinstance(rejected, RejectedLine)
    assert (rejected.place, rejected.line_number, rejected.line) == ("line 2", 2, None)
    assert rejected.text == b'{"a": 1}'


def test_a_line_that_was_cut_off_is_followed_by_others() -> None:
    rejected, good = lines(GOOD[:-5] + b"\n" + GOOD)
    assert isinstance(rejected, RejectedLine)
    assert isinstance(good, ArchiveLine)
    assert [line.number for line in lines(b'{"a": [\n')] == [1]


def test_of_a_line_with_an_unreadable_element_the_others_are_read() -> None:
    broken = {**VALUE["messages"][0], "timestamp": "soon"}  # type: ignore[index]
    messages = [broken, *VALUE["messages"]]
    change = {"field": "messages", "value": {**VALUE, "messages": messages}}
    body = {**BODY, "entry": [{"id": "1", "changes": [change]}]}
    (line,) = lines(json.dumps(body).encode())
    assert said(line).wamid == "wamid.1"
    assert isinstance(line, ArchiveLine)
    assert line.rejected is not None
    assert (line.rejected.partly, line.rejected.number) == (True, 1)
    assert line.rejected.text == json.dumps(body).encode()


def test_a_line_may_have_eight_mebibytes() -> None:
    limit = 8 * 1024 * 1024
    longest = b'{"kind": "x", "a": "' + b"x" * (limit - 22) + b'"}'
    assert len(longest) == limit
    good, last = lines(longest + b"\n" + GOOD)
    assert isinstance(good, NativeLine)
    assert isinstance(last, ArchiveLine)
    rejected, last = lines(b" " + longest + b"\n" + GOOD)
    assert isinstance(rejected, RejectedLine)
    assert (rejected.reason, rejected.text) == ("it is longer than 8 MiB", None)
    assert isinstance(last, ArchiveLine)


def test_blank_lines_count_up_to_the_last_byte_of_the_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reader, "BLANK_LIMIT", 1024 * 1024)
    blank = (b" " * (2**19 - 1) + b"\n") * 2
    (good,) = lines(blank + GOOD)
    assert (good.number, said(good).text) == (3, "Hello")
    (bound,) = lines(blank + b"\n" + GOOD)
    assert bound == RejectedLine(3, "1 MiB of blank lines, nothing more is read")


@pytest.mark.parametrize(("count", "is_recognised"), [(999, True), (1000, False)])
def test_the_layout_is_that_of_the_first_value_among_a_thousand_lines(
    count: int, is_recognised: bool
) -> None:
    found = lines(b"\n" * count + json.dumps(BODY, indent=1).encode())
    assert isinstance(found[0], ArchiveLine) == is_recognised
