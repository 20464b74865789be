"""Exported conversations: order, authors, contents, markup."""

import json
import time
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest

from frontdesk.exports.conversations import (
    entry_text,
    escaped,
    file_name,
    markdown_lines,
    queue_text,
    remarks,
    selection_lines,
    text_lines,
    thread_text,
    threads_text,
    transcript_lines,
)
from frontdesk.text.entries import by_people, in_order
from frontdesk.wire import Conversation, Media, Message, Note, Reaction, Ref, ReplyTo


def message(id: str = "1", at: str = "2026-03-14T09:26:53.000Z", **members: object) -> Message:
    base = {"id": id, "direction": "inbound", "author": "contact", "created_at": at}
    return Message.model_validate({**base, **members})


def note(id: str, at: str, text: str = "called back") -> Note:
    return Note(id=id, text=text, author_ref=Ref(id="1", name="Ana"), created_at=at)


def test_messages_and_notes_are_one_stream_oldest_first():
    entries = [
        message("10", "2026-03-14T09:00:00.000Z"),
        message("9", "2026-03-14T09:00:00.000Z"),
        message("3", "whenever"),
        note("1", "2026-03-14T08:00:00+01:00"),
    ]
    assert [entry.id for entry in in_order(entries)] == ["1", "9", "10", "3"]


def test_an_answer_in_the_second_of_its_question_is_after_it():
    entries = [
        message("7", direction="outbound", author="api"),
        note("2", "2026-03-14T09:26:53.000Z"),
        message("11"),
        message("8"),
    ]
    assert [entry.id for entry in in_order(entries)] == ["2", "8", "11", "7"]


@pytest.mark.parametrize("name", ["contact", "user", "phone"])
def test_people_are_people(name: str):
    assert by_people(message(author=name))


@pytest.mark.parametrize("name", ["ai_agent", "api", "automation", "campaign", "system"])
def test_machines_are_not(name: str):
    assert not by_people(message(author=name))


def test_a_reply_quotes_and_buttons_are_listed():
    one = message(
        type="interactive",
        text="yes",
        reply_to=ReplyTo(text="Is it\nblue?"),
        content={"buttons": [{"title": "Call"}, {"text": "Stop"}, "odd", {}]},
    )
    assert entry_text(one) == "> Is it blue?\nyes\n[ Call ]\n[ Stop ]"


def test_remarks_name_forwarding_edits_reactions_and_delivery():
    one = message(
        direction="outbound",
        author="user",
        forwarded="many",
        delivery_status="read",
        edited_at="2026-03-14T10:00:00.000Z",
        reactions=(
            Reaction(emoji="👍", direction="inbound", author="contact", created_at="2026-03-14"),
        ),
    )
    assert remarks(one) == "forwarded many times, edited, 👍 Customer, read"
    assert remarks(one, "+16505551234") == "forwarded many times, edited, 👍 +16505551234, read"


@pytest.mark.parametrize("lines", [text_lines, markdown_lines])
def test_a_reaction_is_told_once_with_its_message(lines):
    """That of a message which is not exported, or of another emoji, has an entry of its own."""
    thumb = Reaction(emoji="👍", direction="inbound", author="contact", created_at="2026-03-14")
    shown, other = (
        message(id=id, type="reaction", content={"emoji": emoji})
        for id, emoji in (("2", "👍"), ("3", "🎉"))
    )
    told = "\n".join(lines([message(reactions=(thumb,)), shown, other]))
    assert told.count("👍") == 1
    assert told.count("🎉") == 1
    assert "\n".join(lines([shown])).count("👍") == 1


def test_days_have_headings_and_every_line_of_a_text_is_indented():
    entries = [
        message("1", "2026-03-13T23:59:00.000Z", text="one\ntwo"),
        note("2", "2026-03-14T00:01:00.000Z"),
    ]
    assert list(text_lines(entries, UTC)) == [
        "Friday 13 March 2026",
        "23:59  Customer",
        "       one",
        "       two",
        "\nSaturday 14 March 2026",
        "00:01  NOTE · Ana",
        "       called back",
    ]


def test_in_markdown_notes_are_quotations_and_marks_are_text():
    lines = list(markdown_lines([note("2", "2026-03-14T00:01:00.000Z", "# *now*\n- <b>")], UTC))
    assert lines == [
        "## Saturday 14 March 2026\n",
        "> **00:01 NOTE · Ana**  ",
        r"> \# \*now\*  ",
        r"> \- \<b\>  ",
        "",
    ]


def quoting(reply: ReplyTo, **members: object) -> list[Message]:
    """A message of Theo's, and one that replies to it or to another."""
    theo = message("7", author_ref=Ref(name="Theo *T*"), text="The address\nis [old](x)")
    return [theo, message("8", author="user", reply_to=reply, **members)]


CONVERSATION = Conversation.model_validate(
    {
        "id": "27",
        "status": "snoozed",
        "snoozed_until": "2026-03-20T08:00:00.000Z",
        "channel": {"id": "5", "name": "London", "phone": "+442079460018"},
        "contact": {"id": "9", "name": None, "phone": "+16505551234"},
        "last_activity_at": "2026-03-14T09:26:53.000Z",
    }
)


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        (ZoneInfo("Europe/Madrid"), "Europe/Madrid"),
        (UTC, "UTC"),
        (timezone(timedelta(hours=5, minutes=45)), "UTC+05:45"),
    ],
)
def test_a_transcript_begins_with_id_customer_channel_status_and_time_zone(
    zone: tzinfo, words: str
) -> None:
    until = f"{datetime(2026, 3, 20, 8, tzinfo=UTC).astimezone(zone):%Y-%m-%d %H:%M}"
    facts = [
        ("Conversation", "27"),
        ("Customer", "+16505551234"),
        ("Channel", "London · +442079460018"),
        ("Status", f"snoozed until {until}"),
        ("Times", words),
    ]
    plain = thread_text(CONVERSATION, [message(text="hi")], "txt", zone).split("\n")
    assert [tuple(line.split(maxsplit=1)) for line in plain[:5]] == [
        (f"{label}:", fact) for label, fact in facts
    ]
    markdown = thread_text(CONVERSATION, [message(text="hi")], "md", zone).split("\n")
    assert markdown[0] == "# +16505551234"
    assert markdown[2:7] == [f"- {label}: {fact}" for label, fact in facts]


def test_a_customer_without_a_name_is_their_number():
    entries = [message("1", text="hi"), message("2", author="user", reply_to=REPLY, text="yes")]
    told = thread_text(CONVERSATION, entries, "txt", UTC)
    assert "09:26  +16505551234\n       hi" in told
    assert "> +16505551234: The address" in told
    assert "Customer\n" not in told


def test_times_on_both_sides_of_a_change_of_clocks_name_both_zones(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Madrid")
    time.tzset()
    try:
        entries = [message("1", "2026-03-14T09:00:00.000Z"), message("2", "2026-04-14T09:00:00Z")]
        told = thread_text(CONVERSATION, entries, "txt", None)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert "Times:        CET (UTC+01:00) and CEST (UTC+02:00)" in told
    assert "10:00  +1650" in told
    assert "11:00  +1650" in told


REPLY = ReplyTo(message_id="7", author="contact", text="The address\nis [old](x)")


def test_a_reply_names_the_author_of_what_it_quotes():
    assert list(text_lines(quoting(REPLY, text="Corrected"), UTC))[-2:] == [
        "       > Theo *T*: The address is [old](x)",
        "       Corrected",
    ]


def test_a_quoted_message_that_is_not_exported_has_the_kind_of_its_author():
    other = ReplyTo(message_id="3", author="ai_agent", text="Hello")
    assert "       > AI agent: Hello" in list(text_lines(quoting(other, text="yes"), UTC))
    assert entry_text(quoting(REPLY, text="yes")[1]) == "> Customer: The address is [old](x)\nyes"


def test_a_quoted_message_is_a_quotation_of_its_own_in_markdown():
    lines = list(markdown_lines(quoting(REPLY, text="> now\n# - done"), UTC))
    assert lines[-5:] == [
        r"> Theo \*T\*: The address is \[old\](x)",
        "",
        r"\> now  ",
        r"\# - done  ",
        "",
    ]


def test_files_and_buttons_are_words_in_markdown_and_their_names_no_markup():
    media = Media(mime_type="application/pdf", size_bytes=240_000, filename="a](x) *b*.pdf")
    sent = message(type="document", media=media)
    asked = message(type="interactive", content={"buttons": [{"title": "<b>"}]})
    lines = list(markdown_lines([sent, asked], UTC))
    assert r"[document · 240 KB · a\](x) \*b\*.pdf]  " in lines
    assert r"[ \<b\> ]  " in lines


@pytest.mark.parametrize("text", ["1. first", "- item", "+ item", "=== "])
def test_nothing_begins_a_list_or_a_rule(text: str):
    assert "\\" in escaped(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1. first", r"1\. first"), ("2) second", r"2\) second"), (" - third", r" \- third")],
)
def test_the_start_of_a_list_is_escaped_at_its_sign(text: str, expected: str) -> None:
    assert escaped(text) == expected


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("Sheena Nelson", "sheena-nelson-2026-03-14.md"),
        ("../a\\b: c?", "a-b-c-2026-03-14.md"),
        ("x" * 61, f"{'x' * 60}-2026-03-14.md"),
        ("日本 +1", "日本-+1-2026-03-14.md"),
        ("///", "frontdesk-2026-03-14.md"),
    ],
)
def test_a_file_has_a_name_that_every_system_takes(what: str, name: str) -> None:
    assert file_name(what, date(2026, 3, 14), "md") == name


def test_a_thread_as_json_is_what_the_server_sent() -> None:
    entries = [message("1", text="hi"), note("2", "2026-03-14T10:00:00.000Z")]
    written = json.loads(thread_text(CONVERSATION, entries, "json", UTC))
    assert [one["id"] for one in written] == ["1", "2"]
    assert written[0] == {
        **{"id": "1", "direction": "inbound", "author": "contact", "text": "hi"},
        "created_at": "2026-03-14T09:26:53.000Z",
    }


TRANSCRIPT = """\
Conversation: 27
Customer:     +16505551234
Channel:      London · +442079460018
Status:       snoozed until 2026-03-20 08:00
Times:        UTC
========================================================================

Saturday 14 March 2026
09:26  +16505551234
       hi
"""


def test_several_threads_follow_one_another() -> None:
    one = [message("1", text="hi")]
    alone = thread_text(CONVERSATION, one, "txt", UTC)
    assert alone == TRANSCRIPT
    assert threads_text([(CONVERSATION, one)] * 2, "txt", UTC) == f"{alone}\n{alone}"
    lines = selection_lines([(CONVERSATION, one), (CONVERSATION, [])]).split("\n")
    first, second = map(json.loads, lines[:2])
    assert lines[2:] == [""]
    assert (first["conversation"]["id"], first["entries"][0]["text"]) == ("27", "hi")
    assert second["entries"] == []


def test_a_transcript_of_a_conversation_that_is_not_known_has_its_id() -> None:
    lines = list(transcript_lines("2\n7", None, [message("1", text="hi")], UTC))
    assert lines[:2] == ["Conversation: 2 7", "Times:        UTC"]
    assert lines[-2:] == ["09:26  Customer", "       hi"]
    assert next(transcript_lines("27", None, [], UTC, markdown=True)) == "# Conversation 27\n"


def test_a_time_that_cannot_be_read_is_said() -> None:
    entries = [message("1", "soon", text="hi"), message("2", "later", text="ho")]
    assert list(text_lines(entries, UTC)) == [
        *("at an unknown time", "--:--  Customer", "       hi", "--:--  Customer", "       ho"),
    ]
    assert list(markdown_lines(entries, UTC))[:2] == [
        "## At an unknown time\n",
        "**--:-- Customer**  ",
    ]


def test_of_a_deleted_message_nothing_is_quoted() -> None:
    deleted = message(reply_to=REPLY, deleted_at="2026-03-14T10:00:00.000Z")
    assert not entry_text(deleted).startswith(">")
    assert entry_text(message(reply_to=ReplyTo(text="a"), text="b")) == "> a\nb"


def test_conversations_are_exported_in_their_order() -> None:
    other = CONVERSATION.model_copy(update={"id": "28"})
    assert [row["id"] for row in json.loads(queue_text([other, CONVERSATION], "json"))] == [
        *("28", "27"),
    ]
    lines = queue_text([other, CONVERSATION], "csv").split("\r\n")
    assert lines[0].startswith("\ufeffid,status,contact,")
    assert [line.partition(",")[0] for line in lines[1:]] == ["28", "27", ""]
