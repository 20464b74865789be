"""Several values with commas: any of them."""

from typing import Any

import pytest

from frontdesk.query import Matcher, QueryError, QueryNames, Term, complete, parse, plan
from frontdesk.query.names import unknown_name
from frontdesk.wire import Conversation
from frontdesk.wire.queries import MOST_VALUES
from frontdesk.wire.values import utc_now
from tests.client import inbox_rows

NAMES = QueryNames(
    users={"7": "Ana Souza", "8": "Bo Lind"},
    channels={"106540352242922": "Support EU", "2": "Sales"},
    labels=("billing", "vip", "a,b", "a"),
    me="8",
)


def row_of(number: int, **members: Any) -> Conversation:
    return Conversation.model_validate({**inbox_rows.conversation(number), **members})


ROWS = [row_of(number) for number in range(inbox_rows.CONVERSATIONS)]


def found(text: str, rows: list[Conversation] | None = None) -> list[str]:
    keep = Matcher(parse(text).filters, NAMES, utc_now())
    return [row.id for row in (ROWS if rows is None else rows) if keep(row)]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("is:open,snoozed", "is:open,snoozed"),
        ("IS:Open,OPEN", "is:open"),
        ('#"first one",b', '#"first one",b'),
        ('#a,"b, c"', '#a,"b, c"'),
        ("@ana,me,unassigned", "@me,unassigned,ana"),
        ('in:london,"São Paulo"', 'in:london,"São Paulo"'),
        ('from:"Theo Kim",+16505551234', 'from:"Theo Kim",+16505551234'),
        ("from:+1 650 555 1234,+44 7700 900001 x", 'from:"+1 650 555 1234","+44 7700 900001" x'),
        ("-#a,b #c", "-#a,b #c"),
        ('#"a,b"', '#"a,b"'),
        ("a,b", "a,b"),
    ],
)
def test_values_are_written_with_commas_between(text: str, written: str) -> None:
    query = parse(text)
    if "650 555" not in text:
        assert str(query) == written
    assert parse(str(query)) == query


def test_numbers_with_blanks_end_at_a_comma() -> None:
    (term,) = parse("from:+1 650 555 1234,+44 7700 900001").terms
    assert term.values == ("+1 650 555 1234", "+44 7700 900001")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("is:open,snoozed", ("is:open", "is:snoozed")),
        ("#billing,vip", ("#billing", "#vip")),
        ("@ana,unassigned", ("@ana", "@unassigned")),
        ("@me,ana", ("@me", "@ana")),
        ("in:support,sales", ("in:support", "in:sales")),
        ('from:"Zoë 3",+16505551004', ('from:"Zoë 3"', "from:+16505551004")),
    ],
)
def test_one_of_several_values_has_to_match(text: str, same: tuple[str, ...]) -> None:
    either = {id for one in same for id in found(one)}
    assert {*found(text)} == either
    assert {*found(f"-{text}")} == {row.id for row in ROWS} - either
    assert len(either) > 0


def test_a_name_that_has_a_comma_itself_is_one_value() -> None:
    rows = [row_of(1, labels=["a,b"]), row_of(2, labels=["a"]), row_of(3, labels=["b"])]
    assert found("#a,b", rows) == ["1001"]
    assert found('#"a,b"', rows) == ["1001"]
    assert found("#b,a", rows) == ["1002", "1003"]
    assert plan(parse("#a,b"), NAMES).filter.label == "a,b"


def test_several_values_are_tested_here_and_not_by_the_server() -> None:
    answer = plan(parse("is:open,snoozed #billing"), NAMES)
    assert answer.filter.parameters() == {"label": "billing"}
    assert answer.rest == (Term("is", "open", False, ("snoozed",)),)
    assert parse("is:open,snoozed").value("is") is None


def test_an_unknown_one_of_several_is_named() -> None:
    (term,) = parse("#vip,nope,billing").terms
    assert unknown_name(term, NAMES).startswith("No label fits nope.")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("#a,", "without blanks: #a,b."),
        ("#,a", "without blanks: #a,b."),
        ("#a,,b", "without blanks: #a,b."),
        ("#a, b", "without blanks: #a,b."),
        ("is:open,closed", "is: takes open, snoozed or resolved."),
        ('#a,"b', "The quotes are not closed"),
        ("#" + ",".join(map(str, range(MOST_VALUES + 1))), f"# takes {MOST_VALUES} values at most"),
        ("#a or #b", "For one of several values write #a,b."),
        ("is:open,snoozed is:resolved", "A conversation has one status"),
    ],
)
def test_a_mistake_says_what_to_write(text: str, words: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert words in str(caught.value)


def test_the_last_of_several_values_is_completed() -> None:
    text = "is:open #billing,v"
    (completion,) = complete(text, len(text), NAMES)
    assert text[: completion.start] + completion.text == "is:open #billing,vip"
    everything = [one.text for one in complete("@ana,", 5, NAMES)]
    assert {"me", '"Bo Lind"'} <= {*everything}


@pytest.mark.parametrize(
    ("value", "first"),
    [("mariana", "Mariana Costa"), ("costas", "Mariana Costa"), ("IBANES", "Ana Ibáñez")],
)
def test_of_names_that_nothing_has_those_are_said_first_that_have_a_like_word(
    value: str, first: str
) -> None:
    names = QueryNames(users={"1": "Bo Ek", "2": "Ana Ibáñez", "3": "Mariana Costa"}, me="1")
    sentence = unknown_name(Term("assignee", f"{value}x"), names)
    assert f"There is {first}, " in sentence
