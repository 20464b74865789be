"""Public holidays by the code of a country or region, in business hours."""

import sys
from datetime import date
from pathlib import Path

import pytest
from tests.commands import output_of, run_on

from frontdesk.business_hours import dumps, loads, parse_hours, plainly, toml_text
from frontdesk.public_holidays import public_holidays

EPIPHANY, DOS_DE_MAYO, SANT_JOAN = date(2026, 1, 6), date(2026, 5, 2), date(2026, 6, 24)
TABLE = {"timezone": "Europe/Madrid", "monday": ["10:00-18:00"], "friday": ["10:00-14:00"]}


def test_a_region_has_those_of_its_country_and_its_own() -> None:
    madrid, catalonia = (public_holidays(code, [2026]) for code in ("ES-MD", "ES-CT"))
    assert EPIPHANY in madrid & catalonia
    assert DOS_DE_MAYO in madrid - catalonia
    assert SANT_JOAN in catalonia - madrid
    assert not {DOS_DE_MAYO, SANT_JOAN} & public_holidays("ES", [2026])
    assert {day.year for day in public_holidays("ES", range(2025, 2028))} == {2025, 2026, 2027}


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("ES-XX", "there is ES-AN, ES-AR, ES-AS"),
        ("GB-LON", "there is GB-ENG, GB-NIR, GB-SCT, GB-WLS"),
        ("ESP", "no country such as ES: like it are ES"),
        ("SPAIN", "no country such as ES"),
    ],
)
def test_an_unknown_code_is_an_error_with_like_ones(code: str, words: str) -> None:
    with pytest.raises(ValueError, match="'" + code) as refused:
        parse_hours({**TABLE, "holidays": code})
    assert str(refused.value).startswith(f"holidays: '{code}' is no ")
    assert words in str(refused.value)


@pytest.mark.parametrize("written", ["ES-MD", ["es-md"], ["ES-MD", "2026-12-24"]])
def test_a_code_stands_alone_or_among_dates(written: str | list[str]) -> None:
    calendar = parse_hours({**TABLE, "holidays": written}).calendar
    assert calendar is not None
    assert [*calendar.regions] == ["ES-MD"]
    # A Tuesday of each of many years, and a day that the file names.
    assert {EPIPHANY, date(EPIPHANY.year + 5, 1, 6)} <= calendar.closed
    assert (date(2026, 12, 24) in calendar.closed) == (
        isinstance(written, list) and len(written) > 1
    )


def test_there_is_nothing_open_on_a_holiday_of_a_region() -> None:
    calendar = parse_hours({**TABLE, "holidays": ["ES-CT"]}).calendar
    assert calendar is not None
    # Good Friday, Easter Monday and an ordinary Monday.
    days = (date(2026, 4, 3), date(2026, 4, 6), date(2026, 4, 13))
    assert [len(calendar.spans(day)) for day in days] == [0, 0, 1]


def test_what_is_stored_is_read_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    hours = parse_hours({**TABLE, "holidays": ["ES-MD", "2026-12-24"]})
    stored = dumps(hours)
    monkeypatch.setitem(sys.modules, "holidays", None)
    assert loads(stored) == hours
    assert hours.calendar is not None
    dates = plainly(hours.calendar)["holidays"]
    assert {"2026-01-06", "2026-12-24"} <= {*dates}


def test_a_file_has_the_code_again() -> None:
    hours = parse_hours({**TABLE, "holidays": ["ES-MD", "2026-12-24"]})
    assert 'holidays = ["ES-MD", 2026-12-24]' in toml_text(hours)


def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "holidays", None)
    with pytest.raises(ValueError, match=r"needs the extra holidays \(pip install 'frontdesk\[hol"):
        parse_hours({**TABLE, "holidays": "ES-MD"})
    assert parse_hours({**TABLE, "holidays": ["2026-12-24"]}).calendar


def test_more_than_four_regions_are_refused() -> None:
    codes = ["ES-MD", "ES-CT", "FR", "PT", "IT"]
    assert parse_hours({**TABLE, "holidays": codes[:4]}).calendar
    with pytest.raises(ValueError, match="holidays: there are at most 4 regions"):
        parse_hours({**TABLE, "holidays": codes})


def test_the_shell_sets_prints_and_refuses_them(inbox: Path, tmp_path: Path) -> None:
    file = tmp_path / "hours.toml"
    table = '[business_hours]\ntimezone = "Europe/Lisbon"\nmonday = ["09:00-18:00"]\nholidays = '
    file.write_text(f'{table}"PT"\n', "utf-8")
    output_of(inbox, "db", "business-hours", "--set", str(file))
    assert 'holidays = ["PT"]' in output_of(inbox, "db", "business-hours")
    file.write_text(f'{table}"PX"\n', "utf-8")
    refused = run_on(inbox, "db", "business-hours", "--set", str(file))
    assert refused.exit_code == 2
    assert "business_hours.holidays: 'PX' is no date" in refused.output
    assert 'holidays = ["PT"]' in output_of(inbox, "db", "business-hours")
