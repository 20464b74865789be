"""Customers that a `from:` value means: those that are known, and those that a search finds."""

import pytest

from frontdesk.query import QueryNames, parse
from frontdesk.query.names import is_contact, with_customers
from frontdesk.wire import Contact, Page, PhoneRef

ANA, MARIANA = Contact(id="1", name="Ana Ruiz", phone="+16505551234"), Contact(id="2", name="Mária")
LONGER = Contact(id="3", name="Theo", phone="+1650555123456")
NOBODY = Contact(id="4", name="Somebody else", phone="+34600111222")


async def found(
    text: str, *contacts: Contact, cursor: str | None = None
) -> tuple[dict[str, str], list[str]]:
    """Ids by the values that mean one customer each, and what was searched."""
    asked = []

    async def search(value: str) -> Page[Contact]:
        asked.append(value)
        return Page[Contact].of(contacts, cursor)

    names = await with_customers(QueryNames(), parse(text), search)
    return dict(names.customers), asked


@pytest.mark.parametrize(
    ("text", "contacts", "customers"),
    [
        ("from:ana", [ANA], {"ana": "1"}),
        ("from:ANA", [ANA, NOBODY], {"ANA": "1"}),
        ("from:maria", [ANA, MARIANA], {"maria": "2"}),
        ("from:ana", [], {}),
        ("from:ana", [NOBODY], {}),
        ("from:ana", [ANA, Contact(id="9", name="Ana Ibáñez")], {}),
        ("from:+16505551234", [ANA, LONGER], {"+16505551234": "1"}),
        ("from:ana,theo", [ANA, LONGER], {"ana": "1", "theo": "3"}),
        ("-from:ana is:open", [ANA], {"ana": "1"}),
    ],
)
async def test_a_value_means_the_one_customer_whom_it_fits(
    text: str, contacts: list[Contact], customers: dict[str, str]
) -> None:
    assert (await found(text, *contacts))[0] == customers


async def test_a_value_with_further_pages_of_customers_means_none() -> None:
    assert await found("from:ana", ANA, cursor="next") == ({}, ["ana"])


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("from:ana", ["ana"]),
        ("from:an", []),
        ("from:'an maria'", []),
        ('from:"an maria"', []),
        ('from:"maria an"', ["maria an"]),
        ("from:o'k", []),
        ("from:o'kr", ["o'kr"]),
        ("from:ana1", []),
        ("from:id:7", []),
        ("from:555", []),
        ("from:+16505551234", ["+16505551234"]),
        ("in:london @ana #ana", []),
        ("from:ana,an,theo", ["ana", "theo"]),
    ],
)
async def test_only_what_a_search_finds_completely_is_searched(
    text: str, searched: list[str]
) -> None:
    assert (await found(text, ANA))[1] == searched


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ("id:1", True),
        ("id:2", False),
        ("ana", True),
        ("na ru", False),
        ("ru an", True),
        ("uiz ana", True),
        ("ruíz", True),
        ("anna", False),
        ("650 555-1234", True),
        ("5551234", True),
        ("5559999", False),
        ("+16505551234", True),
    ],
)
def test_a_customer_is_meant_by_id_number_or_part_of_the_name(value: str, fits: bool) -> None:
    assert is_contact(value, PhoneRef(id="1", name="Ana Ruiz", phone="+16505551234")) is fits


def test_a_customer_without_name_and_number_is_meant_by_id_alone() -> None:
    nameless = PhoneRef(id="1", name=None, phone=None)
    assert is_contact("id:1", nameless)
    assert not is_contact("ana", nameless)
    assert not is_contact("+16505551234", nameless)
