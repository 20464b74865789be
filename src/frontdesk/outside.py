"""Environment of subprocesses, without secrets."""

import os

KEY_VARIABLE = "FRONTDESK_API_KEY"
APP_SECRET_VARIABLE = "FRONTDESK_WHATSAPP_APP_SECRET"
VERIFY_TOKEN_VARIABLE = "FRONTDESK_WHATSAPP_VERIFY_TOKEN"
_SECRET = (KEY_VARIABLE, APP_SECRET_VARIABLE, VERIFY_TOKEN_VARIABLE)


def environment() -> dict[str, str]:
    """The environment without this program's keys and secrets."""
    return {name: value for name, value in os.environ.items() if name not in _SECRET}
