"""Files of the demo: drawn, sounded and written by code, and kept with the messages."""

from pathlib import Path

import pytest

from frontdesk.file_types import duration_seconds, media_type
from frontdesk.pictures import PictureDecoder
from frontdesk.sample.demo_files import add_demo_files, pdf, voice_message
from frontdesk.sample.pictures import MOTIFS, VARIANTS, draw
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


@pytest.mark.parametrize("seconds", [1, 23, 41])
def test_a_voice_message_is_as_long_as_it_says(seconds: int, tmp_path: Path) -> None:
    voice = tmp_path / "voice"
    voice.write_bytes(voice_message(seconds))
    assert duration_seconds(voice, media_type(voice.read_bytes()[:64])) == seconds


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
