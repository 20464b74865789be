"""Decodes pictures of strangers in a child process with limits.

    with PictureDecoder() as decoder:
        facts = decoder.facts(path)                # its format and size
        grid = decoder.pixels(path, 54, 20)        # 20 rows of 54 RGB pixels
        small = decoder.encode(path, 480, 480, "WEBP")

Pillow is imported by the child alone (`pictures/worker.py`), so that no fault in it reaches a
process with keys. Where it is not installed, `is_available` is False and every call raises
UnusableFile.
"""

from frontdesk.pictures.process import (
    EncodedPicture,
    PictureDecoder,
    PictureFacts,
    PixelGrid,
    is_available,
)

__all__ = ["EncodedPicture", "PictureDecoder", "PictureFacts", "PixelGrid", "is_available"]
