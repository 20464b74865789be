"""A command of the user: what it runs, on what, and where its output goes."""

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from frontdesk.own_commands.arguments import (
    FIELD,
    filled,
    filled_text,
    names_in,
    variable,
    variables,
)
from frontdesk.own_commands.runner import Job
from frontdesk.system import subprocess_environment
from frontdesk.text.messages import Entry
from frontdesk.wire import Contact, Conversation, Message

PLACES = ("conversation", "message", "contact", "marked", "report", "everywhere")
INPUTS = (
    *("none", "thread", "thread-json", "message", "message-json"),
    *("selection", "report"),
)
_CONVERSATION = (
    *("conversation.", "contact.", "channel.", "assignee.", "labels"),
    *("web_inbox", "query", "match"),
)
# Beginnings of the names of values in each place, and what can be on standard input there.
VALUES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "conversation": _CONVERSATION,
        "message": (*_CONVERSATION, "message.", "media."),
        "contact": ("contact.",),
        "marked": ("query",),
        "report": ("report.",),
        "everywhere": (),
    }
)
READS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "conversation": ("thread", "thread-json", "selection"),
        "message": ("thread", "thread-json", "message", "message-json"),
        "contact": (),
        "marked": ("thread", "selection"),
        "report": ("report",),
        "everywhere": (),
    }
)
OUTPUTS = ("pane", "terminal", "notify", "clipboard", "none")
# As `sys.platform` begins, by the name in the configuration.
PLATFORMS: Mapping[str, str] = MappingProxyType(
    {"linux": "linux", "macos": "darwin", "windows": "win32"}
)
# Seconds; a program whose output nobody sees goes on after them.
_LIMITS = {"pane": 600.0, "notify": 30.0, "clipboard": 30.0, "none": 30.0}
# Programs draw nothing and ask for nothing where their output is read as lines.
_PLAIN = {"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat"}


class AskedField(NamedTuple):
    """A value that is asked for when a command is run. choices: () for any text."""

    name: str
    title: str
    default: str = ""
    choices: tuple[str, ...] = ()


class OwnCommand(NamedTuple):
    """A command of the configuration. letter: in the menu, or "". places: what it is run on.

    key: of the keyboard, or "". fields: what is asked for. extract: regular expression of which a
    match is chosen, or "". condition: query that its conversation has to match, or "". holds:
    whether the terminal waits for a key at the end; None: after a failure.

    run: program and arguments with placeholders. last: newest entries of a thread on standard
    input, 0 for all. confirm: a question with placeholders, or "". profiles, platforms: where it
    is offered, () for everywhere. directory: "" is the home directory.
    """

    name: str
    run: tuple[str, ...]
    letter: str = ""
    places: tuple[str, ...] = ("conversation",)
    stdin: str = "none"
    last: int = 0
    output: str = "pane"
    timeout: timedelta | None = None
    confirm: str = ""
    directory: str = ""
    environment: Mapping[str, str] = MappingProxyType({})
    profiles: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    key: str = ""
    fields: tuple[AskedField, ...] = ()
    extract: str = ""
    condition: str = ""
    holds: bool | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts that may have placeholders."""
        return (*self.run, self.confirm)

    def uses(self, name: str) -> bool:
        """True if a placeholder or a variable is used whose name begins so."""
        return any(one.startswith(name) for one in names_in(self.texts)) or any(
            variable(name) in text for text in self.run
        )

    def is_offered(self, profile: str | None, platform: str) -> bool:
        """True if it can be run in a profile on a platform (`sys.platform`)."""
        in_profile = not self.profiles or profile in self.profiles
        names = [PLATFORMS[name] for name in self.platforms]
        return in_profile and (not names or any(platform.startswith(name) for name in names))

    def arguments(self, values: Mapping[str, str]) -> list[str]:
        """Program and arguments with values. Raises: BadSettings: see `filled`."""
        return filled(self.run, values)

    def question(self, values: Mapping[str, str]) -> str:
        """What to confirm, or "". Raises: BadSettings: a value is blank."""
        return filled_text(self.confirm, values)

    def job(self, values: Mapping[str, str], profile: str | None, stdin: bytes) -> Job:
        """Raises: BadSettings: see `filled`."""
        limit = self.timeout.total_seconds() if self.timeout else _LIMITS.get(self.output)
        return Job(
            self.arguments(values),
            stdin,
            program_environment(
                {**facts(values, profile), "FRONTDESK_COMMAND": self.name, **self.environment},
                is_plain=self.output != "terminal",
            ),
            self.directory or None,
            limit,
            keeps_errors=self.output in ("pane", "notify"),
            detached=self.output == "none",
            holds=self.holds,
        )


def program_environment(facts: Mapping[str, str], *, is_plain: bool = True) -> dict[str, str]:
    """The environment of a command. is_plain: its output is read as lines."""
    plain = _PLAIN if is_plain else {}
    return {**subprocess_environment.allowed(), **plain, **facts}


def values_of(
    conversation: Conversation | None,
    entry: Entry | None = None,
    query: str = "",
    contact: Contact | None = None,
    web_inbox: str | None = None,
) -> dict[str, str]:
    """Values of the placeholders for a row, its contact, and an entry of its thread.

    web_inbox: address of a conversation, with {id}.
    """
    values = {"query": query, **contact_values(contact)}
    if conversation is not None:
        one = conversation
        values |= {
            "conversation.id": one.id,
            "conversation.status": one.status,
            "conversation.waiting_since": one.waiting_since or "",
            "contact.id": one.contact.id,
            "contact.name": one.contact.name or values.get("contact.name", ""),
            "contact.phone": one.contact.phone or values.get("contact.phone", ""),
            "channel.id": one.channel.id,
            "channel.name": one.channel.name or "",
            "channel.phone": one.channel.phone or "",
            "assignee.name": one.assignee.name if one.assignee else "",
            "labels": ", ".join(one.labels),
            "web_inbox": (web_inbox or "").replace("{id}", quote(one.id, safe="")),
        }
    if entry is not None:
        values |= {
            "message.id": entry.id,
            "message.text": entry.text or "",
            "message.type": entry.type if isinstance(entry, Message) else "note",
            "message.author": entry.author,
        }
        if isinstance(entry, Message) and entry.media is not None:
            values["media.name"] = entry.media.filename or ""
    return values


def contact_values(contact: Contact | None) -> dict[str, str]:
    """Values of a contact; those of its custom fields as text."""
    if contact is None:
        return {}
    fields = {f"{FIELD}{key}": _field_text(one) for key, one in contact.custom_fields.items()}
    return {
        "contact.id": contact.id,
        "contact.name": contact.name or contact.profile_name or "",
        "contact.phone": contact.phone or "",
        "contact.email": contact.email or "",
        **fields,
    }


def _field_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def facts(values: Mapping[str, str], profile: str | None) -> dict[str, str]:
    """Variables for a program: a nested `frontdesk` reads the same inbox by them."""
    return {**variables(values), **({"FRONTDESK_PROFILE": profile} if profile else {})}
