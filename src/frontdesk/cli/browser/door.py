"""Who may come in from a browser: the link's token, the host asked for, the page that asks."""

import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from frontdesk.cli.listening import is_loopback

# Styles stand inline because the terminal writes its own; scripts never do.
_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Server": "frontdesk",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True, slots=True)
class Door:
    """The rules of one server. host: what it was told to listen on.

    The token is made for each start. It opens to everyone who has the link, on loopback too: other
    users of the machine reach its ports. It is not used up, so that a closed tab can be reopened.
    """

    host: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def opens_to(self, token: str | None) -> bool:
        """Whether somebody has the token."""
        return secrets.compare_digest((token or "").encode(), self.token.encode())

    def refusal(self, headers: Mapping[str, str], *, websocket: bool = False) -> str | None:
        """Why a request is refused, whoever sends it; None when it is not.

        A name that leads here but is not ours is a stranger's (DNS rebinding); another origin is
        another page's script.
        """
        asked = headers.get("Host", "")
        if not self._is_ours(_host_name(asked)):
            return "This address is not served here: open the link that frontdesk web printed"
        origin = headers.get("Origin")
        if origin is None and websocket:
            return "Only a page of this server may connect"
        if origin is not None and origin.lower() != f"http://{asked.lower()}":
            return "Pages of other origins are refused"
        if headers.get("Sec-Fetch-Site", "none") in ("same-origin", "none"):
            return None
        # A link elsewhere may lead here; anything else that another site asks for may not.
        if websocket or headers.get("Sec-Fetch-Mode") != "navigate":
            return "Pages of other origins are refused"
        return None

    def _is_ours(self, name: str) -> bool:
        """Names other than localhost can be rebound; addresses cannot."""
        if is_loopback(name) or name == self.host.lower():
            return True
        return not is_loopback(self.host) and _is_address(name)


def _host_name(host: str) -> str:
    """The name in a Host header, without its port; "" if there is none."""
    try:
        parts = urlsplit(f"//{host}")
        name = parts.hostname or ""
    except ValueError:
        return ""
    return name if parts.netloc == host and "@" not in host else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
