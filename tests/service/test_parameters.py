"""Parameters of a request: what is taken, and what each fault says."""

import pytest

from frontdesk.service.params import Parameters, echo, row_id
from frontdesk.service.problems import ApiError

NAMES = ("limit", "cursor", "status", "q")
STATUSES = ("open", "resolved")
# Characters of a cursor, and rows of a page.
MAX_LENGTH, MAX_LIMIT = 512, 100


def faults(parameters: Parameters) -> list[tuple[str, str, str]]:
    """Code, parameter and reason of each fault."""
    try:
        parameters.raise_if_invalid()
    except ApiError as error:
        return [(error.code, fault.parameter, fault.reason) for fault in error.errors or ()]
    return []


@pytest.mark.parametrize(
    ("query", "value"),
    [
        (b"", None),
        (b"q=", ""),
        (b"q", ""),
        (b"q=a+b%20c", "a b c"),
        (b"q=%C3%A9", "\u00e9"),
        (b"&&q=a=b&", "a=b"),
    ],
)
def test_a_value_is_decoded(query: bytes, value: str | None) -> None:
    parameters = Parameters(query, NAMES)
    assert parameters.get("q") == value
    assert faults(parameters) == []


@pytest.mark.parametrize(
    ("query", "parameter", "reason"),
    [
        (b"q=1&q=1", "q", "repeated"),
        (b"q=%", "q", "malformed"),
        (b"q=%C3", "q", "malformed"),
        (b"q=%00", "q", "malformed"),
        (b"q=%7F", "q", "malformed"),
        (b"q=\xc3\xa9", "q", "malformed"),
        (b"size=1", "size", "unknown"),
        (b"%=1", "?", "malformed"),
    ],
)
def test_a_fault_has_its_parameter_and_its_reason(
    query: bytes, parameter: str, reason: str
) -> None:
    parameters = Parameters(query, NAMES)
    assert parameters.get(parameter) is None
    assert parameters.faulty(parameter)
    assert faults(parameters) == [("invalid_parameter", parameter, reason)]


def test_unknown_parameters_are_passed_over_where_that_is_allowed() -> None:
    parameters = Parameters(b"size=1&q=a", NAMES, strict=False)
    assert faults(parameters) == []
    assert {*parameters.names} == {"q"}


@pytest.mark.parametrize(
    ("text", "limit"),
    [(None, 25), ("1", 1), (str(MAX_LIMIT), MAX_LIMIT), ("007", 7)],
)
def test_a_limit_is_a_number_up_to_the_most(text: str | None, limit: int) -> None:
    parameters = Parameters(b"" if text is None else f"limit={text}".encode(), NAMES)
    assert parameters.limit(25) == limit
    assert faults(parameters) == []


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5", str(MAX_LIMIT + 1), "9" * 10, "ten"])
def test_another_limit_is_a_fault(text: str) -> None:
    parameters = Parameters(f"limit={text}".encode(), NAMES)
    assert parameters.limit(25) == 25
    assert faults(parameters) == [("invalid_limit", "limit", "not_allowed")]


@pytest.mark.parametrize(
    ("length", "is_taken"), [(0, False), (1, True), (MAX_LENGTH, True), (MAX_LENGTH + 1, False)]
)
def test_a_cursor_is_not_longer_than_ours_are(length: int, is_taken: bool) -> None:
    parameters = Parameters(b"cursor=" + b"x" * length, NAMES)
    assert parameters.cursor() == ("x" * length if is_taken else None)
    assert (faults(parameters) == []) is is_taken


@pytest.mark.parametrize(
    ("query", "value", "reason"),
    [
        (b"", None, None),
        (b"status=open", "open", None),
        (b"status=", None, "empty"),
        (b"status=Open", None, "not_allowed"),
    ],
)
def test_a_filter_is_one_of_those_that_are_allowed(
    query: bytes, value: str | None, reason: str | None
) -> None:
    parameters = Parameters(query, NAMES)
    assert parameters.filter_value("status", STATUSES) == value
    assert faults(parameters) == ([("invalid_filter", "status", reason)] if reason else [])


@pytest.mark.parametrize(
    ("query", "values", "reason"),
    [
        (b"", set(), None),
        (b"status=open,resolved", {"open", "resolved"}, None),
        (b"status=open,open", {"open"}, None),
        (b"status=open,", {"open"}, "empty"),
        (b"status=", set(), "empty"),
        (b"status=open,x", {"open"}, "not_allowed"),
    ],
)
def test_a_list_has_some_of_those_that_are_allowed(
    query: bytes, values: set[str], reason: str | None
) -> None:
    parameters = Parameters(query, NAMES)
    assert parameters.some_of("status", STATUSES, "invalid_filter") == values
    assert faults(parameters) == ([("invalid_filter", "status", reason)] if reason else [])


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("1", 1),
        ("9" * 18, 10**18 - 1),
        ("9" * 19, None),
        ("0", None),
        ("01", None),
        ("", None),
        ("x", None),
    ],
)
def test_an_id_has_up_to_eighteen_digits(text: str, id: int | None) -> None:
    assert row_id(text) == id


def test_what_is_repeated_of_a_value_is_short_and_no_key() -> None:
    assert echo("x" * 40) == "x" * 40
    assert echo("x" * 41) == "x" * 39 + "\u2026"
    assert echo("fd_live_0123") == "\u2026"
