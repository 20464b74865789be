"""Argument lists with placeholders, which only values of this program's own making may fill.

What a customer or another server wrote is never in an argument, whatever the program is: many
programs execute their arguments, and no list of those is whole. It reaches a program by an
environment variable (`variable`) and on standard input.

`{name}` is replaced by a value that may not be blank, `{name?}` by one that may be. A filter may
follow: `{name|digits}`. `{{` and `}}` are braces.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from urllib.parse import quote

from frontdesk.errors import BadSettings
from frontdesk.text.clean import clean, one_line

# Names of values, and what each is called in a sentence.
PLACEHOLDERS: Mapping[str, str] = MappingProxyType(
    {
        "conversation.id": "conversation id",
        "conversation.status": "status",
        "conversation.waiting_since": "waiting customer",
        "contact.id": "contact id",
        "contact.name": "customer's name",
        "contact.phone": "customer's number",
        "contact.email": "e-mail address",
        "channel.id": "channel id",
        "channel.name": "channel name",
        "channel.phone": "channel number",
        "assignee.name": "assigned user",
        "labels": "label",
        "message.id": "message",
        "message.text": "message text",
        "message.type": "message",
        "message.author": "message",
        "media.file": "file",
        "media.name": "file name",
        "match": "match",
        "query": "query",
        "web_inbox": "address of a web inbox",
        "report.file": "report",
    }
)
# Names of those that are paths of files.
FILES = ("media.file", "report.file")
# Beginnings of names that end in one of the user's: of a custom field, and of what is asked.
FIELD, ASKED = "contact.fields.", "ask."
FILTERS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "url": lambda text: quote(text, safe=""),
        "digits": lambda text: "".join(one for one in text if one.isascii() and one.isdigit()),
    }
)
# Bytes of a variable, and of all: Linux takes 128 KiB, and 2 MiB with all arguments.
MOST_BYTES, MOST_ENVIRONMENT = 32 * 1024, 256 * 1024

# What an id and a word of this program are made of: a server may write anything there.
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@=+/-]{0,255}")
_NUMBERS = ("contact.phone", "channel.phone")
_WORDS = (
    *("conversation.id", "conversation.status", "conversation.waiting_since"),
    *("contact.id", "channel.id", "message.id", "message.type", "message.author"),
)
# Names of the values that may stand in an argument.
IN_ARGUMENTS = (*_WORDS, *_NUMBERS, *FILES, "web_inbox")

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]+)\}|[{}]")
_MEMBERS = re.compile(
    r"([a-z_]+(?:\.[a-z_]+)?|contact\.fields\.[\w-]+|ask\.[a-z0-9_]+)(\?)?(?:\|([a-z]+))?"
)
# The begin of an address up to where words may follow: never in its host.
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://[^\s/?#\"'`{}]+[/?#]|mailto:|tel:)[^\s\"'`]*", re.I)


def variable(name: str) -> str:
    """The environment variable of a value: `FRONTDESK_CONTACT_NAME` for `contact.name`."""
    return "FRONTDESK_" + re.sub("[^A-Z0-9]", "_", name.upper())


def check(template: Sequence[str]) -> None:
    """Check an argument list. Raises: ValueError: with what is allowed."""
    if not template or not template[0].strip():
        raise ValueError('use a program and its arguments: ["less", "-R"]')
    if any("\0" in element for element in template):
        raise ValueError("an argument cannot have a NUL character")
    if names_in(template[:1]):
        raise ValueError("the program itself cannot be a placeholder")
    for element in template:
        for match in _placeholders(element):
            name, _, filter = _parsed(match)
            if not _is_allowed(name, filter, element[: match.start()]):
                named = variable(name)
                raise ValueError(
                    f"{match[0]} may be a text that somebody else wrote, which no argument has: "
                    f'the program reads ${named}, as in ["sh", "-c", "crm \\"${named}\\""]'
                )


def _is_allowed(name: str, filter: str, before: str) -> bool:
    """True if a placeholder may stand in an argument behind the text `before`."""
    if name in IN_ARGUMENTS or filter == "digits":
        return True
    is_in_address = any(one.end() == len(before) for one in _ADDRESS.finditer(before))
    return filter == "url" and (is_in_address or before.endswith("="))


def names_in(texts: Iterable[str]) -> list[str]:
    """Names of the placeholders of texts, each once, in order. Raises: ValueError."""
    names = (_parsed(match)[0] for text in texts for match in _placeholders(text))
    return list(dict.fromkeys(names))


def _placeholders(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _PLACEHOLDER.finditer(text) if len(match[0]) != 2)


def _parsed(match: re.Match[str]) -> tuple[str, bool, str]:
    """Name of a placeholder, whether its value may be blank, and its filter."""
    members = _MEMBERS.fullmatch(match[1] or "")
    if members is None:
        raise ValueError(f"{match[0]} is no placeholder: write {{{{ and }}}} for braces")
    name, optional, filter = members.groups(default="")
    if name not in PLACEHOLDERS and not name.startswith((FIELD, ASKED)):
        known = ", ".join([*PLACEHOLDERS, f"{FIELD}KEY", f"{ASKED}NAME"])
        raise ValueError(f"there is no {{{name}}}: there is {known}")
    if filter and filter not in FILTERS:
        raise ValueError(f"there is no filter |{filter}: there is {', '.join(FILTERS)}")
    return name, bool(optional), filter


def _words(name: str) -> str:
    """What a value is called in a sentence."""
    return PLACEHOLDERS.get(name) or f"value of {name.rpartition('.')[2]}"


def filled(template: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """Fill a checked argument list, element by element; its number of elements stays.

    Raises: BadSettings: a value is blank, or not of the form that it has in an argument.
    """
    return [_filled(element, values, _argument_value) for element in template]


def filled_text(text: str, values: Mapping[str, str]) -> str:
    """Fill a checked text that is shown. Raises: BadSettings: a value is blank."""
    return _filled(text, values, lambda name, value: value)


def _filled(text: str, values: Mapping[str, str], formed: Callable[[str, str], str]) -> str:
    def value(match: re.Match[str]) -> str:
        if len(match[0]) == 2:
            return match[0][0]
        name, optional, filter = _parsed(match)
        value = clean(values.get(name, ""))
        value = FILTERS[filter](value) if filter == "digits" else formed(name, value)
        value = FILTERS[filter](value) if filter == "url" else value
        if not optional and not value.strip():
            raise BadSettings(f"There is no {_words(name)} here for {match[0]}")
        return value

    return _PLACEHOLDER.sub(value, text)


def _argument_value(name: str, value: str) -> str:
    """A value as it is in an argument: digits of a number, an id as it is."""
    if name in _NUMBERS:
        plus = "+" if value.lstrip().startswith("+") else ""
        return plus + FILTERS["digits"](value)
    if name in _WORDS and value.strip() and not _WORD.fullmatch(value):
        raise BadSettings(
            f"This {_words(name)} has characters that no argument may have: "
            f"the program can read ${variable(name)}"
        )
    return value


def variables(values: Mapping[str, str]) -> dict[str, str]:
    """Environment variables with all values, each on one line except the text of a message.

    A long one is cut, and more than `MOST_ENVIRONMENT` bytes are left out.
    """
    environment: dict[str, str] = {}
    left = MOST_ENVIRONMENT
    for name, value in values.items():
        text = clean(value) if name == "message.text" else one_line(clean(value))
        text = text.encode()[:MOST_BYTES].decode(errors="ignore")
        left -= len(text.encode())
        if left >= 0:
            environment[variable(name)] = text
    return environment
