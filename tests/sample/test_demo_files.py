"""Files of the demo: drawn, sounded and written by code, and kept with the messages."""

import hashlib
import io
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from PIL import Image

from frontdesk.file_types import duration_seconds, media_type
from frontdesk.pictures import PictureDecoder
from frontdesk.sample.canvas import Canvas
from frontdesk.sample.contents import detail_of
from frontdesk.sample.demo_files import add_demo_files, pdf, voice_message
from frontdesk.sample.pictures import MOTIFS, VARIANTS, draw, motif_number
from frontdesk.store import media
from frontdesk.store.database import Connection
from frontdesk.store.media_directory import MediaDirectory
from frontdesk.store.sqlite import SQLiteDatabase
from tests.conftest import NOW_MILLISECONDS


def test_there_are_forty_different_pictures(tmp_path: Path) -> None:
    drawn = {draw(motif, variant) for motif in range(len(MOTIFS)) for variant in range(VARIANTS)}
    assert len(drawn) == 40
    assert {media_type(content) for content in drawn} == {"image/png"}
    with PictureDecoder(deadline_seconds=60) as decoder:
        for number, content in enumerate(sorted(drawn)[::8]):
            path = tmp_path / str(number)
            path.write_bytes(content)
            assert decoder.facts(path).format == "PNG"


# By motif, digests of what its four variants show.
SHOWN = {
    "mirror": "3de60e5655f40440",
    "parcel": "375742b9b94d8c75",
    "size_label": "c5b79ffa5ccc6b59",
    "receipt": "f4bb76e9c83b6031",
    "tracking": "eb03216f66cd03ff",
    "screen": "cab62599c2ff3f24",
    "living_room": "6fa770e59cfb5c2e",
    "swatches": "0a041b038f30edaa",
    "doorstep": "152db1dfc9974c9f",
    "sticker": "130d2ac695e05b66",
}


def pixels(png: bytes) -> bytes:
    """The size of a picture and its pixels, as they are before they are compressed."""
    length = int.from_bytes(png[33:37])
    return png[16:24] + zlib.decompress(png[41 : 41 + length])


@pytest.mark.parametrize("motif", MOTIFS, ids=lambda motif: motif.__name__)
def test_the_pictures_are_those_of_the_documentation(motif: Callable[[Random], Canvas]) -> None:
    """Whoever changes one on purpose renews them, and the number here."""
    number = MOTIFS.index(motif)
    drawn = b"".join(pixels(draw(number, variant)) for variant in range(VARIANTS))
    assert hashlib.sha256(drawn).hexdigest()[:16] == SHOWN[motif.__name__]


def test_a_picture_is_a_png_with_three_bytes_a_pixel() -> None:
    png = Canvas(3, 2, (1, 2, 3)).png()
    assert png[:33] == (b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\3\0\0\0\2\x08\2\0\0\0" + png[29:33])
    with Image.open(io.BytesIO(png)) as read:
        assert [read.getpixel((x, y)) for y in range(2) for x in range(3)] == [(1, 2, 3)] * 6


def rows(canvas: Canvas) -> list[str]:
    """What is white on a canvas, as letters."""
    drawn = pixels(canvas.png())[8:]
    width = 1 + 3 * canvas.width
    return [
        "".join("#" if drawn[at + 1 + 3 * x] else "." for x in range(canvas.width))
        for at in range(0, len(drawn), width)
    ]


WHITE, BLACK = (255, 255, 255), (0, 0, 0)


def test_shapes_cover_the_pixels_within_them_and_are_cut_off_at_the_edges() -> None:
    canvas = Canvas(8, 5, BLACK)
    canvas.rectangle(-3, 1, 2, 3, WHITE)
    canvas.rectangle(6, 3, 99, 99, WHITE)
    canvas.rectangle(4, -1, 5, 1, WHITE)
    canvas.rectangle(3, 4, 3, 5, WHITE)
    assert rows(canvas) == ["....#...", "##......", "##......", "......##", "......##"]
    canvas = Canvas(8, 6, BLACK)
    canvas.disc(4, 3, 3, WHITE)
    assert rows(canvas) == [
        *("..####..", ".######.", ".######.", ".######.", ".######.", "..####.."),
    ]
    canvas = Canvas(6, 4, BLACK)
    canvas.polygon([(0, 0), (6, 0), (0, 4)], WHITE)
    assert rows(canvas) == ["#####.", "####..", "##....", "#....."]
    canvas = Canvas(8, 3, BLACK)
    canvas.polygon([(0, 0), (8, 0), (8, 3), (6, 3), (6, 1), (2, 1), (2, 3), (0, 3)], WHITE)
    assert rows(canvas) == ["########", "##....##", "##....##"]
    canvas = Canvas(6, 3, BLACK)
    canvas.line((1, 1.5), (5, 1.5), 1, WHITE)
    assert rows(canvas) == ["......", ".####.", "......"]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("40", ["#.#.###", "#.#.#.#", "###.#.#", "..#.#.#", "..#.###"]),
        ("-.", [".......", ".......", "###....", ".......", ".....#."]),
        ("X ", ["#.#.", "#.#.", ".#..", "#.#.", "#.#."]),
    ],
)
def test_letters_are_three_by_five_squares(words: str, shown: list[str]) -> None:
    canvas = Canvas(len(shown[0]), 5, BLACK)
    canvas.text(0, 0, words, 1, WHITE)
    assert rows(canvas) == shown


def test_a_picture_fades_from_its_first_row_to_its_last() -> None:
    canvas = Canvas(1, 3, BLACK)
    canvas.gradient((10, 200, 0), (20, 100, 0))
    assert pixels(canvas.png())[8:] == b"\0\x0a\xc8\0" + b"\0\x0f\x96\0" + b"\0\x14\x64\0"
    canvas = Canvas(1, 1, BLACK)
    canvas.gradient((10, 200, 0), (20, 100, 0))
    assert pixels(canvas.png())[8:] == b"\0\x0a\xc8\0"


@pytest.mark.parametrize(
    ("name", "motif"),
    [
        *(("roto.jpg", "mirror"), ("box.jpg", "parcel"), ("pallet.png", "parcel")),
        *(("roto-2.jpg", "parcel"), ("card.jpg", "size_label"), ("receipt.jpg", "receipt")),
        *(("tracking.png", "tracking"), ("rastreio.png", "tracking")),
        *(("seguimiento.png", "tracking"), ("error.png", "screen"), ("erro.png", "screen")),
        *(("sala.jpg", "living_room"), ("living-room.jpg", "living_room")),
        *(("window.jpg", "living_room"), ("swatches.jpg", "swatches")),
        *(("doorstep.jpg", "doorstep"), ("", "sticker"), ("other.jpg", "sticker")),
    ],
)
def test_a_picture_shows_what_its_file_is_called(name: str, motif: str) -> None:
    assert MOTIFS[motif_number(name)].__name__ == motif


@pytest.mark.parametrize(
    ("id", "detail"),
    [
        ("880000000000000", 0),
        ("880000999999999", 0),
        ("880001000000000", 1),
        ("880099999999999", 99),
        ("880100000000000", None),
        ("879999999999999", None),
        ("", None),
        ("wamid", None),
        (None, None),
        (880000000000000, None),
    ],
)
def test_the_id_of_a_file_says_what_it_shows(id: object, detail: int | None) -> None:
    assert detail_of(id) == detail


@pytest.mark.parametrize("seconds", [1, 23, 41])
def test_a_voice_message_is_as_long_as_it_says(seconds: int, tmp_path: Path) -> None:
    voice = tmp_path / "voice"
    voice.write_bytes(voice_message(seconds))
    assert duration_seconds(voice, media_type(voice.read_bytes()[:64])) == seconds


def pages(ogg: bytes) -> Iterator[tuple[int, int, int, bytes]]:
    """Flags, position and number of each page, and what it holds, after a look at its checksum.

    The checksum is the remainder of the page, as one polynomial, by that of CRC-32.
    """
    while ogg:
        flags, position, serial, number, check, count = struct.unpack_from("<BqIIIB", ogg, 5)
        assert (ogg[:5], serial) == (b"OggS\0", 20)
        length = 27 + count + sum(ogg[27 : 27 + count])
        page = ogg[:22] + bytes(4) + ogg[26:length]
        rest = int.from_bytes(page) << 32
        while rest >> 32:
            rest ^= 0x104C11DB7 << rest.bit_length() - 33
        assert rest == check
        yield flags, position, number, ogg[27 + count : length]
        ogg = ogg[length:]


def test_a_voice_message_is_silence_in_pages_of_a_second() -> None:
    head, tags, *sounds = pages(voice_message(3))
    assert head == (2, 0, 0, b"OpusHead\1\1\x38\1\x80\xbb\0\0\0\0\0")
    assert tags == (0, 0, 1, b"OpusTags\4\0\0\0demo\0\0\0\0")
    silence = b"\xfc\xff\xfe" * 50
    assert sounds == [
        (0, 48_312, 2, silence),
        (0, 96_312, 3, silence),
        (4, 144_312, 4, silence),
    ]


def test_a_document_shows_its_title() -> None:
    assert (
        pdf("invoice (1)é")
        == b"""\
%PDF-1.4
1 0 obj
<</Type/Catalog/Pages 2 0 R>>
endobj
2 0 obj
<</Type/Pages/Kids[3 0 R]/Count 1>>
endobj
3 0 obj
<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>
endobj
4 0 obj
<</Length 62>>
stream
BT /F 24 Tf 72 720 Td (Veldrano) Tj 0 -40 Td (invoice 1) Tj ET
endstream
endobj
5 0 obj
<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>
endobj
xref
0 6
0000000000 65535 f\x20
0000000009 00000 n\x20
0000000054 00000 n\x20
0000000105 00000 n\x20
0000000216 00000 n\x20
0000000326 00000 n\x20
trailer<</Size 6/Root 1 0 R>>
startxref
389
%%EOF
"""
    )


def test_a_document_is_a_pdf_whose_table_leads_to_its_objects() -> None:
    content = pdf("invoice")
    assert media_type(content[:64]) == "application/pdf"
    place = int(content.rpartition(b"startxref\n")[2].partition(b"\n")[0])
    table = content[place:].split(b"\n")
    assert table[0] == b"xref"
    for number, row in enumerate(table[3:8], start=1):
        assert content[int(row[:10]) :].startswith(b"%d 0 obj" % number)


def test_messages_of_the_demo_have_files_but_for_videos_and_music(
    sample_database: SQLiteDatabase, tmp_path: Path
) -> None:
    files = MediaDirectory(tmp_path / "media", least_free_bytes=0)
    with PictureDecoder(deadline_seconds=60) as decoder:
        add_demo_files(sample_database, files, decoder, NOW_MILLISECONDS)

    def read(connection: Connection) -> set[tuple[str, str, str | None]]:
        rows = connection.rows("SELECT DISTINCT kind, state, mime FROM media")
        assert set(files.digests(1)) == media.stored_digests(connection, 1).keys()
        return {(row["kind"], row["state"], row["mime"]) for row in rows}

    assert sample_database.read(read) == {
        ("image", "stored", "image/png"),
        ("sticker", "stored", "image/png"),
        ("audio", "stored", "audio/ogg"),
        ("audio", "expired", None),
        ("document", "stored", "application/pdf"),
        ("video", "expired", None),
    }
