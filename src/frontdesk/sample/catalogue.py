"""The catalogues of the sample: channels, users, teams, labels, fields, replies, templates.

They are in `catalogue.json`. A large inbox has these and more channels, users and labels.
"""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, NamedTuple, cast

from frontdesk.ingest.apply.catalogue import CatalogueUpsert
from frontdesk.ingest.events import (
    CannedResponseUpsert,
    ChannelUpsert,
    CustomFieldUpsert,
    LabelUpsert,
    TeamUpsert,
    TemplateUpsert,
    UserUpsert,
)
from frontdesk.sample.people import ALL_FIRST, NAMES, SURNAMES
from frontdesk.store.rows import ChannelDetails

CatalogueEvent = ChannelUpsert | CatalogueUpsert

DAY = 86_400_000
WABA = "108200000000001"

TABLES: dict[str, list[dict[str, Any]]] = json.loads(
    (files(__package__) / "catalogue.json").read_text(encoding="utf-8")
)


class Shop(NamedTuple):
    """One of the group's numbers. language: of most of its customers. money: how prices look."""

    id: str
    alias: str
    phone: str
    shown: str
    language: str
    money: str
    currency: str
    latitude: float
    longitude: float
    address: str


class Agent(NamedTuple):
    """A user and the shops that they answer for."""

    key: str
    name: str
    role: str
    availability: str | None
    shops: tuple[Shop, ...]
    active: bool = True


SHOPS = LONDON, NEW_YORK, MADRID, SAO_PAULO, WHOLESALE = [Shop(**row) for row in TABLES["shops"]]
_CURRENCIES = {"en": ("£{}", "GBP"), "es": ("{} €", "EUR"), "pt": ("R$ {}", "BRL")}
_AGENTS = 120


def _shops_named(aliases: list[str]) -> tuple[Shop, ...]:
    return tuple(shop for alias in aliases for shop in SHOPS if shop.alias == alias)


AGENTS = tuple(
    Agent(**{"availability": None, **row, "shops": _shops_named(row["shops"])})
    for row in TABLES["agents"]
)


def all_shops() -> tuple[Shop, ...]:
    """The shops of a large inbox, the busiest first."""
    more = (
        Shop(
            id=f"1082000000001{number:02d}",
            phone=f"+1000555{number:04d}",
            shown=f"+1 000-555-{number:04d}",
            money=_CURRENCIES[city["language"]][0],
            currency=_CURRENCIES[city["language"]][1],
            address=f"1 Market Street, {city['alias']}",
            **city,
        )
        for number, city in enumerate(TABLES["cities"])
    )
    return (*SHOPS, *more)


def all_agents() -> tuple[Agent, ...]:
    """The agents of a large inbox, the busiest first."""
    shops = all_shops()
    more = []
    for number in range(len(AGENTS), _AGENTS):
        language = ("en", "es", "pt")[number % 3]
        firsts, lasts = ALL_FIRST[language], SURNAMES[language]
        name = f"{firsts[number * 7 % len(firsts)]} {lasts[number * 11 % len(lasts)]}"
        places = tuple(shops[(number * 5 + step) % len(shops)] for step in range(3))
        more.append(Agent(f"agent{number:03d}@veldrano.example", name, "agent", None, places))
    return (*AGENTS, *more)


def all_labels() -> tuple[str, ...]:
    """The titles of the labels of a large inbox, the most used first."""
    return (*(row["title"] for row in TABLES["labels"]), *NAMES["labels"])


def large_catalogue(now: int) -> Iterator[CatalogueEvent]:
    """Everything that the conversations of a large inbox refer to by name."""
    yield from catalogue(now)
    since = now - 400 * DAY
    shops, agents = all_shops(), all_agents()
    for shop in shops[len(SHOPS) :]:
        details = ChannelDetails(verified_name=f"Veldrano {shop.alias}", quality_rating="GREEN")
        yield _channel(shop, since, details)
    for agent in agents[len(AGENTS) :]:
        yield UserUpsert(agent.key, agent.name, since, agent.key, agent.role, agent.availability)
    for title in NAMES["labels"]:
        yield LabelUpsert(title, since)
    numbers, keys = [shop.id for shop in shops], [agent.key for agent in agents]
    for number in range(12):
        yield TeamUpsert(
            f"Region {number + 1}", since, None, tuple(numbers[number::12]), tuple(keys[number::12])
        )


def catalogue(now: int) -> Iterator[CatalogueEvent]:
    """Everything that conversations of the demo refer to by name."""
    since = now - 400 * DAY
    for shop, row in zip(SHOPS, TABLES["channels"], strict=True):
        yield _channel(shop, since, cast(ChannelDetails, {**row, "synced_at": now - DAY // 3}))
    for agent in AGENTS:
        yield UserUpsert(
            agent.key,
            agent.name,
            since,
            agent.key,
            agent.role,
            agent.availability,
            active=agent.active,
        )
    for row in TABLES["teams"]:
        shops = _shops_named(row["shops"])
        channels = tuple(shop.id for shop in shops)
        members = tuple(agent.key for agent in AGENTS if agent.active and {*agent.shops} & {*shops})
        yield TeamUpsert(row["name"], since, row["description"], channels, members)
    for row in TABLES["labels"]:
        yield LabelUpsert(at=since, **row)
    for position, row in enumerate(TABLES["custom_fields"], start=1):
        options = tuple(row["options"])
        yield CustomFieldUpsert(at=since, position=position, **{**row, "options": options})
    for row in TABLES["canned_responses"]:
        yield CannedResponseUpsert(at=since, **row)
    for row in TABLES["templates"]:
        components = tuple(row["components"])
        yield TemplateUpsert(at=since, waba_id=WABA, **{**row, "components": components})


def _channel(shop: Shop, since: int, details: ChannelDetails) -> ChannelUpsert:
    return ChannelUpsert(shop.id, since, shop.phone, shop.shown, WABA, shop.alias, details)
