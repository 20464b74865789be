"""Masks: stand-ins, and what is found in texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.text.masking import CustomerIdentity, Mask, Pseudonyms, is_stand_in

SECRET = b"the secret of one inbox"
PSEUDONYMS = Pseudonyms(SECRET)
RUTH = CustomerIdentity.of(
    {
        "id": "31",
        "name": "Ruth N. Okonjo",
        "profile_name": "ruthie ✨",
        "phone": "+4915112345678",
        "custom_fields": {"birthday": "1979-11-02", "size": "M"},
    }
)
NOBODY = CustomerIdentity("0")
HERSELF = PSEUDONYMS.customer("31")
SOMEBODY = PSEUDONYMS.customer("8")


def masked(text: str, person: CustomerIdentity = RUTH) -> str:
    mask = Mask(PSEUDONYMS, lambda names: {name: "8" for name in names if name == "tomas de wit"})
    return mask.text(text, person)


@given(
    st.one_of(st.integers(0, 2**70).map(str), st.text(min_size=1, max_size=40)).filter(
        lambda id: "\0" not in id
    )
)
def test_a_stand_in_leads_back_to_its_contact_by_the_secret_alone(id: str) -> None:
    stand_in = PSEUDONYMS.customer(id)
    assert is_stand_in(stand_in)
    assert stand_in == Pseudonyms(SECRET).customer(id)
    assert PSEUDONYMS.contact_id(f" {stand_in.upper()} ") == id
    assert Pseudonyms(b"another").contact_id(stand_in) != id or len(stand_in) < 16


def test_no_two_contacts_have_one_stand_in() -> None:
    assert len({PSEUDONYMS.customer(str(id)) for id in range(66_000)}) == 66_000
    assert len(PSEUDONYMS.customer("65535")) == len("customer 4f2a")


@pytest.mark.parametrize("text", ["", "customer", "customer 4f2", "customer zz12", "Customer Care"])
def test_another_text_is_no_stand_in(text: str) -> None:
    assert PSEUDONYMS.contact_id(text) is None


@pytest.mark.parametrize(
    "written",
    [
        *(
            "+4915112345678",
            "0151 12345678",
            "(0151) 123 456-78",
            "0151/12.34.56.78",
            "15112345678",
        ),
        *("+49 151 1234 5678", "+49‑151‑12345678", "٠١٥١١٢٣٤٥٦٧٨", "wa.me/4915112345678"),
    ],
)
def test_a_number_is_masked_however_it_is_written(written: str) -> None:
    text = masked(f"call {written}!")
    assert text.replace("wa.me/", "").replace("(", "") == f"call {HERSELF}!"
    assert "call number " in masked(f"call {written}!", NOBODY).replace("wa.me/", "").replace(
        "(", ""
    )


@pytest.mark.parametrize(
    "text",
    [
        "on 2026-03-14 at 09:30, or 14.03.2026",
        "order 100482, 45 units, 12:30-13:30",
        "£1,282.22 for 2 × VD-1046",
        "Will the hotel de luxe be open? No name here.",
    ],
)
def test_what_is_no_number_stays(text: str) -> None:
    assert masked(text) == text


def test_one_number_has_one_stand_in_with_its_country_and_without() -> None:
    first, second = masked("+44 20 7946 0018", NOBODY), masked("(0) 20-7946-0018", NOBODY)
    assert first.endswith(second.removeprefix("("))
    assert first != masked("+44 20 7946 0019", NOBODY)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("I am Ruth", f"I am {HERSELF}"),
        ("RUTH N OKONJO, ruth n. okonjo", f"{HERSELF}, {HERSELF}"),
        ("Ruth O'Okonjo-Okonjo", HERSELF),
        ("Rùthie says hi", f"{HERSELF} says hi"),
        ("truth, n., M", "truth, n., M"),
        ("ask Tomás  de Wit about it", f"ask {SOMEBODY} about it"),
        ("ask Tomás about it", "ask Tomás about it"),
    ],
)
def test_parts_of_the_customers_names_and_whole_ones_of_others(text: str, shown: str) -> None:
    assert masked(text) == shown


def test_names_without_blanks_are_found_within_words() -> None:
    person = CustomerIdentity.of({"id": "31", "name": "王小明"})
    assert masked("我是王小明", person) == HERSELF


def test_addresses_user_ids_and_values_of_fields_are_masked() -> None:
    text = masked("ruth@okonjo.example, @ruth.o, US.13491208655302741918, born 1979-11-02, size M")
    kinds = [part.split()[0] for part in text.split(", ")]
    assert kinds == ["address", "user", "user", "born", "size"]
    assert "1979" not in text
    assert text.endswith("size M")


def test_what_a_message_has_beside_its_text_is_masked_whatever_it_is_called() -> None:
    media = {
        "mime_type": "audio/ogg",
        "url": "/v1/media/k",
        "text": {"text": "Ruth, 0151 12345678"},
    }
    message = {"id": "100200300", "type": "audio", "media": media, "later": [{"by": "Ruth"}]}
    shown = Mask(PSEUDONYMS).message(message, RUTH)
    assert shown["id"] == "100200300"
    assert shown["media"]["text"] == {"text": f"{HERSELF}, {HERSELF}"}
    assert (shown["media"]["mime_type"], shown["media"]["url"]) == ("audio/ogg", None)
    assert shown["later"] == [{"by": HERSELF}]


def test_a_part_of_a_text_loses_words_that_may_have_been_cut() -> None:
    mask = Mask(PSEUDONYMS)
    assert (
        mask.part("…0049 151 12 is the number of Ruth Okon…", NOBODY) == "…is the number of Ruth…"
    )
    assert mask.part(f"{'so ' * 63}call 0151 123", RUTH) == f"{'so ' * 63}call…"
    assert mask.part("call Ruth", RUTH) == f"call {HERSELF}"


@given(st.text(max_size=60))
def test_what_is_masked_is_not_masked_again(text: str) -> None:
    once = masked(text)
    assert masked(once) == once
