"""Validation of the server's base URL and of the API key."""

import hashlib
from urllib.parse import SplitResult, urlsplit

from frontdesk.errors import BadSettings
from frontdesk.system.loopback import is_loopback

_LONGEST_KEY = 512


def base_url(text: str, *, in_process: bool) -> str:
    """The URL without a trailing slash or /v1: "https://inbox.example".

    Raises: BadSettings: not an HTTP URL, or plain HTTP to a host other than loopback.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise BadSettings("The address of the server cannot be read") from error
    if parts.scheme not in ("http", "https"):
        raise BadSettings("The address of the server must begin with https:// or http://")
    if not host:
        raise BadSettings("The address of the server has no host: https://inbox.example.com")
    if parts.username is not None or parts.query or parts.fragment:
        raise BadSettings("The address of the server must be scheme, host, port and path alone")
    if parts.scheme == "http" and not in_process and not is_loopback(host):
        raise BadSettings(f"Plain http would show the key to the network: use https for {host}")
    return f"{parts.scheme}://{_place(host, port)}{_path(parts)}"


def check_key(key: str) -> str:
    """Return the key unchanged.

    Raises: BadSettings: empty, longer than 512 characters, or not printable ASCII without spaces.
    """
    if not 1 <= len(key) <= _LONGEST_KEY or not all("!" <= character <= "~" for character in key):
        raise BadSettings("The key must be 1 to 512 printable ASCII characters without spaces")
    return key


def fingerprint(key: str) -> str:
    """First 16 hex digits of the key's SHA-256."""
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def _place(host: str, port: int | None) -> str:
    name = f"[{host}]" if ":" in host else host
    return name if port is None else f"{name}:{port}"


def _path(parts: SplitResult) -> str:
    path = parts.path.rstrip("/")
    return path.removesuffix("/v1").rstrip("/")
