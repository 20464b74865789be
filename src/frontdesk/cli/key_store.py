"""Where the keys of profiles are kept: in the system's key store, or in files for one reader.

A profile may name a command instead, which says the key each time. Keys are never in the
configuration, never in arguments, never printed.
"""

import subprocess
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from frontdesk import outside, settings
from frontdesk.cli.private import private_text, write_private
from frontdesk.errors import BadSettings, UnusableFile

if TYPE_CHECKING:
    from frontdesk.cli.configuration import Profile

_SERVICE = "frontdesk"
_COMMAND_SECONDS = 60.0


def kept_key(profile: "Profile") -> str | None:
    """The key of a profile; None: none is kept.

    Raises: BadSettings: its file can be read by others, or its command fails.
    """
    if profile.key_command:
        return _said_by(profile.key_command)
    file = _file(profile.name)
    if file.is_symlink() or file.exists():
        try:
            return private_text(file).strip()
        except UnicodeDecodeError:
            raise BadSettings(f"{file} holds no key") from None
    ring = _keyring()
    if ring is None:
        return None
    try:
        found = ring.get_password(_SERVICE, profile.name)
    except ring.errors.KeyringError:
        return None
    return str(found) if found else None


def keep_key(name: str, key: str) -> str:
    """Keep the key of a profile; says where, for the reader.

    Raises: UnusableFile: it can be kept nowhere.
    """
    ring = _keyring()
    if ring is not None:
        try:
            ring.set_password(_SERVICE, name, key)
        except ring.errors.KeyringError:
            pass
        else:
            _file(name).unlink(missing_ok=True)
            return "the system's key store"
    file = _file(name)
    if file.is_symlink():
        raise UnusableFile(f"{file} is a symbolic link: a key is not written there")
    write_private(file, f"{key}\n")
    return str(file)


def forget_key(name: str) -> None:
    """Forget the key of a profile, wherever it is kept."""
    _file(name).unlink(missing_ok=True)
    ring = _keyring()
    if ring is None:
        return
    try:
        ring.delete_password(_SERVICE, name)
    except ring.errors.KeyringError:
        return


def _file(name: str) -> Path:
    return settings.keys_directory() / name


def _keyring() -> ModuleType | None:
    """The system's key store, where the extra is installed and there is one that works."""
    try:
        keyring = import_module("keyring")
        import_module("keyring.errors")
    except ImportError:
        return None
    # Those that keep nothing, or ask for what nobody can say, have a priority below 1.
    try:
        return keyring if keyring.get_keyring().priority >= 1 else None
    except (RuntimeError, keyring.errors.KeyringError):
        return None


def _said_by(command: tuple[str, ...]) -> str:
    """The first line that a command writes; what it says otherwise goes to the terminal."""
    try:
        said = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            check=True,
            timeout=_COMMAND_SECONDS,
            env=outside.environment(),
        ).stdout
    except subprocess.CalledProcessError as error:
        raise BadSettings(f"{command[0]} gave no key: it ended with {error.returncode}") from None
    except subprocess.TimeoutExpired:
        raise BadSettings(f"{command[0]} gave no key within {_COMMAND_SECONDS:.0f} s") from None
    except OSError as error:
        raise BadSettings(f"{command[0]} gave no key: {error.strerror}") from error
    lines = said.decode(errors="replace").splitlines()
    if not lines or not lines[0].strip():
        raise BadSettings(f"{command[0]} gave no key: it wrote nothing")
    return lines[0].strip()
