"""Files of the demo: drawn, sounded and written by code, and kept with the messages."""

import struct
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from frontdesk.file_types import duration_seconds, media_type
from frontdesk.pictures import PictureDecoder
from frontdesk.sample.contents import detail_of
from frontdesk.sample.demo_files import add_demo_files, pdf, voice_message
from frontdesk.sample.pictures import MOTIFS, motif_number, picture
from frontdesk.store import media
from frontdesk.store.database import Connection
from frontdesk.store.media_directory import MediaDirectory
from frontdesk.store.sqlite import SQLiteDatabase
from tests.conftest import NOW_MILLISECONDS


def test_there_are_ten_small_pictures() -> None:
    contents = [picture(number) for number in range(len(MOTIFS))]
    assert len(set(contents)) == 10
    assert sum(map(len, contents)) < 200_000
    with PictureDecoder(deadline_seconds=60) as decoder:
        for number in range(len(MOTIFS)):
            path = Path(str(files("frontdesk.sample") / "photos" / f"{MOTIFS[number]}.webp"))
            assert decoder.facts(path).format == "WEBP"


@pytest.mark.parametrize(
    ("name", "motif"),
    [
        *(("roto.jpg", "mirror"), ("box.jpg", "parcel"), ("pallet.png", "parcel")),
        *(("roto-2.jpg", "parcel"), ("card.jpg", "size-label"), ("receipt.jpg", "receipt")),
        *(("tracking.png", "tracking"), ("rastreio.png", "tracking")),
        *(("seguimiento.png", "tracking"), ("error.png", "screen"), ("erro.png", "screen")),
        *(("sala.jpg", "living-room"), ("living-room.jpg", "living-room")),
        *(("window.jpg", "living-room"), ("swatches.jpg", "swatches")),
        *(("doorstep.jpg", "doorstep"), ("", "sticker"), ("other.jpg", "sticker")),
    ],
)
def test_a_picture_shows_what_its_file_is_called(name: str, motif: str) -> None:
    assert MOTIFS[motif_number(name)] == motif


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

    def heard(connection: Connection) -> set[tuple[str, str]]:
        rows = connection.rows(
            "SELECT DISTINCT kind, text_language FROM media WHERE text IS NOT NULL"
        )
        return {(row["kind"], row["text_language"]) for row in rows}

    assert sample_database.read(heard) == {("audio", one) for one in ("en", "es", "pt")}
    assert sample_database.read(read) == {
        ("image", "stored", "image/webp"),
        ("sticker", "stored", "image/webp"),
        ("audio", "stored", "audio/ogg"),
        ("audio", "expired", None),
        ("document", "stored", "application/pdf"),
        ("video", "expired", None),
    }
