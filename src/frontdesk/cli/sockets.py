"""Sockets to listen on, and their addresses."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from frontdesk.errors import BadSettings


@contextmanager
def bound_to(host: str, port: int) -> Iterator[socket.socket]:
    """Open a socket at an address that no other has; port 0 selects a free port.

    Raises: BadSettings: invalid address, or the port is taken.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise BadSettings(f"{host} is no address to listen on: {error.strerror}") from error
    with socket.socket(family, kind, protocol) as bound:
        try:
            if os.name == "posix":
                # On Windows this option would let other processes take the same port.
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
        except OSError as error:
            raise BadSettings(f"Cannot listen on {host}, port {port}: {error.strerror}") from error
        yield bound


def base_url(host: str, port: int, scheme: str = "http") -> str:
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
