"""Where frontdesk keeps its files on this machine, and what the environment tells it."""

import os
from pathlib import Path

from platformdirs import user_cache_path, user_log_path

from frontdesk.errors import BadSettings

KEY_VARIABLE = "FRONTDESK_API_KEY"


def cache_file() -> Path:
    """The file that holds the pages already seen."""
    return user_cache_path("frontdesk") / "pages.db"


def log_file() -> Path:
    """The file that `--debug` writes to."""
    return user_log_path("frontdesk") / "debug.log"


def api_key() -> str:
    """The key from the environment.

    Raises: BadSettings: there is none.
    """
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not key:
        raise BadSettings(f"No API key: set the environment variable {KEY_VARIABLE}")
    return key
