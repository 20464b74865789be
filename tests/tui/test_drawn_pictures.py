"""Pictures of messages: as blocks, or given to a terminal that draws them itself."""

import io
import random
from base64 import b64decode
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from PIL import Image
from textual.app import App

from frontdesk.cache import kept_files
from frontdesk.cache.kept_files import KeptFiles
from frontdesk.errors import InboxError
from frontdesk.pictures import kitty
from frontdesk.system.terminal_cells import cell_pixels
from frontdesk.tui import sentences
from frontdesk.tui.picture_display import PictureDisplay
from frontdesk.tui.pictures import Pictures, is_lasting, terminal_of_pictures, why_missing
from frontdesk.tui.widgets.picture_rows import CELL
from tests.pictures.drawn import encoded, photo
from tests.pictures.test_kitty import commands
from tests.tui.views import Dressed


class Files:
    """Gives out one photo, in the size that is asked for."""

    def __init__(self) -> None:
        self.widths: list[int | None] = []

    async def save(self, key: str, file: BinaryIO, *, width: int | None = None, **_: Any) -> None:
        self.widths.append(width)
        file.write(encoded(photo(1600, 800)))


@pytest.fixture
def kept(tmp_path: Path) -> KeptFiles:
    return KeptFiles(tmp_path, most_bytes=1_000_000)


async def test_a_picture_is_drawn_as_blocks_of_its_preview(kept: KeptFiles) -> None:
    files = Files()
    pictures = Pictures(files.save, kept)
    try:
        assert not pictures.by_terminal
        colours = await pictures.draw("key", 12, 4, grey=False)
        greys = await pictures.draw("key", 12, 4, grey=True, whole=True)
    finally:
        pictures.close()
    assert files.widths == [480]
    assert [len(row) for row in colours.rows] == [len(row) for row in greys.rows] == [12] * 4
    assert colours.number is None
    red, blue = colours.rows[0][0].ink, colours.rows[3][11].ink
    assert red[0] > 150 > 60 > red[2]
    assert blue[2] > 150 > 60 > blue[0]
    assert {len({*cell.ink}) for row in greys.rows for cell in row} == {1}


async def test_a_picture_that_is_deleted_before_it_is_decoded_is_fetched_again(
    kept: KeptFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process clears the files; a picture that cannot be used would be given up."""
    files = Files()
    pictures = Pictures(files.save, kept)
    preview = pictures.files.preview

    async def cleared(key: str) -> Path:
        path = await preview(key)
        kept_files.clear(kept.directory)
        return path

    try:
        monkeypatch.setattr(pictures.files, "preview", cleared)
        with pytest.raises(InboxError) as missing:
            await pictures.draw("key", 12, 4, grey=False)
        assert not is_lasting(missing.value)
        assert why_missing(missing.value) == sentences.FILE_NOT_HERE
        monkeypatch.setattr(pictures.files, "preview", preview)
        assert len((await pictures.draw("key", 12, 4, grey=False)).rows) == 4
    finally:
        pictures.close()
    assert files.widths == [480, 480]


async def test_a_terminal_that_draws_pictures_has_each_until_it_is_dropped(
    kept: KeptFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if the number drawn by lot were the last but one.
    monkeypatch.setattr(random, "randrange", lambda end: end - 1)
    files, written = Files(), list[str]()
    pictures = Pictures(files.save, kept, written.append)
    try:
        assert pictures.by_terminal
        small = await pictures.draw("key", 12, 4, grey=False)
        whole = await pictures.draw("key", 20, 3, grey=False, whole=True)
        assert files.widths == [480, None]
        # Numbers go round, and 0 is none.
        assert [small.number, whole.number] == [kitty.MOST_NUMBER, 1]
        assert [len(row) for row in whole.rows] == [20] * 3
        sizes, pixels = list[list[int]](), list[tuple[int, int]]()
        for command in written:
            parts = commands(command)
            sizes.append([int(parts[0][0][name]) for name in "icr"])
            with Image.open(io.BytesIO(b64decode("".join(text for _, text in parts)))) as sent:
                pixels.append(sent.size)
        assert sizes == [[kitty.MOST_NUMBER, 12, 4], [1, 20, 3]]
        # Twice as wide as high, within the cells.
        width, height = cell_pixels() or CELL
        boxes = [(12 * width, 4 * height), (20 * width, 3 * height)]
        assert pixels == [(min(wide, 2 * high), min(high, wide // 2)) for wide, high in boxes]
        written.clear()
        pictures.drop(small)
        pictures.drop(small)
        assert written == [kitty.deleted(kitty.MOST_NUMBER)]
    finally:
        pictures.close()
        pictures.close()
    assert written == [kitty.deleted(kitty.MOST_NUMBER), kitty.deleted(1)]


class WrittenTo(Dressed):
    """Keeps what is written to its terminal."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[str] = []

    def write_to_terminal(self, sequence: str) -> None:
        self.written.append(sequence)


@pytest.mark.parametrize("in_tmux", [False, True])
def test_sequences_of_pictures_reach_the_terminal_also_behind_tmux(in_tmux: bool) -> None:
    app, display = WrittenTo(), PictureDisplay(14, True, "", by_terminal=True, in_tmux=in_tmux)
    write = terminal_of_pictures(display, app)
    assert write is not None
    write(kitty.deleted(7))
    sequence = kitty.deleted(7)
    assert app.written == [kitty.through_tmux(sequence) if in_tmux else sequence]


def test_a_terminal_that_draws_no_pictures_gets_no_sequences_of_them() -> None:
    assert terminal_of_pictures(PictureDisplay(10, True, ""), WrittenTo()) is None
    by_terminal = PictureDisplay(14, True, "", by_terminal=True)
    assert terminal_of_pictures(by_terminal, App()) is None
