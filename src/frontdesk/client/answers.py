"""Reads and decompresses HTTP response bodies, up to 8 MiB."""

import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx

from frontdesk.errors import BadResponse

BODY_LIMIT = 8 * 2**20

_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32


@dataclass(frozen=True)
class Answer:
    """Status, headers and decompressed body; received: bytes of the body before decompression."""

    status: int
    headers: httpx.Headers
    body: bytes
    received: int = 0


class CutShort(BadResponse):
    """The response ended early; a retry may succeed."""


class UnknownForm(BadResponse):
    """The response has an unknown structure; the server may not be an inbox at all."""


async def read_answer(response: httpx.Response) -> Answer:
    """Read the body, and decompress it incrementally so that it never exceeds `BODY_LIMIT`.

    Raises: CutShort. BadResponse: too large, or with an unsupported Content-Encoding.
    """
    packing = response.headers.get("content-encoding", "identity").strip().lower()
    raw = response.aiter_raw()
    if packing in ("gzip", "x-gzip", "deflate"):
        body, received = await _unpacked(raw)
    elif packing in ("", "identity"):
        body, received = await _plain(raw)
    else:
        raise BadResponse("The server packs its answer in a way that was not asked for")
    announced = response.headers.get("content-length", "")
    if announced.isdecimal() and response.status_code != 304 and int(announced) != received:
        raise CutShort("The server's answer was cut short")
    return Answer(response.status_code, response.headers, body, received)


async def _plain(raw: AsyncIterator[bytes]) -> tuple[bytes, int]:
    body = bytearray()
    async for piece in raw:
        body += piece
        _check_size(len(body))
    return bytes(body), len(body)


async def _unpacked(raw: AsyncIterator[bytes]) -> tuple[bytes, int]:
    """The decompressed body and its compressed length. Raises CutShort for an incomplete stream."""
    decoder = zlib.decompressobj(_GZIP_OR_ZLIB)
    body, received = bytearray(), 0
    async for piece in raw:
        received += len(piece)
        try:
            body += decoder.decompress(piece, BODY_LIMIT + 1 - len(body))
        except zlib.error as error:
            raise BadResponse("The server's answer cannot be unpacked") from error
        _check_size(len(body))
    if received and not decoder.eof:
        raise CutShort("The server's answer was cut short")
    return bytes(body), received


def _check_size(length: int) -> None:
    if length > BODY_LIMIT:
        raise BadResponse("The server's answer is larger than 8 MiB")
