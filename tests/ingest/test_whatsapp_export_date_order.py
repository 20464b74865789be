"""Dates in exported chats, in any language, without guesses."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.errors import BadSettings
from frontdesk.ingest.whatsapp_export.date_order import (
    Order,
    days,
    decided,
    moment,
    outliers,
    possible,
)
from frontdesk.ingest.whatsapp_export.message_headers import (
    Stamp,
    family_of,
    header,
    looks_like_header,
)

TODAY = date(2026, 3, 20)
LRM, RLM, NARROW = "\u200e", "\u200f", "\u202f"


def stamped(line: str) -> tuple[Stamp, str]:
    """The header of a line and what follows it."""
    family = family_of([line])
    assert family is not None
    found = header(line, family)
    assert found is not None
    return found.stamp, line[found.end :]


HEADERS = [
    ("12/3/20, 09:15 - Ana: Hi", (12, 3, 20), "09:15:00"),
    ("12/03/2020 09:15 - Ana: Hi", (12, 3, 2020), "09:15:00"),
    ("3/12/20, 9:15 PM - Ana: Hi", (3, 12, 20), "21:15:00"),
    ("3/12/20, 12:15 am - Ana: Hi", (3, 12, 20), "00:15:00"),
    (f"12/3/2020, 9:15{NARROW}p.{NARROW}m. - Ana: Hi", (12, 3, 2020), "21:15:00"),
    ("12/3/2020, 9:15 a. m. - Ana: Hi", (12, 3, 2020), "09:15:00"),
    ("12.03.20, 09:15 - Ana: Hi", (12, 3, 20), "09:15:00"),
    ("12.3.2020 klo 9.15 - Ana: Hi", (12, 3, 2020), "09:15:00"),
    ("12. 3. 2020 9:15 - Ana: Hi", (12, 3, 2020), "09:15:00"),
    ("12-03-20 09:15 - Ana: Hi", (12, 3, 20), "09:15:00"),
    ("2020-03-12, 09:15 - Ana: Hi", (2020, 3, 12), "09:15:00"),
    ("2020/3/12 下午9:15 - Ana: Hi", (2020, 3, 12), "21:15:00"),
    ("12/3/2020, 9:15 in the evening - Ana: Hi", (12, 3, 2020), "21:15:00"),
    ("[12/03/2020, 09:15:42] Ana: Hi", (12, 3, 2020), "09:15:42"),
    (f"{LRM}[12.03.20, 09:15:42] Ana: Hi", (12, 3, 20), "09:15:42"),
    ("[3/12/20, 9:15:42\u00a0PM] Ana: Hi", (3, 12, 20), "21:15:42"),
    ("[09:15:42, 12/3/2020] Ana: Hi", (12, 3, 2020), "09:15:42"),
    ("[R2/03/12 9:15:42] Ana: Hi", (2, 3, 12), "09:15:42"),
    ("12/3/2563 BE, 09:15 - Ana: Hi", (12, 3, 2563), "09:15:00"),
    (f"{RLM}١٢‏/٣‏/٢٠٢٠، ٩:١٥ م - Ana: Hi", (12, 3, 2020), "21:15:00"),
    ("१२/३/२०२०, ९:१५ - Ana: Hi", (12, 3, 2020), "09:15:00"),
    ("3/12/20, 0:24 PM - Ana: Hi", (3, 12, 20), "12:24:00"),
    ("3/12/20, 0:24 AM - Ana: Hi", (3, 12, 20), "00:24:00"),
    ("12/3/2020, 00:08 a. m. - Ana: Hi", (12, 3, 2020), "00:08:00"),
    (f"12/3/2020, 00:08{NARROW}p.\u00a0m. - Ana: Hi", (12, 3, 2020), "12:08:00"),
    ("[2020/03/12 午後0:24:59] Ana: Hi", (2020, 3, 12), "12:24:59"),
    ("2020/3/12, 13:24 PM - Ana: Hi", (2020, 3, 12), "13:24:00"),
    ("2020. 3. 12. 오후 12:24 - Ana: Hi", (2020, 3, 12), "12:24:00"),
    ("2020年3月12日 晚上12:24 - Ana: Hi", (2020, 3, 12), "00:24:00"),
    ("2020/3/12 中午11:24 - Ana: Hi", (2020, 3, 12), "11:24:00"),
    ("12/3/2020, 11:24 de la noche - Ana: Hi", (12, 3, 2020), "23:24:00"),
    ("12/3/2020, 1:24 de la madrugada - Ana: Hi", (12, 3, 2020), "01:24:00"),
    ("12.3.2020 klo 9.15 ip. - Ana: Hi", (12, 3, 2020), "21:15:00"),
    ("12/3/2020, 9:15 μ.μ. - Ana: Hi", (12, 3, 2020), "21:15:00"),
    ("2020/3/12, 9:15 ب.ظ. - Ana: Hi", (2020, 3, 12), "21:15:00"),
    ("１２/３/２０２０，　９：１５ - Ana: Hi", (12, 3, 2020), "09:15:00"),
    ("\u2068\u061c\u200e12/3/20, 09:15\u2069 - \u200eAna: Hi", (12, 3, 20), "09:15:00"),
    ("12/3/20, 9:15 \u017fA - Ana: Hi", (12, 3, 20), "09:15:00"),
    ("3/12/R2, 9:15 - Ana: Hi", (3, 12, 2), "09:15:00"),
    ("令和2年3月12日 9:15 - Ana: Hi", (2, 3, 12), "09:15:00"),
    ("09:15, 12/03/2020 - Ana: Hi", (12, 3, 2020), "09:15:00"),
    ("9:15 CH, 12/3/20 - Ana: Hi", (12, 3, 20), "21:15:00"),
    ("12/03/2020 lúc 09:15 - Ana: Hi", (12, 3, 2020), "09:15:00"),
    ("[09:15:42 12/3/2020] Ana: Hi", (12, 3, 2020), "09:15:42"),
    ("12.03.20 г., 9:15 ч. - Ana: Hi", (12, 3, 20), "09:15:00"),
    ("[12.03.2020 г., 9:15:42 ч.] Ana: Hi", (12, 3, 2020), "09:15:42"),
    ("2020년 3월 12일 오후 9시 5분 - Ana: Hi", (2020, 3, 12), "21:05:00"),
    ("2020-03-12 09 h 15 - Ana: Hi", (2020, 3, 12), "09:15:00"),
    ("12.03.2020, 09:15 Uhr - Ana: Hi", (12, 3, 2020), "09:15:00"),
    ("2020-03-12, 9:15:42 PM: Ana: Hi", (2020, 3, 12), "21:15:42"),
    ("12.03.20 09:15:42: Ana: Hi", (12, 3, 20), "09:15:42"),
]


@pytest.mark.parametrize(("line", "parts", "time"), HEADERS, ids=[line for line, _, _ in HEADERS])
def test_a_header_is_read_as_phones_write_it(
    line: str, parts: tuple[int, int, int], time: str
) -> None:
    stamp, rest = stamped(line)
    assert stamp.parts == parts
    assert f"{stamp.hour:02}:{stamp.minute:02}:{stamp.second:02}" == time
    assert rest == "Ana: Hi"


@pytest.mark.parametrize(
    "line",
    ["Hi", "12/3 is a date", "12/3/20, 25:15 - Ana: Hi", "[Ana] 12/3/20, 9:15: Hi", "9:15 - Ana"],
)
def test_other_lines_have_no_header(line: str) -> None:
    families = [family_of(["12/3/20, 09:15 - x"]), family_of(["[12/3/20, 09:15:00] x"])]
    assert [header(line, family) for family in families if family] == [None, None]


TIMES = st.tuples(st.integers(0, 12), st.integers(0, 59), st.sampled_from(["AM", "PM"]))


@given(TIMES)
def test_an_hour_of_a_half_of_the_day_lies_in_it_whether_it_is_counted_from_0_or_from_12(
    payload: tuple[int, int, str],
) -> None:
    hour, minute, half = payload
    stamp, _ = stamped(f"12/3/20, {hour}:{minute:02} {half} - Ana: Hi")
    assert (stamp.hour % 12, stamp.minute) == (hour % 12, minute)
    assert (stamp.hour >= 12) == (half == "PM")


@pytest.mark.parametrize(
    "line",
    [
        "12/3/20, 25:15 - Ana: Hi",
        "12/3/20, 9:75 - Ana: Hi",
        "12/3/20, 14:15 AM - Ana: Hi",
        "12/3/20, 9:15 in the small hours - Ana: Hi",
        f"{LRM}[12/3/20, 24:15:00] Ana: Hi",
        "[25:15:42, 12/3/2020] Ana: Hi",
        "25:15, 12/3/2020 - Ana: Hi",
        "12/3/20 9:15:42: Ana: Hi",
        "18 Mar 12:14 - Ana: Hi",
        "Mar 5, 8:11 PM - Ana: Hi",
    ],
)
def test_a_header_that_cannot_be_read_is_seen_to_be_one(line: str) -> None:
    assert looks_like_header(line)
    families = [family_of(["12/3/20, 09:15 - x"]), family_of(["[12/3/20, 09:15:00] x"])]
    assert [header(line, family) for family in families if family] == [None, None]


@pytest.mark.parametrize(
    "line",
    ["", "Hi", "12/3/20", "12/3 is a date", "See you at 9:15 - ok?", "On 12/3/20 at 9:15: lunch"],
)
def test_dates_and_times_in_message_text_do_not_look_like_a_header(line: str) -> None:
    assert not looks_like_header(line)


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("[R2/03/12 9:15:42] Ana: Hi", date(2020, 3, 12)),
        ("12/3/2563 BE, 09:15 - Ana: Hi", date(2020, 3, 12)),
        ("12/3/20, 09:15 - Ana: Hi", date(2020, 3, 12)),
        ("12/3/R2, 09:15 - Ana: Hi", date(2020, 3, 12)),
        ("12/3/平成22, 09:15 - Ana: Hi", date(2010, 3, 12)),
        ("12/3/H22, 09:15 - Ana: Hi", date(2010, 3, 12)),
        ("12/3/令和2, 09:15 - Ana: Hi", date(2020, 3, 12)),
        ("12/3/99, 09:15 - Ana: Hi", date(2099, 3, 12)),
        ("12/3/2400, 09:15 - Ana: Hi", date(2400, 3, 12)),
        ("12/3/2401, 09:15 - Ana: Hi", date(1858, 3, 12)),
    ],
)
def test_years_of_other_calendars(line: str, day: date) -> None:
    order: Order = "ymd" if line.startswith("[R") else "dmy"
    assert days([stamped(line)[0]], order) == [day]


def stamps(*dates: str) -> list[Stamp]:
    return [stamped(f"{each}, 10:00 - Ana: Hi")[0] for each in dates]


@pytest.mark.parametrize(
    ("dates", "order", "reason"),
    [
        (["1/2/20", "25/2/20"], "dmy", "only so are all of them dates"),
        (["1/2/20", "2/25/20"], "mdy", "only so are all of them dates"),
        (["2020/2/1", "2020/3/1"], "ymd", "only so are all of them dates"),
        (["1/2/2020", "2/3/2020", "1/4/2020"], "dmy", "only so they follow each other"),
        (["3/3/2020", "4/4/2020"], "dmy", "they mean the same in any order"),
        (["9/4/2026", "10/1/2026"], "mdy", ""),
        (["25/2/2020", "1/3/2020", "25/12/2031"], "dmy", "only so are all of them dates"),
        (["1/2/2020", "2/3/2020", "1/4/2020", "9/9/2031"], "dmy", "only so they follow each other"),
        (["5/2/2026", "6/2/2026", "9/9/2031"], "dmy", "so the fewest of them lie in the future"),
        (["3/18/R4", "4/1/R4"], "mdy", "only so are all of them dates"),
    ],
)
def test_the_order_of_dates_is_decided_by_evidence(
    dates: list[str], order: Order, reason: str
) -> None:
    today = date(2026, 12, 30) if order == "mdy" and not reason else TODAY
    found = decided(stamps(*dates), None, today)
    assert found.order == order
    assert found.reason == (reason or "only so they follow each other")


@pytest.mark.parametrize(
    ("dates", "asked", "sentence"),
    [
        (["1/2/2020", "2/3/2020"], None, "use --date-order dmy .* or --date-order mdy"),
        (["25/1/2020", "1/25/2020"], None, "No order of day, month and year fits"),
        (["25/1/2020"], "mdy", "The date 25/1/2020 is none as month, day, year"),
        (["25/1/R2"], "mdy", "The date 25/1/R2 is none as month, day, year"),
        (["25/1/2031"], "dmy", "1 of 1 dates, such as 25/1/2031, lie before 2009 or after today"),
        (["1401/1/25", "1401/2/1"], None, "2 of 2 dates, such as 1401/1/25, lie before 2009"),
    ],
)
def test_an_ambiguous_date_order_is_asked_for_and_never_guessed(
    dates: list[str], asked: Order | None, sentence: str
) -> None:
    with pytest.raises(BadSettings, match=sentence):
        decided(stamps(*dates), asked, TODAY)


@pytest.mark.parametrize("choice", ["dmy", "mdy", "ymd", None])
def test_a_requested_order_does_not_count_where_the_year_comes_first(choice: Order | None) -> None:
    assert decided(stamps("2020-01-02", "2020-01-03"), choice, TODAY).order == "ymd"


FORMS = {
    "dmy": "{0.day}/{0.month}/{0:%y}",
    "mdy": "{0.month}/{0.day}/{0:%y}",
    "ymd": "{0:%y}/{0.month}/{0.day}",
}


@given(
    st.lists(st.dates(date(2010, 1, 1), TODAY), min_size=1, max_size=12).map(sorted),
    st.sampled_from(sorted(FORMS)),
)
def test_no_order_is_taken_for_another(payload: list[date], order: Order) -> None:
    written = stamps(*(FORMS[order].format(day) for day in payload))
    assert days(written, chosen(written, order)) == payload


def chosen(written: list[Stamp], order: Order) -> Order:
    """What is decided, or said where it is asked for."""
    try:
        return decided(written, None, TODAY).order
    except BadSettings as error:
        return decided(written, order, TODAY).order if order in str(error) else "ymd"


def test_an_hour_that_comes_twice_is_the_first_and_one_that_is_skipped_the_next() -> None:
    madrid = ZoneInfo("Europe/Madrid")
    twice, skipped = (
        stamped(f"{each} - Ana: Hi")[0] for each in ("25/10/2020, 02:30", "29/03/2020, 02:30")
    )
    first = datetime(2020, 10, 25, 0, 30, tzinfo=UTC)
    after = datetime(2020, 3, 29, 1, 30, tzinfo=UTC)
    assert moment(twice, "dmy", madrid) == first.timestamp() * 1000
    assert moment(skipped, "dmy", madrid) == after.timestamp() * 1000


def test_a_time_at_the_end_of_the_calendar_is_one_in_any_zone() -> None:
    stamp, _ = stamped("[R7981/12/31 23:59:59] Ana: Hi")
    last = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp() * 1000
    assert moment(stamp, "ymd", ZoneInfo("America/Lima")) == last


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("[R2/03/12 9:15:42] Ana: Hi", date(2020, 3, 12)),
        ("[H31/04/30 9:15:42] Ana: Hi", date(2019, 4, 30)),
        ("令和2年3月12日 9:15 - Ana: Hi", date(2020, 3, 12)),
        ("平成31年4月30日 9:15 - Ana: Hi", date(2019, 4, 30)),
        ("12/3/2563 BE, 09:15 - Ana: Hi", date(2020, 3, 12)),
        ("12/3/2563, 09:15 - Ana: Hi", date(2020, 3, 12)),
        ("2563/3/12, 09:15 - Ana: Hi", date(2020, 3, 12)),
        ("12/3/2400, 09:15 - Ana: Hi", date(2400, 3, 12)),
        ("12/3/20, 09:15 - Ana: Hi", date(2020, 3, 12)),
        ("12/3/99, 09:15 - Ana: Hi", date(2099, 3, 12)),
    ],
)
def test_a_year_is_one_of_its_era_or_of_this_century(line: str, day: date) -> None:
    stamp, _ = stamped(line)
    order: Order = "ymd" if stamp.year_first else "dmy"
    if "R2/" in line or "H31/" in line:
        order = "ymd"
    assert days([stamp], order) == [day]


@pytest.mark.parametrize(
    ("line", "first", "last", "exact", "text"),
    [
        ("12/3/20, 09:15 - Ana: Hi", False, False, False, "12/3/20"),
        ("12/3/2020, 09:15 - Ana: Hi", False, True, False, "12/3/2020"),
        ("2020/3/12, 09:15 - Ana: Hi", True, False, False, "2020/3/12"),
        ("[R2/03/12 9:15:42] Ana: Hi", True, False, True, "R2/03/12"),
        ("3/12/R2, 9:15 - Ana: Hi", False, True, False, "3/12/R2"),
        ("[12/3/20, 09:15:00] Ana: Hi", False, False, True, "12/3/20"),
    ],
)
def test_a_stamp_knows_where_its_year_is_and_how_exact_it_is(
    line: str, first: bool, last: bool, exact: bool, text: str
) -> None:
    stamp, _ = stamped(line)
    assert (stamp.year_first, stamp.year_last, stamp.exact) == (first, last, exact)
    assert stamp.date == text


@pytest.mark.parametrize(
    ("clock", "is_time"),
    [
        ("00:00", True),
        ("23:59", True),
        ("24:00", False),
        ("23:60", False),
        ("12:00 PM", True),
        ("13:00 PM", True),
        ("23:59 PM", True),
        ("13:00 AM", False),
    ],
)
def test_a_time_is_one_of_the_day(clock: str, is_time: bool) -> None:
    family = family_of(["12/3/20, 09:15 - Ana: Hi"])
    assert family is not None
    assert (header(f"12/3/20, {clock} - Ana: Hi", family) is not None) == is_time


def test_the_format_is_that_of_most_lines() -> None:
    android, ios = "12/3/20, 09:15 - Ana: Hi", "[12/3/20, 09:15:00] Ana: Hi"
    for lines, name in (
        ([android], "Android"),
        ([ios, android, ios], "iOS"),
        ([ios, android], "Android"),
        (["[09:15:00, 12/3/20] Ana: Hi"], "iOS (time first)"),
    ):
        family = family_of(lines)
        assert family is not None
        assert (family.name, family.ios) == (name, name.startswith("iOS"))
    assert family_of(["Hi", ""]) is None


@pytest.mark.parametrize(
    ("texts", "order", "reason"),
    [
        (("13/3/20", "1/2/20"), "dmy", "only so are all of them dates"),
        (("3/13/20", "1/2/20"), "mdy", "only so are all of them dates"),
        (("2020/3/13",), "ymd", "only so are all of them dates"),
        (("3/3/20", "4/4/20"), "dmy", "they mean the same in any order"),
        (("12/1/2020", "1/2/2020"), "dmy", "only so they follow each other"),
        (("1/12/2020", "2/1/2020"), "mdy", "only so they follow each other"),
    ],
)
def test_an_order_is_chosen_for_a_reason(texts: tuple[str, ...], order: Order, reason: str) -> None:
    found = decided(stamps(*texts), None, TODAY)
    assert (found.order, found.reason) == (order, reason)


@pytest.mark.parametrize(
    ("text", "is_possible"),
    [
        ("1/1/2009", True),
        ("31/12/2008", False),
        ("21/3/2026", True),
        ("22/3/2026", False),
        ("31/2/2020", False),
    ],
)
def test_a_date_lies_between_2009_and_tomorrow(text: str, is_possible: bool) -> None:
    assert possible(stamps(text)[0], "dmy", TODAY) == is_possible


@pytest.mark.parametrize(("count", "is_outlier"), [(8, False), (9, True), (10, True)])
def test_one_date_in_ten_may_be_none(count: int, is_outlier: bool) -> None:
    wrong = stamps("99/99/2020")
    found = outliers([*stamps("13/3/2020") * count, *wrong], None)
    assert found == (set(wrong) if is_outlier else set())


@pytest.mark.parametrize(("wrong", "is_refused"), [(1, False), (2, False), (3, True)])
def test_half_of_the_dates_may_lie_elsewhere(wrong: int, is_refused: bool) -> None:
    found = [*stamps("13/3/2020", "14/3/2020"), *stamps("15/3/2031") * wrong]
    if is_refused:
        with pytest.raises(BadSettings, match="3 of 5 dates, such as 15/3/2031, lie before 2009"):
            decided(found, None, TODAY)
    else:
        assert decided(found, None, TODAY).order == "dmy"
