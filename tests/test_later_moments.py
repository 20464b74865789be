"""Moments to come that people type."""

from contextlib import suppress
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.text.later import coming, coming_in_full, moment_of

MADRID = ZoneInfo("Europe/Madrid")
# A Friday.
NOW = datetime(2026, 11, 27, 10, 15, tzinfo=MADRID)


def local(text: str, now: datetime = NOW) -> str:
    return moment_of(text, now, MADRID).astimezone(MADRID).strftime("%a %Y-%m-%d %H:%M")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("in 1h", "Fri 2026-11-27 11:15"),
        ("1h", "Fri 2026-11-27 11:15"),
        ("in 30 minutes", "Fri 2026-11-27 10:45"),
        ("2d", "Sun 2026-11-29 10:15"),
        ("in 1 week", "Fri 2026-12-04 10:15"),
        ("15:00", "Fri 2026-11-27 15:00"),
        ("9:00", "Sat 2026-11-28 09:00"),
        ("3pm", "Fri 2026-11-27 15:00"),
        ("12 am", "Sat 2026-11-28 00:00"),
        ("12pm", "Fri 2026-11-27 12:00"),
        ("1pm", "Fri 2026-11-27 13:00"),
        ("11:59 p.m.", "Fri 2026-11-27 23:59"),
        ("10:15", "Sat 2026-11-28 10:15"),
        ("10:16", "Fri 2026-11-27 10:16"),
        ("23:59", "Fri 2026-11-27 23:59"),
        ("0:00", "Sat 2026-11-28 00:00"),
        ("1m", "Fri 2026-11-27 10:16"),
        ("2w", "Fri 2026-12-11 10:15"),
        ("on next sat", "Sat 2026-11-28 09:00"),
        ("9", "Sat 2026-11-28 09:00"),
        ("at 18", "Fri 2026-11-27 18:00"),
        ("tom", "Sat 2026-11-28 09:00"),
        ("tom 8.30", "Sat 2026-11-28 08:30"),
        ("fri 14", "Fri 2026-12-04 14:00"),
        ("dec 14", "Mon 2026-12-14 09:00"),
        ("14 dec 7", "Mon 2026-12-14 07:00"),
        ("next week", "Mon 2026-11-30 09:00"),
        ("next week 15:00", "Mon 2026-11-30 15:00"),
        ("27 nov 11:00", "Fri 2026-11-27 11:00"),
        ("26 nov", "Fri 2027-11-26 09:00"),
        ("at 9.30", "Sat 2026-11-28 09:30"),
        ("tomorrow", "Sat 2026-11-28 09:00"),
        ("Tomorrow 15:00", "Sat 2026-11-28 15:00"),
        ("mon", "Mon 2026-11-30 09:00"),
        ("mon 9:00", "Mon 2026-11-30 09:00"),
        ("monday at 5pm", "Mon 2026-11-30 17:00"),
        ("fri", "Fri 2026-12-04 09:00"),
        ("today 18:00", "Fri 2026-11-27 18:00"),
        ("1 dec", "Tue 2026-12-01 09:00"),
        ("1 december", "Tue 2026-12-01 09:00"),
        ("dec. 1", "Tue 2026-12-01 09:00"),
        ("Dec 1, 8:00", "Tue 2026-12-01 08:00"),
        ("3 mar", "Wed 2027-03-03 09:00"),
        ("2026-12-01", "Tue 2026-12-01 09:00"),
        ("2026-12-01 9:00", "Tue 2026-12-01 09:00"),
        ("2026-12-01T14:30", "Tue 2026-12-01 14:30"),
    ],
)
def test_a_moment_to_come_is_written_as_people_do(text: str, moment: str) -> None:
    assert local(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        *("", "24", "25:00", "24:00", "9:60", "soon", "31 feb", "13pm", "0pm", "mon 99:00", "in h"),
        *("mon 24", "week", "1 2 dec", "dec", "100000m"),
    ],
)
def test_what_is_no_moment_is_answered_by_examples(text: str) -> None:
    with pytest.raises(ValueError, match=r"^Write in 1h, 15:00, tomorrow, mon 9:00, next week, "):
        moment_of(text, NOW, MADRID)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2026-11-01", "not in the future"),
        ("0m", "not in the future"),
        ("today", "not in the future"),
        ("1001d", "At most 1000 days ahead"),
        ("9000d", "At most 1000 days ahead"),
    ],
)
def test_a_moment_is_ahead_and_not_too_far(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        moment_of(text, NOW, MADRID)


def test_hours_pass_as_they_do_and_days_keep_the_time_when_the_clocks_change() -> None:
    before = datetime(2026, 10, 24, 22, 0, tzinfo=MADRID)
    assert local("in 6h", before) == "Sun 2026-10-25 03:00"
    assert local("1d", before) == "Sun 2026-10-25 22:00"


@given(st.text(max_size=20))
def test_any_text_is_a_moment_ahead_or_a_sentence(text: str) -> None:
    moment = None
    with suppress(ValueError):
        moment = moment_of(text, NOW, MADRID)
    assert moment is None or moment > NOW


def test_a_moment_to_come_is_said_as_short_as_it_is_clear() -> None:
    times = [moment_of(text, NOW, MADRID).astimezone(MADRID) for text in ("15:00", "mon", "9 dec")]
    assert [coming(moment, NOW) for moment in times] == ["15:00", "Mon 09:00", "9 Dec 09:00"]
    days = [moment_of(f"{days}d", NOW, MADRID).astimezone(MADRID) for days in (1, 6, 7, 1000)]
    assert [coming(moment, NOW) for moment in days] == [
        *("Sat 10:15", "Thu 10:15", "4 Dec 10:15", "23 Aug 10:15"),
    ]
    assert coming_in_full(times[1]) == "Monday 30 November 2026, 09:00"
    assert moment_of("in 1h", NOW).tzinfo is UTC
