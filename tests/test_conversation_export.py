"""Exported conversations: order, authors, contents, markup."""

from datetime import UTC

import pytest

from frontdesk.conversation_export import (
    author,
    by_people,
    entry_text,
    escaped,
    in_order,
    markdown_lines,
    remarks,
    text_lines,
)
from frontdesk.wire import Media, Message, Note, ProviderError, Reaction, Ref, ReplyTo


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


@pytest.mark.parametrize(
    ("name", "ref", "words"),
    [
        ("contact", Ref(name="Sam"), "Sam"),
        ("contact", None, "Customer"),
        ("user", Ref(id="3", name="Ana"), "Ana"),
        ("user", None, "Agent"),
        ("ai_agent", Ref(name="Bot"), "AI agent Bot"),
        ("phone", None, "Business phone"),
        ("broadcast_bot", None, "Broadcast bot"),
    ],
)
def test_authors_are_named(name: str, ref: Ref | None, words: str):
    assert author(message(author=name, author_ref=ref)) == words


@pytest.mark.parametrize("name", ["contact", "user", "phone"])
def test_people_are_people(name: str):
    assert by_people(message(author=name))


@pytest.mark.parametrize("name", ["ai_agent", "api", "automation", "campaign", "system"])
def test_machines_are_not(name: str):
    assert not by_people(message(author=name))


def test_an_attachment_is_shown_before_its_caption():
    media = Media(mime_type="image/jpeg", size_bytes=240_000, filename="a.jpg")
    shown = entry_text(message(type="image", media=media, text="look"))
    assert shown == "[image · a.jpg · 240 KB]\nlook"


def test_a_voice_message_is_named():
    media = Media(mime_type="audio/ogg", voice=True, size_bytes=24_000)
    assert entry_text(message(type="audio", media=media)) == "[voice · 24 KB]"


def test_a_reply_quotes_and_buttons_are_listed():
    one = message(
        text="yes",
        reply_to=ReplyTo(text="Is it\nblue?"),
        content={"buttons": [{"title": "Call"}, {"text": "Stop"}, "odd", {}]},
    )
    assert entry_text(one) == "> Is it blue?\nyes\n[ Call ]\n[ Stop ]"


@pytest.mark.parametrize(
    ("kind", "content", "words"),
    [
        (
            "location",
            {"name": "Shop", "latitude": 1.5, "longitude": 2},
            "[location · Shop · 1.5 · 2]",
        ),
        ("poll", None, "[poll]"),
        ("text", None, "[text]"),
    ],
)
def test_messages_without_text_are_shown_by_their_type(
    kind: str, content: dict[str, object] | None, words: str
):
    assert entry_text(message(type=kind, content=content)) == words


def test_a_deleted_message_has_no_contents():
    assert entry_text(message(text="secret", deleted_at="2026-03-14T10:00:00.000Z")) == "[deleted]"


def test_remarks_name_edits_and_failed_deliveries():
    one = message(
        direction="outbound",
        author="user",
        delivery_status="failed",
        error=ProviderError(code=131047, title="Re-engagement message"),
        edited_at="2026-03-14T10:00:00.000Z",
        reactions=(
            Reaction(emoji="👍", direction="inbound", author="contact", created_at="2026-03-14"),
        ),
    )
    assert remarks(one) == "edited, failed: Re-engagement message, Customer 👍"


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
    sent = message(type="document", media=media, content={"buttons": [{"title": "<b>"}]})
    assert list(markdown_lines([sent], UTC))[2:4] == [
        r"[document · a\](x) \*b\*.pdf · 240 KB]  ",
        r"[ \<b\> ]  ",
    ]


@pytest.mark.parametrize("text", ["1. first", "- item", "+ item", "=== "])
def test_nothing_begins_a_list_or_a_rule(text: str):
    assert "\\" in escaped(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1. first", r"1\. first"), ("2) second", r"2\) second"), (" - third", r" \- third")],
)
def test_the_start_of_a_list_is_escaped_at_its_sign(text: str, expected: str) -> None:
    assert escaped(text) == expected
