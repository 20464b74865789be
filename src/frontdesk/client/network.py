"""Network settings: trusted certificates and proxy.

The defaults come from the environment, as for curl: `SSL_CERT_FILE` and `SSL_CERT_DIR`, else the
system's trust store; `HTTPS_PROXY` or `ALL_PROXY`, except for the hosts in `NO_PROXY`.
"""

import ipaddress
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import truststore

from frontdesk.errors import BadSettings
from frontdesk.settings import ENVIRONMENT_ALONE, NetworkSettings
from frontdesk.system.loopback import is_loopback
from frontdesk.system.proxy_address import check_proxy, without_credentials

_HTTPS_PORT = 443


@dataclass(frozen=True, slots=True)
class Network:
    """Trusted certificates and proxy for connections to servers.

    ca_file, ca_directory: PEM certificates that replace the system's trust store; None, None: the
    trust store. proxy: a URL that may contain a password; "" for none. no_proxy: as in `NO_PROXY`.
    ca_source and proxy_source name the setting, for messages.
    """

    ca_file: str | None = None
    ca_directory: str | None = None
    ca_source: str = ""
    proxy: str = field(default="", repr=False)
    proxy_source: str = ""
    no_proxy: str = ""

    @classmethod
    def of(
        cls, environment: Mapping[str, str], settings: NetworkSettings = ENVIRONMENT_ALONE
    ) -> "Network":
        """From environment variables, overridden by the settings of the configuration."""
        source = "[network] in the configuration"
        if settings.ca_file is not None:
            trust: tuple[str | None, str | None, str] = settings.ca_file, None, source
        else:
            file, directory = environment.get("SSL_CERT_FILE"), environment.get("SSL_CERT_DIR")
            names = ("SSL_CERT_FILE" if file else "", "SSL_CERT_DIR" if directory else "")
            trust = file or None, directory or None, " and ".join(filter(None, names))
        if settings.proxy is not None:
            way = settings.proxy, source
        else:
            way = _first_of(environment, "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        return cls(*trust, *way, _first_of(environment, "no_proxy", "NO_PROXY")[0])

    def proxy_for(self, base_url: str) -> str | None:
        """Proxy URL for a server; None for a direct connection.

        Only https uses a proxy, through a tunnel (CONNECT), so that no proxy can read the traffic.
        Loopback addresses never use one.

        Raises: BadSettings: the proxy's URL is invalid.
        """
        parts = urlsplit(base_url)
        host, port = parts.hostname or "", parts.port or _HTTPS_PORT
        if parts.scheme != "https" or is_loopback(host):
            return None
        if not self.proxy or _is_listed(host, port, self.no_proxy):
            return None
        _checked(self.proxy, self.proxy_source)
        return self.proxy if "://" in self.proxy else f"http://{self.proxy}"

    def tls(self) -> ssl.SSLContext:
        """A TLS context that verifies certificates.

        `ssl.create_default_context` is avoided because it honours SSLKEYLOGFILE.

        Raises: BadSettings: the certificate file or directory cannot be used.
        """
        if self.ca_file is None and self.ca_directory is None:
            return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._check_directories()
        try:
            context.load_verify_locations(self.ca_file, self.ca_directory)
        except ssl.SSLError:
            reason = "it holds no certificate in PEM"
        except OSError as error:
            reason = error.strerror or "it cannot be read"
        else:
            return context
        raise BadSettings(f"{self.ca_source}: {self.ca_file} cannot be used: {reason}")

    def _check_directories(self) -> None:
        """OpenSSL treats a missing directory as an empty one, so check it here."""
        names = [name for name in (self.ca_directory or "").split(os.pathsep) if name]
        if names and not any(Path(name).is_dir() for name in names):
            raise BadSettings(f"{self.ca_source}: there is no directory {self.ca_directory}")

    def trust_words(self) -> str:
        """Description of the trusted certificates and of the setting they come from."""
        if self.ca_file is None and self.ca_directory is None:
            return "those that this system trusts"
        places = " and ".join(place for place in (self.ca_file, self.ca_directory) if place)
        return f"those in {places} alone ({self.ca_source})"

    def proxy_words(self, base_url: str | None) -> str:
        """Description of the proxy for a server, or for any, and of the setting it comes from."""
        if not self.proxy:
            return f"none ({self.proxy_source})" if self.proxy_source else "none"
        try:
            proxy = self.proxy_for(base_url or "https://any.invalid")
        except BadSettings as error:
            return str(error)
        if proxy is not None:
            return f"{without_credentials(proxy)} ({self.proxy_source})"
        parts = urlsplit(base_url or "")
        if is_loopback(parts.hostname or ""):
            return "none, for this machine itself"
        return "none for this server (NO_PROXY)"


def _checked(proxy: str, source: str) -> None:
    try:
        check_proxy(proxy)
    except ValueError as error:
        raise BadSettings(f"The proxy of {source} cannot be used: {error}") from None


def _first_of(environment: Mapping[str, str], *names: str) -> tuple[str, str]:
    """The first non-empty variable and its name; otherwise two empty strings."""
    return next(
        ((value, name) for name in names if (value := environment.get(name, "").strip())), ("", "")
    )


def _is_listed(host: str, port: int, listed: str) -> bool:
    """True if a NO_PROXY list contains the host: by name, domain, address or network."""
    return any(_matches(entry, host, port) for entry in listed.lower().replace(",", " ").split())


def _matches(entry: str, host: str, port: int) -> bool:
    if entry == "*":
        return True
    address = _address(host)
    if address is not None:
        try:
            return address in ipaddress.ip_network(entry.strip("[]"), strict=False)
        except ValueError:
            pass
    name, colon, last = entry.rpartition(":")
    if colon and last.isdecimal() and (":" not in name or name.endswith("]")):
        return int(last) == port and _matches(name, host, port)
    domain = entry.removeprefix("*").removeprefix(".").rstrip(".")
    name = host.rstrip(".")
    return bool(domain) and (name == domain or name.endswith(f".{domain}"))


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
