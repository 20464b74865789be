"""Terms of a query as the reader sees them."""

import pytest

from frontdesk.inbox.chips import chips, customer_name, query_words
from frontdesk.query import QueryNames, parse
from frontdesk.query.names import TeamNames
from frontdesk.wire import PhoneRef
from tests.conftest import NOW

NAMES = QueryNames(
    users={"1": "Ana  Ruiz", "2": "Priya Raman"},
    channels={"10": "London"},
    teams={"5": TeamNames("Sales", frozenset({"10"}), frozenset({"1"}))},
    contacts=(
        PhoneRef(id="7", name="Theo Kim", phone="+16505551234"),
        PhoneRef(id="8", name="Theo Kim", phone="+16505559999"),
        PhoneRef(id="9", name="Freya Pryce", phone=None),
        PhoneRef(id="11", name=None, phone="+442079460018"),
        PhoneRef(id="12", name=None, phone=None),
    ),
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("is:open", "is:open"),
        ("@id:1", '@"Ana Ruiz"'),
        ("-@id:1", '-@"Ana Ruiz"'),
        ("@id:99", "@id:99"),
        ("@me", "@me"),
        ("@id:1,id:2", '@"Ana Ruiz","Priya Raman"'),
        ("by:id:2", 'by:"Priya Raman"'),
        ("in:id:10", "in:London"),
        ("in:id:1", "in:id:1"),
        ("team:id:5", "team:Sales"),
        ("#billing", "#billing"),
        ("refund", "refund"),
        ("from:id:7", 'from:"Theo Kim" +1 650-555-1234'),
        ("-from:+16505559999", '-from:"Theo Kim" +1 650-555-9999'),
        ("from:id:9", 'from:"Freya Pryce" id:9'),
        ("from:id:11", 'from:"+44 20 7946 0018"'),
        ("from:id:99", "from:id:99"),
        ("from:+442079460099", 'from:"+44 20 7946 0099"'),
        ("from:theo", "from:theo"),
    ],
)
def test_a_term_is_shown_with_the_names_of_ids(text: str, words: str) -> None:
    query = parse(text)
    assert chips(query, NAMES, NOW) == [(query.terms[0], words)]


def test_the_labels_of_a_query_are_in_a_line() -> None:
    assert query_words(parse("is:open in:id:10 refund"), NAMES, NOW) == "is:open in:London refund"
    assert query_words(parse(""), NAMES, NOW) == ""


def test_business_hours_are_said_to_be_missing_where_channels_are_known() -> None:
    query = parse("hours:business waiting:>4h")
    (hours,) = (term for term in query.terms if term.kind == "hours")
    assert dict(chips(query, NAMES, NOW))[hours] == (
        "hours:business – this inbox has no business hours"
    )
    assert dict(chips(query, QueryNames(), NOW))[hours] == "hours:business"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("id:7", "Theo Kim +1 650-555-1234"),
        ("id:9", "Freya Pryce"),
        ("id:11", "+44 20 7946 0018"),
        ("id:12", "contact 12"),
        ("+442079460099", "+44 20 7946 0099"),
        ("theo", ""),
        ("id:99", ""),
    ],
)
def test_a_customer_is_named_by_name_or_number_and_by_both_if_others_have_the_name(
    value: str, name: str
) -> None:
    assert customer_name(value, NAMES) == name
