"""Environment of subprocesses, without secrets and without what is set for this process alone."""

import os

KEY_VARIABLE = "FRONTDESK_API_KEY"
APP_SECRET_VARIABLE = "FRONTDESK_WHATSAPP_APP_SECRET"
VERIFY_TOKEN_VARIABLE = "FRONTDESK_WHATSAPP_VERIFY_TOKEN"
ACCESS_TOKEN_VARIABLE = "FRONTDESK_WHATSAPP_ACCESS_TOKEN"
_SECRET = (KEY_VARIABLE, APP_SECRET_VARIABLE, VERIFY_TOKEN_VARIABLE, ACCESS_TOKEN_VARIABLE)


_only_here: set[str] = set()


def set_only_here(name: str, value: str) -> None:
    """Set a variable for this process, and not for the programs that it runs.

    A value that the user has set stays, and is passed on.
    """
    if name not in os.environ:
        os.environ[name] = value
        _only_here.add(name)


def with_secrets() -> dict[str, str]:
    """The environment without variables of `set_only_here`, for another process of frontdesk."""
    return {name: value for name, value in os.environ.items() if name not in _only_here}


def without_secrets() -> dict[str, str]:
    """The environment without this program's keys, secrets and variables of `set_only_here`."""
    return {name: value for name, value in with_secrets().items() if name not in _SECRET}
