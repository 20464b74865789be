"""Rows as lines of an export, and what a line may say to become a row again."""

from typing import Any

import pytest

from frontdesk.ingest.apply.context import ApplyResult, BatchCounts, Tally
from frontdesk.ingest.archive import restore
from frontdesk.ingest.archive.row_codec import line_of, row_of
from frontdesk.ingest.json_reader import Malformed
from frontdesk.store.dump import columns, unstorable_column

AT, SHOWN = 1_773_480_413_007, "2026-03-14T09:26:53.007Z"
MESSAGE: dict[str, Any] = {
    **dict.fromkeys(columns("message")),
    "account_id": 1,
    "conversation_id": 7,
    "id": 5,
    "created_at": AT,
    "direction": 1,
    "author": "user",
    "type": "text",
    "channel_id": 2,
    "source": "archive",
    "richness": 2,
    "live": 0,
}
LABEL: dict[str, Any] = {
    **dict.fromkeys(columns("label")),
    "account_id": 1,
    "id": 3,
    "title": "vip",
    "title_key": "vip",
    "color": "#ff0000",
    "created_at": AT,
    "updated_at": AT,
}


def test_a_row_is_a_line_with_the_members_of_the_interface() -> None:
    assert line_of("label", LABEL) == {
        "kind": "label",
        "v": 1,
        "id": "3",
        "title": "vip",
        "description": None,
        "color": "#ff0000",
        "created_at": SHOWN,
        "updated_at": SHOWN,
        "stored": {"title_key": "vip", "times_json": None},
    }


def test_an_object_of_nulls_is_null() -> None:
    line = line_of("message", {**MESSAGE, "billable": 0, "read_at": AT}, more=1)
    assert (line["pricing"]["billable"], line["delivery"]["read_at"]) == (False, SHOWN)
    assert line["delivery"]["sent_at"] is None
    assert (line["author_ref"], line["reply_to"], line["more"]) == (None, None, 1)


@pytest.mark.parametrize("row", [MESSAGE, {**MESSAGE, "billable": 1, "sent_at": 0, "wamid": "w"}])
def test_a_line_is_read_as_the_row_of_another_account(row: dict[str, Any]) -> None:
    assert row_of("message", line_of("message", row), 9) == {**row, "account_id": 9}


def changed(**members: Any) -> dict[str, Any]:
    return {**line_of("message", {**MESSAGE, "read_at": AT, "billable": 1}), **members}


@pytest.mark.parametrize(
    ("members", "mistake"),
    [
        ({"stored": 1}, "stored is not an object"),
        ({"id": 5}, "id is not an id in digits"),
        ({"id": "١"}, "id is not an id in digits"),
        ({"id": "9" * 19}, "id is not an id in digits"),
        ({"id": None}, "id has a value that cannot be stored"),
        ({"direction": "up"}, "direction is not one of inbound, outbound"),
        ({"created_at": "soon"}, "created_at is not a time such as"),
        ({"text": 7}, "text has a value that cannot be stored"),
        ({"content": []}, "content is not an object"),
        ({"pricing": {"billable": 1}}, "pricing.billable is not true or false"),
        ({"delivery": {"read_at": 7}}, "delivery.read_at is not a time such as"),
        ({"stored": {"live": True}}, "stored.live has a value that cannot be stored"),
    ],
)
def test_a_member_that_cannot_be_stored_is_named(members: dict[str, Any], mistake: str) -> None:
    stored = members.get("stored", {})
    if isinstance(stored, dict):
        members = {**members, "stored": {"channel_id": 2, "richness": 2, "live": 0, **stored}}
    with pytest.raises(Malformed) as refused:
        row_of("message", changed(**members), 1)
    assert str(refused.value).startswith(mistake)


def test_an_id_has_up_to_eighteen_digits() -> None:
    assert row_of("message", changed(id="9" * 18), 1)["id"] == 10**18 - 1


@pytest.mark.parametrize("text", ["[]", "{", "7", "[" * 100_000])
def test_json_that_is_stored_as_text_is_an_object(text: str) -> None:
    line = line_of("label", LABEL)
    with pytest.raises(Malformed, match=r"^stored\.times_json is not"):
        row_of("label", {**line, "stored": {**line["stored"], "times_json": text}}, 1)


@pytest.mark.parametrize(
    ("column", "value", "fits"),
    [
        ("id", 2**63 - 1, True),
        ("id", 2**63, False),
        ("id", 1 - 2**63, True),
        ("direction", 2**15 - 1, True),
        ("direction", 2**15, False),
        ("direction", True, False),
        ("direction", "1", False),
        ("direction", None, False),
        ("text", None, True),
        ("text", 1, False),
        ("unheard_of", 1, False),
    ],
)
def test_a_value_fits_its_column_or_is_named(column: str, value: object, fits: bool) -> None:
    row = {**MESSAGE, column: value}
    assert unstorable_column("message", row) == (None if fits else column)


@pytest.mark.parametrize(
    ("members", "is_copy"),
    [
        ({"kind": "label", "stored": {}}, True),
        ({"kind": "label"}, False),
        ({"kind": "unheard_of", "stored": {}}, False),
        ({"stored": {}}, False),
    ],
)
def test_a_copy_of_a_row_has_what_is_stored_with_it(members: dict[str, Any], is_copy: bool) -> None:
    assert restore.is_copy(members) == is_copy


def test_a_price_of_an_older_export_is_as_old_as_its_message() -> None:
    for category, priced_at, expected in (
        ("utility", None, AT),
        ("utility", 5, 5),
        (None, None, None),
    ):
        line = line_of("message", {**MESSAGE, "category": category, "priced_at": priced_at})
        assert restore.row(line, 1)["priced_at"] == expected


def test_tallies_are_added_up() -> None:
    first = ApplyResult(messages=Tally(1, 2, 3), ignored=1)
    second = ApplyResult(messages=Tally(10, 20, 30), notes=Tally(known=1), ignored=2)
    assert first + second == ApplyResult(
        messages=Tally(11, 22, 33), notes=Tally(known=1), ignored=3
    )


def test_what_is_known_already_is_no_change() -> None:
    counts = BatchCounts()
    counts.add("messages", "known")
    counts.ignore()
    assert not counts.changed
    counts.add("contacts", "new")
    counts.discount("contacts")
    counts.add("messages", "changed")
    assert counts.changed
    counts.add("messages", "known")
    assert counts.changed
    assert counts.result() == ApplyResult(messages=Tally(0, 1, 2), ignored=1)
