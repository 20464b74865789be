"""Searchable text of messages, and the words that messages and contacts are searched for."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from frontdesk.text.clean import clean, folded
from frontdesk.text.limits import TEXT
from frontdesk.text.phones import is_user_id, phone_pattern

_MOST_TERMS = 50
_LONGEST_TERM = 100
_TRIGRAM = 3
_TRIGRAMS_ASKED = 8
# Digits of a phone number in the text of a message; fewer may be a date or an order.
_LEAST_DIGITS = 8
# Separators within phone numbers.
_BETWEEN_DIGITS = str.maketrans("", "", "+-()./")
# Phone numbers with separators: 650-555 1234.
_NUMBER = re.compile(r"[0-9]+(?:[ ()./-]{1,2}[0-9]+)+")
# A word, or several in quotes.
_TERM = re.compile(r'"[^"]*\s[^"]*"(?!\S)|\S+')
# A run that has a trigram on all engines.
_INDEXED = re.compile(r"(?:[a-z0-9]|[^\x00-\x7f]){3}")

# Member of the answers of a form that says which form it is.
FLOW_TOKEN = "flow_token"

# Members of a message's content that are identifiers rather than text.
_UNSAID = frozenset(
    {"kind", "id", "url", "type", "language", "category", "payload", "catalog_id", "event"}
    | {FLOW_TOKEN, "mime_type", "sha256"}
    | {"wa_id", "vcard", "reason", "original_type", "currency", "sub_type", "format"}
)


def message_pieces(message: Mapping[str, Any]) -> Iterator[str]:
    """Text or caption of a message, the name of its file and its words, the texts of its contents.

    Stored files have their words elsewhere: only the wire has them with the message.
    """
    media = member(message, "media")
    yield from strings(message, "text")
    yield from strings(media, "filename")
    yield from strings(member(media, "text"), "text")
    yield from strings(member(message, "referral"), "headline", "body")
    if content := message.get("content"):
        yield from _leaves(content)


def searched_text(pieces: Sequence[str]) -> str:
    """Case-folded texts, followed by their numbers without separators."""
    text = "\n".join(pieces)[:TEXT]
    numbers = ["".join(filter(str.isdecimal, number)) for number in _NUMBER.findall(text)]
    return folded("\n".join([text, *numbers]))


def members_of(body: str | bytes) -> Mapping[str, Any]:
    """Parsed JSON of a value; empty if it is invalid."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def strings(value: Mapping[str, Any], *names: str) -> Iterator[str]:
    return (text for text in map(value.get, names) if isinstance(text, str) and text)


def member(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _leaves(value: Any) -> Iterator[str]:
    """All texts in a message's content, except for identifiers."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name not in _UNSAID:
                yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)


def search_words(text: str) -> list[str]:
    """Split a text into folded words."""
    return folded(text.replace("\0", " ")).split()


def contact_words(text: str) -> list[str]:
    """Split what contacts are searched for; a phone number is one word, however it is written, and
    so is a user id. A username may have its @."""
    if is_user_id(text.strip()):
        return [text.strip()]
    number = phone_pattern(text)
    return [number.text] if number else search_words(text.strip().removeprefix("@"))


@dataclass(frozen=True)
class Terms:
    """Parsed query: case-folded terms, each with its alternative spellings."""

    spellings: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, text: str) -> "Terms":
        """Parse user input; any text is valid. Words in quotes are one, blanks and all."""
        text = folded(clean(text))
        terms = list(dict.fromkeys(filter(None, map(_unquoted, _TERM.findall(text)))))
        # As an alternative of each term, the number is one to all of them.
        number = _numbers(text)
        spellings = ((*_spellings(term), *number) for term in terms[:_MOST_TERMS])
        return cls(tuple(tuple(dict.fromkeys(one)) for one in spellings))

    @classmethod
    def whole(cls, text: str) -> "Terms":
        """The text as one term, blanks and all; without terms if nothing of it is searched for."""
        phrase = " ".join(folded(clean(text)).split())
        return cls((tuple(dict.fromkeys(_spellings(phrase))),) if phrase else ())

    @classmethod
    def any_of(cls, texts: Iterable[str]) -> "Terms | None":
        """One term, which each of the texts is a spelling of; None without any."""
        every = (
            spelling for text in texts for one in cls.whole(text).spellings for spelling in one
        )
        spellings = tuple(dict.fromkeys(every))
        return cls((spellings,)) if spellings else None

    @property
    def match(self) -> str | None:
        """FTS5 query for the trigram index; None if all terms are too short for it."""
        conditions = [
            " OR ".join(f"({_trigrams(spelling)})" for spelling in spellings)
            for spellings in self.spellings
            if all(len(spelling) >= _TRIGRAM for spelling in spellings)
        ]
        return " AND ".join(f"({condition})" for condition in conditions) or None

    @property
    def is_indexed(self) -> bool:
        """True if a term has three letters or digits in a row, in each of its spellings.

        PostgreSQL's index has no other characters.
        """
        return any(all(map(_INDEXED.search, spellings)) for spellings in self.spellings)

    def count(self, text: str) -> int:
        """Number of terms that a searched text contains."""
        return sum(any(spelling in text for spelling in one) for one in self.spellings)

    def match_text(self, text: str) -> bool:
        """True if a searched text contains every term."""
        return self.count(text) == len(self.spellings)

    def best_of(self, pieces: Iterable[str]) -> str:
        """The first of the texts with the most terms, also as numbers without separators."""
        return max(pieces, key=lambda piece: self.count(searched_text((piece,))), default="")

    @property
    def words(self) -> tuple[str, ...]:
        """All spellings of all terms."""
        return tuple(chain.from_iterable(self.spellings))


def _unquoted(term: str) -> str:
    """A term of `_TERM` without the quotes around several words."""
    is_phrase = len(term.split()) > 1
    return " ".join(term.strip('"').split()) if is_phrase else term


def _spellings(term: str) -> tuple[str, ...]:
    """A term, and for a number also its forms without separators."""
    term = term[:_LONGEST_TERM]
    digits = term.translate(_BETWEEN_DIGITS)
    plain = (digits,) if digits != term and digits.isdecimal() else ()
    return (term, *plain, *_numbers(term))


def _numbers(text: str) -> list[str]:
    """Digits of a phone number that a text is, with and without its country."""
    number = phone_pattern(text)
    parts = [part.removeprefix("+") for part in number.parts] if number else []
    return [part for part in parts if len(part) >= _LEAST_DIGITS]


def _trigrams(term: str) -> str:
    """FTS5 query of some of the term's trigrams; short terms are covered completely."""
    last = len(term) - _TRIGRAM
    starts = sorted({*range(0, last, _TRIGRAM), last})[:_TRIGRAMS_ASKED]
    return " AND ".join('"' + term[at : at + _TRIGRAM].replace('"', '""') + '"' for at in starts)
