"""The catalogues of the sample: channels, users, teams, labels, fields, replies, templates.

A large inbox has these and more channels, users and labels.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

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
    meta: tuple[str, str, str, bool]


LONDON = Shop(
    "108200000000011", "London", "+442079460018", "+44 20 7946 0018", "en", "£{}", "GBP",
    51.5079, -0.0877, "Riverside 21, London", ("GREEN", "CONNECTED", "TIER_10K", True),
)  # fmt: skip
NEW_YORK = Shop(
    "108200000000012", "New York", "+12125550142", "+1 212-555-0142", "en", "${}", "USD",
    40.7282, -73.9942, "88 Larch Street, New York", ("GREEN", "CONNECTED", "TIER_2K", True),
)  # fmt: skip
MADRID = Shop(
    "108200000000013", "Madrid", "+34000555118", "+34 000 555 118", "es", "{} €", "EUR",
    40.4203, -3.7058, "Calle del Olmo 2, Madrid", ("YELLOW", "CONNECTED", "TIER_2K", True),
)  # fmt: skip
SAO_PAULO = Shop(
    "108200000000014", "São Paulo", "+550090000118", "+55 00 9000-0118", "pt", "R$ {}", "BRL",
    -23.5614, -46.6559, "Rua das Acácias 90, São Paulo", ("GREEN", "CONNECTED", "TIER_10K", False),
)  # fmt: skip
WHOLESALE = Shop(
    "108200000000015", "Wholesale", "+12125550187", "+1 212-555-0187", "en", "€{}", "EUR",
    53.3498, -6.2603, "Unit 4, Harbour Park", ("RED", "FLAGGED", "TIER_250", False),
)  # fmt: skip
SHOPS = (LONDON, NEW_YORK, MADRID, SAO_PAULO, WHOLESALE)


class Agent(NamedTuple):
    """A user and the shops that they answer for."""

    key: str
    name: str
    role: str
    availability: str | None
    shops: tuple[Shop, ...]
    active: bool = True


AGENTS = (
    Agent("grace@veldrano.example", "Grace Okafor", "agent", "online", (LONDON, WHOLESALE)),
    Agent("tom@veldrano.example", "Tom Hartley", "agent", "busy", (LONDON, NEW_YORK)),
    Agent("priya@veldrano.example", "Priya Raman", "administrator", "online", (LONDON,)),
    Agent("dana@veldrano.example", "Dana Whitlock", "agent", "offline", (NEW_YORK,)),
    Agent("yusuf@veldrano.example", "Yusuf Demir", "agent", None, (NEW_YORK, WHOLESALE)),
    Agent("lucia@veldrano.example", "Lucía Ortega", "agent", "online", (MADRID,)),
    Agent("mateo@veldrano.example", "Mateo Rivas", "agent", "busy", (MADRID,)),
    Agent("elena@veldrano.example", "Elena Prieto", "administrator", "offline", (MADRID,)),
    Agent("rafael@veldrano.example", "Rafael Nunes", "agent", "online", (SAO_PAULO,)),
    Agent("beatriz@veldrano.example", "Beatriz Lopes", "agent", None, (SAO_PAULO,)),
    Agent("ines@veldrano.example", "Inês Carvalho", "agent", "online", (SAO_PAULO, MADRID)),
    Agent("noah@veldrano.example", "Noah Bennett", "agent", None, (NEW_YORK,), active=False),
)

TEAMS = (
    ("Atlantic shops", "London and New York", (LONDON, NEW_YORK)),
    ("Península", "La tienda de Madrid y los envíos a Portugal", (MADRID,)),
    ("Time Brasil", "Loja e site no Brasil", (SAO_PAULO,)),
    ("Trade", "Shops that sell our things", (WHOLESALE,)),
)

LABELS = (
    ("account", "#8e9aaf", "Names, numbers and passwords"),
    ("alterations", "#c77dff", "Hems, sleeves and fittings"),
    ("booking", "#4895ef", "Tables and appointments"),
    ("campaign", "#f72585", "Came from an advert or a mailing"),
    ("complaint", "#e63946", "Something went wrong on our side"),
    ("directions", "#90be6d", None),
    ("exchange", "#f9844a", "Another size or colour"),
    ("feedback", "#ffd166", "Kind and unkind words"),
    ("invoice", "#577590", "Invoices and tax numbers"),
    ("payment", "#06d6a0", "Cards, gift cards and transfers"),
    ("pick-up", "#43aa8b", "Collected at a shop"),
    ("press", "#b5838d", "Journalists and photographs"),
    ("question", "#1f93ff", "About a product"),
    ("refund", "#d62828", "Money back"),
    ("sales", "#2a9d8f", "Sold in the conversation"),
    ("shipping", "#f4a261", "Parcels under way"),
    ("sizes", "#e9c46a", None),
    ("vip", "#ffb703", "Answer these first"),
    ("warranty", "#9b5de5", "Repairs and replacements"),
    ("wholesale", "#118ab2", "Shops that sell our things"),
)

# key, name, type, description, options
FIELDS: tuple[tuple[str, str, str, str | None, tuple[str, ...]], ...] = (
    ("tier", "Membership", "list", "Level in the members' club", ("none", "silver", "gold")),
    ("usual_size", "Usual size", "text", None, ()),
    ("orders", "Orders so far", "number", None, ()),
    ("spent", "Spent this year", "currency", "In the currency of the shop", ()),
    ("discount", "Discount", "percent", "Agreed with the trade team", ()),
    ("profile", "Customer page", "link", None, ()),
    ("birthday", "Birthday", "date", "For the card we send", ()),
    ("newsletter", "Newsletter", "checkbox", None, ()),
)

CANNED = (
    ("hours", "We are open Monday to Saturday from 10:00 to 20:00."),
    ("horario", "Abrimos de lunes a sábado, de 10:00 a 21:00."),
    ("horarios", "Abrimos de segunda a sábado, das 9h às 20h."),
    ("return", "You can return anything within 30 days, with its label on."),
    ("devolver", "Puedes devolverlo en 30 días, con la etiqueta puesta."),
    ("trocar", "A troca é grátis em até 30 dias, com a etiqueta."),
    ("sorry", "I'm sorry for the trouble. Give me five minutes and I'll find out."),
    ("review", "If you liked it, a few words on our page help us a lot 💛"),
)

_HEADER = {"type": "HEADER", "format": "TEXT", "text": "Veldrano"}
_FOOTER = {"type": "FOOTER", "text": "Veldrano · reply STOP to unsubscribe"}

# name, language, category, status, quality, body, example values, buttons
TEMPLATES: tuple[tuple[str, str, str, str, str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("spring_arrivals", "en_GB", "MARKETING", "APPROVED", "YELLOW",
     "{{1}}, the spring collection is here 🌷 Members have free delivery until {{2}}.",
     ("Sam", "Friday"), ("Show me", "Not now")),
    ("novedades_primavera", "es_ES", "MARKETING", "APPROVED", "GREEN",
     "{{1}}, ya está aquí la colección de primavera 🌷 Envío gratis para socios hasta {{2}}.",
     ("Ana", "el viernes"), ("Quiero verla", "Ahora no")),
    ("novidades_outono", "pt_BR", "MARKETING", "PAUSED", "RED",
     "{{1}}, a coleção de outono chegou 🍂 Frete grátis para membros até {{2}}.",
     ("Bia", "sexta"), ("Quero ver", "Agora não")),
    ("order_shipped", "en_GB", "UTILITY", "APPROVED", "GREEN",
     "Hello {{1}}, your order {{2}} is on its way with {{3}}.",
     ("Sam", "VD-10001", "LX100200GB"), ()),
    ("return_label", "en_GB", "UTILITY", "APPROVED", "GREEN",
     "Hello {{1}}, your return label for order {{2}} is ready. The courier comes on {{3}}.",
     ("Sam", "VD-10001", "Friday"), ("Got it", "Another day")),
    ("devolucion", "es_ES", "UTILITY", "APPROVED", "GREEN",
     "Hola {{1}}, la etiqueta de devolución del pedido {{2}} está lista. La recogida es {{3}}.",
     ("Ana", "VD-10001", "el viernes"), ()),
    ("devolucao", "pt_BR", "UTILITY", "APPROVED", "UNKNOWN",
     "Olá {{1}}, a etiqueta de devolução do pedido {{2}} está pronta. A coleta é {{3}}.",
     ("Bia", "VD-10001", "sexta"), ("Combinado",)),
    ("ready_for_pickup", "en_GB", "UTILITY", "APPROVED", "GREEN",
     "Hello {{1}}, order {{2}} is ready for you at the Riverside shop until {{3}}.",
     ("Sam", "VD-10001", "Friday"), ("On my way", "Keep it longer")),
    ("listo_para_recoger", "es_ES", "UTILITY", "APPROVED", "GREEN",
     "Hola {{1}}, tu pedido {{2}} te espera en la tienda hasta {{3}}.",
     ("Ana", "VD-10001", "el viernes"), ("Voy hoy", "Otro día")),
    ("pronto_para_retirar", "pt_BR", "UTILITY", "PENDING", "UNKNOWN",
     "Olá {{1}}, seu pedido {{2}} está pronto na loja até {{3}}.",
     ("Bia", "VD-10001", "sexta"), ("Estou indo",)),
    ("birthday_card", "en_GB", "MARKETING", "REJECTED", "UNKNOWN",
     "Happy birthday {{1}} 🎂 Here is something from us: {{2}}", ("Sam", "PARTY10"), ()),
)  # fmt: skip


_CURRENCIES = {"en": ("£{}", "GBP"), "es": ("{} €", "EUR"), "pt": ("R$ {}", "BRL")}
_META = ("GREEN", "CONNECTED", "TIER_10K", False)
# alias, language, latitude, longitude
_CITIES = (
    ("Manchester", "en", 53.4794, -2.2453), ("Barcelona", "es", 41.3874, 2.1686),
    ("Rio de Janeiro", "pt", -22.9035, -43.2096), ("Ciudad de México", "es", 19.4326, -99.1332),
    ("Lisboa", "pt", 38.7139, -9.1394), ("Chicago", "en", 41.8832, -87.6324),
    ("Valencia", "es", 39.4699, -0.3763), ("Recife", "pt", -8.0631, -34.8711),
    ("Toronto", "en", 43.6510, -79.3832), ("Bogotá", "es", 4.5981, -74.0760),
    ("Porto", "pt", 41.1496, -8.6110), ("Dublin", "en", 53.3498, -6.2603),
    ("Sevilla", "es", 37.3886, -5.9823), ("Curitiba", "pt", -25.4284, -49.2733),
    ("Austin", "en", 30.2672, -97.7431), ("Lima", "es", -12.0464, -77.0428),
    ("Glasgow", "en", 55.8609, -4.2514), ("Bilbao", "es", 43.2630, -2.9350),
    ("Salvador", "pt", -12.9730, -38.5023),
)  # fmt: skip

_AGENTS = 120


def all_shops() -> tuple[Shop, ...]:
    """The shops of a large inbox, the busiest first."""
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
    return (*(title for title, _, _ in LABELS), *NAMES["labels"])


def large_catalogue(now: int) -> Iterator[CatalogueEvent]:
    """Everything that the conversations of a large inbox refer to by name."""
    yield from catalogue(now)
    since = now - 400 * DAY
    shops, agents = all_shops(), all_agents()
    for shop in shops[len(SHOPS) :]:
        details = ChannelDetails(verified_name=f"Veldrano {shop.alias}", quality_rating="GREEN")
        yield ChannelUpsert(shop.id, since, shop.phone, shop.shown, WABA, shop.alias, details)
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
    yield from (_channel(shop, since, now) for shop in SHOPS)
    for one in AGENTS:
        yield UserUpsert(
            one.key, one.name, since, one.key, one.role, one.availability, active=one.active
        )
    for name, description, shops in TEAMS:
        channels = tuple(shop.id for shop in shops)
        members = tuple(one.key for one in AGENTS if one.active and {*one.shops} & {*shops})
        yield TeamUpsert(name, since, description, channels, members)
    for title, color, about in LABELS:
        yield LabelUpsert(title, since, color, about)
    for position, (key, name, type_, about, options) in enumerate(FIELDS, start=1):
        yield CustomFieldUpsert(key, name, since, type_, about, options, position)
    for short_code, text in CANNED:
        yield CannedResponseUpsert(short_code, text, since)
    yield from _templates(since)


def _channel(shop: Shop, since: int, now: int) -> ChannelUpsert:
    quality, status, limit, on_phone = shop.meta
    details: ChannelDetails = {
        "verified_name": f"Veldrano {shop.alias}",
        "quality_rating": quality,
        "status": status,
        "name_status": "APPROVED",
        "messaging_limit": limit,
        "throughput": "STANDARD",
        "platform": "CLOUD_API",
        "on_business_app": on_phone,
        "synced_at": now - DAY // 3,
    }
    return ChannelUpsert(shop.id, since, shop.phone, shop.shown, WABA, shop.alias, details)


def _templates(since: int) -> Iterator[TemplateUpsert]:
    for number, one in enumerate(TEMPLATES, start=1):
        name, language, category, status, quality, body, examples, buttons = one
        components = _components(body, examples, buttons, category)
        yield TemplateUpsert(
            f"16895000000{number:05d}", name, language, since, components, category, status,
            quality, WABA,
        )  # fmt: skip
    yield _code_template(since)


def _components(
    body: str, examples: tuple[str, ...], buttons: tuple[str, ...], category: str
) -> tuple[Mapping[str, Any], ...]:
    parts: list[Mapping[str, Any]] = [_HEADER]
    parts.append({"type": "BODY", "text": body, "example": {"body_text": [list(examples)]}})
    if category == "MARKETING":
        parts.append(_FOOTER)
    if buttons:
        replies = [{"type": "QUICK_REPLY", "text": text} for text in buttons]
        parts.append({"type": "BUTTONS", "buttons": replies})
    return tuple(parts)


def _code_template(since: int) -> TemplateUpsert:
    body = {"type": "BODY", "text": "{{1}} is your code.", "example": {"body_text": [["482913"]]}}
    button = {"type": "OTP", "otp_type": "COPY_CODE", "text": "Copy code"}
    components = (
        {**body, "add_security_recommendation": True},
        {"type": "FOOTER", "code_expiration_minutes": 10},
        {"type": "BUTTONS", "buttons": [button]},
    )
    return TemplateUpsert(
        "1689500000000099", "sign_in_code", "en_US", since, components, "AUTHENTICATION",
        "APPROVED", "GREEN", WABA,
    )  # fmt: skip
