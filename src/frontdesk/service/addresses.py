"""Client networks for per-client limits: an IPv4 address, or the /64 prefix of an IPv6 address."""

import ipaddress
from functools import lru_cache


@lru_cache(maxsize=1_024)
def client_network(address: str) -> str:
    """Return an IPv4 address unchanged, an IPv6 address as its /64 (usually one customer).

    An IPv4-mapped IPv6 address is IPv4. Text that is no IP address is returned unchanged.
    """
    plain = unmapped(address)
    try:
        version_6 = ipaddress.IPv6Address(plain)
    except ValueError:
        return plain
    return str(ipaddress.IPv6Network((version_6, 64), strict=False))


def unmapped(address: str) -> str:
    """Strip the zone id, and return an IPv4-mapped IPv6 address as IPv4."""
    plain = address.partition("%")[0]
    try:
        mapped = ipaddress.IPv6Address(plain).ipv4_mapped
    except ValueError:
        return address
    return plain if mapped is None else str(mapped)
