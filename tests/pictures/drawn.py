"""Picture files that tests draw: ordinary, odd and hostile ones."""

import io
import struct
import zlib
from pathlib import Path

from PIL import Image, ImageDraw


def photo(width: int = 320, height: int = 240, *, red: int = 200) -> Image.Image:
    """A picture whose left half is red and whose right half is blue."""
    picture = Image.new("RGB", (width, height), (red, 20, 20))
    ImageDraw.Draw(picture).rectangle((width // 2, 0, width, height), fill=(20, 20, 200))
    return picture


def encoded(picture: Image.Image, format: str = "JPEG", **options: object) -> bytes:
    with io.BytesIO() as buffer:
        picture.save(buffer, format, **options)
        return buffer.getvalue()


def on_its_side() -> bytes:
    """A JPEG of 320x240 that EXIF turns to 240x320."""
    exif = Image.Exif()
    exif[0x0112] = 6
    return encoded(photo(), exif=exif)


def animated(format: str) -> bytes:
    frames = [photo(64, 64, red=red) for red in (200, 100, 50)]
    return encoded(frames[0], format, save_all=True, append_images=frames[1:])


def png_that_claims(width: int, height: int) -> bytes:
    """A PNG with a header of this size and almost no data behind it: a decompression bomb."""

    def chunk(name: bytes, content: bytes) -> bytes:
        check = zlib.crc32(name + content)
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0" * 1_000)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    )


def png_with_text(megabytes: int) -> bytes:
    """A small PNG whose compressed text unpacks to much memory."""
    whole = encoded(photo(8, 8), "PNG")
    content = b"Comment\0\0" + zlib.compress(b"x" * (megabytes << 20))
    check = struct.pack(">I", zlib.crc32(b"zTXt" + content))
    text = struct.pack(">I", len(content)) + b"zTXt" + content + check
    return whole[:33] + text + whole[33:]


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path
