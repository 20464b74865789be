"""Invents customers: names in several scripts, fictitious numbers, custom fields."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from itertools import product
from random import Random
from typing import Any, NamedTuple

from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    IMPORTED_NAME,
    PROFILE_NAME,
    ContactUpsert,
    Person,
)


def _read_names() -> dict[str, tuple[str, ...]]:
    text = (files(__package__) / "names.txt").read_text(encoding="utf-8")
    lines = (line.partition(": ") for line in text.splitlines() if not line.startswith("#"))
    return {kind: tuple(names.split(", ")) for kind, _, names in lines}


NAMES = _read_names()
_LANGUAGES = ("en", "es", "pt")
FIRST = {language: NAMES[f"first {language}"] for language in _LANGUAGES}
LAST = {language: NAMES[f"last {language}"] for language in _LANGUAGES}
ALL_FIRST = {language: FIRST[language] + NAMES[f"more {language}"] for language in _LANGUAGES}
SURNAMES = {
    "en": (*LAST["en"], *map("".join, product(NAMES["begin"], NAMES["end"]))),
    "es": tuple(map(" ".join, product(LAST["es"], repeat=2))),
    "pt": tuple(map(" ".join, product(LAST["pt"], repeat=2))),
}
_MIDDLE = "ABCDEFGHIJKLMNOPRSTVW"

# First and last names of customers from elsewhere, and what their numbers begin with.
_ELSEWHERE = (
    (("Jürgen", "Käthe", "Uwe", "Grit"), ("Weiß", "Großmann", "Schäfer", "Kühn"), "+490"),
    (("ليلى", "عمر", "سلمى", "كريم"), ("حداد", "الفارس", "نصار", "منصور"), "+9710"),
    (("陽菜", "健", "美咲", "蓮"), ("田中", "佐藤", "中村", "小林"), "+810"),
    (("נועה", "איתן", "תמר", "יונתן"), ("לוי", "כהן", "מזרחי", "פרץ"), "+9720"),
    (("Αθηνά", "Νίκος", "Ελένη", "Γιώργος"), ("Παππάς", "Βλάχος", "Μακρής", "Ράλλης"), "+300"),
)  # fmt: skip
_FOREIGN_SHARE = 0.04

# Customers from elsewhere: name, number, position of their scene in `scripts/guests.txt`.
GUESTS = (
    ("Jürgen Weiß", "+491713920021", 0),
    ("ليلى حداد", "+971000555014", 1),
    ("田中 陽菜", "+81000555033", 2),
    ("נועה לוי", "+972000555027", 3),
    ("Käthe Großmann", "+491713920044", 0),
    ("عمر الفارس", "+20000555061", 1),
    ("佐藤 健", "+81000555078", 2),
    ("איתן כהן", "+972000555090", 3),
)

_DECORATIONS = ("🌻", "✨", "🇧🇷", "👩🏽‍🍳", "🐾", "🏳️‍🌈")

# No country gives out numbers that go on with a zero.
_PREFIXES = {
    "en": ("+440", "+440", "+10", "+10", "+3530", "+610"),
    "es": ("+340", "+340", "+520", "+570", "+540"),
    "pt": ("+550", "+550", "+550", "+3510"),
}
# Without a factor in common with ten, so that no two customers get one number.
_STRIDE, _NUMBERS = 61_803_399, 100_000_000


class Customer(NamedTuple):
    """A person who writes. first: how agents address them, or "". guest: a scene, or -1."""

    person: Person
    name: str | None
    first: str
    language: str
    guest: int = -1


# The customer of the longest thread.
WHOLESALER = Customer(
    Person("+353209110142", "353209110142"), "Oonagh Feeney · Harbour Lane Stores", "Oonagh", "en"
)


def customers(random: Random, language: str) -> Iterator[Customer]:
    """Customers of a small inbox, without end: no two with one number, names all alike often."""
    firsts, lasts = FIRST[language], LAST[language]
    number = 0
    while True:
        # Steps without a common factor walk through all pairs of names before one comes again.
        first, last = firsts[number * 5 % len(firsts)], lasts[number * 3 % len(lasts)]
        yield _fictional(random, language, number, first, f"{first} {last}")
        number += 1


def guest(number: int) -> Customer:
    """A customer from elsewhere, writing to a shop that speaks English."""
    name, phone, scene = GUESTS[number % len(GUESTS)]
    return Customer(Person(phone, phone[1:]), name, name.split(" ")[0], "en", scene)


def random_customer(number: int, language: str, random: Random) -> Customer:
    """Customer `number` of a large inbox: some names are common, most are not."""
    chance = random.random
    first, name, prefix = _random_name(language, random)
    phone = f"{prefix}{number * _STRIDE % _NUMBERS:08d}"
    if chance() < 0.02:
        return Customer(Person(wa_user_id=f"XX.{phone[1:]}"), name, first, language)
    person = Person(phone, phone[1:])
    if chance() < 0.04:
        return Customer(person, None, "", language)
    return Customer(person, name, first, language)


def contact(customer: Customer, random: Random, since: int) -> ContactUpsert:
    """The contact of a customer; one in twenty is only a number."""
    person, chance = customer.person, random.random()
    if customer.name is None:
        return ContactUpsert(person, since)
    profile = (
        customer.name if chance > 0.3 else f"{customer.first} {_DECORATIONS[int(chance * 19)]}"
    )
    rank = PROFILE_NAME if chance > 0.5 else IMPORTED_NAME if chance > 0.2 else ADDRESS_BOOK_NAME
    return ContactUpsert(
        person,
        since,
        name=profile if rank == PROFILE_NAME else customer.name,
        name_rank=rank,
        profile_name=profile,
        username=customer.first.lower() + "_vd" if person.wa_user_id else None,
        email=f"customer{(person.wa_id or '0')[-5:]}@mail.example" if chance < 0.4 else None,
        blocked=True if chance > 0.985 else None,
        custom_fields=_fields(person, random, since) if chance < 0.65 else {},
    )


def _fictional(random: Random, language: str, number: int, first: str, name: str) -> Customer:
    phone = _phone(language, number)
    if number % 41 == 7:
        hidden = Person(wa_user_id=f"{phone[1:3]}.9000{number:010d}")
        return Customer(hidden, name, first, language)
    nameless = random.random() < 0.05
    person = Person(phone, phone[1:])
    return Customer(person, None if nameless else name, "" if nameless else first, language)


def _phone(language: str, number: int) -> str:
    """Numbers kept for fiction in Britain and North America; elsewhere unused area codes."""
    if language == "es":
        return f"+34000{600000 + number * 37}"
    if language == "pt":
        return f"+55009{10000000 + number * 613}"
    if number % 3:
        return f"+447700900{number:03d}"
    return f"+1{('212', '617', '312', '415')[number // 3 % 4]}55501{number // 3 % 100:02d}"


def _fields(person: Person, random: Random, since: int) -> dict[str, Any]:
    chance = random.random()
    orders = 1 + int(chance * 40)
    fields: dict[str, Any] = {
        "tier": ("none", "silver", "gold")[orders % 3],
        "usual_size": ("S", "M", "L", "XL", "38", "42")[orders % 6],
        "orders": orders,
        "newsletter": chance < 0.7,
    }
    if chance < 0.6:
        fields["spent"] = round(chance * 2400, 2)
        fields["birthday"] = _birthday(since, int(chance * 15000))
    if chance < 0.3:
        fields["profile"] = f"https://shop.example/customers/{(person.wa_id or '0')[-6:]}"
        fields["discount"] = round(chance * 40, 1)
    return fields


def _birthday(since: int, days: int) -> str:
    born = datetime.fromtimestamp(since / 1000, UTC) - timedelta(days=7000 + days)
    return f"{born:%Y-%m-%d}"


def _random_name(language: str, random: Random) -> tuple[str, str, str]:
    """A first name, the whole name, and the prefix of the number."""
    chance = random.random
    if chance() < _FOREIGN_SHARE:
        firsts, lasts, prefix = _ELSEWHERE[int(chance() * len(_ELSEWHERE))]
        first = firsts[int(chance() * len(firsts))]
        return first, f"{first} {lasts[int(chance() * len(lasts))]}", prefix
    first = ALL_FIRST[language][int(chance() ** 1.5 * len(ALL_FIRST[language]))]
    last = SURNAMES[language][int(chance() ** 1.3 * len(SURNAMES[language]))]
    prefixes = _PREFIXES[language]
    prefix = prefixes[int(chance() * len(prefixes))]
    middle = f" {_MIDDLE[int(chance() * len(_MIDDLE))]}." if chance() < 0.2 else ""
    return first, f"{first}{middle} {last}", prefix
