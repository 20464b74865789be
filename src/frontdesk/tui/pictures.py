"""Pictures of messages: fetched, decoded in a child process, and drawn as cells."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

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
from frontdesk.pictures import PictureDecoder, kitty
from frontdesk.pictures.cells import Drawing, quadrants
from frontdesk.system.terminal_cells import cell_pixels
from frontdesk.tui import sentences
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.picture_display import PictureDisplay
from frontdesk.tui.widgets.picture_rows import CELL

if TYPE_CHECKING:
    from textual.app import App

T = TypeVar("T")

_WORDS_OF_STATUS = {
    "pending": sentences.FILE_PENDING,
    "expired": sentences.FILE_EXPIRED,
    "failed": sentences.FILE_FAILED,
    "refused": sentences.FILE_REFUSED,
    "removed": sentences.FILE_REMOVED,
    "preview": sentences.NO_PICTURE_OF_FILE,
}


def terminal_of_pictures(
    display: PictureDisplay, app: "App[object]"
) -> Callable[[str], object] | None:
    """What writes to the terminal of a program, if that draws pictures itself."""
    if not display.by_terminal or not isinstance(app, CrashReportingApp):
        return None
    write = app.write_to_terminal
    if not display.in_tmux:
        return write
    return lambda sequences: write(kitty.through_tmux(sequences))


class Pictures:
    """Fetches and decodes pictures. files: the files that are kept."""

    def __init__(
        self,
        save: SaveMedia,
        kept: KeptFiles,
        terminal: Callable[[str], object] | None = None,
    ) -> None:
        """terminal: writes to a terminal that draws pictures itself; None: they are blocks."""
        self.files = MessageFiles(kept, save)
        self._decoder = PictureDecoder()
        self._terminal = terminal
        # Another program may have sent pictures to the same terminal.
        self._last_number = random.randrange(kitty.MOST_NUMBER)
        self._sent: set[int] = set()

    @property
    def by_terminal(self) -> bool:
        """Whether the terminal draws the pictures."""
        return self._terminal is not None

    async def draw(
        self, key: str, columns: int, lines: int, *, grey: bool, whole: bool = False
    ) -> Drawing:
        """A picture in columns x lines cells; the terminal has it until `drop`.

        whole: from its file where a preview would be too small.

        Raises: UnusableFile: it cannot be decoded. InboxError: it was deleted meanwhile. Errors of
        `MessageFiles`.
        """
        if self._terminal is not None:
            path = await (self.files.file(key) if whole else self.files.preview(key))
            width, height = cell_pixels() or CELL
            size = columns * width, lines * height
            png = await _decoded(path, lambda path: self._decoder.encode(path, *size, "PNG"))
            return self._send(self._terminal, columns, lines, png.content)
        path = await self.files.preview(key)

        def decode(path: Path) -> Drawing:
            pixels = self._decoder.pixels(path, 2 * columns, 2 * lines)
            return Drawing(quadrants(pixels, grey=grey))

        return await _decoded(path, decode)

    def _send(
        self, write: Callable[[str], object], columns: int, lines: int, png: bytes
    ) -> Drawing:
        number = self._last_number = self._last_number % kitty.MOST_NUMBER + 1
        write(kitty.sent(number, columns, lines, png))
        self._sent.add(number)
        return Drawing(kitty.placeholders(number, columns, lines), number)

    def drop(self, *drawings: Drawing) -> None:
        """Let the terminal forget drawings."""
        for drawing in drawings:
            if self._terminal is not None and drawing.number in self._sent:
                self._sent.remove(drawing.number)
                self._terminal(kitty.deleted(drawing.number))

    def close(self) -> None:
        """End the child process, and let the terminal forget all pictures."""
        self._decoder.close()
        if self._terminal is not None and self._sent:
            self._terminal("".join(map(kitty.deleted, self._sent)))
            self._sent.clear()


async def _decoded(path: Path, decode: Callable[[Path], T]) -> T:
    """Decode a picture in a thread. Raises: UnusableFile. InboxError: it was deleted meanwhile."""

    def work() -> T:
        try:
            return decode(path)
        except UnusableFile:
            if path.exists():
                raise
            # By another process, such as `frontdesk cache clear`.
            raise InboxError(sentences.FILE_NOT_HERE) from None

    return await asyncio.to_thread(work)


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
