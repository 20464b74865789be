"""The child process that decodes pictures, on ordinary, odd and hostile files."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from frontdesk.errors import UnusableFile
from frontdesk.pictures import PictureDecoder, PictureFacts
from tests.pictures.drawn import (
    animated,
    encoded,
    on_its_side,
    photo,
    png_that_claims,
    png_with_text,
    written,
)

RED, BLUE, GREY = (200, 20, 20), (20, 20, 200), (127, 127, 127)


@pytest.fixture(scope="module")
def decoder() -> Iterator[PictureDecoder]:
    with PictureDecoder(deadline_seconds=60) as decoder:
        yield decoder


def alike(colour: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(abs(one - two) < 16 for one, two in zip(colour, other, strict=True))


ORDINARY = {
    "jpeg": (encoded(photo()), PictureFacts("JPEG", 320, 240, False)),
    "png": (encoded(photo(), "PNG"), PictureFacts("PNG", 320, 240, False)),
    "webp": (encoded(photo(), "WEBP"), PictureFacts("WEBP", 320, 240, False)),
    "gif": (encoded(photo(), "GIF"), PictureFacts("GIF", 320, 240, False)),
    "on its side": (on_its_side(), PictureFacts("JPEG", 240, 320, False)),
    "animated webp": (animated("WEBP"), PictureFacts("WEBP", 64, 64, True)),
    "animated gif": (animated("GIF"), PictureFacts("GIF", 64, 64, True)),
    "cmyk": (encoded(photo().convert("CMYK")), PictureFacts("JPEG", 320, 240, False)),
    "grey": (encoded(photo().convert("L")), PictureFacts("JPEG", 320, 240, False)),
    "palette": (encoded(photo().convert("P"), "PNG"), PictureFacts("PNG", 320, 240, False)),
    "one bit": (encoded(photo().convert("1"), "PNG"), PictureFacts("PNG", 320, 240, False)),
    "one column": (encoded(photo(1, 3_000), "PNG"), PictureFacts("PNG", 1, 3_000, False)),
}


@pytest.mark.parametrize("name", ORDINARY)
def test_a_picture_has_its_size_and_as_many_pixels_as_were_asked_for(
    name: str, decoder: PictureDecoder, tmp_path: Path
) -> None:
    content, facts = ORDINARY[name]
    path = written(tmp_path / "file", content)
    assert decoder.facts(path) == facts
    grid = decoder.pixels(path, 20, 9)
    assert (grid.picture, grid.width, grid.height, len(grid.rgb)) == (facts, 20, 9, 20 * 9 * 3)


def test_pixels_are_rows_from_top_to_bottom(decoder: PictureDecoder, tmp_path: Path) -> None:
    upright = decoder.pixels(written(tmp_path / "a", encoded(photo(), "PNG")), 4, 2)
    assert alike(tuple(upright.rgb[:3]), RED)
    assert alike(tuple(upright.rgb[9:12]), BLUE)
    turned = decoder.pixels(written(tmp_path / "b", on_its_side()), 2, 4)
    assert alike(tuple(turned.rgb[:3]), RED)
    assert alike(tuple(turned.rgb[-3:]), BLUE)


def test_transparent_pixels_are_grey(decoder: PictureDecoder, tmp_path: Path) -> None:
    clear = encoded(Image.new("RGBA", (32, 32), (255, 0, 0, 0)), "WEBP")
    assert alike(tuple(decoder.pixels(written(tmp_path / "a", clear), 1, 1).rgb), GREY)


def test_sixteen_bits_of_grey_keep_their_brightness(
    decoder: PictureDecoder, tmp_path: Path
) -> None:
    path = written(tmp_path / "a", encoded(Image.new("I;16", (16, 16), 32_768), "PNG"))
    assert alike(tuple(decoder.pixels(path, 1, 1).rgb), GREY)


@pytest.mark.parametrize("format", ["WEBP", "PNG"])
def test_an_encoded_picture_keeps_its_shape_and_loses_its_metadata(
    format: str, decoder: PictureDecoder, tmp_path: Path
) -> None:
    path = written(tmp_path / "a", on_its_side())
    small = decoder.encode(path, 160, 160, format)  # type: ignore[arg-type]
    assert (small.width, small.height) == (120, 160)
    with Image.open(io.BytesIO(small.content)) as read:
        assert (read.format, read.size, dict(read.getexif())) == (format, (120, 160), {})


def test_a_picture_is_never_enlarged(decoder: PictureDecoder, tmp_path: Path) -> None:
    small = decoder.encode(written(tmp_path / "a", encoded(photo(64, 48))), 480, 480, "WEBP")
    assert (small.width, small.height) == (64, 48)


WHOLE = encoded(photo())
HALF = WHOLE[: len(WHOLE) // 2]
HOSTILE = {
    "many pixels": (png_that_claims(12_000, 12_000), "too many pixels"),
    "a bomb": (png_that_claims(30_000, 30_000), "too many pixels"),
    "a long side": (png_that_claims(1, 40_000), "too many pixels"),
    "no data": (png_that_claims(100, 100), "damaged"),
    "text that unpacks": (png_with_text(60), "damaged"),
    "half a file": (HALF, "damaged"),
    "nothing": (b"", "no picture"),
    "a page": (b"<html><script>alert(1)</script>", "no picture"),
    "a drawing": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no picture"),
    "another format": (encoded(photo(), "BMP"), "no picture"),
    "a program for a printer": (encoded(photo(), "EPS"), "no picture"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_cannot_be_shown_says_why(
    name: str, decoder: PictureDecoder, tmp_path: Path
) -> None:
    content, words = HOSTILE[name]
    with pytest.raises(UnusableFile, match=words):
        decoder.pixels(written(tmp_path / "file", content), 20, 10)


def test_a_missing_file_is_no_damaged_one(decoder: PictureDecoder, tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="cannot be read"):
        decoder.facts(tmp_path / "missing")


def test_the_child_goes_on_after_bad_files(decoder: PictureDecoder, tmp_path: Path) -> None:
    good = written(tmp_path / "good", encoded(photo()))
    decoder.facts(good)
    child = decoder.process_id
    for name, (content, _) in HOSTILE.items():
        with pytest.raises(UnusableFile):
            decoder.pixels(written(tmp_path / name, content), 20, 10)
    assert decoder.facts(good).format == "JPEG"
    assert decoder.process_id == child


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not bound memory")
def test_the_child_may_not_take_more_memory_than_its_limit(
    decoder: PictureDecoder, tmp_path: Path
) -> None:
    decoder.facts(written(tmp_path / "a", encoded(photo())))
    limits = Path(f"/proc/{decoder.process_id}/limits").read_text()
    rows = {line[:26].strip(): line[26:].split()[0] for line in limits.splitlines()}
    assert int(rows["Max address space"]) < 2 << 30
    assert rows["Max file size"] == "0"
    assert rows["Max core file size"] == "0"


def test_a_child_that_died_is_started_again(tmp_path: Path) -> None:
    path = written(tmp_path / "a", encoded(photo()))
    with PictureDecoder(deadline_seconds=60) as decoder:
        decoder.facts(path)
        first = decoder.process_id
        assert first is not None
        os.kill(first, signal.SIGKILL)
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        assert decoder.facts(path).format == "JPEG"
        assert decoder.process_id != first


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a file that never ends is a named pipe")
def test_a_job_over_the_deadline_ends_the_child_and_the_third_time_the_tries(
    tmp_path: Path,
) -> None:
    endless = tmp_path / "endless"
    os.mkfifo(endless)
    good = written(tmp_path / "good", encoded(photo()))
    with PictureDecoder(deadline_seconds=0.05) as decoder:
        for _ in range(3):
            with pytest.raises(UnusableFile, match="in time"):
                decoder.facts(endless)
            assert decoder.process_id is None
        with pytest.raises(UnusableFile, match="damaged"):
            decoder.facts(endless)
        assert decoder.process_id is None
    with PictureDecoder(deadline_seconds=60) as decoder:
        assert decoder.facts(good).format == "JPEG"


def test_a_closed_decoder_leaves_no_child(tmp_path: Path) -> None:
    decoder = PictureDecoder(deadline_seconds=60)
    decoder.facts(written(tmp_path / "a", encoded(photo())))
    child = decoder.process_id
    assert child is not None
    decoder.close()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_the_child_sees_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRONTDESK_API_KEY", "secret")
    with PictureDecoder(deadline_seconds=60) as decoder:
        decoder.facts(written(tmp_path / "a", encoded(photo())))
        environment = Path(f"/proc/{decoder.process_id}/environ")
        if environment.exists():
            assert b"FRONTDESK_API_KEY" not in environment.read_bytes()


def test_the_process_that_asks_imports_no_decoder() -> None:
    program = (
        "import sys; from frontdesk.pictures import PictureDecoder, is_available;"
        " is_available(); PictureDecoder().close();"
        " sys.exit('PIL' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_without_pillow_files_are_kept_and_only_pictures_are_not_shown(tmp_path: Path) -> None:
    path = written(tmp_path / "a", encoded(photo()))
    program = f"""
import sys
from pathlib import Path
sys.modules["PIL"] = None
from frontdesk.errors import UnusableFile
from frontdesk.ingest.media.facts import FileFacts, describe
from frontdesk.pictures import PictureDecoder, is_available
assert not is_available()
decoder, path = PictureDecoder(), Path({str(path)!r})
assert describe(path, "image/jpeg", decoder) == FileFacts()
try:
    decoder.facts(path)
except UnusableFile as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "Pictures cannot be shown: Pillow is not installed\n"


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ((8_000, 5_000), "damaged"),
        ((8_001, 5_000), "too many pixels"),
        ((30_000, 1), "damaged"),
        ((30_001, 1), "too many pixels"),
        ((1, 30_001), "too many pixels"),
    ],
)
def test_the_largest_picture_has_forty_million_pixels_and_no_side_of_more_than_30000(
    size: tuple[int, int], words: str, decoder: PictureDecoder, tmp_path: Path
) -> None:
    with pytest.raises(UnusableFile, match=words):
        decoder.pixels(written(tmp_path / "a", png_that_claims(*size)), 20, 10)


@pytest.mark.parametrize("size", [(0, 1), (1, 0), (-1, -1), (3_000, 3_001)])
def test_a_grid_has_at_least_a_pixel_and_at_most_nine_million(
    size: tuple[int, int], decoder: PictureDecoder, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="pixels: 1 to 9,000,000 are possible"):
        decoder.pixels(tmp_path / "none", *size)


def test_the_largest_grid_can_be_asked_for(decoder: PictureDecoder, tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="cannot be read"):
        decoder.pixels(tmp_path / "none", 3_000, 3_000)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_upright_as_its_exif_says(
    orientation: int, decoder: PictureDecoder, tmp_path: Path
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = written(tmp_path / "a", encoded(photo(64, 32), exif=exif))
    size = (32, 64) if orientation > 4 else (64, 32)
    facts = decoder.facts(path)
    assert (facts.width, facts.height) == size
    small = decoder.encode(path, 400, 400, "PNG")
    assert (small.width, small.height) == size


@pytest.mark.parametrize(
    ("mode", "colour", "shown"),
    [
        ("L", 60, (60, 60, 60)),
        ("1", 1, (255, 255, 255)),
        ("RGB", RED, RED),
        ("RGBA", (*RED, 255), RED),
        # Half of the grey behind it.
        ("RGBA", (255, 255, 255, 128), (191, 191, 191)),
        ("LA", (255, 0), GREY),
        ("LA", (60, 255), (60, 60, 60)),
        ("I;16", 65_280, (255, 255, 255)),
        ("I;16", 0, (0, 0, 0)),
    ],
)
def test_a_picture_of_any_kind_has_its_colour(
    mode: str,
    colour: object,
    shown: tuple[int, int, int],
    decoder: PictureDecoder,
    tmp_path: Path,
) -> None:
    picture = Image.new(mode, (16, 16), colour)  # type: ignore[arg-type]
    path = written(tmp_path / "a", encoded(picture, "PNG"))
    assert alike(tuple(decoder.pixels(path, 1, 1).rgb), shown)
    with Image.open(io.BytesIO(decoder.encode(path, 8, 8, "PNG").content)) as read:
        assert alike(read.convert("RGB").getpixel((4, 4)), shown)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("box", "size"), [((16, 400), (16, 12)), ((400, 12), (16, 12)), ((1, 1), (1, 1))]
)
def test_a_small_picture_fits_both_ways(
    box: tuple[int, int], size: tuple[int, int], decoder: PictureDecoder, tmp_path: Path
) -> None:
    path = written(tmp_path / "a", encoded(photo(64, 48)))
    for format in ("WEBP", "PNG"):
        small = decoder.encode(path, *box, format)  # type: ignore[arg-type]
        assert (small.width, small.height) == size
        assert small.picture == PictureFacts("JPEG", 64, 48, False)
