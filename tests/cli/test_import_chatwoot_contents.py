"""`import chatwoot` keeps contents other than text, and loses no messages."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_import_chatwoot import (
    ANA,
    INBOXES,
    KIM,
    OUT,
    START,
    answer,
    conversation,
    message,
    page_of_messages,
    run,
    stored,
)
from tests.fake_service import Query, Reply, fake_service

from frontdesk.client import external
from frontdesk.errors import NotFound
from frontdesk.ingest.chatwoot import crawler

Row = dict[str, Any]
FILES = "https://c.example/rails/active_storage/blobs/"


@pytest.fixture(autouse=True)
def in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawler, "PER_SECOND", 100_000.0)
    monkeypatch.setattr(external, "FIRST_PAUSE_SECONDS", 0.001)


def attachment(kind: str, name: str = "", **members: Any) -> Row:
    url = {"data_url": f"{FILES}{name}", "file_size": 2_400} if name else {}
    return {"id": 1, "file_type": kind, "extension": None, **url, **members}


class Account:
    """An account of Chatwoot with one conversation. uncounted: messages that its reports count and
    its lists do not have; None: its reports are for administrators only."""

    def __init__(self, *rows: Row, uncounted: int | None = 0) -> None:
        self.rows = list(rows)
        self.uncounted = uncounted
        self.phone: str | None = KIM["phone_number"]
        self.listed = 1
        self.more: Row = {}

    def __call__(self, path: str, query: Query) -> Any:
        call = path.partition("/accounts/3/")[2]
        if call == "conversations":
            meta = {"sender": {**KIM, "phone_number": self.phone}}
            chat = conversation(1, meta=meta, **self.more)
            rows = [chat] if query["page"] == "1" else []
            return {"data": {"meta": {"all_count": self.listed}, "payload": rows}}
        if call == "contacts":
            more = {"city": "Oslo", "country": "", "social_profiles": {"github": "", "x": "kim"}}
            rows = [{**KIM, "additional_attributes": more}] if query["page"] == "1" else []
            return {"meta": {"count": 1, "current_page": query["page"]}, "payload": rows}
        if call.endswith("/messages"):
            return {"meta": {"labels": []}, "payload": page_of_messages(self.rows, query)}
        if path.startswith("/api/v2/") and call == "reports/summary":
            assert (query["type"], query["id"], query["since"]) == ("inbox", "1", "0")
            if self.uncounted is None:
                return Reply(401, {"error": "You are not authorized to do this action"})
            types = [row["message_type"] for row in self.rows]
            counts = {
                "incoming_messages_count": types.count(0) + self.uncounted,
                "outgoing_messages_count": types.count(1),
            }
            return {**counts, "previous": dict.fromkeys(counts, 0)}
        return answer(path, query)


def messages_of(tmp_path: Path, *rows: Row) -> list[Row]:
    """What the messages are after an import."""
    with fake_service(Account(*rows)) as double:
        result = run(tmp_path, double)
    assert result.exit_code == 0, result.output
    sql = "SELECT type, text, content_json, media_json, wamid FROM message ORDER BY created_at, id"
    names = ("type", "text", "content", "media", "wamid")
    return [
        {**dict(zip(names, row, strict=True)), "content": _parsed(row[2]), "media": _parsed(row[3])}
        for row in stored(tmp_path, sql)
    ]


def _parsed(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def test_a_private_note_with_files_keeps_them_as_lines_of_its_text(tmp_path: Path) -> None:
    private = {**OUT, "private": True, "source_id": None}
    location = attachment(
        "location", coordinates_lat=1.5, coordinates_long=2.5, fallback_title="Shop"
    )
    with fake_service(
        Account(
            message(1, **private, content=None, attachments=[attachment("image", "cat%20one.jpg")]),
            message(
                2, **private, content="See", attachments=[attachment("file", "a.pdf"), location]
            ),
            message(3, **private, content="", attachments=[]),
        )
    ) as double:
        result = run(tmp_path, double)
    assert [text for (text,) in stored(tmp_path, "SELECT text FROM note ORDER BY id")] == [
        "Attached: image cat one.jpg, 2 KB",
        "See\nAttached: document a.pdf, 2 KB\nAttached: location Shop, 1.5, 2.5",
    ]
    left_out = "message that cannot be read: it is a private note with neither a text nor a file"
    assert f"skipped: 1 {left_out}" in result.stdout.splitlines()


def test_messages_chatwoot_cannot_show_become_unsupported_and_not_empty_text(
    tmp_path: Path,
) -> None:
    unsupported, empty = messages_of(
        tmp_path,
        message(1, content=None, content_attributes={"is_unsupported": True}),
        message(2, content=None, content_type="integrations"),
    )
    assert (unsupported["type"], unsupported["content"]["reason"]) == ("unsupported", "provider")
    assert (empty["type"], empty["content"]["original_type"]) == ("unsupported", "integrations")


def test_a_webp_from_a_phone_is_a_sticker_and_one_of_an_agent_an_image(tmp_path: Path) -> None:
    webp = [attachment("image", "sticker.webp")]
    kinds = messages_of(
        tmp_path,
        message(1, content=None, attachments=webp),
        message(2, **OUT, content=None, attachments=webp),
        message(3, content=None, attachments=[attachment("image", "photo.jpg")]),
        message(4, content=None, attachments=[attachment("image", "x", extension="webp")]),
        message(5, content=None, content_type="sticker", attachments=[attachment("image", "x")]),
    )
    assert [one["type"] for one in kinds] == ["sticker", "image", "image", "sticker", "sticker"]


def test_a_contact_card_has_its_name_and_all_its_numbers(tmp_path: Path) -> None:
    """Chatwoot has an attachment for each number of a card."""
    names = {"firstName": "Ines", "lastName": "Prado"}
    numbers = [
        attachment("contact", fallback_title=number, meta=names)
        for number in ("+34 600 000 001", "+34 600 000 002")
    ]
    unreachable = attachment("contact", fallback_title="Phone number is not available", meta={})
    card, nobody = messages_of(
        tmp_path,
        message(1, source_id="", content="Dr. Ines Prado", attachments=numbers),
        message(2, source_id="", content="Old friend", attachments=[unreachable]),
    )
    (contact,) = card["content"]["contacts"]
    assert (card["type"], card["text"]) == ("contacts", "Dr. Ines Prado")
    assert (contact["name"], contact["first_name"]) == ("Dr. Ines Prado", "Ines")
    assert [one["phone"] for one in contact["phones"]] == ["+34 600 000 001", "+34 600 000 002"]
    assert nobody["content"]["contacts"][0]["phones"] == []
    assert nobody["text"] == "Old friend"


def test_survey_ratings_choices_and_form_values_are_kept(tmp_path: Path) -> None:
    bot = {"message_type": 3, "sender": None, "source_id": None}
    rated = {"csat_survey_response": {"rating": 4, "feedback_message": "Quick"}}
    options = [{"title": "Delivery", "value": "d"}, {"title": "Return", "value": "r"}]
    fields = [{"name": "order", "label": "Order", "value": "A-1"}]
    survey, asked, choice, form = messages_of(
        tmp_path,
        message(
            1, **bot, content_type="input_csat", content_attributes={"submitted_values": rated}
        ),
        message(2, **bot, content_type="input_csat"),
        message(
            3,
            **bot,
            content_type="input_select",
            content_attributes={"items": options, "submitted_values": options[1:]},
        ),
        message(4, **bot, content_type="form", content_attributes={"submitted_values": fields}),
    )
    assert survey["text"] == "Message 1\nRating: 4 of 5\nQuick"
    assert survey["content"]["kind"] == "csat"
    assert survey["content"]["response"] == {"rating": 4, "feedback_message": "Quick"}
    assert (asked["text"], asked["content"]["response"]) == ("Message 2", None)
    rows = choice["content"]["sections"][0]["rows"]
    assert [row["title"] for row in rows] == ["Delivery", "Return"]
    assert choice["text"] == "Message 3\nReturn"
    assert form["text"] == "Message 4\nOrder: A-1"


def test_files_in_one_second_are_as_many_messages_as_files(tmp_path: Path) -> None:
    """A further file has no id of WhatsApp and Chatwoot's times are whole seconds."""
    files = [attachment("image", "image.jpg")] * 3
    rows = [message(n, created_at=START, content=None, attachments=files) for n in (1, 2, 3)]
    assert len(messages_of(tmp_path, *rows)) == 9
    with fake_service(Account(*rows)) as double:
        assert "messages: 0 new" in run(tmp_path, double).stdout


def test_why_a_message_failed_is_reported_also_where_whatsapp_gave_it_no_id(tmp_path: Path) -> None:
    failed = {**OUT, "status": "failed", "content_attributes": {"external_error": "131047: Late"}}
    messages_of(tmp_path, message(1, **failed), message(2, **failed | {"source_id": None}))
    sql = "SELECT delivery_status, error_json FROM message"
    errors = [(status, json.loads(error)["title"]) for status, error in stored(tmp_path, sql)]
    assert errors == [("failed", "131047: Late")] * 2


def test_an_answer_and_a_reaction_find_their_message_by_its_number_in_chatwoot(
    tmp_path: Path,
) -> None:
    reaction = {"is_reaction": True, "in_reply_to_external_id": "wamid.1"}
    first, reply = messages_of(
        tmp_path,
        message(1),
        message(2, **OUT, content_attributes={"in_reply_to": 1}),
        message(3, content="👍", content_attributes=reaction),
    )
    assert (first["wamid"], reply["wamid"]) == ("wamid.1", "wamid.2")
    replies = "SELECT reply_wamid FROM message WHERE wamid = 'wamid.2'"
    assert stored(tmp_path, replies) == [("wamid.1",)]
    assert stored(tmp_path, "SELECT emoji FROM reaction") == [("👍",)]


def test_everything_that_is_left_out_is_counted_by_its_reason(tmp_path: Path) -> None:
    account = Account(message(1), message(2, message_type=9), message(3, **OUT, private=True))

    def with_more_inboxes(path: str, query: Query) -> Any:
        if path.endswith("/inboxes"):
            nameless = {"name": "hello", "language": "en"}
            return {"payload": [{**INBOXES[0], "message_templates": [nameless]}, INBOXES[1]]}
        return account(path, query)

    with fake_service(with_more_inboxes) as double:
        printed = run(tmp_path, double).stdout.splitlines()
        account.phone = None
        unreachable = run(tmp_path, double).stdout.splitlines()
    assert "skipped: 1 message that cannot be read: its message_type 9 is none of 0 to 3" in printed
    assert "skipped: 1 inbox that is no WhatsApp number" in printed
    assert "skipped: 1 template without id, name or language" in printed
    assert "skipped: 1 conversation with somebody without a number" in unreachable
    assert "skipped: 3 message with somebody without a number" in unreachable


def test_unsupported_fields_of_conversations_and_contacts_are_counted_by_name(
    tmp_path: Path,
) -> None:
    account = Account(message(1))
    account.more = {"priority": "high", "custom_attributes": {"order": "A-1", "empty": ""}}
    with fake_service(account) as double:
        printed = run(tmp_path, double).stdout.splitlines()
    assert [line for line in printed if " of a " in line] == [
        "skipped: 1 attribute city of a contact",
        "skipped: 1 attribute order of a conversation",
        "skipped: 1 attribute social_profiles of a contact",
        "skipped: 1 priority of a conversation",
    ]


def test_an_import_that_goes_on_counts_what_was_left_out_before(tmp_path: Path) -> None:
    account = Account(message(1, message_type=9), message(2))

    def interrupted(path: str, query: Query) -> Any:
        reply = account(path, query)
        if path.endswith("/conversations") and query["page"] == "1":
            later = {**KIM, "phone_number": "+16505550002"}
            chat = conversation(2, created_at=START + 1, meta={"sender": later})
            reply["data"]["payload"].append(chat)
        return None if path.endswith("conversations/2/messages") else reply

    with fake_service(interrupted) as double:
        assert isinstance(run(tmp_path, double).exception, NotFound)
        double.answer = account
        printed = run(tmp_path, double).stdout.splitlines()
        asked = [path for path, _ in double.asked if path.endswith("conversations/1/messages")]
    assert len(asked) == 1
    assert "skipped: 1 message that cannot be read: its message_type 9 is none of 0 to 3" in printed
    assert any(" 1 message," in line for line in printed[1:2])


def shuffled(count: int) -> Iterator[Row]:
    """Messages whose ids do not follow their times: a history that was brought in later."""
    for number in range(1, count + 1):
        old = number > count // 2
        private = {**OUT, "private": True} if number % 40 == 0 else {}
        yield message(number, created_at=START + (0 if old else 10_000) + number, **private)


@pytest.mark.parametrize("count", [20, 21, 100, 141, 1150])
def test_messages_created_out_of_the_order_of_their_ids_are_all_there(
    tmp_path: Path, count: int
) -> None:
    rows = list(shuffled(count))
    with fake_service(Account(*rows)) as double:
        result = run(tmp_path, double)
    assert result.exit_code == 0
    both = "SELECT (SELECT count(*) FROM message) + (SELECT count(*) FROM note)"
    assert stored(tmp_path, both) == [(count,)]


@pytest.mark.parametrize("limit", [20, 100])
@pytest.mark.parametrize("with_first", [True, False])
def test_a_chatwoot_that_answers_ranges_otherwise_is_read_whole_too(
    tmp_path: Path, limit: int, with_first: bool
) -> None:
    """It cuts them off sooner, or leaves out the row with the first id."""
    account = Account(*shuffled(333))

    def cut(path: str, query: Query) -> Any:
        reply = account(path, query)
        if path.endswith("/messages"):
            first = int(query["after"]) + (not with_first)
            rows = [row for row in reply["payload"] if row["id"] >= first]
            reply["payload"] = rows[:limit]
        return reply

    with fake_service(cut) as double:
        assert run(tmp_path, double).exit_code == 0
    both = "SELECT (SELECT count(*) FROM message) + (SELECT count(*) FROM note)"
    assert stored(tmp_path, both) == [(333,)]


def test_a_chatwoot_that_knows_no_ranges_is_refused_and_not_read_in_part(tmp_path: Path) -> None:
    account = Account(*shuffled(60))

    def old(path: str, query: Query) -> Any:
        return account(path, {name: query[name] for name in query if name != "after"})

    with fake_service(old) as double:
        account.rows.append(message(0))
        error = run(tmp_path, double).exception
    assert "it does not answer ranges of message ids" in str(error)


def test_fewer_messages_or_conversations_than_chatwoot_counts_end_with_1(tmp_path: Path) -> None:
    account = Account(message(1), message(2), uncounted=3)
    account.listed = 3
    with fake_service(account) as double:
        result = run(tmp_path, double)
    assert result.exit_code == 1
    assert "messages: 2 new" in result.stdout
    assert "Chatwoot counts 3 conversations of Support, of which 1 were read" in result.stderr
    assert "Chatwoot counts 5 messages of Support, of which 2 were read" in result.stderr


def test_a_count_that_chatwoot_keeps_to_administrators_is_said_to_be_missing(
    tmp_path: Path,
) -> None:
    with fake_service(Account(message(1), uncounted=None)) as double:
        result = run(tmp_path, double)
    assert result.exit_code == 0
    words = "not compared with Chatwoot's own count: messages of Support: You are not authorized"
    assert any(line.startswith(words) for line in result.stdout.splitlines())


def test_the_author_of_a_note_with_a_file_is_the_agent(tmp_path: Path) -> None:
    note = message(1, **OUT, private=True, content=None, attachments=[attachment("audio", "a.ogg")])
    with fake_service(Account(note)) as double:
        run(tmp_path, double)
    assert stored(tmp_path, "SELECT author_name FROM note") == [(ANA["name"],)]
