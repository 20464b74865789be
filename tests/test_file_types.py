"""Types of files by their bytes, safe names, and the length of audio."""

import struct
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.file_types import HEAD_BYTES, KNOWN_TYPES, OCTETS, duration_seconds, media_type
from frontdesk.file_types import safe_name as named

HEADS = {
    "image/jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF",
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/webp": b"RIFF\x10\0\0\0WEBPVP8 ",
    "image/gif": b"GIF89a",
    "image/heic": b"\0\0\0\x18ftypheic",
    "audio/ogg": b"OggS\0\x02",
    "audio/mpeg": b"ID3\x04",
    "audio/mp4": b"\0\0\0\x1cftypM4A ",
    "audio/aac": b"\xff\xf1\x50\x80",
    "audio/amr": b"#!AMR\n",
    "video/mp4": b"\0\0\0\x18ftypisom",
    "video/3gpp": b"\0\0\0\x18ftyp3gp4",
    "application/pdf": b"%PDF-1.7",
}


def test_every_known_type_is_recognised_by_its_first_bytes() -> None:
    assert {type: media_type(head) for type, head in HEADS.items()} == {
        type: type for type in KNOWN_TYPES
    }


@pytest.mark.parametrize(
    "content",
    [b"", b"<html>", b"<svg xmlns=", b"PK\x03\x04", b"MZ\x90", b"#!/bin/sh", b"\0\0\0\x1cftypavif"],
)
def test_everything_else_is_octets(content: bytes) -> None:
    assert media_type(content[:HEAD_BYTES]) == OCTETS


@pytest.mark.parametrize(
    ("head", "type"),
    [
        (b"GIF87a", "image/gif"),
        (b"\xff\xfb\x90", "audio/mpeg"),
        (b"\xff\xf3\x90", "audio/mpeg"),
        (b"\xff\xf2\x90", "audio/mpeg"),
        (b"\xff\xf9\x50", "audio/aac"),
        (b"\0\0\0\x18ftypmif1", "image/heic"),
        (b"\0\0\0\x18ftypmsf1", "image/heic"),
        (b"\0\0\0\x18ftyp3g2a", "video/3gpp"),
        (b"\0\0\0\x18ftypM4V ", "video/mp4"),
        (b"RIFF\x10\0\0\0WAVE", OCTETS),
    ],
)
def test_a_type_has_several_beginnings(head: bytes, type: str) -> None:
    assert media_type(head) == type


@pytest.mark.parametrize(
    ("name", "type", "safe"),
    [
        ("../../.ssh/authorized_keys", OCTETS, "authorized_keys.bin"),
        ("invoice.pdf\u202efdp.exe", "application/pdf", "invoice.pdffdp.exe.pdf"),
        ("CON.jpg", "image/jpeg", "_CON.jpg"),
        ("lpt1", "image/png", "_lpt1.png"),
        ("a.jpg.desktop", "image/jpeg", "a.jpg.desktop.jpg"),
        (".bashrc", OCTETS, "bashrc.bin"),
        ("\x1b]0;x\x07.png", "image/png", "]0;x.png"),
        ("x" * 400 + ".jpg", "image/jpeg", "x" * 180 + ".jpg"),
        ("фото.jpg", "image/jpeg", "фото.jpg"),
        ("C:\\x\\y.jpeg", "image/jpeg", "y.jpeg"),
        ("", "audio/ogg", "file.ogg"),
        (None, OCTETS, "file.bin"),
        ("run.sh", OCTETS, "run.sh"),
        ("e\u0301.jpg", "image/jpeg", "é.jpg"),
        ("..", OCTETS, "file.bin"),
        ("a/b", OCTETS, "b.bin"),
        ("voice.opus", "audio/ogg", "voice.opus"),
        ("photo.pdf", "image/jpeg", "photo.pdf.jpg"),
        ("a\r\nSet-Cookie: x=1.png", "image/png", "aSet-Cookie x=1.png"),
        ("a." + "b" * 16, OCTETS, "a." + "b" * 16),
        ("a." + "b" * 17, OCTETS, "a." + "b" * 17 + ".bin"),
        ("a.é", OCTETS, "a.é.bin"),
        ("a.", OCTETS, "a.bin"),
        ("a.JPG", "image/jpeg", "a.JPG"),
        ("com1.x.jpg", "image/jpeg", "_com1.x.jpg"),
        ("com0.jpg", "image/jpeg", "com0.jpg"),
        ("lpt9.jpg", "image/jpeg", "_lpt9.jpg"),
        ("com10.jpg", "image/jpeg", "com10.jpg"),
        ("console.jpg", "image/jpeg", "console.jpg"),
        ("é" * 91 + ".jpg", "image/jpeg", "é" * 90 + ".jpg"),
    ],
)
def test_a_strangers_name_becomes_one_that_is_safe(name: str | None, type: str, safe: str) -> None:
    assert named(name, type, "file") == safe


@given(st.text(max_size=300), st.sampled_from([*sorted(KNOWN_TYPES), OCTETS]))
def test_a_safe_name_is_one_visible_part_of_a_path(name: str, type: str) -> None:
    safe = named(name, type, "file")
    assert not {"/", "\\", "\0"} & set(safe)
    assert not any(unicodedata.category(character).startswith("C") for character in safe)
    assert safe == safe.strip(". ")
    assert len(safe.encode()) <= 200
    assert safe.rpartition(".")[0]
    # A safe name stays as it is.
    assert named(safe, type, "file") == safe


def opus(seconds: float, *, skipped: int = 312) -> bytes:
    """An Ogg Opus file of two pages, whose last says where it ends."""

    def page(position: int, content: bytes) -> bytes:
        header = struct.pack("<4sBBqIIIB", b"OggS", 0, 0, position, 1, 0, 0, 1)
        return header + bytes([len(content)]) + content

    head = b"OpusHead" + struct.pack("<BBHIhB", 1, 1, skipped, 48_000, 0, 0)
    return page(0, head) + page(int(seconds * 48_000) + skipped, b"\xfc" * 40)


def test_the_length_of_a_voice_message_is_read_from_its_last_page(tmp_path: Path) -> None:
    voice = tmp_path / "voice"
    voice.write_bytes(opus(14.5))
    assert duration_seconds(voice, "audio/ogg") == 14.5


@pytest.mark.parametrize(
    "content", [b"", b"OggS", opus(1)[:40], opus(0), opus(-5), opus(90_000), b"\xff\xd8\xff" * 99]
)
def test_a_broken_voice_message_has_no_length(content: bytes, tmp_path: Path) -> None:
    voice = tmp_path / "voice"
    voice.write_bytes(content)
    assert duration_seconds(voice, "audio/ogg") is None


@pytest.mark.parametrize(
    ("seconds", "length"), [(86_400, 86_400), (86_401, None), (1 / 48_000, 1 / 48_000), (0, None)]
)
def test_a_length_is_of_a_day_at_most(seconds: float, length: float | None, tmp_path: Path) -> None:
    voice = tmp_path / "voice"
    voice.write_bytes(opus(seconds))
    assert duration_seconds(voice, "audio/ogg") == length


def test_the_last_page_of_a_long_voice_message_is_found_at_its_end(tmp_path: Path) -> None:
    voice = tmp_path / "voice"
    voice.write_bytes(opus(1) + bytes(100_000) + opus(14.5) + bytes(60_000))
    assert duration_seconds(voice, "audio/ogg") == 14.5
    voice.write_bytes(opus(14.5) + bytes(70_000))
    assert duration_seconds(voice, "audio/ogg") is None


def test_a_last_page_that_is_cut_off_says_nothing(tmp_path: Path) -> None:
    voice = tmp_path / "voice"
    whole = opus(14.5)
    last = whole.rindex(b"OggS")
    voice.write_bytes(whole[: last + 14])
    assert duration_seconds(voice, "audio/ogg") == 14.5
    voice.write_bytes(whole[: last + 13])
    assert duration_seconds(voice, "audio/ogg") is None


def test_frames_of_amr_have_the_lengths_of_their_types(tmp_path: Path) -> None:
    sound = tmp_path / "sound"
    lengths = (13, 14, 16, 18, 20, 21, 27, 32, 6, *[1] * 7)
    frames = [bytes([type << 3]) + b"\xff" * (length - 1) for type, length in enumerate(lengths)]
    sound.write_bytes(b"#!AMR\n" + b"".join(frames) * 5)
    assert duration_seconds(sound, "audio/amr") == len(lengths) * 5 / 50
    sound.write_bytes(b"#!AMR-WB\n" + b"".join(frames))
    assert duration_seconds(sound, "audio/amr") is None


def test_frames_of_amr_are_counted(tmp_path: Path) -> None:
    sound = tmp_path / "sound"
    sound.write_bytes(b"#!AMR\n" + (bytes([7 << 3]) + b"\0" * 31) * 100)
    assert duration_seconds(sound, "audio/amr") == 2.0


def test_the_length_of_an_mp3_is_known(tmp_path: Path) -> None:
    """Frames of MPEG 1, layer 3, at 128 kbit/s and 44.1 kHz: 417 bytes, 26 ms."""
    sound = tmp_path / "sound"
    sound.write_bytes((b"\xff\xfb\x90\x00" + b"\0" * 413) * 383)
    assert duration_seconds(sound, "audio/mpeg") == pytest.approx(10, abs=0.2)


@pytest.mark.parametrize("type", ["audio/mpeg", "audio/mp4", "audio/aac", "video/mp4"])
def test_a_damaged_sound_or_video_has_no_length(type: str, tmp_path: Path) -> None:
    sound = tmp_path / "sound"
    sound.write_bytes(HEADS[type] + b"\xff" * 300)
    assert duration_seconds(sound, type) is None


def test_a_document_has_no_length(tmp_path: Path) -> None:
    assert duration_seconds(tmp_path / "missing", "audio/ogg") is None
    assert duration_seconds(tmp_path, "application/pdf") is None
