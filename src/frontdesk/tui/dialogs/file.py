"""Dialog that shows the file of a message: a picture as large as fits, of others what is known."""

from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

from rich.segment import Segment
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.strip import Strip
from textual.widgets import Static

from frontdesk.errors import InboxError
from frontdesk.pictures.cells import Drawing
from frontdesk.pictures.kitty import MOST_LINES
from frontdesk.text.messages import content_lines, machine_facts, type_word
from frontdesk.text.times import long_date, time_of_day
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.key_names import HintLine
from frontdesk.tui.pictures import Pictures, why_missing
from frontdesk.tui.widgets.line_widget import PARTS, LineWidget
from frontdesk.tui.widgets.picture_rows import fit as fit_picture
from frontdesk.tui.widgets.picture_rows import is_picture, segments_of, usual_size
from frontdesk.tui.widgets.text_layout import cut
from frontdesk.wire import Message

_KEYS = (
    "{file.open} open   {file.save} save   {file.next}/{file.previous} next/previous"
    "   {file.leave} back"
)


class FileChoice(NamedTuple):
    """What to do with the file of a message."""

    action: Literal["open", "save"]
    message: Message


class PictureCanvas(LineWidget):
    """A picture in the middle, or words in its place."""

    def __init__(self) -> None:
        super().__init__(id="file-picture")
        self._rows: Sequence[list[Segment]] = ()
        self._words = ""

    def show(self, rows: Sequence[list[Segment]]) -> None:
        self._rows, self._words = rows, ""
        self.refresh()

    def say(self, words: str) -> None:
        self._rows, self._words = (), words
        self.refresh()

    def line(self, y: int) -> Strip:
        width, height = self.size
        top = max(0, (height - len(self._rows)) // 2)
        if self._words and y == height // 2:
            words = cut(self._words, width).center(width)
            return Strip(self.segments([("dim", words)])).adjust_cell_length(width)
        if not top <= y < top + len(self._rows):
            return Strip(self.segments([("text", " " * width)]), width)
        row = Strip(self._rows[y - top])
        left = max(0, (width - row.cell_length) // 2)
        blank = self.segments([("text", " " * left)])
        rest = self.segments([("text", " " * max(0, width - left - row.cell_length))])
        return Strip([*blank, *row, *rest]).crop(0, width)


class FileDialog(Dialog[FileChoice | None]):
    """Shows the files of a thread, one after another.

    messages: those with files, oldest first. at: the first one to show. pictures: None where the
    terminal shows none.
    """

    COMPONENT_CLASSES = PARTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "leave", "Back", id="file.leave"),
        Binding("j,down,right,right_curly_bracket", "step(1)", "Next file", id="file.next"),
        Binding("k,up,left,left_curly_bracket", "step(-1)", "Previous file", id="file.previous"),
        Binding("o", "choose('open')", "Open with another program", id="file.open"),
        Binding("d", "choose('save')", "Save…", id="file.save"),
    ]

    def __init__(
        self, messages: Sequence[Message], at: int, clock: Clock, pictures: Pictures | None
    ) -> None:
        super().__init__()
        self._messages, self._at, self._clock, self._pictures = messages, at, clock, pictures
        self._canvas = PictureCanvas()
        self._drawing: Drawing | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="file"):
            yield Static("", id="file-title", markup=False)
            yield self._canvas
            yield HintLine(_KEYS, id="file-hints")

    def fit(self, size: Size) -> None:
        if self.composed:
            self.call_after_refresh(self._show)

    @property
    def _message(self) -> Message:
        return self._messages[self._at]

    def _show(self) -> None:
        if not self.composed:
            return
        self.query_one("#file-title", Static).update(self._title())
        media = self._message.media
        shows = self._pictures is not None and media is not None
        if media is None or not shows or not is_picture(self._message, media):
            self._canvas.say(self._facts())
        else:
            self._canvas.say("loading")
            self._load()

    def _title(self) -> str:
        """The file's kind, size and name, when it came, which of how many, who read it."""
        moment = self._clock.local(self._message.created_at)
        when = f"{long_date(moment)} {time_of_day(moment)}" if moment else ""
        which = f"{self._at + 1} of {len(self._messages)}" if len(self._messages) > 1 else ""
        read = machine_facts(self._message)
        return " · ".join(filter(None, (self._facts(), when, which, read and f"≈ {read}")))

    def _facts(self) -> str:
        card, media = content_lines(self._message)[0], self._message.media
        pixels = f"{media.width}×{media.height}" if media and media.width and media.height else ""
        return " · ".join(filter(None, (type_word(card.type), pixels, card.text)))

    @work(group="picture", exclusive=True)
    async def _load(self) -> None:
        message, (width, height) = self._message, self._canvas.size
        media, pictures = message.media, self._pictures
        if media is None or media.key is None or pictures is None or not width or not height:
            return
        room = min(height, MOST_LINES)
        columns, lines = fit_picture(*usual_size(media), columns=width, lines=room)
        try:
            grey = self.app.no_color
            drawing = await pictures.draw(media.key, columns, lines, grey=grey, whole=True)
        except InboxError as error:
            self._canvas.say(why_missing(error))
        else:
            self._drop()
            self._drawing = drawing
            self._canvas.show([segments_of(row) for row in drawing.rows])

    def _drop(self) -> None:
        """Let the terminal forget what was shown."""
        if self._pictures is not None and self._drawing is not None:
            self._pictures.drop(self._drawing)

    def on_unmount(self) -> None:
        self._drop()

    def action_step(self, step: int) -> None:
        """Show the next or previous file of the thread."""
        at = self._at + step
        if 0 <= at < len(self._messages):
            self._at = at
            self._show()

    def action_choose(self, action: Literal["open", "save"]) -> None:
        self.dismiss(FileChoice(action, self._message))

    def action_leave(self) -> None:
        self.dismiss()
