"""When something was said in an exported chat: in any language, with no date guessed."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.errors import BadSettings
from frontdesk.ingest.exported_chat.dates import Order, days, decided, moment
from frontdesk.ingest.exported_chat.headers import Stamp, family_of, header

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


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("[R2/03/12 9:15:42] Ana: Hi", date(2020, 3, 12)),
        ("12/3/2563 BE, 09:15 - Ana: Hi", date(2020, 3, 12)),
        ("12/3/20, 09:15 - Ana: Hi", date(2020, 3, 12)),
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
        (["1/2/2020", "2/3/2020"], None, "say --date-order dmy .* or --date-order mdy"),
        (["25/1/2020", "1/25/2020"], None, "No order of day, month and year fits"),
        (["25/1/2020"], "mdy", "The date 25/1/2020 is none as month, day, year"),
    ],
)
def test_what_the_dates_do_not_tell_is_asked_and_never_guessed(
    dates: list[str], asked: Order | None, sentence: str
) -> None:
    with pytest.raises(BadSettings, match=sentence):
        decided(stamps(*dates), asked, TODAY)


FORMS = {
    "dmy": "{0.day}/{0.month}/{0:%y}",
    "mdy": "{0.month}/{0.day}/{0:%y}",
    "ymd": "{0:%y}/{0.month}/{0.day}",
}


@given(
    st.lists(st.dates(date(2010, 1, 1), TODAY), min_size=1, max_size=12).map(sorted),
    st.sampled_from(sorted(FORMS)),
)
def test_no_order_is_taken_for_another(told: list[date], order: Order) -> None:
    written = stamps(*(FORMS[order].format(day) for day in told))
    assert days(written, chosen(written, order)) == told


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
