"""Splitting a JSON stream into values, in any layout."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.ingest.json_values import JsonValue, split

SCALARS = st.none() | st.booleans() | st.integers() | st.text()
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=3)


def read(text: bytes, size: int = 64, limit: int = 10_000) -> list[JsonValue]:
    """The values of a text that comes in pieces of this size."""
    return list(split((text[at : at + size] for at in range(0, len(text), size)), limit))


@given(
    arrays=st.lists(st.lists(VALUES, max_size=4), max_size=3),
    objects=st.lists(OBJECTS, max_size=3),
    indent=st.sampled_from((None, 0, 2)),
    size=st.integers(1, 40),
    ascii_only=st.booleans(),
)
def test_elements_of_arrays_and_objects_come_out_as_they_went_in(
    arrays: list[list[Any]],
    objects: list[dict[str, Any]],
    indent: int | None,
    size: int,
    ascii_only: bool,
) -> None:
    whole = [json.dumps(one, indent=indent, ensure_ascii=ascii_only) for one in (*arrays, *objects)]
    found = read("\n".join(whole).encode("utf-8", "surrogatepass"), size)
    texts = [one.text.decode("utf-8", "surrogatepass") for one in found if one.text is not None]
    assert [json.loads(one) for one in texts] == [each for one in arrays for each in one] + objects


def test_each_value_has_the_line_that_it_begins_in() -> None:
    text = b'[\n  {"a": 1},\n  {\n    "b": 2\n  }, 7\n]\n{}'
    assert [one.line for one in read(text, 3)] == [2, 3, 5, 7]


def test_a_value_that_is_too_long_is_left_out_and_the_rest_is_found() -> None:
    text = b'[{"a": 1}, {"b": "%s"}, {"c": 3}]' % (b"x" * 500)
    assert [one.text for one in read(text, limit=100)] == [b'{"a": 1}', None, b'{"c": 3}']


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (b'[{"a": "broken\n}, {"b": 2}]', [b'{"a": "broken\n}', b'{"b": 2}']),
        (b'[{"a": 1', [b'{"a": 1']),
        (b'["a\\', [b'"a\\']),
        (b"[1}, 2]", [b"1}", b"2"]),
        (b"{} ] {}", [b"{}", b"]", b"{}"]),
    ],
)
def test_broken_json_is_split_with_as_little_loss_as_possible(
    text: bytes, values: list[bytes]
) -> None:
    for size in (1, 2, 64):
        assert [one.text for one in read(text, size)] == values
