"""API keys of profiles: stored in the system's keyring or in private files.

A profile may name a command instead, which prints the key. Keys never appear in the configuration,
in arguments or in output.
"""

import subprocess
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.system import environment, private_files, subprocess_environment

if TYPE_CHECKING:
    from frontdesk.settings import Profile

_SERVICE = "frontdesk"
_COMMAND_SECONDS = 60.0


def load_key(profile: "Profile") -> str | None:
    """Return a profile's key, None without one.

    Raises: BadSettings: its file is readable by others, or its command fails.
    """
    if profile.key_command:
        return _command_output(profile.key_command)
    file = _file(profile.name)
    if file.is_symlink() or file.exists():
        try:
            return private_files.load_text(file).strip()
        except UnicodeDecodeError:
            raise BadSettings(f"{file} holds no key") from None
    ring = _keyring()
    if ring is None:
        return None
    try:
        key = ring.get_password(_SERVICE, profile.name)
    except ring.errors.KeyringError:
        return None
    return str(key) if key else None


def store_key(name: str, key: str) -> str:
    """Store a profile's key; return the location for display.

    Raises: UnusableFile: it cannot be stored.
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
    private_files.save_text(file, f"{key}\n")
    return str(file)


def delete_key(name: str) -> None:
    """Delete a profile's key from all locations."""
    _file(name).unlink(missing_ok=True)
    ring = _keyring()
    if ring is None:
        return
    try:
        ring.delete_password(_SERVICE, name)
    except ring.errors.KeyringError:
        return


def _file(name: str) -> Path:
    return environment.keys_directory() / name


def _keyring() -> ModuleType | None:
    """Return the keyring module if it is installed and has a working backend."""
    try:
        keyring = import_module("keyring")
        import_module("keyring.errors")
    except ImportError:
        return None
    # Backends that store nothing, or that need interaction, have a priority below 1.
    try:
        return keyring if keyring.get_keyring().priority >= 1 else None
    except (RuntimeError, keyring.errors.KeyringError):
        return None


def _command_output(command: tuple[str, ...]) -> str:
    """Return the first line printed by a command; its standard error goes to the terminal."""
    try:
        output = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            check=True,
            timeout=_COMMAND_SECONDS,
            env=subprocess_environment.allowed(),
        ).stdout
    except subprocess.CalledProcessError as error:
        raise BadSettings(f"{command[0]} gave no key: it ended with {error.returncode}") from None
    except subprocess.TimeoutExpired:
        raise BadSettings(f"{command[0]} gave no key within {_COMMAND_SECONDS:.0f} s") from None
    except OSError as error:
        raise BadSettings(f"{command[0]} gave no key: {error.strerror}") from error
    lines = output.decode(errors="replace").splitlines()
    if not lines or not lines[0].strip():
        raise BadSettings(f"{command[0]} gave no key: it wrote nothing")
    return lines[0].strip()
