"""Extras that a command needs besides the base install."""

from importlib.util import find_spec

from frontdesk.errors import BadSettings


def check_mcp_extra() -> None:
    """Raises: BadSettings: the SDK of the Model Context Protocol is not installed."""
    if find_spec("mcp") is None or find_spec("mcp_types") is None:
        raise BadSettings("This needs more than the base install: pip install 'frontdesk[mcp]'")
