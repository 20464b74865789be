"""Response that streams a file, whole or a range of it, in constant memory; Range headers."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from frontdesk.file_types import KNOWN_TYPES, OCTETS, safe_name
from frontdesk.store.media_files import StoredBytes

_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{1,18})?|-(\d{1,18}))")


class NotSatisfiable(Exception):
    """The range begins behind the end of the file."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes from `start` to before `stop`."""

    start: int
    stop: int

    def content_range(self, size: int) -> str:
        return f"bytes {self.start}-{self.stop - 1}/{size}"


def byte_range(header: str | None, size: int) -> ByteRange | None:
    """The range that a request asks for; None for the whole file.

    Several ranges, other units and malformed ranges are ignored, as the standard allows.

    Raises: NotSatisfiable.
    """
    match = _RANGE.fullmatch((header or "").strip().lower())
    if match is None:
        return None
    first, last, suffix = (None if number is None else int(number) for number in match.groups())
    if suffix is not None:
        if not suffix or not size:
            raise NotSatisfiable
        return ByteRange(max(0, size - suffix), size)
    assert first is not None
    if last is not None and last < first:
        return None
    if first >= size:
        raise NotSatisfiable
    return ByteRange(first, size if last is None else min(last + 1, size))


# A stored file never changes under its key.
CACHING = {"Cache-Control": "private, max-age=86400, immutable", "Vary": "Authorization"}
# What is read in it may.
CHANGING = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}
# A reader that takes no part of a file for so long is left.
WRITE_SECONDS = 30.0
# A browser neither shows nor runs what strangers sent.
_PROTECTION = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def file_tag(digest: str, *, preview: bool = False) -> str:
    """Strong ETag of a file, or of its preview."""
    return f'"{digest[:32]}{"-480" if preview else ""}"'


def file_headers(tag: str, name: str | None, mime: str | None, fallback: str) -> dict[str, str]:
    """Headers of a file; one of a type that nobody should open is octets."""
    known = mime if mime in KNOWN_TYPES else OCTETS
    saved_as = quote(safe_name(name, known, fallback), safe="")
    return {
        "ETag": tag,
        "Accept-Ranges": "bytes",
        "Content-Type": known,
        "Content-Disposition": f"attachment; filename*=utf-8''{saved_as}",
        **CACHING,
        **_PROTECTION,
    }


def text_headers(tag: str) -> dict[str, str]:
    """Headers of the words of a file."""
    plain = {"ETag": tag, "Content-Type": "text/plain; charset=utf-8"}
    return {**plain, **CHANGING, **_PROTECTION}


class StoredFileResponse(Response):
    """Streams an open file, and closes it. range: None for all of it."""

    def __init__(
        self, file: StoredBytes, headers: Mapping[str, str], range: ByteRange | None
    ) -> None:
        part = range or ByteRange(0, file.size)
        more = {"Content-Length": str(part.stop - part.start)}
        if range is not None:
            more["Content-Range"] = range.content_range(file.size)
        super().__init__(status_code=200 if range is None else 206, headers={**headers, **more})
        self._file = file
        self._part = part

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await send(
                {
                    "type": "http.response.start",
                    "status": self.status_code,
                    "headers": self.raw_headers,
                }
            )
            if scope["method"] != "HEAD":
                await self._send_body(send)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            # The connection ends with less than was announced.
            return
        finally:
            self._file.close()

    async def _send_body(self, send: Send) -> None:
        place = self._part.start
        while place < self._part.stop:
            length = min(self._file.chunk_bytes, self._part.stop - place)
            chunk = await anyio.to_thread.run_sync(self._file.read, place, length)
            if not chunk:
                raise OSError("the file is shorter than it was")
            async with asyncio.timeout(WRITE_SECONDS):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            place += len(chunk)
