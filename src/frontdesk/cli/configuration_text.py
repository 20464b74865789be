"""Edits the configuration file's text, preserving comments and formatting."""

import json
import re
import tomllib
from typing import Any

from frontdesk.cli.configuration import Profile
from frontdesk.errors import BadSettings

NEW_FILE = """\
# How frontdesk is set up. `frontdesk config check` says what is wrong in here.
# Lines that begin with # are off; they show what holds without them.

# The profile that is opened when none is named: frontdesk profiles use NAME
# profile = "work"

[viewer]
# Colours: "dark", "light" or "high-contrast".
# theme = "dark"
# Lines for each conversation: "auto" (by the terminal's size), 1, 2 or 3.
# density = "auto"
# Ring the terminal's bell when something new comes in.
# bell = false
# Ask the server nothing while the terminal does not have the focus.
# quiet_unfocused = false
# Take clicks. Without, the terminal selects text as usual.
# mouse = true
# How many MB the pages already seen may take on this machine.
# cache_mb = 512

[network]
# The authorities whose certificates count, in PEM; else SSL_CERT_FILE, SSL_CERT_DIR, or those
# that the system trusts.
# ca_file = "/etc/ssl/certs/company.pem"
# The proxy for https; "" is none. Else HTTPS_PROXY says it. NO_PROXY names hosts without one.
# proxy = "http://proxy.example.com:3128"

[keys]
# Other keys for an action: `frontdesk config keys` lists actions and their keys.
# "inbox.next" = "J,ctrl+n"

# Profiles: frontdesk profiles add|list|use|remove. Keys of servers are not kept in this file.
# key_command is a program that writes the key, and can stand in the profile of a server:
# key_command = ["pass", "show", "frontdesk"]
"""

_HEADER = re.compile(r"\s*\[")
_CHOICE = re.compile(r"profile\s*=")


def with_profile(text: str, profile: Profile) -> str:
    """Append a profile.

    Raises: BadSettings: the text cannot be edited automatically.
    """
    members: dict[str, Any] = {
        "url": profile.url,
        "database": profile.database,
        "me": profile.user,
        "key_command": list(profile.key_command) or None,
    }
    said = {name: value for name, value in members.items() if value is not None}
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in said.items()]
    section = "\n".join([f"[profiles.{profile.name}]", *lines])
    gap = "" if not text or text.endswith("\n") else "\n"
    wanted = tomllib.loads(text)
    wanted.setdefault("profiles", {})[profile.name] = said
    return _sound(f"{text}{gap}\n{section}\n", wanted)


def without_profile(text: str, name: str) -> str:
    """Remove a profile, and deselect it.

    Raises: BadSettings: the text cannot be edited automatically.
    """
    lines = text.splitlines(keepends=True)
    header = re.compile(rf"""\s*\[\s*profiles\s*\.\s*["']?{re.escape(name)}["']?\s*\]""")
    start = next((at for at, line in enumerate(lines) if header.match(line)), len(lines))
    end = start + 1
    while end < len(lines) and not _HEADER.match(lines[end]):
        end += 1
    # Comments before the next table belong to that one.
    while start + 1 < end < len(lines) and lines[end - 1].lstrip()[:1] in ("#", ""):
        end -= 1
    wanted = tomllib.loads(text)
    del wanted["profiles"][name]
    if not wanted["profiles"]:
        del wanted["profiles"]
    rest = lines[:start] + lines[end:]
    if wanted.get("profile") == name:
        del wanted["profile"]
        rest = [f"# {line}" if at == _choice(rest) else line for at, line in enumerate(rest)]
    return _sound("".join(rest), wanted)


def choosing(text: str, name: str) -> str:
    """Select a default profile.

    Raises: BadSettings: the text cannot be edited automatically.
    """
    lines = text.splitlines(keepends=True)
    said = f"profile = {json.dumps(name)}\n"
    at = _choice(lines)
    if at is None:
        first = next((n for n, line in enumerate(lines) if _HEADER.match(line)), len(lines))
        lines[first:first] = [said, "\n"]
    else:
        lines[at] = said
    return _sound("".join(lines), {**tomllib.loads(text), "profile": name})


def _choice(lines: list[str]) -> int | None:
    """Return the line that selects a profile, or else a commented-out one; None without either."""
    off = None
    for at, line in enumerate(lines):
        if _HEADER.match(line):
            break
        if _CHOICE.match(line.lstrip()):
            return at
        if off is None and _CHOICE.match(line.lstrip("# ")):
            off = at
    return off


def _sound(text: str, wanted: dict[str, Any]) -> str:
    """Return the text if it parses to the expected document."""
    try:
        says = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        says = {}
    if says != wanted:
        raise BadSettings("The configuration is written in a way that only a hand can change")
    return text
