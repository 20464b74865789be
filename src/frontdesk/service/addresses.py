"""Client addresses as clients are counted: an IPv4 address, or the /64 of an IPv6 address."""

import ipaddress
from functools import lru_cache


@lru_cache(maxsize=1_024)
def client_network(address: str) -> str:
    """The address, or for IPv6 its /64 network, which one customer usually has for themselves.

    An IPv4-mapped IPv6 address is the IPv4 address. What is no IP address is returned as it is.
    """
    plain = unmapped(address)
    try:
        version_6 = ipaddress.IPv6Address(plain)
    except ValueError:
        return plain
    return str(ipaddress.IPv6Network((version_6, 64), strict=False))


def unmapped(address: str) -> str:
    """The address without its zone, as IPv4 if it is an IPv4-mapped IPv6 address."""
    plain = address.partition("%")[0]
    try:
        mapped = ipaddress.IPv6Address(plain).ipv4_mapped
    except ValueError:
        return address
    return plain if mapped is None else str(mapped)
