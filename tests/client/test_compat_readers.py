"""What each reader of other servers' members makes of a value."""

from typing import Any

import pytest

from frontdesk.client.compat import values
from frontdesk.client.compat.envelopes import ABSENT
from frontdesk.client.compat.values import Reader


@pytest.mark.parametrize(
    ("reader", "given", "read"),
    [
        (values.text, "a", "a"),
        (values.text, 7, "7"),
        (values.text, 2.5, "2.5"),
        (values.text, 10**18 - 1, "9" * 18),
        (values.text, 10**18, "1e+18"),
        (values.text, True, ABSENT),
        (values.text, None, ABSENT),
        (values.identifier, "a", "a"),
        (values.identifier, "", ABSENT),
        (values.identifier, 7, "7"),
        (values.identifier, 10**80 - 1, "9" * 80),
        (values.identifier, 10**80, ABSENT),
        (values.identifier, True, ABSENT),
        (values.identifier, {"id": 7}, "7"),
        (values.flag, "True", True),
        (values.flag, "false", False),
        (values.flag, "1", True),
        (values.flag, "0", False),
        (values.flag, "maybe", ABSENT),
        (values.flag, 2, True),
        (values.flag, 0, False),
        (values.flag, False, False),
        (values.flag, 1.0, ABSENT),
        (values.whole, 7.9, 7),
        (values.whole, "7.9", 7),
        (values.whole, "many", ABSENT),
        (values.decimal, "2.5", 2.5),
        (values.decimal, 10**18 - 1, 10**18 - 1),
        (values.decimal, 10**18, ABSENT),
        (values.decimal, -(10**18), ABSENT),
        (values.decimal, "nan", ABSENT),
        (values.decimal, True, ABSENT),
        (values.decimal, None, ABSENT),
        (values.strings, ["a", 7, {"title": "b"}, {"id": 8}, None], ["a", "7", "b", "8"]),
        (values.strings, {"a": True, "b": False}, ["a"]),
        (values.strings, {"a": True, "b": 1}, ABSENT),
        (values.strings, {}, ABSENT),
        (values.strings, {"data": ["a"]}, ["a"]),
        (values.strings, [{"label": {"name": "a"}}], ["a"]),
        (values.labels, " a, ,b ", ["a", "b"]),
        (values.labels, [{"title": "a"}], ["a"]),
        (values.phone, "whatsapp:+44 (7700) 900-123", "+447700900123"),
        (values.phone, 447700900123, "+447700900123"),
        (values.phone, "anonymous", "anonymous"),
        (values.phone, "", ABSENT),
        (values.phone, None, ABSENT),
        (values.color, "FF00aa", "#ff00aa"),
        (values.color, "#f0A", "#ff00aa"),
        (values.color, "red", ABSENT),
        (values.color, 7, ABSENT),
        *((values.direction, given, "inbound") for given in ("IN", "incoming", "received", 0)),
        *((values.direction, given, "outbound") for given in ("out", "Outgoing", "sent", 1, 3)),
        *((values.direction, given, ABSENT) for given in ("up", 2, 4, -1, True, False, None)),
        (values.author, "Agent", "user"),
        (values.author, "USER", "user"),
        (values.author, "Robot", "Robot"),
        (values.author, {"role": "customer", "name": "x"}, "contact"),
        (values.author, {"name": "x"}, ABSENT),
        (values.author, "", ABSENT),
        (values.status, "OPEN", "open"),
        (values.status, "Parked", "Parked"),
        (values.status, 7, "7"),
        (values.delivery, "READ", "read"),
        (values.delivery, "", ABSENT),
        (values.delivery, True, ABSENT),
        *(
            (values.delivery, level, word)
            for level, word in enumerate(
                ("failed", "pending", "sent", "delivered", "read", "played", ABSENT), start=-1
            )
        ),
        (values.kind, "image", "image"),
        (values.kind, "incoming", ABSENT),
        (values.kind, "", ABSENT),
        (values.kind, 1, ABSENT),
        (values.words, "a", "a"),
        (values.words, {"body": "a"}, "a"),
        (values.words, {"kind": "list", "body": "a"}, ABSENT),
        (values.words, [{"text": "a"}, "b", {"text": "c"}, {"text": 7}], "a\nc"),
        (values.words, [], ABSENT),
        (values.words, 7, ABSENT),
        (values.custom_fields, {"a": 1}, {"a": 1}),
        (
            values.custom_fields,
            [{"key": "a", "value": 1}, {"name": "b"}, {"value": 2}, {"id": 7, "value": None}],
            {"a": 1, "b": None, "7": None},
        ),
        (values.custom_fields, "a", ABSENT),
        (values.components, "Hello", [{"type": "BODY", "text": "Hello"}]),
        (values.components, [{"type": "BODY"}, "b"], [{"type": "BODY"}]),
        (values.components, None, ABSENT),
        (values.mapping, {}, {}),
        (values.mapping, [], ABSENT),
        (values.time, {"seconds": 1_773_446_400}, "2026-03-14T00:00:00.000Z"),
        (values.time, {"seconds": None}, ABSENT),
    ],
)
def test_a_value_of_another_server_is_read_or_absent(reader: Reader, given: Any, read: Any) -> None:
    found = reader(given)
    assert (type(found), found) == (type(read), read)
