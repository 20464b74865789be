"""Files of strangers: type by their first bytes, names that are safe to save, length of audio.

What a sender says about a file (name, MIME type) is never believed: `media_type` reads its first
bytes, and `safe_name` gives the name the ending that fits them.
"""

import re
import unicodedata
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from pathlib import Path

# Bytes that `media_type` needs.
HEAD_BYTES = 64

OCTETS = "application/octet-stream"
PICTURES = ("image/jpeg", "image/png", "image/webp", "image/gif")
SOUNDS = ("audio/ogg", "audio/mpeg", "audio/mp4", "audio/aac", "audio/amr")
VIDEOS = ("video/mp4", "video/3gpp")

# What programs and the system may open: the type, the ending that a file gets, and other endings
# that fit. HTML, SVG and office files are in none of them.
_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "image/jpeg": ("jpg", "jpeg", "jpe"),
    "image/png": ("png",),
    "image/webp": ("webp",),
    "image/gif": ("gif",),
    "image/heic": ("heic", "heif"),
    "audio/ogg": ("ogg", "oga", "opus"),
    "audio/mpeg": ("mp3",),
    "audio/mp4": ("m4a",),
    "audio/aac": ("aac",),
    "audio/amr": ("amr",),
    "video/mp4": ("mp4", "m4v", "mov"),
    "video/3gpp": ("3gp", "3gpp"),
    "application/pdf": ("pdf",),
}
KNOWN_TYPES = frozenset(_ENDINGS)

_SIGNATURES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"OggS", "audio/ogg"),
    (b"%PDF-", "application/pdf"),
    (b"#!AMR", "audio/amr"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
    (b"\xff\xf2", "audio/mpeg"),
    (b"\xff\xf1", "audio/aac"),
    (b"\xff\xf9", "audio/aac"),
)
# Control characters that no text has.
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1f]")
_HEIC_BRANDS = (b"heic", b"heix", b"hevc", b"mif1", b"msf1")

_RESERVED = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)))
)
_LONGEST_STEM_BYTES = 180
_LONGEST_ENDING = 16
_CONTROLS = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_NOT_IN_NAMES = frozenset('<>:"|?*%')

_OPUS_HERTZ = 48_000
_AMR_FRAMES_A_SECOND = 50
# Bytes of an AMR-NB frame by the type in its first byte.
_AMR_FRAME_BYTES = (13, 14, 16, 18, 20, 21, 27, 32, 6, 1, 1, 1, 1, 1, 1, 1)
_OGG_TAIL_BYTES = 65_536
_LONGEST_SECONDS = 86_400.0
_LARGEST_AMR = 16 << 20


def media_type(head: bytes) -> str:
    """Type by the first `HEAD_BYTES` bytes; `application/octet-stream` for all others."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:8] == b"ftyp":
        return _box_type(head[8:12])
    return next((type for sign, type in _SIGNATURES if head.startswith(sign)), OCTETS)


def decoded_text(content: bytes) -> str | None:
    """Decode a file of plain text, such as CSV or JSON; None if it is none in UTF-8 or UTF-16."""
    if media_type(content[:HEAD_BYTES]) != OCTETS:
        return None
    encoding = "utf-16" if content[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if _BINARY.search(text) else text


def _box_type(brand: bytes) -> str:
    """Type of a file of ISO boxes, by its major brand."""
    if brand in _HEIC_BRANDS:
        return "image/heic"
    if brand == b"avif":
        return OCTETS
    if brand[:3] == b"M4A":
        return "audio/mp4"
    return "video/3gpp" if brand[:2] == b"3g" else "video/mp4"


def safe_name(name: str | None, type: str, fallback: str) -> str:
    """A file name for every system, from the name that a stranger gave.

    The last part of a path, without controls, direction marks and names of devices, of at most 200
    bytes. The ending is that of the type; a name whose ending says something else gets it appended.
    """
    text = unicodedata.normalize("NFC", name or "").replace("\\", "/").rpartition("/")[2]
    text = "".join(
        character
        for character in text
        if unicodedata.category(character) not in _CONTROLS and character not in _NOT_IN_NAMES
    )
    text = " ".join(text.split()).strip(". ")
    stem, dot, ending = text.rpartition(".")
    stem, ending = (stem, ending) if dot else (text, "")
    endings = _ENDINGS.get(type)
    if endings and ending.lower() not in endings:
        stem, ending = text, endings[0]
    elif not endings and not (ending.isascii() and 0 < len(ending) <= _LONGEST_ENDING):
        stem, ending = text, "bin"
    stem = stem.strip(". ") or fallback
    if stem.split(".")[0].strip().lower() in _RESERVED:
        stem = f"_{stem}"
    return f"{_shortened(stem)}.{ending}"


def _shortened(stem: str) -> str:
    whole = stem.encode()[:_LONGEST_STEM_BYTES]
    return whole.decode(errors="ignore").rstrip(". ")


def duration_seconds(path: Path, type: str) -> float | None:
    """Length of a sound or video of a type of `media_type`; None if it is unknown."""
    try:
        if type == "audio/ogg":
            seconds = _opus_seconds(path)
        elif type == "audio/amr":
            seconds = _amr_seconds(path)
        elif type in SOUNDS or type in VIDEOS:
            seconds = _tagged_seconds(path)
        else:
            return None
    except OSError:
        return None
    return seconds if seconds is not None and 0 < seconds <= _LONGEST_SECONDS else None


def _opus_seconds(path: Path) -> float | None:
    """Position of the last Ogg page, less what the encoder put in front.

    A file that was cut off is as long as its last whole page says.
    """
    with path.open("rb") as file:
        first = file.read(128)
        size = file.seek(0, 2)
        file.seek(max(0, size - _OGG_TAIL_BYTES))
        tail = file.read()
    header, page = first.find(b"OpusHead"), tail.rfind(b"OggS")
    if header < 0 or page < 0 or page + 14 > len(tail):
        return None
    position = int.from_bytes(tail[page + 6 : page + 14], "little", signed=True)
    skipped = int.from_bytes(first[header + 10 : header + 12], "little")
    return (position - skipped) / _OPUS_HERTZ


def _amr_seconds(path: Path) -> float | None:
    """Count the frames of 20 ms of a narrow-band file."""
    if path.stat().st_size > _LARGEST_AMR:
        return None
    content = path.read_bytes()
    if not content.startswith(b"#!AMR\n"):
        return None
    place, frames = 6, 0
    while place < len(content):
        place += _AMR_FRAME_BYTES[content[place] >> 3 & 15]
        frames += 1
    return frames / _AMR_FRAMES_A_SECOND


def _tagged_seconds(path: Path) -> float | None:
    from tinytag import TinyTag

    try:
        return TinyTag.get(path, tags=False).duration
    except Exception:
        # Its parsers raise anything on damaged bytes, and the length is only for display.
        return None
