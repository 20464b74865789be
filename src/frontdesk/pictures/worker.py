"""The child process that decodes pictures, with limits on memory, files and formats.

A program of its own: it is started by its path, and imports nothing of frontdesk. It reads a job
per line of standard input, `{"path", "width", "height", "output"}`, and answers each with a line of
JSON, followed by as many bytes as its member `length` says. output: `facts` (no bytes), `rgb`
(three bytes a pixel, exactly width x height), or `WEBP` or `PNG` (no larger than width x height).
"""

import io
import json
import sys
import warnings
from typing import Any

from PIL import Image, ImageFile, ImageOps, UnidentifiedImageError

FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
MOST_PIXELS = 40_000_000
LONGEST_SIDE = 30_000
_MEMORY_BYTES = 600 << 20
_OPEN_FILES = 16
# What is behind transparent pixels; neither theme of a terminal swallows it.
_GREY = (127, 127, 127, 255)


class _TooLarge(Exception):
    pass


def main() -> None:
    # Every plugin is loaded before the limits.
    Image.preinit()
    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    warnings.simplefilter("ignore")
    with io.BytesIO() as buffer:
        Image.new("RGB", (1, 1)).save(buffer, "WEBP")
    _limit_resources()
    output = sys.stdout.buffer
    output.write(b"{}\n")
    output.flush()
    for line in sys.stdin:
        facts, body = answer(json.loads(line))
        output.write(json.dumps({**facts, "length": len(body)}).encode() + b"\n" + body)
        output.flush()


def _limit_resources() -> None:
    """Bound memory, forbid files; macOS ignores the bound of memory, and Windows has none."""
    try:
        import resource
    except ImportError:
        return
    limits = {
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_CORE: 0,
    }
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        limits[resource.RLIMIT_AS] = used + _MEMORY_BYTES
    except OSError:
        pass
    for limit, value in limits.items():
        resource.setrlimit(limit, (value, value))


def answer(job: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """The facts of a picture and the bytes of the job; `problem` in place of facts if it fails."""
    try:
        return _decoded(job["path"], (job["width"], job["height"]), job["output"])
    except (_TooLarge, Image.DecompressionBombError):
        return {"problem": "too_large"}, b""
    except UnidentifiedImageError:
        return {"problem": "unknown_format"}, b""
    except MemoryError:
        return {"problem": "memory"}, b""
    except OSError as error:
        # A damaged picture is an OSError without a number.
        return {"problem": "damaged" if error.errno is None else "unreadable"}, b""
    except Exception:
        # Pillow's parsers raise anything on damaged bytes: ValueError, SyntaxError, struct.error.
        return {"problem": "damaged"}, b""


def _decoded(path: str, box: tuple[int, int], output: str) -> tuple[dict[str, Any], bytes]:
    with Image.open(path, formats=FORMATS) as picture:
        if picture.width * picture.height > MOST_PIXELS or max(picture.size) > LONGEST_SIDE:
            raise _TooLarge
        facts = {
            "format": picture.format,
            **_upright_size(picture),
            "animated": bool(getattr(picture, "is_animated", False)),
        }
        if output == "facts":
            return facts, b""
        # JPEG decodes to a half, a quarter or an eighth at once.
        picture.draft("RGB", (max(box), max(box)))
        upright = ImageOps.exif_transpose(picture)
        small = _on_ground(_resized(upright, box, exact=output == "rgb"))
        facts |= {"pixel_width": small.width, "pixel_height": small.height}
        return facts, small.tobytes() if output == "rgb" else _encoded(small, output)


def _upright_size(picture: Image.Image) -> dict[str, int]:
    """The size as it is shown: EXIF orientations 5 to 8 lie on their side."""
    turned = picture.getexif().get(0x0112) in (5, 6, 7, 8)
    width, height = picture.size
    return {"width": height, "height": width} if turned else {"width": width, "height": height}


def _resized(picture: Image.Image, box: tuple[int, int], *, exact: bool) -> Image.Image:
    if picture.mode.startswith("I"):
        # 16 bits of grey.
        picture = picture.convert("I").point(lambda grey: grey * (1 / 256)).convert("L")
    if picture.mode in ("P", "PA", "LA", "1"):
        picture = picture.convert("RGBA")
    elif picture.mode not in ("RGB", "RGBA"):
        picture = picture.convert("RGB")
    if exact:
        return picture.resize(box, Image.Resampling.LANCZOS, reducing_gap=2.0)
    picture.thumbnail(box, Image.Resampling.LANCZOS, reducing_gap=2.0)
    return picture


def _on_ground(picture: Image.Image) -> Image.Image:
    if picture.mode != "RGBA":
        return picture
    ground = Image.new("RGBA", picture.size, _GREY)
    ground.alpha_composite(picture)
    return ground.convert("RGB")


def _encoded(picture: Image.Image, format: str) -> bytes:
    with io.BytesIO() as buffer:
        if format == "WEBP":
            picture.save(buffer, "WEBP", quality=80, method=2)
        else:
            picture.quantize(256, Image.Quantize.FASTOCTREE).save(buffer, "PNG")
        return buffer.getvalue()


if __name__ == "__main__":
    main()
