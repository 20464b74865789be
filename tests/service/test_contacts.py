"""Contacts: the list by name, searching it, and one by its number."""

import pytest
from small_inbox import START, catalogue, conversations, thread

from frontdesk.ingest.events import ADDRESS_BOOK_NAME, ContactUpsert, Person


@pytest.fixture
def people(add_events):
    add_events(catalogue())
    add_events(conversations(45))
    add_events(thread())


def named(phone, name, **more):
    return ContactUpsert(Person(phone=phone), START, name, ADDRESS_BOOK_NAME, **more)


@pytest.mark.both_engines
@pytest.mark.parametrize("limit", [1, 2, 7])
async def test_contacts_come_by_name_those_without_last(client, people, rows, limit):
    walked = await rows(client, "/v1/contacts", limit=limit)
    assert walked == await rows(client, "/v1/contacts", limit=100)
    names = [contact["name"] for contact in walked]
    known = [name for name in names if name is not None]
    assert len(names) == 24
    assert 0 < len(known) < len(names)
    assert names == known + [None] * (len(names) - len(known))
    assert known == sorted(known)
    assert len({contact["id"] for contact in walked}) == len(walked)


@pytest.mark.both_engines
async def test_names_are_ordered_without_regard_to_case_and_marks(client, add_events, rows):
    add_events(
        [named(f"+4915100000{n}", name) for n, name in enumerate(["zoe", "Émile", "adam", "Zöa"])]
    )
    names = [contact["name"] for contact in await rows(client, "/v1/contacts", limit=1)]
    assert names == ["adam", "Émile", "Zöa", "zoe"]


async def test_a_name_too_long_for_a_cursor_does_not_end_the_walk(client, add_events, rows):
    add_events([named(f"+4915100000{n}", "Ω" * 4000 + str(n)) for n in range(4)])
    assert len(await rows(client, "/v1/contacts", limit=1)) == 4


SEARCHES = [
    ("araujo", ["Zoë Araújo"]),
    ("ZOË ara", ["Zoë Araújo"]),
    ("zoe nobody", []),
    ("(119) 8765-4321", ["Zoë Araújo"]),
    ("+55 11 98765-4321", ["Zoë Araújo"]),
    ("+55 11 8765-4321", ["Zoë Araújo"]),
    ("11 98765-4321", ["Zoë Araújo"]),
    ("987 65 43", ["Zoë Araújo"]),
    ("araujo 987-65", ["Zoë Araújo"]),
    ("+551198765", ["Zoë Araújo"]),
    ("+5", ["Zoë Araújo"]),
    ("+4", []),
    ("+11 98765", []),
    ("011 98765-4321", ["Zoë Araújo"]),
    ("0055 (0)11 98765-4321", ["Zoë Araújo"]),
    ("0011 98765-4321 0", []),
    ("+55", ["Zoë Araújo"]),
    ("+54", []),
    ("00", []),
    ("%", []),
    ("_", []),
    ("\\", []),
    ("'", []),
]


async def test_every_word_must_be_found(client, add_events, rows):
    add_events(thread())
    for text, found in SEARCHES:
        listed = await rows(client, "/v1/contacts", q=text)
        assert [contact["name"] for contact in listed] == found, text


async def test_a_whole_number_is_one_contact_though_others_begin_with_it(client, add_events, rows):
    add_events([named("+49301234567", "Short"), named("+4930123456789", "Long")])
    for text, found in (
        ("+49 30 1234567", ["Short"]),
        ("0049 30 1234567", ["Short"]),
        ("+49 30 123456", ["Long", "Short"]),
        ("030 1234567", ["Long", "Short"]),
    ):
        listed = await rows(client, "/v1/contacts", q=text, limit=1)
        assert [contact["name"] for contact in listed] == found, text


@pytest.mark.parametrize("text", ["", "   "])
async def test_a_blank_search_is_no_filter(client, people, rows, text):
    assert len(await rows(client, "/v1/contacts", q=text, limit=100)) == 24


async def test_a_search_goes_over_pages_too(client, people, rows):
    walked = await rows(client, "/v1/contacts", q="person", limit=2)
    assert len(walked) > 4
    assert walked == await rows(client, "/v1/contacts", q="person", limit=100)


async def test_a_search_has_a_longest_length(client, is_problem):
    document = is_problem(await client.get("/v1/contacts?q=" + "x" * 101), 400, "invalid_parameter")
    assert document["errors"][0]["max"] == 100
    assert (await client.get("/v1/contacts?q=" + "x" * 100)).status_code == 200


async def test_a_search_has_its_own_cursors(client, people, is_problem):
    cursor = (await client.get("/v1/contacts?q=person&limit=1")).json()["next_cursor"]
    is_problem(await client.get("/v1/contacts", params={"cursor": cursor}), 400, "cursor_mismatch")


@pytest.mark.parametrize(
    "written", ["+5511987654321", "%2B5511987654321", "5511987654321", "%205511987654321"]
)
async def test_a_number_is_found_however_its_plus_is_written(client, people, written):
    contact = (await client.get(f"/v1/contacts/by-phone/{written}")).json()
    assert contact["phone"] == "+5511987654321"
    assert contact["custom_fields"] == {"plan": "gold", "seats": 12, "vip": True}


NO_NUMBERS = [
    "abc",
    "+0123456789",
    "+12345",
    "+1234567890123456",
    "++16505551234",
    "+1650 5551234",
    "%20",
    "+٣٣٣٣٣٣٣٣",
    "me",
    "+16505551234%0a",
]


async def test_invalid_phone_numbers_are_refused(client, is_problem):
    for wrong in NO_NUMBERS:
        is_problem(await client.get(f"/v1/contacts/by-phone/{wrong}"), 400, "invalid_phone")


async def test_a_number_of_nobody_is_not_found(client, people, is_problem):
    response = await client.get("/v1/contacts/by-phone/+4900000000")
    assert is_problem(response, 404, "contact_not_found")["resource"] == "contact"


async def test_a_number_takes_no_parameters(client, is_problem):
    response = await client.get("/v1/contacts/by-phone/+5511987654321?limit=1")
    is_problem(response, 400, "invalid_parameter")


async def test_a_custom_field_has_a_value_of_a_kind_that_is_defined(client, add_events):
    fields = {"plan": "gold", "seats": 12, "vip": True, "none": None, "tags": ["a", "ä"]}
    add_events([ContactUpsert(Person(phone="+4915100000"), START, custom_fields=fields)])
    (contact,) = (await client.get("/v1/contacts")).json()["data"]
    expected = {"plan": "gold", "seats": 12, "vip": True, "tags": '["a", "ä"]'}
    assert contact["custom_fields"] == expected


async def test_half_a_character_in_what_is_stored_breaks_no_answer(client, add_events):
    person = Person(phone="+4915100000")
    add_events([ContactUpsert(person, START, custom_fields={"note": "half \\ud83d"})])
    assert (await client.get("/v1/contacts")).status_code == 200
