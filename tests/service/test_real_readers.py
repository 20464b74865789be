"""Programs that people use: what ffmpeg, pocketsphinx, tesseract and pdftotext read.

Each is left out where it is not installed; the files are made by programs of the same packages.
"""

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.service.test_media_reading import Desk

from frontdesk.service.media.reader_table import FileReader

pytestmark = pytest.mark.slow

PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 120]/Contents 4 0 R
/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj
4 0 obj<</Length 61>>stream
BT /F 24 Tf 20 60 Td (Invoice 4711) Tj 0 -30 Td (87.30) Tj ET
endstream endobj
trailer<</Root 1 0 R>>
"""
VOICE = """
import sys
from pocketsphinx import Decoder
decoder = Decoder(samprate=16000)
sound = open(sys.argv[1], 'rb').read()[44:]
decoder.start_utt()
decoder.process_raw(sound, full_utt=True)
decoder.end_utt()
print(decoder.hyp().hypstr)
"""


@pytest.fixture
def desk(database: object, tmp_path: Path) -> Desk:
    return Desk(database, tmp_path)  # type: ignore[arg-type]


def needs(*programs: str) -> None:
    absent = [program for program in programs if shutil.which(program) is None]
    if absent:
        pytest.skip(f"{', '.join(absent)} is not installed")


def pdf(folder: Path) -> Path:
    path = folder / "invoice.pdf"
    path.write_bytes(PDF)
    return path


def test_a_pdf_is_read_by_pdftotext_and_a_scanned_one_by_the_next_reader(desk: Desk) -> None:
    needs("pdftotext", "pdftoppm", "tesseract")
    folder = desk.files.root.parent
    layer = FileReader(
        "pdf", ("document",), ("application/pdf",), (("pdftotext", "{file}", "-"),),
        fallthrough=True,
    )  # fmt: skip
    scan = FileReader(
        "scan", ("document",), ("application/pdf",),
        (
            ("pdftoppm", "-r", "200", "-gray", "-png", "-singlefile", "{file}", "page"),
            ("tesseract", "page.png", "stdout"),
        ),
        environment={"OMP_THREAD_LIMIT": "1"},
    )  # fmt: skip
    key = desk.add(pdf(folder).read_bytes(), kind="document", mime="application/pdf")
    desk.read(layer, scan)
    assert (desk.text(key), desk.row(key)["text_by"][:4]) == ("Invoice 4711\n87.30", "pdf@")
    for arguments in (
        ["pdftoppm", "-r", "200", "-gray", "-jpeg", "-singlefile", "invoice.pdf", "page"],
        [sys.executable, "-c", "from PIL import Image; Image.open('page.jpg').save('scan.pdf')"],
    ):
        subprocess.run(arguments, cwd=folder, check=True)
    scanned = desk.add((folder / "scan.pdf").read_bytes(), kind="document", mime="application/pdf")
    desk.read(layer, scan)
    assert "Invoice 4711" in (desk.text(scanned) or "")
    assert desk.row(scanned)["text_by"].startswith("scan@")


def test_a_damaged_pdf_fails_with_what_the_program_says(desk: Desk) -> None:
    needs("pdftotext")
    reader = FileReader("pdf", ("document",), ("application/pdf",), (("pdftotext", "{file}", "-"),))
    key = desk.add("%PDF-1.4 nothing", kind="document", mime="application/pdf")
    desk.read(reader)
    assert desk.row(key)["reason"].startswith("pdftotext: exit code 1: ")


@pytest.mark.skipif(find_spec("pocketsphinx") is None, reason="pocketsphinx is not installed")
def test_a_voice_message_is_read_by_ffmpeg_and_pocketsphinx(desk: Desk) -> None:
    needs("espeak-ng", "ffmpeg")
    folder = desk.files.root.parent
    said = "please send the invoice to my house tomorrow morning"
    for arguments in (
        ["espeak-ng", "-s", "130", "-w", "said.wav", said],
        ["ffmpeg", "-v", "error", "-i", "said.wav", "-c:a", "libopus", "said.ogg"],
    ):
        subprocess.run(arguments, cwd=folder, check=True)
    reader = FileReader(
        "voice", ("audio",), ("audio/*",),
        (
            ("ffmpeg", "-nostdin", "-v", "error", "-protocol_whitelist", "file",
             "-i", "file:{file}", "-vn", "-ac", "1", "-ar", "16000", "voice.wav"),
            (sys.executable, "-c", VOICE, "voice.wav"),
        ),
    )  # fmt: skip
    key = desk.add((folder / "said.ogg").read_bytes())
    desk.read(reader)
    words = set((desk.text(key) or "").split())
    # A synthetic voice and a small model: some of the words are right.
    assert len(words & set(said.split())) >= 2
