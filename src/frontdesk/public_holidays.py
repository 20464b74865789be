"""Public holidays of a country or one of its regions, by the library of that name (an extra)."""

from collections.abc import Sequence
from datetime import date
from difflib import get_close_matches
from importlib import import_module

_MOST_NAMED = 30


def public_holidays(code: str, years: Sequence[int]) -> frozenset[date]:
    """Return the holidays of some years. code: as in ISO 3166, such as ES or ES-MD.

    Raises: ValueError: the extra is not installed, or there is no such code, with like ones.
    """
    try:
        library = import_module("holidays")
    except ImportError as error:
        needed = "pip install 'frontdesk[holidays]'"
        raise ValueError(f"{code!r} needs the extra holidays ({needed}), or dates") from error
    countries = library.list_supported_countries(include_aliases=False)
    country, _, region = code.partition("-")
    if country not in countries:
        like = get_close_matches(country, countries, 5, 0.4)
        hint = f": like it are {', '.join(like)}" if like else ""
        raise ValueError(f"{code!r} is no date such as 2026-12-25, and no country such as ES{hint}")
    regions = {each.upper(): each for each in countries[country]}
    if region and region not in regions:
        there = [f"{country}-{each}" for each in countries[country]] or [country]
        names = ", ".join(there[:_MOST_NAMED]) + (", …" if len(there) > _MOST_NAMED else "")
        raise ValueError(f"{code!r} is no region that is known: there is {names}")
    return frozenset(library.country_holidays(country, subdiv=regions.get(region), years=years))
