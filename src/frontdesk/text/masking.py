"""Masks customers in the JSON of `/v1`: names, numbers, addresses, user ids and custom fields.

In their place are stand-ins that stay the same and say nothing to who lacks the secret:
`customer 4f2a` is the id of a contact in a keyed permutation, which the secret turns back; of a
number, an e-mail address or another value, a keyed digest. Files and places are left out.

What is not known to be harmless is masked: a member that is added to a message later is.
"""

import hmac
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import shake_256
from typing import Any, NamedTuple

from frontdesk.text.clean import folded

CUSTOMER = "customer"
STAND_IN_EXAMPLE = f"{CUSTOMER} 4f2a"
# Of JSON: members and their values.
Members = Mapping[str, Any]

_STAND_IN = re.compile(rf"{CUSTOMER} (x?)([0-9a-f]{{4,}})", re.IGNORECASE)
_ROUNDS = range(10)
_WIDTHS = (2, 4, 8)
_DIGEST_BYTES = 3
# Digits of a number, and those at its end that tell if two are the same: the rest may be left out.
_LEAST_DIGITS, _LAST_DIGITS = 7, 8
_NUMBER = re.compile(rf"(?:\+|(?<!\w))\d(?:[\s().\-/‐-―−]{{0,3}}\d){{{_LEAST_DIGITS - 1},}}")
_DAY, _MONTH, _YEAR = "(?:0?[1-9]|[12][0-9]|3[01])", "(?:0?[1-9]|1[0-2])", "(?:19|20)[0-9]{2}"
# A date that a number looks like, with the hour behind it.
_DATE = re.compile(
    rf"(?:{_YEAR}-{_MONTH}-{_DAY}|{_DAY}[./-]{_MONTH}[./-]{_YEAR})(?:\s+[0-9]{{1,2}})?", re.ASCII
)
_EMAIL = re.compile(r"[^\s@<>\"',;:()]+@[^\s@<>\"',;:()]+\.\w+")
_HANDLE = re.compile(r"(?<![\w.])@[\w.]*\w")
_USER_ID = re.compile(r"\b[A-Z]{2}\.(?:ENT\.)?(?=[A-Za-z]*[0-9])[A-Za-z0-9]{8,128}\b")
_WORD = re.compile(r"\w+")
# A word of a script without blanks between words: looked for within others too.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af]")
# Letters of a part of a name by itself, and of a custom field that is looked for in texts.
_LEAST_LETTERS, _LEAST_VALUE = 3, 6
# Words of a name of somebody else that is looked for.
_NAME_WORDS = range(2, 6)
# Between two parts of one name: blanks, and a letter.
_JOINT = re.compile(r"[\s'’-]*(?:\w[.'’]?\s*)?")
# Parts of texts have so many characters, or an ellipsis: the word at its end may be a part too.
_CUT_LENGTH = 199
_CUT_START = re.compile(r"^…[\w@+][^\s]*[\d\s().+\-/]*")
_CUT_END = re.compile(r"[\d\s().+\-/]*\S*$")

_PHONES = ("phone", "wa_id")
_NAMES = ("name", "profile_name", "username")
# Members of messages that say nothing of a customer.
_HARMLESS = frozenset(
    {"id", "conversation_id", "message_id", "direction", "author", "type", "source", "voice"}
    | {"delivery_status", "forwarded", "reactions", "delivery", "pricing"}
)
# Types of messages whose text repeats what their contents say.
_REPEATED = ("contacts", "location")
# Members that name a file, a number or a person to others.
_DROPPED = frozenset(
    {"wamid", "target_wamid", "url", "url_expires_at", "sha256", "ctwa_clid", "wa_id", "vcard"}
)


class Pseudonyms:
    """Stand-ins by a secret of an inbox."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def customer(self, id: str) -> str:
        """The stand-in of a contact, by its id."""
        number = int(id) if id.isascii() and id.isdecimal() and not id.startswith("0") else -1
        width = next((width for width in _WIDTHS if 0 <= number < 256**width), 0)
        if width:
            return f"{CUSTOMER} {self._permuted(number.to_bytes(width), _ROUNDS).hex()}"
        block = id.encode(errors="replace")
        # An even number of bytes, and at least four digits.
        block += b"\0" * (len(block) % 2 or 2 * (not block))
        return f"{CUSTOMER} x{self._permuted(block, _ROUNDS).hex()}"

    def contact_id(self, stand_in: str) -> str | None:
        """The id of the contact with a stand-in; None for another text, or a contact of nobody."""
        match = _STAND_IN.fullmatch(stand_in.strip())
        if match is None or len(match[2]) % 4:
            return None
        block = self._permuted(bytes.fromhex(match[2]), reversed(_ROUNDS))
        id = (
            block.rstrip(b"\0").decode(errors="replace") if match[1] else f"{int.from_bytes(block)}"
        )
        return id if self.customer(id) == stand_in.strip().lower() else None

    def of(self, kind: str, value: str) -> str:
        """The stand-in of a number, an address or another value."""
        text = f"{kind} {value}".encode(errors="replace")
        return f"{kind} {hmac.digest(self._secret, text, 'sha256')[:_DIGEST_BYTES].hex()}"

    def number(self, digits: str) -> str:
        return self.of("number", digits[-_LAST_DIGITS:])

    def _permuted(self, block: bytes, rounds: Iterable[int]) -> bytes:
        """Feistel network over the halves of a block; the rounds backwards undo it."""
        half = len(block) // 2
        left, right = block[:half], block[half:]
        for number in rounds:
            stream = shake_256(self._secret + bytes((number, half % 256)) + right).digest(half)
            left, right = right, bytes(a ^ b for a, b in zip(left, stream, strict=True))
        return right + left


def is_stand_in(text: str) -> bool:
    """True for the form of the stand-in of a contact.

    >>> is_stand_in("customer 4f2a"), is_stand_in("Customer Care")
    (True, False)
    """
    return _STAND_IN.fullmatch(text.strip()) is not None


@dataclass(frozen=True)
class CustomerIdentity:
    """What a customer is known by. words: folded parts of names. digits: ends of numbers."""

    id: str
    words: frozenset[str] = frozenset()
    digits: frozenset[str] = frozenset()
    values: tuple[str, ...] = ()

    @classmethod
    def of(cls, contact: Members) -> "CustomerIdentity":
        """Of the members of a contact, whole or in short."""
        names = [str(contact[name]) for name in _NAMES if contact.get(name)]
        numbers = [_digits(str(contact[name])) for name in _PHONES if contact.get(name)]
        fields = contact.get("custom_fields") or {}
        values = [value for value in fields.values() if isinstance(value, str | int | float)]
        texts = [contact.get("wa_user_id"), *values]
        return cls(
            str(contact["id"]),
            frozenset(word for name in names for word in _parts(name)),
            frozenset(number[-_LAST_DIGITS:] for number in numbers),
            tuple(str(text) for text in texts if text and len(str(text)) >= _LEAST_VALUE),
        )


class _MaskedSpan(NamedTuple):
    start: int
    end: int
    stand_in: str


def _nobody(names: Collection[str]) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class Mask:
    """Masks members of `/v1`. Members that are not in a value are not added.

    named: returns the ids of contacts by those of some names that somebody has. Names are folded,
    of two words or more, with single blanks between.
    """

    pseudonyms: Pseudonyms
    named: Callable[[Collection[str]], Mapping[str, str]] = field(default=_nobody, repr=False)

    def contact_in_short(self, contact: Members) -> dict[str, Any]:
        name = self.pseudonyms.customer(contact["id"])
        kept = {key: value for key, value in contact.items() if key != "username"}
        return {**kept, "name": name, "phone": None}

    def contact(self, contact: Members) -> dict[str, Any]:
        """A contact: names but one, numbers and ids are null; addresses and fields stand in."""
        nulls = dict.fromkeys((*_NAMES, *_PHONES, "wa_user_id"))
        email, id = contact.get("email"), contact["id"]
        masked = {
            **nulls,
            "name": self.pseudonyms.customer(id),
            "email": email and self.pseudonyms.of("address", email.lower()),
            "custom_fields": self._fields(id, contact.get("custom_fields") or {}),
        }
        return {key: masked.get(key, value) for key, value in contact.items()}

    def conversation_report(self, row: Members) -> dict[str, Any]:
        """What a report counts of a conversation."""
        if "contact" not in row:
            return {**row}
        contact = self.contact_in_short(row["contact"])
        fields = self._fields(contact["id"], row.get("custom_fields") or {})
        return {**row, "contact": contact, "custom_fields": fields}

    def _fields(self, contact_id: str, fields: Members) -> dict[str, str]:
        return {
            key: self.pseudonyms.of("value", json.dumps([contact_id, key, value]))
            for key, value in fields.items()
        }

    def conversation(self, row: Members, person: CustomerIdentity) -> dict[str, Any]:
        masked = {**row, "contact": self.contact_in_short(row["contact"])}
        if row.get("last_message"):
            masked["last_message"] = self._beginning(row["last_message"], person)
        return masked

    def message(self, message: Members, person: CustomerIdentity) -> dict[str, Any]:
        """A message, or a note."""
        masked = {
            name: value if _is_harmless(name) else self._value(value, person)
            for name, value in message.items()
            if name not in _DROPPED
        }
        masked |= dict.fromkeys(_DROPPED & message.keys())
        if author := message.get("author_ref"):
            is_theirs = message.get("author") == "contact"
            name = self.pseudonyms.customer(person.id) if is_theirs else author.get("name")
            masked["author_ref"] = {**author, "name": name}
        if message.get("reply_to"):
            masked["reply_to"] = self._beginning(message["reply_to"], person)
        if message.get("media"):
            masked["media"]["id"] = None
        kind, content = message.get("type"), message.get("content")
        if kind in _REPEATED and "text" in masked:
            masked["text"] = None
        if content and kind == "location":
            masked["content"] = dict.fromkeys(content)
        if content and kind == "contacts":
            cards = content.get("contacts") or ()
            names = (self.pseudonyms.of("person", json.dumps(card)) for card in cards)
            masked["content"] = {"contacts": [{"name": name} for name in names]}
        return masked

    def match(self, match: Members, person: CustomerIdentity) -> dict[str, Any]:
        """A message that a search has found."""
        return {**match, "excerpt": self.part(match["excerpt"], person)}

    def _beginning(self, message: Members, person: CustomerIdentity) -> dict[str, Any]:
        """The beginning of a message, whose text is cut."""
        text = None if message.get("type") in _REPEATED else message.get("text")
        shown = self.message({**message, "text": None}, person)
        return {**shown, "text": text and self.part(text, person)}

    def _value(self, value: Any, person: CustomerIdentity) -> Any:
        """A value of any form: what is not text, and no number that may be one of a telephone."""
        if isinstance(value, str):
            return self.text(value, person)
        if isinstance(value, Mapping):
            return {
                name: None if name in _DROPPED else self._value(inside, person)
                for name, inside in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._value(each, person) for each in value]
        if isinstance(value, int) and len(str(abs(value))) >= _LEAST_DIGITS:
            return self.pseudonyms.number(str(abs(value)))
        return value

    def part(self, text: str, person: CustomerIdentity) -> str:
        """A part of a text, without the words at its ends that may have been cut."""
        cut = _CUT_START.sub("…", text)
        if len(text) >= _CUT_LENGTH or text.endswith("…"):
            cut = f"{_CUT_END.sub('', cut)}…"
        return self.text(cut, person)

    def text(self, text: str, person: CustomerIdentity) -> str:
        """A text without numbers, addresses, user ids and names.

        person: the customer of the conversation, of whom parts of names are masked too.
        """
        spans = sorted(
            (*self._found(text, person), *self._people(text, person)),
            key=lambda span: (span.start, -span.end),
        )
        pieces, end, before = [], 0, ""
        for span in spans:
            if span.start < end:
                # Begins within the one before.
                end = max(end, span.end)
                continue
            between = text[end : span.start]
            if not (span.stand_in == before and _JOINT.fullmatch(between)):
                pieces += [between, span.stand_in]
            end, before = span.end, span.stand_in
        return "".join((*pieces, text[end:]))

    def _found(self, text: str, person: CustomerIdentity) -> Iterable[_MaskedSpan]:
        """What has the form of a number, an address or a user id, and values of the customer."""
        own = self.pseudonyms.customer(person.id)
        for match in _EMAIL.finditer(text):
            yield _MaskedSpan(*match.span(), self.pseudonyms.of("address", match[0].lower()))
        for pattern in (_HANDLE, _USER_ID):
            for match in pattern.finditer(text):
                yield _MaskedSpan(*match.span(), self.pseudonyms.of("user", match[0].lower()))
        for match in _NUMBER.finditer(text):
            if not _DATE.fullmatch(match[0]):
                digits = _digits(match[0])
                is_own = digits[-_LAST_DIGITS:] in person.digits
                yield _MaskedSpan(*match.span(), own if is_own else self.pseudonyms.number(digits))
        for value in person.values:
            pattern = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)", re.IGNORECASE)
            for match in pattern.finditer(text):
                yield _MaskedSpan(*match.span(), self.pseudonyms.of("value", f"{own} {value}"))

    def _people(self, text: str, person: CustomerIdentity) -> Iterable[_MaskedSpan]:
        """Parts of the customer's names, and whole names of others."""
        words = list(_WORD.finditer(text))
        own = self.pseudonyms.customer(person.id)
        for match in words:
            word = folded(match[0])
            if word in person.words or any(
                part in word for part in person.words if _UNSPACED.search(part)
            ):
                yield _MaskedSpan(*match.span(), own)
        places: dict[str, list[tuple[int, int]]] = {}
        for at, first in enumerate(words):
            for count in _NAME_WORDS:
                if at + count <= len(words):
                    start, end = first.start(), words[at + count - 1].end()
                    name = " ".join(folded(text[start:end]).split())
                    places.setdefault(name, []).append((start, end))
        found = self.named(places.keys()) if places else {}
        for name, id in found.items():
            for start, end in places.get(name, ()):
                yield _MaskedSpan(start, end, self.pseudonyms.customer(id))


def _is_harmless(member: str) -> bool:
    return member in _HARMLESS or member.endswith("_at")


def _digits(text: str) -> str:
    return "".join(str(int(character)) for character in text if character.isdecimal())


def _parts(name: str) -> list[str]:
    """Words of a name by which it may be written; all of one that has none of three letters."""
    words = [folded(word) for word in _WORD.findall(name)]
    return [
        word for word in words if len(word) >= _LEAST_LETTERS or _UNSPACED.search(word)
    ] or words
