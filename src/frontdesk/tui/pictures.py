"""Pictures of messages: fetched, decoded in a child process, and drawn as cells."""

import asyncio

from frontdesk.cache.kept_files import KeptFiles
from frontdesk.errors import (
    FileTooLarge,
    FileUnavailable,
    Forbidden,
    InboxError,
    NotFound,
    UnusableFile,
)
from frontdesk.mailbox.media import MessageFiles, SaveMedia
from frontdesk.pictures import PictureDecoder
from frontdesk.pictures.cells import PictureCell, quadrants
from frontdesk.tui import sentences
from frontdesk.tui.preferences import MediaSettings

_WORDS_OF_STATUS = {
    "pending": sentences.FILE_PENDING,
    "expired": sentences.FILE_EXPIRED,
    "failed": sentences.FILE_FAILED,
    "refused": sentences.FILE_REFUSED,
    "removed": sentences.FILE_REMOVED,
    "preview": sentences.NO_PICTURE_OF_FILE,
}


class Pictures:
    """Fetches and decodes pictures. files: the files that are kept."""

    def __init__(self, save: SaveMedia, settings: MediaSettings) -> None:
        assert settings.directory is not None
        kept = KeptFiles(settings.directory, most_bytes=settings.most_bytes)
        self.files = MessageFiles(kept, save)
        self._decoder = PictureDecoder()

    async def cells(
        self, key: str, columns: int, lines: int, *, grey: bool
    ) -> list[list[PictureCell]]:
        """A picture in columns x lines cells.

        Raises: UnusableFile: it cannot be decoded. Errors of `MessageFiles.preview`.
        """
        path = await self.files.preview(key)

        def decode() -> list[list[PictureCell]]:
            return quadrants(self._decoder.pixels(path, 2 * columns, 2 * lines), grey=grey)

        return await asyncio.to_thread(decode)

    def close(self) -> None:
        """End the child process."""
        self._decoder.close()


def why_missing(error: InboxError) -> str:
    """Words for a file that is not there."""
    match error:
        case FileUnavailable():
            return _WORDS_OF_STATUS.get(error.status, sentences.FILE_FAILED)
        case NotFound():
            return sentences.FILE_REMOVED
        case Forbidden():
            return sentences.FILES_FORBIDDEN
        case FileTooLarge():
            return sentences.FILE_TOO_LARGE
        case UnusableFile():
            return sentences.PICTURE_UNUSABLE
    return sentences.FILE_NOT_HERE


def is_lasting(error: InboxError) -> bool:
    """True if another try would fail as well, while the viewer runs."""
    if isinstance(error, FileUnavailable):
        return error.status != "pending"
    return isinstance(error, NotFound | Forbidden | FileTooLarge | UnusableFile)
