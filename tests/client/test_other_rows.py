"""Rows with missing, additional or unknown members are read without invented values."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.client.full_read import CONVERSATION, client_of, read_from
from tests.client.inbox_rows import Row, contact, inbox, message, time
from tests.client.other_server import OtherServer, Question, Reply, Variant, encoded, reply
from tests.client.prepared_server import ALL
from tests.client.variants import of, renamed

from frontdesk.client.other_rows import read_row
from frontdesk.errors import BadResponse
from frontdesk.wire import (
    Contact,
    Conversation,
    Label,
    Message,
    Team,
    Template,
    User,
    Wire,
)


async def first_message(change: Any) -> Row:
    """The newest message, written otherwise."""
    contents = await read_from(of("messages", change))
    assert not contents.failed
    message: Row = contents.read["messages"][0]
    return message


async def test_a_contact_without_a_phone_has_none() -> None:
    nameless = of("contacts", lambda row: {**row, "phone": None, "wa_id": None})
    hidden = of("conversations", lambda row: {**row, "contact": {"id": row["contact"]["id"]}})
    contents = await read_from(nameless, hidden)
    assert {row["phone"] for row in contents.read["contacts"]} == {None}
    assert {row["contact"]["phone"] for row in contents.read["conversations"]} == {None}


async def test_words_that_nobody_knows_are_kept_as_they_are() -> None:
    row = await first_message(
        lambda row: {
            **row,
            "author": "broadcast_bot",
            "type": "poll",
            "delivery_status": "Teleported",
        }
    )
    assert (row["author"], row["type"]) == ("broadcast_bot", "poll")
    assert row["delivery_status"] == "teleported"


async def test_a_status_that_nobody_knows_is_kept_and_a_known_one_made_small() -> None:
    words = {"open": "OPEN", "snoozed": "pending", "resolved": "Resolved"}
    contents = await read_from(
        of("conversations", lambda row: {**row, "status": words[row["status"]]})
    )
    seen = {row["status"] for row in contents.read["conversations"]}
    assert seen == {"open", "pending", "resolved"}


async def test_rows_with_their_ids_alone_are_rows() -> None:
    bare = Variant(row=lambda name, row: {"id": row["id"]} if isinstance(row, dict) else row)
    contents = await read_from(bare)
    assert not contents.failed
    assert len(contents.ids("conversations")) == 7
    first = contents.read["conversations"][0]
    assert (first["status"], first["awaiting_human"]) == ("unknown", None)
    assert (first["contact"]["id"], first["last_activity_at"]) == ("", "")
    assert contents.read["labels"][0]["title"] == "0"


def _emptied(name: str, row: Row) -> Row:
    """Null for all that the contract lets be null."""
    if name not in ("conversations", "messages"):
        return row
    model = Conversation if name == "conversations" else Message
    required = {member for member, info in model.model_fields.items() if info.is_required()}
    kept = required | {"labels", "reactions", "type"}
    return {member: value if member in kept else None for member, value in row.items()}


async def test_null_is_read_wherever_it_may_stand() -> None:
    contents = await read_from(Variant(row=_emptied))
    assert not contents.failed
    assert contents.read["messages"][0]["text"] is None
    assert contents.read["conversations"][0]["last_message"] is None


@pytest.mark.parametrize("wrong", [5, "", [], {}, True, None, [[]], {"a": {}}])
async def test_a_member_of_the_wrong_type_costs_that_member_at_most(wrong: Any) -> None:
    spared = ("id", "status", "last_activity_at", "created_at", "direction", "author")

    def spoilt(name: str, row: Row) -> Row:
        return {member: value if member in spared else wrong for member, value in row.items()}

    contents = await read_from(Variant(row=spoilt))
    assert [len(contents.ids(name)) for name in ("conversations", "messages")] == [7, 5]


async def test_several_files_are_several_messages_with_the_text_on_the_first() -> None:
    files = [
        {"id": 1, "file_type": "image", "data_url": "https://files.example/1"},
        {"id": 2, "content_type": "application/pdf", "file_name": "offer.pdf"},
    ]
    contents = await read_from(
        of("messages", lambda row: {**row, "media": None, "type": None, "attachments": files})
    )
    first, second, *_ = contents.read["messages"]
    assert (first["id"], first["text"], first["type"]) == ("5005", "Message 5", "image")
    assert first["media"]["url"] == "https://files.example/1"
    assert (second["id"], second["text"], second["type"]) == ("5005+2", None, "document")
    assert second["media"]["filename"] == "offer.pdf"
    assert len(contents.ids("messages")) == 10


async def test_a_file_under_the_name_of_its_type_is_media_with_its_caption() -> None:
    image = {"id": "9", "mime_type": "image/jpeg", "caption": "The blue one"}
    row = await first_message(
        lambda row: {
            **{name: value for name, value in row.items() if name not in ("text", "media")},
            "type": "image",
            "image": image,
        }
    )
    assert (row["type"], row["text"]) == ("image", "The blue one")
    assert row["media"]["mime_type"] == "image/jpeg"


async def test_a_private_message_is_a_note_among_the_messages() -> None:
    row = await first_message(
        lambda row: {"id": row["id"], "content": row["text"], "message_type": 1, "private": True}
    )
    assert row["type"] == "note"


async def test_hostile_text_comes_in_harmless_and_no_longer_than_a_message_may_be() -> None:
    hostile = "\x1b]52;c;cm0=\x07[red]\u202eabc\x00 \ud800"
    contents = await read_from(of("messages", lambda row: {**row, "text": hostile}))
    assert (
        contents.read["messages"][0]["text"] == "\ufffd]52;c;cm0=\ufffd[red]<RLO>abc\ufffd \ufffd"
    )
    contents = await read_from(of("messages", lambda row: {**row, "text": "ü" * 2**17}))
    text = contents.read["messages"][0]["text"]
    assert (len(text), text[-42:]) == (65_536, "ü\n[cut: a text may have 65,536 characters]")


async def test_labels_that_are_titles_alone_are_labels() -> None:
    contents = await read_from(Variant(row=lambda name, row: _title_alone(name, row)))
    assert not contents.failed
    assert [row["title"] for row in contents.read["labels"]] == ["billing", "vip", "later", "spam"]
    assert [row["name"] for row in contents.read["teams"]][:2] == ["Team 0", "Team 1"]
    assert len(set(contents.ids("labels"))) == 4


def _title_alone(name: str, row: Row) -> Any:
    return {"labels": row.get("title"), "teams": row.get("name")}.get(name, row)


async def test_a_persons_object_loses_nothing_that_stands_beside_it() -> None:
    person = {"wa_id": "16505551001", "profile": {"name": "Kim"}}
    contents = await read_from(of("conversations", lambda row: {**row, "contact": person}))
    contact = contents.read["conversations"][0]["contact"]
    assert (contact["name"], contact["phone"]) == ("Kim", "+16505551001")


async def test_the_address_is_doubted_only_where_nothing_of_the_server_reads() -> None:
    strange = {"labels": [{"colour": 3}, 7], "users": {"first": [], "second": []}}

    def before(server: OtherServer, question: Question) -> Reply | None:
        return reply(strange[question.name]) if question.name in strange else None

    async with client_of(OtherServer((Variant(before=before),))) as client:
        with pytest.raises(BadResponse, match="is this the address of an inbox"):
            await client.catalogue_page(User)
        await client.conversation_page(ALL)
        with pytest.raises(BadResponse) as rows:
            await client.catalogue_page(Label)
        with pytest.raises(BadResponse) as body:
            await client.catalogue_page(User)
    assert str(body.value) == "The server's answer has no list in it, only first, second"
    assert "address" not in str(rows.value)


async def test_a_moment_that_is_none_is_shown_as_it_is_and_stands_last() -> None:
    contents = await read_from(renamed("conversations", updated_at="x"))
    assert not contents.failed
    contents = await read_from(
        of("conversations", lambda row: {**row, "last_activity_at": "yesterday"})
    )
    assert contents.read["conversations"][0]["last_activity_at"] == "(yesterday)"
    assert time(0) > "(yesterday)"


async def test_a_row_without_any_id_has_one_that_stays() -> None:
    change = of("notes", lambda row: {"text": row["text"], "conversation_id": "1006"})
    first, second = await read_from(change), await read_from(change)
    assert first.ids("notes") == second.ids("notes")
    assert len(set(first.ids("notes"))) == 4


async def test_a_row_that_is_no_row_is_counted_and_the_others_are_read() -> None:
    body = {"data": [{"id": 1}, 7, "x", None, {}], "next_cursor": None, "has_more": False}
    server = OtherServer((Variant(before=lambda server, question: reply(encoded(body))),))
    async with client_of(server) as client:
        page = await client.conversation_page(ALL)
        assert len(page.data) == 1
        assert getattr(page, "unreadable", 0) == 4
        assert CONVERSATION not in [row.id for row in page.data]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(("id", "data", "user", "text", "name", "value")), inner)
    ),
    max_leaves=3,
)


@given(
    name=st.sampled_from(("conversations", "messages", "contacts", "teams", "templates")),
    spoilt=st.dictionaries(
        st.sampled_from((*message(1), *contact(1), "attributes")), JSON, max_size=2
    ),
)
def test_a_row_of_any_values_is_read_or_refused(name: str, spoilt: Row) -> None:
    with suppress(ValueError):
        (first, *_) = read_row({**inbox()[name][0], **spoilt}, LISTS[name], lambda remark: None)
        assert isinstance(first, LISTS[name])


LISTS: dict[str, type[Wire]] = {
    "conversations": Conversation,
    "messages": Message,
    "contacts": Contact,
    "teams": Team,
    "templates": Template,
}
