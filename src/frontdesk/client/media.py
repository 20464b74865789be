"""Downloads of files of messages: streamed to a file, limited in size, resumed by ranges."""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import Message as Header
from types import MappingProxyType
from typing import BinaryIO

import httpx

from frontdesk.client.failures import RejectedRequest
from frontdesk.client.retry import TransientFailure
from frontdesk.client.transport import Requests
from frontdesk.errors import BadResponse, FileTooLarge, FileUnavailable, Unreachable
from frontdesk.text.clean import clean, file_size, one_line

AT_ONCE = 2
_UNAVAILABLE = "media_"
# Statuses of what a file lacks.
_LACKS = MappingProxyType({"preview_unavailable": "preview", "text_unavailable": "text"})
_LONGEST_TYPE = 100


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """A file as the server sent it: size in bytes, MIME type, name, ETag; "" where it says none."""

    size: int
    mime_type: str
    filename: str
    tag: str


class FileDownloads:
    """Downloads of one client, at most `AT_ONCE` at a time."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self._places = asyncio.Semaphore(AT_ONCE)

    async def save(
        self,
        path: str,
        file: BinaryIO,
        most_bytes: int,
        width: int | None,
        progress: Callable[[int], object],
        *,
        words: bool = False,
    ) -> ReceivedFile:
        """See `InboxClient.save_media`; path: below /v1/."""
        transfer = _Transfer(file, most_bytes, progress)
        parameters = {} if width is None else {"width": str(width)}
        parameters |= {"as": "text"} if words else {}
        async with self._places, self._requests.slot():
            return await self._requests.tried(
                path, lambda: self._attempt(path, parameters, transfer)
            )

    async def _attempt(
        self, path: str, parameters: Mapping[str, str], transfer: "_Transfer"
    ) -> ReceivedFile:
        try:
            async with self._requests.stream(path, parameters, transfer.headers()) as response:
                transfer.begin(response)
                # Chunks as they come: of larger ones, a part would be lost with the connection.
                async for chunk in response.aiter_raw():
                    transfer.write(chunk)
            return transfer.finished()
        except RejectedRequest as rejected:
            raise _reason(rejected) from None


class _Transfer:
    """A file that is being written, in one or more attempts."""

    def __init__(self, file: BinaryIO, most_bytes: int, progress: Callable[[int], object]) -> None:
        self._file = file
        self._most_bytes = most_bytes
        self._progress = progress
        self._size = 0
        self._expected: int | None = None
        self._received = ReceivedFile(0, "", "", "")

    def headers(self) -> Mapping[str, str]:
        """Headers of the next attempt: the rest of the file, if it is still the same."""
        plain = {"Accept": "*/*", "Accept-Encoding": "identity"}
        if not self._size or not self._received.tag.startswith('"'):
            return plain
        return {**plain, "Range": f"bytes={self._size}-", "If-Range": self._received.tag}

    def begin(self, response: httpx.Response) -> None:
        """Check the head of an answer. Raises: FileTooLarge, BadResponse."""
        headers = response.headers
        if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            raise BadResponse("The server packs the file in a way that was not requested")
        if response.status_code == 206:
            self._continue(headers)
        else:
            self._restart(headers)
        if self._expected is not None:
            self._check(self._expected)

    def write(self, chunk: bytes) -> None:
        """Raises: FileTooLarge. OSError: of the file."""
        self._check(self._size + len(chunk))
        self._file.write(chunk)
        self._size += len(chunk)
        self._progress(self._size)

    def finished(self) -> ReceivedFile:
        """Raises: TransientFailure: the file is not whole."""
        if self._expected is not None and self._size != self._expected:
            raise TransientFailure(Unreachable("The server's answer was cut short"))
        known = self._received
        return ReceivedFile(self._size, known.mime_type, known.filename, known.tag)

    def _continue(self, headers: httpx.Headers) -> None:
        place = headers.get("content-range", "")
        match = re.fullmatch(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18})", place)
        if match is None or int(match[1]) != self._size:
            raise BadResponse("The server sends another part of the file than was requested")
        self._expected = int(match[2])

    def _restart(self, headers: httpx.Headers) -> None:
        self._file.seek(0)
        self._file.truncate()
        self._size = 0
        length = headers.get("content-length", "")
        self._expected = int(length) if re.fullmatch("[0-9]{1,18}", length) else None
        self._received = ReceivedFile(
            0,
            one_line(clean(headers.get("content-type", "")))[:_LONGEST_TYPE],
            _filename(headers.get("content-disposition", "")),
            headers.get("etag", ""),
        )

    def _check(self, size: int) -> None:
        if size > self._most_bytes:
            raise FileTooLarge(f"The file is larger than {file_size(self._most_bytes)}")


def _filename(disposition: str) -> str:
    """Name of a Content-Disposition header, in either form of RFC 6266; the last part of a path."""
    header = Header()
    header["content-disposition"] = disposition
    name = header.get_filename("") or ""
    return one_line(clean(name.replace("\\", "/").rpartition("/")[2]))


def _reason(rejected: RejectedRequest) -> Exception:
    """The error to raise, with the status of a file that the server does not have."""
    code = rejected.trouble.code
    if code in _LACKS:
        return FileUnavailable(str(rejected.error), status=_LACKS[code])
    if code.startswith(_UNAVAILABLE):
        status = code.removeprefix(_UNAVAILABLE)
        return FileUnavailable(str(rejected.error), status=status)
    return rejected
