"""A command of the user: what it runs, on what, and where its output goes.

What a customer or another server wrote is in no argument: many programs execute their arguments.
It reaches a program by an environment variable, and on standard input.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, NamedTuple

from frontdesk.own_commands.runner import Job
from frontdesk.settings import Setting, one_of, quoted
from frontdesk.system import subprocess_environment
from frontdesk.text.clean import clean, one_line
from frontdesk.text.messages import Entry
from frontdesk.wire import Contact, Conversation, Message

CONVERSATION, MESSAGE, LINK, FILE, REPORT, ALERT = (
    *("conversation", "message", "link", "file"),
    *("report", "alert"),
)
# What can be on standard input in each place; `file:TYPE` is a place too.
READS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        CONVERSATION: ("thread", "rows"),
        MESSAGE: ("thread", "message"),
        LINK: ("thread", "message"),
        FILE: ("thread", "message"),
        REPORT: ("rows",),
        ALERT: ("message",),
    }
)
INPUTS = ("none", "thread", "message", "rows")
OUTPUTS = ("pane", "under", "clipboard", "notice", "terminal", "none")
# A program whose output nobody sees goes on after it.
_LIMIT_SECONDS = 600.0
# Bytes of a variable, and of all: Linux takes 128 KiB, and 2 MiB with all arguments.
MOST_BYTES, MOST_ENVIRONMENT = 32 * 1024, 256 * 1024
# Programs draw nothing and ask for nothing where their output is read as lines.
_PLAIN = {"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat"}
_LONGEST_NAME = 80
ONE_KEY = 'use one key in quotes, such as "ctrl+g", "f6" or "Z"'
_QUESTION = "Run this command?"
# A value in an argument, as earlier versions filled it in.
_PLACEHOLDER = re.compile(
    r"\{((?:conversation|contact|channel|assignee|message|media|report|ask)\.[\w.-]+"
    r"|labels|match|query|web_inbox)\??(?:\|[a-z]+)?\}"
)


def _name(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("use a text in quotes")
    if not value.strip() or not value.isprintable() or len(value.strip()) > _LONGEST_NAME:
        raise ValueError(f"use 1 to {_LONGEST_NAME} characters")
    return value.strip()


def _letter(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("use a text in quotes")
    if len(value) != 1 or not (value.isascii() and value.isalnum()):
        raise ValueError("use one letter or digit")
    return value


def _key(value: object) -> str:
    # The configuration checks that there is such a key, of which the viewer knows the names.
    if not isinstance(value, str) or not value:
        raise ValueError(ONE_KEY)
    return value


def _run(value: object) -> object:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"use {_RUN_EXAMPLES}")
    if not words or not words[0].strip():
        raise ValueError(f"use {_RUN_EXAMPLES}")
    if any("\0" in word for word in words):
        raise ValueError("a program cannot have a NUL character")
    for word in words:
        if found := _PLACEHOLDER.search(word):
            name = re.sub("[^A-Z0-9]", "_", found[1].upper())
            raise ValueError(
                f"{found[0]} is not filled in: a line for the shell reads such values from"
                f' variables, as in "echo $FRONTDESK_{name}", in quotes'
            )
    return value if isinstance(value, str) else tuple(words)


_RUN_EXAMPLES = 'a line for the shell, or a program and its arguments: ["less", "-R"]'


def _places(value: object) -> object:
    places = value if isinstance(value, list) else []
    if not places or not all(isinstance(one, str) and place_of(one) in READS for one in places):
        raise ValueError(f'use a list of {quoted(tuple(READS))}, "file:audio"')
    return tuple(places)


def place_of(name: str) -> str:
    """A place without its type of files."""
    kind, colon, type = name.partition(":")
    return kind if not colon or (kind == FILE and type.isalpha()) else ""


def _confirm(value: object) -> object:
    if isinstance(value, bool):
        return _QUESTION if value else ""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("use true, false or a question in quotes")
    return value.strip()


class OwnCommand(NamedTuple):
    """A command of the configuration: a table `[[commands]]`.

    places: what it is run on, see `READS`. stdin: of `INPUTS`. output: of `OUTPUTS`. confirm: a
    question, or "".
    """

    name: Annotated[
        str, Setting(_name, f"Unique, at most {_LONGEST_NAME} characters.", '"Translate"')
    ] = ""
    run: Annotated[
        str | tuple[str, ...],
        Setting(
            _run, "A line for `sh`, or a list of a program and its arguments.", '"trans -b :en"'
        ),
    ] = ""
    letter: Annotated[
        str,
        Setting(_letter, "Its letter or digit in the menu; the first free one by default.", '"t"'),
    ] = ""
    key: Annotated[
        str,
        Setting(
            _key,
            "A key. One of the viewer in the same place stays the viewer's, except `o`: a command"
            " with it opens what it is for, and `o` again ends it.",
            '"ctrl+g"',
        ),
    ] = ""
    places: Annotated[
        tuple[str, ...],
        Setting(
            _places,
            "A list of `conversation` (the default), `message`, `link` and `file` (of the message"
            " under the cursor in the thread), `file:audio` (or another type of message),"
            " `report`, `alert`.",
            '["message"]',
            "for",
        ),
    ] = (CONVERSATION,)
    stdin: Annotated[
        str,
        Setting(
            one_of(*INPUTS),
            "What the program reads: `none`; `thread` (Markdown); `message` (its text; of an"
            " alert, its sentence); `rows` (the selected conversations, a line of JSON for each"
            " with its messages and notes; of a report, CSV).",
            '"message"',
        ),
    ] = "none"
    output: Annotated[
        str,
        Setting(
            one_of(*OUTPUTS),
            "`pane`; `under`; `clipboard`; `notice` (its last line); `terminal` (which waits for"
            " `enter` after a failure); `none` (only that it failed: the program may go on, as a"
            " browser does).",
            '"under"',
        ),
    ] = "pane"
    confirm: Annotated[
        str, Setting(_confirm, "`true`, or a question to confirm first.", "true")
    ] = ""

    @property
    def arguments(self) -> tuple[str, ...]:
        return ("sh", "-c", self.run) if isinstance(self.run, str) else self.run

    def job(self, values: Mapping[str, str], profile: str | None, stdin: str = "") -> Job:
        """The program to run with values; a nested `frontdesk` reads the same inbox by them."""
        facts = {**values, "COMMAND": self.name, **({"PROFILE": profile} if profile else {})}
        in_terminal = self.output == "terminal"
        return Job(
            self.arguments,
            stdin.encode("utf-8", "replace"),
            {
                **subprocess_environment.allowed(),
                **({} if in_terminal else _PLAIN),
                **variables(facts),
            },
            None if in_terminal else _LIMIT_SECONDS,
            keeps_errors=self.output in ("pane", "notice"),
            detached=self.output == "none",
        )


def variables(values: Mapping[str, str]) -> dict[str, str]:
    """Environment variables with all values, each on one line except the text of a message.

    A long one is cut, and more than `MOST_ENVIRONMENT` bytes are left out.
    """
    environment: dict[str, str] = {}
    left = MOST_ENVIRONMENT
    for name, value in values.items():
        text = clean(value) if name == "MESSAGE_TEXT" else one_line(clean(value))
        text = text.encode()[:MOST_BYTES].decode(errors="ignore")
        left -= len(text.encode())
        if left >= 0:
            environment[f"FRONTDESK_{name}"] = text
    return environment


def values_of(
    conversation: Conversation,
    entry: Entry | None = None,
    query: str = "",
    contact: Contact | None = None,
) -> dict[str, str]:
    """Values for a row, its contact, and an entry of its thread, by the name of the variable."""
    one, values = conversation, _contact_values(contact)
    values |= {
        "QUERY": query,
        "CONVERSATION_ID": one.id,
        "CONVERSATION_STATUS": one.status,
        "CONVERSATION_WAITING_SINCE": one.waiting_since or "",
        "CONTACT_ID": one.contact.id,
        "CONTACT_NAME": one.contact.name or values.get("CONTACT_NAME", ""),
        "CONTACT_PHONE": one.contact.phone or values.get("CONTACT_PHONE", ""),
        "CHANNEL_ID": one.channel.id,
        "CHANNEL_NAME": one.channel.name or "",
        "CHANNEL_PHONE": one.channel.phone or "",
        "ASSIGNEE_NAME": one.assignee.name if one.assignee else "",
        "LABELS": ", ".join(one.labels),
    }
    if entry is not None:
        values |= {
            "MESSAGE_ID": entry.id,
            "MESSAGE_TEXT": entry.text or "",
            "MESSAGE_TYPE": entry.type if isinstance(entry, Message) else "note",
            "MESSAGE_AUTHOR": entry.author,
        }
        if isinstance(entry, Message) and entry.media is not None:
            values["MEDIA_NAME"] = entry.media.filename or ""
    return values


def _contact_values(contact: Contact | None) -> dict[str, str]:
    """Values of a contact; those of its custom fields as text."""
    if contact is None:
        return {}
    return {
        "CONTACT_NAME": contact.name or contact.profile_name or "",
        "CONTACT_PHONE": contact.phone or "",
        "CONTACT_EMAIL": contact.email or "",
        **{
            "CONTACT_FIELDS_" + re.sub("[^A-Z0-9]", "_", key.upper()): _field_text(one)
            for key, one in contact.custom_fields.items()
        },
    }


def _field_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
