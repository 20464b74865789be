"""SHA-256 without OpenSSL, whose library takes longer to load than all that a start digests."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _found() -> "Callable[[bytes], Any]":
    """Python's own, as it is named from 3.12 on and before; not every Python is built with it."""
    for name in ("_sha2", "_sha256"):
        try:
            made: Callable[[bytes], Any] = __import__(name).sha256
        except ImportError:
            continue
        return made
    import hashlib

    return hashlib.sha256


_sha256 = _found()


def sha256(data: bytes) -> bytes:
    """The 32 bytes of the digest."""
    return bytes(_sha256(data).digest())
