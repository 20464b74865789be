"""Detection of pages that follow the `/v1` schema exactly, by sampling.

Models have defaults for missing members, so a body with other member names may validate and lose
data. A server writes all rows of a list in the same way: the first row is checked in full, and of
each nested object the first that is not null. In the other rows only the number of members and the
enumerated words are checked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter, itemgetter
from typing import Any

from frontdesk.client import readers
from frontdesk.client.readers import Reader
from frontdesk.client.spelling import fields_of
from frontdesk.wire import Page, Wire
from frontdesk.wire.base import nested_model
from frontdesk.wire.words import DIRECTIONS

# Members that a server may omit: the key may not read them, or their value is unknown.
_WITHHELD = frozenset({"last_message", "pricing"})


@dataclass(frozen=True)
class _Marks:
    """Checks of a model: required members, members with a format, nested objects.

    words: those of the formatted members whose value is an enumerated word.
    """

    expected: frozenset[str]
    formed: tuple[tuple[str, Callable[[Any], bool]], ...]
    words: tuple[tuple[Callable[[Any], Any], Callable[[Any], bool]], ...]
    parts: tuple[Callable[[Any], Any], ...]


def is_canonical(page: Page[Any]) -> bool:
    """True if all checked members of the page are present and formatted as in `/v1`."""
    rows = page.data
    if len(page.model_fields_set) < len(Page.model_fields):
        return False
    if not rows:
        return True
    first: Wire = rows[0]
    marks = _marks(type(first))
    if min(map(len, map(attrgetter("model_fields_set"), rows))) < len(marks.expected):
        return False
    # Plain dictionaries are faster than attributes; this runs for every page.
    members = [row.__dict__ for row in rows]
    for member_of, in_form in marks.words:
        if not all(map(in_form, filter(None, set(map(member_of, members))))):
            return False
    return _is_well_formed(first, marks) and all(
        _is_part_well_formed(next(filter(None, map(part_of, members)), None))
        for part_of in marks.parts
    )


def is_canonical_value(value: Wire) -> bool:
    """`is_canonical` for one value."""
    marks = _marks(type(value))
    return _is_well_formed(value, marks) and all(
        _is_part_well_formed(part_of(value.__dict__)) for part_of in marks.parts
    )


def _is_well_formed(value: Wire, marks: _Marks) -> bool:
    if not marks.expected <= value.model_fields_set:
        return False
    for name, in_form in marks.formed:
        member = getattr(value, name)
        if member is not None and not in_form(member):
            return False
    return True


def _is_part_well_formed(part: Any) -> bool:
    """Check a nested object, or the first of several; True if there is none."""
    if not part:
        return True
    return is_canonical_value(part[0] if isinstance(part, tuple) else part)


def _is_time(text: str) -> bool:
    return len(text) == 24 and text[10] == "T" and text[19] == "." and text[23] == "Z"


def _kept_by(read: Reader) -> Callable[[Any], bool]:
    """A check that a reader returns the text unchanged."""
    return lambda text: bool(read(text) == text)


_WORDS = (readers.author, readers.delivery, readers.direction, readers.status)

_FORMS: Mapping[Reader, Callable[[Any], bool]] = {
    readers.time: _is_time,
    readers.phone: lambda text: text[:1] == "+" and text[1:].isdecimal(),
    readers.direction: lambda text: text in DIRECTIONS,
    **{
        read: _kept_by(read)
        for read in (readers.author, readers.color, readers.status, readers.delivery)
    },
}


@cache
def _marks(model: type[Wire]) -> _Marks:
    fields = fields_of(model)
    return _Marks(
        frozenset(field.name for field in fields) - _WITHHELD,
        tuple((field.name, _FORMS[field.read]) for field in fields if field.read in _FORMS),
        tuple(
            (itemgetter(field.name), _FORMS[field.read]) for field in fields if field.read in _WORDS
        ),
        tuple(
            itemgetter(name)
            for name, info in model.model_fields.items()
            if nested_model(info.annotation)
        ),
    )
