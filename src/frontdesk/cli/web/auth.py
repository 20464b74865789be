"""Web authentication: link token, Host check (DNS rebinding) and origin check."""

import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from frontdesk.system.loopback import is_loopback

# The terminal emulator sets inline styles; scripts are never inline.
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
class AccessRules:
    """Access rules of one server. host: listen address.

    The token is generated on each start. It is required on loopback too, as other users of the
    machine can connect. It stays valid, so that a closed tab can be reopened.
    """

    host: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    def accepts_token(self, token: str | None) -> bool:
        """Compare with the token in constant time."""
        return secrets.compare_digest((token or "").encode(), self.token.encode())

    def refusal(self, headers: Mapping[str, str], *, websocket: bool = False) -> str | None:
        """Return why a request is refused, None if it is not.

        An unknown Host indicates DNS rebinding; another Origin, a script of another site.
        """
        host = headers.get("Host", "")
        if not self._is_ours(_host_name(host)):
            return "This address is not served here: open the link that frontdesk web printed"
        origin = headers.get("Origin")
        if origin is None and websocket:
            return "Only a page of this server may connect"
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            return "Pages of other origins are refused"
        if headers.get("Sec-Fetch-Site", "none") in ("same-origin", "none"):
            return None
        # Cross-site navigation by a link is allowed, any other cross-site request is not.
        if websocket or headers.get("Sec-Fetch-Mode") != "navigate":
            return "Pages of other origins are refused"
        return None

    def _is_ours(self, name: str) -> bool:
        """Check a host name. Names other than localhost can be rebound, addresses cannot."""
        if is_loopback(name) or name == self.host.lower():
            return True
        return not is_loopback(self.host) and _is_address(name)


def _host_name(host: str) -> str:
    """Return the name in a Host header without its port, "" if invalid."""
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
