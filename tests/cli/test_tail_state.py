"""The state of a tail: each message once, late ones too, whenever the program was stopped."""

import json
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import NOW

from frontdesk.cli.tail_state import LATE, TailState, printing_once
from frontdesk.errors import BadSettings

SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Row:
    """A message so many seconds after NOW."""

    key: str
    seconds: float = 0

    @property
    def at(self):
        return NOW + timedelta(seconds=self.seconds)


def state_of(path: Path) -> TailState:
    return TailState.load(path, "this inbox", NOW)


def test_a_row_is_written_down_directly_after_it_is_printed(tmp_path: Path):
    path, printed = tmp_path / "state", []

    def show(rows):
        printed.extend(rows)
        if len(printed) == 2:
            raise BrokenPipeError

    show_new = printing_once(show, state_of(path), lambda: NOW)
    with pytest.raises(BrokenPipeError):
        show_new([Row("a"), Row("b"), Row("c")])
    assert state_of(path).unprinted([Row("a"), Row("b"), Row("c")]) == [Row("b"), Row("c")]


def test_a_message_that_arrives_late_is_still_looked_for(tmp_path: Path):
    path, hour = tmp_path / "state", 3600
    state = state_of(path)
    state.record(Row("a", hour), NOW + timedelta(hours=2))
    again = state_of(path)
    assert again.since == Row("", hour).at - LATE
    assert again.unprinted([Row("late", hour - 60), Row("a", hour)]) == [Row("late", hour - 60)]


def test_nothing_from_before_the_beginning_is_printed_later(tmp_path: Path):
    state = state_of(tmp_path / "state")
    state.record(Row("a", 1), NOW + SECOND)
    assert state.since == NOW


def test_a_message_of_the_future_does_not_hide_those_until_then(tmp_path: Path):
    path = tmp_path / "state"
    state_of(path).record(Row("future", 86_400), NOW + SECOND)
    again = state_of(path)
    assert again.newest == NOW + SECOND
    assert again.unprinted([Row("future", 86_400), Row("b", 2)]) == [Row("b", 2)]


def test_what_is_long_past_is_forgotten(tmp_path: Path):
    path = tmp_path / "state"
    state = state_of(path)
    for hour in range(3):
        state.record(Row(str(hour), hour * 3600), NOW + timedelta(days=1))
    assert [*state_of(path).printed] == ["2"]


@pytest.mark.parametrize(
    ("before", "is_kept"), [(LATE - SECOND, True), (LATE, True), (LATE + SECOND, False)]
)
def test_what_may_still_come_late_is_remembered(
    tmp_path: Path, before: timedelta, is_kept: bool
) -> None:
    state = state_of(tmp_path / "state")
    later = NOW + timedelta(hours=1)
    state.record(Row("a", 3_600 - before.total_seconds()), later)
    state.record(Row("b", 3_600), later)
    assert ("a" in state_of(tmp_path / "state").printed) == is_kept


def test_a_row_without_a_time_was_printed_now(tmp_path: Path) -> None:
    class Undated:
        key, at = "a", None

    state = state_of(tmp_path / "state")
    state.record(Undated(), NOW + SECOND)
    again = state_of(tmp_path / "state")
    assert (again.newest, again.printed) == (NOW + SECOND, {"a": NOW + SECOND})


def test_a_state_begins_in_a_file_of_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "state"
    state = state_of(path)
    assert (state.begin, state.newest, state.since, state.printed) == (NOW, NOW, NOW, {})
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text())["version"] == 1
    assert TailState.load(path, "this inbox", NOW + timedelta(days=1)) == state


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"of": "another"}, "is of another inbox or other filters: give another file"),
        ({"version": 2}, "is no state of frontdesk tail: give another file"),
        ({"begin": "soon"}, "is no state"),
        ({"newest": "soon"}, "is no state"),
        ({"begin": None}, "is no state"),
        ({"printed": []}, "is no state"),
        ({"printed": None}, "is no state"),
    ],
)
def test_a_file_of_another_tail_or_none_is_refused(
    tmp_path: Path, change: dict[str, object], words: str
) -> None:
    path = tmp_path / "state"
    state_of(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(BadSettings, match=words):
        state_of(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "3"])
def test_a_file_that_is_no_state_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "state"
    path.write_text(text)
    with pytest.raises(BadSettings, match="is no state of frontdesk tail"):
        state_of(path)
