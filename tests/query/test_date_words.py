"""Times of a query in words: what they say, that they are true, and in which zone."""

import locale
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from frontdesk.query import Term, parse
from frontdesk.query.date_words import time_words
from frontdesk.query.dates import moments, problem
from frontdesk.query.language import DATED, comparison

MADRID = ZoneInfo("Europe/Madrid")
NOW = datetime(2026, 11, 27, 12, tzinfo=MADRID)


def said(text: str, zone: str = "", now: datetime = NOW) -> str:
    (term,) = parse(text).terms
    return time_words(term, now, zone)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("created:2026-11-01", "created on 1 Nov"),
        ("created:2025-11-01", "created on 1 Nov 2025"),
        ("created:2026-11", "created in Nov"),
        ("created:2025-12", "created in Dec 2025"),
        ("created:2026", "created in 2026"),
        ("created:today", "created today"),
        ("created:2026-11-27", "created on 27 Nov"),
        ("active:2026-11-01..2026-11-07", "last active 1 – 7 Nov"),
        ("active:2026-10..2026-11", "last active Oct – Nov"),
        ("active:2025-12..2026-01", "last active Dec 2025 – Jan 2026"),
        ("active:2024..2025", "last active 2024 – 2025"),
        ("active:2026-10-02..2026-11", "last active 2 Oct – 30 Nov"),
        ("active:2025-12-30..2026-01-02", "last active 30 Dec 2025 – 2 Jan 2026"),
        ("active:2025-03-01..2025-03-09", "last active 1 – 9 Mar 2025"),
        ("active:2026-11-01..2026-11-30", "last active in Nov"),
        ("active:..2026-11-01", "last active before 2 Nov"),
        ("active:<2026-11-01", "last active before 1 Nov"),
        ("active:<=2026-11", "last active before 1 Dec"),
        ("active:..2025", "last active before 1 Jan"),
        ("active:..2024", "last active before 1 Jan 2025"),
        ("active:2026-11-01..", "last active from 1 Nov on"),
        ("active:>2026-11-01", "last active from 2 Nov on"),
        ("active:>=2025-11", "last active from 1 Nov 2025 on"),
        ("active:>yesterday", "last active from today on"),
        ("active:yesterday..today", "last active yesterday – today"),
        ("active:2026-11-20..today", "last active 20 Nov – today"),
        # In this night it ends before it begins.
        ("active:2026-12-01..today", "last active 1 Dec – today"),
        ("waiting:..yesterday", "waiting since before today"),
        ("waiting:2026-11-01", "waiting since 1 Nov"),
        ("waiting:2026-11-01..", "waiting since 1 Nov or later"),
        ("waiting:2026-11", "waiting since Nov"),
        ("waiting:2026-11-01..2026-11-07", "waiting since 1 – 7 Nov"),
        ("waiting:>1h", "waiting over 1 h"),
        ("waiting:<30m", "waiting under 30 min"),
        ("active:<2d", "last active under 2 days ago"),
        ("active:>1w", "last active over 1 week ago"),
        ("window:<2h", "reply window under 2 h"),
        ("-waiting:>1h", "not waiting over 1 h"),
        ("-created:2026-11", "not created in Nov"),
    ],
)
def test_a_time_is_said_in_words(text: str, words: str) -> None:
    assert said(text) == words


def test_days_are_in_the_order_of_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locale, "setlocale", lambda category: "xx_XX.UTF-8")
    monkeypatch.setattr(locale, "nl_langinfo", {locale.D_FMT: "%m/%d/%Y"}.__getitem__)
    assert said("created:2026-11-01..2026-11-07") == "created Nov 1 – Nov 7"
    assert said("active:..2024") == "last active before Jan 1 2025"


@pytest.mark.parametrize(
    ("text", "zone", "words"),
    [
        ("created:2026-11", "", "created in Nov"),
        ("created:2026-11", "Europe/Madrid", "created in Nov"),
        # Another name, the same days.
        ("created:2026-11", "Europe/Paris", "created in Nov"),
        ("created:2026-11", "Mars/Olympus", "created in Nov"),
        ("created:2026-11", "America/Bogota", "created in Nov (CET)"),
        ("created:2026-07", "America/Bogota", "created in Jul (CEST)"),
        ("created:2026-10..2026-11", "UTC", "created Oct – Nov (CEST/CET)"),
        # In winter, the clocks of Madrid and Algiers agree.
        ("created:2026-11", "Africa/Algiers", "created in Nov"),
        ("created:2026-07", "Africa/Algiers", "created in Jul (CEST)"),
        ("waiting:..yesterday", "Asia/Tokyo", "waiting since before today (CET)"),
        ("waiting:>1h", "America/Bogota", "waiting over 1 h"),
        ("-active:today", "Asia/Tokyo", "not last active today (CET)"),
    ],
)
def test_the_zone_is_said_where_the_days_of_the_account_are_others(
    text: str, zone: str, words: str
) -> None:
    assert said(text, zone) == words


@pytest.mark.parametrize(
    ("here", "words"),
    [
        (ZoneInfo("America/Sao_Paulo"), "created on 1 Nov (UTC-03:00)"),
        (UTC, "created on 1 Nov (UTC)"),
    ],
)
def test_a_zone_without_a_name_is_its_offset(here: ZoneInfo, words: str) -> None:
    assert said("created:2026-11-01", "Asia/Kolkata", NOW.astimezone(here)) == words


def test_today_is_another_day_where_it_is_already_tomorrow() -> None:
    evening = datetime(2026, 11, 27, 23, 30, tzinfo=UTC)
    assert said("active:today", "Atlantic/Reykjavik", evening) == "last active today"
    assert said("active:today", "Europe/Madrid", evening) == "last active today (UTC)"


_DAYS = st.one_of(
    st.dates(date(2024, 1, 1), date(2027, 12, 31)).map(str),
    st.dates(date(2026, 9, 28), date(2027, 2, 3)).map(str),
    st.dates(date(2024, 1, 1), date(2027, 12, 31)).map(lambda day: str(day)[:7]),
    st.sampled_from(["2025", "2026", "2027", "today", "yesterday"]),
)
_VALUES = st.one_of(
    _DAYS,
    st.builds("{}..{}".format, _DAYS, _DAYS),
    st.builds("{}..".format, _DAYS),
    st.builds("..{}".format, _DAYS),
    st.builds("{}{}".format, st.sampled_from([">", ">=", "<", "<="]), _DAYS),
).filter(lambda text: not problem(text))
_DATED = st.builds(Term, st.sampled_from(DATED), _VALUES, st.booleans())
_AGES = st.builds(
    lambda kind, sign, number, unit, negated: Term(kind, f"{sign}{number}{unit}", negated),
    *(st.sampled_from(("waiting", "active", "window")), st.sampled_from("<>")),
    *(st.integers(0, 99_999), st.sampled_from("smhdw"), st.booleans()),
)
_ZONES = st.sampled_from(["", "Europe/Madrid", "America/Bogota", "Pacific/Auckland"])


@given(st.one_of(_DATED, _AGES), _ZONES)
def test_no_words_have_the_signs_of_the_language(term: Term, zone: str) -> None:
    words = time_words(term, NOW, zone)
    assert words
    assert not {*words} & {*"<>"}
    assert ".." not in words
    assert f"{term.kind}:" not in words


def _bounds(term: Term) -> object:
    begin, end = moments(term.value, NOW)
    # A range that is over before it begins has no conversation, whatever its days.
    is_empty = begin is not None and end is not None and begin >= end
    return term.kind, term.negated, "nothing" if is_empty else (begin, end)


@given(_DATED, _DATED)
def test_terms_of_other_bounds_have_other_words(one: Term, other: Term) -> None:
    assume(_bounds(one) != _bounds(other))
    assert time_words(one, NOW, "") != time_words(other, NOW, "")


@given(_AGES, _AGES)
def test_ages_of_other_lengths_have_other_words(one: Term, other: Term) -> None:
    def means(term: Term) -> tuple[str, bool, tuple[str, timedelta]]:
        return term.kind, term.negated, comparison(term.value)

    assume(means(one) != means(other))
    assert time_words(one, NOW, "") != time_words(other, NOW, "")
