"""Listening sockets and their addresses."""

import ipaddress
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from frontdesk.errors import BadSettings

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# Length of the prefix of IPv4-mapped IPv6 addresses.
MAPPED_PREFIX = 96


@contextmanager
def listening_on(host: str, port: int) -> Iterator[socket.socket]:
    """Open a listening socket; port 0 selects a free port.

    Raises: BadSettings: invalid address, or the port is taken.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise BadSettings(f"{host} is no address to listen on: {error.strerror}") from error
    with socket.socket(family, kind, protocol) as listening:
        try:
            if os.name == "posix":
                # On Windows this option would let other processes take the same port.
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(1024)
        except OSError as error:
            raise BadSettings(f"Cannot listen on {host}, port {port}: {error.strerror}") from error
        yield listening


def base_url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def network_of(text: str) -> Network:
    """Parse a network or an address; IPv4-mapped IPv6 becomes IPv4.

    Raises: ValueError: invalid.
    """
    network = ipaddress.ip_network(text.strip())
    mapped = getattr(network.network_address, "ipv4_mapped", None)
    if mapped is None or network.prefixlen < MAPPED_PREFIX:
        return network
    return ipaddress.ip_network((mapped, network.prefixlen - MAPPED_PREFIX))
