"""Search in the cache: parts of words, numbers, any script, any spelling."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cache.pages import NOW, OPEN, START, Value, conversation, fetched, note

from frontdesk.cache import (
    CONTACT,
    CONVERSATION,
    MESSAGE,
    Cache,
    Hit,
    notes_name,
    thread_name,
)
from frontdesk.cache.rows import SearchedText
from frontdesk.cache.search import snippet_of
from frontdesk.text.search import Terms
from frontdesk.wire import (
    Contact,
    Media,
    MediaText,
    Message,
    MessagePreview,
    PhoneRef,
    body_of,
    timestamp,
)


def said(id: int, text: str, **members: Any) -> Message:
    moment = timestamp(START + id * 1000)
    return Message(
        id=str(id), direction="inbound", author="contact", text=text, created_at=moment, **members
    )


async def hold(cache: Cache, *texts: str, conversation_id: str = "7") -> None:
    """Read a thread in which these were said, the last one last."""
    values = [said(number, text) for number, text in enumerate(texts)]
    await cache.save_head(thread_name(conversation_id), fetched([*reversed(values)], end=True), NOW)


def found(cache: Cache, text: str, **asked: Any) -> list[str]:
    return [hit.id for hit in cache.search(text, limit=100, **asked)]


def marked(hit: Hit) -> list[str]:
    return [hit.snippet[start:end] for start, end in hit.spans]


@pytest.mark.parametrize(
    ("text", "typed", "shown"),
    [
        ("Where is my invoice?", "voice", ["voice"]),
        ("Where is my invoice?", "INVOICE where", ["Where", "invoice"]),
        ("Where is my invoice?", "i", ["i", "i", "i"]),
        ("Até logo, ﬁn de año", "ate FIN ano", ["Até", "ﬁn", "año"]),
        ("我要退款谢谢", "退款", ["退款"]),
        ("配送はいつですか", "配送はいつ", ["配送はいつ"]),
        ("한국어 메시지", "국어", ["국어"]),
        ("ราคาเท่าไหร่", "ราคา", ["ราคา"]),
        ("كم السعر", "السعر", ["السعر"]),
        ("Order 4711-0815 is late", "0815", ["0815"]),
        ("Call +1 650-555-1234", "5551234", []),
        ("Call 6505551234", "(650) 555-1234", ["6505551234"]),
        ("Call 07700 900001", "07700 900001", ["07700", "900001"]),
        ("Call me on 07700-900001", "07700 900001", ["07700", "900001"]),
        ("Order 0123-456", "0123 456", ["0123", "456"]),
        ("Call 447700900001", "0044 7700 900001", ["447700900001"]),
        ('say "cheese" OR NEAR(1', '"cheese" OR NEAR(', ['"cheese"', "OR", "NEAR("]),
        ("100 % cotton_blend", "100 % _b", ["100", "%", "_b"]),
        ("❤️ gracias", "❤️", ["❤️"]),
    ],
)
async def test_words_and_parts_of_words_are_found_with_an_excerpt(
    cache: Cache, text: str, typed: str, shown: list[str]
) -> None:
    await hold(cache, "Qqq 99", text)
    (hit,) = cache.search(typed, limit=5)
    assert (hit.conversation_id, hit.kind, hit.id, hit.snippet) == ("7", MESSAGE, "1", text)
    assert marked(hit) == shown


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("Delivered 11.02.2024", "01.02.2024"),
        ("On 21/02/2024", "01/02/2024"),
        ("9123456", "00123456"),
    ],
)
async def test_a_zero_in_front_of_a_date_or_an_order_counts(
    cache: Cache, text: str, typed: str
) -> None:
    await hold(cache, "Qqq 99", text)
    assert not cache.search(typed, limit=5)


@pytest.mark.parametrize(
    "typed",
    ["", "  ", '"', "*", "a*", "NEAR(", "^x", "-", "a AND", "text:x", "\x00", "\ud800", "%"],
)
async def test_nothing_that_is_typed_fails(cache: Cache, typed: str) -> None:
    await hold(cache, "nothing of that kind")
    assert [hit.kind for hit in cache.search(typed, limit=5)] in ([], [MESSAGE])


letters = st.text(st.sampled_from('ab é退款"*-(1\n'), max_size=12)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(letters, min_size=1, max_size=8), typed=letters)
async def test_search_finds_what_a_plain_look_finds(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], typed: str
) -> None:
    cache = Cache(tmp_path_factory.mktemp("cache") / "pages.db", "one")
    await hold(cache, *texts)
    every = Terms.of(typed).spellings
    kept = [SearchedText((text,), None, "").text for text in texts]
    expected = {
        str(number)
        for number, text in enumerate(kept)
        if every and all(any(one in text for one in spellings) for spellings in every)
    }
    assert set(found(cache, typed)) == expected
    cache.close()


async def test_the_newest_comes_first_and_pages_follow_each_other(cache: Cache) -> None:
    await hold(cache, *(f"parcel {number}" for number in range(25)))
    hits: list[Hit] = []
    for size in (10, 10, 5, 0):
        page = cache.search("parcel", limit=10, before=hits[-1] if hits else None)
        assert len(page) == size
        hits += page
    assert [hit.id for hit in hits] == [str(number) for number in reversed(range(25))]


async def test_search_results_keep_their_order_when_there_are_many_matches(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    await hold(cache, *(f"parcel {number}" for number in range(25)))

    def asked() -> list[list[str]]:
        return [
            found(cache, "parcel"),
            found(cache, "pa"),
            found(cache, "parcel", conversation_id="7"),
        ]

    expected = asked()
    monkeypatch.setattr("frontdesk.cache.search._MANY", 5)
    assert asked() == expected


async def test_notes_names_numbers_and_contacts_are_found(cache: Cache) -> None:
    await cache.save_head(OPEN, fetched([conversation(7, 9)], end=True), NOW)
    await cache.save_head(notes_name("7"), fetched([note(3, 3)], end=True), NOW)
    contact = Contact(id="1", email="sheena@example.com", custom_fields={"plan": "gold"})
    await cache.save(CONTACT, "1", body_of(contact))
    kinds = [hit.kind for hit in cache.search("ring back", limit=5)]
    assert kinds == ["note"]
    assert [hit.kind for hit in cache.search("nelson", limit=5)] == [CONVERSATION]
    assert [hit.kind for hit in cache.search("5551234", limit=5)] == [CONVERSATION]
    assert [hit.kind for hit in cache.search("0650 555-1234", limit=5)] == [CONVERSATION]
    (hit,) = cache.search("gold", limit=5)
    assert (hit.kind, hit.id, hit.conversation_id) == (CONTACT, "1", "7")
    assert found(cache, "e", kinds=(CONTACT,)) == ["1"]


async def test_a_message_seen_only_in_the_list_is_found_and_once_it_is_read_found_once(
    cache: Cache,
) -> None:
    preview = MessagePreview(id="90", text="Is the lamp back?", created_at=timestamp(START))
    row = conversation(7, 9).model_copy(update={"last_message": preview})
    await cache.save_head(OPEN, fetched([row], end=True), NOW)
    (hit,) = cache.search("lamp", limit=5)
    assert (hit.kind, hit.id, hit.conversation_id) == (MESSAGE, "90", "7")
    assert hit.snippet == "Is the lamp back?"
    await cache.save_head(thread_name("7"), fetched([said(90, "Is the lamp back?")], end=True), NOW)
    assert found(cache, "lamp") == ["90"]
    await cache.save_head(OPEN, fetched([row.model_copy(update={"status": "x"})], end=True), NOW)
    assert found(cache, "lamp") == ["90"]


async def test_a_changed_message_is_found_only_by_its_new_words(cache: Cache) -> None:
    await hold(cache, "the first words")
    await hold(cache, "other words")
    assert found(cache, "first") == []
    assert found(cache, "other words") == ["0"]


async def test_a_dropped_contact_is_not_found(cache: Cache) -> None:
    await cache.save(CONTACT, "1", body_of(Contact(id="1", name="Sheena")))
    await cache.drop(CONTACT, "1")
    assert found(cache, "sheena") == []


async def test_another_server_is_not_searched(cache: Cache, path: Any) -> None:
    await hold(cache, "only here")
    other = Cache(path, "two")
    assert found(other, "only") == []
    other.close()


async def test_the_words_of_attachments_and_forms_are_found(cache: Cache) -> None:
    page: list[Value] = [
        said(2, "", content={"kind": "buttons", "header": {"text": "Choose"}, "buttons": ["Blue"]}),
        said(1, "", media={"filename": "receipt-march.pdf"}),
    ]
    await cache.save_head(thread_name("7"), fetched(page, end=True), NOW)
    assert found(cache, "blue choose") == ["2"]
    assert found(cache, "buttons") == []
    assert found(cache, "march") == ["1"]


@pytest.mark.parametrize(
    ("line", "snippet", "span"),
    [
        (f"needle {'x' * 153}", f"needle {'x' * 153}", (0, 6)),
        (f"{'x' * 153} needle", f"{'x' * 153} needle", (154, 160)),
        (f"{'x' * 154} needle", "needle", (0, 6)),
        (f"needle {'x' * 154}", f"needle {'x' * 153}", (0, 6)),
        (f"{'word ' * 40}needle", f"{'word ' * 7}needle", (35, 41)),
        (f"{'word ' * 40}needle{' x' * 100}", f"{'word ' * 7}needle{' x' * 59} ", (35, 41)),
    ],
)
def test_a_snippet_is_the_whole_line_if_that_is_short(
    line: str, snippet: str, span: tuple[int, int]
) -> None:
    assert snippet_of((line,), Terms.of("needle")) == (snippet, (span,))


def test_a_snippet_of_a_long_message_begins_shortly_before_the_word() -> None:
    line = "word " * 500 + "needle in it " + "hay " * 500
    snippet, spans = snippet_of((line,), Terms.of("needle"))
    assert [snippet[start:end] for start, end in spans] == ["needle"]
    assert len(snippet) <= 160
    assert snippet.startswith("word ")


@pytest.mark.parametrize("kind", [CONTACT, CONVERSATION])
@pytest.mark.parametrize(
    ("typed", "found_ids"),
    [
        ("+49 30 1234567", ["1"]),
        ("0049 (0)30/1234567", ["1"]),
        ("+49 30 12345", ["1", "2"]),
        ("+30", []),
        ("123 45 67", ["1", "2"]),
        ("030 1234567", ["1", "2"]),
        ("11 98765-4321", ["3"]),
        ("long 456 78", ["2"]),
    ],
)
async def test_people_are_found_by_a_number_however_it_is_written(
    cache: Cache, kind: str, typed: str, found_ids: list[str]
) -> None:
    people = (
        PhoneRef(id="1", name="Short", phone="+49301234567"),
        PhoneRef(id="2", name="Long", phone="+4930123456789"),
        PhoneRef(id="3", name="Without a 9", phone="+551187654321"),
    )
    for person in people:
        value = (
            Contact(id=person.id, name=person.name, phone=person.phone)
            if kind == CONTACT
            else conversation(int(person.id), 0).model_copy(update={"contact": person})
        )
        await cache.save(kind, person.id, body_of(value))
    assert sorted(found(cache, typed, kinds=(kind,))) == found_ids


async def test_conversations_of_a_customer_come_open_first_and_whole_words_before_parts(
    cache: Cache,
) -> None:
    people = [
        ("Kit Bradshaw", "resolved"),
        ("Ann Bradshaw", "open"),
        ("Bo Radshaw", "resolved"),
        ("Radshaw-Lee", "snoozed"),
        ("Radshaws", "open"),
        ("Mo Bradshaw", "snoozed"),
        ("Al Bradshaw", "resolved"),
        ("Somebody Else", "open"),
    ]
    values = [
        conversation(at, second=at, status=status).model_copy(
            update={"contact": PhoneRef(id=f"c{at}", name=name, phone=f"+1555000{at}")}
        )
        for at, (name, status) in enumerate(people)
    ]
    await cache.save_all(CONVERSATION, {value.id: body_of(value) for value in values})

    def names(text: str, limit: int = 20) -> list[str]:
        return [people[int(id)][0] for id in cache.conversations_with(text, limit=limit)]

    assert names("RADSHAW") == [
        *("Bo Radshaw", "Radshaws", "Radshaw-Lee"),
        *("Ann Bradshaw", "Mo Bradshaw", "Al Bradshaw", "Kit Bradshaw"),
    ]
    assert names("radshaw", 2) == ["Bo Radshaw", "Radshaws"]
    assert names("al bradshaw") == ["Al Bradshaw"]
    assert names("bradshaw a")[:2] == ["Ann Bradshaw", "Al Bradshaw"]
    assert len(names("sh")) == 7
    assert names("+1 555-0001") == ["Ann Bradshaw"]
    assert names(" ") == names("ghost") == []


# What a program read in a file


def voice_message(id: int, words: str, **members: Any) -> Message:
    media = Media(voice=True, text=MediaText(text=words, by="whisper@4f2a"))
    return said(id, "", media=media, type="audio", **members)


async def test_what_was_read_in_a_file_is_found_and_says_in_what(cache: Cache) -> None:
    words = f"hola, {'y ' * 200}la factura\nes de mayo"
    head = fetched([voice_message(1, words)], end=True)
    await cache.save_head(thread_name("7"), head, NOW)
    (hit,) = cache.search("Factura", limit=5)
    assert hit.snippet.startswith("≈ in the voice message: ")
    assert marked(hit) == ["factura"]


async def test_own_words_that_begin_with_the_mark_are_found_with_it(cache: Cache) -> None:
    await hold(cache, "≈ 20 pieces")
    (hit,) = cache.search("pieces", limit=5)
    assert hit.snippet == "≈ 20 pieces"
    assert marked(hit) == ["pieces"]
