"""Files of messages for the screens: those kept on this computer, else those of the server."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol

from frontdesk.cache.kept_files import KeptFiles
from frontdesk.errors import FileUnavailable, InboxError, NotOffered
from frontdesk.wire.values import PREVIEW_WIDTH

# Larger than any picture that is sent, and small enough for a slow line.
_LARGEST_PREVIEW = 4 << 20
LARGEST_FILE = 128 << 20

# States that do not end while the viewer runs.
_LASTING = ("expired", "failed", "refused", "removed", "preview")


class SaveMedia(Protocol):
    """How a file is fetched: see `InboxClient.save_media`."""

    async def __call__(
        self,
        key: str,
        file: BinaryIO,
        *,
        most_bytes: int,
        width: int | None = None,
        progress: Callable[[int], object] = ...,
    ) -> object: ...


class MessageFiles:
    """The files of one server's messages."""

    def __init__(self, kept: KeptFiles, save: SaveMedia) -> None:
        self._kept, self._save = kept, save
        self._unavailable: dict[tuple[str, bool], FileUnavailable] = {}
        self._locks: defaultdict[tuple[str, bool], asyncio.Lock] = defaultdict(asyncio.Lock)

    def kept(self, key: str, *, preview: bool = False) -> Path | None:
        """Path of a file or its preview on this computer; None if it is not here."""
        return self._kept.find(key, preview=preview)

    async def preview(self, key: str) -> Path:
        """Path of a picture in small; of the whole file on a server that makes no previews.

        Raises: FileUnavailable: its `status` says why. InboxError.
        """
        try:
            return await self._file(key, preview=True, most_bytes=_LARGEST_PREVIEW)
        except FileUnavailable as error:
            if error.status != "preview":
                raise
        return await self.file(key)

    async def file(self, key: str, progress: Callable[[int], object] = lambda size: None) -> Path:
        """Path of a whole file. progress is called with the bytes received so far.

        Raises: FileUnavailable: its `status` says why. FileTooLarge, InboxError.
        """
        return await self._file(key, preview=False, most_bytes=LARGEST_FILE, progress=progress)

    async def _file(
        self,
        key: str,
        *,
        preview: bool,
        most_bytes: int,
        progress: Callable[[int], object] = lambda size: None,
    ) -> Path:
        which = key, preview
        async with self._locks[which]:
            path = self._kept.find(key, preview=preview)
            if path is None:
                if which in self._unavailable:
                    raise self._unavailable[which].with_traceback(None)
                await self._fetch(key, preview=preview, most_bytes=most_bytes, progress=progress)
                path = self._kept.find(key, preview=preview)
        self._locks.pop(which, None)
        if path is None:
            raise InboxError("The file was deleted from this computer while it was read")
        return path

    async def _fetch(
        self, key: str, *, preview: bool, most_bytes: int, progress: Callable[[int], object]
    ) -> None:
        width = PREVIEW_WIDTH if preview else None
        try:
            with self._kept.writing(key, preview=preview) as file:
                await self._save(key, file, most_bytes=most_bytes, width=width, progress=progress)
        except NotOffered:
            # A server without the endpoint has no file of any message.
            error = FileUnavailable("This server does not give out files", status="failed")
            self._unavailable[key, preview] = error
            raise error from None
        except FileUnavailable as error:
            if error.status == "removed":
                self._kept.remove(key)
            if error.status in _LASTING:
                self._unavailable[key, preview] = error
            raise
