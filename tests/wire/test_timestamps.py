"""Timestamps as the interface writes them, and as programs read them."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk import wire
from frontdesk.wire import Wire, reports, timestamp
from frontdesk.wire.values import instant

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_timestamp_is_its_moment_to_the_millisecond(moment: datetime) -> None:
    milliseconds = (moment - EPOCH) // timedelta(milliseconds=1)
    text = timestamp(milliseconds)
    assert instant(text) == EPOCH + timedelta(milliseconds=milliseconds)
    assert len(text) == len("2026-03-14T09:26:53.000Z")
    assert text.endswith("Z")


@given(st.integers(0, 4_000_000_000_000), st.integers(0, 4_000_000_000_000))
def test_the_order_of_timestamps_is_that_of_moments(one: int, other: int) -> None:
    assert (timestamp(one) < timestamp(other)) == (one < other)


VALUES = {**vars(wire), **vars(reports)}.values()
MODELS = [one for one in VALUES if isinstance(one, type) and issubclass(one, Wire)]
TIMED = [(model, name) for model in MODELS for name in vars(model) if name.endswith("_time")]


@pytest.mark.parametrize(("model", "name"), TIMED, ids=lambda one: getattr(one, "__name__", one))
@given(milliseconds=st.integers(0, 4_000_000_000_000))
def test_each_timestamp_is_to_be_had_as_a_datetime(
    model: type[Wire], name: str, milliseconds: int
) -> None:
    stem = name.removesuffix("_time")
    member = next(one for one in (f"{stem}_at", f"{stem}_", stem) if one in model.model_fields)
    text = timestamp(milliseconds)
    row = model.model_construct(**{member: text})
    assert getattr(row, name) == EPOCH + timedelta(milliseconds=milliseconds)
    assert getattr(model.model_construct(**{member: "(soon)"}), name) is None
    assert json.loads(row.model_dump_json(exclude_unset=True)) == {member.rstrip("_"): text}


def test_no_timestamp_is_text_only() -> None:
    described = {
        (model.__name__, field)
        for model in MODELS
        for field in model.model_fields
        if field.endswith(("_at", "_since", "_until", "as_of"))
    }
    timed = {(model.__name__, name.removesuffix("_time")) for model, name in TIMED}
    assert {(model, field.removesuffix("_at")) for model, field in described} <= timed
    assert len(described) > 30
