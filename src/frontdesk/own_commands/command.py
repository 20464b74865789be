"""A command of the user: what it runs, on what, and where its output goes.

What a customer or another server wrote is in no argument: many programs execute their arguments.
It reaches a program by an environment variable, and on standard input.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from frontdesk.own_commands.runner import Job
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


class OwnCommand(NamedTuple):
    """A command of the configuration. places: what it is run on, see `READS`.

    run: a line for `sh`, or a program and its arguments. letter: in the menu, or "". key: of the
    keyboard, or "". stdin: of `INPUTS`. output: of `OUTPUTS`. confirm: a question, or "".
    """

    name: str
    run: str | tuple[str, ...]
    letter: str = ""
    key: str = ""
    places: tuple[str, ...] = (CONVERSATION,)
    stdin: str = "none"
    output: str = "pane"
    confirm: str = ""

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
