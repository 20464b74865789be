"""The customers of the sample: names, numbers kept for fiction, and what is known of them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple

from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    IMPORTED_NAME,
    PROFILE_NAME,
    ContactUpsert,
    Person,
)

FIRST = {
    "en": (
        "Sam", "Olivia", "Jack", "Amara", "Freya", "Harry", "Zoe", "Liam", "Imogen", "Kwame",
        "Ruth", "Dev", "Maisie", "Callum", "Esther", "Theo",
    ),
    "es": (
        "Ana", "Javier", "Lola", "Íñigo", "Carmen", "Nuria", "Hugo", "Begoña", "Andrés", "Pilar",
        "Sergio", "Ximena", "Rocío", "Álvaro", "Marta", "Julián",
    ),
    "pt": (
        "Bia", "João", "Camila", "Thiago", "Luíza", "Caio", "Fernanda", "Vinícius", "Iara", "Davi",
        "Letícia", "Otávio", "Marina", "Murilo", "Conceição", "Zeca",
    ),
}  # fmt: skip
LAST = {
    "en": (
        "Whitcombe", "Adeyemi", "Lindqvist", "Patel", "Fairbank", "O'Rourke", "Marsh", "Delgado",
        "Thornbury", "Kim", "Ashdown", "Boateng", "Pryce",
    ),
    "es": (
        "Ibáñez", "Peñalver", "Quintana", "Zubiri", "del Valle", "Cano", "Muñoz", "Salvatierra",
        "Rey", "Espinosa", "Güell", "Tamayo", "Nogales",
    ),
    "pt": (
        "Araújo", "Guimarães", "da Conceição", "Teles", "Brandão", "Mourão", "Figueiredo", "Paiva",
        "Assunção", "Rocha", "Vilela", "Saldanha", "Pinheiro",
    ),
}  # fmt: skip

# Customers from elsewhere: name, number, position of their scene in `wholesale.OTHERS`.
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

DECORATIONS = ("🌻", "✨", "🇧🇷", "👩🏽‍🍳", "🐾", "🏳️‍🌈")


class Customer(NamedTuple):
    """Somebody who writes. first: how the agents call them. guest: a scene of `GUESTS`, or -1."""

    person: Person
    name: str | None
    first: str
    language: str
    guest: int = -1


def customers(random: Random, language: str) -> Iterator[Customer]:
    """People with names of a language, without end; no two with one number."""
    firsts, lasts = FIRST[language], LAST[language]
    number = 0
    while True:
        # Steps without a common factor walk through all pairs of names before one comes again.
        first, last = firsts[number * 5 % len(firsts)], lasts[number * 3 % len(lasts)]
        yield _customer(random, language, number, first, f"{first} {last}")
        number += 1


def guest(number: int) -> Customer:
    """A customer from elsewhere, writing to a shop that speaks English."""
    name, phone, scene = GUESTS[number % len(GUESTS)]
    return Customer(Person(phone, phone[1:]), name, name.split(" ")[0], "en", scene)


def known(customer: Customer, random: Random, since: int) -> ContactUpsert:
    """What the sample knows of a customer; one in twenty is only a number."""
    person, chance = customer.person, random.random()
    if customer.name is None:
        return ContactUpsert(person, since)
    profile = customer.name if chance > 0.3 else f"{customer.first} {DECORATIONS[int(chance * 19)]}"
    rank = PROFILE_NAME if chance > 0.5 else IMPORTED_NAME if chance > 0.2 else ADDRESS_BOOK_NAME
    return ContactUpsert(
        person,
        since,
        name=profile if rank == PROFILE_NAME else customer.name,
        name_rank=rank,
        profile_name=profile,
        username=customer.first.lower() + "_vd" if person.wa_user_id else None,
        email=_mail(person) if chance < 0.4 else None,
        blocked=True if chance > 0.985 else None,
        custom_fields=_fields(person, random, since) if chance < 0.65 else {},
    )


def _customer(random: Random, language: str, number: int, first: str, name: str) -> Customer:
    phone = _phone(language, number)
    if number % 41 == 7:
        hidden = Person(wa_user_id=f"{phone[1:3]}.9000{number:010d}")
        return Customer(hidden, name, first, language)
    nameless = random.random() < 0.05
    person = Person(phone, phone[1:])
    return Customer(person, None if nameless else name, "👋" if nameless else first, language)


def _phone(language: str, number: int) -> str:
    """Numbers kept for fiction in Britain and North America; elsewhere area codes nobody has."""
    if language == "es":
        return f"+34000{600000 + number * 37}"
    if language == "pt":
        return f"+55009{10000000 + number * 613}"
    if number % 3:
        return f"+447700900{number:03d}"
    return f"+1{('212', '617', '312', '415')[number // 3 % 4]}55501{number // 3 % 100:02d}"


def _mail(person: Person) -> str:
    return f"customer{(person.wa_id or '0')[-5:]}@mail.example"


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
