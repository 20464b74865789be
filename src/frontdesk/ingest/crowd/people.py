"""The customers of a crowd: names in several scripts, numbers that nobody has, custom fields."""

from itertools import product
from random import Random
from typing import Any

from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    IMPORTED_NAME,
    PROFILE_NAME,
    ContactUpsert,
    Person,
)
from frontdesk.ingest.sample.people import DECORATIONS, LAST
from frontdesk.ingest.sample.people import FIRST as SAMPLE_FIRST

_MORE_FIRST = {
    "en": (
        "Ada", "Bella", "Carl", "Daisy", "Edith", "Frank", "Gemma", "Henry", "Isla", "Jonah",
        "Kitty", "Leo", "Mabel", "Nathan", "Orla", "Percy", "Quinn", "Rosa", "Stella", "Toby",
    ),
    "es": (
        "Adrián", "Blanca", "Celia", "Diego", "Eva", "Félix", "Gloria", "Héctor", "Inés", "Jorge",
        "Lucía", "Manuel", "Noelia", "Óscar", "Paula", "Raúl", "Sonia", "Teresa", "Víctor", "Yago",
    ),
    "pt": (
        "Alice", "Bruno", "Clara", "Diogo", "Elisa", "Fábio", "Gabriela", "Heitor", "Inês", "Júlia",
        "Larissa", "Mário", "Nina", "Paulo", "Rafaela", "Sílvia", "Tatiana", "Úrsula", "Vera",
    ),
}  # fmt: skip
FIRST = {language: (*names, *_MORE_FIRST[language]) for language, names in SAMPLE_FIRST.items()}

_ENGLISH = (
    ("Ash", "Black", "Brad", "Cal", "Dun", "Fair", "Hart", "Kirk", "Lang", "Mar", "Nor", "Old",
     "Pem", "Rad", "Stan", "Thorn", "Whit", "Win", "Wood", "Yar"),
    ("bridge", "bury", "by", "combe", "croft", "dale", "den", "field", "ford", "ham", "ley", "low",
     "shaw", "stead", "ton", "well", "wick", "worth"),
)  # fmt: skip
SURNAMES = {
    "en": (*LAST["en"], *(f"{one}{other}" for one, other in product(*_ENGLISH))),
    "es": tuple(f"{one} {other}" for one, other in product(LAST["es"], repeat=2)),
    "pt": tuple(f"{one} {other}" for one, other in product(LAST["pt"], repeat=2)),
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
_STRANGERS = 0.04

# No country gives out numbers that go on with a nought.
_PREFIXES = {
    "en": ("+440", "+440", "+10", "+10", "+3530", "+610"),
    "es": ("+340", "+340", "+520", "+570", "+540"),
    "pt": ("+550", "+550", "+550", "+3510"),
}
# Without a factor in common with ten, so that no two customers get one number.
_STRIDE, _NUMBERS = 61_803_399, 100_000_000


def person(number: int, language: str, random: Random) -> tuple[Person, str | None, str]:
    """Customer number so-and-so: how they are reached, their name, and how one calls them."""
    chance = random.random
    first, name, prefix = _named(language, random)
    phone = f"{prefix}{number * _STRIDE % _NUMBERS:08d}"
    if chance() < 0.02:
        return Person(wa_user_id=f"XX.{phone[1:]}"), name, first
    reached = Person(phone, phone[1:])
    return (reached, None, "👋") if chance() < 0.04 else (reached, name, first)


def known(reached: Person, name: str | None, first: str, at: int, random: Random) -> ContactUpsert:
    """What is known of a customer."""
    chance = random.random()
    if name is None:
        return ContactUpsert(reached, at)
    decorated = chance < 0.12
    profile = f"{first} {DECORATIONS[int(chance * 50) % 6]}" if decorated else name
    rank = PROFILE_NAME if chance > 0.45 else IMPORTED_NAME if chance > 0.2 else ADDRESS_BOOK_NAME
    number = reached.wa_id or (reached.wa_user_id or "")[3:]
    return ContactUpsert(
        reached,
        at,
        profile if rank == PROFILE_NAME else name,
        rank,
        profile,
        None if reached.phone else f"{first.lower()}_{number[-4:]}",
        f"customer{number[-8:]}@mail.example" if 0.3 < chance < 0.6 else None,
        True if chance > 0.995 else None,
        _fields(random.random()) if chance < 0.5 else {},
    )


def _named(language: str, random: Random) -> tuple[str, str, str]:
    """A first name, the whole name, and what the number begins with."""
    chance = random.random
    if chance() < _STRANGERS:
        firsts, lasts, prefix = _ELSEWHERE[int(chance() * len(_ELSEWHERE))]
        first = firsts[int(chance() * len(firsts))]
        return first, f"{first} {lasts[int(chance() * len(lasts))]}", prefix
    # Some names are common, most are not.
    first = FIRST[language][int(chance() ** 1.5 * len(FIRST[language]))]
    last = SURNAMES[language][int(chance() ** 1.3 * len(SURNAMES[language]))]
    prefixes = _PREFIXES[language]
    prefix = prefixes[int(chance() * len(prefixes))]
    middle = f" {_MIDDLE[int(chance() * len(_MIDDLE))]}." if chance() < 0.2 else ""
    return first, f"{first}{middle} {last}", prefix


def _fields(chance: float) -> dict[str, Any]:
    orders = 1 + int(chance * chance * 60)
    fields: dict[str, Any] = {
        "tier": ("none", "silver", "gold")[min(orders // 15, 2)],
        "orders": orders,
        "newsletter": chance < 0.6,
    }
    if chance < 0.4:
        fields["spent"] = round(chance * 3000, 2)
        fields["usual_size"] = ("S", "M", "L", "XL", "38", "42")[orders % 6]
    if chance < 0.2:
        fields["birthday"] = f"{1950 + int(chance * 250)}-{1 + orders % 12:02d}-{10 + orders % 19}"
    return fields
