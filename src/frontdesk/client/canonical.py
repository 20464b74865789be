"""Whether a page that could be read is in our spelling through and through.

A value takes defaults for what it does not find, so another spelling may be read without a
complaint, and be lost. Servers write all rows of a list in one way: the first row is looked at
closely, and of each part that may be null the first that is there. Of the others it is looked at
how many members they have, and at the words that are one of a few.
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

# Members that a server may leave out: the key may not read them, or nothing is known of them.
_WITHHELD = frozenset({"last_message", "pricing"})


@dataclass(frozen=True)
class _Marks:
    """What to look at in a value: members that must be there, those with a form, its parts.

    words: those of the formed that are one of a few words.
    """

    expected: frozenset[str]
    formed: tuple[tuple[str, Callable[[Any], bool]], ...]
    words: tuple[tuple[Callable[[Any], Any], Callable[[Any], bool]], ...]
    parts: tuple[Callable[[Any], Any], ...]


def is_canonical(page: Page[Any]) -> bool:
    """Everything in the page stood where the contract has it, in the form it has."""
    rows = page.data
    if len(page.model_fields_set) < len(Page.model_fields):
        return False
    if not rows:
        return True
    first: Wire = rows[0]
    marks = _marks(type(first))
    if min(map(len, map(attrgetter("model_fields_set"), rows))) < len(marks.expected):
        return False
    # Read as plain dictionaries: a page has hundreds of members, and this is every page's price.
    members = [row.__dict__ for row in rows]
    for member_of, in_form in marks.words:
        if not all(map(in_form, filter(None, set(map(member_of, members))))):
            return False
    return _is_well_formed(first, marks) and all(
        _is_part_well_formed(next(filter(None, map(part_of, members)), None))
        for part_of in marks.parts
    )


def is_canonical_value(value: Wire) -> bool:
    """The same of one value."""
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
    """The part, or the first of several, if there is one."""
    if not part:
        return True
    return is_canonical_value(part[0] if isinstance(part, tuple) else part)


def _is_time(text: str) -> bool:
    return len(text) == 24 and text[10] == "T" and text[19] == "." and text[23] == "Z"


def _kept_by(read: Reader) -> Callable[[Any], bool]:
    """Whether a reader leaves a text as it is."""
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
