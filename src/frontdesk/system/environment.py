"""Environment variables, and paths of frontdesk's files."""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from platformdirs import (
    user_cache_path,
    user_config_path,
    user_downloads_path,
    user_log_path,
    user_state_path,
)

from frontdesk.errors import BadSettings
from frontdesk.system.subprocess_environment import (
    ACCESS_TOKEN_VARIABLE as ACCESS_TOKEN_VARIABLE,
)
from frontdesk.system.subprocess_environment import APP_SECRET_VARIABLE as APP_SECRET_VARIABLE
from frontdesk.system.subprocess_environment import KEY_VARIABLE as KEY_VARIABLE
from frontdesk.system.subprocess_environment import VERIFY_TOKEN_VARIABLE as VERIFY_TOKEN_VARIABLE

PLAIN_S3_VARIABLE = "AWS_ALLOW_HTTP"
CACHE_LIMIT_VARIABLE = "FRONTDESK_CACHE_MB"


def cache_file() -> Path:
    """Path of the cache."""
    return user_cache_path("frontdesk") / "pages.db"


def state_file() -> Path:
    """Path of what cannot be fetched again; not in the cache, which cleaners of disks empty."""
    return user_state_path("frontdesk") / "state.db"


def media_directory(cache_file: Path, origin: str | None = None) -> Path:
    """Directory of the files of messages that are kept beside a cache; of one origin, or of all."""
    directory = cache_file.with_name("media")
    return directory / sha256(origin.encode()).hexdigest()[:32] if origin else directory


def downloads_directory() -> Path:
    """Directory in which the user keeps what was downloaded; it may be missing."""
    return user_downloads_path()


def config_file() -> Path:
    """Path of the configuration: profiles and viewer settings."""
    return user_config_path("frontdesk") / "config.toml"


def keys_directory() -> Path:
    """Directory for keys that the system's key store does not hold, one file each."""
    return user_config_path("frontdesk") / "keys"


def log_file() -> Path:
    """Path of the log of `--debug`."""
    return user_log_path("frontdesk") / "debug.log"


def crash_directory() -> Path:
    """Directory of crash reports, one file each."""
    return user_state_path("frontdesk") / "crashes"


def key_in_environment() -> str:
    """The API key, or ""."""
    return os.environ.get(KEY_VARIABLE, "").strip()


def allows_plain_s3() -> bool:
    """Whether files may be in a bucket behind an endpoint without TLS."""
    return os.environ.get(PLAIN_S3_VARIABLE, "").strip().lower() in ("1", "true", "yes")


def api_key() -> str:
    """The API key.

    Raises: BadSettings: the variable is not set.
    """
    key = key_in_environment()
    if not key:
        raise BadSettings(f"No API key: set the environment variable {KEY_VARIABLE}")
    return key


def token(variable: str) -> str:
    """Token for a third-party service, from a variable that the user names.

    Raises: BadSettings: the variable is not set.
    """
    value = os.environ.get(variable, "").strip()
    if not value:
        raise BadSettings(f"No token: set the environment variable {variable}")
    return value


def variables() -> Mapping[str, str]:
    return os.environ


def whatsapp_access_token() -> str:
    """Token for the files of the Cloud API, or ""."""
    return os.environ.get(ACCESS_TOKEN_VARIABLE, "").strip()


def zone_name() -> str | None:
    """Return the IANA name of the computer's time zone; None if it cannot be told."""
    # Deferred: the first paint does not need it.
    from zoneinfo import ZoneInfo

    named = variables().get("TZ", "").removeprefix(":")
    path = named or os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    # The name that containers have it by.
    path = "UTC" if path == "Etc/UTC" else path
    try:
        return ZoneInfo(path).key if path else None
    except (ValueError, OSError, KeyError):
        return None


def webhook_secrets() -> tuple[str, str]:
    """App secret and verify token, each "" if its variable is not set."""
    names = (APP_SECRET_VARIABLE, VERIFY_TOKEN_VARIABLE)
    app_secret, verify_token = (os.environ.get(name, "").strip() for name in names)
    return app_secret, verify_token
