"""Rows as lines of an export, and what a line may say to become a row again."""

from typing import Any

import pytest

from frontdesk.ingest.apply.context import ApplyResult, BatchCounts, Tally
from frontdesk.ingest.archive import restore
from frontdesk.ingest.archive.row_codec import line_of, row_of
from frontdesk.ingest.json_reader import Malformed
from frontdesk.store import dump
from frontdesk.store.database import Database, Row
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


ACCOUNT_LINE: dict[str, Any] = {
    "name": "Shop",
    "timezone": "Europe/Madrid",
    "created_at": SHOWN,
    "last_ids": {"message": 7, "contact": 0},
}


def begun(database: Database, **members: Any) -> bool:
    line = {**ACCOUNT_LINE, **members}
    return database.write(lambda connection: restore.begin(connection, 1, line))


def account(database: Database) -> Row:
    (row,) = database.read(lambda connection: dump.accounts(connection))
    return row


def test_an_empty_account_takes_the_settings_and_the_last_ids_of_an_export(
    database: Database,
) -> None:
    before = account(database)["revision"]
    assert begun(database, messages_keep_days=30, disabled=True)
    row = account(database)
    assert (row["name"], row["timezone"], row["created_at"]) == ("Shop", "Europe/Madrid", AT)
    assert (row["disabled"], row["messages_keep_days"], row["business_hours_json"]) == (1, 30, None)
    assert row["revision"] > before
    assert database.read(lambda c: dump.last_ids(c, 1)) == ACCOUNT_LINE["last_ids"]
    assert not begun(database)


@pytest.mark.parametrize("last_ids", [None, [], "x"])
def test_a_line_without_last_ids_is_none_of_a_full_copy(
    database: Database, last_ids: object
) -> None:
    assert not begun(database, last_ids=last_ids)
    assert account(database)["name"] != "Shop"


@pytest.mark.parametrize("disabled", [False, None, 1, "true"])
def test_an_account_is_disabled_if_its_line_says_so_exactly(
    database: Database, disabled: object
) -> None:
    assert begun(database, disabled=disabled)
    assert account(database)["disabled"] == 0


@pytest.mark.parametrize(
    ("members", "mistake"),
    [
        *(
            ({"messages_keep_days": days}, "messages_keep_days is not a number of days up to 36500")
            for days in (0, -1, 36_501, "30", True, 1.5)
        ),
        ({"name": None}, "the account has no name or no timezone"),
        ({"timezone": 7}, "the account has no name or no timezone"),
        ({"created_at": 7}, "is not a time such as"),
        ({"business_hours": 7}, "business_hours is not an object"),
        ({"business_hours": {"monday": 1}}, r"business_hours\."),
        *(
            ({"last_ids": last_ids}, "last_ids is not an object of whole numbers")
            for last_ids in ({"message": -1}, {"message": 2**62}, {"message": "5"}, {"odd": 5})
        ),
    ],
)
def test_a_line_of_an_account_that_cannot_be_read_is_refused(
    database: Database, members: dict[str, Any], mistake: str
) -> None:
    with pytest.raises(Malformed, match=mistake):
        begun(database, **members)
    assert account(database)["name"] != "Shop"


@pytest.mark.parametrize(
    "members",
    [
        {"messages_keep_days": 1},
        {"messages_keep_days": 36_500},
        {"last_ids": {"message": 2**62 - 1}},
        {"last_ids": {}},
    ],
)
def test_values_at_their_limits_are_taken(database: Database, members: dict[str, Any]) -> None:
    assert begun(database, **members)
    assert account(database)["messages_keep_days"] == members.get("messages_keep_days")
