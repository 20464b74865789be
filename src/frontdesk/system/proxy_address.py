"""Validation of proxy URLs, and their display without credentials."""

from urllib.parse import SplitResult, urlsplit


def without_credentials(proxy: str) -> str:
    """A valid proxy URL without user name and password."""
    parts = _parts(proxy)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}"


def check_proxy(proxy: str) -> None:
    """Raises: ValueError: not a proxy URL; the message contains no password."""
    parts = _parts(proxy)
    if parts.scheme not in ("http", "https"):
        raise ValueError(f"{parts.scheme}:// proxies are not supported; http:// and https:// are")
    if not parts.hostname or parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError("use scheme, host and port only: http://proxy.example:3128")
    if not parts.netloc.isascii() or not parts.netloc.isprintable() or " " in parts.netloc:
        raise ValueError("use printable ASCII characters, others as %XX")


def _parts(proxy: str) -> SplitResult:
    try:
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        parts.port  # noqa: B018  # Raises where it is no number.
    except ValueError:
        raise ValueError("it is no address, such as http://proxy.example:3128") from None
    return parts
