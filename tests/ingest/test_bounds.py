"""Limits of what people write: whatever an event has in it, what is kept is within the table."""

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.ingest.event_helpers import CHANNEL, SHEENA, inbound

from frontdesk.ingest import events
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.apply.bounds import bounded
from frontdesk.ingest.events import (
    PROFILE_NAME,
    Author,
    ContactUpsert,
    DomainEvent,
    MessageEdit,
    MessageUpsert,
    NoteUpsert,
    Person,
    ReactionSet,
)
from frontdesk.store.database import Database
from frontdesk.text.limits import (
    CONTENTS,
    FIELD,
    LONGEST_ID,
    NAME,
    REACTION,
    TEXT,
    WORD,
    cut_file_name,
)

LONG = "n" * 200_000
PERSON = Person("+34600000001", "34600000001")
# Ids, keys, and words of closed lists: their readers refuse what is too long.
CHECKED = {
    *("phone_number_id", "phone", "channel", "person", "wamid", "reply_wamid", "target_wamid"),
    *("external_id", "key", "id", "title", "short_code", "language", "old", "new", "channels"),
    *(
        "former_names",
        "members",
        "display_phone_number",
        "waba_id",
        "forwarded",
        "status",
        "distribution",
        "user",
    ),
}
NAMED_BY_KEY = (events.TeamUpsert, events.TemplateUpsert, events.ConversationEvent)


def filled(kind: type) -> Any:
    """An event with a long text wherever one fits."""
    values: dict[str, Any] = {}
    for each in fields(kind):
        hint = getattr(each.type, "__name__", "") if isinstance(each.type, type) else ""
        hint = hint or str(each.type)
        if each.name in CHECKED or (each.name == "name" and kind in NAMED_BY_KEY):
            values[each.name] = PERSON if "Person" in hint else "1"
        elif "Author" in hint:
            values[each.name] = Author("user", None, LONG)
        elif "tuple[Mapping" in hint:
            values[each.name] = ({"text": LONG},)
        elif "tuple" in hint:
            values[each.name] = (LONG,)
        elif "Mapping" in hint or "ChannelDetails" in hint:
            values[each.name] = {} if kind is events.ConversationEvent else {"a": [LONG], "b": LONG}
        elif hint.startswith("str"):
            values[each.name] = LONG
        elif hint in ("int", "bool"):
            values[each.name] = 1
    return kind(**values)


def longest(value: Any) -> int:
    """Length of the longest text in a value."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return max([0, *map(longest, value), *map(longest, value.values())])
    if isinstance(value, list | tuple):
        return max([0, *map(longest, value)])
    if isinstance(value, Author):
        return longest(value.name)
    return 0


@pytest.mark.parametrize("kind", get_args(DomainEvent), ids=lambda kind: kind.__name__)
def test_no_text_of_an_event_is_longer_than_a_text_may_be(kind: type) -> None:
    after = bounded(filled(kind))
    for each in fields(kind):
        assert longest(getattr(after, each.name)) <= TEXT, each.name
    assert bounded(after) is after


@pytest.mark.parametrize(
    ("event", "member", "most"),
    [
        (filled(ContactUpsert), "name", NAME),
        (filled(ContactUpsert), "profile_name", NAME),
        (filled(ContactUpsert), "email", WORD),
        (filled(ContactUpsert), "custom_fields", FIELD),
        (filled(MessageUpsert), "author", NAME),
        (filled(MessageUpsert), "referral", FIELD),
        (filled(ReactionSet), "emoji", REACTION),
        (filled(events.ChannelUpsert), "alias", NAME),
        (filled(events.CustomFieldUpsert), "options", NAME),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_cut_fills_its_limit_and_ends_with_an_ellipsis(
    event: DomainEvent, member: str, most: int
) -> None:
    after = bounded(event)
    assert longest(getattr(after, member)) == most
    assert "n…" in str(getattr(after, member))


def test_a_text_says_that_it_was_cut() -> None:
    after = bounded(NoteUpsert("1", PERSON, "n1", 1, LONG, Author("user")))
    assert isinstance(after, NoteUpsert)
    assert len(after.text) == TEXT
    assert after.text.endswith("n\n[cut: a text may have 65,536 characters]")


def test_what_is_not_too_long_is_the_same_object() -> None:
    event = inbound(1, "w1", text="n" * TEXT)
    assert bounded(event) is event


def test_contents_end_where_all_of_them_are_too_many() -> None:
    many = {f"key {number}": ["x" * 1_000, {"deep": number}] for number in range(1_000)}
    event = replace(inbound(1, "w1"), content=many)
    after = bounded(event)
    assert isinstance(after, MessageUpsert)
    assert after.content is not None
    assert 100 < len(after.content) < 140
    assert after.content["key 99"] == many["key 99"]
    assert len(str(after.content)) < 1.2 * CONTENTS
    assert bounded(after) is after


def test_contents_that_are_nested_without_an_end_lose_their_depth() -> None:
    deep: Any = "x"
    for _ in range(900):
        deep = {"a": [deep]}
    after = bounded(replace(inbound(1, "w1"), raw=deep))
    assert str(after.raw).count("{") < 40  # type: ignore[union-attr]
    assert bounded(after) is after


def test_a_number_of_thousands_of_digits_is_left_out() -> None:
    event = replace(inbound(1, "w1"), raw={"ids": [10**3_000, 10**12, True]})
    assert bounded(event).raw == {"ids": [None, 10**12, True]}  # type: ignore[union-attr]


def test_an_id_in_contents_is_left_out_and_never_cut() -> None:
    advertisement = {"source_id": "9" * 600, "headline": "h" * 5_000, "ctwa_clid": "c" * 500}
    after = bounded(replace(inbound(1, "w1"), referral=advertisement)).referral
    assert after == {"source_id": None, "headline": "h" * 4_095 + "…", "ctwa_clid": "c" * 500}


@pytest.mark.both_engines
def test_what_an_index_has_of_contents_fits_into_it(database: Database) -> None:
    words = "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(9_999))
    template = {"name": words, "language": words, "components": []}
    some = [
        inbound(1_000, "w1", referral={"source_id": words, "headline": words}),
        inbound(2_000, "w2", outbound=True, type="template", text=None, content=template),
    ]
    database.write(lambda connection: apply_events(connection, 1, some, now=5_000))
    rows = database.read(lambda connection: connection.rows("SELECT id FROM message"))
    assert len(rows) == 2


def test_a_file_name_keeps_its_ending() -> None:
    name = cut_file_name("n" * 1_000 + ".docx")
    assert (len(name), name[-7:]) == (NAME, "n….docx")
    assert cut_file_name(name) == name
    event = replace(inbound(1, "w1"), media={"filename": "n" * 1_000 + ".docx"})
    assert bounded(event).media == {"filename": name}  # type: ignore[union-attr]


@pytest.mark.both_engines
def test_the_same_long_words_again_change_nothing(database: Database) -> None:
    some: list[DomainEvent] = [
        ContactUpsert(SHEENA, 1, name=LONG, name_rank=PROFILE_NAME, profile_name=LONG),
        replace(inbound(1_000, "w1"), text=LONG),
        MessageEdit(CHANNEL, "w1", 2_000, "text", LONG),
        MessageEdit(CHANNEL, "not here yet", 2_000, "text", LONG),
        NoteUpsert(CHANNEL, SHEENA, "n1", 3_000, LONG, Author("user", None, LONG)),
        ReactionSet(CHANNEL, "w1", "business", LONG, 4_000, True, "phone"),
    ]
    database.write(lambda connection: apply_events(connection, 1, some, now=5_000))
    again = database.write(lambda connection: apply_events(connection, 1, some, now=6_000))
    tallies = [getattr(again, each.name) for each in fields(again) if each.name != "ignored"]
    assert not any(tally.new or tally.changed for tally in tallies)
    longest_stored = database.read(
        lambda connection: connection.row(
            "SELECT (SELECT MAX(length(name)) FROM contact) AS name,"
            " (SELECT MAX(length(text)) FROM message) AS text"
        )
    )
    assert longest_stored == {"name": NAME, "text": TEXT}


def test_the_limits_are_documented() -> None:
    page = Path("docs/importing.md").read_text()
    rows = page.partition("## How long values may be")[2].splitlines()
    shown = [row.rpartition("| ")[2].rstrip(" |") for row in rows if row.startswith("| ")][1:]
    assert shown == [f"{most:,}" for most in (TEXT, NAME, REACTION, FIELD, WORD, CONTENTS)]
    assert f"more than {LONGEST_ID} bytes" in page
