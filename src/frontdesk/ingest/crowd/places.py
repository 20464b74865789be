"""The catalogue of a crowd: the sample's, with more numbers, users and labels."""

from collections.abc import Iterator

from frontdesk.ingest.catalogue import CatalogueUpsert
from frontdesk.ingest.crowd.people import FIRST, SURNAMES
from frontdesk.ingest.events import ChannelUpsert, LabelUpsert, TeamUpsert, UserUpsert
from frontdesk.ingest.sample.catalogue import (
    COLLEAGUES,
    DAY,
    LABELS,
    SHOPS,
    WABA,
    Colleague,
    Shop,
    catalogue,
)

_CURRENCIES = {"en": ("£{}", "GBP"), "es": ("{} €", "EUR"), "pt": ("R$ {}", "BRL")}
_META = ("GREEN", "CONNECTED", "TIER_10K", False)
# alias, language, latitude, longitude
_CITIES = (
    ("Manchester", "en", 53.4794, -2.2453),
    ("Barcelona", "es", 41.3874, 2.1686),
    ("Rio de Janeiro", "pt", -22.9035, -43.2096),
    ("Ciudad de México", "es", 19.4326, -99.1332),
    ("Lisboa", "pt", 38.7139, -9.1394),
    ("Chicago", "en", 41.8832, -87.6324),
    ("Valencia", "es", 39.4699, -0.3763),
    ("Recife", "pt", -8.0631, -34.8711),
    ("Toronto", "en", 43.6510, -79.3832),
    ("Bogotá", "es", 4.5981, -74.0760),
    ("Porto", "pt", 41.1496, -8.6110),
    ("Dublin", "en", 53.3498, -6.2603),
    ("Sevilla", "es", 37.3886, -5.9823),
    ("Curitiba", "pt", -25.4284, -49.2733),
    ("Austin", "en", 30.2672, -97.7431),
    ("Lima", "es", -12.0464, -77.0428),
    ("Glasgow", "en", 55.8609, -4.2514),
    ("Bilbao", "es", 43.2630, -2.9350),
    ("Salvador", "pt", -12.9730, -38.5023),
)  # fmt: skip

_USERS = 120
_MORE_LABELS = (
    "address", "adverts", "allergy", "assembly", "bulk", "catalogue", "click & collect", "colour",
    "corporate", "customs", "damaged", "duplicate", "event", "fraud check", "furniture", "gift",
    "gift card", "late", "lost", "members", "newsletter", "out of stock", "partner", "pre-order",
    "price", "recall", "returns", "second hand", "stock", "summer sale", "survey", "tax free",
    "test", "translation", "urgent", "visit", "wedding list", "winter sale", "wrong item", "zip",
)  # fmt: skip


def shops() -> tuple[Shop, ...]:
    """Every number, the busiest first."""
    more = (
        Shop(
            f"1082000000001{number:02d}",
            city,
            f"+1000555{number:04d}",
            f"+1 000-555-{number:04d}",
            language,
            *_CURRENCIES[language],
            latitude,
            longitude,
            f"1 Market Street, {city}",
            _META,
        )
        for number, (city, language, latitude, longitude) in enumerate(_CITIES)
    )
    return (*SHOPS, *more)


def colleagues() -> tuple[Colleague, ...]:
    """Every user, the busiest first."""
    own = shops()
    more = []
    for number in range(len(COLLEAGUES), _USERS):
        language = ("en", "es", "pt")[number % 3]
        firsts, lasts = FIRST[language], SURNAMES[language]
        name = f"{firsts[number * 7 % len(firsts)]} {lasts[number * 11 % len(lasts)]}"
        places = tuple(own[(number * 5 + step) % len(own)] for step in range(3))
        more.append(Colleague(f"agent{number:03d}@veldrano.example", name, "agent", None, places))
    return (*COLLEAGUES, *more)


def labels() -> tuple[str, ...]:
    """Every label's title."""
    return (*(title for title, _, _ in LABELS), *_MORE_LABELS)


def named(until: int) -> Iterator[ChannelUpsert | CatalogueUpsert]:
    """Everything that conversations refer to by name."""
    for event in catalogue(until):
        assert isinstance(event, ChannelUpsert | CatalogueUpsert)
        yield event
    since = until - 400 * DAY
    for shop in shops()[len(SHOPS) :]:
        details = {"verified_name": f"Veldrano {shop.alias}", "quality_rating": "GREEN"}
        yield ChannelUpsert(shop.id, since, shop.phone, shop.shown, WABA, shop.alias, details)
    for one in colleagues()[len(COLLEAGUES) :]:
        yield UserUpsert(one.key, one.name, since, one.key, one.role, one.availability)
    for title in _MORE_LABELS:
        yield LabelUpsert(title, since)
    numbers, keys = [shop.id for shop in shops()], [one.key for one in colleagues()]
    for number in range(12):
        yield TeamUpsert(
            f"Region {number + 1}", since, None, tuple(numbers[number::12]), tuple(keys[number::12])
        )
