"""Words that a program read in a file are shown as what they are, and taken for nobody's words."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.alerts import due
from frontdesk.exports.brief import entry_block
from frontdesk.exports.conversations import markdown_lines, text_lines
from frontdesk.exports.tables import CONVERSATIONS, csv_text
from frontdesk.own_commands.command import values_of
from frontdesk.settings import WAITING, AlertSettings
from frontdesk.text.messages import found_line, plain_preview, plain_text
from frontdesk.tui.widgets.conversation_row import snippet
from frontdesk.wire import (
    Conversation,
    Media,
    MediaText,
    Message,
    MessageMatch,
    MessagePreview,
    PhoneRef,
)

AT = "2026-03-14T09:00:00.000Z"
NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
# Words with a sign in each line that a test finds again.
LINES = st.lists(st.text("abc *_#`|:>≈-", max_size=30).map("œ{}".format), min_size=1, max_size=6)


def voice_message(words: str | None, **members: Any) -> Message:
    media = Media(voice=True, text=MediaText(text=words, by="whisper@4f2a", language="es", at=AT))
    given = {"type": "audio", "media": media, "text": None, **members}
    return Message(id="1", direction="inbound", author="contact", created_at=AT, **given)


def conversation(preview: MessagePreview) -> Conversation:
    return Conversation(
        id="7",
        status="open",
        channel=PhoneRef(id="1", name="London"),
        contact=PhoneRef(id="2", name="Ada"),
        waiting_since=AT,
        last_inbound_at=AT,
        last_activity_at=AT,
        last_message=preview,
    )


def preview_of(words: str, text: str | None = None) -> MessagePreview:
    return MessagePreview(id="1", type="voice", text=text, created_at=AT, media_text=words)


@given(lines=LINES)
def test_each_line_is_marked_in_transcripts_and_exports(lines: list[str]) -> None:
    message = voice_message("\n".join(lines))
    shown = [
        *plain_text(message).split("\n"),
        *(row for block in text_lines([message]) for row in block.split("\n")),
        *(row for block in markdown_lines([message]) for row in block.split("\n")),
    ]
    read = [line.strip() for line in shown if "œ" in line]
    assert len(read) == 3 * len(lines)
    assert all(line.startswith("≈ œ") for line in read)


@given(lines=LINES)
def test_for_a_model_each_line_is_marked_as_the_customers_and_as_read(lines: list[str]) -> None:
    said = voice_message("\n".join(lines), text="œ I said this")
    block = entry_block(said, UTC).split("\n")
    assert [line for line in block if line.startswith("| ")] == ["| [voice]", "| œ I said this"]
    assert sum(line.startswith("|≈ œ") for line in block) == len(lines)


def test_a_model_reads_a_thousand_characters_of_a_file() -> None:
    block = entry_block(voice_message("long " * 1000), UTC)
    assert len(block) < 1200
    assert block.endswith("[…4,000 more characters]")


@pytest.mark.parametrize("words", [None, "", " \n\u200b"])
def test_a_file_in_which_nothing_was_read_is_shown_as_the_file_alone(words: str | None) -> None:
    assert plain_text(voice_message(words)) == "[voice]"


def test_a_deleted_message_shows_nothing_of_its_file() -> None:
    assert "secret" not in plain_text(voice_message("secret", deleted_at=AT))


def test_a_list_shows_the_beginning_of_what_was_read_unless_its_sender_wrote_something() -> None:
    assert plain_preview(preview_of("hola\nbuenas")) == "[voice] ≈ hola buenas"
    assert snippet(preview_of("hola")) == "🎤 ≈ hola"
    assert snippet(preview_of("hola", "for Ana")) == "🎤 for Ana"
    assert "≈ hola" in csv_text([conversation(preview_of("hola"))], CONVERSATIONS)


def test_an_alert_does_not_say_what_was_read() -> None:
    settings = AlertSettings(waiting=timedelta(minutes=5))
    rows = {WAITING: [conversation(preview_of("call the police"))]}
    (alert,) = due(rows, NOW, settings, NOW - timedelta(hours=1), {})
    assert alert.sentence.endswith("[voice]")


def test_a_program_is_not_given_what_was_read_as_the_customers_words() -> None:
    values = values_of(conversation(preview_of("drop it")), voice_message("drop it"))
    assert "drop it" not in " ".join(values.values())


def test_an_excerpt_of_a_file_is_marked() -> None:
    match = MessageMatch(
        conversation_id="7",
        message_id="1",
        created_at=AT,
        direction="inbound",
        excerpt="la factura\nde mayo",
    )
    assert found_line(match) == "la factura de mayo"
    read = match.model_copy(update={"in_file": "voice"})
    assert found_line(read) == "≈ la factura de mayo"
