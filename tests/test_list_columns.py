"""Columns of lists, and the formats that rows are written in."""

import io
import json
from datetime import UTC, timedelta
from typing import Any

import pytest

from frontdesk.exports.tables import (
    CHANNELS,
    CONTACTS,
    CONVERSATIONS,
    LABELS,
    TEAMS,
    TEMPLATES,
    Cell,
    Column,
    Csv,
    JsonArray,
    JsonLines,
    Markdown,
    cell_text,
    csv_text,
    customer_name,
    json_text,
    local_time,
    markdown_table,
    nested_json,
    wait_words,
)
from frontdesk.wire import Channel, Contact, Conversation, Label, Team, Template
from frontdesk.wire.values import timestamp, utc_now
from tests.client import inbox_rows


def readable(cell: Cell, **kind: Any) -> str:
    column: Column[None] = Column("a", lambda row: cell, **kind)
    return column.readable(None)


@pytest.mark.parametrize(
    ("cell", "kind", "words"),
    [
        (None, {}, "-"),
        ("", {}, "-"),
        (0, {}, "0"),
        (12345, {}, "12345"),
        (True, {}, "yes"),
        (False, {}, "no"),
        # Only columns of times and numbers are read as such.
        ("2026-03-14T09:26:53.000Z", {}, "2026-03-14T09:26:53.000Z"),
        ("+442079460018", {}, "+442079460018"),
        ("whenever", {"moment": True}, "whenever"),
        ("", {"moment": True}, "-"),
        (None, {"moment": True}, "-"),
        (7, {"moment": True}, "7"),
        ("+442079460018", {"phone": True}, "+44 20 7946 0018"),
        ("Ana", {"phone": True}, "Ana"),
        ("", {"phone": True}, "-"),
        (None, {"phone": True}, "-"),
        (7, {"phone": True}, "7"),
        ("value", {"words": lambda row: "words"}, "words"),
        ("value", {"words": lambda row: ""}, "-"),
    ],
)
def test_a_cell_is_written_for_people_by_the_kind_of_its_column(
    cell: Cell, kind: dict[str, Any], words: str
) -> None:
    assert readable(cell, **kind) == words


def test_a_time_is_local_and_to_the_minute() -> None:
    assert local_time("2026-03-14T09:26:53.000Z", UTC) == "2026-03-14 09:26"
    shown = readable("2026-03-14T09:26:53.000Z", moment=True)
    assert shown == local_time("2026-03-14T09:26:53.000Z")
    assert [local_time(text, UTC) for text in ("", None, "soon")] == ["-", "-", "soon"]
    assert cell_text("2026") == "2026"


ROW = Conversation.model_validate(inbox_rows.conversation(1))
BARE = Conversation.model_validate(
    {
        "id": "9",
        "status": "open",
        "channel": {"id": "5"},
        "contact": {"id": "8", "name": " ", "phone": None},
        "last_activity_at": inbox_rows.time(0),
    }
)


def cells(columns: Any, row: Any) -> dict[str, Cell]:
    return {column.name: column.read(row) for column in columns}


def test_a_conversation_has_these_columns() -> None:
    assert cells(CONVERSATIONS, ROW) == {
        "id": "1001",
        "status": "snoozed",
        "contact": "Zoë 1",
        "contact_id": "81",
        "contact_name": "Zoë 1",
        "channel": "106540352242922",
        "channel_name": "Support EU",
        "assignee": "8",
        "assignee_name": "Bo Lind",
        "labels": "billing,vip",
        "awaiting_human": False,
        "waiting_since": inbox_rows.time(1),
        "unread_count": 1,
        "last_activity_at": inbox_rows.time(11),
        "contact_phone": "+16505551001",
        "snoozed_until": inbox_rows.time(90),
        "first_reply_at": None,
        "last_inbound_at": inbox_rows.time(1),
        "service_window_expires_at": None,
        "created_at": inbox_rows.time(0),
        "updated_at": inbox_rows.time(0),
        "last_author": "contact",
        "last_message": "Does it come in blue? 1",
    }
    bare = {name: cell for name, cell in cells(CONVERSATIONS, BARE).items() if cell}
    assert (
        bare.items()
        >= {
            **{"contact": "contact 8", "channel_name": "5", "contact_name": " "},
        }.items()
    )
    assert not {"assignee", "assignee_name", "last_author", "last_message"} & bare.keys()


@pytest.mark.parametrize(
    ("columns", "headings"),
    [
        (
            CONVERSATIONS,
            "ID STATUS CONTACT CHANNEL ASSIGNEE LABELS WAITING UNREAD ACTIVITY NUMBER LAST MESSAGE",
        ),
        (CONTACTS, "ID NAME PHONE EMAIL ACTIVITY"),
        (LABELS, "ID TITLE COLOUR DESCRIPTION"),
        (TEAMS, "ID NAME DESCRIPTION MEMBERS CHANNELS"),
        (CHANNELS, "ID NAME PHONE STATUS QUALITY LIMIT"),
        (TEMPLATES, "ID NAME LANGUAGE CATEGORY STATUS QUALITY BODY"),
    ],
)
def test_tables_have_some_of_the_columns(columns: Any, headings: str) -> None:
    assert " ".join(column.heading for column in columns if column.heading) == headings


def test_only_texts_are_cut_and_only_the_number_is_left_out_of_a_narrow_terminal() -> None:
    shown = [column for column in CONVERSATIONS if column.heading]
    assert {column.name for column in shown if column.flexible} == {
        *("contact", "channel_name", "assignee_name", "labels", "last_message"),
    }
    assert [column.name for column in shown if column.whole] == ["contact_phone"]
    assert {column.name for column in shown if column.styles} == {"status"}


def test_other_rows_have_their_members_in_cells() -> None:
    contact = Contact.model_validate(inbox_rows.contact(1))
    assert cells(CONTACTS, contact)["custom_fields"] == '{"plan":"gold","homeTown":"Bergen"}'
    team = cells(TEAMS, Team.model_validate(inbox_rows.team(1)))
    assert (team["members"], team["member_ids"]) == ("Ana Souza", "7")
    assert team["channels"] == "106540352242922"
    template = cells(TEMPLATES, Template.model_validate(inbox_rows.template(1)))
    assert template["body"] == "Your order {{1}}"
    assert json.loads(str(template["components"])) == inbox_rows.template(1)["components"]
    assert cells(CHANNELS, Channel.model_validate(inbox_rows.channel(0)))["business_hours"] is None
    assert nested_json({}) == nested_json([]) == ""


def test_the_business_hours_of_a_channel_are_one_cell() -> None:
    hours = {"timezone": "Europe/Madrid", "monday": ["09:00-13:00"]}
    channel = Channel.model_validate({**inbox_rows.channel(0), "business_hours": hours})
    written = json.loads(str(cells(CHANNELS, channel)["business_hours"]))
    assert {name: value for name, value in written.items() if value} == hours


@pytest.mark.parametrize("parts", [[], [{"type": "FOOTER", "text": "x"}], [{"type": "BODY"}]])
def test_a_template_may_have_no_body(parts: list[dict[str, str]]) -> None:
    template = Template.model_validate({**inbox_rows.template(1), "components": parts})
    assert cells(TEMPLATES, template)["body"] is None


@pytest.mark.parametrize(
    ("contact", "name"),
    [
        ({"id": "8", "name": "Ana", "phone": "+16505551001"}, "Ana"),
        ({"id": "8", "name": " ", "phone": "+16505551001"}, "+16505551001"),
        ({"id": "8"}, "contact 8"),
    ],
)
def test_a_customer_is_their_name_or_number_or_id(contact: Any, name: str) -> None:
    row = Conversation.model_validate({**inbox_rows.conversation(1), "contact": contact})
    assert customer_name(row) == name


def test_a_wait_is_as_long_as_it_lasts_now_and_never_negative() -> None:
    def waiting(since: timedelta | None, status: str = "open") -> str:
        at = since and timestamp(round((utc_now() - since).timestamp() * 1000))
        members = {**inbox_rows.conversation(1), "waiting_since": at, "status": status}
        return wait_words(Conversation.model_validate(members))

    assert waiting(timedelta(days=3, hours=4, minutes=30)) == "3d 4h"
    assert waiting(timedelta(days=-1)) == "0m"
    assert waiting(None) == ""


# Formats

COLUMNS: tuple[Column[tuple[Cell, ...]], ...] = (
    Column("name", lambda row: row[0], "NAME"),
    Column("is_new", lambda row: row[1], "NEW"),
    Column("only_in_csv", lambda row: row[2]),
)
ROWS: list[tuple[Cell, ...]] = [("a|b\nc", True, "=1+1"), ("é", False, 2.5), (None, None, None)]


def written(kind: Any, rows: list[tuple[Cell, ...]]) -> str:
    out = io.StringIO()
    writer = kind(out, COLUMNS)
    for row in rows:
        writer.add(row)
    writer.end()
    return out.getvalue()


def test_json_is_an_array_with_a_line_for_each_row() -> None:
    assert written(JsonArray, ROWS) == (
        '[\n["a|b\\nc",true,"=1+1"],\n["é",false,2.5],\n[null,null,null]\n]\n'
    )
    assert written(JsonArray, []) == "[]\n"
    assert written(JsonLines, ROWS[1:]) == '["é",false,2.5]\n[null,null,null]\n'
    assert written(JsonLines, []) == ""


def test_csv_has_all_columns_and_no_formula() -> None:
    assert written(Csv, ROWS) == (
        'name,is_new,only_in_csv\r\n"a|b\nc",true,\'=1+1\r\né,false,2.5\r\n,,\r\n'
    )
    assert csv_text([], COLUMNS) == "\ufeffname,is_new,only_in_csv\r\n"
    assert csv_text(ROWS[1:2], COLUMNS, "\n") == ("\ufeffname,is_new,only_in_csv\né,false,2.5\n")


def test_markdown_has_the_columns_with_headings_and_no_markup_of_cells() -> None:
    assert written(Markdown, ROWS) == (
        "| Name | New |\n| --- | --- |\n| a\\|b c | yes |\n| é | no |\n| - | - |\n"
    )


def test_a_table_of_figures_is_aligned_to_the_right_but_for_its_first_column() -> None:
    assert markdown_table(("A", "B", "C"), [("x*", "1", "2")]) == (
        "| A | B | C |\n| --- | ---: | ---: |\n| x\\* | 1 | 2 |"
    )


def test_json_has_what_the_server_sent_and_no_more() -> None:
    label = Label.model_validate({"id": "1", "title": "é"})
    assert json_text(label) == '{\n  "id": "1",\n  "title": "é"\n}\n'
    assert json_text([label]) == '[\n  {\n    "id": "1",\n    "title": "é"\n  }\n]\n'
