"""Files of the messages of a thread: those in view are loaded; shown large, opened, saved."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Protocol

from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from frontdesk.cache.kept_files import KeptFiles
from frontdesk.errors import FileTooLarge, InboxError, NotFound
from frontdesk.mailbox import Mailbox
from frontdesk.text.clean import file_size
from frontdesk.text.messages import type_word
from frontdesk.tui import sentences
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.file import FileChoice, FileDialog
from frontdesk.tui.dialogs.save_prompt import save_prompt, saved_as
from frontdesk.tui.files import FileAtHand, OpenedFiles, opener, save, suggested_path
from frontdesk.tui.pictures import Pictures, is_lasting, why_missing
from frontdesk.tui.widgets.message_list import Thread, has_file
from frontdesk.wire import Message

# Before pictures are fetched, their rows have been in view for this time.
REST_SECONDS = 0.3
# A file that was not fetched yet by the server, or could not be reached, is tried again after this.
AGAIN_SECONDS = 10.0
_AT_ONCE = 2
# A program that opens a file and ends with an error does so sooner; others run on.
_STARTS_WITHIN_SECONDS = 10.0


class ThreadPictures:
    """Fetches, once the rows of a thread rest, the pictures in view; the newest first.

    node: the widget whose workers these are.
    """

    def __init__(self, node: Widget, thread: Thread, pictures: Pictures) -> None:
        self._node, self._thread, self._pictures = node, thread, pictures
        self._rest: Timer | None = None
        if pictures.by_terminal:
            node.app.screen_change_signal.subscribe(node, self._hide_behind)
            node.app.app_resume_signal.subscribe(node, lambda _: self._send_again())

    def _hide_behind(self, shown: Screen[object]) -> None:
        """Draw no picture behind a dialog, whose shade changes colours, and so numbers."""
        self._thread.pictures.hidden = shown is not self._node.screen
        self._thread.show_pictures()

    def _send_again(self) -> None:
        """Another program had the terminal, which may have forgotten its pictures."""
        self._pictures.drop(*self._thread.pictures.clear())
        self._thread.show_pictures()
        self.want()

    def want(self) -> None:
        """Pictures have come into view: wait for a rest, then load them."""
        self._begin_rest(REST_SECONDS)

    def _begin_rest(self, seconds: float) -> None:
        if self._rest is not None:
            self._rest.stop()
        self._rest = self._node.set_timer(seconds, self._load)

    def _load(self) -> None:
        """Load what is in view now, in place of what was before."""
        self._node.run_worker(self._load_all(), group="pictures", exclusive=True)

    async def _load_all(self) -> None:
        wanted, places = self._thread.wanted_pictures(), asyncio.Semaphore(_AT_ONCE)
        for _, shown in wanted:
            self._thread.pictures.expect(shown.key)
        self._thread.show_pictures()
        again = False

        async def load(key: str, columns: int, lines: int) -> None:
            nonlocal again
            async with places:
                again = not await self._load_one(key, columns, lines) or again

        await asyncio.gather(*(load(shown.key, *shown.size) for _, shown in wanted))
        if again:
            self._begin_rest(AGAIN_SECONDS)

    async def _load_one(self, key: str, columns: int, lines: int) -> bool:
        """Load a picture, or say why it is missing; False if it may be there later."""
        drawn, grey = self._thread.pictures, self._node.app.no_color
        try:
            drawing = await self._pictures.draw(key, columns, lines, grey=grey)
        except InboxError as error:
            drawn.say(key, why_missing(error), lasting=is_lasting(error))
            return is_lasting(error)
        finally:
            self._thread.show_pictures()
        self._pictures.drop(*drawn.put(key, (columns, lines), drawing))
        self._thread.show_pictures()
        return True


# A file at hand, or why it is not.
Fetched = FileAtHand | str


class LoadThen(Protocol):
    """Runs a long request that escape cancels, and uses the result."""

    def __call__(
        self, load: Callable[[], Awaitable[Fetched]], use: Callable[[Fetched], object]
    ) -> object: ...


class ThreadFiles:
    """What can be done with the files of the messages of a pane.

    node: the pane. downloads: where files are saved. terminal: see `Pictures`. load_then: its way
    to wait; show_progress: its footer.
    """

    def __init__(
        self,
        node: Widget,
        thread: Thread,
        mailbox: Mailbox,
        clock: Clock,
        kept: KeptFiles,
        downloads: Path,
        terminal: Callable[[str], object] | None,
        load_then: LoadThen,
        show_progress: Callable[[str], None],
    ) -> None:
        self._node, self._thread, self._clock, self._downloads = node, thread, clock, downloads
        self._load_then, self._show_progress = load_then, show_progress
        self._pictures = Pictures(mailbox.save_media, kept, terminal)
        self._in_view = ThreadPictures(node, thread, self._pictures)
        self._opened = OpenedFiles(kept.directory)

    def load_pictures(self) -> None:
        """Load the pictures in view, once its rows rest."""
        self._in_view.want()

    def close(self) -> None:
        """End what decodes pictures, and delete what was handed to other programs."""
        self._pictures.close()
        self._opened.clear()

    def show(self, message: Message, *, pictures: bool) -> None:
        """Open the dialog on the file of a message. pictures: the terminal shows them."""
        files = files_of(self._thread)
        at = next(at for at, one in enumerate(files) if one.id == message.id)
        decoded = self._pictures if pictures else None
        dialog = FileDialog(files, at, self._clock, decoded)
        dialogs.ask(self._node.app, dialog, self._choose)

    def _choose(self, choice: FileChoice) -> None:
        (self.open if choice.action == "open" else self.save)(choice.message)

    def open(self, message: Message) -> None:
        """Open a file with the system's program. In a browser it is downloaded."""
        self._load_then(partial(self._fetch, message), self._open_fetched)

    def save(self, message: Message) -> None:
        """Ask for a name, and save a file."""
        self._load_then(partial(self._fetch, message), self._save_fetched)

    def hand_over(self, message: Message, use: Callable[[str], object]) -> None:
        """Fetch a file, and call `use` with the path of a copy for a program."""

        def use_fetched(file: Fetched) -> None:
            if isinstance(file, str):
                self._say(sentences.FILE_UNAVAILABLE.format(why=file.lower()))
                return
            try:
                use(os.fspath(self._opened.copy_of(file)))
            except OSError as error:
                self._warn(sentences.FILE_UNAVAILABLE.format(why=error.strerror or error))

        self._load_then(partial(self._fetch, message), use_fetched)

    async def _fetch(self, message: Message) -> Fetched:
        """Raises: InboxError: the server was not reached."""

        def progress(size: int) -> None:
            self._show_progress(f"{_kind(message)}, {file_size(size)}")

        name = message.media.filename if message.media else None
        try:
            path = await self._pictures.files.file(_key(message), progress)
            return FileAtHand.of(path, name, _kind(message))
        except (NotFound, FileTooLarge) as error:
            return why_missing(error)
        except OSError as error:
            raise InboxError(f"The file cannot be read: {error.strerror}") from error

    def _open_fetched(self, file: Fetched) -> None:
        if isinstance(file, str):
            self._say(sentences.FILE_UNAVAILABLE.format(why=file.lower()))
        elif self._node.app.is_web:
            self._download(file)
        elif not file.is_known:
            self._ask_for_name(file, sentences.FILE_IS_SAVED_ONLY)
        elif program := opener(os.environ):
            self._node.run_worker(self._start(file, program))
        else:
            self._ask_for_name(file, sentences.NO_OPENER)

    async def _start(self, file: FileAtHand, program: list[str]) -> None:
        """Start a program with a file, and say how it failed if it does so soon."""
        from frontdesk.own_commands.runner import Job, ProgramRun

        name = {"name": file.name, "program": Path(program[0]).name}
        try:
            path = os.fspath(self._opened.copy_of(file))
        except OSError as error:
            self._warn(sentences.FILE_UNAVAILABLE.format(why=error.strerror or error))
            return
        self._say(sentences.FILE_OPENED.format(**name))
        job = Job([*program, path], timeout_seconds=_STARTS_WITHIN_SECONDS, detached=True)
        run = ProgramRun(job)
        await run.run()
        if run.failure:
            self._warn(sentences.CANNOT_OPEN_FILE.format(**name, error=run.failure))

    def _save_fetched(self, file: Fetched) -> None:
        if isinstance(file, str):
            self._say(sentences.FILE_UNAVAILABLE.format(why=file.lower()))
        elif self._node.app.is_web:
            self._download(file)
        else:
            self._ask_for_name(file)

    def _ask_for_name(self, file: FileAtHand, why: str = "") -> None:
        suggested, app = suggested_path(file.name, self._downloads), self._node.app
        prompt = save_prompt(app, str(suggested), [suggested.suffix.lstrip(".")], why=why)
        dialogs.ask(app, prompt, partial(self._save_as, file))

    def _save_as(self, file: FileAtHand, name: str) -> None:
        path = Path(name).expanduser()
        try:
            save(file.path, path)
        except OSError as error:
            reason = error.strerror or error
            self._warn(sentences.CANNOT_WRITE.format(path=path, error=reason))
            return
        self._say(sentences.FILE_SAVED.format(kind="The file", saved=saved_as(name)))

    def _download(self, file: FileAtHand) -> None:
        self._node.app.deliver_binary(file.path, save_filename=file.name, mime_type=file.type)
        saved = sentences.DOWNLOADED_AS.format(name=file.name)
        self._say(sentences.FILE_SAVED.format(kind="The file", saved=saved))

    def _say(self, sentence: str) -> None:
        say(self._node.app.screen, sentence)

    def _warn(self, sentence: str) -> None:
        self._node.app.screen.notify(sentence, severity="warning", timeout=10, markup=False)


def files_of(thread: Thread) -> list[Message]:
    """The messages of a thread that have files, oldest first."""
    rows = (thread.rows[at] for at in range(len(thread.rows)))
    return [row for row in rows if isinstance(row, Message) and has_file(row)]


def _key(message: Message) -> str:
    key = message.media.key if message.media is not None else None
    assert key is not None
    return key


def _kind(message: Message) -> str:
    return type_word(message.type)
