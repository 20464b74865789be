"""Argument lists with placeholders: a value stays within one argument, and is never an option.

`{name}` is replaced by a value that may not be blank, `{name?}` by one that may be. A filter may
follow: `{name|line}`. `{{` and `}}` are braces.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePath, PureWindowsPath
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
        "line": one_line,
        "url": lambda text: quote(text, safe=""),
        "digits": lambda text: "".join(one for one in text if one.isascii() and one.isdigit()),
    }
)
# Bytes of an argument; Linux takes 128 KiB, Windows 32,767 characters for all.
MOST_BYTES = 32 * 1024

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]+)\}|[{}]")
_MEMBERS = re.compile(
    r"([a-z_]+(?:\.[a-z_]+)?|contact\.fields\.[\w-]+|ask\.[a-z0-9_]+)(\?)?(?:\|([a-z]+))?"
)
# Programs, and the options whose argument is a text that they execute.
_POSIX_SHELLS = dict.fromkeys(("sh", "bash", "zsh", "fish", "dash", "ksh", "ash"), "c")
_CODE_OPTIONS = {
    **_POSIX_SHELLS,
    **{"python": "c", "python3": "c", "perl": "eE", "ruby": "e", "node": "ep", "php": "r"},
}
_WINDOWS_SHELLS = ("cmd", "powershell", "pwsh")


def check(template: Sequence[str]) -> None:
    """Check an argument list. Raises: ValueError: with what is allowed."""
    if not template or not template[0].strip():
        raise ValueError('use a program and its arguments: ["less", "-R"]')
    if any("\0" in element for element in template):
        raise ValueError("an argument cannot have a NUL character")
    if _names(template[0]):
        raise ValueError("the program itself cannot be a placeholder")
    has_placeholders = any([_names(element) for element in template])
    if has_placeholders and PureWindowsPath(template[0]).suffix.lower() in (".bat", ".cmd"):
        raise ValueError("a batch file reads its arguments as code: use a program, or no braces")
    for element in _code(template):
        if _names(element):
            raise ValueError(
                f"{element!r} is executed: give values as arguments of their own, "
                '["sh", "-c", "crm \\"$1\\"", "sh", "{contact.phone}"]'
            )


def _code(template: Sequence[str]) -> Iterator[str]:
    """Elements that a shell or an interpreter executes."""
    for at, element in enumerate(template):
        program = _program_name(element)
        after = template[at + 1 :]
        if program in _WINDOWS_SHELLS:
            yield from after
        for option, script in pairwise(after):
            if not option.startswith("-") or program not in _CODE_OPTIONS:
                break
            if not option.startswith("--") and set(option) & set(_CODE_OPTIONS[program]):
                yield script
                break


def _program_name(element: str) -> str:
    return PureWindowsPath(PurePath(element).name).name.lower().removesuffix(".exe")


def names_in(texts: Iterable[str]) -> list[str]:
    """Names of the placeholders of checked texts, each once, in order."""
    return list(dict.fromkeys(name for text in texts for name in _names(text)))


def _names(element: str) -> list[str]:
    """Names of the placeholders of an element. Raises: ValueError."""
    return [_parsed(match)[0] for match in _PLACEHOLDER.finditer(element) if len(match[0]) != 2]


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

    Raises: BadSettings: a value is blank or too long, or would be taken for an option.
    """
    arguments = [filled_text(element, values) for element in template]
    for at, (element, argument) in enumerate(zip(template, arguments, strict=True)):
        begins = _PLACEHOLDER.match(element)
        is_value = begins is not None and len(begins[0]) != 2
        if is_value and argument.startswith("-") and "--" not in template[:at]:
            raise BadSettings(
                f"{template[0]} would take {one_line(argument)[:40]!r} for an option: "
                f'put "--" before {element} in run, or write --name={element}'
            )
        if len(argument.encode()) > MOST_BYTES:
            raise BadSettings(
                f"{element} has more than {MOST_BYTES // 1024} KiB: use standard input"
            )
    return arguments


def filled_text(text: str, values: Mapping[str, str]) -> str:
    """Fill the placeholders of one checked text. Raises: BadSettings: a value is blank."""

    def value(match: re.Match[str]) -> str:
        if len(match[0]) == 2:
            return match[0][0]
        name, optional, filter = _parsed(match)
        value = clean(values.get(name, ""))
        if filter:
            value = FILTERS[filter](value)
        if not optional and not value.strip():
            raise BadSettings(f"There is no {_words(name)} here for {match[0]}")
        return value

    return _PLACEHOLDER.sub(value, text)
