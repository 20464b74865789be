"""Where frontdesk keeps its files on this machine, and what the environment tells it."""

import os
from pathlib import Path

from platformdirs import user_cache_path, user_log_path

from frontdesk.errors import BadSettings

KEY_VARIABLE = "FRONTDESK_API_KEY"
APP_SECRET_VARIABLE = "FRONTDESK_WHATSAPP_APP_SECRET"
VERIFY_TOKEN_VARIABLE = "FRONTDESK_WHATSAPP_VERIFY_TOKEN"


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


def webhook_secrets() -> tuple[str, str]:
    """The app secret and the verify token from the environment, "" for one that is not there."""
    names = (APP_SECRET_VARIABLE, VERIFY_TOKEN_VARIABLE)
    app_secret, verify_token = (os.environ.get(name, "").strip() for name in names)
    return app_secret, verify_token
