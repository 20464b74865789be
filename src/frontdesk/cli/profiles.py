"""Adds, selects and removes profiles in the configuration file.

tomlkit edits the text, so that comments and formatting survive.
"""

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from frontdesk.cli.config import PROFILE_NAME, Configuration, line_of
from frontdesk.errors import BadSettings
from frontdesk.settings import Profile, new_file
from frontdesk.system import private_files, toml

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

# The line of a table, or of one in an array of them; and the remarks and blank lines at the end.
_TABLE = re.compile(r"^[ \t]*\[(?P<profiles>[ \t]*profiles[ \t]*\.)?", re.MULTILINE)
_REMARKS = re.compile(r"(?<=\n)(?:[ \t]*(?:#.*)?\n)+\Z")


def add_profile(configured: Configuration, profile: Profile, key: str | None, *, use: bool) -> str:
    """Save a profile and its key, replacing one of that name; the first becomes the default.

    Returns a message. Raises: UnusableFile, BadSettings.
    """
    from frontdesk.cli.key_store import delete_key, store_key

    text = configuration_text(configured)
    if profile.name in configured.profiles:
        text = without_profile(text, profile.name)
    text = with_profile(text, profile)
    chosen = use or configured.profile in (None, profile.name)
    if chosen:
        text = with_selected(text, profile.name)
    if key is None:
        delete_key(profile.name)
    remark = "" if key is None else f" The key is in {store_key(profile.name, key)}."
    write_configuration(configured, text)
    opens = "frontdesk" if chosen else f"frontdesk --profile {profile.name}"
    return f"{profile.name} is kept.{remark} It opens with: {opens}"


def check_name(name: str) -> None:
    """Raises: BadSettings: invalid profile name."""
    if not PROFILE_NAME.fullmatch(name):
        raise BadSettings(f"{name!r} is no name: letters, digits, - and _ are, up to 40")


def configuration_text(configured: Configuration) -> str:
    """Return the configuration file's text, or that of a new file.

    Raises: BadSettings: the file is not TOML, so it must not be edited automatically.
    """
    if any(not mistake.place for mistake in configured.mistakes):
        raise BadSettings(f"{configured.path}, {configured.mistakes[0]}")
    try:
        return configured.path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return new_file()


def write_configuration(configured: Configuration, text: str) -> None:
    private_files.save_text(configured.path, text)


def with_profile(text: str, profile: Profile) -> str:
    """Add a profile below the others, or else at the end.

    Raises: BadSettings: the text cannot be edited automatically.
    """
    import tomlkit

    members = profile.members
    expected = toml.loads(text)
    expected.setdefault("profiles", {})[profile.name] = members
    section = tomlkit.dumps({"profiles": {profile.name: members}})
    with suppress(BadSettings):
        return _checked(_inserted(text, _end_of_profiles(text), section), expected)
    return _checked(_inserted(text, len(text), section), expected)


def _inserted(text: str, place: int, section: str) -> str:
    before, behind = text[:place], text[place:]
    gap = "" if not before or before.endswith("\n") else "\n"
    return f"{before}{gap}\n{section}{behind}"


def _end_of_profiles(text: str) -> int:
    """Offset behind the last profile; of tables that others stand between, tomlkit keeps no order.

    Comments and blank lines before the table that follows belong to that.
    """
    tables = list(_TABLE.finditer(text))
    last = max((at for at, table in enumerate(tables) if table["profiles"]), default=None)
    if last is None or tables[last] is tables[-1]:
        return len(text)
    return len(_REMARKS.sub("", text[: tables[last + 1].start()]))


def without_profile(text: str, name: str) -> str:
    """Remove a profile, and deselect it. Comments after its last value stay.

    Raises: BadSettings: the text cannot be edited automatically.
    """
    from tomlkit.items import Table

    expected = toml.loads(text)
    del expected["profiles"][name]
    document = _document(text)
    if expected.get("profile") == name:
        del expected["profile"]
        del document["profile"]
        text = document.as_string()
    table = document["profiles"].get(name)
    if not isinstance(table, Table):
        raise _by_hand()
    first = line_of(text, ("profiles", name)) - 1
    body = table.value.body
    size = max((at for at, (key, _) in enumerate(body, start=1) if key), default=0)
    entries = "".join(item.as_string() + ("\n" if key else "") for key, item in body[:size])
    lines = text.split("\n")
    del lines[first : first + 1 + entries.count("\n")]
    return _checked("\n".join(lines), expected)


def with_selected(text: str, name: str) -> str:
    """Select a default profile.

    Raises: BadSettings: the text cannot be edited automatically.
    """
    document = _document(text)
    document["profile"] = name
    return _checked(document.as_string(), {**toml.loads(text), "profile": name})


def _document(text: str) -> "TOMLDocument":
    """Parse a text for editing."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
    except (TOMLKitError, RecursionError):
        raise _by_hand() from None
    if document.as_string() != text:
        raise _by_hand()
    return document


def _checked(text: str, expected: dict[str, Any]) -> str:
    """Return the edited text if it parses to the expected document."""
    try:
        members = toml.loads(text)
    except ValueError:
        members = {}
    if {"profiles": {}, **members} != {"profiles": {}, **expected}:
        raise _by_hand()
    return text


def _by_hand() -> BadSettings:
    return BadSettings("The configuration is written in a way that only a hand can change")
