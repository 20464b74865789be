"""What is made of a value that another server writes otherwise."""

from collections.abc import Callable
from typing import Any

import pytest

from frontdesk.client import member_values as values
from frontdesk.client.other_rows import read_row
from frontdesk.wire import Contact, Conversation, Wire
from frontdesk.wire.reports import Metrics


@pytest.mark.parametrize(
    ("read", "given", "expected"),
    [
        (values.identifier, "a", "a"),
        (values.identifier, 7, 7),
        (values.strings, ["a", {"title": "b"}, {"id": 8}, None], ["a", "b", 8]),
        (values.strings, {"data": ["a"]}, ["a"]),
        (values.strings, [{"label": {"name": "a"}}], ["a"]),
        (values.labels, " a, ,b ", ["a", "b"]),
        (values.labels, [{"title": "a"}], ["a"]),
        (values.phone, "whatsapp:+44 (7700) 900-123", "+447700900123"),
        (values.phone, 447700900123, "+447700900123"),
        (values.phone, "anonymous", "anonymous"),
        (values.color, "FF00aa", "#ff00aa"),
        (values.color, "#f0A", "#ff00aa"),
        *((values.direction, word, "inbound") for word in ("IN", "incoming", "received", 0)),
        *((values.direction, word, "outbound") for word in ("out", "Outgoing", "sent", 1, 3)),
        (values.author, "Agent", "user"),
        (values.author, "USER", "user"),
        (values.author, "Robot", "Robot"),
        (values.author, {"role": "customer", "name": "x"}, "contact"),
        (values.author, {"name": "x"}, None),
        (values.status, "OPEN", "open"),
        (values.status, "Parked", "Parked"),
        (values.delivery, "READ", "read"),
        (values.kind, "image", "image"),
        (values.words, "a", "a"),
        (values.words, {"body": "a"}, "a"),
        (values.words, {"kind": "list"}, None),
        (values.custom_fields, {"a": 1}, {"a": 1}),
        (
            values.custom_fields,
            [{"key": "a", "value": 1}, {"name": "b"}, {"value": 2}, {"id": 7, "value": None}],
            {"a": 1, "b": None, "7": None},
        ),
        (values.components, "Hello", [{"type": "BODY", "text": "Hello"}]),
        (values.language, {"code": "en_US"}, "en_US"),
    ],
)
def test_a_value_of_another_server_is_in_the_form_of_ours(
    read: Callable[[Any], Any], given: Any, expected: Any
) -> None:
    assert read(given) == expected


@pytest.mark.parametrize(
    ("read", "given"),
    [
        (values.identifier, ""),
        (values.identifier, 1.5),
        (values.strings, {"a": 1}),
        (values.color, "red"),
        (values.color, 7),
        *((values.direction, word) for word in ("up", 2, 4, -1, True, False, None)),
        (values.delivery, 2),
        (values.kind, "incoming"),
        (values.kind, 1),
    ],
)
def test_a_value_that_says_nothing_is_refused(read: Callable[[Any], Any], given: Any) -> None:
    with pytest.raises(ValueError, match="no "):
        read(given)


@pytest.mark.parametrize(
    ("model", "name", "given", "expected"),
    [
        (Contact, "id", 7, "7"),
        (Contact, "email", 7, "7"),
        (Contact, "email", True, None),
        (Contact, "blocked", "true", True),
        (Contact, "blocked", 1, True),
        (Contact, "blocked", "maybe", False),
        (Metrics, "avg_reply_time", "2.5", 2.5),
        (Metrics, "avg_reply_time", "nan", None),
        (Metrics, "resolutions_count", "7", 7),
        (Metrics, "resolutions_count", "many", 0),
        (Conversation, "labels", ["a", 7], ("a", "7")),
        (Conversation, "assignee", {"id": None}, None),
    ],
)
def test_numbers_texts_and_truth_values_stand_for_each_other(
    model: type[Wire], name: str, given: Any, expected: Any
) -> None:
    (row,) = read_row({"id": 1, "reopened_count": 2, name: given}, model, lambda remark: None)
    assert getattr(row, name) == expected
