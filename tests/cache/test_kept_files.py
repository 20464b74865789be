"""Files of messages that are kept on this computer: private, bounded, whole or not there."""

import os
from pathlib import Path

import pytest

from frontdesk.cache import kept_files
from frontdesk.cache.kept_files import KeptFiles
from frontdesk.errors import UnusableFile


def keep(kept: KeptFiles, key: str, content: bytes, *, preview: bool = False) -> None:
    with kept.writing(key, preview=preview) as file:
        file.write(content)


def aged(path: Path | None, seconds: int) -> None:
    """Make a file one that was read so long ago."""
    assert path is not None
    os.utime(path, (path.stat().st_mtime - seconds,) * 2)


def test_a_file_and_its_preview_are_kept_apart_and_private(tmp_path: Path) -> None:
    kept = KeptFiles(tmp_path / "media", most_bytes=1_000)
    keep(kept, "../../a key", b"whole")
    keep(kept, "../../a key", b"small", preview=True)
    whole, small = (kept.find("../../a key", preview=preview) for preview in (False, True))
    assert whole is not None
    assert small is not None
    assert (whole.read_bytes(), small.read_bytes()) == (b"whole", b"small")
    assert {path.stat().st_mode & 0o077 for path in (whole, small, whole.parent)} == {0}
    assert whole.parent == small.parent == tmp_path / "media"
    kept.remove("../../a key")
    assert kept.find("../../a key", preview=False) is None
    assert kept_files.usage(tmp_path) == (0, 0)


def test_what_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    kept = KeptFiles(tmp_path, most_bytes=1_000)

    def fail() -> None:
        with kept.writing("one", preview=False) as file:
            file.write(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert kept.find("one", preview=False) is None
    assert [*tmp_path.iterdir()] == []


def test_files_that_were_not_read_for_longest_go_first(tmp_path: Path) -> None:
    kept = KeptFiles(tmp_path, most_bytes=1_000)
    for name in ("one", "two", "three"):
        keep(kept, name, b"x" * 300)
        aged(kept.find(name, preview=False), 100)
    assert kept.find("one", preview=False) is not None
    keep(kept, "four", b"x" * 300)
    there = {name for name in ("one", "two", "three", "four") if kept.find(name, preview=False)}
    assert len(there) == 3
    assert {"one", "four"} <= there
    assert kept_files.usage(tmp_path) == (3, 900)


def test_files_may_fill_the_bound_and_no_more_go_than_have_to(tmp_path: Path) -> None:
    kept = KeptFiles(tmp_path, most_bytes=1_000)
    for seconds, (name, size) in enumerate((("new", 300), ("old", 300), ("older", 400))):
        keep(kept, name, b"x" * size)
        aged(kept.find(name, preview=False), 100 * seconds)
    assert kept_files.usage(tmp_path) == (3, 1_000)
    keep(kept, "newest", b"x" * 400)
    assert kept_files.usage(tmp_path) == (3, 1_000)
    kept.remove("newest")
    kept_files.clear(tmp_path)
    assert kept_files.usage(tmp_path) == (0, 0)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = KeptFiles(tmp_path / "file" / "media", most_bytes=1_000)
    with pytest.raises(UnusableFile, match="cannot be kept on this computer"):
        keep(kept, "one", b"x")


@pytest.mark.parametrize("is_there", [True, False])
def test_the_directory_may_be_cleared_at_any_step_of_keeping_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    """Another process clears it: while it is found there, or once it is made."""
    kept = KeptFiles(tmp_path / "media", most_bytes=1_000)
    mkdir, cleared = os.mkdir, []

    def make(path: Path, mode: int = 0o777) -> None:
        try:
            mkdir(path, mode)
        finally:
            if not cleared:
                cleared.append(path)
                kept_files.clear(kept.directory)

    if is_there:
        keep(kept, "before", b"x")
    monkeypatch.setattr(os, "mkdir", make)
    keep(kept, "one", b"x")
    assert cleared == [kept.directory]
    assert kept.find("one", preview=False) is not None


def test_a_file_that_is_cleared_while_it_is_written_is_not_there(tmp_path: Path) -> None:
    kept = KeptFiles(tmp_path / "media", most_bytes=1_000)
    with kept.writing("one", preview=False) as file:
        file.write(b"x")
        kept_files.clear(kept.directory)
    assert kept.find("one", preview=False) is None
