"""Hosts that are reachable only from this machine."""

import ipaddress


def is_loopback(host: str) -> bool:
    """True for a loopback address, and for "localhost"."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
