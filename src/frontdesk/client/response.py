"""HTTP response bodies: decompression up to 8 MiB, strict UTF-8, JSON.

Control characters are removed from all strings.
"""

import json
import re
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx

from frontdesk.errors import AnswerTooLarge, BadResponse
from frontdesk.text.clean import clean

BODY_LIMIT = 8 * 2**20

_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32


@dataclass(frozen=True)
class Response:
    """Status, headers and decompressed body; received: bytes of the body before decompression."""

    status: int
    headers: httpx.Headers
    body: bytes
    received: int = 0


class TruncatedResponse(BadResponse):
    """The response ended early; a retry may succeed."""


class UnknownStructure(BadResponse):
    """The response has an unknown structure; the server may not be an inbox at all."""


async def read_answer(response: httpx.Response) -> Response:
    """Read the body, and decompress it incrementally so that it never exceeds `BODY_LIMIT`.

    Raises: TruncatedResponse. BadResponse: too large, or with an unsupported Content-Encoding.
    """
    packing = response.headers.get("content-encoding", "identity").strip().lower()
    raw = response.aiter_raw()
    if packing in ("gzip", "x-gzip", "deflate"):
        body, received = await _unpacked(raw)
    elif packing in ("", "identity"):
        body, received = await _plain(raw)
    else:
        raise BadResponse("The server packs its answer in a way that was not requested")
    announced = response.headers.get("content-length", "")
    if announced.isdecimal() and response.status_code != 304 and int(announced) != received:
        raise TruncatedResponse("The server's answer was cut short")
    return Response(response.status_code, response.headers, body, received)


async def _plain(raw: AsyncIterator[bytes]) -> tuple[bytes, int]:
    body = bytearray()
    async for piece in raw:
        body += piece
        _check_size(len(body))
    return bytes(body), len(body)


async def _unpacked(raw: AsyncIterator[bytes]) -> tuple[bytes, int]:
    """The decompressed body and its compressed length.

    Raises: TruncatedResponse: the stream is incomplete.
    """
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
        raise TruncatedResponse("The server's answer was cut short")
    return bytes(body), received


def _check_size(length: int) -> None:
    if length > BODY_LIMIT:
        raise AnswerTooLarge("The server's answer is larger than 8 MiB")


# Encodings of the characters that `clean` changes: a first byte, for a fast test of absence, and
# the sequences that start with it.
_SUSPECTS = tuple(
    (first, re.compile(re.escape(first) + rest))
    for first, rest in (
        (b"\x7f", rb""),
        (b"\xc2", rb"[\x80-\x9f\xad]"),
        (b"\xd8", rb"\x9c"),
        (b"\xe1", rb"(?:\x85[\x9f\xa0]|\x9e[\xb4\xb5]|\xa0[\x8b-\x8f])"),
        (b"\xe2", rb"(?:\x80[\x8b\x8e\x8f\xa8-\xae]|\x81[\xa0-\xaf])"),
        (b"\xe3", rb"\x85\xa4"),
        (b"\xef", rb"(?:\xb8[\x80-\x8e]|\xbb\xbf|\xbe\xa0|\xbf[\xb9-\xbb])"),
        (b"\xf3", rb"\xa0"),
        (b"\xf4", rb"\x8e\xbb\xae"),
        (
            b"\\",
            rb"(?:[bfr]|u(?:00[01789aA]|061|11[56]|17[bB]|18[01]|20|316|[fF][eEfF]|[dD][89a-fA-F]))",
        ),
    )
)


def parse_json(body: bytes) -> Any:
    """Parse a JSON document in UTF-8 (RFC 8259, section 8.1); a byte order mark is skipped.

    `json.loads` also detects UTF-16 and UTF-32, which the byte patterns of `clean_json` do not
    cover.

    Raises: ValueError: not UTF-8, not JSON, or nested too deeply.
    """
    try:
        return json.loads(body.decode("utf-8-sig"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def clean_json(body: bytes) -> bytes:
    """Clean every string of a JSON document; a document without suspect bytes is returned as it is.

    Raises: ValueError: the body has suspect bytes and is not valid JSON.
    """
    if not any(first in body and suspect.search(body) for first, suspect in _SUSPECTS):
        return body
    try:
        cleaned = _clean_value(parse_json(body))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return json.dumps(cleaned, ensure_ascii=False).encode()


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(name): _clean_value(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_clean_value(member) for member in value]
    return value
